#include "tools/code/navigate_tool.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "runtime/base/status.h"
#include "runtime/base/text.h"
#include "runtime/tool/path_text.h"
#include "runtime/tool/schema_builder.h"
#include "runtime/workspace/file_system.h"
#include "runtime/workspace/workspace_path.h"
#include "tools/code/code_text.h"
#include "tools/code/likely_order.h"
#include "tools/code/navigate_hits.h"
#include "tools/code/text_lookup.h"
#include "tools/index/near_names.h"
#include "tools/index/references.h"
#include "tools/index/type_relations.h"
#include "tools/language/language_backend.h"
#include "tools/refactor/symbol_family.h"
#include "tools/resolve/named_place.h"

namespace stile {
namespace {

constexpr int64_t kDefaultLimit = 20;
constexpr int64_t kMaxLimit = 1000;
constexpr size_t kMaxNamed = 8;
constexpr absl::string_view kBySyntax = "syntax";
// A first answer that takes longer comes from the syntax; the resolver goes on reading the project.
constexpr absl::Duration kResolverTime = absl::Seconds(10);

// Bounds of a hierarchy.
constexpr size_t kMaxHoverBytes = 4000;
constexpr int64_t kMaxDepth = 5;
constexpr size_t kMaxAsked = 100;
constexpr absl::Duration kHierarchyTime = absl::Seconds(20);
constexpr absl::Duration kLeftOutTime = absl::Seconds(3);

// "references": "reference", "references".
std::string Counted(size_t count, const std::string& operation) {
  if (operation == "derived_types") return Count(count, "derived type");
  if (operation == "base_types") return Count(count, "base type");
  if (operation == "usages") return Count(count, "usage");
  std::string one = operation;
  if (!one.empty() && one.back() == 's') one.pop_back();
  return Count(count, one);
}

class CodeNavigateTool : public Tool {
 public:
  CodeNavigateTool(CodeIndex* index, ResolverPool* resolvers)
      : index_(index), resolvers_(resolvers) {
    spec_.name = "code.navigate";
    spec_.description =
        "Find what a symbol is and where it is used, by a language server or by syntax; by text "
        "where no symbol has the name.";
    spec_.parameters = ObjectSchema(
        {{"operation",
          EnumSchema({"definition", "references", "usages", "callers", "callees", "implementations",
                      "derived_types", "base_types", "hover"},
                     "What to find. usages: references without declarations. hover: type and "
                     "documentation."),
          true},
         Required("symbolName", "string", "Symbol to look for: name or Owner.name."),
         Optional("filePath", "string", "File that names the symbol, if several share the name."),
         Optional("line", "integer", "Line of the symbol in filePath."),
         Optional("depth", "integer",
                  "Of callers, callees and base_types: how many steps to follow.", 1),
         Optional("limit", "integer", "Most hits to show.", kDefaultLimit)});
    const Json hit = ObjectSchema({Required("file", "string"),
                                   Optional("fileBase64", "string"),
                                   Required("line", "integer"),
                                   Required("column", "integer"),
                                   Required("symbol", "string"),
                                   Required("text", "string"),
                                   {"certainty", EnumSchema({"exact", "likely", "text"}), true},
                                   Optional("depth", "integer", "1: found directly")});
    spec_.output = ObjectSchema(
        {{"targets", ArraySchema({{"type", "string"}}), true},
         {"hits", ArraySchema(hit), true},
         Required("total", "integer"),
         Required("exact", "integer"),
         Optional("resolvedBy", "string", "syntax, or a language server"),
         Optional("hover", "string", "of hover, as Markdown"),
         Optional("others", "integer", "places with the name that are no hits by resolvedBy"),
         Optional("resolutionNote", "string",
                  "why no language server resolved, or why hits may be missing"),
         {"unreadable", ArraySchema({{"type", "string"}}), true}});
    spec_.read_only = true;
    spec_.argument_aliases = QueryAliases();
  }

  const ToolSpec& spec() const override { return spec_; }

