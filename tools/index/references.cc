#include "tools/index/references.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "runtime/base/text.h"
#include "runtime/syntax/symbols.h"
#include "runtime/workspace/workspace_path.h"
#include "tools/index/es_modules.h"
#include "tools/index/package_imports.h"
#include "tools/index/trait_impls.h"
#include "tools/index/type_relations.h"
#include "tools/language/language_backend.h"

namespace stile {
namespace {

// The last identifier of a receiver or qualifier: "Server" of "net::Server<int>", "b" of "a.b".
absl::string_view LastIdentifier(absl::string_view receiver) {
  receiver = receiver.substr(0, receiver.find('<'));
  size_t begin = receiver.size();
  const auto is_part = [](char c) {
    return absl::ascii_isalnum(static_cast<unsigned char>(c)) || c == '_' ||
           static_cast<unsigned char>(c) >= 0x80;
  };
  while (begin > 0 && is_part(receiver[begin - 1])) --begin;
  return receiver.substr(begin);
}

bool IsSelf(absl::string_view receiver) {
  for (const absl::string_view self : {"this", "self", "cls", "Self", "super", "base", "super()"}) {
    if (receiver == self) return true;
  }
  return false;
}

bool IsSuper(absl::string_view receiver) {
  return receiver == "super" || receiver == "super()" || receiver == "base";
}

bool IsOwnObject(absl::string_view receiver) { return IsSelf(receiver) && !IsSuper(receiver); }

bool IsMemberKind(SymbolKind kind) {
  switch (kind) {
    case SymbolKind::kMethod:
    case SymbolKind::kConstructor:
    case SymbolKind::kField:
    case SymbolKind::kProperty:
    case SymbolKind::kEnumMember:
      return true;
    case SymbolKind::kNamespace:
    case SymbolKind::kClass:
    case SymbolKind::kStruct:
    case SymbolKind::kInterface:
    case SymbolKind::kEnum:
    case SymbolKind::kFunction:
    case SymbolKind::kConstant:
    case SymbolKind::kVariable:
    case SymbolKind::kTypeAlias:
    case SymbolKind::kMacro:
      return false;
  }
  return false;
}

// Members are named without a receiver inside their type.
bool HasImplicitThis(const SourceFile& file) {
  return LanguageBackendOfGrammar(file.grammar.name).naming.implicit_this;
}

// Whether a line holds nothing but the type, as where a struct embeds it: `ast.Leaf`, `*Leaf`.
bool IsEmbeddedIn(const SourceFile& file, const std::string& type) {
  const absl::string_view text = file.text;
  for (size_t at = 0; (at = FindWord(text, type, at)) != absl::string_view::npos;
       at += type.size()) {
    const size_t begin = text.substr(0, at).rfind('\n') + 1;  // npos + 1 is 0
    absl::string_view before = absl::StripAsciiWhitespace(text.substr(begin, at - begin));
    absl::ConsumePrefix(&before, "*");
    if (absl::ConsumeSuffix(&before, ".")) {
      while (!before.empty() && IsIdentifierByte(before.back())) before.remove_suffix(1);
    }
    absl::string_view behind = text.substr(at + type.size());
    const bool is_generic = absl::StartsWith(behind, "[");  // `Leaf [3]int` declares a field
    behind = absl::StripAsciiWhitespace(behind.substr(0, behind.find('\n')));
    const bool ends = behind.empty() || behind[0] == '`' || is_generic ||
                      absl::StartsWith(behind, "//") || absl::StartsWith(behind, "/*");
    if (before.empty() && ends && begin > 0 && absl::ascii_isspace(text[begin])) return true;
  }
  return false;
}

class Classifier {
 public:
  Classifier(const Resolution& resolution, const std::string& name)
      : resolution_(resolution),
        only_one_(resolution.IsOnlyOne()),
        alias_(absl::StrCat("as ", name)),
        modules_(resolution, name) {
    TraitImpls traits;
    for (const Declaration& target : resolution.targets) {
      is_of_trait_ = is_of_trait_ || !traits.TraitOf(target).empty();
    }
    for (const Declaration& other : resolution.all) {
      if (!is_of_trait_ || other.symbol < 0 || !IsMemberKind(other.AsSymbol().kind)) continue;
      if (resolution.IsTarget(*other.file, other.symbol) || !traits.TraitOf(other).empty())
        continue;
      own_methods_.insert(LastComponent(other.AsSymbol().container));
    }
  }

