#include "runtime/workflow/plan.h"

#include <algorithm>
#include <string>
#include <unordered_map>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "runtime/base/status.h"

namespace stile {
namespace {

using Edges = std::vector<std::vector<int>>;

std::vector<bool> Reached(int from, const Edges& edges) {
  std::vector<bool> reached(edges.size(), false);
  std::vector<int> pending = {from};
  while (!pending.empty()) {
    const int step = pending.back();
    pending.pop_back();
    for (const int next : edges[static_cast<size_t>(step)]) {
      if (reached[static_cast<size_t>(next)]) continue;
      reached[static_cast<size_t>(next)] = true;
      pending.push_back(next);
    }
  }
  return reached;
}

// A cycle among the steps that no layer holds: from any of them on, dependencies among them lead
// back.
WorkflowPlan::Problem NameCycle(const Workflow& workflow, const Edges& before,
                                const std::vector<bool>& is_left) {
  size_t at = 0;
  while (!is_left[at]) ++at;
  std::vector<int> place(workflow.steps.size(), -1);
  std::vector<size_t> path;
  while (place[at] < 0) {
    place[at] = static_cast<int>(path.size());
    path.push_back(at);
    const auto& dependencies = before[at];
    at = static_cast<size_t>(*std::find_if(dependencies.begin(), dependencies.end(), [&](int step) {
      return is_left[static_cast<size_t>(step)];
    }));
  }
  std::vector<std::string> names;
  for (size_t i = static_cast<size_t>(place[at]); i < path.size(); ++i) {
    names.push_back(workflow.steps[path[i]].name);
  }
  names.push_back(workflow.steps[at].name);
  return {static_cast<int>(at),
          absl::StrCat("steps depend on each other: ", absl::StrJoin(names, " → "))};
}

// A cycle of each group of steps that lead to each other. `missing` counts the dependencies of each
// step that no layer holds.
void NameCycles(const Workflow& workflow, const Edges& before, const Edges& after,
                std::vector<int> missing, std::vector<WorkflowPlan::Problem>* problems) {
  std::vector<bool> is_left(missing.size());
  for (size_t i = 0; i < missing.size(); ++i) is_left[i] = missing[i] > 0;
  while (std::find(is_left.begin(), is_left.end(), true) != is_left.end()) {
    problems->push_back(NameCycle(workflow, before, is_left));
    const int step = problems->back().step;
    const std::vector<bool> ancestors = Reached(step, before);
    const std::vector<bool> dependents = Reached(step, after);
    std::vector<int> done;
    for (size_t i = 0; i < is_left.size(); ++i) {
      if (is_left[i] && ancestors[i] && dependents[i]) done.push_back(static_cast<int>(i));
    }
    for (const int member : done) is_left[static_cast<size_t>(member)] = false;
    // What only waits for the group is none itself.
    while (!done.empty()) {
      const int member = done.back();
      done.pop_back();
      for (const int dependent : after[static_cast<size_t>(member)]) {
        const auto index = static_cast<size_t>(dependent);
        if (--missing[index] > 0 || !is_left[index]) continue;
        is_left[index] = false;
        done.push_back(dependent);
      }
    }
  }
}

}  // namespace

absl::StatusOr<WorkflowPlan> WorkflowPlan::Make(const Workflow& workflow,
                                                std::vector<Problem>* problems) {
  WorkflowPlan plan;
  std::vector<Problem> unheard;
  if (problems == nullptr) problems = &unheard;
  const size_t size = workflow.steps.size();
  plan.before_.resize(size);
  plan.after_.resize(size);
  std::unordered_map<std::string, int> index;
  for (size_t i = 0; i < size; ++i) index[workflow.steps[i].name] = static_cast<int>(i);
  std::vector<int> missing(size, 0);  // dependencies that no layer holds yet
  for (size_t i = 0; i < size; ++i) {
    for (const std::vector<std::string>& any_of : workflow.steps[i].depends_on) {
      for (const std::string& name : any_of) {
        const auto found = index.find(name);
        if (found == index.end()) {
          return absl::InvalidArgumentError(absl::StrCat("there is no step '", name, "'"));
        }
        std::vector<int>& before = plan.before_[i];
        if (std::find(before.begin(), before.end(), found->second) != before.end()) continue;
        before.push_back(found->second);
        plan.after_[Index(found->second)].push_back(static_cast<int>(i));
        ++missing[i];
      }
    }
  }
  std::vector<int> layer;
  for (size_t i = 0; i < size; ++i) {
    if (missing[i] == 0) layer.push_back(static_cast<int>(i));
  }
  size_t placed = 0;
  while (!layer.empty()) {
    placed += layer.size();
    std::vector<int> next;
    for (const int step : layer) {
      for (const int dependent : plan.after_[Index(step)]) {
        if (--missing[Index(dependent)] == 0) next.push_back(dependent);
      }
    }
    std::sort(next.begin(), next.end());
    plan.layers_.push_back(std::move(layer));
    layer = std::move(next);
  }
  if (placed < size) {
    NameCycles(workflow, plan.before_, plan.after_, std::move(missing), problems);
    return absl::InvalidArgumentError(problems->front().message);
  }
  plan.layer_of_.resize(size);
  for (size_t layer_number = 0; layer_number < plan.layers_.size(); ++layer_number) {
    for (const int step : plan.layers_[layer_number]) {
      plan.layer_of_[Index(step)] = static_cast<int>(layer_number);
    }
  }
  plan.FindLists(workflow, problems);
  if (!problems->empty()) return absl::InvalidArgumentError(problems->front().message);
  return plan;
}

void WorkflowPlan::FindLists(const Workflow& workflow, std::vector<Problem>* problems) {
  lists_.resize(workflow.steps.size());
  for (const std::vector<int>& layer : layers_) {
    for (const int step : layer) {
      const WorkflowStep& itself = workflow.steps[Index(step)];
      std::vector<int> deepest;
      std::vector<std::vector<int>> all;
      for (const int dependency : before_[Index(step)]) {
        std::vector<int> lists = lists_[Index(dependency)];
        if (workflow.steps[Index(dependency)].for_each) lists.push_back(dependency);
        if (lists.size() > deepest.size()) deepest = lists;
        all.push_back(std::move(lists));
      }
      for (const std::vector<int>& lists : all) {
        const auto differs = std::mismatch(lists.begin(), lists.end(), deepest.begin()).first;
        if (differs == lists.end()) continue;
        const int other = deepest[static_cast<size_t>(differs - lists.begin())];
        problems->push_back(
            {step, absl::StrCat(itself.name, " depends on the items of both ",
                                workflow.steps[Index(other)].name, " and ",
                                workflow.steps[Index(*differs)].name,
                                ": let a step with `fanout: reduce` gather one of them first")});
        break;
      }
      if (itself.fanout == Fanout::kReduce && !deepest.empty()) deepest.pop_back();
      if (deepest.size() > kMaxLists) {
        problems->push_back(
            {step, absl::StrCat(itself.name, " lies within ", deepest.size(),
                                " forEach steps; at most ", kMaxLists, " may be nested")});
        deepest.pop_back();
      }
      lists_[Index(step)] = std::move(deepest);
    }
  }
}

std::vector<bool> WorkflowPlan::AncestorsOf(int step) const { return Reached(step, before_); }

bool WorkflowPlan::IsAncestor(int ancestor, int step) const {
  return Reached(step, before_)[Index(ancestor)];
}

std::vector<int> WorkflowPlan::Forward(int step) const {
  std::vector<bool> reached = Reached(step, after_);
  reached[Index(step)] = true;
  return InOrder(reached);
}

std::vector<int> WorkflowPlan::Between(int ancestor, int step) const {
  const std::vector<bool> before = Reached(step, before_);
  std::vector<bool> reached = Reached(ancestor, after_);
  for (size_t i = 0; i < reached.size(); ++i) reached[i] = reached[i] && before[i];
  reached[Index(ancestor)] = true;
  reached[Index(step)] = true;
  return InOrder(reached);
}

std::vector<int> WorkflowPlan::InOrder(const std::vector<bool>& steps) const {
  std::vector<int> order;
  for (const std::vector<int>& layer : layers_) {
    for (const int step : layer) {
      if (steps[Index(step)]) order.push_back(step);
    }
  }
  return order;
}

}  // namespace stile
