// What stands between the braces of a template: paths, literals, filters, conditions.
#ifndef STILE_RUNTIME_TEMPLATE_TEMPLATE_VALUE_H_
#define STILE_RUNTIME_TEMPLATE_TEMPLATE_VALUE_H_

#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "runtime/base/json.h"

namespace stile {

// Names that a template sees; what a loop or an assignment declares hides what was there.
class TemplateScope {
 public:
  // `globals` is not owned.
  explicit TemplateScope(const Json* globals) : globals_(globals) {}
  void Set(const std::string& name, Json value) { locals_[name] = std::move(value); }
  void Restore(const std::string& name, std::optional<Json> value);
  std::optional<Json> Local(const std::string& name) const;
  // Null where there is none of the name.
  const Json* Find(const std::string& name) const;

 private:
  const Json* globals_;
  std::map<std::string, Json> locals_;
};

// A literal, or a path like `outputs["tests-ready"].failures[0]`.
struct TemplateOperand {
  Json literal;
  bool is_empty = false;  // `empty` or `blank`: nothing, no text, no members
  std::string name;       // of a path; "" for a literal
  struct Part {
    std::string key;                       // `.key` or `["key"]`
    std::vector<TemplateOperand> operand;  // `[operand]`: one of them
  };
  std::vector<Part> parts;
  std::string text;  // as written, for messages

  // nullopt where there is nothing of that name. `size` (or `length`), `first` and `last` of lists
  // may be written like members. A negative index counts from the end.
  std::optional<Json> Value(const TemplateScope& scope) const;
};

struct TemplateFilter {
  std::string name;
  std::vector<TemplateOperand> arguments;
};

// `path | default: "none" | truncate: 80`.
struct TemplateExpression {
  TemplateOperand operand;
  std::vector<TemplateFilter> filters;

  // NotFound for an unknown name that no `default` follows; InvalidArgument for a filter that does
  // not fit the value.
  absl::StatusOr<Json> Value(const TemplateScope& scope) const;
};

// `a == 1 and b contains "x" or c`, from right to left as in Liquid; unknown names are nothing
// here, so that a template can ask whether there is something. Only null and false are not true.
struct TemplateCondition {
  struct Comparison {
    TemplateExpression left;
    std::string sign;  // "" : whether it is true
    TemplateExpression right;
  };
  std::vector<Comparison> comparisons;
  std::vector<bool> is_and;  // between them

  absl::StatusOr<bool> Holds(const TemplateScope& scope) const;
};

// InvalidArgument, without a place, for what does not parse.
absl::StatusOr<TemplateExpression> ParseTemplateExpression(absl::string_view text);
absl::StatusOr<TemplateCondition> ParseTemplateCondition(absl::string_view text);

// As it stands in a rendered text: strings as they are, null as nothing, lists and objects as JSON.
std::string TemplateText(const Json& value);

}  // namespace stile

#endif  // STILE_RUNTIME_TEMPLATE_TEMPLATE_VALUE_H_
