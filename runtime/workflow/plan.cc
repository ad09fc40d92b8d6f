#include "runtime/workflow/plan.h"

#include <algorithm>
#include <string>
#include <unordered_map>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace stile {
namespace {

// A cycle among the steps that no layer holds: from any of them on, dependencies among them lead
// back.
std::string NameCycle(const Workflow& workflow, const std::vector<std::vector<int>>& before,
                      const std::vector<int>& missing) {
  const size_t size = workflow.steps.size();
  size_t at = 0;
  while (missing[at] == 0) ++at;
  std::vector<int> place(size, -1);
  std::vector<size_t> path;
  while (place[at] < 0) {
    place[at] = static_cast<int>(path.size());
    path.push_back(at);
    const auto& dependencies = before[at];
    at = static_cast<size_t>(*std::find_if(dependencies.begin(), dependencies.end(), [&](int step) {
      return missing[static_cast<size_t>(step)] > 0;
    }));
  }
  std::vector<std::string> names;
  for (size_t i = static_cast<size_t>(place[at]); i < path.size(); ++i) {
    names.push_back(workflow.steps[path[i]].name);
  }
  names.push_back(workflow.steps[at].name);
  return absl::StrJoin(names, " → ");
}

}  // namespace

absl::StatusOr<WorkflowPlan> WorkflowPlan::Make(const Workflow& workflow) {
  WorkflowPlan plan;
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
  if (placed == size) return plan;
  return absl::InvalidArgumentError(
      absl::StrCat("steps depend on each other: ", NameCycle(workflow, plan.before_, missing)));
}

std::vector<bool> WorkflowPlan::Reach(int from, const std::vector<std::vector<int>>& edges) const {
  std::vector<bool> reached(edges.size(), false);
  std::vector<int> pending = {from};
  while (!pending.empty()) {
    const int step = pending.back();
    pending.pop_back();
    for (const int next : edges[Index(step)]) {
      if (reached[Index(next)]) continue;
      reached[Index(next)] = true;
      pending.push_back(next);
    }
  }
  return reached;
}

bool WorkflowPlan::IsAncestor(int ancestor, int step) const {
  return Reach(step, before_)[Index(ancestor)];
}

std::vector<int> WorkflowPlan::Forward(int step) const {
  std::vector<bool> reached = Reach(step, after_);
  reached[Index(step)] = true;
  std::vector<int> order;
  for (const std::vector<int>& layer : layers_) {
    for (const int next : layer) {
      if (reached[Index(next)]) order.push_back(next);
    }
  }
  return order;
}

}  // namespace stile
