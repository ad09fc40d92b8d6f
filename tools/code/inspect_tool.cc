#include "tools/code/inspect_tool.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "runtime/base/text.h"
#include "runtime/tool/path_text.h"
#include "runtime/tool/schema_builder.h"
#include "tools/code/code_text.h"
#include "tools/index/near_names.h"
#include "tools/index/symbol_query.h"
#include "tools/index/type_relations.h"

namespace stile {
namespace {

constexpr size_t kMaxSymbols = 2000;
constexpr size_t kMaxShown = 20;  // declarations of one name
constexpr size_t kMaxSignatureBytes = 200;
constexpr size_t kMaxDocumentationBytes = 2000;

std::string ShortSignature(const SourceFile& file, const Symbol& symbol) {
  std::string signature = file.Signature(symbol);
  if (signature.size() <= kMaxSignatureBytes) return signature;
  signature.resize(kMaxSignatureBytes);
  while (!IsUtf8(signature)) signature.pop_back();
  return signature + "…";
}

Json ToJson(const SourceFile& file, size_t index) {
  const Symbol& symbol = file.symbols[index];
  Json json = {
      {"name", ToUtf8(symbol.name)},
      {"kind", std::string(SymbolKindName(symbol.kind))},
      {"container", ToUtf8(symbol.container)},
      {"line", symbol.line},
      {"endLine", file.PlaceOf(std::max(symbol.begin, symbol.end - 1)).line},
      {"signature", file.Signature(symbol)},
      {"documentation", TruncateMiddle(file.Documentation(symbol), kMaxDocumentationBytes)},
      {"bases", Json::array()}};
  for (const std::string& base : symbol.bases) json["bases"].push_back(ToUtf8(base));
  SetPath(&json, "file", file.path);
  return json;
}

int DepthOf(const SourceFile& file, const Symbol& symbol) {
  int depth = 0;
  for (int parent = symbol.parent; parent >= 0;
       parent = file.symbols[static_cast<size_t>(parent)].parent) {
    ++depth;
  }
  return depth;
}

std::string OutlineLine(const SourceFile& file, const Symbol& symbol, int depth) {
  const int end = file.PlaceOf(std::max(symbol.begin, symbol.end - 1)).line;
  return absl::StrCat(symbol.line, end > symbol.line ? absl::StrCat("-", end) : "", "\t",
                      std::string(static_cast<size_t>(2 * depth), ' '),
                      ShortSignature(file, symbol), "\n");
}

class CodeInspectTool : public Tool {
 public:
  explicit CodeInspectTool(CodeIndex* index) : index_(index) {
    spec_.name = "code.inspect";
    spec_.description = "Outline of a file, or documentation and members of a symbol.";
    spec_.parameters =
        ObjectSchema({Optional("filePath", "string", "File to outline, or where the symbol is."),
                      Optional("symbolName", "string", "Symbol to describe: name or Owner.name.")});
    const Json symbol = ObjectSchema({Required("file", "string"),
                                      Optional("fileBase64", "string"),
                                      Required("name", "string"),
                                      Required("kind", "string"),
                                      Required("container", "string"),
                                      Required("line", "integer"),
                                      Required("endLine", "integer"),
                                      Required("signature", "string"),
                                      Required("documentation", "string"),
                                      {"bases", ArraySchema({{"type", "string"}}), true}});
    spec_.output =
        ObjectSchema({{"symbols", ArraySchema(symbol), true}, Required("total", "integer")});
    spec_.read_only = true;
    spec_.argument_aliases = QueryAliases();
  }

  const ToolSpec& spec() const override { return spec_; }

  ToolResult Run(const Json& arguments, const ToolContext& context) override {
    const auto query = QueryFromArguments(arguments, context);
    if (!query.ok()) return ToolResult::FromStatus(query.status());
    if (!query->name.empty()) return Inspect(*query);
    if (!query->file.empty()) return Outline(query->file);
    return ToolResult::Error("give filePath for the outline of a file, or symbolName.");
  }

