#include "tools/refactor/pure_virtuals.h"

#include <map>
#include <set>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "runtime/base/status.h"
#include "tools/refactor/code_site.h"

namespace stile {
namespace {

constexpr int kMaxDepth = 8;

struct PureVirtual {
  std::string name;
  std::string head;  // "double area() const override"
};

// "virtual double area() const = 0;" as the head of an override; "" for any other declaration.
std::string OverrideOf(absl::string_view declaration) {
  absl::string_view head = absl::StripAsciiWhitespace(declaration);
  absl::ConsumeSuffix(&head, ";");
  head = absl::StripTrailingAsciiWhitespace(head);
  if (!absl::ConsumeSuffix(&head, "0")) return "";
  head = absl::StripTrailingAsciiWhitespace(head);
  if (!absl::ConsumeSuffix(&head, "=")) return "";
  head = absl::StripTrailingAsciiWhitespace(head);
  absl::ConsumePrefix(&head, "virtual ");
  absl::ConsumeSuffix(&head, " override");
  return absl::StrCat(head, " override");
}

class PureVirtuals {
 public:
  explicit PureVirtuals(const GenerateContext& context) : context_(context) {}

  // Of the class and its bases, the nearest declaration of each name.
  void AddMembersOf(const std::string& class_name, const std::string& near_file, int depth) {
    const auto found = FindTypeNamed(context_, class_name, near_file);
    if (!found.ok() || depth == kMaxDepth) return;
    const SourceFile& file = *found->site.file;
    for (const Symbol& symbol : file.symbols) {
      if (symbol.parent != found->symbol || !seen_.insert(symbol.name).second) continue;
      std::string head =
          OverrideOf(absl::string_view(file.text).substr(symbol.begin, symbol.end - symbol.begin));
      if (depth > 0 && !head.empty()) missing_.push_back({symbol.name, std::move(head)});
    }
    for (const std::string& base : found->type().bases) AddMembersOf(base, file.path, depth + 1);
  }

  const std::vector<PureVirtual>& missing() const { return missing_; }

 private:
  const GenerateContext& context_;
  std::set<std::string> seen_;
  std::vector<PureVirtual> missing_;
};

}  // namespace

absl::StatusOr<EditPlan> PlanPureVirtuals(const GenerateContext& context,
                                          const std::string& class_name,
                                          const std::string& near_file) {
  PureVirtuals members(context);
  members.AddMembersOf(class_name, near_file, 0);
  if (members.missing().empty()) {
    return absl::NotFoundError(absl::StrCat(class_name, " lacks no member"));
  }
  EditPlan plan;
  std::set<std::pair<std::string, std::string>> once;  // path, text: includes are shared
  for (const PureVirtual& member : members.missing()) {
    GenerateRequest request;
    request.operation = "method";
    STILE_ASSIGN_OR_RETURN(const TypeSite type, FindTypeNamed(context, class_name, near_file));
    request.file = type.site.file->path;
    request.class_name = class_name;
    request.method_name = member.name;
    request.signature = member.head;
    STILE_ASSIGN_OR_RETURN(const Generated generated, PlanMethod(context, request));
    for (const auto& [path, file] : generated.plan.files()) {
      for (const TextEdit& edit : file.edits) {
        if (once.emplace(path, edit.replacement).second) plan.EditText(path, *file.before, edit);
      }
    }
  }
  return plan;
}

}  // namespace stile
