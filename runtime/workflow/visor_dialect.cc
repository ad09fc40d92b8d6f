#include "runtime/workflow/visor_dialect.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "runtime/base/status.h"
#include "runtime/base/text.h"

namespace stile {
namespace {

constexpr size_t kMaxFiles = 20;  // that extend each other

struct Renamed {
  const char* visor;
  const char* ours;
};
constexpr Renamed kTypes[] = {
    {"ai", "agent"},          {"claude-code", "agent"}, {"http_client", "http"},
    {"human-input", "human"}, {"human_input", "human"}, {"logger", "log"},
};
// Steps of these types need services that Stile does not have. A test may mock them.
constexpr const char* kForeignTypes[] = {"mcp",   "utcp",    "git-checkout", "git_checkout",
                                         "a2a",   "github",  "http_input",   "slack",
                                         "email", "webhook", "cron"};

// Keys at the top that mean nothing here.
constexpr const char* kTopIgnored[] = {"output",
                                       "ai_model",
                                       "ai_provider",
                                       "ai_mcp_servers",
                                       "tools",
                                       "sandboxes",
                                       "sandbox",
                                       "tag_filter",
                                       "fail_fast",
                                       "http_server",
                                       "knowledge",
                                       "include",
                                       "slack",
                                       "email",
                                       "actions",
                                       "max_ai_concurrency",
                                       "workspace",
                                       "agent_protocol",
                                       "policy",
                                       "worktree_cache",
                                       "scheduler",
                                       "teams",
                                       "telegram",
                                       "whatsapp",
                                       "tags",
                                       "category",
                                       "requires",
                                       "description",
                                       "author",
                                       "license",
                                       "telemetry",
                                       "limits",
                                       "on",
                                       "hooks",
                                       "sandbox_defaults",
                                       "skills",
                                       "allowed_tools",
                                       "examples",
                                       "defaults"};
// Keys of steps, likewise.
constexpr const char* kStepIgnored[] = {"criticality",
                                        "schedule",
                                        "focus",
                                        "template",
                                        "ai",
                                        "ai_model",
                                        "ai_provider",
                                        "ai_mcp_servers",
                                        "ai_mcp_servers_js",
                                        "ai_custom_tools",
                                        "ai_bash_config_js",
                                        "ai_allowed_tools_js",
                                        "ai_extra_allowed_folders_js",
                                        "ai_prompt_type",
                                        "ai_custom_prompt",
                                        "claude_code",
                                        "reuse_ai_session",
                                        "session_mode",
                                        "include_pr_context",
                                        "include_dependencies",
                                        "include_metadata",
                                        "include_timestamp",
                                        "sandbox",
                                        "policy",
                                        "rate_limit",
                                        "appendPrompt",
                                        "allow_empty",
                                        "placeholder",
                                        "multiline",
                                        "default",
                                        "author_permission",
                                        "suppressionEnabled",
                                        "auth",
                                        "retry_policy",
                                        "variables",
                                        "overrides",
                                        "output_mapping",
                                        "blocking",
                                        "parallelism"};
// What a `human-input` step gives.
constexpr char kAnswer[] = "typeof output === 'string' ? {text: output} : output";
// Visor's own schemas.
constexpr const char* kTextSchemas[] = {"plain", "text", "markdown"};
constexpr const char* kReviewSchemas[] = {"code-review", "security", "performance",
                                          "style",       "quality",  "dependencies"};
constexpr const char* kObjectSchemas[] = {"overview", "issue-assistant", "json"};

bool Holds(const char* const* begin, const char* const* end, absl::string_view word) {
  return std::any_of(begin, end, [&](const char* known) { return word == known; });
}
template <size_t kCount>
bool Holds(const char* const (&list)[kCount], absl::string_view word) {
  return Holds(std::begin(list), std::end(list), word);
}

Yaml* Find(Yaml* map, absl::string_view key) { return const_cast<Yaml*>(map->Find(key)); }

std::optional<Yaml> Take(Yaml* map, absl::string_view key) {
  const auto found = std::find_if(map->keys.begin(), map->keys.end(),
                                  [&](const Yaml::Entry& entry) { return entry.first == key; });
  if (found == map->keys.end()) return std::nullopt;
  Yaml value = std::move(found->second);
  map->keys.erase(found);
  return value;
}

void Put(Yaml* map, absl::string_view key, Yaml value) {
  Take(map, key);
  map->keys.push_back({std::string(key), std::move(value)});
}

Yaml Text(const Yaml& place, std::string text) {
  Yaml value;
  value.kind = Yaml::Kind::kScalar;
  value.scalar = std::move(text);
  value.quoted = true;
  value.file = place.file;
  value.path = place.path;
  value.line = place.line;
  value.column = place.column;
  return value;
}

bool IsMap(const Yaml* yaml) { return yaml != nullptr && yaml->kind == Yaml::Kind::kMap; }

// Of both; where both are maps of the same key, theirs again, `deep` levels down.
void Merge(const Yaml& base, int deep, Yaml* own) {
  for (const Yaml::Entry& entry : base.keys) {
    Yaml* const mine = Find(own, entry.first);
    if (mine == nullptr) {
      own->keys.push_back(entry);
    } else if (deep > 0 && IsMap(mine) && IsMap(&entry.second)) {
      Merge(entry.second, deep - 1, mine);
    }
  }
}

// One thing: the translation of one file, one function a key.
class Translation {
 public:
  Translation(const WorkflowFileReader& read, std::vector<std::string>* warnings,
              YamlErrors* errors)
      : read_(read), warnings_(*warnings), errors_(*errors) {}

