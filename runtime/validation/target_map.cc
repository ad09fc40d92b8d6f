#include "runtime/validation/target_map.h"

#include <sys/stat.h>

#include <algorithm>
#include <set>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "runtime/base/text.h"
#include "runtime/workspace/file_system.h"
#include "runtime/workspace/workspace_path.h"

namespace stile {
namespace {

constexpr size_t kMaxLinkedBytes = size_t{64} << 20;

// Where a symlink leads, as it stands on disk.
struct Link {
  bool to_file = false;
  bool to_folder = false;
  std::string inside;   // relative to the workspace; "" if it leads out of it
  std::string content;  // hash of a file's content that no snapshot shows; "" otherwise
};

Link Follow(const std::string& workspace, const std::string& path, const Snapshot& snapshot) {
  Link link;
  const absl::StatusOr<std::string> real = RealPath(JoinPath(workspace, path));
  struct stat info {};
  if (!real.ok() || stat(real->c_str(), &info) != 0) return link;
  link.to_file = S_ISREG(info.st_mode);
  link.to_folder = S_ISDIR(info.st_mode);
  if (absl::StartsWith(*real, workspace + "/")) link.inside = real->substr(workspace.size() + 1);
  if (link.to_file && (link.inside.empty() || !snapshot.Contains(link.inside))) {
    const auto content = DiskFileSystem()->ReadFile(*real, kMaxLinkedBytes);
    link.content = content.ok() ? Sha256Hex(*content) : "unreadable";
  }
  return link;
}

// Files with words and pictures for people. Their content breaks no build.
bool IsProse(absl::string_view path) {
  const std::string name = BaseName(path);
  // Data elsewhere (templates, tables that code includes).
  const std::string folder = BaseName(DirName(path));
  if ((folder == "doc" || folder == "docs") && absl::EndsWithIgnoreCase(name, ".txt")) return true;
  for (const char* extension : {".md", ".markdown", ".rst", ".adoc", ".org", ".png", ".jpg",
                                ".jpeg", ".gif", ".svg", ".ico", ".webp", ".pdf", ".log"}) {
    if (absl::EndsWithIgnoreCase(name, extension)) return true;
  }
  for (const char* start : {"LICENSE", "COPYING", "NOTICE", "AUTHORS", "CHANGELOG", "README",
                            ".gitignore", ".gitattributes"}) {
    if (absl::StartsWith(name, start)) return true;
  }
  return false;
}

bool MatchesWatch(absl::string_view path, const std::vector<std::string>& watch) {
  return path == "stile.yaml" ||
         std::any_of(watch.begin(), watch.end(),
                     [&](const std::string& glob) { return GlobMatch(glob, path); });
}

// Files of one language in one project folder, before validators are chosen.
struct Group {
  const Language* language;
  std::string root;  // "." and loose when there is no project file
  bool loose;
  std::vector<std::string> files;
  std::vector<std::string> code_files;
};

using GroupKey = std::pair<std::string, std::string>;  // language id, project root ("" = loose)

std::map<GroupKey, Group> GroupFiles(const std::vector<std::string>& paths,
                                     const LanguageRegistry& registry) {
  const ProjectFinder finder(registry, paths);
  std::map<GroupKey, Group> groups;
  const auto add = [&](const Language& language, const std::string& path, bool code) {
    const std::string root = finder.RootOf(language, path);
    Group& group = groups[{language.id, root}];
    group.language = &language;
    group.loose = root.empty();
    group.root = root.empty() ? "." : root;
    group.files.push_back(path);
    if (code) group.code_files.push_back(path);
  };
  for (const std::string& path : paths) {
    const std::vector<const Language*> of_code = registry.AllOfFile(path);
    for (const Language* language : of_code) add(*language, path, true);
    for (const Language* language : registry.OfBuildFile(path)) {
      if (std::find(of_code.begin(), of_code.end(), language) == of_code.end()) {
        add(*language, path, false);
      }
    }
  }
  // A settings file with no code beside it decides nothing: package.json in a project that is all
  // TypeScript belongs to TypeScript alone. A real project keeps its target even when it is empty,
  // if no other language of the same root has code. A declared validator decides for itself alone.
  std::set<std::string> roots_with_code;
  for (const auto& [key, group] : groups) {
    if (!group.code_files.empty() && !group.language->declared) roots_with_code.insert(key.second);
  }
  for (auto it = groups.begin(); it != groups.end();) {
    const bool decided_elsewhere =
        it->second.loose ||
        (!it->second.language->declared && roots_with_code.count(it->first.second) > 0);
    it = it->second.code_files.empty() && decided_elsewhere ? groups.erase(it) : std::next(it);
  }
  return groups;
}

void AddSorted(std::vector<std::string>* into, const std::vector<std::string>& more) {
  into->insert(into->end(), more.begin(), more.end());
  std::sort(into->begin(), into->end());
  into->erase(std::unique(into->begin(), into->end()), into->end());
}

// Whether builds of `a` can read code of `b`.
bool Reads(const Language& a, const Language& b) {
  return a.id == b.id || std::find(a.reads.begin(), a.reads.end(), b.id) != a.reads.end();
}

// Whether a build of `target` may depend on `other`, given the project roots it names; without them
// anything that it can read counts. Loose files can be named from everywhere.
bool DependsOn(const Target& target, const std::optional<std::vector<std::string>>& roots,
               const Target& other) {
  if (other.level != Level::kBuild || !Reads(*target.project.language, *other.project.language)) {
    return false;
  }
  if (!roots.has_value() || other.project.loose) return true;
  return IsWithin(other.project.root, target.project.root)
             ? other.project.language != target.project.language ||
                   std::find(roots->begin(), roots->end(), other.project.root) != roots->end()
             : std::find(roots->begin(), roots->end(), other.project.root) != roots->end();
}

// Marks the targets that the one at `start` builds on, directly or through others, and itself.
std::vector<char> CollectDependencies(
    const std::vector<Target>& targets,
    const std::vector<std::optional<std::vector<std::string>>>& dependencies, size_t start) {
  std::vector<char> seen(targets.size(), 0);
  std::vector<size_t> stack = {start};
  seen[start] = 1;
  while (!stack.empty()) {
    const size_t at = stack.back();
    stack.pop_back();
    for (size_t other = 0; other < targets.size(); ++other) {
      if (seen[other] || !DependsOn(targets[at], dependencies[at], targets[other])) continue;
      seen[other] = 1;
      stack.push_back(other);
    }
  }
  return seen;
}

// Files that no project counts as its own but that builds read: settings above the projects
// (tsconfig.base.json, Directory.Build.props, go.work), and data within them (templates, resources,
// *.inc). By index of the targets that they belong to.
std::vector<std::vector<std::string>> AssignOthers(const std::vector<std::string>& paths,
                                                   const std::vector<Target>& targets,
                                                   const LanguageRegistry& registry,
                                                   const std::set<std::string>& outputs) {
  std::set<absl::string_view> assigned;
  std::set<std::string> roots;
  for (const Target& target : targets) {
    if (target.project.language->declared) continue;
    assigned.insert(target.project.files.begin(), target.project.files.end());
    if (!target.project.loose) roots.insert(target.project.root);
  }
  std::vector<std::vector<std::string>> others(targets.size());
  for (const std::string& path : paths) {
    if (assigned.count(path) > 0 || IsProse(path) || outputs.count(path) > 0) continue;
    std::vector<const Language*> languages = registry.OfBuildFile(path);
    languages.erase(std::remove_if(languages.begin(), languages.end(),
                                   [](const Language* language) { return language->declared; }),
                    languages.end());
    if (const Language* of_code = registry.OfFile(path)) languages.push_back(of_code);
    const std::string folder = DirName(path);
    if (!languages.empty()) {
      const auto add = [&](bool below_only) {
        bool any = false;
        for (size_t i = 0; i < targets.size(); ++i) {
          const Project& project = targets[i].project;
          if (project.language->declared || (below_only && !IsWithin(project.root, folder))) {
            continue;
          }
          if (std::any_of(languages.begin(), languages.end(), [&](const Language* language) {
                return Reads(*project.language, *language);
              })) {
            others[i].push_back(path);
            any = true;
          }
        }
        return any;
      };
      if (!add(true)) add(false);
      continue;
    }
    // Data belongs to the innermost project around it.
    std::string root = folder;
    while (roots.count(root) == 0 && root != ".") root = DirName(root);
    for (size_t i = 0; i < targets.size(); ++i) {
      const Project& project = targets[i].project;
      if (!project.loose && !project.language->declared && project.root == root) {
        others[i].push_back(path);
      }
    }
  }
  return others;
}

// The same for the targets of declared validators, which take no file from other targets: data in
// the folder of their project file.
void AddDataOfDeclared(const std::vector<std::string>& paths, const std::vector<Target>& targets,
                       const LanguageRegistry& registry, const std::set<std::string>& outputs,
                       std::vector<std::vector<std::string>>* others) {
  std::map<const Language*, std::set<std::string>> roots;
  for (const Target& target : targets) {
    const Project& project = target.project;
    if (project.language->declared && !project.loose) {
      roots[project.language].insert(project.root);
    }
  }
  if (roots.empty()) return;
  for (const std::string& path : paths) {
    if (IsProse(path) || outputs.count(path) > 0 || registry.OfFile(path) != nullptr) continue;
    for (size_t i = 0; i < targets.size(); ++i) {
      const Project& project = targets[i].project;
      const auto of_language = roots.find(project.language);
      if (of_language == roots.end() || project.loose) continue;
      std::string root = DirName(path);
      while (of_language->second.count(root) == 0 && root != ".") root = DirName(root);
      if (root == project.root) (*others)[i].push_back(path);
    }
  }
}

struct FilesOfSnapshot {
  std::vector<std::string> paths;             // that compilers could read
  std::vector<std::string> of_all;            // inputs of every target
  std::map<std::string, std::string> linked;  // content that only a link shows
  bool reads_unseen = false;                  // there is such content
};

FilesOfSnapshot ReadFiles(const std::string& workspace, const Snapshot& snapshot,
                          const std::vector<std::string>& watch) {
  FilesOfSnapshot files;
  for (const FileRecord& file : snapshot.files()) {
    if (file.kind == FileRecord::Kind::kSpecial) continue;
    if (MatchesWatch(file.path, watch)) files.of_all.push_back(file.path);
    if (file.kind == FileRecord::Kind::kSymlink) {
      // Code can be reached through a link of any name, and so can what the link leads to.
      const Link link = Follow(workspace, file.path, snapshot);
      files.of_all.push_back(file.path);
      files.of_all.push_back(link.inside);
      files.linked[file.path] = link.content;
      files.reads_unseen |= !link.content.empty();
      if (!link.to_file) continue;  // nothing that a compiler could read, or a folder
    }
    files.paths.push_back(file.path);
  }
  return files;
}

// A link is what it says and what it shows; a file with the same words is something else.
Sha256Digest ContentOf(const FileRecord& record, const FilesOfSnapshot& files) {
  if (record.kind != FileRecord::Kind::kSymlink) return record.hash;
  const auto linked = files.linked.find(record.path);
  return Sha256Of(absl::StrCat("link ", ToHex(record.hash), " ",
                               linked == files.linked.end() ? "" : linked->second));
}

// The targets of all projects, sorted by key and without inputs.
std::vector<Target> MakeTargets(const std::string& workspace, const std::vector<std::string>& paths,
                                const LanguageRegistry& registry,
                                const ValidatorRegistry& validators) {
  std::vector<Target> targets;
  for (const auto& [key, group] : GroupFiles(paths, registry)) {
    for (const Level level : {Level::kBuild, Level::kTest}) {
      Project project{group.language, workspace, group.root, group.loose, group.files};
      const Validator* validator = validators.ForProject(project, level);
      if (validator == nullptr && level == Level::kTest) continue;  // a project without tests
      // A declared validator judges at one level.
      if (group.language->declared && validator == nullptr &&
          group.language->build_validators.empty()) {
        continue;
      }
      const TargetKey target_key = absl::StrCat(
          validator == nullptr ? absl::StrCat("none/", group.language->id) : validator->id(), ":",
          project.root, ":", LevelName(level), group.loose ? ":loose" : "");
      const auto same = std::find_if(targets.begin(), targets.end(),
                                     [&](const Target& t) { return t.key == target_key; });
      if (same == targets.end()) {
        targets.push_back({target_key, validator, level, project, group.code_files, {}});
      } else {
        AddSorted(&same->project.files, group.files);
        AddSorted(&same->code_files, group.code_files);
      }
    }
  }
  std::sort(targets.begin(), targets.end(),
            [](const Target& a, const Target& b) { return a.key < b.key; });
  return targets;
}

}  // namespace

bool IsWatched(absl::string_view path, const LanguageRegistry& registry,
               const std::vector<std::string>& watch) {
  return !registry.AllOfFile(path).empty() || !registry.OfBuildFile(path).empty() ||
         MatchesWatch(path, watch);
}

std::vector<std::string> DiffContent(const ContentMap& a, const ContentMap& b) {
  std::vector<std::string> paths;
  auto i = a.begin();
  auto j = b.begin();
  while (i != a.end() || j != b.end()) {
    if (j == b.end() || (i != a.end() && i->first < j->first)) {
      paths.push_back((i++)->first);
    } else if (i == a.end() || j->first < i->first) {
      paths.push_back((j++)->first);
    } else {
      if (i->second != j->second) paths.push_back(i->first);
      ++i;
      ++j;
    }
  }
  return paths;
}

std::string ContentFingerprint(const ContentMap& content) {
  Sha256 hash;
  for (const auto& [path, digest] : content) {
    hash.Update(absl::StrCat(ToHex(digest), " ", path, std::string(1, '\0')));
  }
  return ToHex(hash.Finish());
}

TargetMap TargetMap::Build(const std::string& workspace, const Snapshot& snapshot,
                           const LanguageRegistry& registry, const ValidatorRegistry& validators,
                           const std::vector<std::string>& watch,
                           const std::set<std::string>& validator_outputs) {
  TargetMap map;
  const FilesOfSnapshot files = ReadFiles(workspace, snapshot, watch);
  map.reads_unseen_ = files.reads_unseen;
  map.targets_ = MakeTargets(workspace, files.paths, registry, validators);
  std::vector<std::optional<std::vector<std::string>>> dependencies;
  for (const Target& target : map.targets_) {
    dependencies.push_back(target.validator == nullptr
                               ? std::vector<std::string>{}
                               : target.validator->Dependencies(target.project));
  }
  std::vector<std::vector<std::string>> others =
      AssignOthers(files.paths, map.targets_, registry, validator_outputs);
  AddDataOfDeclared(files.paths, map.targets_, registry, validator_outputs, &others);
  for (size_t i = 0; i < map.targets_.size(); ++i) {
    Target& target = map.targets_[i];
    const auto add = [&](const std::string& path) {
      const FileRecord* const record = snapshot.Find(path);
      if (record != nullptr) target.inputs[path] = ContentOf(*record, files);
    };
    const std::vector<char> seen = CollectDependencies(map.targets_, dependencies, i);
    for (size_t other = 0; other < seen.size(); ++other) {
      if (!seen[other]) continue;
      const std::vector<std::string>& own = map.targets_[other].project.files;
      std::for_each(own.begin(), own.end(), add);
      std::for_each(others[other].begin(), others[other].end(), add);
    }
    std::for_each(files.of_all.begin(), files.of_all.end(), add);
    if (target.validator == nullptr) continue;
    for (const JudgingFile& script : target.validator->scripts(target.project)) {
      if (script.runs) add(script.path);
    }
  }
  return map;
}

const Target* TargetMap::Find(const TargetKey& key) const {
  const auto it = std::lower_bound(targets_.begin(), targets_.end(), key,
                                   [](const Target& t, const TargetKey& k) { return t.key < k; });
  return it != targets_.end() && it->key == key ? &*it : nullptr;
}

}  // namespace stile
