#include "tools/refactor/change_signature.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "runtime/base/status.h"
#include "runtime/base/text.h"
#include "tools/extract/selection.h"
#include "tools/index/references.h"
#include "tools/index/type_relations.h"
#include "tools/language/language_backend.h"
#include "tools/language/method_signature.h"
#include "tools/language/syntax_nodes.h"
#include "tools/refactor/call_arguments.h"
#include "tools/refactor/parameter_mapping.h"

namespace stile {
namespace {

constexpr size_t kMaxListed = 12;

std::string PlaceText(const SourceFile& file, uint32_t at) {
  return absl::StrCat(file.path, ":", file.PlaceOf(at).line);
}

const NamingFacts& NamingOf(const std::string& language) {
  return LanguageBackendOf(language).naming;
}

class SignatureChange {
 public:
  SignatureChange(Resolution resolution, CodeIndex* index, const LanguageFamily& family)
      : resolution_(std::move(resolution)), index_(index), family_(family) {}

  absl::StatusOr<EditPlan> Plan(const std::string& signature) {
    STILE_ASSIGN_OR_RETURN(
        const MethodSignature header,
        ParseMethodSignature(family_, signature, resolution_.targets[0].AsSymbol().name));
    const std::vector<Parameter> after = ParseParameters(family_, header.parameters);
    AddOverrides();
    for (const Declaration& target : resolution_.targets) {
      STILE_RETURN_IF_ERROR(ChangeDeclaration(target, after));
    }
    STILE_RETURN_IF_ERROR(ChangeCalls());
    if (plan_.empty()) return absl::AlreadyExistsError("the parameters are these already");
    return std::move(plan_);
  }

 private:
  void AddTarget(const Declaration& declaration) {
    if (declaration.symbol < 0 || resolution_.IsTarget(*declaration.file, declaration.symbol))
      return;
    if (declaration.AsSymbol().name != resolution_.targets[0].AsSymbol().name) return;
    resolution_.targets.push_back(declaration);
  }

  // What overrides or implements it, and what it overrides or implements.
  void AddOverrides() {
    const SymbolKind kind = resolution_.targets[0].AsSymbol().kind;
    if (kind != SymbolKind::kMethod && kind != SymbolKind::kFunction) return;
    for (const Declaration& declaration : resolution_.all) {
      if (declaration.symbol < 0 || resolution_.IsTarget(*declaration.file, declaration.symbol))
        continue;
      Resolution above = resolution_;
      above.targets = {declaration};
      const std::vector<RelatedSymbol> below = FindImplementations(above, index_);
      const bool is_above =
          std::any_of(below.begin(), below.end(), [&](const RelatedSymbol& related) {
            return related.declaration.symbol >= 0 &&
                   resolution_.IsTarget(*related.declaration.file, related.declaration.symbol);
          });
      if (!is_above) continue;
      AddTarget(declaration);
      for (const RelatedSymbol& related : below) AddTarget(related.declaration);
    }
    for (const RelatedSymbol& related : FindImplementations(resolution_, index_)) {
      AddTarget(related.declaration);
    }
  }

  absl::StatusOr<SyntaxTree*> TreeOf(const SourceFile& file) {
    auto found = trees_.find(file.path);
    if (found == trees_.end()) {
      STILE_ASSIGN_OR_RETURN(SyntaxTree tree, SyntaxTree::Parse(file.grammar, file.text));
      STILE_RETURN_IF_ERROR(CheckDepth(tree));
      found = trees_.emplace(file.path, std::move(tree)).first;
    }
    return &found->second;
  }