  bool Run(Yaml* yaml) {
    if (yaml->kind != Yaml::Kind::kMap) return true;
    folder_ = FolderOf(yaml->file);
    *yaml = Extended(std::move(*yaml));
    Import(yaml);
    DropIgnored(yaml);
    Top(yaml);
    if (Yaml* const steps = Find(yaml, "steps"); IsMap(steps)) {
      for (Yaml::Entry& entry : steps->keys) Step(&entry.second);
    }
    if (is_visor_) GoForward(yaml);
    Warn();
    return has_all_;
  }

 private:
  absl::StatusOr<Yaml> ReadFile(const Yaml& place, const std::string& path) {
    if (!read_) return place.Error("other files cannot be read here");
    if (++files_ > kMaxFiles) {
      return place.Error(absl::StrCat("more than ", kMaxFiles, " files name each other"));
    }
    const auto text = read_(place.file, path);
    if (!text.ok()) return place.Error(text.status().message());
    return ParseYaml(*text, absl::StartsWith(path, "/") ? path : PathBeside(place.file, path));
  }

  // With its slash; "" where the name has none.
  static std::string FolderOf(const std::string& file) {
    const size_t slash = file.rfind('/');
    return slash == std::string::npos ? "" : file.substr(0, slash + 1);
  }

  static std::string PathBeside(const std::string& file, const std::string& path) {
    return absl::StrCat(FolderOf(file), path);
  }

  // As the file that is translated has to name it.
  std::string PathFromHere(const Yaml& place, const std::string& path) const {
    if (absl::StartsWith(path, "/")) return path;
    std::string beside = PathBeside(place.file, path);
    if (absl::StartsWith(beside, folder_)) beside.erase(0, folder_.size());
    return beside;
  }

  // With what it extends, the files named later over those named earlier.
  Yaml Extended(Yaml yaml) {
    if (auto checks = Take(&yaml, "checks")) {
      if (Yaml* const steps = Find(&yaml, "steps"); steps != nullptr) {
        errors_.Add(checks->Error("`checks` is another name of `steps`; give one of them"));
        if (IsMap(steps) && IsMap(&*checks)) Merge(*checks, 0, steps);
      } else {
        Put(&yaml, "steps", *std::move(checks));
      }
    }
    const auto extends = Take(&yaml, "extends");
    if (!extends.has_value()) return yaml;
    std::vector<std::string> paths;
    has_all_ = errors_.Add(extends->AsStringList(), &paths) && has_all_;
    std::reverse(paths.begin(), paths.end());
    for (const std::string& path : paths) {
      if (path == "default") {
        Ignore("extends: default", *extends);
        continue;
      }
      Yaml base;
      bool ok = errors_.Add(ReadFile(*extends, path), &base);
      if (ok && base.kind != Yaml::Kind::kMap) ok = errors_.Add(base.Error("wants a workflow"));
      if (!ok) {
        has_all_ = false;
        continue;
      }
      base = Extended(std::move(base));
      Take(&base, "tests");
      Merge(base, /*deep=*/3, &yaml);
    }
    return yaml;
  }

  // Files with an `id` that steps of type workflow name.
  void Import(Yaml* yaml) {
    const auto imports = Take(yaml, "imports");
    std::vector<std::string> paths;
    if (!imports.has_value() || !errors_.Add(imports->AsStringList(), &paths)) return;
    for (const std::string& path : paths) {
      Yaml imported;
      std::string id;
      if (!errors_.Add(ReadFile(*imports, path), &imported) ||
          !errors_.Add(ReadKey(imported, "id", &id))) {
        continue;
      }
      if (id.empty()) {
        errors_.Add(imported.Error("wants `id`, the name by which steps name it"));
      } else {
        imported_[id] = PathFromHere(*imports, path);
      }
    }
  }

