#include "runtime/tool/json_schema.h"

#include <exception>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"
#include "runtime/tool/tool_registry.h"
#include "valijson/adapters/nlohmann_json_adapter.hpp"
#include "valijson/schema.hpp"
#include "valijson/schema_parser.hpp"
#include "valijson/validation_results.hpp"
#include "valijson/validator.hpp"

namespace stile {
namespace {

constexpr size_t kMaxViolations = 20;

// {"<root>", "[files]", "[0]"} → "files[0]".
std::string PathOf(const std::vector<std::string>& context) {
  std::string path;
  for (absl::string_view part : context) {
    if (part == "<root>") continue;
    const bool bracketed = absl::ConsumePrefix(&part, "[") && absl::ConsumeSuffix(&part, "]");
    if (bracketed && !part.empty() && part.find_first_not_of("0123456789") == part.npos) {
      absl::StrAppend(&path, "[", part, "]");
    } else {
      absl::ConsumePrefix(&part, "\"");
      absl::ConsumeSuffix(&part, "\"");
      absl::StrAppend(&path, path.empty() ? "" : ".", part);
    }
  }
  return path;
}

}  // namespace

struct JsonSchema::Compiled {
  valijson::Schema schema;
};

JsonSchema::JsonSchema(const Json& schema) : compiled_(std::make_unique<Compiled>()) {
  if (!schema.is_object() && !schema.is_boolean()) {
    status_ = absl::InvalidArgumentError("the schema is not an object");
    return;
  }
  try {
    valijson::SchemaParser parser(valijson::SchemaParser::kDraft7);
    parser.populateSchema(valijson::adapters::NlohmannJsonAdapter(schema), compiled_->schema);
  } catch (const std::exception& error) {
    status_ = absl::InvalidArgumentError(absl::StrCat("the schema is unusable: ", error.what()));
  }
}

JsonSchema::~JsonSchema() = default;

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
      const std::string path = PathOf(error.context);
      violations.push_back(absl::StrCat(path, path.empty() ? "" : ": ", error.description));
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