  absl::Status ChangeDeclaration(const Declaration& target, const std::vector<Parameter>& after) {
    const SourceFile& file = *target.file;
    STILE_ASSIGN_OR_RETURN(const SyntaxTree* tree, TreeOf(file));
    const Symbol& symbol = target.AsSymbol();
    const TSNode list = ParametersAt(*tree, symbol.name_begin, symbol.name_end);
    if (ts_node_is_null(list)) {
      return absl::FailedPreconditionError(absl::StrCat(
          symbol.name, " (", PlaceText(file, symbol.name_begin), ") has no parameter list"));
    }
    const absl::string_view text = TextOf(list, file.text);
    const std::vector<Parameter> before = ParseParameters(
        family_, absl::StartsWith(text, "(") ? text.substr(1, text.size() - 2) : text);
    STILE_ASSIGN_OR_RETURN(ParameterMapping mapping, MapParameters(family_, before, after));
    STILE_RETURN_IF_ERROR(CheckBody(file, list, mapping));
    // Some languages have a default once, with the prototype.
    const bool has_prototype =
        std::any_of(resolution_.targets.begin(), resolution_.targets.end(),
                    [](const Declaration& other) { return !other.AsSymbol().is_definition; });
    const bool says_defaults =
        !NamingOf(family_.language).defaults_once || !symbol.is_definition || !has_prototype;
    std::vector<std::string> written;
    if (!mapping.self.empty()) written.push_back(mapping.self);
    for (const MappedParameter& parameter : mapping.after)
      written.push_back(DeclaredText(family_, parameter, says_defaults));
    const std::string changed = absl::StrCat("(", absl::StrJoin(written, ", "), ")");
    if (changed != text) plan_.Edit(file, {BeginOf(list), EndOf(list), changed});
    if (!mapping_.has_value()) {
      mapping_ = std::move(mapping);
      return absl::OkStatus();
    }
    // Where a default is said once, another declaration may say it.
    for (size_t i = 0; i < mapping.after.size() && i < mapping_->after.size(); ++i) {
      std::string& known = mapping_->after[i].lost_default;
      if (known.empty()) known = mapping.after[i].lost_default;
    }
    return absl::OkStatus();
  }

  // What goes must not be used; what gets another name is renamed where it is.
  absl::Status CheckBody(const SourceFile& file, TSNode list, const ParameterMapping& mapping) {
    for (size_t i = 0; i < mapping.before.size(); ++i) {
      const MappedParameter* target = nullptr;
      for (const MappedParameter& candidate : mapping.after) {
        if (candidate.old == static_cast<int>(i)) target = &candidate;
      }
      if (target != nullptr && !target->renamed) continue;
      for (size_t b = 0; b < file.scopes.bindings.size(); ++b) {
        const Binding& binding = file.scopes.bindings[b];
        if (binding.name_begin < BeginOf(list) || binding.name_end > EndOf(list) ||
            binding.name != mapping.before[i].name) {
          continue;
        }
        for (const Occurrence& use : UsesOf(file, static_cast<int>(b))) {
          if (use.begin >= BeginOf(list) && use.begin < EndOf(list)) continue;
          if (target == nullptr) {
            return absl::FailedPreconditionError(
                absl::StrCat("the parameter ", binding.name, " is used (",
                             PlaceText(file, use.begin), "): take its uses away first"));
          }
          const std::string name = target->parameter.name;
          plan_.Edit(
              file, {use.begin, use.end,
                     use.role == OccurrenceRole::kShorthand ? absl::StrCat(binding.name, ": ", name)
                                                            : name});
        }
      }
    }
    return absl::OkStatus();
  }