 private:
  ToolResult Outline(const std::string& path) {
    const auto file = index_->Open(path);
    if (!file.ok()) {
      const std::string near = absl::IsNotFound(file.status()) ? NearPath(path, *index_) : "";
      return ToolResult::FromStatus(
          file.status(), near.empty() ? "file.read shows a file of any kind"
                                      : absl::StrCat("Did you mean ", ToUtf8(near), "?"));
    }
    const SourceFile& source = **file;
    std::string text = absl::StrCat(DisplayPath(path), ": ", source.language.name, ", ",
                                    Count(SplitLines(source.text).size(), "line"), ", ",
                                    Count(source.symbols.size(), "symbol"), "\n");
    Json list = Json::array();
    for (size_t i = 0; i < source.symbols.size() && i < kMaxSymbols; ++i) {
      absl::StrAppend(&text,
                      OutlineLine(source, source.symbols[i], DepthOf(source, source.symbols[i])));
      list.push_back(ToJson(source, i));
    }
    if (source.symbols.size() > kMaxSymbols) {
      absl::StrAppend(&text, "[", source.symbols.size() - kMaxSymbols, " more]\n");
    }
    return ToolResult::Success(std::move(text),
                               {{"symbols", std::move(list)}, {"total", source.symbols.size()}});
  }

  ToolResult Inspect(const SymbolQuery& query) {
    const auto resolution = Resolve(query, index_);
    if (!resolution.ok()) return NothingResolved(resolution.status(), query, *index_);
    std::string text;
    Json list = Json::array();
    for (const Declaration& target : resolution->targets) {
      if (target.symbol < 0) continue;
      if (list.size() == kMaxShown) {
        absl::StrAppend(&text, "[", resolution->targets.size() - kMaxShown, " more]\n");
        break;
      }
      absl::StrAppend(&text, Describe(target), "\n");
      AppendDetails(target, &text);
      list.push_back(ToJson(*target.file, static_cast<size_t>(target.symbol)));
      AppendMembers(target, &text, &list);
    }
    const size_t total = list.size();
    return ToolResult::Success(std::move(text), {{"symbols", std::move(list)}, {"total", total}});
  }

  static void AppendDetails(const Declaration& target, std::string* text) {
    const Symbol& symbol = target.AsSymbol();
    absl::StrAppend(text, "  ", target.file->Signature(symbol), "\n");
    const std::string documentation =
        TruncateMiddle(target.file->Documentation(symbol), kMaxDocumentationBytes);
    for (const absl::string_view line : SplitLines(documentation)) {
      absl::StrAppend(text, "  | ", line, "\n");
    }
    if (!symbol.bases.empty()) {
      absl::StrAppend(text, "  bases: ", ToUtf8(absl::StrJoin(symbol.bases, ", ")), "\n");
    }
  }

  // What a type declares: in its body, and what says from elsewhere that it belongs to it.
  void AppendMembers(const Declaration& target, std::string* text, Json* list) {
    const SourceFile& file = *target.file;
    const Symbol& type = target.AsSymbol();
    const bool holds_members = IsType(type.kind) || type.kind == SymbolKind::kNamespace;
    if (!holds_members || !type.is_definition) return;
    const std::string name = target.QualifiedName();
    for (size_t i = 0; i < file.symbols.size(); ++i) {
      if (file.symbols[i].parent != target.symbol) continue;
      absl::StrAppend(text, "  ", OutlineLine(file, file.symbols[i], 0));
      list->push_back(ToJson(file, i));
    }
    if (type.kind == SymbolKind::kNamespace) return;
    for (const auto& other : index_->FilesWith(type.name)) {
      if (!SeeEachOther(other->language, file.language)) continue;
      for (size_t i = 0; i < other->symbols.size(); ++i) {
        const Symbol& member = other->symbols[i];
        const bool is_inside =
            other->path == file.path && member.begin >= type.begin && member.end <= type.end;
        if (member.container != name || is_inside || list->size() >= kMaxSymbols) continue;
        absl::StrAppend(text, "  ", DisplayPath(other->path), ":", OutlineLine(*other, member, 0));
        list->push_back(ToJson(*other, i));
      }
    }
  }

  ToolSpec spec_;
  CodeIndex* const index_;
};

}  // namespace

std::unique_ptr<Tool> NewCodeInspectTool(CodeIndex* index) {
  return std::make_unique<CodeInspectTool>(index);
}

}  // namespace stile
