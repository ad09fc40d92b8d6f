#include "tools/refactor/resolved_uses.h"

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include "runtime/base/status.h"

namespace stile {
namespace {

constexpr absl::Duration kTimeLimit = absl::Seconds(60);

CodeRange RangeOf(const Reference& reference) {
  return {reference.file->path, reference.occurrence.begin, reference.occurrence.end};
}

bool IsDeleted(const EditPlan& edits, const CodeRange& range) {
  const auto file = edits.files().find(range.path);
  if (file == edits.files().end()) return false;
  return file->second.deleted ||
         std::any_of(file->second.edits.begin(), file->second.edits.end(),
                     [&](const TextEdit& edit) {
                       return edit.begin <= range.begin && range.end <= edit.end;
                     });
}

// Whether the place means something, and nothing of the symbol.
absl::StatusOr<bool> MeansOther(const CodeRange& range, const std::set<CodeRange>& symbol,
                                Resolver* resolver) {
  STILE_ASSIGN_OR_RETURN(const ResolvedPlaces places,
                         resolver->Definition({range.path, range.begin}));
  if (places.ranges.empty() && places.outside.empty()) return false;
  // A key of an untyped literal means only itself, wherever its object may go.
  return std::none_of(places.ranges.begin(), places.ranges.end(), [&](const CodeRange& found) {
    return symbol.count(found) > 0 || found == range;
  });
}

}  // namespace

absl::StatusOr<std::string> ConfirmUses(const Resolution& symbol, CodeIndex* index,
                                        ResolverPool* pool, DeletePlan* plan) {
  STILE_ASSIGN_OR_RETURN(Resolver * resolver, pool->For(symbol.targets[0].file->path, kTimeLimit));
  std::vector<std::string> users;
  for (const auto& file : symbol.files) {
    if (SeeEachOther(file->language, symbol.targets[0].file->language)) {
      users.push_back(file->path);
    }
  }
  std::set<CodeRange> named;
  for (const Declaration& target : symbol.targets) {
    STILE_ASSIGN_OR_RETURN(const ResolvedPlaces places,
                           resolver->References({target.file->path, target.name_begin()}, users));
    if (!places.partial.empty()) return absl::UnavailableError(places.partial);
    named.insert(places.ranges.begin(), places.ranges.end());
  }
  DeletePlan confirmed = *plan;
  std::set<CodeRange> known;
  for (const Reference& use : confirmed.uses) known.insert(RangeOf(use));
  confirmed.likely.clear();
  for (const Reference& likely : plan->likely) {
    const CodeRange range = RangeOf(likely);
    if (named.count(range) > 0) continue;
    const auto is_other = resolver->GuessesDefinitions() ? absl::StatusOr<bool>(false)
                                                         : MeansOther(range, named, resolver);
    if (absl::IsCancelled(is_other.status()) || absl::IsUnavailable(is_other.status())) {
      return is_other.status();
    }
    if (!is_other.value_or(false)) confirmed.likely.push_back(likely);
  }
  for (const CodeRange& range : named) {
    if (known.count(range) > 0 || IsDeleted(confirmed.edits, range)) continue;
    STILE_ASSIGN_OR_RETURN(auto file, index->Open(range.path));
    Reference use{std::move(file), {}, Certainty::kExact};
    use.occurrence.begin = range.begin;
    use.occurrence.end = range.end;
    confirmed.uses.push_back(std::move(use));
  }
  *plan = std::move(confirmed);
  return resolver->name();
}

}  // namespace stile
