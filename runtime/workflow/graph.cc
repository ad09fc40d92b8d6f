#include "runtime/workflow/graph.h"

#include <unordered_map>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "runtime/base/text.h"

namespace stile {
namespace {

struct Edge {
  enum class Kind { kNeeds, kOneOf, kRoute } kind = Kind::kNeeds;
  std::string from;
  std::string to;
  std::string label;
};

void AddRoutes(const std::string& from, absl::string_view outcome, const Routing& routing,
               std::vector<Edge>* edges) {
  const auto add = [&](const std::string& to, const std::string& label) {
    edges->push_back({Edge::Kind::kRoute, from, to, label});
  };
  for (const Routing::Run& run : routing.run) add(run.step, absl::StrCat(outcome, ": run"));
  for (const Routing::Transition& transition : routing.transitions) {
    if (!transition.to.has_value()) continue;
    add(*transition.to, absl::StrCat(outcome, ": ", transition.when));
  }
  if (routing.go.has_value()) add(routing.go->to, std::string(outcome));
}

std::vector<Edge> EdgesOf(const Workflow& workflow) {
  std::vector<Edge> edges;
  for (const WorkflowStep& step : workflow.steps) {
    for (const std::vector<std::string>& any_of : step.depends_on) {
      for (const std::string& name : any_of) {
        edges.push_back(
            {any_of.size() > 1 ? Edge::Kind::kOneOf : Edge::Kind::kNeeds, name, step.name, ""});
      }
    }
    AddRoutes(step.name, "on_success", step.on_success, &edges);
    AddRoutes(step.name, "on_fail", step.on_fail, &edges);
    AddRoutes(step.name, "on_finish", step.on_finish, &edges);
  }
  return edges;
}

std::string MermaidText(absl::string_view text) {
  constexpr size_t kMaxBytes = 60;
  const std::string shown = text.size() > kMaxBytes
                                ? absl::StrCat(ToUtf8(text.substr(0, kMaxBytes)), "…")
                                : std::string(text);
  return absl::StrReplaceAll(
      shown, {{"#", "#35;"}, {"\"", "#quot;"}, {"<", "#lt;"}, {">", "#gt;"}, {"\n", " "}});
}

std::string DotText(absl::string_view text) {
  return absl::StrReplaceAll(text, {{"\\", "\\\\"}, {"\"", "\\\""}, {"\n", " "}});
}

}  // namespace

std::string MermaidGraph(const Workflow& workflow) {
  std::string text = "flowchart TD\n";
  std::unordered_map<std::string, std::string> ids;
  for (size_t i = 0; i < workflow.steps.size(); ++i) {
    ids[workflow.steps[i].name] = absl::StrCat("s", i);
  }
  const auto id = [&](const std::string& name) { return ids.at(name); };
  for (const WorkflowStep& step : workflow.steps) {
    absl::StrAppend(&text, "  ", id(step.name), "[\"", MermaidText(step.name), "<br/><small>",
                    StepTypeName(step.type), step.manual ? ", manual" : "",
                    step.condition.empty() ? "" : ", if", "</small>\"]\n");
  }
  for (const Edge& edge : EdgesOf(workflow)) {
    const char* const arrow = edge.kind == Edge::Kind::kNeeds   ? " --> "
                              : edge.kind == Edge::Kind::kOneOf ? " -- or --> "
                                                                : " -.-> ";
    absl::StrAppend(
        &text, "  ", id(edge.from),
        edge.label.empty() ? arrow : absl::StrCat(" -. \"", MermaidText(edge.label), "\" .-> "),
        id(edge.to), "\n");
  }
  return text;
}

std::string DotGraph(const Workflow& workflow) {
  std::string text = "digraph workflow {\n  node [shape=box];\n";
  for (const WorkflowStep& step : workflow.steps) {
    absl::StrAppend(&text, "  \"", DotText(step.name), "\" [label=\"", DotText(step.name), "\\n",
                    StepTypeName(step.type), step.manual ? ", manual" : "", "\"];\n");
  }
  for (const Edge& edge : EdgesOf(workflow)) {
    absl::StrAppend(&text, "  \"", DotText(edge.from), "\" -> \"", DotText(edge.to), "\"");
    if (edge.kind == Edge::Kind::kOneOf) absl::StrAppend(&text, " [style=dashed]");
    if (edge.kind == Edge::Kind::kRoute) {
      absl::StrAppend(&text, " [style=dotted, constraint=false, label=\"", DotText(edge.label),
                      "\"]");
    }
    absl::StrAppend(&text, ";\n");
  }
  return absl::StrCat(text, "}\n");
}

}  // namespace stile
