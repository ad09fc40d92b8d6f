// Operations on one symbol: rename, moves, safe_delete, inline_constant,
// inline_function, change_signature.
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "runtime/base/text.h"
#include "runtime/tool/path_text.h"
#include "runtime/workspace/workspace_path.h"
#include "tools/code/carry_plan.h"
#include "tools/code/code_text.h"
#include "tools/code/refactor_operation.h"
#include "tools/code/refactor_text.h"
#include "tools/code/rename_operation.h"
#include "tools/edit/trial.h"
#include "tools/refactor/change_signature.h"
#include "tools/refactor/inline_constant.h"
#include "tools/refactor/inline_function.h"
#include "tools/refactor/move_member.h"
#include "tools/refactor/move_type.h"
#include "tools/refactor/resolved_uses.h"
#include "tools/refactor/safe_delete.h"

namespace stile {
namespace {

constexpr absl::string_view kBySyntax = "syntax";

class Rename : public SymbolOperation {
 public:
  Rename() : SymbolOperation("rename") {}

 protected:
  ToolResult RunOn(Resolution resolution, const Json& arguments,
                   const RefactorHost& host) const override {
    return RunRename(std::move(resolution), arguments, host);
  }
};

// Operations that take a symbol away: they know its uses first.
class Removal : public SymbolOperation {
 public:
  using SymbolOperation::SymbolOperation;

 protected:
  ToolResult RunOn(Resolution resolution, const Json& arguments,
                   const RefactorHost& host) const final {
    auto plan = PlanSafeDelete(resolution, host.index);
    if (!plan.ok()) return ToolResult::FromStatus(plan.status());
    std::string by(kBySyntax);
    if (host.resolvers != nullptr) {
      const auto confirmed = ConfirmUses(resolution, host.index, host.resolvers, &*plan);
      if (absl::IsCancelled(confirmed.status())) return ToolResult::Fatal(confirmed.status());
      if (confirmed.ok()) by = *confirmed;
    }
    const std::string symbol = Describe(resolution.targets[0]);
    if (auto refused = Complete(resolution, by, host, &*plan)) return *std::move(refused);
    if (!plan->likely.empty()) {
      // Only a compiler can tell whether these are uses.
      const auto probe = host.service->Probe(plan->edits.OldPaths());
      if (!probe.ok()) return ToolResult::Fatal(probe.status());
      const bool is_gradual = !probe->judged || IsGradual(plan->likely[0].file->language);
      if (is_gradual) {
        return ToolResult::Error(
            absl::StrCat("Nothing was changed: ", symbol, " may be used in ",
                         Count(plan->likely.size(), "place"), ", and no compiler here can tell:\n",
                         Uses(plan->likely), "Look at them; if none means it, ", by_hand()));
      }
    }
    CarriedPlan carried{plan->edits, absl::StrCat(done(), symbol),
                        absl::StrCat("Would ", would(), symbol), plan->likely};
    return CarryPlan(std::move(carried), arguments, host);
  }

  // Decides about `plan->uses`: the reason why nothing can be changed, or nullopt.
  virtual std::optional<ToolResult> Complete(const Resolution& resolution, const std::string& by,
                                             const RefactorHost& host, DeletePlan* plan) const = 0;
  virtual const char* done() const = 0;     // "Deleted "
  virtual const char* would() const = 0;    // "delete "
  virtual const char* by_hand() const = 0;  // "delete it with file.modify."
};

class SafeDelete : public Removal {
 public:
  SafeDelete() : Removal("safe_delete") {}

 protected:
  std::optional<ToolResult> Complete(const Resolution& resolution, const std::string& by,
                                     const RefactorHost&, DeletePlan* plan) const override {
    if (plan->uses.empty()) return std::nullopt;
    return ToolResult::Error(absl::StrCat("Nothing was changed: ", Describe(resolution.targets[0]),
                                          " is used in ", Count(plan->uses.size(), "place"), ":\n",
                                          Uses(plan->uses), "Resolved by: ", by,
                                          ". Change these first."));
  }
  const char* done() const override { return "Deleted "; }
  const char* would() const override { return "delete "; }
  const char* by_hand() const override { return "delete it with file.modify."; }
};

// Operations that replace every use of a symbol and delete it.
class Inlining : public Removal {
 public:
  using Removal::Removal;

 protected:
  std::optional<ToolResult> Complete(const Resolution& resolution, const std::string&,
                                     const RefactorHost& host, DeletePlan* plan) const final {
    const absl::Status status = Inline(resolution, host, plan);
    if (!status.ok()) return NoPlan(status);
    if (plan->likely.empty()) return std::nullopt;
    // A template, or code without types, may ask whether there is such a name.
    return ToolResult::Error(absl::StrCat("Nothing was changed: ", Describe(resolution.targets[0]),
                                          " may be used in ", Count(plan->likely.size(), "place"),
                                          " more:\n", Uses(plan->likely),
                                          "Look at them, and edit them with file.modify."));
  }
  // Replaces `plan->uses`, and empties it.
  virtual absl::Status Inline(const Resolution& resolution, const RefactorHost& host,
                              DeletePlan* plan) const = 0;
  const char* done() const final { return "Inlined "; }
  const char* would() const final { return "inline "; }
  const char* by_hand() const final { return "edit them with file.modify."; }
};

class InlineConstant : public Inlining {
 public:
  InlineConstant() : Inlining("inline_constant") {}

