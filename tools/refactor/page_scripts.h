// JavaScript that pages hold: `<script>…</script>`, `onclick="…"`.
#ifndef STILE_TOOLS_REFACTOR_PAGE_SCRIPTS_H_
#define STILE_TOOLS_REFACTOR_PAGE_SCRIPTS_H_

#include <cstdint>
#include <vector>

#include "absl/strings/string_view.h"

namespace stile {

// Whether a file, by its name, is a page of HTML or a component of Vue or Svelte.
bool IsPage(absl::string_view path);

// Where a page holds code, by ascending offset: the texts of `script` elements and the values of
// attributes that are code (`on…`, and those of frameworks: `@…`, `:…`, `v-…`, `ng-…`).
class PageScripts {
 public:
  explicit PageScripts(absl::string_view page);
  bool Holds(uint32_t offset) const;

 private:
  struct Range {
    uint32_t begin;
    uint32_t end;
  };
  void AddTag(absl::string_view page, size_t begin, size_t end);

  std::vector<Range> ranges_;
};

}  // namespace stile

#endif  // STILE_TOOLS_REFACTOR_PAGE_SCRIPTS_H_
