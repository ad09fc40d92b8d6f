#include "tools/refactor/call_arguments.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"
#include "runtime/base/status.h"
#include "runtime/base/text.h"
#include "tools/extract/selection.h"
#include "tools/language/language_backend.h"

namespace stile {
namespace {

struct Argument {
  std::string name;  // "": it goes by its place
  GivenArgument given;
};

template <typename... Parts>
absl::Status Refuse(const SourceFile& file, TSNode at, const Parts&... parts) {
  return absl::FailedPreconditionError(
      absl::StrCat("the call at ", file.path, ":", file.PlaceOf(BeginOf(at)).line, " ", parts...));
}

bool SpreadsList(TSNode argument, absl::string_view text) {
  return absl::StrContains(TypeOf(argument), "splat") || IsNode(argument, "spread_element") ||
         absl::EndsWith(TextOf(argument, text), "...");
}

Argument ReadArgument(const SourceFile& file, TSNode node) {
  if (IsNode(node, "keyword_argument")) {
    const TSNode value = FieldOf(node, "value");
    return {std::string(TextOf(FieldOf(node, "name"), file.text)),
            {value, std::string(TextOf(value, file.text))}};
  }
  const uint32_t parts = ts_node_named_child_count(node);
  const TSNode last = parts == 0 ? node : ts_node_named_child(node, parts - 1);
  const absl::string_view text = TextOf(node, file.text);
  const size_t colon = text.find(':');
  if (LanguageBackendOf(file.language.id).naming.arguments_named_by_colon &&
      colon != absl::string_view::npos && text.substr(colon, 2) != "::") {
    const absl::string_view word = absl::StripAsciiWhitespace(text.substr(0, colon));
    const absl::string_view behind = absl::StripAsciiWhitespace(text.substr(colon + 1));
    // `x: ref total` is no value of its own.
    const TSNode value = behind == TextOf(last, file.text) ? last : node;
    if (IsIdentifier(word)) return {std::string(word), {value, std::string(behind)}};
  }
  const bool is_wrapped = IsNode(node, "argument") && BeginOf(last) == BeginOf(node);
  return {"", {is_wrapped ? last : node, std::string(text)}};
}

// The place of the parameter with this name; before.size(): there is none.
size_t PlaceOfName(const std::vector<Parameter>& before, const std::string& name) {
  const auto found = std::find_if(before.begin(), before.end(), [&](const Parameter& parameter) {
    return parameter.name == name;
  });
  return static_cast<size_t>(found - before.begin());
}

// The new parameter that an old one has become; end: none.
std::vector<MappedParameter>::const_iterator FindTarget(const ParameterMapping& mapping,
                                                        size_t old) {
  return std::find_if(
      mapping.after.begin(), mapping.after.end(),
      [old = static_cast<int>(old)](const MappedParameter& target) { return target.old == old; });
}

absl::Status CheckNothingLost(const SourceFile& file, TSNode list, const ParameterMapping& mapping,
                              const GivenArguments& given) {
  for (const auto& [place, given_value] : given.values) {
    const std::string& text = given_value.text;
    if (FindTarget(mapping, place) == mapping.after.end() &&
        text.find_first_of("(=+") != std::string::npos) {
      return Refuse(file, list, "would lose ", ToUtf8(text),
                    ", which may do something: take it out first");
    }
  }
  return absl::OkStatus();
}

// Whether the call means the same as before, as it stands.
bool StaysRight(const ParameterMapping& mapping, const GivenArguments& given) {
  for (const MappedParameter& target : mapping.after) {
    if (!target.call_value.empty()) return false;
    const bool is_given = given.values.count(static_cast<size_t>(target.old)) > 0;
    if (!target.lost_default.empty() && !is_given) return false;
  }
  for (const auto& [index, value] : given.values) {
    const auto target = FindTarget(mapping, index);
    if (target == mapping.after.end()) return false;
    const auto place = static_cast<size_t>(target - mapping.after.begin());
    if (index < given.positional ? place != index : target->renamed) return false;
  }
  return true;
}

absl::Status CheckSameOrder(const SourceFile& file, TSNode list, const ParameterMapping& mapping,
                            const GivenArguments& given) {
  std::vector<size_t> before;  // the arguments that stay, as they are evaluated
  for (const size_t place : given.written) {
    const bool stays = FindTarget(mapping, place) != mapping.after.end();
    if (stays && HasEffects(given.values.at(place).value, file.text)) before.push_back(place);
  }
  std::vector<size_t> after;
  for (const MappedParameter& target : mapping.after) {
    const auto old = static_cast<size_t>(target.old);
    if (std::find(before.begin(), before.end(), old) != before.end()) after.push_back(old);
  }
  if (before == after) return absl::OkStatus();
  return Refuse(file, list,
                "would evaluate arguments that do something in another order: take them out first");
}

// Whether the text of a default means the same wherever it stands: a number, a string without
// names in it, or a word of the language.
bool IsPlainLiteral(absl::string_view text) {
  static const auto* const kWords =
      new std::set<std::string>{"true", "false", "none", "null", "nullptr", "undefined", "()"};
  if (kWords->count(absl::AsciiStrToLower(text)) > 0) return true;
  const absl::string_view quoted = text.substr(
      !text.empty() && absl::ascii_isalpha(text[0]) && text[0] != 'f' && text[0] != 'F' ? 1 : 0);
  if (quoted.size() >= 2 && (quoted[0] == '"' || quoted[0] == '\'')) {
    return quoted.find_first_of(absl::StrCat(quoted.substr(0, 1), "\\\n"), 1) == quoted.size() - 1;
  }
  const absl::string_view number = text.substr(absl::StartsWith(text, "-") ? 1 : 0);
  return !number.empty() && absl::ascii_isdigit(number[0]) &&
         std::all_of(number.begin(), number.end(),
                     [](char c) { return absl::ascii_isalnum(c) || c == '.' || c == '_'; });
}

absl::StatusOr<std::string> WriteArguments(const SourceFile& file, TSNode list,
                                           const ParameterMapping& mapping,
                                           const GivenArguments& given) {
  const NamingFacts& naming = LanguageBackendOf(file.language.id).naming;
  std::vector<std::string> written;
  bool skipped = false;
  for (const MappedParameter& target : mapping.after) {
    std::string value = target.call_value;
    if (target.old >= 0) {
      const auto found = given.values.find(static_cast<size_t>(target.old));
      value = found == given.values.end() ? target.lost_default : found->second.text;
      if (found == given.values.end() && !value.empty() && !IsPlainLiteral(value)) {
        return Refuse(file, list, "leaves out ", target.parameter.name,
                      ", whose default is no longer ", ToUtf8(value), ": write the argument first");
      }
    }
    if (value.empty()) {
      skipped = true;
      continue;
    }
    const std::string& name = target.parameter.name;
    if (skipped && !naming.has_named_arguments) {
      return Refuse(file, list, "leaves out an argument before ", name, ": write it first");
    }
    written.push_back(skipped ? absl::StrCat(name, naming.argument_mark, value) : value);
  }
  return absl::StrCat("(", absl::StrJoin(written, ", "), ")");
}

}  // namespace

TSNode ParametersAt(const SyntaxTree& tree, uint32_t begin, uint32_t end) {
  TSNode node = ts_node_parent(NodeAt(tree, begin, end));
  for (int i = 0; i < 4 && !ts_node_is_null(node); ++i, node = ts_node_parent(node)) {
    TSNode list = FieldOf(node, "parameters");
    if (!ts_node_is_null(list)) return list;
    const TSNode value = FieldOf(node, "value");
    if (!ts_node_is_null(value)) {
      list = FieldOf(value, "parameters");
      if (!ts_node_is_null(list)) return list;
    }
    if (IsStatementContainer(node)) break;
  }
  return TSNode{};
}

TSNode ArgumentsAt(const SyntaxTree& tree, uint32_t begin, uint32_t end) {
  TSNode node = NodeAt(tree, begin, end);
  for (int i = 0; i < 5 && !ts_node_is_null(node); ++i, node = ts_node_parent(node)) {
    const TSNode arguments = FieldOf(node, "arguments");
    if (!ts_node_is_null(arguments) && BeginOf(arguments) >= end) return arguments;
  }
  return TSNode{};
}

absl::StatusOr<GivenArguments> ReadArguments(const SourceFile& file, TSNode list,
                                             const std::vector<Parameter>& parameters) {
  GivenArguments given;
  for (const TSNode node : NamedChildren(list)) {
    if (IsComment(node)) continue;
    if (SpreadsList(node, file.text))
      return Refuse(file, node, "spreads a list into its arguments");
    Argument argument = ReadArgument(file, node);
    const size_t place =
        argument.name.empty() ? given.positional++ : PlaceOfName(parameters, argument.name);
    if (place >= parameters.size())
      return Refuse(file, node, "passes an argument that no parameter takes");
    if (!given.values.emplace(place, std::move(argument.given)).second) {
      return Refuse(file, node, "passes ", parameters[place].name, " twice");
    }
    given.written.push_back(place);
  }
  return given;
}

absl::StatusOr<std::string> ArgumentsAfter(const SourceFile& file, TSNode list,
                                           const ParameterMapping& mapping) {
  STILE_ASSIGN_OR_RETURN(const GivenArguments given, ReadArguments(file, list, mapping.before));
  STILE_RETURN_IF_ERROR(CheckNothingLost(file, list, mapping, given));
  if (StaysRight(mapping, given)) return std::string(TextOf(list, file.text));
  STILE_RETURN_IF_ERROR(CheckSameOrder(file, list, mapping, given));
  return WriteArguments(file, list, mapping, given);
}

}  // namespace stile
