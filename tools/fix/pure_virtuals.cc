#include "tools/fix/pure_virtuals.h"

#include <map>
#include <set>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/strip.h"
#include "runtime/base/status.h"
#include "runtime/base/text.h"
#include "tools/codegen/code_site.h"
#include "tools/codegen/import_fixups.h"
#include "tools/language/brackets.h"

namespace stile {
namespace {

constexpr int kMaxDepth = 8;

struct PureVirtual {
  std::string name;
  std::string head;  // "double area() const override"
};

bool IsWordAt(absl::string_view text, size_t at, size_t end) {
  return (at == 0 || !IsIdentifierByte(text[at - 1])) &&
         (end == text.size() || !IsIdentifierByte(text[end]));
}

// Takes the word out where it stands outside of brackets. False where it does not.
bool DropWord(absl::string_view word, std::string* text) {
  size_t found = std::string::npos;
  ScanTop(*text, /*angles=*/false, [&](size_t at) {
    const bool is_it = absl::StartsWith(absl::string_view(*text).substr(at), word) &&
                       IsWordAt(*text, at, at + word.size());
    if (is_it) found = at;
    return !is_it;
  });
  if (found == std::string::npos) return false;
  size_t end = found + word.size();
  while (end < text->size() && (*text)[end] == ' ') ++end;
  text->erase(found, end - found);
  return true;
}

// "[[nodiscard]] virtual double area() const = 0;" as the head of an override; "" for any other
// declaration.
std::string OverrideOf(absl::string_view declaration) {
  absl::string_view pure = absl::StripAsciiWhitespace(declaration);
  absl::ConsumeSuffix(&pure, ";");
  pure = absl::StripTrailingAsciiWhitespace(pure);
  if (!absl::ConsumeSuffix(&pure, "0")) return "";
  pure = absl::StripTrailingAsciiWhitespace(pure);
  if (!absl::ConsumeSuffix(&pure, "=")) return "";
  std::string head(pure);
  while (absl::StartsWith(head, "[[")) {
    const size_t end = head.find("]]");
    if (end == std::string::npos) return "";
    head = std::string(absl::StripLeadingAsciiWhitespace(head.substr(end + 2)));
  }
  const bool is_virtual = DropWord("virtual", &head);
  const bool overrides = DropWord("override", &head);
  if (!(is_virtual || overrides) || !absl::StrContains(head, '(') || absl::StrContains(head, '~')) {
    return "";
  }
  return absl::StrCat(absl::StripAsciiWhitespace(head), " override");
}

// "int, double" of "template <class T, class U = int> class Base" with "Base<int, double>": each
// parameter with its argument. Empty where they do not fit.
std::map<std::string, std::string> TemplateArguments(absl::string_view parameters,
                                                     absl::string_view arguments) {
  std::map<std::string, std::string> given;
  const std::vector<std::string> names = SplitAtCommas(parameters);
  const std::vector<std::string> values = SplitAtCommas(arguments);
  if (values.size() > names.size()) return given;
  for (size_t i = 0; i < values.size(); ++i) {
    absl::string_view name = names[i];
    name = absl::StripAsciiWhitespace(name.substr(0, name.find('=')));
    size_t begin = name.size();
    while (begin > 0 && IsIdentifierByte(name[begin - 1])) --begin;
    given.emplace(name.substr(begin), values[i]);
  }
  return given;
}

class PureVirtuals {
 public:
  PureVirtuals(const GenerateContext& context, std::string space)
      : context_(context), space_(std::move(space)) {}

  // Of the class and its bases, the nearest declaration of each name and parameters. `written`: as
  // the class is named, with the arguments of a template.
  void AddMembersOf(const std::string& written, const std::string& near_file, int depth) {
    const auto found = FindTypeNamed(context_, written, near_file);
    if (!found.ok() || depth == kMaxDepth) return;
    const SourceFile& file = *found->site.file;
    const auto arguments = ArgumentsOf(*found, written);
    const std::string space = NamespaceOf(file, found->symbol);
    const auto fit = [&](absl::string_view text) {
      return ReplaceIdentifiers(text, [&](const std::string& word, char before) {
        if (const auto given = arguments.find(word); given != arguments.end()) {
          return given->second;
        }
        return before == ':' || !IsOfNamespace(word, space) ? word
                                                            : absl::StrCat(space, "::", word);
      });
    };
    for (const Symbol& symbol : file.symbols) {
      if (symbol.parent != found->symbol) continue;
      absl::string_view text =
          absl::string_view(file.text).substr(symbol.begin, symbol.end - symbol.begin);
      text = text.substr(0, text.find('{'));
      if (!seen_.insert(KeyOf(fit(text), symbol.name)).second) continue;
      const std::string head = depth > 0 ? OverrideOf(text) : "";
      if (!head.empty()) missing_.push_back({symbol.name, fit(head)});
    }
    for (const std::string& base : found->type().bases) {
      AddMembersOf(fit(WrittenBase(file, found->type(), base)), file.path, depth + 1);
    }
  }

