#include "agents/api/machine_status.h"

#include <memory>
#include <optional>
#include <utility>

#include "runtime/base/status.h"
#include "runtime/coverage/observation.h"
#include "runtime/gate/clean_environment.h"
#include "runtime/session/gated_workspace.h"
#include "tools/resolve/server_catalog.h"

namespace stile {

std::vector<LanguageStatus> ListLanguages(const LanguageRegistry& languages,
                                          const std::string& only,
                                          const ValidatorRegistry& validators,
                                          const std::string& workspace,
                                          const Environment& environment, ProcessRunner* runner) {
  std::vector<LanguageStatus> list;
  const Environment clean = CleanEnvironment(environment);
  for (const Language& language : languages.languages()) {
    if (!only.empty() && language.id != only) continue;
    for (const Level level : {Level::kBuild, Level::kTest}) {
      const auto& ids =
          level == Level::kBuild ? language.build_validators : language.test_validators;
      for (const std::string& id : ids) {
        const Validator* validator = validators.Find(id);
        if (validator == nullptr) continue;
        Project project{&language, workspace, ".", true, {}};
        list.push_back(
            {language.id, language.name, id, level, validator->Probe(project, clean, runner)});
      }
    }
  }
  return list;
}

absl::StatusOr<Agent::SandboxStatus> DescribeSandbox(const SessionContext& context,
                                                     const std::string& workspace) {
  STILE_ASSIGN_OR_RETURN(const std::unique_ptr<RunSandbox> sandbox,
                         OpenSandbox(context, workspace, std::nullopt, ""));
  const absl::Status observed =
      CheckObservation(sandbox->judges(), CleanEnvironment(context.environment));
  return Agent::SandboxStatus{sandbox->active(), sandbox->description(), sandbox->limits(),
                              std::string(observed.message())};
}

std::vector<Agent::ResolverStatus> ListResolvers(const std::string& workspace,
                                                 const Environment& environment) {
  std::vector<Agent::ResolverStatus> list;
  for (ServerStatus& server : ListServers(workspace, environment)) {
    list.push_back({std::move(server.name), std::move(server.languages), std::move(server.program),
                    std::move(server.install_hint)});
  }
  return list;
}

}  // namespace stile
