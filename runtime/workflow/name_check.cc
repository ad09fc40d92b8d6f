#include "runtime/workflow/name_check.h"

#include <re2/re2.h>

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace stile {
namespace {

// Members of the object itself, and methods of the language.
bool IsOwnMember(const std::string& name) {
  static constexpr const char* kMembers[] = {"history", "size",           "first",   "last",
                                             "length",  "hasOwnProperty", "toString"};
  return std::any_of(std::begin(kMembers), std::end(kMembers),
                     [&](const char* member) { return name == member; });
}

// The members of the variable `root` that the text names, in their order, each once.
std::vector<std::string> MembersOf(const std::string& root, absl::string_view text) {
  const RE2 named(absl::StrCat(R"re((?:^|[^.\w$]))re", root, R"re(\??\.([A-Za-z_]\w*))re"));
  std::vector<std::string> members;
  re2::StringPiece rest(text.data(), text.size());
  std::string member;
  while (RE2::FindAndConsume(&rest, named, &member)) {
    if (std::find(members.begin(), members.end(), member) == members.end()) {
      members.push_back(member);
    }
  }
  return members;
}

void Add(const std::string& key, const std::string& text, const Workflow& workflow,
         std::vector<std::string>* lines) {
  for (const std::string& name : UnknownSteps(text, workflow)) {
    lines->push_back(absl::StrCat(key, " names a step '", name, "' that there is not"));
  }
  for (const std::string& name : MembersOf("env", text)) {
    if (std::find(workflow.env.begin(), workflow.env.end(), name) != workflow.env.end()) continue;
    lines->push_back(absl::StrCat(key, " names env.", name, ", which `env:` of the file does not"));
  }
  if (workflow.input_defaults.empty()) return;  // callers may give any
  for (const std::string& name : MembersOf("inputs", text)) {
    if (workflow.input_defaults.count(name) > 0) continue;
    lines->push_back(
        absl::StrCat(key, " names inputs.", name, ", which `inputs:` of the file does not"));
  }
}

void AddOf(const std::string& key, const Json& value, const Workflow& workflow,
           std::vector<std::string>* lines) {
  if (value.is_string()) return Add(key, value.get<std::string>(), workflow, lines);
  if (!value.is_structured()) return;
  for (const Json& item : value) AddOf(key, item, workflow, lines);
}

}  // namespace

std::vector<std::string> UnknownSteps(absl::string_view text, const Workflow& workflow) {
  static const auto* const kNamed = new RE2(
      R"re(\b(?:outputs|outputs_raw|outputs_history|changed_history|tokens_history|errors)(?:\.history)?(?:\??\.([A-Za-z_][\w-]*)|(?:\?\.)?\[\s*(?:"([^"\\]+)"|'([^'\\]+)')\s*\]))re");
  std::vector<std::string> unknown;
  re2::StringPiece rest(text.data(), text.size());
  std::string member;
  std::string in_quotes;
  std::string in_ticks;
  while (RE2::FindAndConsume(&rest, *kNamed, &member, &in_quotes, &in_ticks)) {
    const std::string name = absl::StrCat(member, in_quotes, in_ticks);
    // Templates allow dashes in names, and expressions do not: `outputs.a-1`.
    const std::string shorter = name.substr(0, name.find('-'));
    const bool known = workflow.Find(name) >= 0 || IsOwnMember(name) ||
                       (!member.empty() && workflow.Find(shorter) >= 0);
    const bool is_new = std::find(unknown.begin(), unknown.end(), name) == unknown.end();
    if (!known && is_new) unknown.push_back(name);
  }
  return unknown;
}

std::vector<std::string> UnknownNamesOf(const WorkflowStep& step, const Workflow& workflow) {
  std::vector<std::string> lines;
  for (auto it = step.settings.begin(); it != step.settings.end(); ++it) {
    AddOf(it.key(), it.value(), workflow, &lines);
  }
  for (const auto& [name, text] : step.env) {
    Add(absl::StrCat("env.", name), text, workflow, &lines);
  }
  const std::pair<const char*, const std::string*> texts[] = {
      {"if", &step.condition},        {"assume", &step.assume},
      {"fail_if", &step.fail_if},     {"guarantee", &step.guarantee},
      {"transform", &step.transform}, {"transform_js", &step.transform_js}};
  for (const auto& [key, text] : texts) Add(key, *text, workflow, &lines);
  for (const auto& [key, routing] :
       {std::pair<const char*, const Routing*>("on_success", &step.on_success),
        {"on_fail", &step.on_fail},
        {"on_finish", &step.on_finish}}) {
    Add(absl::StrCat(key, ".run_js"), routing->run_js, workflow, &lines);
    Add(absl::StrCat(key, ".goto_js"), routing->goto_js, workflow, &lines);
    for (const Routing::Transition& transition : routing->transitions) {
      Add(absl::StrCat(key, ".transitions"), transition.when, workflow, &lines);
    }
  }
  return lines;
}

}  // namespace stile
