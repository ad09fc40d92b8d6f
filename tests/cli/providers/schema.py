"""What the providers demand of the JSON Schema of a tool's parameters. Each function gives the first problem as
(path, problem), or None; the dialects put it into the provider's words."""

TYPES = ("object", "array", "string", "number", "integer", "boolean", "null")


def is_type(schema, name):
    return schema.get("type") == name or (isinstance(schema.get("type"), list) and name in schema["type"])


def children(schema):
    """(steps of the path, schema) for each schema directly inside of `schema`."""
    for key in ("properties", "$defs", "definitions"):
        members = schema.get(key)
        if isinstance(members, dict):
            for name, child in members.items():
                yield (key, name), child
    for key in ("items", "additionalProperties", "not"):
        if isinstance(schema.get(key), dict):
            yield (key,), schema[key]
    for key in ("anyOf", "oneOf", "allOf", "prefixItems"):
        members = schema.get(key)
        if isinstance(members, list):
            for number, child in enumerate(members):
                yield (key, str(number)), child


def walk(schema, path=()):
    yield path, schema
    if isinstance(schema, dict):
        for steps, child in children(schema):
            yield from walk(child, path + steps)


def plain_problem(schema):
    """What OpenAI refuses of any schema."""
    for path, part in walk(schema):
        if isinstance(part, bool):
            continue
        if not isinstance(part, dict):
            return path, f"{part!r} is not of type 'object', 'boolean'."
        if is_type(part, "array") and "items" not in part and "prefixItems" not in part:
            return path, "array schema missing items."
        kind = part.get("type")
        if isinstance(kind, str) and kind not in TYPES:
            return path, f"'{kind}' is not valid under any of the given schemas."
    return None


def strict_problem(schema):
    """What OpenAI's strict mode refuses. https://platform.openai.com/docs/guides/structured-outputs, "Supported
    schemas"; wording: kevinwatt/mysql-mcp#5, bytedance/trae-agent#175."""
    for path, part in walk(schema):
        if not isinstance(part, dict):
            continue
        for key in ("allOf", "not", "oneOf", "dependentRequired", "if", "then", "else", "patternProperties"):
            if key in part:
                return path, f"'{key}' is not permitted."
        if is_type(part, "object") or "properties" in part:
            if part.get("additionalProperties") is not False:
                return path, "'additionalProperties' is required to be supplied and to be false."
            properties = part.get("properties", {})
            required = part.get("required")
            missing = [name for name in properties if name not in (required or [])]
            if not isinstance(required, list) or missing:
                text = "'required' is required to be supplied and to be an array including every key in properties."
                return path, text + (f" Missing '{missing[0]}'." if missing else "")
        elif not any(key in part for key in ("type", "anyOf", "$ref", "enum", "const")) and path and \
                path[-1] not in ("$defs", "definitions"):
            return path, "schema must have a 'type' key."
    return None


def moonshot_problem(schema):
    """What Moonshot's validator ("moonshot flavored json schema") refuses: openJiuwen-ai/jiuwenswarm#3942 (type next
    to anyOf), CommandCodeAI/command-code#594 (references must start with #/$defs/)."""
    for path, part in walk(schema):
        where = ".".join(path) or "root"
        if not isinstance(part, dict):
            continue
        if "anyOf" in part and "type" in part:
            return where, "when using anyOf, type should be defined in anyOf items instead of the parent schema"
        if "anyOf" in part and "default" in part:
            return where, ("conflicting keywords found in anyOf with parent: keywords (default) are defined on the "
                           "parent")
        if "$ref" in part and not str(part["$ref"]).startswith("#/$defs/"):
            return where + ".$ref", "references must start with #/$defs/"
        if "$ref" in part and "type" in part:
            return where, ("when using $ref, type should be defined in the referenced schema instead of the parent "
                           "schema")
        if not any(key in part for key in ("type", "anyOf", "$ref", "enum", "const", "oneOf", "allOf")):
            return where, "type is not defined"
    return None