  absl::Status ChangeCalls() {
    // Where every declaration of the name changes, any call of it does.
    const bool all_change = std::all_of(
        resolution_.all.begin(), resolution_.all.end(), [&](const Declaration& declaration) {
          return resolution_.IsTarget(*declaration.file, declaration.symbol);
        });
    std::vector<std::string> unsure;
    std::vector<std::pair<const SourceFile*, ByteSpan>> done;
    std::vector<Reference> references = FindReferences(resolution_);
    for (const Reference& reference : references) {
      if (reference.is_declaration || reference.occurrence.role == OccurrenceRole::kImport)
        continue;
      const SourceFile& file = *reference.file;
      const uint32_t begin = reference.occurrence.begin;
      STILE_ASSIGN_OR_RETURN(const SyntaxTree* tree, TreeOf(file));
      const TSNode list = reference.occurrence.is_call
                              ? ArgumentsAt(*tree, begin, reference.occurrence.end)
                              : TSNode{};
      const bool sure =
          reference.certainty == Certainty::kExact || resolution_.IsOnlyOne() || all_change;
      if (ts_node_is_null(list) || !sure) {
        if (!IsNamedOnly(*tree, reference)) {
          unsure.push_back(
              absl::StrCat(PlaceText(file, begin), ts_node_is_null(list) ? " (no call)" : ""));
        }
        continue;
      }
      for (const auto& [other, span] : done) {
        if (other == &file && (span.Holds(BeginOf(list)) ||
                               (BeginOf(list) < span.begin && EndOf(list) > span.begin))) {
          return absl::FailedPreconditionError(absl::StrCat("one call is an argument of another (",
                                                            PlaceText(file, begin),
                                                            "): take it out first"));
        }
      }
      STILE_ASSIGN_OR_RETURN(const std::string changed, ArgumentsAfter(file, list, *mapping_));
      if (changed != TextOf(list, file.text)) {
        plan_.Edit(file, {BeginOf(list), EndOf(list), changed});
        done.push_back({&file, {BeginOf(list), EndOf(list)}});
      }
    }
    if (unsure.empty()) return absl::OkStatus();
    const size_t count = unsure.size();
    if (unsure.size() > kMaxListed) unsure.resize(kMaxListed);
    return absl::FailedPreconditionError(absl::StrCat(
        Count(count, "place"), " may call it or not, or use it in another way: ",
        absl::StrJoin(unsure, ", "), count > kMaxListed ? ", …" : "", "; use file.modify"));
  }

  // A mention that has no arguments and needs none: in a decorator, an export list.
  static bool IsNamedOnly(const SyntaxTree& tree, const Reference& reference) {
    TSNode node = NodeAt(tree, reference.occurrence.begin, reference.occurrence.end);
    const absl::string_view type = TypeOf(ts_node_parent(node));
    if (type == "export_specifier") return true;
    for (int i = 0; i < 4 && !ts_node_is_null(node); ++i, node = ts_node_parent(node)) {
      if (absl::StrContains(TypeOf(node), "import")) return true;
    }
    return false;
  }

  Resolution resolution_;
  CodeIndex* const index_;
  const LanguageFamily& family_;
  EditPlan plan_;
  std::optional<ParameterMapping> mapping_;
  std::map<std::string, SyntaxTree> trees_;
};

}  // namespace

absl::StatusOr<EditPlan> PlanChangeSignature(Resolution resolution, CodeIndex* index,
                                             const std::string& signature) {
  resolution.targets.erase(
      std::remove_if(resolution.targets.begin(), resolution.targets.end(),
                     [](const Declaration& target) { return target.symbol < 0; }),
      resolution.targets.end());
  if (resolution.targets.empty()) {
    return absl::InvalidArgumentError("a variable has no signature: name a function or a method");
  }
  if (!resolution.IsUnambiguous()) {
    std::vector<std::string> places;
    for (const Declaration& target : resolution.targets) {
      if (places.size() == kMaxListed) break;
      places.push_back(absl::StrCat(target.QualifiedName(), " (", target.file->path, ":",
                                    target.place().line, ")"));
    }
    return absl::InvalidArgumentError(absl::StrCat(
        "several are meant: ", absl::StrJoin(places, ", "), "; give filePath and line"));
  }
  const Language& language = resolution.targets[0].file->language;
  const LanguageFamily* family = FindLanguageFamily(language.id);
  if (family == nullptr) {
    return absl::UnimplementedError(
        absl::StrCat("code.refactor change_signature is not available for ", language.name,
                     "; use file.modify"));
  }
  SignatureChange change(std::move(resolution), index, *family);
  return change.Plan(signature);
}

}  // namespace stile