  void Ignore(const std::string& key, const Yaml& place) {
    auto [entry, is_new] = ignored_.emplace(key, absl::StrCat(place.file, ":", place.line));
    (void)entry;
    ++counts_[key];
    is_visor_ = true;
    if (is_new) order_.push_back(key);
  }

  void Warn() {
    for (const std::string& key : order_) {
      const int count = counts_[key];
      warnings_.push_back(absl::StrCat(ignored_[key], ": `", key, "` means nothing here",
                                       count > 1 ? absl::StrCat(" (", count, " places)") : ""));
    }
  }

  void DropIgnored(Yaml* yaml) {
    std::vector<Yaml::Entry> kept;
    for (Yaml::Entry& entry : yaml->keys) {
      const bool ignored = Holds(kTopIgnored, entry.first) || absl::StartsWith(entry.first, "x-");
      if (ignored) {
        Ignore(entry.first, entry.second);
      } else {
        kept.push_back(std::move(entry));
      }
    }
    yaml->keys = std::move(kept);
  }

  void Top(Yaml* yaml) {
    if (Yaml* const version = Find(yaml, "version"); version != nullptr) {
      if (absl::StartsWith(version->scalar, "2")) version->scalar = "1.0";
    }
    if (auto id = Take(yaml, "id"); id.has_value() && yaml->Find("name") == nullptr) {
      Put(yaml, "name", *std::move(id));
    }
    if (const Yaml* env = yaml->Find("env"); IsMap(env)) {
      Yaml names = *env;
      names.kind = Yaml::Kind::kList;
      names.keys.clear();
      for (const Yaml::Entry& entry : env->keys)
        names.items.push_back(Text(entry.second, entry.first));
      Put(yaml, "env", std::move(names));
    }
    fail_if_ = Take(yaml, "fail_if");
    conditions_ = Take(yaml, "failure_conditions");
    if (Yaml* const memory = Find(yaml, "memory"); IsMap(memory)) {
      // Values last as long as the run, and with it when it is resumed.
      for (const char* key : {"storage", "file", "format", "auto_load", "auto_save"}) {
        if (const auto value = Take(memory, key)) Ignore(absl::StrCat("memory.", key), *value);
      }
    }
    if (const Yaml* tests = yaml->Find("tests"); IsMap(tests) && tests->Find("cases") == nullptr) {
      Ignore("tests", *tests);
      Take(yaml, "tests");
    }
    if (Yaml* const routing = Find(yaml, "routing"); IsMap(routing)) {
      defaults_ = Take(routing, "defaults");
    }
  }

  // Its jumps run what lies between, too.
  static void GoForward(Yaml* yaml) {
    if (yaml->Find("routing") == nullptr) {
      Yaml routing = Text(*yaml, "");
      routing.kind = Yaml::Kind::kMap;
      Put(yaml, "routing", std::move(routing));
    }
    Yaml* const routing = Find(yaml, "routing");
    if (IsMap(routing) && routing->Find("goto") == nullptr) {
      Put(routing, "goto", Text(*routing, "forward"));
    }
  }

  void Step(Yaml* step) {
    if (step->kind != Yaml::Kind::kMap) return;  // refused by what reads it
    Type(step);
    const std::string type = step->Find("type") == nullptr ? "" : step->Find("type")->scalar;
    // An answer is an object there.
    const bool wraps =
        asks_ && step->Find("transform") == nullptr && step->Find("transform_js") == nullptr;
    if (wraps) Put(step, "transform_js", Text(*step, kAnswer));
    std::vector<Yaml::Entry> kept;
    for (Yaml::Entry& entry : step->keys) {
      const bool nothing = entry.second.kind == Yaml::Kind::kNull && entry.first != "schema";
      if (Holds(kStepIgnored, entry.first)) {
        Ignore(entry.first, entry.second);
      } else if (!nothing) {
        kept.push_back(std::move(entry));
      }
    }
    step->keys = std::move(kept);
    Defaults(step);
    Schema(step);
    Settings(type, step);
    for (const char* key : {"assume", "guarantee"}) Conjunction(key, step);
    if (const auto init = Take(step, "on_init")) {
      errors_.Add(init->Error("is not known here: put what it runs into a step, and depend on it"));
    }
  }