  // nullopt: something else.
  std::optional<Reference> Classify(const std::shared_ptr<const SourceFile>& file,
                                    const Occurrence& occurrence) {
    Reference reference{file, occurrence, Certainty::kLikely, false};
    if (occurrence.role == OccurrenceRole::kLabel) return std::nullopt;
    const Declaration& first = resolution_.targets[0];
    if (first.symbol < 0) {
      if (occurrence.binding != first.binding) return std::nullopt;
      // `const {label} = a` declares by a key.
      const Binding& binding = file->scopes.bindings[static_cast<size_t>(occurrence.binding)];
      reference.is_declaration =
          occurrence.role == OccurrenceRole::kDefinition || occurrence.begin == binding.name_begin;
      reference.certainty = Certainty::kExact;
      return reference;
    }
    if (!SeeEachOther(first.file->language, file->language)) return std::nullopt;
    const bool is_member = IsMemberKind(first.AsSymbol().kind);
    // `{bar}` is the member, too, whatever variable it declares or is bound to.
    if (is_member && occurrence.role == OccurrenceRole::kShorthand) return reference;
    for (size_t i = 0; i < file->symbols.size(); ++i) {
      if (file->symbols[i].name_begin != occurrence.begin) continue;
      if (!resolution_.IsTarget(*file, static_cast<int>(i))) return std::nullopt;
      reference.is_declaration = true;
      reference.certainty = Certainty::kExact;
      return reference;
    }
    const bool may_be_field =
        occurrence.role == OccurrenceRole::kKey || occurrence.role == OccurrenceRole::kMember;
    if (may_be_field && occurrence.binding < 0 && IsOfEmbedded(*file, occurrence)) return reference;
    if (!is_member && occurrence.role == OccurrenceRole::kKey) return std::nullopt;
    if (!is_member && IsExportAlias(*file, occurrence)) return std::nullopt;
    if (occurrence.binding >= 0) return Bound(std::move(reference));
    if (occurrence.role == OccurrenceRole::kDefinition) return std::nullopt;
    if (is_member && IsOfOtherKind(*file, occurrence)) return std::nullopt;
    if (is_member) return OfMember(std::move(reference));
    return OfOther(std::move(reference));
  }

 private:
  // By scope, to something in the same file.
  std::optional<Reference> Bound(Reference reference) {
    const SourceFile& file = *reference.file;
    const Binding& binding =
        file.scopes.bindings[static_cast<size_t>(reference.occurrence.binding)];
    if (binding.kind == BindingKind::kImport) {
      if (IsMemberKind(resolution_.targets[0].AsSymbol().kind)) return std::nullopt;
      return Imported(std::move(reference), binding.name_begin);
    }
    for (size_t i = 0; i < file.symbols.size(); ++i) {
      if (file.symbols[i].name_begin != binding.name_begin) continue;
      const bool is_target = resolution_.IsTarget(file, static_cast<int>(i)) ||
                             IsOverloadOfTarget(file, file.symbols[i]);
      if (!is_target) return std::nullopt;
      reference.certainty = resolution_.IsUnambiguous() ? Certainty::kExact : Certainty::kLikely;
      return reference;
    }
    return std::nullopt;
  }