 protected:
  absl::Status Inline(const Resolution& resolution, const RefactorHost& host,
                      DeletePlan* plan) const override {
    return InlineUses(resolution, host.index, plan);
  }
};

class InlineFunction : public Inlining {
 public:
  InlineFunction() : Inlining("inline_function") {}

 protected:
  absl::Status Inline(const Resolution& resolution, const RefactorHost& host,
                      DeletePlan* plan) const override {
    return InlineCalls(resolution, host.index, host.Probe(), plan);
  }
};

class MoveDeclaration : public SymbolOperation {
 public:
  explicit MoveDeclaration(std::string name) : SymbolOperation(std::move(name)) {}

 protected:
  ToolResult RunOn(Resolution resolution, const Json& arguments,
                   const RefactorHost& host) const override {
    std::string destination;
    if (const auto name = JsonString(arguments, "newName"); name.has_value() && !name->empty()) {
      const auto path = ResolveInWorkspace(host.context->workspace, *name);
      if (!path.ok()) return ToolResult::FromStatus(path.status());
      destination = path->relative;
    }
    const std::string symbol = Describe(resolution.targets[0]);
    const auto plan = PlanMoveType(resolution, destination, host.index);
    if (!plan.ok()) return NoPlan(plan.status());
    for (const auto& [path, file] : plan->files()) {
      if (!file.before.has_value()) destination = path;
    }
    const std::string what = absl::StrCat(symbol, " to ", DisplayPath(destination));
    return CarryPlan({*plan, absl::StrCat("Moved ", what), absl::StrCat("Would move ", what)},
                     arguments, host);
  }
};

class PullUp : public SymbolOperation {
 public:
  PullUp() : SymbolOperation("pull_up") {}

 protected:
  ToolResult RunOn(Resolution resolution, const Json& arguments,
                   const RefactorHost& host) const override {
    const auto plan =
        PlanPullUp(resolution, JsonString(arguments, "newName").value_or(""), host.index);
    if (!plan.ok()) return NoPlan(plan.status());
    const Declaration& target = resolution.targets[0];
    const bool is_field = target.AsSymbol().kind != SymbolKind::kMethod;
    const std::string what =
        absl::StrCat(Describe(target), " to its base class",
                     is_field ? "; all objects of that class now have it" : "");
    return CarryPlan({*plan, absl::StrCat("Moved ", what), absl::StrCat("Would move ", what)},
                     arguments, host);
  }
};

class PushDown : public SymbolOperation {
 public:
  PushDown() : SymbolOperation("push_down") {}

 protected:
  ToolResult RunOn(Resolution resolution, const Json& arguments,
                   const RefactorHost& host) const override {
    const std::string what =
        absl::StrCat(Describe(resolution.targets[0]), " to the derived classes");
    const auto plan = PlanPushDown(resolution, host.index);
    if (!plan.ok()) return NoPlan(plan.status());
    CarriedPlan carried{*plan, absl::StrCat("Moved ", what), absl::StrCat("Would move ", what)};
    // Only a compiler knows that nothing calls it on the base.
    carried.needs_compiler = true;
    return CarryPlan(std::move(carried), arguments, host);
  }
};

class ChangeSignature : public SymbolOperation {
 public:
  ChangeSignature() : SymbolOperation("change_signature") {}

 protected:
  ToolResult RunOn(Resolution resolution, const Json& arguments,
                   const RefactorHost& host) const override {
    const auto signature = JsonString(arguments, "parameters");
    if (!signature.has_value() || signature->empty()) {
      return ToolResult::Error(
          "change_signature needs parameters, such as `(a: int, b: int = 0)`; a new one with the "
          "value that calls get.");
    }
    const std::string symbol = Describe(resolution.targets[0]);
    const auto plan = PlanChangeSignature(std::move(resolution), host.index, *signature);
    if (!plan.ok()) return NoPlan(plan.status());
    return CarryPlan({*plan, absl::StrCat("Changed the signature of ", symbol),
                      absl::StrCat("Would change the signature of ", symbol)},
                     arguments, host);
  }
};

}  // namespace

OperationPointer NewRename() { return std::make_unique<Rename>(); }
OperationPointer NewPullUp() { return std::make_unique<PullUp>(); }
OperationPointer NewPushDown() { return std::make_unique<PushDown>(); }
OperationPointer NewMoveDeclaration(std::string name) {
  return std::make_unique<MoveDeclaration>(std::move(name));
}
OperationPointer NewInlineConstant() { return std::make_unique<InlineConstant>(); }
OperationPointer NewInlineFunction() { return std::make_unique<InlineFunction>(); }
OperationPointer NewSafeDelete() { return std::make_unique<SafeDelete>(); }
OperationPointer NewChangeSignature() { return std::make_unique<ChangeSignature>(); }

}  // namespace stile
