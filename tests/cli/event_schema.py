"""Holds events against runtime/event/events.schema.json, as far as that file uses JSON Schema."""

import functools
import json
import os
import re

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
TYPES = {"string": str, "object": dict, "array": list, "boolean": bool, "null": type(None)}
UNDERSTOOD = {"description", "type", "enum", "pattern", "minimum", "properties", "required", "items", "oneOf",
              "definitions", "title", "$schema"}


@functools.lru_cache(maxsize=None)
def schema():
    with open(os.path.join(ROOT, "runtime", "event", "events.schema.json"), encoding="utf-8") as file:
        return json.load(file)


def has_type(value, name):
    if name in ("integer", "number"):
        return isinstance(value, (int, float) if name == "number" else int) and not isinstance(value, bool)
    return isinstance(value, TYPES[name])


def defects(value, rule, place):
    """What does not fit, one line each."""
    assert set(rule) <= UNDERSTOOD, set(rule) - UNDERSTOOD
    names = rule.get("type", [])
    names = names if isinstance(names, list) else [names]
    if names and not any(has_type(value, name) for name in names):
        return [f"{place} is no {' or '.join(names)}: {value!r}"]
    found = []
    if value not in rule.get("enum", [value]):
        found.append(f"{place} is none of {rule['enum']}: {value!r}")
    if "pattern" in rule and not re.search(rule["pattern"], value):
        found.append(f"{place} does not match {rule['pattern']}: {value!r}")
    if value.__class__ is int and value < rule.get("minimum", value):
        found.append(f"{place} is below {rule['minimum']}: {value}")
    if isinstance(value, dict):
        found += [f"{place} lacks {key}" for key in rule.get("required", []) if key not in value]
        for key, member in rule.get("properties", {}).items():
            if key in value:
                found += defects(value[key], member, f"{place}.{key}")
    if isinstance(value, list) and "items" in rule:
        for i, item in enumerate(value):
            found += defects(item, rule["items"], f"{place}[{i}]")
    return found


def event_defects(event):
    kind = event.get("type")
    definition = schema()["definitions"].get(kind)
    if definition is None:
        return [f"{kind} is no type of event"]
    return defects(event, schema(), kind) + defects(event, definition, kind)
