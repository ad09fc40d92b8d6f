// Workflows as pictures.
#ifndef STILE_RUNTIME_WORKFLOW_GRAPH_H_
#define STILE_RUNTIME_WORKFLOW_GRAPH_H_

#include <string>

#include "runtime/workflow/workflow.h"

namespace stile {

// Dependencies as lines, one of several that suffice as dashed ones, routes as dotted ones with
// what leads there. Mermaid flowchart (https://mermaid.js.org) and Graphviz DOT.
std::string MermaidGraph(const Workflow& workflow);
std::string DotGraph(const Workflow& workflow);

}  // namespace stile

#endif  // STILE_RUNTIME_WORKFLOW_GRAPH_H_
