#include "tools/codegen/new_file.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "runtime/base/status.h"
#include "runtime/base/text.h"
#include "runtime/workspace/file_system.h"
#include "runtime/workspace/workspace_path.h"
#include "tools/codegen/code_site.h"
#include "tools/codegen/insert_code.h"
#include "tools/language/language_backend.h"

namespace stile {
namespace {

constexpr size_t kMaxNeighbours = 20;
constexpr size_t kMaxText = size_t{4} << 20;

std::string Extension(absl::string_view path) {
  const std::string name = BaseName(path);
  const size_t dot = name.rfind('.');
  return dot == std::string::npos ? "" : name.substr(dot);
}

// As part of a namespace: "my-app" → my_app.
std::string Identifier(absl::string_view text) {
  std::string result;
  for (const char c : text) {
    result.push_back(absl::ascii_isalnum(static_cast<unsigned char>(c)) || c == '.' ? c : '_');
  }
  if (!result.empty() && absl::ascii_isdigit(static_cast<unsigned char>(result[0]))) {
    result.insert(0, "_");
  }
  return result;
}

std::string JoinSpace(const std::string& space, const std::string& folders) {
  std::string result = space;
  for (const absl::string_view part : absl::StrSplit(folders, '/', absl::SkipEmpty())) {
    if (part == ".") continue;
    absl::StrAppend(&result, result.empty() ? "" : ".", Identifier(part));
  }
  return result;
}

// Files of the same language in a folder, by name.
std::vector<std::shared_ptr<const SourceFile>> Neighbours(const GenerateContext& context,
                                                          const std::string& folder,
                                                          absl::string_view extension) {
  std::vector<std::shared_ptr<const SourceFile>> found;
  const auto names = ListDirectory(JoinPath(context.workspace, folder == "." ? "" : folder));
  if (!names.ok()) return found;
  for (const std::string& name : *names) {
    if (found.size() == kMaxNeighbours) break;
    if (Extension(name) != extension) continue;
    auto file = context.index->Open(JoinPath(folder, name));
    if (file.ok()) found.push_back(*std::move(file));
  }
  return found;
}

// The namespace that a file is in: its first symbol of that kind.
std::string SpaceOf(const SourceFile& file) {
  for (const Symbol& symbol : file.symbols) {
    if (symbol.kind == SymbolKind::kNamespace) return symbol.name;
  }
  return "";
}

void FindCSharpSpace(const GenerateContext& context, NewFile* file) {
  std::string below;  // folders between the neighbour and the file
  std::string folder = DirName(file->path);
  const std::string project = FindAbove(context.workspace, file->path, "*.csproj");
  const std::string root = project.empty() ? "." : DirName(project);
  while (true) {
    for (const auto& neighbour : Neighbours(context, folder, ".cs")) {
      const std::string space = SpaceOf(*neighbour);
      if (space.empty()) continue;
      file->space = JoinSpace(space, below);
      file->space_has_block =
          !absl::StrContains(neighbour->text, absl::StrCat("namespace ", space, ";"));
      return;
    }
    if (folder == root || folder == ".") break;
    below = below.empty() ? BaseName(folder) : absl::StrCat(BaseName(folder), "/", below);
    folder = DirName(folder);
  }
  if (project.empty()) return;
  const std::string text = ReadText(context.workspace, project);
  std::string name = Identifier(BaseName(project).substr(0, BaseName(project).size() - 7));
  const size_t begin = text.find("<RootNamespace>");
  const size_t end = text.find("</RootNamespace>");
  if (begin != std::string::npos && end != std::string::npos && end > begin + 15) {
    name = text.substr(begin + 15, end - begin - 15);
  }
  file->space = JoinSpace(name, below);
}

void FindJavaSpace(const GenerateContext& context, NewFile* file) {
  const std::string folder = DirName(file->path);
  for (const auto& neighbour : Neighbours(context, folder, ".java")) {
    file->space = SpaceOf(*neighbour);
    return;
  }
  for (const absl::string_view root : {"src/main/java", "src/test/java", "src"}) {
    const std::string padded = absl::StrCat("/", folder, "/");
    const size_t at = padded.find(absl::StrCat("/", root, "/"));
    if (at == std::string::npos) continue;
    file->space = JoinSpace("", padded.substr(at + root.size() + 1));
    return;
  }
}

void FindGoSpace(const GenerateContext& context, NewFile* file) {
  const std::string folder = DirName(file->path);
  const bool is_test = absl::EndsWith(file->path, "_test.go");
  for (const auto& neighbour : Neighbours(context, folder, ".go")) {
    const std::string space = SpaceOf(*neighbour);
    if (space.empty() || (absl::EndsWith(space, "_test") && !is_test)) continue;
    file->space = space;
    if (!absl::EndsWith(space, "_test")) return;
  }
  if (!file->space.empty()) return;
  std::string name = BaseName(folder);
  if (folder == ".") {
    const std::string module = ReadText(context.workspace, "go.mod");
    absl::string_view line = module;
    absl::ConsumePrefix(&line, "module ");
    name = BaseName(absl::StripAsciiWhitespace(line.substr(0, line.find('\n'))));
  }
  std::string package;
  for (const char c : name) {
    if (absl::ascii_isalnum(static_cast<unsigned char>(c))) {
      package.push_back(absl::ascii_tolower(static_cast<unsigned char>(c)));
    }
  }
  file->space = package.empty() ? "main" : package;
}

void FindCppSpace(const GenerateContext& context, NewFile* file) {
  for (const absl::string_view extension : {".h", ".hpp", ".cc", ".cpp", ".c"}) {
    for (const auto& neighbour : Neighbours(context, DirName(file->path), extension)) {
      if (absl::EndsWith(extension, "h") || extension == ".hpp") {
        file->has_guard = absl::StrContains(neighbour->text, "#ifndef ") &&
                          !absl::StrContains(neighbour->text, "#pragma once");
      }
      if (LanguageBackendOf(file->language->id).generation.space_blocks) {
        file->space = SpaceOf(*neighbour);
      }
      return;
    }
  }
}

// A header that could be of two languages, in a folder with code of the other one.
bool IsBeside(const GenerateContext& context, const std::string& path,
              const std::string& header_language) {
  const std::string folder = DirName(path);
  const auto names =
      ListDirectory(folder == "." ? context.workspace : JoinPath(context.workspace, folder));
  return names.ok() && context.languages->Find(header_language) != nullptr &&
         std::any_of(names->begin(), names->end(), [&](const std::string& name) {
           const Language* language = context.languages->OfFile(name);
           return language != nullptr && language->id == header_language;
         });
}

std::string Guard(absl::string_view path) {
  std::string guard = absl::AsciiStrToUpper(Identifier(path));
  std::replace(guard.begin(), guard.end(), '.', '_');
  return absl::StrCat(guard, "_");
}

bool IsHeader(absl::string_view path) {
  const std::string extension = Extension(path);
  return extension == ".h" || extension == ".hpp" || extension == ".hh" || extension == ".hxx";
}

}  // namespace

std::string ReadText(const std::string& workspace, const std::string& path) {
  auto text = DiskFileSystem()->ReadFile(JoinPath(workspace, path), kMaxText);
  return text.ok() ? *std::move(text) : "";
}

std::string FindAbove(const std::string& workspace, const std::string& path,
                      absl::string_view glob) {
  for (std::string folder = DirName(path);; folder = DirName(folder)) {
    const auto names = ListDirectory(folder == "." ? workspace : JoinPath(workspace, folder));
    if (names.ok()) {
      for (const std::string& name : *names) {
        if (GlobMatch(glob, name)) return JoinPath(folder, name);
      }
    }
    if (folder == "." || folder == "/" || folder.empty()) return "";
  }
}

absl::StatusOr<NewFile> PlanNewFile(const GenerateContext& context, const std::string& path) {
  NewFile file;
  file.path = path;
  file.language = context.languages->OfFile(path);
  if (file.language == nullptr) {
    return absl::InvalidArgumentError(absl::StrCat(
        path, " has the extension of no known language; use file.write, or another name"));
  }
  file.grammar = FindGrammar(context.languages->GrammarOf(path));
  const std::string& other = LanguageBackendOf(file.language->id).generation.header_language;
  if (!other.empty() && absl::EndsWith(path, ".h") && IsBeside(context, path, other)) {
    file.language = context.languages->Find(other);
    file.grammar = FindGrammar(file.language->grammar);
  }
  if (FileExists(JoinPath(context.workspace, path))) {
    return absl::AlreadyExistsError(absl::StrCat(path, " exists already"));
  }
  file.family = FindLanguageFamily(file.language->id);
  if (file.family == nullptr || file.grammar == nullptr) {
    return NotAvailable("create_type", file.language->name);
  }
  file.style = StyleOf("", *file.family);
  const auto neighbours = Neighbours(context, DirName(path), Extension(path));
  if (!neighbours.empty()) file.style = StyleOf(neighbours[0]->text, *file.family);
  const LanguageBackend& language = LanguageBackendOf(file.language->id);
  const GenerationFacts& facts = language.generation;
  if (language.facts.imports_name_spaces) FindCSharpSpace(context, &file);
  if (facts.imports_types) FindJavaSpace(context, &file);
  if (facts.imports_packages) FindGoSpace(context, &file);
  if (facts.has_includes) FindCppSpace(context, &file);
  if (facts.may_be_commonjs) {
    const std::string package =
        ReadText(context.workspace, FindAbove(context.workspace, path, "package.json"));
    file.is_module = absl::EndsWith(path, ".mjs") || absl::StrContains(package, "\"module\"") ||
                     std::any_of(neighbours.begin(), neighbours.end(), [](const auto& neighbour) {
                       return absl::StrContains(neighbour->text, "export ");
                     });
    if (absl::EndsWith(path, ".cjs")) file.is_module = false;
  }
  return file;
}

std::string NewFile::Render(const std::vector<std::string>& uses, absl::string_view code) const {
  std::string text;
  const LanguageBackend& backend = LanguageBackendOf(language->id);
  const GenerationFacts& facts = backend.generation;
  const bool guarded = facts.has_includes && IsHeader(path);
  if (guarded) {
    absl::StrAppend(
        &text, has_guard ? absl::StrCat("#ifndef ", Guard(path), "\n#define ", Guard(path), "\n\n")
                         : "#pragma once\n\n");
  }
  if (!facts.package_line_end.empty() && !space.empty()) {
    absl::StrAppend(&text, "package ", space, facts.package_line_end, "\n");
  }
  if (!uses.empty()) {
    const auto gap = static_cast<size_t>(backend.facts.top_level_gap);
    absl::StrAppend(&text, absl::StrJoin(uses, "\n"), std::string(gap + 1, '\n'));
  }
  const std::string plain = Indent(code, "", style, *grammar);
  if (backend.facts.imports_name_spaces && !space.empty()) {
    if (space_has_block) {
      absl::StrAppend(&text, Indent(Block(absl::StrCat("namespace ", space), code, style, *grammar),
                                    "", style, *grammar));
    } else {
      absl::StrAppend(&text, "namespace ", space, ";\n\n", plain);
    }
  } else if (facts.space_blocks && !space.empty()) {
    absl::StrAppend(&text, "namespace ", space, " {\n\n", plain, "\n\n}  // namespace ", space);
  } else {
    absl::StrAppend(&text, plain);
  }
  absl::StrAppend(&text, "\n");
  if (guarded && has_guard) absl::StrAppend(&text, "\n#endif  // ", Guard(path), "\n");
  return WithNewlines(text, style);
}

}  // namespace stile
