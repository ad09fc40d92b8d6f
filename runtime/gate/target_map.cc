#include "runtime/gate/target_map.h"

#include <algorithm>
#include <set>

#include "absl/strings/str_cat.h"
#include "runtime/base/text.h"
#include "runtime/workspace/workspace_path.h"

namespace stile {
namespace {

bool MatchesWatch(absl::string_view path, const GateSettings& settings) {
  return path == "stile.yaml" ||
         std::any_of(settings.watch.begin(), settings.watch.end(),
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
    const Language* of_code = registry.OfFile(path);
    if (of_code != nullptr) add(*of_code, path, true);
    for (const Language* language : registry.OfBuildFile(path)) {
      if (language != of_code) add(*language, path, false);
    }
  }
  // A settings file with no code beside it decides nothing: package.json in a project that is all
  // TypeScript belongs to TypeScript alone. A real project keeps its target even when it is empty,
  // if no other language of the same root has code.
  std::set<std::string> roots_with_code;
  for (const auto& [key, group] : groups) {
    if (!group.code_files.empty()) roots_with_code.insert(key.second);
  }
  for (auto it = groups.begin(); it != groups.end();) {
    const bool decided_elsewhere = it->second.loose || roots_with_code.count(it->first.second) > 0;
    it = it->second.code_files.empty() && decided_elsewhere ? groups.erase(it) : std::next(it);
  }
  return groups;
}

void AddSorted(std::vector<std::string>* into, const std::vector<std::string>& more) {
  into->insert(into->end(), more.begin(), more.end());
  std::sort(into->begin(), into->end());
  into->erase(std::unique(into->begin(), into->end()), into->end());
}

// Adds to `target` what the targets it builds on consist of, directly or through others.
void CollectInputs(const std::vector<Target>& targets,
                   const std::vector<std::optional<std::vector<std::string>>>& dependencies,
                   size_t start, std::vector<char>* seen) {
  std::vector<size_t> stack = {start};
  (*seen)[start] = 1;
  while (!stack.empty()) {
    const size_t at = stack.back();
    stack.pop_back();
    for (size_t other = 0; other < targets.size(); ++other) {
      if ((*seen)[other] || targets[other].level != Level::kBuild) continue;
      const bool same_language = targets[other].project.language == targets[at].project.language;
      const bool listed = dependencies[at].has_value()
                              ? std::find(dependencies[at]->begin(), dependencies[at]->end(),
                                          targets[other].project.root) != dependencies[at]->end() &&
                                    !targets[other].project.loose
                              : same_language;
      if (!listed) continue;
      (*seen)[other] = 1;
      stack.push_back(other);
    }
  }
}

}  // namespace

bool IsWatched(absl::string_view path, const LanguageRegistry& registry,
               const GateSettings& settings) {
  return registry.OfFile(path) != nullptr || !registry.OfBuildFile(path).empty() ||
         MatchesWatch(path, settings);
}

TargetMap TargetMap::Build(const std::string& workspace, const Snapshot& snapshot,
                           const LanguageRegistry& registry, const ValidatorRegistry& validators,
                           const GateSettings& settings, bool with_tests) {
  std::vector<std::string> paths;
  std::vector<std::string> watched_by_setting;
  for (const FileRecord& file : snapshot.files()) {
    if (file.kind == FileRecord::Kind::kSpecial) continue;
    if (MatchesWatch(file.path, settings)) watched_by_setting.push_back(file.path);
    paths.push_back(file.path);
  }

  TargetMap map;
  for (auto& [key, group] : GroupFiles(paths, registry)) {
    for (const Level level : {Level::kBuild, Level::kTest}) {
      if (level == Level::kTest && !with_tests) continue;
      Project project{group.language, workspace, group.root, group.loose, group.files};
      const Validator* validator = validators.ForProject(project, level);
      if (validator == nullptr && level == Level::kTest) continue;  // a project without tests
      const TargetKey target_key = absl::StrCat(
          validator == nullptr ? absl::StrCat("none/", group.language->id) : validator->id(), ":",
          project.root, ":", LevelName(level), group.loose ? ":loose" : "");
      auto same = std::find_if(map.targets_.begin(), map.targets_.end(),
                               [&](const Target& t) { return t.key == target_key; });
      if (same == map.targets_.end()) {
        map.targets_.push_back({target_key, validator, level, project, group.code_files, {}});
      } else {
        AddSorted(&same->project.files, group.files);
        AddSorted(&same->code_files, group.code_files);
      }
    }
  }
  std::sort(map.targets_.begin(), map.targets_.end(),
            [](const Target& a, const Target& b) { return a.key < b.key; });

  std::vector<std::optional<std::vector<std::string>>> dependencies;
  for (const Target& target : map.targets_) {
    if (target.project.loose || target.validator == nullptr) {
      dependencies.emplace_back(std::vector<std::string>{});
    } else {
      dependencies.push_back(target.validator->Dependencies(target.project));
    }
  }
  for (size_t i = 0; i < map.targets_.size(); ++i) {
    std::vector<char> seen(map.targets_.size(), 0);
    CollectInputs(map.targets_, dependencies, i, &seen);
    ContentMap& inputs = map.targets_[i].inputs;
    const auto add = [&](const std::string& path) {
      if (const FileRecord* record = snapshot.Find(path)) inputs[path] = record->hash;
    };
    for (size_t other = 0; other < seen.size(); ++other) {
      if (seen[other])
        std::for_each(map.targets_[other].project.files.begin(),
                      map.targets_[other].project.files.end(), add);
    }
    // Files that a setting watches are everybody's business.
    std::for_each(watched_by_setting.begin(), watched_by_setting.end(), add);
  }
  return map;
}

const Target* TargetMap::Find(const TargetKey& key) const {
  const auto it = std::lower_bound(targets_.begin(), targets_.end(), key,
                                   [](const Target& t, const TargetKey& k) { return t.key < k; });
  return it != targets_.end() && it->key == key ? &*it : nullptr;
}

}  // namespace stile