  ToolResult Run(const Json& arguments, const ToolContext& context) override {
    const std::string operation = *JsonString(arguments, "operation");
    const auto query = QueryFromArguments(arguments, context);
    if (!query.ok()) return ToolResult::FromStatus(query.status());
    const auto resolution = ResolvePlace(*query, index_, resolvers_, kResolverTime);
    if (absl::IsCancelled(resolution.status())) return ToolResult::Fatal(resolution.status());
    const auto limit = static_cast<size_t>(
        std::clamp<int64_t>(JsonInt(arguments, "limit").value_or(kDefaultLimit), 1, kMaxLimit));
    const bool is_no_file =
        !query->file.empty() && !FileExists(JoinPath(context.workspace, query->file));
    if (absl::IsNotFound(resolution.status()) && !is_no_file) {
      return LookForText(*query, resolution.status(), limit, context);
    }
    if (!resolution.ok()) return NothingResolved(resolution.status(), *query, *index_);
    if (operation == "hover") return Hover(*resolution, context);
    auto answer = AnswerTo(operation, *resolution, context);
    if (!answer.ok()) return ToolResult::Fatal(answer.status());
    const auto depth = std::clamp<int64_t>(JsonInt(arguments, "depth").value_or(1), 1, kMaxDepth);
    const bool is_hierarchy =
        operation == "callers" || operation == "callees" || operation == "base_types";
    if (depth > 1 && is_hierarchy) {
      const absl::Status followed =
          Follow(operation, *resolution, static_cast<int>(depth), context, &*answer);
      if (!followed.ok()) return ToolResult::Fatal(followed);
    }
    if (depth == 1 || !is_hierarchy) OrderHits(*resolution, &answer->hits);
    return Report(operation, *resolution, *answer, limit);
  }

 private:
  struct Answer {
    std::vector<Hit> hits;
    std::string resolved_by;  // kBySyntax, or a resolver
    std::string note;         // why not by a resolver, or why hits may be missing; "": neither
    size_t others = 0;        // places that hold the name and are no hits
  };

  // By a resolver, or by syntax. Cancelled.
  absl::StatusOr<Answer> AnswerTo(const std::string& operation, const Resolution& resolution,
                                  const ToolContext& context) {
    auto resolved = AskResolver(operation, resolution);
    if (resolved.ok() || absl::IsCancelled(resolved.status())) return resolved;
    // A prototype and its definition are one.
    Resolution whole = resolution;
    const bool has_prototypes =
        LanguageBackendOf(whole.targets[0].file->language.id).naming.has_prototypes;
    if (has_prototypes && whole.targets[0].symbol >= 0) CompleteParts(&whole);
    Answer answer{Find(operation, whole), std::string(kBySyntax), "", 0};
    if (!absl::IsUnimplemented(resolved.status())) {
      answer.note = std::string(resolved.status().message());
      if (context.on_fallback) {
        context.on_fallback(absl::StrCat("Names were resolved by syntax: ", answer.note, "."));
      }
    }
    return answer;
  }

  // The declaration from which a hierarchy goes on at a hit: of callers the function around it,
  // else what is declared there.
  static std::optional<Declaration> NextOf(const std::string& operation, const Hit& hit) {
    const SourceFile& file = *hit.file;
    for (int i = file.SymbolAround(hit.offset); i >= 0;
         i = file.symbols[static_cast<size_t>(i)].parent) {
      const Symbol& symbol = file.symbols[static_cast<size_t>(i)];
      const bool is_it = operation == "callers" ? symbol.kind == SymbolKind::kFunction ||
                                                      symbol.kind == SymbolKind::kMethod ||
                                                      symbol.kind == SymbolKind::kConstructor
                                                : symbol.name_begin == hit.offset;
      if (is_it) return Declaration{hit.file, i};
    }
    return std::nullopt;
  }

  // Adds the hits behind those of `answer`, each declaration once.
  absl::Status Follow(const std::string& operation, const Resolution& resolution, int depth,
                      const ToolContext& context, Answer* answer) {
    const absl::Time end = absl::Now() + kHierarchyTime;
    std::set<CodePlace> seen;
    for (const Declaration& target : resolution.targets) {
      seen.insert({target.file->path, target.name_begin()});
    }
    size_t asked = 0;
    for (size_t i = 0; i < answer->hits.size(); ++i) {
      const Hit hit = answer->hits[i];
      if (hit.depth >= depth) continue;
      const std::optional<Declaration> next = NextOf(operation, hit);
      if (!next.has_value() || !seen.insert({next->file->path, next->name_begin()}).second) {
        continue;
      }
      if (asked++ >= kMaxAsked || absl::Now() > end) {
        answer->note = absl::StrCat("only ", asked - 1, " of them were followed");
        return absl::OkStatus();
      }
      const auto found =
          ResolveDeclarationAt(next->file->path, next->name_begin(), next->name(), index_);
      if (!found.ok()) continue;
      STILE_ASSIGN_OR_RETURN(const Answer behind, AnswerTo(operation, *found, context));
      std::vector<Hit> hits = behind.hits;
      for (Hit& other : hits) other.depth = hit.depth + 1;
      // Behind the hit that they belong to, and behind those of its own declaration.
      answer->hits.insert(answer->hits.begin() + static_cast<int64_t>(i) + 1, hits.begin(),
                          hits.end());
    }
    return absl::OkStatus();
  }

