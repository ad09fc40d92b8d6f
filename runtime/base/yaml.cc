#include "runtime/base/yaml.h"

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <exception>
#include <limits>
#include <set>
#include <sstream>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"
#include "runtime/base/status.h"
#include "runtime/base/text.h"

namespace stile {
namespace {

constexpr size_t kMaxBytes = 1 << 20;
constexpr int kMaxDepth = 100;
constexpr int kMaxValues = 200'000;

absl::Status At(absl::string_view file, int line, absl::string_view message) {
  return absl::InvalidArgumentError(line > 0 ? absl::StrCat(file, ":", line, ": ", message)
                                             : absl::StrCat(file, ": ", message));
}

absl::StatusOr<Yaml> Convert(const YAML::Node& node, absl::string_view file, std::string path,
                             int depth, int* values) {
  Yaml result;
  result.file = std::string(file);
  result.path = std::move(path);
  result.line = node.Mark().line + 1;
  result.column = node.Mark().column + 1;
  if (depth > kMaxDepth) return At(file, result.line, "nested too deeply");
  if (++*values > kMaxValues) return At(file, result.line, "too many values");
  if (node.IsScalar()) {
    result.quoted = node.Tag() == "!";
    result.scalar = node.Scalar();
    const std::string& s = result.scalar;
    const bool null = s.empty() || s == "~" || s == "null" || s == "Null" || s == "NULL";
    result.kind = !result.quoted && null ? Yaml::Kind::kNull : Yaml::Kind::kScalar;
  } else if (node.IsSequence()) {
    result.kind = Yaml::Kind::kList;
    for (const auto& item : node) {
      STILE_ASSIGN_OR_RETURN(
          Yaml converted,
          Convert(item, file, absl::StrCat(result.path, "[", result.items.size(), "]"), depth + 1,
                  values));
      result.items.push_back(std::move(converted));
    }
  } else if (node.IsMap()) {
    result.kind = Yaml::Kind::kMap;
    std::set<std::string> seen;
    for (const auto& pair : node) {
      if (!pair.first.IsScalar()) return At(file, result.line, "a key must be plain text");
      const std::string& key = pair.first.Scalar();
      const int key_line = pair.first.Mark().line + 1;
      if (!seen.insert(key).second) {
        return At(file, key_line, absl::StrCat("key '", key, "' is given twice"));
      }
      STILE_ASSIGN_OR_RETURN(
          Yaml converted,
          Convert(pair.second, file, absl::StrCat(result.path, result.path.empty() ? "" : ".", key),
                  depth + 1, values));
      // A value on a later line, or none at all, is best found by its key.
      if (converted.line <= 0 || converted.kind != Yaml::Kind::kScalar) converted.line = key_line;
      result.keys.push_back({key, std::move(converted)});
    }
  }
  return result;
}

// Lets a text be parsed without keeping anything of it.
class NoEvents : public YAML::EventHandler {
 public:
  void OnDocumentStart(const YAML::Mark&) override {}
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark&, YAML::anchor_t) override {}
  void OnAlias(const YAML::Mark&, YAML::anchor_t) override {}
  void OnScalar(const YAML::Mark&, const std::string&, YAML::anchor_t,
                const std::string&) override {}
  void OnSequenceStart(const YAML::Mark&, const std::string&, YAML::anchor_t,
                       YAML::EmitterStyle::value) override {}
  void OnSequenceEnd() override {}
  void OnMapStart(const YAML::Mark&, const std::string&, YAML::anchor_t,
                  YAML::EmitterStyle::value) override {}
  void OnMapEnd() override {}
};

// How many documents `text` has: none, one, or 2 for more. Not YAML::LoadAll, because yaml-cpp 0.7
// reads some texts (",: 1\na: 2") as documents without an end.
int CountDocuments(const std::string& text) {
  std::istringstream stream(text);
  YAML::Parser parser(stream);
  NoEvents events;
  int documents = 0;
  while (documents < 2 && parser.HandleNextDocument(events)) ++documents;
  return documents;
}

}  // namespace

const Yaml* Yaml::Find(absl::string_view key) const {
  for (const auto& [name, value] : keys) {
    if (name == key) return &value;
  }
  return nullptr;
}

absl::Status Yaml::Error(absl::string_view message) const {
  return At(file, line, path.empty() ? std::string(message) : absl::StrCat(path, ": ", message));
}

absl::StatusOr<std::string> Yaml::AsString() const {
  if (kind != Kind::kScalar) return Error("expected text");
  return scalar;
}

absl::StatusOr<int64_t> Yaml::AsInt() const {
  int64_t value = 0;
  if (kind != Kind::kScalar || !absl::SimpleAtoi(scalar, &value)) {
    return Error(absl::StrCat("expected a whole number",
                              kind == Kind::kScalar ? absl::StrCat(", not '", scalar, "'") : ""));
  }
  return value;
}

absl::StatusOr<double> Yaml::AsNumber() const {
  double value = 0;
  if (kind != Kind::kScalar || !absl::SimpleAtod(scalar, &value)) return Error("expected a number");
  return value;
}

absl::StatusOr<bool> Yaml::AsBool() const {
  if (kind == Kind::kScalar && (scalar == "true" || scalar == "True")) return true;
  if (kind == Kind::kScalar && (scalar == "false" || scalar == "False")) return false;
  return Error("expected true or false");
}

