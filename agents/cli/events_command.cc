#include "agents/cli/events_command.h"

#include <CLI/CLI.hpp>
#include <memory>
#include <string>

#include "absl/strings/str_format.h"
#include "agents/cli/output.h"
#include "runtime/base/json.h"
#include "runtime/base/status.h"
#include "runtime/event/event.h"

namespace stile {
namespace {

int ListTypes(const CliContext& context) {
  const auto schema = ParseJson(EventSchema());
  if (!schema.ok()) return ReportStatus(schema.status());
  const Json& definitions = schema->at("definitions");
  std::string text;
  Json list = Json::array();
  for (const EventType type : AllEventTypes()) {
    const std::string name(EventTypeName(type));
    const std::string description = JsonString(definitions.at(name), "description").value_or("");
    absl::StrAppendFormat(&text, "%-23s %s\n", name, description);
    list.push_back({{"type", name}, {"description", description}});
  }
  if (context.json) {
    PrintJson({{"schema_version", kEventSchemaVersion}, {"types", std::move(list)}});
  } else {
    Print(text);
  }
  return 0;
}

}  // namespace

void DeclareEvents(CLI::App* app, CliContext* context) {
  auto prints_schema = std::make_shared<bool>(false);
  app->add_flag("--schema", *prints_schema, "Print the JSON Schema that every event fits");
  OnCommand(app, [prints_schema, context] {
    if (!*prints_schema) return ListTypes(*context);
    Print(EventSchema());
    return 0;
  });
}

}  // namespace stile
