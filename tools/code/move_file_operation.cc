#include "tools/code/move_file_operation.h"

#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "runtime/base/text.h"
#include "runtime/tool/path_text.h"
#include "runtime/workspace/file_system.h"
#include "runtime/workspace/workspace_path.h"
#include "tools/code/carry_plan.h"
#include "tools/code/refactor_text.h"
#include "tools/refactor/move_file.h"

namespace stile {
namespace {

constexpr size_t kMaxListed = 10;

void NotePlaces(const std::vector<FileMention>& mentions, const std::string& from,
                ToolResult* result) {
  Json places = Json::array();
  if (!mentions.empty()) {
    absl::StrAppend(&result->text, "These lines name ", DisplayPath(from),
                    " or its folder, and were not changed:\n");
  }
  for (const FileMention& mention : mentions) {
    places.push_back({{"line", mention.line}, {"column", mention.column}, {"text", mention.text}});
    SetPath(&places.back(), "file", mention.path);
    if (places.size() > kMaxListed) continue;
    absl::StrAppend(&result->text, DisplayPath(mention.path), ":", mention.line, ": ", mention.text,
                    "\n");
  }
  if (mentions.size() > kMaxListed) {
    absl::StrAppend(&result->text, "[", mentions.size() - kMaxListed, " more]\n");
  }
  result->data["mentions"] = {{"count", mentions.size()}, {"places", std::move(places)}};
}

}  // namespace

ToolResult RunMoveFile(const std::string& from, const std::string& to, const Json& arguments,
                       const RefactorHost& host) {
  const std::string& workspace = host.context->workspace;
  auto place = ResolveInWorkspace(workspace, to);
  if (place.ok() && (DirectoryExists(place->absolute) || absl::EndsWith(to, "/"))) {
    place = ResolveInWorkspace(workspace, JoinPath(place->relative, BaseName(from)));
  }
  if (!place.ok()) return ToolResult::FromStatus(place.status());
  if (place->relative == from) {
    return ToolResult::Error(absl::StrCat("Nothing to do: ", DisplayPath(from), " is there."));
  }
  if (FileExists(place->absolute) || DirectoryExists(place->absolute)) {
    return ToolResult::Error(absl::StrCat("Nothing was changed: ", DisplayPath(place->relative),
                                          " exists already; choose another newName."));
  }
  auto moved =
      PlanMoveFile({workspace, &host.index->languages(), host.index}, from, place->relative);
  if (absl::IsUnimplemented(moved.status())) {
    return ToolResult::Error(std::string(moved.status().message()));
  }
  if (!moved.ok()) return ToolResult::FromStatus(moved.status());
  const std::string what = absl::StrCat(DisplayPath(from), " to ", DisplayPath(place->relative));
  CarriedPlan carried{std::move(moved->plan), absl::StrCat("Moved ", what),
                      absl::StrCat("Would move ", what)};
  carried.needs_compiler = moved->needs_compiler;
  ToolResult result = CarryPlan(std::move(carried), arguments, host);
  if (result.ok) NotePlaces(moved->mentions, from, &result);
  return result;
}

}  // namespace stile
