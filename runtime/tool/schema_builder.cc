#include "runtime/tool/schema_builder.h"

#include <utility>

namespace stile {
namespace {

Json Described(Json schema, std::string description) {
  if (!description.empty()) schema["description"] = std::move(description);
  return schema;
}

}  // namespace

Json ObjectSchema(const std::vector<SchemaMember>& members) {
  Json schema = {
      {"type", "object"}, {"properties", Json::object()}, {"additionalProperties", false}};
  for (const SchemaMember& member : members) {
    schema["properties"][member.name] = member.schema;
    if (member.required) schema["required"].push_back(member.name);
  }
  return schema;
}

SchemaMember Required(std::string name, std::string type, std::string description) {
  return {std::move(name), Described({{"type", std::move(type)}}, std::move(description)), true};
}

SchemaMember Optional(std::string name, std::string type, std::string description,
                      Json default_value) {
  Json schema = Described({{"type", std::move(type)}}, std::move(description));
  if (!default_value.is_null()) schema["default"] = std::move(default_value);
  return {std::move(name), std::move(schema), false};
}

Json EnumSchema(const std::vector<std::string>& values, std::string description) {
  return Described({{"type", "string"}, {"enum", values}}, std::move(description));
}

Json ArraySchema(Json items, std::string description) {
  return Described({{"type", "array"}, {"items", std::move(items)}}, std::move(description));
}

}  // namespace stile
