#include "agents/api/project_instructions.h"

#include <sys/stat.h>

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "agents/api/catalog.h"
#include "runtime/base/sha256.h"
#include "runtime/base/status.h"
#include "runtime/base/text.h"
#include "runtime/base/yaml.h"
#include "runtime/tool/path_text.h"
#include "runtime/workspace/file_system.h"
#include "runtime/workspace/workspace_path.h"

namespace stile {
namespace {

using Kind = InstructionSource::Kind;
using Sources = std::vector<InstructionSource>;

constexpr char kAgentsFile[] = "AGENTS.md";
constexpr char kClaudeFile[] = "CLAUDE.md";
constexpr char kSkillsFolder[] = ".agents/skills";
constexpr char kSkillFile[] = "SKILL.md";
constexpr size_t kMaxFile = size_t{1} << 20;
constexpr size_t kMaxSkills = 200;             // folders that are looked at
constexpr size_t kMaxSkillNameBytes = 64;      // by the Agent Skills specification
constexpr size_t kMaxDescriptionBytes = 1024;  // the same
constexpr size_t kFenceDigits = 12;

bool IsInstructionFile(absl::string_view name) {
  return name == kAgentsFile || name == kClaudeFile;
}

InstructionSource Skipped(InstructionSource source, absl::string_view why) {
  source.skipped = std::string(why);
  source.is_defect = true;
  return source;
}

// The longest beginning of `text` (UTF-8) of at most `max_bytes`, at the end of a line if there is
// one in it.
std::string Beginning(const std::string& text, size_t max_bytes) {
  if (text.size() <= max_bytes) return text;
  size_t end = max_bytes;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;
  const size_t line = text.rfind('\n', end);
  if (line != std::string::npos && line > 0) end = std::min(end, line + 1);
  return text.substr(0, end);
}

// On one line, without control characters.
std::string Flat(absl::string_view text) {
  std::string flat(text);
  std::replace_if(
      flat.begin(), flat.end(), [](unsigned char c) { return c < 0x20 || c == 0x7F; }, ' ');
  absl::RemoveExtraAsciiWhitespace(&flat);
  return flat;
}

// The file behind a path: inside the workspace, or by its name instructions too, elsewhere in the
// repository. A link to anything else would put into the prompt what the agent itself cannot read.
absl::StatusOr<std::string> Target(const InstructionPlace& place, const std::string& path) {
  STILE_ASSIGN_OR_RETURN(const std::string real, RealPath(path));
  const auto inside = ResolveInWorkspace(place.workspace, real);
  if (inside.ok()) return real;
  const bool in_repository =
      !place.repository_root.empty() && ResolveInWorkspace(place.repository_root, real).ok();
  if (in_repository && IsInstructionFile(BaseName(real))) return real;
  return absl::PermissionDeniedError("it is a link that leaves the workspace");
}

// Fills in size, hash and text of the file at the absolute `path`.
InstructionSource ReadSource(const InstructionPlace& place, const std::string& path,
                             InstructionSource source) {
  const auto target = Target(place, path);
  if (absl::IsPermissionDenied(target.status())) return Skipped(source, target.status().message());
  if (!target.ok()) return Skipped(source, "it cannot be read, or is a link that leads nowhere");
  struct stat info {};
  if (stat(target->c_str(), &info) == 0 && S_ISREG(info.st_mode)) {
    source.bytes = static_cast<size_t>(info.st_size);
  }
  auto text = DiskFileSystem()->ReadFile(*target, kMaxFile);
  if (absl::IsResourceExhausted(text.status())) {
    return Skipped(source, absl::StrCat("it is larger than ", kMaxFile >> 10, " KiB"));
  }
  if (absl::IsFailedPrecondition(text.status())) return Skipped(source, "it is no regular file");
  if (!text.ok()) return Skipped(source, "it cannot be read");
  source.bytes = text->size();
  source.sha256 = Sha256Hex(*text);
  if (absl::StrContains(*text, '\0')) return Skipped(source, "it is binary: it holds a NUL byte");
  if (!IsUtf8(*text)) return Skipped(source, "it is not UTF-8");
  source.text = *std::move(text);
  if (absl::StripAsciiWhitespace(source.text).empty()) source.skipped = "it is empty";
  return source;
}

// Whether a CLAUDE.md adds nothing to the AGENTS.md beside it.
bool SaysTheSame(const InstructionSource& claude, const InstructionSource& agents) {
  const absl::string_view text = absl::StripAsciiWhitespace(claude.text);
  return text == "@AGENTS.md" || text == "@./AGENTS.md" ||
         text == absl::StripAsciiWhitespace(agents.text);
}

// AGENTS.md and CLAUDE.md of one folder; `prefix` leads there from the workspace.
void AddFolder(const InstructionPlace& place, const std::string& folder, const std::string& prefix,
               Sources* sources) {
  std::optional<InstructionSource> agents;
  for (const char* name : {kAgentsFile, kClaudeFile}) {
    const std::string path = JoinPath(folder, name);
    if (!FileExists(path)) continue;
    InstructionSource source;
    source.path = prefix + name;
    source = ReadSource(place, path, std::move(source));
    if (agents.has_value() && source.skipped.empty() && SaysTheSame(source, *agents)) {
      source.skipped = absl::StrCat("it says the same as ", agents->path);
    }
    if (name == kAgentsFile && source.skipped.empty()) agents = source;
    sources->push_back(std::move(source));
  }
}

// Cuts the texts so that all of them together fit; the nearest come first.
void FitTexts(Sources* sources) {
  size_t room = kMaxInstructionBytes;
  for (InstructionSource& source : *sources) {
    if (source.kind != Kind::kText || !source.skipped.empty()) continue;
    source.text = Beginning(source.text, room);
    room -= source.text.size();
    if (source.text.empty()) source = Skipped(source, "the files before it took all the room");
  }
}

bool IsSkillName(absl::string_view name) {
  return !name.empty() && name.size() <= kMaxSkillNameBytes && name.front() != '-' &&
         name.back() != '-' && !absl::StrContains(name, "--") &&
         std::all_of(name.begin(), name.end(), [](unsigned char c) {
           return absl::ascii_islower(c) || absl::ascii_isdigit(c) || c == '-';
         });
}

// Of the front matter only these two keys count; `allowed-tools` and others grant nothing.
InstructionSource ReadSkill(const InstructionPlace& place, const std::string& path,
                            InstructionSource source) {
  source = ReadSource(place, path, std::move(source));
  if (!source.skipped.empty()) return source;
  const auto parts = ParseFrontMatter(source.text, kSkillFile);
  source.text.clear();
  if (!parts.ok()) return Skipped(source, Flat(parts.status().message()));
  std::string description;
  const absl::Status read = [&] {
    STILE_RETURN_IF_ERROR(ReadKey(parts->front_matter, "name", &source.name));
    return ReadKey(parts->front_matter, "description", &description);
  }();
  if (!read.ok()) return Skipped(source, Flat(read.message()));
  if (!IsSkillName(source.name)) {
    source.name.clear();
    return Skipped(source,
                   "its front matter needs a name of 1 to 64 letters a to z, digits and single "
                   "hyphens");
  }
  source.text = Beginning(Flat(description), kMaxDescriptionBytes);
  if (source.text.empty()) return Skipped(source, "its front matter needs a description");
  return source;
}

void AddSkills(const InstructionPlace& place, Sources* sources) {
  const std::string folder = JoinPath(place.workspace, kSkillsFolder);
  if (!DirectoryExists(folder)) return;
  InstructionSource all;
  all.kind = Kind::kSkill;
  all.path = kSkillsFolder;
  if (!ResolveInWorkspace(place.workspace, kSkillsFolder).ok()) {
    return sources->push_back(Skipped(all, "it is a link that leaves the workspace"));
  }
  const auto names = ListDirectory(folder);
  if (!names.ok()) return sources->push_back(Skipped(all, "it cannot be read"));
  for (size_t i = 0; i < names->size(); ++i) {
    if (i == kMaxSkills) {
      all.path = JoinPath(kSkillsFolder, (*names)[i]);
      sources->push_back(Skipped(all, absl::StrCat("only the first ", kMaxSkills,
                                                   " skills are looked at, and none after it")));
      return;
    }
    InstructionSource skill;
    skill.kind = Kind::kSkill;
    skill.path = absl::StrCat(kSkillsFolder, "/", (*names)[i], "/", kSkillFile);
    const std::string path = JoinPath(place.workspace, skill.path);
    if (FileExists(path)) sources->push_back(ReadSkill(place, path, std::move(skill)));
  }
}

// Files of sub-folders: the agent reads them when it works there.
void AddSubFolders(const InstructionPlace& place, Sources* sources) {
  std::set<std::string> found;
  for (const std::string& path : place.files) {
    if (!absl::StrContains(path, '/') || absl::StartsWith(path, ".agents/")) continue;
    if (IsInstructionFile(BaseName(path))) found.insert(path);
  }
  for (const std::string& path : found) {
    InstructionSource source;
    source.kind = Kind::kFolder;
    source.path = path;
    struct stat info {};
    if (stat(JoinPath(place.workspace, path).c_str(), &info) == 0) {
      source.bytes = static_cast<size_t>(info.st_size);
    }
    if (BaseName(path) == kClaudeFile && found.count(JoinPath(DirName(path), kAgentsFile)) > 0) {
      source.skipped = "there is an AGENTS.md beside it";
    }
    sources->push_back(std::move(source));
  }
}

std::string ListLine(const InstructionSource& source) {
  if (source.kind == Kind::kFolder) return absl::StrCat("- ", DisplayPath(source.path), "\n");
  return absl::StrCat("- ", source.name, " (", DisplayPath(source.path), "): ", source.text, "\n");
}

// Leaves out what the lists have no room for.
void FitLists(Sources* sources) {
  size_t room = kMaxInstructionListBytes;
  for (InstructionSource& source : *sources) {
    if (source.kind == Kind::kText || !source.skipped.empty()) continue;
    const size_t bytes = ListLine(source).size();
    if (bytes > room) {
      source = Skipped(source, "the list is full");
    } else {
      room -= bytes;
    }
  }
}

absl::string_view KindName(Kind kind) {
  switch (kind) {
    case Kind::kText:
      return "instructions";
    case Kind::kSkill:
      return "skill";
    case Kind::kFolder:
      return "folder";
  }
  return "";
}

}  // namespace

Sources FindProjectInstructions(const InstructionPlace& place) {
  Sources sources;
  std::string folder = place.workspace;
  std::string prefix;
  while (true) {
    AddFolder(place, folder, prefix, &sources);
    if (place.repository_root.empty() || folder == place.repository_root || folder == "/") break;
    folder = DirName(folder);
    prefix += "../";
  }
  FitTexts(&sources);
  AddSkills(place, &sources);
  AddSubFolders(place, &sources);
  FitLists(&sources);
  return sources;
}

absl::StatusOr<std::string> InstructionsPrompt(const Sources& sources) {
  std::string files;
  std::string skills;
  std::string folders;
  for (const InstructionSource& source : sources) {
    if (!source.skipped.empty()) continue;
    if (source.kind == Kind::kSkill) skills += ListLine(source);
    if (source.kind == Kind::kFolder) folders += ListLine(source);
    if (source.kind != Kind::kText) continue;
    absl::StrAppend(&files, files.empty() ? "" : "\n", "File ", source.path, ":\n",
                    absl::StripTrailingAsciiWhitespace(source.text), "\n");
    if (source.is_cut()) {
      absl::StrAppend(&files, "[cut: these are the first ", source.text.size(), " of ",
                      source.bytes, " bytes]\n");
    }
  }
  if (files.empty() && skills.empty() && folders.empty()) return "";
  const std::string fence = Sha256Hex(files + skills + folders).substr(0, kFenceDigits);
  STILE_ASSIGN_OR_RETURN(const PromptTemplate prompt, LoadPrompt("project-instructions"));
  const auto trimmed = [](const std::string& text) {
    return std::string(absl::StripTrailingAsciiWhitespace(text));
  };
  return prompt.Fill({{"fence", fence},
                      {"files", trimmed(files)},
                      {"skills", trimmed(skills)},
                      {"folders", trimmed(folders)}});
}

std::vector<std::string> InstructionWarnings(const Sources& sources) {
  std::vector<std::string> warnings;
  for (const InstructionSource& source : sources) {
    if (source.is_defect) {
      warnings.push_back(absl::StrCat(DisplayPath(source.path), " is not used: ", source.skipped));
    } else if (source.is_cut()) {
      warnings.push_back(absl::StrCat("of ", DisplayPath(source.path), " only the first ",
                                      source.text.size(), " of ", source.bytes, " bytes are used"));
    }
  }
  return warnings;
}

Json ToJson(const Sources& sources) {
  Json list = Json::array();
  for (const InstructionSource& source : sources) {
    Json entry = {{"kind", std::string(KindName(source.kind))},
                  {"bytes", source.bytes},
                  {"used", source.skipped.empty()}};
    SetPath(&entry, "path", source.path);
    if (!source.sha256.empty()) entry["sha256"] = source.sha256;
    if (!source.name.empty()) entry["name"] = source.name;
    if (source.is_cut()) entry["used_bytes"] = source.text.size();
    if (!source.skipped.empty()) entry["skipped"] = ToUtf8(source.skipped);
    list.push_back(std::move(entry));
  }
  return list;
}

}  // namespace stile