absl::StatusOr<std::vector<std::string>> Yaml::AsStringList() const {
  if (kind == Kind::kScalar) return std::vector<std::string>{scalar};
  if (kind != Kind::kList) return Error("expected a list of texts");
  std::vector<std::string> result;
  for (const Yaml& item : items) {
    STILE_ASSIGN_OR_RETURN(std::string text, item.AsString());
    result.push_back(std::move(text));
  }
  return result;
}

absl::Status ReadKey(const Yaml& map, absl::string_view key, std::string* out) {
  const Yaml* value = map.Find(key);
  if (value == nullptr) return absl::OkStatus();
  STILE_ASSIGN_OR_RETURN(*out, value->AsString());
  return absl::OkStatus();
}

absl::Status ReadKey(const Yaml& map, absl::string_view key, std::vector<std::string>* out) {
  const Yaml* value = map.Find(key);
  if (value == nullptr) return absl::OkStatus();
  STILE_ASSIGN_OR_RETURN(*out, value->AsStringList());
  return absl::OkStatus();
}

Json Yaml::AsJson() const {
  switch (kind) {
    case Kind::kNull:
      return nullptr;
    case Kind::kScalar: {
      if (quoted) return scalar;
      if (scalar == "true" || scalar == "True" || scalar == "TRUE") return true;
      if (scalar == "false" || scalar == "False" || scalar == "FALSE") return false;
      int64_t integer = 0;
      if (absl::SimpleAtoi(scalar, &integer)) return integer;
      double number = 0;
      const bool numeric = !scalar.empty() && (absl::ascii_isdigit(scalar[0]) || scalar[0] == '-' ||
                                               scalar[0] == '+' || scalar[0] == '.');
      if (numeric && absl::SimpleAtod(scalar, &number) && number == number &&
          std::abs(number) <= std::numeric_limits<double>::max()) {
        return number;
      }
      return scalar;
    }
    case Kind::kList: {
      Json list = Json::array();
      for (const Yaml& item : items) list.push_back(item.AsJson());
      return list;
    }
    case Kind::kMap: {
      Json map = Json::object();
      for (const auto& [key, value] : keys) map[key] = value.AsJson();
      return map;
    }
  }
  return nullptr;
}

absl::StatusOr<Yaml> ParseYaml(absl::string_view text, absl::string_view file) {
  if (text.size() > kMaxBytes) return At(file, 0, "larger than 1 MiB");
  if (!IsUtf8(text)) return At(file, 0, "not UTF-8 text");
  try {
    const std::string bytes(text);
    const int documents = CountDocuments(bytes);
    if (documents > 1) return At(file, 0, "more than one YAML document");
    if (documents == 0) {
      Yaml empty;
      empty.file = std::string(file);
      return empty;
    }
    int values = 0;
    return Convert(YAML::Load(bytes), file, "", 0, &values);
  } catch (const YAML::Exception& error) {
    return At(file, error.mark.is_null() ? 0 : error.mark.line + 1,
              absl::StrCat("invalid YAML: ", error.msg));
  } catch (const std::exception& error) {
    return At(file, 0, absl::StrCat("invalid YAML: ", error.what()));
  }
}

absl::Status CheckKeys(const Yaml& yaml, const std::vector<std::string>& known) {
  if (yaml.kind == Yaml::Kind::kNull) return absl::OkStatus();
  if (yaml.kind != Yaml::Kind::kMap) return yaml.Error("expected keys and values");
  for (const auto& [key, value] : yaml.keys) {
    if (std::find(known.begin(), known.end(), key) != known.end()) continue;
    const std::string nearest = Nearest(key, known);
    return At(
        value.file, value.line,
        absl::StrCat("unknown key '", key, "'",
                     nearest.empty() ? absl::StrCat("; known keys: ", absl::StrJoin(known, ", "))
                                     : absl::StrCat(", did you mean '", nearest, "'?")));
  }
  return absl::OkStatus();
}

absl::StatusOr<FrontMatter> ParseFrontMatter(absl::string_view text, absl::string_view file) {
  FrontMatter result;
  absl::ConsumePrefix(&text, "\xEF\xBB\xBF");
  std::vector<absl::string_view> lines = SplitLines(text);
  if (lines.empty() || absl::StripTrailingAsciiWhitespace(lines[0]) != "---") {
    result.body = std::string(text);
    return result;
  }
  for (size_t i = 1; i < lines.size(); ++i) {
    if (absl::StripTrailingAsciiWhitespace(lines[i]) != "---") continue;
    const char* start = lines[0].data() + lines[0].size();
    // A newline stands for the opening fence, so that lines keep their numbers.
    const std::string yaml_text(start, lines[i].data());
    STILE_ASSIGN_OR_RETURN(result.front_matter, ParseYaml(yaml_text, file));
    const char* body = lines[i].data() + lines[i].size();
    const char* end = text.data() + text.size();
    if (body < end && *body == '\n') ++body;
    result.body = std::string(body, end);
    result.body_line = static_cast<int>(i) + 2;
    return result;
  }
  return At(file, 1, "front matter opened with '---' is never closed");
}

}  // namespace stile
