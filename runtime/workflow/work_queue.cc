#include "runtime/workflow/work_queue.h"

#include <algorithm>
#include <functional>
#include <utility>

#include "absl/strings/str_cat.h"

namespace stile {
namespace {

// Nothing of these waits in the items of the scope any longer.
void ForgetInItems(Scope* scope, const std::set<Scope::Place>& places) {
  for (auto& [list, items] : scope->items()) {
    for (const std::unique_ptr<Scope>& item : items) {
      for (const Scope::Place& place : places) {
        item->now.erase(place);
        item->later.erase(place);
      }
      ForgetInItems(item.get(), places);
    }
  }
}

std::optional<int> DueInItems(const Scope& scope) {
  std::optional<int> due;
  for (const auto& [list, items] : scope.items()) {
    for (const std::unique_ptr<Scope>& item : items) {
      const std::optional<int> layer = WorkQueue::DueLayer(*item);
      if (layer.has_value() && (!due.has_value() || *layer < *due)) due = layer;
    }
  }
  return due;
}

// In the root, what was jumped to goes before what waited. In an item both go by layers: steps
// outside may gather either.
std::optional<int> DueItself(const Scope& scope) {
  std::optional<int> due;
  if (!scope.now.empty()) due = scope.now.begin()->first;
  if (scope.later.empty() || (due.has_value() && scope.depth() == 0)) return due;
  const int later = scope.later.begin()->first;
  return due.has_value() ? std::min(*due, later) : later;
}

void AddLayer(const std::set<Scope::Place>& waiting, int layer, std::vector<int>* steps) {
  for (auto place = waiting.begin(); place != waiting.end() && place->first == layer; ++place) {
    steps->push_back(place->second);
  }
}

}  // namespace

WorkQueue::WorkQueue(const Workflow* workflow, const WorkflowPlan* plan, std::vector<bool> active)
    : workflow_(*workflow), plan_(*plan), active_(std::move(active)) {
  run_for_items_.resize(workflow_.steps.size());
  for (size_t i = 0; i < workflow_.steps.size(); ++i) {
    for (const int list : plan_.ListsOf(static_cast<int>(i))) {
      run_for_items_[static_cast<size_t>(list)].push_back(static_cast<int>(i));
    }
  }
}

bool WorkQueue::RunsByItself(int step, const std::vector<bool>* active) const {
  const auto index = static_cast<size_t>(step);
  return (active == nullptr ? active_ : *active)[index] && !workflow_.steps[index].manual;
}

void WorkQueue::Begin(Scope* root) {
  for (size_t i = 0; i < workflow_.steps.size(); ++i) {
    const int step = static_cast<int>(i);
    if (RunsByItself(step) && plan_.ListsOf(step).empty()) root->now.insert(PlaceOf(step));
  }
}

std::optional<int> WorkQueue::DueLayer(const Scope& scope) {
  const std::optional<int> own = DueItself(scope);
  const std::optional<int> items = DueInItems(scope);
  if (!own.has_value() || !items.has_value()) return own.has_value() ? own : items;
  return std::min(*own, *items);
}

std::vector<int> WorkQueue::Due(const Scope& scope, int limit) {
  std::vector<int> steps;
  const std::optional<int> own = DueItself(scope);
  const std::optional<int> items = DueInItems(scope);
  if (!own.has_value() || *own > limit || (items.has_value() && *items < *own)) return steps;
  const bool only_now = scope.depth() == 0 && !scope.now.empty();
  AddLayer(scope.now, *own, &steps);
  if (!only_now) AddLayer(scope.later, *own, &steps);
  std::sort(steps.begin(), steps.end());
  return steps;
}

std::vector<Scope*> WorkQueue::DueItems(Scope* scope, int limit) {
  std::vector<Scope*> due;
  const std::optional<int> layer = DueInItems(*scope);
  if (!layer.has_value() || *layer > limit) return due;
  std::vector<int> lists;  // around the first one
  const std::function<void(Scope*)> gather = [&](Scope* around) {
    for (auto& [list, items] : around->items()) {
      for (const std::unique_ptr<Scope>& item : items) {
        if (DueLayer(*item) != layer) continue;
        if (Due(*item, *layer).empty()) {
          gather(item.get());
        } else if (due.empty() || ListsAround(*item) == lists) {
          if (due.empty()) lists = ListsAround(*item);
          due.push_back(item.get());
        }
      }
    }
  };
  gather(scope);
  return due;
}

std::vector<int> WorkQueue::ListsAround(const Scope& scope) {
  std::vector<int> lists;
  for (const Scope* item = &scope; item->parent() != nullptr; item = item->parent()) {
    lists.push_back(item->list());
  }
  return lists;
}

void WorkQueue::Forget(Scope* scope, int step, int layer) {
  scope->now.erase({layer, step});
  scope->later.erase({layer, step});
}

bool WorkQueue::Waits(const Scope& scope, int step, int layer) {
  return scope.now.count({layer, step}) > 0 || scope.later.count({layer, step}) > 0;
}

void WorkQueue::MakeItems(Scope* scope, int list, const Json& output) {
  for (const int step : RunForItemsOf(list)) scope->steps().erase(step);
  std::vector<std::unique_ptr<Scope>>& items = scope->items()[list];
  items.clear();
  const std::string& name = workflow_.steps[static_cast<size_t>(list)].name;
  for (size_t i = 0; i < output.size(); ++i) {
    items.push_back(std::make_unique<Scope>(
        scope, list, i, output.size(),
        absl::StrCat(scope->name(), scope->name().empty() ? "" : "/", name, "[", i, "]"),
        output[i]));
    for (const int step : RunForItemsOf(list)) {
      if (plan_.ListsOf(step).back() == list && RunsByItself(step)) {
        items.back()->now.insert(PlaceOf(step));
      }
    }
  }
}

void WorkQueue::SkipItems(Scope* scope, int list, absl::string_view reason) {
  scope->items().erase(list);
  for (const int step : RunForItemsOf(list)) {
    if (!RunsByItself(step)) continue;
    StepState& state = scope->steps()[step];
    state.verdict = StepVerdict::kSkipped;
    state.reason = std::string(reason);
    state.output = nullptr;
  }
}

Scope* WorkQueue::HomeOf(Scope* scope, int step) const {
  const std::vector<int>& lists = plan_.ListsOf(step);
  std::vector<int> path;
  for (const Scope* at = scope; at->parent() != nullptr; at = at->parent()) {
    path.push_back(at->list());
  }
  std::reverse(path.begin(), path.end());
  size_t shared = 0;
  while (shared < path.size() && shared < lists.size() && path[shared] == lists[shared]) ++shared;
  while (scope->depth() > shared) scope = scope->parent();
  return scope;
}

bool WorkQueue::Schedule(Scope* scope, int step) {
  const std::vector<int>& lists = plan_.ListsOf(step);
  if (lists.size() == scope->depth()) {
    scope->later.erase(PlaceOf(step));
    scope->now.insert(PlaceOf(step));
    return true;
  }
  const auto items = scope->items().find(lists[scope->depth()]);
  if (items == scope->items().end()) return false;
  bool any = false;
  for (const std::unique_ptr<Scope>& item : items->second) any = Schedule(item.get(), step) || any;
  return any;
}

// The steps that a jump runs, its target among them.
std::vector<int> WorkQueue::StepsOfJump(int step, int target, bool forward,
                                        const std::vector<bool>* active) const {
  if (plan_.AncestorsOf(step)[static_cast<size_t>(target)])
    return forward ? plan_.Between(target, step) : std::vector<int>{target, step};
  std::vector<int> steps;
  for (const int next : plan_.Forward(target)) {
    if (next == target || RunsByItself(next, active)) steps.push_back(next);
  }
  return steps;
}

// What the steps depend on and has not come to its turn goes before them.
void WorkQueue::BringDependencies(Scope* home, const std::vector<int>& steps) {
  std::vector<int> pending(steps);
  std::vector<bool> seen(workflow_.steps.size(), false);
  while (!pending.empty()) {
    const int at = pending.back();
    pending.pop_back();
    for (const int dependency : plan_.DependenciesOf(at)) {
      if (seen[static_cast<size_t>(dependency)]) continue;
      seen[static_cast<size_t>(dependency)] = true;
      pending.push_back(dependency);
      if (home->later.erase(PlaceOf(dependency)) > 0) home->now.insert(PlaceOf(dependency));
    }
  }
}

WorkQueue::Jump WorkQueue::JumpTo(Scope* scope, int step, int target, bool forward,
                                  const std::vector<bool>* active) {
  Jump jump;
  jump.home = HomeOf(scope, target);
  Scope* const home = jump.home;
  jump.is_new = !home->jumped || home->targets.count(target) == 0;
  const std::vector<int> steps = StepsOfJump(step, target, forward, active);
  // What another step of the same layer jumped to waits beside this.
  if (!home->jumped) {
    home->later.insert(home->now.begin(), home->now.end());
    home->now.clear();
    ++home->wave;
  }
  std::vector<bool> among(workflow_.steps.size(), false);
  std::set<Scope::Place> places;
  for (const int next : steps) {
    among[static_cast<size_t>(next)] = true;
    places.insert(PlaceOf(next));
  }
  ForgetInItems(home, places);
  for (const int next : steps) {
    // What runs for the items of a list that is made anew comes with them.
    const std::vector<int>& lists = plan_.ListsOf(next);
    const bool comes_with_list = std::any_of(
        lists.begin(), lists.end(), [&](int list) { return among[static_cast<size_t>(list)]; });
    if (comes_with_list) continue;
    Scope* const at = HomeOf(home, next);
    if (at->depth() < home->depth()) {
      // Gathers what runs for items here: once, in its turn.
      std::set<Scope::Place>& waiting = at->now.empty() && !at->later.empty() ? at->later : at->now;
      if (at->later.count(PlaceOf(next)) == 0) waiting.insert(PlaceOf(next));
      continue;
    }
    jump.has_work = Schedule(at, next) || jump.has_work;
  }
  BringDependencies(home, steps);
  home->jumped = true;
  home->targets.insert(target);
  return jump;
}

void WorkQueue::Wake(Scope* scope, int step) {
  for (const int next : plan_.Forward(step)) {
    if (next == step || !RunsByItself(next)) continue;
    const auto [verdict, reason] = scope->Verdict(workflow_, next);
    const bool slept = verdict == StepVerdict::kNotRun ||
                       (verdict == StepVerdict::kSkipped && reason == kSkipDependencyNotRun);
    if (!slept) continue;
    const std::vector<int>& lists = plan_.ListsOf(next);
    const bool comes_with_list = std::find(lists.begin(), lists.end(), step) != lists.end();
    if (!comes_with_list) Schedule(HomeOf(scope, next), next);
  }
}

}  // namespace stile