  // `export { Foo as Order }`: the name belongs to importers.
  bool IsExportAlias(const SourceFile& file, const Occurrence& occurrence) {
    const absl::string_view before = absl::string_view(file.text).substr(0, occurrence.begin);
    const std::optional<bool> is_target =
        absl::EndsWith(before, " as ") ? modules_.IsTarget(file, occurrence.begin) : std::nullopt;
    return is_target.has_value() && !*is_target;
  }

  // What is called so because of the name at `imported`, in an import.
  std::optional<Reference> Imported(Reference reference, uint32_t imported) {
    const bool needs_no_look = only_one_ && !MayHaveAlias();  // saves a second parse
    const std::optional<bool> is_target =
        needs_no_look ? std::nullopt : modules_.IsTarget(*reference.file, imported);
    if (is_target.has_value() && !*is_target) return std::nullopt;
    const bool is_sure = is_target.has_value() && resolution_.IsUnambiguous();
    reference.certainty = is_sure ? Certainty::kExact : CertaintyOfName();
    return reference;
  }

  // Whether a file may call something else by the name, or hand it on under the name.
  bool MayHaveAlias() {
    if (!has_alias_.has_value()) {
      has_alias_ = std::any_of(resolution_.files.begin(), resolution_.files.end(),
                               [&](const auto& file) { return HoldsWord(file->text, alias_); });
    }
    return *has_alias_;
  }

  // A binding stands for the first of several declarations of a name.
  bool IsOverloadOfTarget(const SourceFile& file, const Symbol& symbol) const {
    return std::any_of(resolution_.targets.begin(), resolution_.targets.end(),
                       [&](const Declaration& target) {
                         return target.file->path == file.path &&
                                target.AsSymbol().container == symbol.container &&
                                IsMemberKind(target.AsSymbol().kind) == IsMemberKind(symbol.kind);
                       });
  }

  std::optional<Reference> OfMember(Reference reference) const {
    const SourceFile& file = *reference.file;
    const Occurrence& occurrence = reference.occurrence;
    const bool in_owner = std::any_of(
        resolution_.targets.begin(), resolution_.targets.end(), [&](const Declaration& target) {
          return IsInside(file, occurrence.begin, target.AsSymbol().container);
        });
    switch (occurrence.role) {
      case OccurrenceRole::kMember: {
        const absl::string_view receiver = absl::string_view(file.text).substr(
            occurrence.receiver_begin, occurrence.receiver_end - occurrence.receiver_begin);
        const absl::string_view last = LastIdentifier(receiver);
        const bool names_owner = std::any_of(
            resolution_.targets.begin(), resolution_.targets.end(), [&](const Declaration& target) {
              return LastComponent(target.AsSymbol().container) == last;
            });
        // `super.run` is that of a base: the symbol's only where a base is part of it.
        if (IsSuper(receiver) && in_owner && IsInsideOfAll(file, occurrence.begin)) {
          return reference;
        }
        switch (OfTrait(file, occurrence, receiver, names_owner)) {
          case TraitUse::kOther:
            return std::nullopt;
          case TraitUse::kOpen:
            return reference;
          case TraitUse::kAsElsewhere:
            break;
        }
        if ((IsSelf(receiver) && in_owner) || (names_owner && !last.empty())) {
          reference.certainty =
              resolution_.IsUnambiguous() ? Certainty::kExact : Certainty::kLikely;
        } else if (IsOwnObject(receiver) && OwnTypeDeclares(file, occurrence.begin)) {
          return std::nullopt;
        }
        return reference;
      }
      case OccurrenceRole::kKey:
      case OccurrenceRole::kRaw:
      case OccurrenceRole::kShorthand:
        return reference;
      case OccurrenceRole::kReference:
      case OccurrenceRole::kType:
      case OccurrenceRole::kImport:
        if ((in_owner && HasImplicitThis(file)) || IsFromWildcard(file) ||
            IsOfOpenEnumeration(file)) {
          reference.certainty =
              resolution_.IsUnambiguous() ? Certainty::kExact : Certainty::kLikely;
          return reference;
        }
        // Inherited members, imports of constants and of nested types.
        if (HasImplicitThis(file) || occurrence.role == OccurrenceRole::kImport) {
          return reference;
        }
        return std::nullopt;
      case OccurrenceRole::kDefinition:
      case OccurrenceRole::kLabel:
        return std::nullopt;
    }
    return std::nullopt;
  }

