#include "runtime/tool/argument_repair.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "runtime/base/text.h"

namespace stile {
namespace {

const Json& Properties(const ToolSpec& spec) {
  static const Json* const kNone = new Json(Json::object());
  const Json* properties = JsonMember(spec.parameters, "properties");
  return properties != nullptr && properties->is_object() ? *properties : *kNone;
}

// Letters and digits alone, in lower case: "old_text" and "oldText" are one.
std::string Bare(absl::string_view name) {
  std::string bare;
  for (const char c : name) {
    if (absl::ascii_isalnum(c)) bare += absl::ascii_tolower(c);
  }
  return bare;
}

// The parameter that `name` stands for; "" if none.
std::string ParameterFor(const ToolSpec& spec, const std::string& name) {
  for (const auto& [alias, parameter] : spec.argument_aliases) {
    if (alias == name) return parameter;
  }
  const std::string bare = Bare(name);
  for (const auto& item : Properties(spec).items()) {
    if (Bare(item.key()) == bare) return item.key();
  }
  for (const auto& [alias, parameter] : spec.argument_aliases) {
    if (Bare(alias) == bare) return parameter;
  }
  return "";
}

std::string TypeOf(const Json& schema) { return JsonString(schema, "type").value_or(""); }

Json RepairValue(const Json& schema, Json value) {
  const std::string type = TypeOf(schema);
  if (value.is_string()) {
    const auto& text = value.get_ref<const std::string&>();
    if (type == "integer") {
      int64_t number;
      if (absl::SimpleAtoi(text, &number)) return number;
    } else if (type == "number") {
      double number;
      if (absl::SimpleAtod(text, &number) && std::isfinite(number)) return number;
    } else if (type == "boolean") {
      if (absl::EqualsIgnoreCase(text, "true")) return true;
      if (absl::EqualsIgnoreCase(text, "false")) return false;
    } else if (type == "array" || type == "object") {
      if (auto parsed = ParseJson(text);
          parsed.ok() && (type == "array" ? parsed->is_array() : parsed->is_object())) {
        return *std::move(parsed);
      }
      if (type == "array") return Json::array({std::move(value)});
    } else if (const Json* allowed = JsonMember(schema, "enum"); allowed != nullptr) {
      for (const Json& choice : *allowed) {
        if (choice.is_string() &&
            absl::EqualsIgnoreCase(choice.get_ref<const std::string&>(), text)) {
          return choice;
        }
      }
    }
  } else if (value.is_number_float() && type == "integer") {
    const double number = value.get<double>();
    if (number == std::floor(number) && std::fabs(number) < 9e15) {
      return static_cast<int64_t>(number);
    }
  } else if (value.is_number() && type == "string") {
    return DumpJson(value);
  }
  return value;
}

// {"arguments": {…}} and the like, where the tool knows no such parameter.
Json Unwrap(const ToolSpec& spec, Json arguments) {
  if (arguments.is_string()) {
    if (auto parsed = ParseJson(arguments.get_ref<const std::string&>()); parsed.ok()) {
      arguments = *std::move(parsed);
    }
  }
  if (arguments.is_null()) return Json::object();
  if (arguments.is_object() && arguments.size() == 1) {
    const std::string& key = arguments.begin().key();
    const bool wrapper =
        key == "arguments" || key == "parameters" || key == "input" || key == "args";
    if (wrapper && ParameterFor(spec, key).empty() && arguments.begin()->is_object()) {
      return Json(*arguments.begin());
    }
  }
  return arguments;
}

std::string Quoted(const Json& value) {
  const std::string text = ToUtf8(DumpJson(value));
  return text.size() <= 60 ? text : TruncateMiddle(text, 60);
}

// "path (string, required)", "level (build|test)".
std::string DescribeParameter(const std::string& name, const Json& schema, bool required) {
  std::string type = TypeOf(schema);
  if (const Json* allowed = JsonMember(schema, "enum"); allowed != nullptr && allowed->is_array()) {
    std::vector<std::string> choices;
    for (const Json& choice : *allowed) {
      choices.push_back(choice.is_string() ? choice.get<std::string>() : DumpJson(choice));
    }
    type = absl::StrJoin(choices, "|");
  }
  return absl::StrCat(name, " (", type.empty() ? "any" : type, required ? ", required)" : ")");
}

bool FitsType(const std::string& type, const Json& value) {
  if (type == "string") return value.is_string();
  if (type == "integer") return value.is_number_integer();
  if (type == "number") return value.is_number();
  if (type == "boolean") return value.is_boolean();
  if (type == "array") return value.is_array();
  if (type == "object") return value.is_object();
  return true;
}

}  // namespace

Json RepairArguments(const ToolSpec& spec, Json arguments) {
  arguments = Unwrap(spec, std::move(arguments));
  // A server checks and repairs by rules of its own; null may be a value of its tools.
  if (!arguments.is_object() || !spec.server.empty()) return arguments;
  const Json& properties = Properties(spec);
  Json repaired = Json::object();
  std::vector<std::pair<std::string, Json>> renamed;
  for (auto& item : arguments.items()) {
    if (properties.contains(item.key())) {
      repaired[item.key()] = std::move(item.value());
    } else {
      renamed.emplace_back(item.key(), std::move(item.value()));
    }
  }
  for (auto& [key, value] : renamed) {
    const std::string parameter = ParameterFor(spec, key);
    // A second value under another name is not ours to choose from.
    const bool taken = !parameter.empty() && repaired.contains(parameter);
    if (taken && repaired[parameter] == value) continue;
    repaired[parameter.empty() || taken ? key : parameter] = std::move(value);
  }
  for (auto it = repaired.begin(); it != repaired.end();) {
    const Json* schema = JsonMember(properties, it.key());
    if (it->is_null()) {  // "not given", also under a name we do not know
      it = repaired.erase(it);
      continue;
    }
    if (schema != nullptr) *it = RepairValue(*schema, std::move(*it));
    ++it;
  }
  return repaired;
}

std::string ExplainArguments(const ToolSpec& spec, const Json& arguments,
                             const std::vector<std::string>& violations) {
  const Json& properties = Properties(spec);
  std::vector<std::string> required;
  if (const Json* names = JsonMember(spec.parameters, "required"); names != nullptr) {
    for (const Json& name : *names) {
      if (name.is_string()) required.push_back(name.get<std::string>());
    }
  }
  std::vector<std::string> known;
  std::vector<std::string> descriptions;
  for (const auto& item : properties.items()) {
    known.push_back(item.key());
    const bool is_required =
        std::find(required.begin(), required.end(), item.key()) != required.end();
    descriptions.push_back(DescribeParameter(item.key(), item.value(), is_required));
  }

  std::vector<std::string> problems;
  if (!arguments.is_object()) {
    problems.push_back(
        absl::StrCat("the arguments must be a JSON object, not ", Quoted(arguments)));
  } else {
    for (const std::string& name : required) {
      if (!arguments.contains(name))
        problems.push_back(absl::StrCat("missing argument '", name, "'"));
    }
    for (const auto& item : arguments.items()) {
      const std::string name = ToUtf8(item.key()).substr(0, 100);
      const Json* schema = JsonMember(properties, item.key());
      if (schema == nullptr) {
        const std::string parameter = ParameterFor(spec, item.key());
        const std::string nearest = Nearest(item.key(), known);
        problems.push_back(
            !parameter.empty()
                ? absl::StrCat("'", name, "' and '", parameter,
                               "' are two values for one argument; give only '", parameter, "'")
                : absl::StrCat(
                      "unknown argument '", name, "'",
                      nearest.empty() ? "" : absl::StrCat(" (did you mean '", nearest, "'?)")));
      } else if (const std::string type = TypeOf(*schema); !FitsType(type, item.value())) {
        problems.push_back(
            absl::StrCat("'", name, "' must be of type ", type, ", not ", Quoted(item.value())));
      }
    }
  }
  if (problems.empty()) problems = violations;
  return absl::StrCat(absl::StrJoin(problems, "; "), ". ",
                      descriptions.empty()
                          ? std::string("It takes no arguments")
                          : absl::StrCat("Arguments: ", absl::StrJoin(descriptions, ", ")),
                      ".");
}

}  // namespace stile