  // Where the functions that a symbol calls, or the types in its head, are declared.
  absl::StatusOr<Answer> AskDefinitions(const std::string& operation, const Resolution& resolution,
                                        Resolver* resolver) {
    Answer answer;
    answer.resolved_by = resolver->name();
    std::set<CodePlace> seen;
    size_t outside = 0;
    for (const Declaration& target : resolution.targets) {
      for (const uint32_t place : PlacesIn(operation, target)) {
        const auto places = resolver->Definition({target.file->path, place});
        if (absl::IsFailedPrecondition(places.status())) continue;
        if (!places.ok()) return WithContext(places.status(), resolver->name());
        outside += places->ranges.empty() && !places->outside.empty() ? 1 : 0;
        for (const CodeRange& range : places->ranges) {
          const auto file = index_->Open(range.path);
          if (!file.ok() || !seen.insert({range.path, range.begin}).second) continue;
          answer.hits.push_back({*file, range.begin, Certainty::kExact});
        }
      }
    }
    if (outside > 0) {
      answer.note = absl::StrCat(Count(outside, "place"), " of libraries left out");
    }
    return answer;
  }

  // What an editor shows beside the name: by a resolver, else the head and the documentation.
  ToolResult Hover(const Resolution& resolution, const ToolContext& context) {
    Json targets = Json::array();
    std::string text;
    std::string by(kBySyntax);
    std::string why;
    for (const Declaration& target : resolution.targets) {
      targets.push_back(Describe(target));
      const auto hover = AskHover(target, &by);
      if (absl::IsCancelled(hover.status())) return ToolResult::Fatal(hover.status());
      if (!hover.ok() && !absl::IsUnimplemented(hover.status()) && why.empty()) {
        why = absl::StrCat(" (", ToUtf8(hover.status().message()), ")");
      }
      std::string shown = hover.value_or("");
      if (shown.empty() && target.symbol >= 0) {
        const Symbol& symbol = target.AsSymbol();
        shown =
            absl::StrCat(target.file->Signature(symbol), "\n", target.file->Documentation(symbol));
      }
      absl::StrAppend(&text, Describe(target), "\n", TruncateMiddle(shown, kMaxHoverBytes), "\n");
    }
    Json data = {{"targets", std::move(targets)},
                 {"hits", Json::array()},
                 {"total", 0},
                 {"exact", 0},
                 {"resolvedBy", by},
                 {"hover", text},
                 {"unreadable", Json::array()}};
    absl::StrAppend(&text, "Resolved by: ", by, why, ".\n");
    if (!why.empty() && context.on_fallback) {
      context.on_fallback(absl::StrCat("Names were resolved by syntax", why, "."));
    }
    return ToolResult::Success(std::move(text), std::move(data));
  }

  // Markdown; `by` becomes the name of the resolver. Unimplemented where none is wanted.
  absl::StatusOr<std::string> AskHover(const Declaration& target, std::string* by) {
    if (resolvers_ == nullptr) return absl::UnimplementedError("");
    STILE_ASSIGN_OR_RETURN(Resolver * resolver, resolvers_->For(target.file->path, kResolverTime));
    STILE_ASSIGN_OR_RETURN(const std::string hover,
                           resolver->Hover({target.file->path, target.name_begin()}));
    if (!hover.empty()) *by = resolver->name();
    return ToUtf8(hover);
  }

