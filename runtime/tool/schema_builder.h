// Schemas of tools in one line a member, so that a tool's file shows them as a table.
#ifndef STILE_RUNTIME_TOOL_SCHEMA_BUILDER_H_
#define STILE_RUNTIME_TOOL_SCHEMA_BUILDER_H_

#include <string>
#include <vector>

#include "runtime/base/json.h"

namespace stile {

struct SchemaMember {
  std::string name;
  Json schema;
  bool required = false;
};

// A JSON Schema (draft 7) of an object with exactly these members.
Json ObjectSchema(const std::vector<SchemaMember>& members);

// One parameter or member; `type` is a JSON Schema type. An empty description is left out, which
// only outputs may do: models read the descriptions of parameters. `default_value`, unless null, is
// what a tool uses when the argument is missing; it is shown to models and never filled in.
SchemaMember Required(std::string name, std::string type, std::string description = "");
SchemaMember Optional(std::string name, std::string type, std::string description = "",
                      Json default_value = nullptr);

Json EnumSchema(const std::vector<std::string>& values, std::string description = "");
Json ArraySchema(Json items, std::string description = "");

}  // namespace stile

#endif  // STILE_RUNTIME_TOOL_SCHEMA_BUILDER_H_