  // Go: `Text{Leaf: …}` and `text.Leaf` name the field that a struct gets from the type it embeds.
  bool IsOfEmbedded(const SourceFile& file, const Occurrence& occurrence) {
    const Declaration& first = resolution_.targets[0];
    if (!LanguageBackendOfGrammar(file.grammar.name).naming.types_embed ||
        !IsType(first.AsSymbol().kind)) {
      return false;
    }
    if (!is_embedded_.has_value()) {
      is_embedded_ = std::any_of(
          resolution_.files.begin(), resolution_.files.end(),
          [&](const auto& other) { return IsEmbeddedIn(*other, first.AsSymbol().name); });
    }
    // `ast.Leaf` is the type.
    const absl::string_view receiver = absl::string_view(file.text).substr(
        occurrence.receiver_begin, occurrence.receiver_end - occurrence.receiver_begin);
    return *is_embedded_ && (occurrence.role == OccurrenceRole::kKey ||
                             !MayQualify(file, occurrence, receiver) || !Imports(file, receiver));
  }

  // Go: whether the file knows a package by the name.
  bool Imports(const SourceFile& file, absl::string_view name) {
    const auto [known, is_new] = packages_.try_emplace(file.path);
    if (is_new) known->second = ImportedPackages(file);
    return known->second.count(name) > 0;
  }

  // Rust: `shape.area` is a field, `shape.area()` a method.
  bool IsOfOtherKind(const SourceFile& file, const Occurrence& occurrence) const {
    const absl::string_view text = file.text;
    if (!LanguageBackendOfGrammar(file.grammar.name).naming.fields_have_own_names ||
        !absl::EndsWith(absl::StripTrailingAsciiWhitespace(text.substr(0, occurrence.begin)),
                        ".")) {
      return false;
    }
    const absl::string_view behind = absl::StripLeadingAsciiWhitespace(text.substr(occurrence.end));
    const bool is_call = absl::StartsWith(behind, "(") || absl::StartsWith(behind, "::");
    return std::none_of(resolution_.targets.begin(), resolution_.targets.end(),
                        [&](const Declaration& target) {
                          return (target.AsSymbol().kind == SymbolKind::kField) != is_call;
                        });
  }

  std::optional<Reference> OfOther(Reference reference) {
    const Occurrence& occurrence = reference.occurrence;
    if (occurrence.role == OccurrenceRole::kImport) {
      const uint32_t imported = occurrence.begin;
      return Imported(std::move(reference), imported);
    }
    if (occurrence.role == OccurrenceRole::kKey) return std::nullopt;
    if (occurrence.role == OccurrenceRole::kMember) {
      const absl::string_view receiver =
          absl::string_view(reference.file->text)
              .substr(occurrence.receiver_begin,
                      occurrence.receiver_end - occurrence.receiver_begin);
      if (!MayQualify(*reference.file, occurrence, receiver)) return std::nullopt;
      const std::optional<bool> is_module =
          modules_.IsModuleOfTarget(*reference.file, receiver, occurrence.receiver_begin);
      if (is_module.has_value()) {
        if (!*is_module) return std::nullopt;
        reference.certainty = resolution_.IsUnambiguous() ? Certainty::kExact : Certainty::kLikely;
        return reference;
      }
      reference.certainty =
          IsNamespaceOfTarget(LastIdentifier(receiver)) ? CertaintyOfName() : Certainty::kLikely;
      return reference;
    }
    reference.certainty = CertaintyOfName();
    return reference;
  }