  // Unimplemented where no resolver is wanted; any other error: it gave no answer.
  absl::StatusOr<Answer> AskResolver(const std::string& operation, const Resolution& resolution) {
    const bool is_asked = operation == "references" || operation == "usages" ||
                          operation == "callers" || operation == "implementations" ||
                          operation == "callees" || operation == "base_types";
    if (resolvers_ == nullptr || !is_asked || !resolution.IsUnambiguous()) {
      return absl::UnimplementedError("");
    }
    STILE_ASSIGN_OR_RETURN(Resolver * resolver,
                           resolvers_->For(resolution.targets[0].file->path, kResolverTime));
    if (operation == "callees" || operation == "base_types") {
      return AskDefinitions(operation, resolution, resolver);
    }
    Answer answer;
    std::map<std::string, std::shared_ptr<const SourceFile>> files;
    std::vector<std::string> users;
    for (const auto& file : resolution.files) {
      files[file->path] = file;
      if (SeeEachOther(file->language, resolution.targets[0].file->language)) {
        users.push_back(file->path);
      }
    }
    std::set<CodeRange> found;
    for (const Declaration& target : resolution.targets) {
      const CodePlace place{target.file->path, target.name_begin()};
      const auto places = operation == "implementations" ? resolver->Implementations(place)
                                                         : resolver->References(place, users);
      if (absl::IsNotFound(places.status()) && resolution.targets.size() > 1) {
        if (answer.note.empty()) answer.note = std::string(places.status().message());
        continue;
      }
      if (!places.ok()) {
        const bool is_unknown = absl::IsUnimplemented(places.status());
        return is_unknown ? places.status() : WithContext(places.status(), resolver->name());
      }
      found.insert(places->ranges.begin(), places->ranges.end());
      if (answer.note.empty()) answer.note = places->partial;
    }
    if (operation != "implementations") {
      STILE_RETURN_IF_ERROR(CheckPlaces(resolution, files, found));
      std::vector<CodeRange> others = AddBound(resolution, !resolver->NamesEveryPlace(), &found);
      if (!resolver->NamesEveryPlace()) {
        STILE_ASSIGN_OR_RETURN(const bool is_complete, AddLeftOut(resolver, &found, &others));
        if (!is_complete && answer.note.empty()) answer.note = "not all places were asked about";
      }
      answer.others = others.size();
    }
    for (const CodeRange& range : found) {
      const auto file = files.find(range.path);
      // Ignored files, such as installed packages, are no part of the workspace's code.
      if (file == files.end() || !IsWanted(operation, resolution, *file->second, range)) continue;
      answer.hits.push_back({file->second, range.begin, Certainty::kExact});
    }
    answer.resolved_by = resolver->name();
    return answer;
  }

  // DataLoss where a place is no whole name, or the declaration itself is missing.
  static absl::Status CheckPlaces(
      const Resolution& resolution,
      const std::map<std::string, std::shared_ptr<const SourceFile>>& files,
      const std::set<CodeRange>& found) {
    bool has_declaration = false;
    for (const CodeRange& range : found) {
      const auto file = files.find(range.path);
      if (file == files.end()) continue;
      const std::string& text = file->second->text;
      const bool is_whole = range.end <= text.size() && range.begin < range.end &&
                            (range.begin == 0 || !IsIdentifierByte(text[range.begin - 1]) ||
                             !IsIdentifierByte(text[range.begin])) &&
                            (range.end == text.size() || !IsIdentifierByte(text[range.end]) ||
                             !IsIdentifierByte(text[range.end - 1]));
      if (!is_whole) {
        return absl::DataLossError(
            absl::StrCat("it names a place in ", range.path, " that is no name"));
      }
      has_declaration =
          has_declaration ||
          std::any_of(
              resolution.targets.begin(), resolution.targets.end(), [&](const Declaration& target) {
                return target.file->path == range.path && target.name_begin() == range.begin;
              });
    }
    if (has_declaration) return absl::OkStatus();
    return absl::DataLossError("its references leave out the declaration");
  }

  // Adds places that scope binds to a name which the resolver found in the same file: servers do
  // not look into every quoted name. Returns the others that the syntax tree would have named.
  static std::vector<CodeRange> AddBound(const Resolution& resolution, bool trusts_scope,
                                         std::set<CodeRange>* found) {
    std::vector<CodeRange> others;
    std::vector<CodeRange> bound;
    for (const Reference& reference : FindReferences(resolution)) {
      const SourceFile& file = *reference.file;
      const CodeRange range{file.path, reference.occurrence.begin, reference.occurrence.end};
      if (found->count(range) > 0) continue;
      const int binding = reference.occurrence.binding;
      if (trusts_scope && binding >= 0 && found->count(NameOf(file, binding)) > 0) {
        bound.push_back(range);
      } else {
        others.push_back(range);
      }
    }
    found->insert(bound.begin(), bound.end());
    return others;
  }

