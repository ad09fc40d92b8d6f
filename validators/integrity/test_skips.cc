#include "validators/integrity/test_skips.h"

#include <set>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "runtime/base/text.h"
#include "validators/integrity/test_language.h"

namespace stile {
namespace {

constexpr size_t kMaxTextBytes = 120;
constexpr int kMaxHops = 8;  // of aliases of aliases

std::string FirstLine(absl::string_view text) {
  std::string line(text.substr(0, std::min(text.find('\n'), kMaxTextBytes)));
  absl::RemoveExtraAsciiWhitespace(&line);
  return ToUtf8(line);
}

// The dotted name that the tokens begin with, if nothing but a call follows; "" otherwise.
std::string DottedName(const CodeTokens& tokens, size_t begin) {
  std::string name;
  for (size_t i = begin; i < tokens.size(); ++i) {
    const bool is_dot = tokens[i].text == "." || tokens[i].text == "::";
    if (tokens[i].is_name) {
      name += tokens[i].text;
    } else if (is_dot) {
      name += ".";
    } else {
      return tokens[i].text == "(" || tokens[i].text == ";" ? name : "";
    }
  }
  return name;
}

// {skip, only: alone} = it; const later = it.skip
void ReadDeclarator(const TestCode& code, uint32_t node, NameAliases* aliases) {
  const uint32_t left = code.Child(node, "name");
  const uint32_t right = code.Child(node, "value");
  if (left == 0 || right == 0) return;
  std::string full = DottedName(code.Tokens(right), 0);
  const bool is_bound = absl::EndsWith(full, ".bind");  // it.skip.bind(it)
  if (full.empty() || (code.Role(right) == NodeRole::kCall && !is_bound)) return;
  if (is_bound) full.resize(full.size() - 5);
  if (code.Type(left) != "object_pattern") {
    (*aliases)[std::string(code.Text(left))] = full;
    return;
  }
  for (const CodeTokens& part : SplitAtCommas([&] {
         CodeTokens tokens = code.Tokens(left);
         if (tokens.size() < 2) return CodeTokens();
         return CodeTokens(tokens.begin() + 1, tokens.end() - 1);
       }())) {
    if (part.empty() || !part.back().is_name) continue;
    (*aliases)[part.back().text] = absl::StrCat(full, ".", part.front().text);
  }
}

// import {it as later} from "x"
void ReadSpecifier(const CodeTokens& tokens, NameAliases* aliases) {
  if (tokens.size() == 3 && tokens[1].text == "as") (*aliases)[tokens[2].text] = tokens[0].text;
}

// A marker, a call or a dotted name that skips; "" if it is none.
class SkipFinder {
 public:
  SkipFinder(const TestCode& code, const SkipNames& names, bool is_test)
      : code_(code),
        language_(code.language()),
        names_(names),
        is_test_(is_test),
        testers_(code.language().TesterNames(code)) {}

  SkipNodes Find() {
    Walk(0);
    return std::move(found_);
  }

 private:
  void Walk(uint32_t i) {
    for (uint32_t child = i; child < code_.End(i);) {
      if (Visit(child)) {
        ++child;
      } else {
        child = code_.End(child);
      }
    }
  }

  // Whether to look below it.
  bool Visit(uint32_t i) {
    const NodeRole role = code_.Role(i);
    if (role == NodeRole::kComment || role == NodeRole::kString) return false;
    const absl::string_view type = code_.Type(i);
    if (absl::StrContains(type, "import") || type == "using_directive") return false;
    if (role == NodeRole::kMarker) return !OfMarker(i);
    if (type == "preproc_def" || type == "variable_declarator" || type == "assignment") {
      return !DefinesAlias(i, type);
    }
    if (type == "attribute" || type == "member_expression" || type == "member_access_expression" ||
        type == "selector_expression" || type == "method_invocation" ||
        type == "object_creation_expression" || type == "subscript_expression") {
      return !OfDottedName(i);
    }
    if (type == "identifier" || type == "type_identifier") OfIdentifier(i);
    if (type == "pair" || type == "assignment_expression" || type == "named_argument") {
      if (language_.IsSkipOption(code_, i, is_test_)) Add(i);
    }
    return true;
  }

  void Add(uint32_t i) { found_.emplace(i, FirstLine(code_.Text(i))); }

  bool OfMarker(uint32_t i) {
    const CodeTokens tokens = code_.Tokens(i);
    size_t begin = 0;
    while (begin < tokens.size() && !tokens[begin].is_name) ++begin;
    const std::string name = begin < tokens.size() ? names_.Resolve(Leading(tokens, begin)) : "";
    const bool skips = language_.IsSkipMarker(code_.Text(i), name);
    if (skips) Add(i);
    return skips || !language_.facts().looks_into_markers;
  }

  static std::string Leading(const CodeTokens& tokens, size_t begin) {
    std::string name;
    for (size_t i = begin; i < tokens.size(); ++i) {
      if (tokens[i].text == "(" || (i > begin && tokens[i].is_name && tokens[i - 1].is_name)) break;
      name += tokens[i].text == "::" ? "." : tokens[i].text;
    }
    return name;
  }