  bool IsOfOpenEnumeration(const SourceFile& file) const {
    return LanguageBackendOfGrammar(file.grammar.name).naming.open_enumerations &&
           resolution_.targets[0].AsSymbol().kind == SymbolKind::kEnumMember;
  }

  // `use Colour::*` brings the names of the variants. A name in a pattern that no variant has
  // is no error, but a variable that everything matches.
  bool IsFromWildcard(const SourceFile& file) const {
    return LanguageBackendOfGrammar(file.grammar.name).naming.wildcard_variants &&
           std::any_of(resolution_.targets.begin(), resolution_.targets.end(),
                       [&](const Declaration& target) {
                         const Symbol& symbol = target.AsSymbol();
                         return symbol.kind == SymbolKind::kEnumMember &&
                                absl::StrContains(
                                    file.text,
                                    absl::StrCat(LastComponent(symbol.container), "::*"));
                       });
  }

  // Whether what stands left of the name can be a namespace, package, module or type: a member of a
  // value never is what a file or a namespace declares.
  bool MayQualify(const SourceFile& file, const Occurrence& occurrence,
                  absl::string_view receiver) const {
    if (IsSelf(receiver) || receiver.find_first_of("()[]\"'`") != absl::string_view::npos) {
      return false;
    }
    absl::string_view before = absl::string_view(file.text).substr(0, occurrence.begin);
    before = absl::StripTrailingAsciiWhitespace(before);
    const NamingFacts& naming = LanguageBackendOfGrammar(file.grammar.name).naming;
    if (naming.scope_operator && !absl::EndsWith(before, "::")) return false;
    if (naming.scope_operator && naming.implicit_this) {
      const absl::string_view last = LastIdentifier(receiver);
      return std::any_of(resolution_.targets.begin(), resolution_.targets.end(),
                         [&](const Declaration& target) {
                           return LastComponent(target.AsSymbol().container) == last;
                         }) ||
             std::any_of(file.scopes.bindings.begin(), file.scopes.bindings.end(),
                         [&](const Binding& binding) {
                           return binding.name == last && binding.kind == BindingKind::kNamespace &&
                                  !last.empty() && resolution_.targets.size() == 1 &&
                                  !resolution_.targets[0].AsSymbol().container.empty();
                         });
    }
    if (receiver.empty() && !naming.scope_operator) return false;
    const absl::string_view first = receiver.substr(0, receiver.find_first_of(".:"));
    bool is_value = false;
    for (const Binding& binding : file.scopes.bindings) {
      if (binding.name != first || occurrence.begin < binding.scope_begin ||
          binding.scope_end <= occurrence.begin) {
        continue;
      }
      switch (binding.kind) {
        case BindingKind::kParameter:
        case BindingKind::kLocal:
        case BindingKind::kField:
        case BindingKind::kConstant:
        case BindingKind::kFunction:
        case BindingKind::kMethod:
        case BindingKind::kVariable:
          // `const shop = require("./shop")` is a module.
          is_value |=
              !absl::StrContains(file.Line(file.PlaceOf(binding.name_begin).line), "require(");
          break;
        case BindingKind::kImport:
        case BindingKind::kNamespace:
        case BindingKind::kType:
        case BindingKind::kTypeParameter:
        case BindingKind::kMacro:
          return true;
      }
    }
    return !is_value;
  }

  // Whether a qualifier is the namespace, type, package or module of a target.
  bool IsNamespaceOfTarget(absl::string_view qualifier) const {
    return std::any_of(resolution_.targets.begin(), resolution_.targets.end(),
                       [&](const Declaration& target) {
                         const std::string& path = target.file->path;
                         const std::string file = BaseName(path);
                         return LastComponent(target.AsSymbol().container) == qualifier ||
                                file.substr(0, file.find('.')) == qualifier ||
                                BaseName(DirName(path)) == qualifier;
                       });
  }

  Certainty CertaintyOfName() const { return only_one_ ? Certainty::kExact : Certainty::kLikely; }

