// Texts with holes: `{{ path | filter }}`, `{% if %}`, `{% for %}`, `{% assign %}`, a part of
// Liquid (https://shopify.github.io/liquid/) that cannot do anything but write text.
#ifndef STILE_RUNTIME_TEMPLATE_TEMPLATE_H_
#define STILE_RUNTIME_TEMPLATE_TEMPLATE_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "runtime/base/json.h"

namespace stile {

// A name in a template, with the members that are named behind it as constants.
struct TemplateUse {
  std::vector<std::string> path;
  int line = 1;
  bool may_be_missing = false;  // `default` follows, or it stands in a condition
};

// Tags: if, elsif, else, unless, case with when, for (over a list, or the [key, value] of an
// object; with reversed, limit and offset, forloop.index, index0, first, last, length, and an else
// for nothing), assign, capture, raw, comment; a dash inside of a brace (`{%-`) takes the blanks
// beside it away. Filters: template_filters.h. Immutable and cheap to copy.
class Template {
 public:
  // InvalidArgument with the line of `text` for what does not parse.
  static absl::StatusOr<Template> Parse(absl::string_view text);

  // `scope` is an object. InvalidArgument with the line for a name that it does not have and that
  // no `default` follows (in conditions such names are nothing); ResourceExhausted when the text
  // grows beyond kMaxBytes or the loops beyond kMaxSteps.
  absl::StatusOr<std::string> Render(const Json& scope) const;

  // The names that the template takes from the scope, in its order.
  std::vector<TemplateUse> Uses() const;

  static constexpr size_t kMaxBytes = size_t{8} << 20;
  static constexpr int kMaxSteps = 200'000;

  struct Block;  // of template.cc

 private:
  explicit Template(std::shared_ptr<const Block> root) : root_(std::move(root)) {}
  std::shared_ptr<const Block> root_;
};

}  // namespace stile

#endif  // STILE_RUNTIME_TEMPLATE_TEMPLATE_H_