  // Asks about places that the references left out: settings of a project, such as `include` of
  // Pyright or the sources of a CMake target, keep files from the search of a server, and not from
  // its answers. Moves what means the symbol from `others` to `found`. False where not all could be
  // asked about.
  static absl::StatusOr<bool> AddLeftOut(Resolver* resolver, std::set<CodeRange>* found,
                                         std::vector<CodeRange>* others) {
    const std::set<CodeRange> symbol = *found;
    const absl::Time end = absl::Now() + kLeftOutTime;
    std::vector<CodeRange> left;
    size_t asked = 0;
    for (const CodeRange& range : *others) {
      if (asked == kMaxAsked || absl::Now() > end) {
        left.insert(left.end(), others->begin() + static_cast<int64_t>(asked), others->end());
        *others = std::move(left);
        return false;
      }
      ++asked;
      const CodePlace at{range.path, range.begin};
      // References are never guessed: code that is not compiled has none.
      const auto places =
          resolver->GuessesDefinitions() ? resolver->References(at, {}) : resolver->Definition(at);
      if (absl::IsCancelled(places.status())) return places.status();
      const bool is_it = places.ok() && std::any_of(places->ranges.begin(), places->ranges.end(),
                                                    [&](const CodeRange& place) {
                                                      return symbol.count(place) > 0;
                                                    });
      if (is_it) {
        found->insert(range);
      } else {
        left.push_back(range);
      }
    }
    *others = std::move(left);
    return true;
  }

  static CodeRange NameOf(const SourceFile& file, int binding) {
    const Binding& bound = file.scopes.bindings[static_cast<size_t>(binding)];
    return {file.path, bound.name_begin,
            bound.name_begin + static_cast<uint32_t>(bound.name.size())};
  }

  // Usages are no declarations, callers only calls.
  static bool IsWanted(const std::string& operation, const Resolution& resolution,
                       const SourceFile& file, const CodeRange& range) {
    if (operation != "usages" && operation != "callers") return true;
    const std::string name = file.text.substr(range.begin, range.end - range.begin);
    const Declaration& target = resolution.targets[0];
    const bool is_macro = target.symbol >= 0 && target.AsSymbol().kind == SymbolKind::kMacro;
    const bool is_declaration =
        std::any_of(file.symbols.begin(), file.symbols.end(), [&](const Symbol& symbol) {
          // `CASE(Foo) {` looks like the definition of a function.
          const bool is_use = is_macro && symbol.kind != SymbolKind::kMacro;
          return symbol.name_begin == range.begin && symbol.name == name && !is_use;
        });
    if (is_declaration) return false;
    if (operation == "usages") return true;
    const auto occurrences = FindOccurrences(file.grammar, file.scopes, file.text, name);
    return std::any_of(occurrences.begin(), occurrences.end(), [&](const Occurrence& occurrence) {
      return occurrence.begin == range.begin && occurrence.is_call;
    });
  }

  std::vector<Hit> Find(const std::string& operation, const Resolution& resolution) {
    if (operation == "definition") return Definitions(resolution);
    if (operation == "references") return References(resolution, true, false);
    if (operation == "usages") return References(resolution, false, false);
    if (operation == "callers") return References(resolution, false, true);
    if (operation == "implementations") return Related(FindImplementations(resolution, index_));
    if (operation == "callees" || operation == "base_types") {
      return FindDefinitions(operation, resolution, index_);
    }
    return Related(FindDerivedTypes(resolution, index_));
  }

