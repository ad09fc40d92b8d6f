#include "runtime/loop/prompt.h"

#include <algorithm>
#include <functional>
#include <set>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"
#include "runtime/base/status.h"
#include "runtime/base/yaml.h"

namespace stile {
namespace {

// One piece of a template: text, a hole, or a mark that opens or closes a section.
struct Piece {
  enum Kind { kText, kHole, kOpen, kClose } kind;
  std::string text;
  size_t offset;
};

absl::StatusOr<std::vector<Piece>> Split(absl::string_view body) {
  std::vector<Piece> pieces;
  size_t at = 0;
  while (at < body.size()) {
    const size_t open = body.find("{{", at);
    if (open == absl::string_view::npos) break;
    const size_t close = body.find("}}", open);
    if (close == absl::string_view::npos) {
      return absl::InvalidArgumentError("'{{' without '}}'");
    }
    pieces.push_back({Piece::kText, std::string(body.substr(at, open - at)), at});
    absl::string_view name = absl::StripAsciiWhitespace(body.substr(open + 2, close - open - 2));
    Piece::Kind kind = Piece::kHole;
    if (absl::ConsumePrefix(&name, "#")) kind = Piece::kOpen;
    if (absl::ConsumePrefix(&name, "/")) kind = Piece::kClose;
    pieces.push_back({kind, std::string(name), open});
    at = close + 2;
  }
  pieces.push_back({Piece::kText, std::string(body.substr(at)), at});
  return pieces;
}

}  // namespace

absl::StatusOr<PromptTemplate> PromptTemplate::Parse(absl::string_view text,
                                                     absl::string_view file) {
  STILE_ASSIGN_OR_RETURN(FrontMatter matter, ParseFrontMatter(text, file));
  STILE_RETURN_IF_ERROR(CheckKeys(matter.front_matter, {"name", "description", "holes"}));
  PromptTemplate prompt;
  prompt.file_ = std::string(file);
  prompt.body_ = std::move(matter.body);
  if (const Yaml* name = matter.front_matter.Find("name")) {
    STILE_ASSIGN_OR_RETURN(prompt.name_, name->AsString());
  }
  if (const Yaml* holes = matter.front_matter.Find("holes")) {
    STILE_ASSIGN_OR_RETURN(prompt.holes_, holes->AsStringList());
  }
  const auto located = [&](size_t offset, absl::string_view message) {
    const auto line = matter.body_line +
                      std::count(prompt.body_.begin(),
                                 prompt.body_.begin() + static_cast<std::ptrdiff_t>(offset), '\n');
    return absl::InvalidArgumentError(absl::StrCat(file, ":", line, ": ", message));
  };
  auto pieces = Split(prompt.body_);
  if (!pieces.ok()) return located(prompt.body_.find("{{"), pieces.status().message());
  std::set<std::string> used;
  std::string open_section;
  for (const Piece& piece : *pieces) {
    if (piece.kind == Piece::kText) continue;
    used.insert(piece.text);
    const bool known =
        std::find(prompt.holes_.begin(), prompt.holes_.end(), piece.text) != prompt.holes_.end();
    if (!known) {
      return located(piece.offset, absl::StrCat("unknown hole '", piece.text, "'; declared: ",
                                                absl::StrJoin(prompt.holes_, ", ")));
    }
    if (piece.kind == Piece::kOpen) {
      if (!open_section.empty()) return located(piece.offset, "sections do not nest");
      open_section = piece.text;
    } else if (piece.kind == Piece::kClose) {
      if (piece.text != open_section) {
        return located(piece.offset, absl::StrCat("'", piece.text, "' is not open here"));
      }
      open_section.clear();
    }
  }
  if (!open_section.empty()) {
    return located(prompt.body_.size(), absl::StrCat("'", open_section, "' is never closed"));
  }
  for (const std::string& hole : prompt.holes_) {
    if (used.count(hole) == 0) {
      return matter.front_matter.Error(absl::StrCat("hole '", hole, "' is never used"));
    }
  }
  return prompt;
}

absl::StatusOr<std::string> PromptTemplate::Fill(
    const std::map<std::string, std::string>& values) const {
  for (const auto& [name, value] : values) {
    if (std::find(holes_.begin(), holes_.end(), name) == holes_.end()) {
      return absl::InvalidArgumentError(absl::StrCat(file_, ": no hole '", name, "'"));
    }
  }
  for (const std::string& hole : holes_) {
    if (values.count(hole) == 0) {
      return absl::InvalidArgumentError(absl::StrCat(file_, ": no value for hole '", hole, "'"));
    }
  }
  STILE_ASSIGN_OR_RETURN(const std::vector<Piece> pieces, Split(body_));
  std::string result;
  bool hidden = false;
  for (const Piece& piece : pieces) {
    switch (piece.kind) {
      case Piece::kText:
        if (!hidden) absl::StrAppend(&result, piece.text);
        break;
      case Piece::kHole:
        if (!hidden) absl::StrAppend(&result, values.at(piece.text));
        break;
      case Piece::kOpen:
        hidden = values.at(piece.text).empty();
        break;
      case Piece::kClose:
        hidden = false;
        break;
    }
  }
  return std::string(absl::StripAsciiWhitespace(result));
}

absl::StatusOr<AgentProfile> ParseProfile(absl::string_view text, absl::string_view file) {
  STILE_ASSIGN_OR_RETURN(FrontMatter matter, ParseFrontMatter(text, file));
  const Yaml& yaml = matter.front_matter;
  STILE_RETURN_IF_ERROR(CheckKeys(
      yaml, {"name", "description", "tools", "agents", "max_turns", "temperature", "model"}));
  AgentProfile profile;
  profile.system_prompt = std::string(absl::StripAsciiWhitespace(matter.body));
  if (const Yaml* value = yaml.Find("name")) {
    STILE_ASSIGN_OR_RETURN(profile.name, value->AsString());
  }
  if (const Yaml* value = yaml.Find("description")) {
    STILE_ASSIGN_OR_RETURN(profile.description, value->AsString());
  }
  if (const Yaml* value = yaml.Find("tools")) {
    STILE_ASSIGN_OR_RETURN(profile.tools, value->AsStringList());
  }
  if (const Yaml* value = yaml.Find("agents")) {
    STILE_ASSIGN_OR_RETURN(profile.agents, value->AsStringList());
    for (const std::string& agent : profile.agents) {
      if (agent.empty() || agent[0] == '.' || absl::StrContains(agent, '/') ||
          absl::EndsWith(agent, ".md")) {
        return value->Error(absl::StrCat("'", agent,
                                         "' is no name of a profile; it is NAME for "
                                         "the file NAME.md beside this one"));
      }
    }
  }
  if (const Yaml* value = yaml.Find("max_turns")) {
    STILE_ASSIGN_OR_RETURN(const int64_t turns, value->AsInt());
    if (turns < 1 || turns > 10'000) return value->Error("max_turns must be 1 to 10000");
    profile.max_turns = static_cast<int>(turns);
  }
  if (const Yaml* value = yaml.Find("temperature")) {
    STILE_ASSIGN_OR_RETURN(profile.temperature, value->AsNumber());
  }
  if (const Yaml* value = yaml.Find("model")) {
    STILE_ASSIGN_OR_RETURN(profile.model, value->AsString());
  }
  if (profile.system_prompt.empty()) return yaml.Error("the profile has no system prompt");
  return profile;
}

}  // namespace stile