  // `later = unittest.skip` is none: where it is used, it counts.
  bool DefinesAlias(uint32_t i, absl::string_view type) {
    if (type == "preproc_def") return true;
    if (type == "variable_declarator") {
      const uint32_t value = code_.Child(i, "value");
      return language_.facts().declarators_define_aliases && value != 0 &&
             !DottedName(code_.Tokens(value), 0).empty() && code_.Role(value) != NodeRole::kCall;
    }
    const uint32_t left = code_.Child(i, "left");
    const uint32_t right = code_.Child(i, "right");
    if (left == 0 || right == 0 || code_.Type(left) != "identifier") return false;
    const absl::string_view name = code_.Text(left);
    if (name == "pytestmark" || name == "collect_ignore" || name == "collect_ignore_glob") {
      return false;
    }
    const std::string full = names_.Resolve(DottedName(code_.Tokens(right), 0));
    // numpy = pytest.importorskip("numpy") skips there and then.
    const bool acts = code_.Role(right) == NodeRole::kCall && absl::StartsWith(full, "pytest.") &&
                      !absl::StartsWith(full, "pytest.mark.");
    return !full.empty() && !acts;
  }

  bool OfDottedName(uint32_t i) {
    std::string name;
    if (code_.Type(i) == "method_invocation") {
      const uint32_t last = code_.Child(i, "name");
      if (last != 0) name = std::string(code_.Text(last));
    } else if (code_.Type(i) == "object_creation_expression") {
      const uint32_t made = code_.Child(i, "type");
      if (made != 0) name = std::string(code_.Text(made));
    } else {
      name = Flattened(code_.Tokens(i));
    }
    if (name.empty()) return false;
    if (!language_.IsSkipDottedName(NameOf(std::move(name)))) return false;
    Add(i);
    return true;
  }

  SkipName NameOf(std::string own) const {
    std::string resolved = names_.Resolve(own);
    return {std::move(own), std::move(resolved), is_test_, &testers_};
  }

  // it["skip"] is it.skip; of s.T().Skip the call is left out.
  static std::string Flattened(const CodeTokens& tokens) {
    std::string name;
    for (const CodeToken& token : tokens) {
      if (token.is_name) {
        name += token.text;
      } else if (token.text == "." || token.text == "?.") {
        name += ".";
      } else if (token.is_literal && token.text.size() > 2 && name.size() > 1) {
        absl::StrAppend(&name, ".", token.text.substr(1, token.text.size() - 2));
      } else if (token.text != "(" && token.text != ")" && token.text != "[" && token.text != "]") {
        return "";
      }
    }
    return name;
  }

  void OfIdentifier(uint32_t i) {
    if (language_.IsSkipIdentifier(NameOf(std::string(code_.Text(i))))) Add(i);
  }

  const TestCode& code_;
  const TestLanguage& language_;
  const SkipNames& names_;
  const bool is_test_;
  const std::set<std::string> testers_;
  SkipNodes found_;
};

}  // namespace

NameAliases ReadAliases(const TestCode& code) {
  NameAliases aliases;
  for (uint32_t i = 0; i < code.size(); ++i) {
    const absl::string_view type = code.Type(i);
    if (type == "import_statement" || type == "import_from_statement") {
      code.language().ReadImport(code.Tokens(i), &aliases);
    } else if (type == "assignment") {
      const uint32_t left = code.Child(i, "left");
      const uint32_t right = code.Child(i, "right");
      if (left == 0 || right == 0 || code.Type(left) != "identifier") continue;
      const std::string full = DottedName(code.Tokens(right), 0);
      if (!full.empty()) aliases[std::string(code.Text(left))] = full;
    } else if (type == "variable_declarator") {
      ReadDeclarator(code, i, &aliases);
    } else if (type == "import_specifier") {
      ReadSpecifier(code.Tokens(i), &aliases);
    } else if (type == "using_directive") {
      const CodeTokens tokens = code.Tokens(i);
      if (tokens.size() > 3 && tokens[2].text == "=")
        aliases[tokens[1].text] = DottedName(tokens, 3);
    } else if (type == "preproc_def") {
      const uint32_t name = code.Child(i, "name");
      const uint32_t value = code.Child(i, "value");
      if (name != 0 && value != 0)
        aliases[std::string(code.Text(name))] = std::string(code.Text(value));
    }
  }
  return aliases;
}

std::string SkipNames::Resolve(absl::string_view name) const {
  std::string full(name);
  for (int hop = 0; hop < kMaxHops; ++hop) {
    const size_t dot = full.find('.');
    const std::string first = full.substr(0, dot);
    const std::string rest = dot == std::string::npos ? "" : full.substr(dot);
    const auto own = own_.find(first);
    if (own != own_.end() && own->second != first) {
      full = own->second + rest;
      continue;
    }
    // helpers.later, where helpers.py is among the changes
    const std::vector<std::string> parts = absl::StrSplit(full, '.');
    bool replaced = false;
    for (size_t i = 0; modules_ != nullptr && i + 1 < parts.size() && !replaced; ++i) {
      const auto module = modules_->find(parts[i]);
      if (module == modules_->end()) continue;
      const auto found = module->second.find(parts[i + 1]);
      if (found == module->second.end() || found->second == parts[i + 1]) continue;
      full = found->second;
      for (size_t j = i + 2; j < parts.size(); ++j) absl::StrAppend(&full, ".", parts[j]);
      replaced = true;
    }
    if (!replaced) break;
  }
  return full;
}

SkipNodes SkipNames::Find(const TestCode& code, bool is_test) const {
  return SkipFinder(code, *this, is_test).Find();
}

}  // namespace stile
