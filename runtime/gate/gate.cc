#include "runtime/gate/gate.h"

#include <utility>

#include "runtime/base/status.h"
#include "runtime/base/text.h"
#include "runtime/gate/allowance.h"
#include "runtime/gate/gate_finish.h"
#include "runtime/gate/gate_observation.h"
#include "runtime/gate/gate_probe.h"
#include "runtime/gate/gate_state.h"
#include "runtime/gate/gate_validation.h"
#include "runtime/workspace/workspace_path.h"

namespace stile {

Json ToJson(const GateSettings& settings) {
  const bool enforce = settings.mode == GateSettings::Mode::kEnforce;
  const bool reject_on_finish = settings.on_finish == GateSettings::OnFinish::kReject;
  const bool reject = settings.no_validator == GateSettings::Policy::kReject;
  const bool reject_weakening = settings.weakening == GateSettings::Policy::kReject;
  const bool reject_uncovered = settings.uncovered == GateSettings::Policy::kReject;
  const char* baseline = "";
  switch (settings.baseline) {
    case GateSettings::Baseline::kAuto:
      baseline = "auto";
      break;
    case GateSettings::Baseline::kStrict:
      baseline = "strict";
      break;
    case GateSettings::Baseline::kNoNewErrors:
      baseline = "no_new_errors";
      break;
  }
  const char* coverage = "";
  switch (settings.coverage) {
    case GateSettings::Coverage::kListing:
      coverage = "listing";
      break;
    case GateSettings::Coverage::kCanary:
      coverage = "canary";
      break;
    case GateSettings::Coverage::kOff:
      coverage = "off";
      break;
  }
  Json json = {{"mode", enforce ? "enforce" : "observe"},
               {"level", std::string(LevelName(settings.level))},
               {"on_finish", reject_on_finish ? "reject" : "validate"},
               {"max_failures", settings.max_failures},
               {"max_infra_errors", settings.max_infra_errors},
               {"baseline", baseline},
               {"no_validator", reject ? "reject" : "report"},
               {"coverage", coverage},
               {"uncovered", reject_uncovered ? "reject" : "report"},
               {"weakening", reject_weakening ? "reject" : "report"},
               {"allow_flaky", settings.allow_flaky},
               {"watch", settings.watch}};
  // Left out where the task names none: certificates of earlier versions have no such field.
  if (!settings.expect_tests.empty()) json["expect_tests"] = settings.expect_tests;
  for (const Allowance& allowance : settings.allow) {
    json["allow"].push_back(ToUtf8(AllowanceText(allowance)));
  }
  return json;
}

Gate::Gate(GateOptions options) : state_(std::make_unique<GateState>(std::move(options))) {}

Gate::~Gate() = default;

absl::StatusOr<std::unique_ptr<Gate>> Gate::Start(GateOptions options) {
  auto gate = std::unique_ptr<Gate>(new Gate(std::move(options)));
  GateState* const state = gate->state_.get();
  GateOptions& o = state->options;
  if (!o.settings.expect_tests.empty()) o.settings.level = Level::kTest;
  STILE_RETURN_IF_ERROR(o.file_system->MakeDirs(o.state_dir));
  state->memory = LoadWorkspaceMemory(o.file_system, state->memory_file);
  STILE_ASSIGN_OR_RETURN(state->current, state->taker.Take(o.baseline.value_or(Snapshot())));
  state->baseline = o.baseline.value_or(state->current);
  state->accepted_snapshot = ReferenceSnapshot(*state, /*inherited=*/true);
  state->pre_run_snapshot = ReferenceSnapshot(*state, /*inherited=*/false);
  state->map = BuildMap(*state, state->current);
  SetReferences(state);
  if (!o.baseline.has_value()) NoteMissingPackages(state);
  const auto is_output = [state](const std::string& path) {
    return IsOutputOfValidator(*state, path);
  };
  const auto is_read = [state](const std::string& path) {
    return IsFoundByValidator(*state, path);
  };
  const auto state_dir_of = [state](const Validator& validator, const Project& project) {
    return OwnStateDir(state, validator, project);
  };
  state->scratch = {o.workspace,     is_output,
                    is_read,         JoinPath(o.state_dir, "scratch"),
                    &o.ignore_rules, &state->clean_environment,
                    o.file_system,   o.runner,
                    o.clock,         o.cancellation,
                    state_dir_of};
  state->coverage =
      std::make_unique<CoverageJudge>(state->scratch, o.languages, o.validators, o.conditions,
                                      &state->accepted_snapshot, o.baseline_content);
  return gate;
}

absl::StatusOr<std::vector<FileChange>> Gate::Refresh() { return RefreshWorkspace(state_.get()); }

absl::StatusOr<ValidationReport> Gate::Validate(const ValidateArguments& arguments) {
  return ValidateSelected(state_.get(), arguments);
}

absl::StatusOr<ProbeReport> Gate::Probe(const std::vector<std::string>& paths) {
  return ProbeBuild(state_.get(), paths);
}

absl::StatusOr<ProbeReport> Gate::ProbeDeprecated(const std::vector<std::string>& paths) {
  return ProbeDeprecation(state_.get(), paths);
}

absl::StatusOr<ExampleReport> Gate::ProbeExamples(const std::vector<DocExample>& examples) {
  return ProbeDocExamples(state_.get(), examples);
}

absl::StatusOr<Judgement> Gate::JudgeFinish(bool validated) {
  return JudgeWorkspace(state_.get(), validated);
}

bool Gate::failures_exhausted() const { return state_->tracker.exhausted(); }

bool Gate::infra_errors_exhausted() const {
  return state_->infra_errors >= state_->options.settings.max_infra_errors;
}

FailureCounts Gate::failures() const {
  return {state_->tracker.failures(), state_->tracker.failed_validations()};
}

const std::optional<ValidationReport>& Gate::last_report() const { return state_->last_report; }

std::vector<Blocker> Gate::UnvalidatedTargets() { return stile::UnvalidatedTargets(state_.get()); }

std::vector<FileChange> Gate::Changes() const { return ChangesSinceStart(*state_); }

const Snapshot& Gate::baseline() const { return state_->baseline; }

const Snapshot& Gate::current() const { return state_->current; }

const std::set<std::string>& Gate::validator_outputs() const { return state_->validator_outputs; }

Snapshot Gate::WithoutOutputs() const { return SnapshotWithoutOutputs(*state_); }

const std::vector<std::string>& Gate::source_folders() const {
  return state_->memory.source_folders;
}

const TargetMap& Gate::targets() const { return state_->map; }

const GateSettings& Gate::settings() const { return state_->options.settings; }

void Gate::Restore(const PastValidations& past) {
  state_->validator_outputs = past.outputs;
  state_->map = BuildMap(*state_, state_->current);
  for (const auto& [key, verdict] : past.refusals) state_->tracker.RecordNoPass(key, verdict);
  for (const Target& target : state_->map.targets()) {
    // Which edits were there at the failure is not known: all of them came later.
    if (target.level == Level::kTest && past.refusals.count(target.key) > 0) {
      state_->red_tests.RecordFailure(target.key, target.project.root, {});
      state_->red_tests.RecordTexts(target.project.root, {});
    }
    const auto pass = past.passes.find(target.key);
    if (pass == past.passes.end()) continue;
    if (JsonString(pass->second, "inputs_sha256") == ContentFingerprint(target.inputs)) {
      state_->tracker.RecordPass(target.key, target.inputs);
      state_->StateOf(target.key).evidence = pass->second;
    }
  }
  state_->tracker.set_failures(past.failures, past.failed_validations);
  state_->infra_errors = past.infra_errors;
}

absl::Status Gate::RevalidatePassed() {
  std::vector<TargetKey> passed;
  for (const Target& target : state_->map.targets()) {
    if (state_->tracker.HasPassed(target.key, target.inputs)) passed.push_back(target.key);
  }
  for (const TargetKey& key : passed) {
    STILE_RETURN_IF_ERROR(ValidateTarget(state_.get(), key, /*force_cold=*/true).status());
  }
  return absl::OkStatus();
}

absl::Status Gate::Close(bool accepted) {
  STILE_RETURN_IF_ERROR(Refresh().status());
  GateState* const state = state_.get();
  if (accepted) {
    state->memory.pending.clear();
    for (const Target& target : state->map.targets()) {
      if (!state->tracker.HasPassed(target.key, target.inputs)) continue;
      state->memory.Accept(target.key, target.inputs);
    }
  } else {
    for (const Blocker& open : UnvalidatedTargets()) {
      for (const std::string& path : open.paths) STILE_RETURN_IF_ERROR(AddPending(state, path));
    }
  }
  state->memory.refusals = LastingRefusals(*state);
  return SaveWorkspaceMemory(state->options.file_system, state->memory_file, state->memory);
}

}  // namespace stile
