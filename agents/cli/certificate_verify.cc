#include <unistd.h>

#include <algorithm>
#include <optional>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "agents/api/agent.h"
#include "agents/api/runs.h"
#include "agents/cli/agent_flags.h"
#include "agents/cli/certificate_command.h"
#include "agents/cli/certificate_text.h"
#include "agents/cli/output.h"
#include "runtime/base/ed25519.h"
#include "runtime/base/status.h"
#include "runtime/base/text.h"
#include "runtime/workspace/file_system.h"

namespace stile {
namespace {

constexpr size_t kMaxKeyBytes = size_t{64} << 10;

// What was verified, and how it is named in messages.
struct Shown {
  Verification verification;
  std::string compared;  // "the workspace DIR", "commit ID"
};

absl::StatusOr<Shown> Verify(const CliContext& context, const VerifyFlags& flags) {
  VerifyRequest request;
  if (!flags.key_file.empty()) {
    const auto pem = DiskFileSystem()->ReadFile(flags.key_file, kMaxKeyBytes);
    if (!pem.ok()) return absl::InvalidArgumentError(pem.status().message());
    request.public_key = *pem;
    const auto key = Ed25519PublicKey::FromPem(*pem);
    if (!key.ok()) return WithContext(key.status(), absl::StrCat("--key: ", flags.key_file));
  }
  STILE_ASSIGN_OR_RETURN(request.workspace,
                         ResolveFolder(flags.workspace.empty() ? "." : flags.workspace));
  STILE_ASSIGN_OR_RETURN(request.source, SourceOf(flags));
  std::unique_ptr<Agent> agent;
  if (flags.rerun && flags.revision.empty()) {
    AgentFlags agent_flags;
    agent_flags.workspace = request.workspace;
    STILE_ASSIGN_OR_RETURN(AgentOptions options, MakeAgentOptions(context, agent_flags));
    STILE_ASSIGN_OR_RETURN(agent, Agent::Create(std::move(options)));
    request.rerun = agent.get();
  } else if (flags.rerun) {
    return absl::InvalidArgumentError(
        "--rerun judges a workspace: check the commit out, and give its certificate as a file");
  }
  const std::unique_ptr<Runs> runs = Runs::Open(context.environment);
  Shown shown;
  STILE_ASSIGN_OR_RETURN(shown.verification, runs->Verify(request));
  const std::string& commit = shown.verification.given.commit;
  shown.compared = commit.empty() ? absl::StrCat("the workspace ", request.workspace)
                                  : absl::StrCat("commit ", commit);
  return shown;
}

absl::string_view SignatureName(Verification::Signature signature) {
  switch (signature) {
    case Verification::Signature::kNone:
      return "none";
    case Verification::Signature::kNotChecked:
      return "not_checked";
    case Verification::Signature::kValid:
      return "valid";
    case Verification::Signature::kInvalid:
      return "invalid";
  }
  return "";
}

// What a match proves, and what it does not.
std::string WhatIsShown(const Shown& shown) {
  const Verification& verification = shown.verification;
  std::string text =
      absl::StrCat(shown.compared, " holds the content that the certificate",
                   verification.given.certificates.size() > 1 ? "s name" : " names", ". ");
  text[0] = static_cast<char>(toupper(static_cast<unsigned char>(text[0])));
  if (verification.signature == Verification::Signature::kValid) {
    absl::StrAppend(&text, "It is signed: whoever has the private half of key ",
                    verification.key_id, " vouches for what it says of the run. ");
  } else if (verification.signature == Verification::Signature::kNone) {
    text +=
        "It is not signed: that a gate accepted this content is not shown, anybody can write "
        "such a file. ";
  } else {
    text +=
        "Its signature was not checked, and without --key it shows no more than an unsigned "
        "one would. ";
  }
  if (verification.is_rerun) {
    const size_t targets = verification.given.certificates[0].targets.size();
    absl::StrAppend(&text, targets == 0 ? "It names no target, so nothing was validated again."
                                        : absl::StrCat("Its ", Count(targets, "target"),
                                                       " passed again just now."));
  } else {
    text += "That it builds was not tried again.";
  }
  return text;
}

Json ToJson(const Shown& shown) {
  const Verification& verification = shown.verification;
  Json findings = Json::array();
  for (const CertificateFinding& finding : verification.findings) {
    Json entry = {{"subject", ToUtf8(finding.subject)}, {"what", ToUtf8(finding.what)}};
    if (!IsUtf8(finding.subject)) entry["subjectBase64"] = Base64Encode(finding.subject);
    findings.push_back(std::move(entry));
  }
  Json certificates = Json::array();
  for (const Certificate& certificate : verification.given.certificates) {
    certificates.push_back({{"run_id", certificate.run_id}, {"sha256", certificate.sha256}});
  }
  const bool matches = verification.findings.empty();
  return {{"matches", matches},
          {"findings", std::move(findings)},
          {"certificates", std::move(certificates)},
          {"commit", verification.given.commit.empty() ? Json() : Json(verification.given.commit)},
          {"signature", std::string(SignatureName(verification.signature))},
          {"rerun", verification.is_rerun},
          {"shown", matches ? Json(ToUtf8(WhatIsShown(shown))) : Json()}};
}

}  // namespace

int VerifyCertificate(const CliContext& context, const VerifyFlags& flags) {
  const auto shown = Verify(context, flags);
  if (!shown.ok()) return ReportStatus(shown.status());
  const CertificateFindings& findings = shown->verification.findings;
  const bool matches = findings.empty();
  if (context.json) {
    PrintJson(ToJson(*shown));
    return matches ? 0 : 1;
  }
  const Terminal terminal = DescribeTerminal(STDOUT_FILENO, context.environment);
  std::string text;
  for (const CertificateFinding& finding : findings) {
    absl::StrAppend(&text, Styled(terminal, Style::kRed, OneLine(finding.subject)), ": ",
                    OneLine(finding.what), "\n");
  }
  if (matches) {
    absl::StrAppend(&text, Styled(terminal, Style::kGreen, "matches"), "\n",
                    OneLine(WhatIsShown(*shown)), "\n");
  } else {
    absl::StrAppend(&text, Styled(terminal, Style::kRed, "does not match"), ": ",
                    Count(findings.size(), "difference"), " between ", OneLine(shown->compared),
                    " and the certificate\n");
  }
  Print(text);
  return matches ? 0 : 1;
}

}  // namespace stile
