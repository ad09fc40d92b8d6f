#include "agents/cli/models_command.h"

#include <CLI/CLI.hpp>
#include <memory>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "agents/cli/output.h"
#include "runtime/base/text.h"
#include "runtime/model/model_catalog.h"
#include "runtime/model/provider_endpoint.h"

namespace stile {
namespace {

Json ToJson(const ModelData& model) {
  Json json = {{"provider", model.provider},
               {"model", model.model},
               {"context_tokens", model.context_tokens},
               {"output_tokens", model.output_tokens},
               {"images", model.takes_images},
               {"reasons", model.reasons},
               {"price", nullptr}};
  if (model.price) {
    json["price"] = {{"input", model.price->input},
                     {"cached", model.price->cached},
                     {"cache_write", model.price->cache_write},
                     {"output", model.price->output}};
  }
  return json;
}

// 200000 as "200k", 1048576 as "1.0M".
std::string Tokens(int64_t count) {
  if (count <= 0) return "?";
  if (count >= 1'000'000) return absl::StrFormat("%.1fM", static_cast<double>(count) / 1e6);
  return absl::StrCat(count / 1000, "k");
}

std::string Price(double dollars) { return absl::StrFormat("%.3g", dollars); }

// The providers with the variables that they read.
std::string ProviderTable(const Environment& environment) {
  std::string text = absl::StrFormat("%-11s  %-24s  %s\n", "PROVIDER", "KEY", "ADDRESS");
  for (const ProviderPreset& preset : ProviderPresets()) {
    std::string key(preset.key_variables.size() == 0 ? "none" : *preset.key_variables.begin());
    bool is_set = false;
    for (const absl::string_view variable : preset.key_variables) {
      const auto found = environment.find(std::string(variable));
      is_set = is_set || (found != environment.end() && !found->second.empty());
    }
    if (is_set) key += " (set)";
    const std::string url = preset.url.empty()
                                ? absl::StrCat("from ", preset.url_variable)
                                : absl::StrCat(preset.url, ", or from ", preset.url_variable);
    absl::StrAppend(&text, absl::StrFormat("%-11s  %-24s  %s\n", preset.name, key, url));
  }
  return absl::StrCat(text, "\nOne provider's models: stile models PROVIDER\n");
}

std::string ModelTable(const std::vector<ModelData>& models) {
  size_t width = 5;
  for (const ModelData& model : models) {
    width = std::max(width, model.provider.size() + model.model.size() + 1);
  }
  std::string text = absl::StrFormat("%-*s  %7s  %6s  %8s  %8s  %8s  %s\n", width, "MODEL",
                                     "CONTEXT", "OUTPUT", "$ IN", "$ CACHED", "$ OUT", "");
  for (const ModelData& model : models) {
    const ModelPrice price = model.price.value_or(ModelPrice());
    absl::StrAppend(
        &text, absl::StrFormat(
                   "%-*s  %7s  %6s  %8s  %8s  %8s  %s%s\n", width,
                   absl::StrCat(model.provider, ":", model.model), Tokens(model.context_tokens),
                   Tokens(model.output_tokens), model.price ? Price(price.input) : "?",
                   model.price ? Price(price.cached) : "?", model.price ? Price(price.output) : "?",
                   model.reasons ? "effort " : "", model.takes_images ? "pictures" : ""));
  }
  return absl::StrCat(
      text,
      "\nDollars for a million tokens; `prices:` in the user's configuration overrules them.\n");
}

int Models(const CliContext& context, const std::string& provider) {
  if (!provider.empty() && FindProviderPreset(provider) == nullptr) {
    std::vector<std::string> names;
    for (const ProviderPreset& preset : ProviderPresets()) names.emplace_back(preset.name);
    const std::string nearest = Nearest(provider, names);
    return UsageError(
        absl::StrCat("unknown provider '", Printable(provider), "'",
                     nearest.empty() ? "" : absl::StrCat(", did you mean '", nearest, "'?"),
                     "; `stile models` lists them"));
  }
  const std::vector<ModelData> models = ListModelData(provider);
  if (context.json) {
    Json list = Json::array();
    for (const ModelData& model : models) list.push_back(ToJson(model));
    PrintJson(list);
    return 0;
  }
  if (provider.empty()) {
    Print(ProviderTable(context.environment));
  } else if (models.empty()) {
    Print(absl::StrCat(provider,
                       " serves models of your own: nothing is known of their limits and prices.\n"
                       "Name one with --model ",
                       provider, ":MODEL.\n"));
  } else {
    Print(ModelTable(models));
  }
  return 0;
}

}  // namespace

void DeclareModels(CLI::App* app, CliContext* context) {
  auto provider = std::make_shared<std::string>();
  app->add_option("PROVIDER", *provider, "Only its models; without it, the providers");
  app->footer("With --json and without PROVIDER, every model that is known.");
  OnCommand(app, [provider, context] { return Models(*context, *provider); });
}

}  // namespace stile