  static bool IsInside(const SourceFile& file, uint32_t offset, absl::string_view container) {
    for (int i = file.SymbolAround(offset); i >= 0;
         i = file.symbols[static_cast<size_t>(i)].parent) {
      const Symbol& around = file.symbols[static_cast<size_t>(i)];
      if (around.container == container || file.QualifiedName(i) == container) return true;
    }
    return false;
  }

  bool IsInsideOfAll(const SourceFile& file, uint32_t offset) const {
    return std::all_of(resolution_.targets.begin(), resolution_.targets.end(),
                       [&](const Declaration& target) {
                         return IsInside(file, offset, target.AsSymbol().container);
                       });
  }

  enum class TraitUse { kAsElsewhere, kOther, kOpen };

  // What a name on `self`, `Self` or a type means if the symbol is a method of a trait.
  TraitUse OfTrait(const SourceFile& file, const Occurrence& occurrence, absl::string_view receiver,
                   bool names_owner) const {
    if (!is_of_trait_ || (!names_owner && !IsSelf(receiver))) return TraitUse::kAsElsewhere;
    const std::string type =
        names_owner ? std::string(LastIdentifier(receiver)) : TypeAround(file, occurrence);
    // A method that the type has by itself comes before that of a trait.
    if (own_methods_.count(type) > 0) return TraitUse::kOther;
    // So may one of a library's type: the name has to be left to find out.
    return DeclaresType(type) ? TraitUse::kAsElsewhere : TraitUse::kOpen;
  }

  static std::string TypeAround(const SourceFile& file, const Occurrence& occurrence) {
    const int around = file.SymbolAround(occurrence.begin);
    return around < 0 ? "" : LastComponent(file.symbols[static_cast<size_t>(around)].container);
  }

  // Whether a file that holds the name declares the type.
  bool DeclaresType(const std::string& type) const {
    return std::any_of(resolution_.files.begin(), resolution_.files.end(), [&](const auto& file) {
      return std::any_of(file->symbols.begin(), file->symbols.end(), [&](const Symbol& symbol) {
        return symbol.name == type && IsType(symbol.kind);
      });
    });
  }

  // Whether the type around the place declares the name itself: then it is another one.
  bool OwnTypeDeclares(const SourceFile& file, uint32_t offset) const {
    const int around = file.SymbolAround(offset);
    if (around < 0) return false;
    const std::string& container = file.symbols[static_cast<size_t>(around)].container;
    return std::any_of(resolution_.all.begin(), resolution_.all.end(),
                       [&](const Declaration& other) {
                         return other.symbol >= 0 && other.AsSymbol().container == container &&
                                !resolution_.IsTarget(*other.file, other.symbol);
                       });
  }

  const Resolution& resolution_;
  const bool only_one_;
  const std::string alias_;
  std::optional<bool> has_alias_;                 // of any file; nullopt: not known yet
  std::optional<bool> is_embedded_;               // likewise
  std::map<std::string, PackageNames> packages_;  // by file
  bool is_of_trait_ = false;                      // a method of a trait, see TraitImpls
  std::set<std::string> own_methods_;  // types that have a method of the name by themselves
  ModuleResolver modules_;
};

}  // namespace

std::vector<Reference> FindReferences(const Resolution& resolution) {
  std::vector<Reference> references;
  if (resolution.targets.empty()) return references;
  const Declaration& first = resolution.targets[0];
  const std::string name =
      first.symbol >= 0 ? first.AsSymbol().name
                        : first.file->scopes.bindings[static_cast<size_t>(first.binding)].name;
  Classifier classifier(resolution, name);
  for (const auto& file : resolution.files) {
    for (const Occurrence& occurrence :
         FindOccurrences(file->grammar, file->scopes, file->text, name)) {
      if (auto reference = classifier.Classify(file, occurrence)) {
        references.push_back(*std::move(reference));
      }
    }
  }
  return references;
}

}  // namespace stile