  // The type that we know, or `foreign` with its own name as `kind`.
  void Type(Yaml* step) {
    Yaml* type = Find(step, "type");
    asks_ = false;
    if (type == nullptr) {
      const bool runs = step->Find("exec") != nullptr;
      const bool asks = step->Find("prompt") != nullptr;
      if (runs || asks) Put(step, "type", Text(*step, runs ? "command" : "agent"));
      return;
    }
    asks_ = type->scalar == "human-input" || type->scalar == "human_input";
    for (const Renamed& renamed : kTypes) {
      if (type->scalar != renamed.visor) continue;
      type->scalar = renamed.ours;
      // Our own files say `ai`, too.
      is_visor_ = is_visor_ || absl::string_view(renamed.visor) != "ai";
    }
    if (!Holds(kForeignTypes, type->scalar)) return;
    // Of its own keys none can be used.
    std::vector<Yaml::Entry> kept;
    for (Yaml::Entry& entry : step->keys) {
      static constexpr const char* kCommon[] = {"type",
                                                "depends_on",
                                                "if",
                                                "assume",
                                                "guarantee",
                                                "fail_if",
                                                "on_success",
                                                "on_fail",
                                                "on_finish",
                                                "forEach",
                                                "fanout",
                                                "manual",
                                                "continue_on_failure",
                                                "on",
                                                "group",
                                                "tags",
                                                "transform",
                                                "transform_js",
                                                "failure_conditions",
                                                "max_runs",
                                                "schema"};
      if (Holds(kCommon, entry.first)) kept.push_back(std::move(entry));
    }
    step->keys = std::move(kept);
    is_visor_ = true;
    Yaml* const foreign = Find(step, "type");
    const Yaml kind = Text(*foreign, foreign->scalar);
    foreign->scalar = "foreign";
    Put(step, "kind", kind);
  }

  // What the file says for all steps that do not say it themselves.
  void Defaults(Yaml* step) {
    if (fail_if_.has_value() && step->Find("fail_if") == nullptr) Put(step, "fail_if", *fail_if_);
    if (IsMap(conditions_ ? &*conditions_ : nullptr)) {
      Yaml own = step->Find("failure_conditions") != nullptr ? *step->Find("failure_conditions")
                                                             : *conditions_;
      Merge(*conditions_, 0, &own);
      Put(step, "failure_conditions", std::move(own));
    }
    if (!IsMap(defaults_ ? &*defaults_ : nullptr)) return;
    for (const Yaml::Entry& entry : defaults_->keys) {
      if (step->Find(entry.first) == nullptr) step->keys.push_back(entry);
    }
  }

  // `schema: code-review`: one of Visor's own, or a file.
  void Schema(Yaml* step) {
    const Yaml* const schema = step->Find("schema");
    if (schema == nullptr || schema->kind != Yaml::Kind::kScalar) return;
    const Yaml place = *schema;
    const std::string& name = place.scalar;
    Take(step, "schema");
    const bool is_file = absl::StrContains(name, "/") || absl::EndsWith(name, ".json");
    if (is_file) {
      Yaml read;
      if (!errors_.Add(ReadFile(place, name), &read)) return;
      Take(&read, "$schema");
      return Put(step, "schema", std::move(read));
    }
    // JSON as a text; one with holes is known only when the step runs.
    if (absl::StartsWith(absl::StripAsciiWhitespace(name), "{")) {
      const bool has_holes = absl::StrContains(name, "{{") || absl::StrContains(name, "{%");
      return PutSchema(place, has_holes ? "{type: object}" : name, step);
    }
    const bool is_review = Holds(kReviewSchemas, name);
    const bool is_text = Holds(kTextSchemas, name);
    if (!is_review && !is_text && !Holds(kObjectSchemas, name)) {
      errors_.Add(
          place.Error(absl::StrCat("there is no schema '", ToUtf8(name),
                                   "': it wants a JSON Schema, or a file that ends in .json")));
    }
    if (is_review) {
      PutSchema(place, "{type: object, properties: {issues: {type: array, items: {type: object}}}}",
                step);
    } else if (!is_text) {
      PutSchema(place, "{type: object}", step);
    }
  }

  void PutSchema(const Yaml& place, absl::string_view text, Yaml* step) {
    auto parsed = ParseYaml(text, place.file);
    if (!parsed.ok()) {
      errors_.Add(place.Error(ErrorsOfStatus(parsed.status()).front().message));
      return;
    }
    SetPlace(place, &*parsed);
    Put(step, "schema", *std::move(parsed));
  }

