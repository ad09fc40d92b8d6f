#include "tools/refactor/receiver_guess.h"

#include <algorithm>
#include <string>

#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "runtime/base/text.h"
#include "runtime/syntax/symbols.h"
#include "tools/language/brackets.h"

namespace stile {
namespace {

// The line that declares what `receiver` names in the file; "" where none does.
absl::string_view DeclarationLine(const SourceFile& file, absl::string_view receiver) {
  for (const Binding& binding : file.scopes.bindings) {
    if (binding.name != receiver || binding.kind == BindingKind::kImport) continue;
    return file.Line(file.PlaceOf(binding.name_begin).line);
  }
  return "";
}

bool IsMethod(const Binding& binding) {
  return binding.kind == BindingKind::kFunction || binding.kind == BindingKind::kMethod;
}

}  // namespace

std::optional<bool> GuessByReceiver(const Resolution& symbol, const RenameCandidate& candidate) {
  const Occurrence& occurrence = candidate.occurrence;
  const SourceFile& file = *candidate.file;
  if (candidate.group >= 0) {
    const Binding& binding = file.scopes.bindings[static_cast<size_t>(candidate.group)];
    if (!IsMethod(binding)) return std::nullopt;
    const absl::string_view made = file.Line(file.PlaceOf(binding.scope_begin).line);
    return std::any_of(symbol.targets.begin(), symbol.targets.end(),
                       [&](const Declaration& target) {
                         return HoldsWord(made, LastComponent(target.AsSymbol().container));
                       });
  }
  if (occurrence.role != OccurrenceRole::kMember) return std::nullopt;
  absl::string_view receiver = absl::string_view(file.text).substr(
      occurrence.receiver_begin, occurrence.receiver_end - occurrence.receiver_begin);
  for (const char* self : {"self.", "this.", "this->"}) absl::ConsumePrefix(&receiver, self);
  if (!IsIdentifier(receiver)) return std::nullopt;
  const absl::string_view line = DeclarationLine(file, receiver);
  if (line.empty()) return std::nullopt;
  bool names_other = false;
  for (const Declaration& declaration : symbol.all) {
    if (declaration.symbol < 0) continue;
    const std::string owner = LastComponent(declaration.AsSymbol().container);
    if (owner.empty() || !HoldsWord(line, owner)) continue;
    if (symbol.IsTarget(*declaration.file, declaration.symbol)) return true;
    names_other = true;
  }
  return names_other ? std::optional<bool>(false) : std::nullopt;
}

}  // namespace stile