  // Where no symbol answers: the lines that hold the name.
  ToolResult LookForText(const SymbolQuery& query, const absl::Status& why, size_t limit,
                         const ToolContext& context) const {
    const auto found = FindWord(context, query.name, limit);
    if (!found.ok()) return ToolResult::FromStatus(found.status());
    if (found->total == 0) {
      const std::string near = NearIdentifier(query.name, *index_);
      return ToolResult::Error(
          absl::StrCat(why.message(), "; no other text file holds it as a word",
                       near.empty() ? "" : absl::StrCat(". Did you mean ", ToUtf8(near), "?")));
    }
    const std::string note =
        absl::StrCat("No symbol answers to ", ToUtf8(query.name), ": ", why.message(), ".");
    if (context.on_fallback) context.on_fallback(absl::StrCat(note, " Its text was searched."));
    std::string text =
        absl::StrCat(note, "\n", Count(found->total, "line"),
                     found->total == 1 ? " holds" : " hold", " it as text (certainty: text):\n");
    Json list = Json::array();
    for (const TextHit& hit : found->hits) {
      Json json = {{"line", hit.line},
                   {"column", hit.column},
                   {"symbol", ""},
                   {"text", hit.text},
                   {"certainty", "text"}};
      SetPath(&json, "file", hit.path);
      list.push_back(std::move(json));
      absl::StrAppend(&text, DisplayPath(hit.path), ":", hit.line, ":", hit.column,
                      " (text): ", hit.text, "\n");
    }
    if (found->total > found->hits.size()) {
      absl::StrAppend(&text, "[", found->total - found->hits.size(), " more; raise limit]\n");
    }
    return ToolResult::Success(std::move(text), {{"targets", Json::array()},
                                                 {"hits", std::move(list)},
                                                 {"total", found->total},
                                                 {"exact", 0},
                                                 {"unreadable", Json::array()}});
  }

  ToolResult Report(const std::string& operation, const Resolution& resolution,
                    const Answer& answer, size_t limit) const {
    const std::vector<Hit>& hits = answer.hits;
    Json targets = Json::array();
    std::vector<std::string> named;
    for (const Declaration& target : resolution.targets) {
      const std::string described = Describe(target);
      targets.push_back(described);
      if (named.size() < kMaxNamed) named.push_back(described);
    }
    const auto exact =
        static_cast<size_t>(std::count_if(hits.begin(), hits.end(), [](const Hit& hit) {
          return hit.certainty == Certainty::kExact;
        }));
    std::string text = absl::StrCat(
        Counted(hits.size(), operation), " of ", absl::StrJoin(named, ", "),
        resolution.targets.size() > named.size()
            ? absl::StrCat(" and ", resolution.targets.size() - named.size(), " more")
            : "",
        exact < hits.size() ? absl::StrCat("; ", hits.size() - exact, " only likely") : "", "\n");
    if (!resolution.IsUnambiguous()) {
      absl::StrAppend(&text,
                      "Several symbols have that name: give Owner.name, or filePath and "
                      "line, to choose one.\n");
    }
    Json list = Json::array();
    for (const Hit& hit : hits) {
      if (list.size() == limit) break;
      list.push_back(HitJson(hit));
      absl::StrAppend(&text, HitText(hit));
    }
    if (hits.size() > limit) {
      absl::StrAppend(&text, "[", hits.size() - limit, " more; raise limit]\n");
    }
    absl::StrAppend(&text, "Resolved by: ", answer.resolved_by,
                    answer.note.empty() ? "" : absl::StrCat(" (", ToUtf8(answer.note), ")"), ".");
    if (answer.others > 0) {
      absl::StrAppend(&text, " ", Count(answer.others, "other place"),
                      answer.others == 1 ? " holds" : " hold", " the name.");
    }
    text += '\n';
    Json unreadable = Json::array();
    for (const std::string& path : index_->unreadable()) unreadable.push_back(ToUtf8(path));
    if (!unreadable.empty()) {
      absl::StrAppend(
          &text, "Not looked at, too large or too complex: ", DisplayPath(index_->unreadable()[0]),
          unreadable.size() > 1 ? absl::StrCat(" and ", unreadable.size() - 1, " more") : "", "\n");
    }
    Json data = {{"targets", std::move(targets)},
                 {"hits", std::move(list)},
                 {"total", hits.size()},
                 {"exact", exact},
                 {"resolvedBy", answer.resolved_by},
                 {"others", answer.others},
                 {"unreadable", std::move(unreadable)}};
    if (!answer.note.empty()) data["resolutionNote"] = ToUtf8(answer.note);
    return ToolResult::Success(std::move(text), std::move(data));
  }

  ToolSpec spec_;
  CodeIndex* const index_;
  ResolverPool* const resolvers_;
};

}  // namespace

std::unique_ptr<Tool> NewCodeNavigateTool(CodeIndex* index, ResolverPool* resolvers) {
  return std::make_unique<CodeNavigateTool>(index, resolvers);
}

}  // namespace stile