  // Gives `value`, which was parsed from a text at `place`, the place of that text.
  static void SetPlace(const Yaml& place, Yaml* value) {
    for (Yaml& item : value->items) SetPlace(place, &item);
    for (Yaml::Entry& entry : value->keys) SetPlace(place, &entry.second);
    value->line = place.line;
    value->column = place.column;
    value->path = absl::StrCat(place.path, value->path.empty() ? "" : ".", value->path);
  }

  void Settings(const std::string& type, Yaml* step) {
    const auto rename = [&](const char* from, const char* to) {
      if (auto value = Take(step, from); value.has_value() && step->Find(to) == nullptr) {
        Put(step, to, *std::move(value));
      }
    };
    if (type == "human") rename("prompt", "question");
    if (type == "memory") rename("op", "operation");
    if (type == "command") rename("working_directory", "cwd");
    if (type == "workflow") Nested(step);
    if (type == "agent") Prompt(step);
    if (const Yaml* format = step->Find("output_format");
        format != nullptr && (type == "http" || format->scalar == "markdown")) {
      Take(step, "output_format");
    }
    Timeout(type, step);
  }

  void Nested(Yaml* step) {
    if (auto name = Take(step, step->Find("workflow") != nullptr ? "workflow" : "config")) {
      const auto imported = imported_.find(name->scalar);
      name->scalar =
          imported != imported_.end() ? imported->second : PathFromHere(*name, name->scalar);
      Put(step, "file", *std::move(name));
    }
    if (auto arguments = Take(step, "args");
        arguments.has_value() && step->Find("inputs") == nullptr) {
      Put(step, "inputs", *std::move(arguments));
    }
  }

  // `prompt: {file: …}` and `prompt: {content: …}`.
  void Prompt(Yaml* step) {
    if (!IsMap(step->Find("prompt"))) return;
    const Yaml prompt = *Take(step, "prompt");
    if (const Yaml* content = prompt.Find("content")) return Put(step, "prompt", *content);
    const Yaml* const file = prompt.Find("file");
    if (file == nullptr) {
      errors_.Add(prompt.Error("wants a text, `content` or `file`"));
    } else if (!read_) {
      errors_.Add(file->Error("other files cannot be read here"));
    } else if (const auto text = read_(file->file, file->scalar); !text.ok()) {
      errors_.Add(file->Error(text.status().message()));
    } else {
      Put(step, "prompt", Text(*file, *text));
    }
  }

  // Seconds of commands, milliseconds of requests.
  void Timeout(const std::string& type, Yaml* step) {
    const auto timeout = Take(step, "timeout");
    if (!timeout.has_value()) return;
    if (type != "command" && type != "http") return Ignore("timeout", *timeout);
    int64_t number = 0;
    if (!errors_.Add(timeout->AsInt(), &number)) return;
    const int64_t seconds = type == "http" ? std::max<int64_t>(1, number / 1000) : number;
    Yaml value = Text(*timeout, absl::StrCat(seconds));
    value.quoted = false;
    Put(step, "timeout_s", std::move(value));
  }

  // A list of expressions: all of them.
  static void Conjunction(absl::string_view key, Yaml* step) {
    const Yaml* const value = step->Find(key);
    if (value == nullptr || value->kind != Yaml::Kind::kList) return;
    const std::string all = absl::StrJoin(
        value->items, " && ",
        [](std::string* out, const Yaml& one) { absl::StrAppend(out, "(", one.scalar, ")"); });
    Put(step, key, Text(*value, all));
  }

  const WorkflowFileReader& read_;
  std::vector<std::string>& warnings_;
  YamlErrors& errors_;
  bool has_all_ = true;
  size_t files_ = 0;
  std::string folder_;                           // of the file that is translated
  bool is_visor_ = false;                        // it says what only Visor knows
  bool asks_ = false;                            // the step that is translated is `human-input`
  std::map<std::string, std::string> imported_;  // path by id
  std::optional<Yaml> fail_if_;
  std::optional<Yaml> conditions_;
  std::optional<Yaml> defaults_;                // of routing
  std::map<std::string, std::string> ignored_;  // place by key
  std::map<std::string, int> counts_;
  std::vector<std::string> order_;
};

}  // namespace

bool TranslateVisor(const WorkflowFileReader& read, Yaml* yaml, std::vector<std::string>* warnings,
                    YamlErrors* errors) {
  return Translation(read, warnings, errors).Run(yaml);
}

}  // namespace stile
