#include "runtime/tool/json_schema.h"

#include <algorithm>
#include <exception>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"
#include "runtime/base/text.h"
#include "runtime/tool/tool_registry.h"
#include "valijson/adapters/nlohmann_json_adapter.hpp"
#include "valijson/schema.hpp"
#include "valijson/schema_parser.hpp"
#include "valijson/validation_results.hpp"
#include "valijson/validator.hpp"

namespace stile {
namespace {

constexpr size_t kMaxViolations = 20;

constexpr size_t kMaxShownBytes = 100;

bool IsIndex(absl::string_view step) {
  return !step.empty() && step.find_first_not_of("0123456789") == step.npos;
}

// valijson's way to a value, {"<root>", "[files]", "[0]"}, as keys and indices.
std::vector<std::string> Steps(const std::vector<std::string>& context) {
  std::vector<std::string> steps;
  for (absl::string_view part : context) {
    if (part == "<root>") continue;
    if (absl::ConsumePrefix(&part, "[")) absl::ConsumeSuffix(&part, "]");
    if (absl::ConsumePrefix(&part, "\"")) absl::ConsumeSuffix(&part, "\"");
    steps.emplace_back(part);
  }
  return steps;
}

// {"files", "0"} → "files[0]".
std::string PathOf(const std::vector<std::string>& steps) {
  std::string path;
  for (const std::string& step : steps) {
    if (IsIndex(step)) {
      absl::StrAppend(&path, "[", step, "]");
    } else {
      absl::StrAppend(&path, path.empty() ? "" : ".", step);
    }
  }
  return path;
}

// The member or element that `step` leads to; null if there is none.
const Json* Member(const Json& value, const std::string& step) {
  if (!value.is_array()) return JsonMember(value, step);
  size_t index = 0;
  if (!absl::SimpleAtoi(step, &index) || index >= value.size()) return nullptr;
  return &value[index];
}

// What `schema` says of the value that `step` leads to from the one it is about; null if nothing.
const Json* Inner(const Json& schema, absl::string_view step) {
  for (const char* choice : {"oneOf", "anyOf", "allOf"}) {
    const Json* alternatives = JsonMember(schema, choice);
    if (alternatives == nullptr || !alternatives->is_array()) continue;
    for (const Json& alternative : *alternatives) {
      if (const Json* inner = Inner(alternative, step)) return inner;
    }
  }
  if (const Json* items = JsonMember(schema, "items"); IsIndex(step) && items != nullptr)
    return items;
  const Json* properties = JsonMember(schema, "properties");
  return properties == nullptr ? nullptr : JsonMember(*properties, step);
}

// "a string", "a string or an array"; "" when the schema leaves the type open.
std::string TypesOf(const Json& schema) {
  std::vector<std::string> types;
  const auto add = [&](const Json& type) {
    if (!type.is_string()) return;
    const std::string name = type.get<std::string>();
    types.push_back(absl::StrCat(absl::StrContains("aeio", name[0]) ? "an " : "a ", name));
  };
  if (const Json* type = JsonMember(schema, "type")) {
    add(*type);
    if (type->is_array()) std::for_each(type->begin(), type->end(), add);
  }
  for (const char* choice : {"oneOf", "anyOf"}) {
    const Json* alternatives = JsonMember(schema, choice);
    if (alternatives == nullptr || !alternatives->is_array()) continue;
    for (const Json& alternative : *alternatives) {
      if (const Json* type = JsonMember(alternative, "type")) add(*type);
    }
  }
  return absl::StrJoin(types, " or ");
}

std::string NearestKey(const Json& schema, absl::string_view key) {
  std::vector<std::string> known;
  if (const Json* properties = JsonMember(schema, "properties")) {
    for (const auto& property : properties->items()) known.push_back(property.key());
  }
  return Nearest(key, known);
}

// valijson's description of one error in words for people; "" for those that only say that another
// error, which is told as well, lies further down. `schema` and `value`: at the place of the error.
std::string Wording(absl::string_view description, const Json* schema, const Json* value) {
  if (absl::StartsWith(description, "Failed to validate")) return "";
  absl::string_view name = description;
  if (absl::ConsumePrefix(&name, "Missing required property '")) {
    absl::ConsumeSuffix(&name, "'.");
    return absl::StrCat("'", name, "' is missing");
  }
  if (absl::ConsumePrefix(&name,
                          "Object contains a property that could not be validated using "
                          "'properties' or 'additionalProperties' constraints: '")) {
    absl::ConsumeSuffix(&name, "'.");
    const std::string nearest = schema == nullptr ? "" : NearestKey(*schema, name);
    return absl::StrCat("unknown key '", ToUtf8(TruncateMiddle(name, kMaxShownBytes)), "'",
                        nearest.empty() ? "" : absl::StrCat(", did you mean '", nearest, "'?"));
  }
  if (absl::StartsWith(description, "Value type not permitted") && schema != nullptr) {
    const std::string types = TypesOf(*schema);
    if (!types.empty()) {
      return absl::StrCat(
          "must be ", types,
          value == nullptr
              ? ""
              : absl::StrCat(", not ", TruncateMiddle(DumpJson(*value), kMaxShownBytes)));
    }
  }
  return std::string(description);
}

}  // namespace

struct JsonSchema::Compiled {
  Json text;
  valijson::Schema schema;
};

JsonSchema::JsonSchema(const Json& schema) : compiled_(std::make_unique<Compiled>()) {
  if (!schema.is_object() && !schema.is_boolean()) {
    status_ = absl::InvalidArgumentError("the schema is not an object");
    return;
  }
  try {
    valijson::SchemaParser parser(valijson::SchemaParser::kDraft7);
    compiled_->text = schema;
    parser.populateSchema(valijson::adapters::NlohmannJsonAdapter(schema), compiled_->schema);
  } catch (const std::exception& error) {
    status_ = absl::InvalidArgumentError(absl::StrCat("the schema is unusable: ", error.what()));
  }
}

JsonSchema::~JsonSchema() = default;

bool JsonSchema::Fits(const Json& value) const {
  if (!status_.ok()) return false;
  try {
    valijson::Validator validator;
    return validator.validate(compiled_->schema, valijson::adapters::NlohmannJsonAdapter(value),
                              nullptr);
  } catch (const std::exception&) {
    return false;
  }
}

std::vector<std::string> JsonSchema::Violations(const Json& value) const {
  if (!status_.ok()) return {std::string(status_.message())};
  std::vector<std::string> violations;
  try {
    valijson::Validator validator;  // holds a cache, so one per call
    valijson::ValidationResults results;
    const valijson::adapters::NlohmannJsonAdapter target(value);
    if (validator.validate(compiled_->schema, target, &results)) return {};
    for (const auto& error : results) {
      if (violations.size() >= kMaxViolations) break;
      const Json* schema = &compiled_->text;
      const Json* place = &value;
      const std::vector<std::string> steps = Steps(error.context);
      for (const std::string& step : steps) {
        if (schema != nullptr) schema = Inner(*schema, step);
        if (place != nullptr) place = Member(*place, step);
      }
      const std::string wording = Wording(error.description, schema, place);
      const std::string path = PathOf(steps);
      std::string violation = absl::StrCat(path, path.empty() ? "" : ": ", wording);
      const bool known =
          std::find(violations.begin(), violations.end(), violation) != violations.end();
      if (!wording.empty() && !known) violations.push_back(std::move(violation));
    }
  } catch (const std::exception& error) {
    violations.push_back(absl::StrCat("cannot be checked: ", error.what()));
  }
  if (violations.empty()) violations.push_back("does not fit the schema");
  return violations;
}

absl::Status CheckSchema(const Json& schema, const Json& value) {
  const std::vector<std::string> violations = JsonSchema(schema).Violations(value);
  if (violations.empty()) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrJoin(violations, "; "));
}

}  // namespace stile
