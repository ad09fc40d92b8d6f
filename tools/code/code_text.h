// What the code tools say of symbols, as text for the model and as JSON.
#ifndef STILE_TOOLS_CODE_CODE_TEXT_H_
#define STILE_TOOLS_CODE_CODE_TEXT_H_

#include <string>
#include <utility>
#include <vector>

#include "runtime/base/json.h"
#include "runtime/tool/tool.h"
#include "tools/index/references.h"
#include "tools/index/symbol_query.h"

namespace stile {

// A line of text, cut where it is long.
std::string Shortened(absl::string_view line);
// The line of code at a place, likewise.
std::string ShownLine(const SourceFile& file, int line);
// "class OrderService (src/orders.ts:4)".
std::string Describe(const Declaration& declaration);
// A query from the arguments symbolName, filePath and line of a tool. InvalidArgument for a path
// outside the workspace.
absl::StatusOr<SymbolQuery> QueryFromArguments(const Json& arguments, const ToolContext& context);
// What models call these arguments, see ToolSpec::argument_aliases.
std::vector<std::pair<std::string, std::string>> QueryAliases();
// A line that is given has to hold the symbol or the head of its declaration: another of the same
// name is not meant. "" if it does, else the reason for which nothing may be changed.
std::string NotOnLine(const SymbolQuery& query, const Resolution& resolution);
// For the model, when Resolve found nothing for `query`: the error, with a name that may be meant.
ToolResult NothingResolved(const absl::Status& status, const SymbolQuery& query,
                           const CodeIndex& index);

}  // namespace stile

#endif  // STILE_TOOLS_CODE_CODE_TEXT_H_
