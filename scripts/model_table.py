#!/usr/bin/env python3
"""Writes the table of models that is compiled into Stile, from the catalogue that third_party/models pins.

  model_table.py CATALOGUE_FOLDER OUTPUT

A row a model, tab-separated, sorted; the columns are documented in runtime/model/model_catalog.h.
"""
import json
import os
import sys

# Provider of the catalogue → provider of --model.
PROVIDERS = {
    "anthropic": "anthropic", "azure": "azure", "deepseek": "deepseek", "google": "gemini",
    "groq": "groq", "mistral": "mistral", "moonshotai": "moonshot", "openai": "openai",
    "openrouter": "openrouter", "xai": "xai",
}
EFFORTS = ["minimal", "low", "medium", "high", "xhigh", "max"]


def effort(model, wanted):
    """The provider's word for an effort: where it has none, that of the next higher, else lower, one."""
    if not model.get("reasoning"):
        return ""
    words = {name: name for name in ("low", "medium", "high")}
    words.update(model.get("thinkingLevelMap") or {})
    at = EFFORTS.index(wanted)
    for name in EFFORTS[at:] + EFFORTS[at - 1::-1]:
        if words.get(name):
            return words[name].lower()
    return ""


def row(provider, model):
    cost = model.get("cost") or {}
    compat = model.get("compat") or {}
    flags = "".join(letter for letter, holds in [
        ("i", "image" in model.get("input", [])),
        ("r", model.get("reasoning")),
        ("a", compat.get("forceAdaptiveThinking")),
        ("c", compat.get("requiresReasoningContentOnAssistantMessages")),
    ] if holds)
    price = [format(cost[key], ".10g") if key in cost else "" for key in
             ("input", "cacheRead", "cacheWrite", "output")]
    columns = [provider, model["id"], str(model.get("contextWindow") or 0), str(model.get("maxTokens") or 0),
               *price, flags, *(effort(model, name) for name in ("low", "medium", "high"))]
    if any("\t" in column or "\n" in column for column in columns):
        raise ValueError(f"{provider} {model['id']!r} holds a tab or a line break")
    return "\t".join(columns)


def main():
    folder, output = sys.argv[1:]
    rows = set()
    for source, provider in PROVIDERS.items():
        with open(os.path.join(folder, source + ".json"), encoding="utf-8") as file:
            models = [model for api in json.load(file).values() for model in api.values()]
        rows.update(row(provider, model) for model in models if model.get("type") == "chat")
    if len(rows) < 100:
        sys.exit(f"{folder} holds {len(rows)} models; is this the catalogue?")
    os.makedirs(os.path.dirname(output), exist_ok=True)
    with open(output + ".new", "w", encoding="utf-8") as file:
        file.write("".join(line + "\n" for line in sorted(rows)))
    os.replace(output + ".new", output)


main()