  const std::vector<PureVirtual>& missing() const { return missing_; }

  // "shop::orders"; "" for the global one.
  static std::string NamespaceOf(const SourceFile& file, int symbol) {
    int parent = file.symbols[static_cast<size_t>(symbol)].parent;
    while (parent >= 0 &&
           file.symbols[static_cast<size_t>(parent)].kind != SymbolKind::kNamespace) {
      parent = file.symbols[static_cast<size_t>(parent)].parent;
    }
    return absl::StrReplaceAll(file.QualifiedName(parent), {{".", "::"}});
  }

 private:
  // "Base<int>" where the class is derived from that.
  static std::string WrittenBase(const SourceFile& file, const Symbol& type,
                                 const std::string& base) {
    absl::string_view head = file.text;
    head = head.substr(type.name_end, head.find('{', type.name_end) - type.name_end);
    for (size_t at = head.find(base); at != absl::string_view::npos; at = head.find(base, at + 1)) {
      const size_t end = at + base.size();
      if (IsWordAt(head, at, end)) return absl::StrCat(base, TypeParametersAt(head, end));
    }
    return base;
  }

  static std::map<std::string, std::string> ArgumentsOf(const TypeSite& type,
                                                        const std::string& written) {
    const size_t open = written.find('<');
    if (open == std::string::npos) return {};
    const absl::string_view text = type.site.text();
    // "template <...>" stands at the beginning of the declaration, or before it.
    const absl::string_view head = text.substr(0, type.type().name_begin);
    const size_t template_at = head.rfind("template");
    if (template_at == absl::string_view::npos ||
        head.find_first_of(";{}", template_at) != absl::string_view::npos) {
      return {};
    }
    const size_t parameters_at = head.find('<', template_at);
    if (parameters_at == absl::string_view::npos) return {};
    const absl::string_view parameters = TypeParametersAt(text, parameters_at);
    const absl::string_view arguments = TypeParametersAt(written, open);
    if (parameters.size() < 2 || arguments.size() < 2) return {};
    return TemplateArguments(parameters.substr(1, parameters.size() - 2),
                             arguments.substr(1, arguments.size() - 2));
  }

  // Whether the namespace declares such a type, and the class does not see it by its bare name.
  bool IsOfNamespace(const std::string& word, const std::string& space) {
    const bool sees =
        space.empty() || space == space_ || absl::StartsWith(space_, absl::StrCat(space, "::"));
    if (sees) return false;
    const auto [known, is_new] = of_namespace_.emplace(std::make_pair(word, space), false);
    if (!is_new) return known->second;
    for (const auto& file : context_.index->FilesWith(word)) {
      for (size_t i = 0; i < file->symbols.size(); ++i) {
        const Symbol& symbol = file->symbols[i];
        const bool is_direct =
            symbol.parent >= 0 &&
            file->symbols[static_cast<size_t>(symbol.parent)].kind == SymbolKind::kNamespace;
        if (symbol.name == word && is_direct && NamespaceOf(*file, static_cast<int>(i)) == space) {
          return known->second = true;
        }
      }
    }
    return false;
  }

  // Overloads differ in the types of their parameters, and in const.
  static std::string KeyOf(absl::string_view declaration, const std::string& name) {
    const LanguageFamily& family = *FindLanguageFamily("cpp");
    const size_t at = declaration.find(absl::StrCat(name, "("));
    if (at == absl::string_view::npos) return name;
    const size_t open = at + name.size();
    const size_t close = MatchingBracket(declaration, open);
    if (close == absl::string_view::npos) return name;
    std::string key = name;
    const absl::string_view inner = declaration.substr(open + 1, close - open - 1);
    for (const Parameter& parameter : ParseParameters(family, inner)) {
      absl::StrAppend(&key, ",", absl::StrReplaceAll(parameter.type, {{" ", ""}}));
    }
    const bool is_const = HoldsWord(declaration.substr(close + 1), "const");
    return absl::StrCat(key, is_const ? " const" : "");
  }

  const GenerateContext& context_;
  const std::string space_;  // of the class that lacks the members
  std::map<std::pair<std::string, std::string>, bool> of_namespace_;
  std::set<std::string> seen_;
  std::vector<PureVirtual> missing_;
};

}  // namespace

absl::StatusOr<EditPlan> PlanPureVirtuals(const GenerateContext& context,
                                          const std::string& class_name,
                                          const std::string& near_file) {
  STILE_ASSIGN_OR_RETURN(const TypeSite derived, FindTypeNamed(context, class_name, near_file));
  PureVirtuals members(context, PureVirtuals::NamespaceOf(*derived.site.file, derived.symbol));
  members.AddMembersOf(class_name, near_file, 0);
  if (members.missing().empty()) {
    return absl::NotFoundError(absl::StrCat(class_name, " lacks no member"));
  }
  EditPlan plan;
  std::set<std::pair<std::string, std::string>> once;  // path, text: includes are shared
  for (const PureVirtual& member : members.missing()) {
    GenerateRequest request;
    request.operation = "method";
    request.file = derived.site.file->path;
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
