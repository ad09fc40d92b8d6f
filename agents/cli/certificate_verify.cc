#include <unistd.h>

#include <algorithm>
#include <optional>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "agents/api/agent.h"
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

struct Verification {
  GivenCertificates given;
  CertificateFindings findings;
  std::optional<Ed25519PublicKey> key;
  bool signed_by_key = false;  // all of them
  std::string compared;        // "the workspace DIR", "commit ID"
  std::optional<ValidationReport> report;
};

absl::StatusOr<Ed25519PublicKey> ReadPublicKey(const std::string& file) {
  const auto pem = DiskFileSystem()->ReadFile(file, kMaxKeyBytes);
  if (!pem.ok()) return absl::InvalidArgumentError(pem.status().message());
  auto key = Ed25519PublicKey::FromPem(*pem);
  if (!key.ok()) return WithContext(key.status(), absl::StrCat("--key: ", file));
  return key;
}

void CheckSignatures(Verification* verification) {
  if (!verification->key.has_value()) return;
  verification->signed_by_key = true;
  for (const Certificate& certificate : verification->given.certificates) {
    if (certificate.envelope.IsSignedBy(*verification->key)) continue;
    verification->signed_by_key = false;
    verification->findings.push_back(
        {"signature",
         certificate.envelope.signatures.empty()
             ? absl::StrCat("the certificate of run ", certificate.run_id, " is not signed")
             : absl::StrCat("none of the certificate of run ", certificate.run_id,
                            " is by the key ", verification->key->Id())});
  }
}

absl::StatusOr<ValidationReport> ValidateAgain(const CliContext& context,
                                               const std::string& workspace,
                                               const Certificate& certificate) {
  AgentFlags agent_flags;
  agent_flags.workspace = workspace;
  STILE_ASSIGN_OR_RETURN(AgentOptions options, MakeAgentOptions(context, agent_flags));
  STILE_ASSIGN_OR_RETURN(const std::unique_ptr<Agent> agent, Agent::Create(std::move(options)));
  ValidateArguments arguments;
  arguments.level = certificate.level == "test" ? Level::kTest : Level::kBuild;
  return agent->Validate(arguments);
}

absl::StatusOr<Verification> Verify(const CliContext& context, const VerifyFlags& flags) {
  Verification result;
  const bool of_commit = !flags.source.revision.empty();
  if (flags.rerun && of_commit) {
    return absl::InvalidArgumentError(
        "--rerun judges a workspace: check the commit out, and give its certificate as a file");
  }
  if (!flags.key_file.empty()) {
    STILE_ASSIGN_OR_RETURN(result.key, ReadPublicKey(flags.key_file));
  }
  STILE_ASSIGN_OR_RETURN(
      const std::string workspace,
      ResolveFolder(flags.source.workspace.empty() ? "." : flags.source.workspace));
  STILE_ASSIGN_OR_RETURN(result.given, ReadGiven(context, flags.source));
  result.findings = result.given.findings;
  CheckSignatures(&result);
  CertificateFindings found;
  if (of_commit) {
    result.compared = absl::StrCat("commit ", result.given.commit);
    STILE_ASSIGN_OR_RETURN(
        found, CompareWithCommit({result.given.commit, result.given.certificates, {}}, workspace));
  } else {
    result.compared = absl::StrCat("the workspace ", workspace);
    STILE_ASSIGN_OR_RETURN(found, CompareWithWorkspace(result.given.certificates[0], workspace));
  }
  result.findings.insert(result.findings.end(), found.begin(), found.end());
  if (flags.rerun) {
    const Certificate& certificate = result.given.certificates[0];
    STILE_ASSIGN_OR_RETURN(result.report, ValidateAgain(context, workspace, certificate));
    found = CompareWithValidation(certificate, *result.report);
    result.findings.insert(result.findings.end(), found.begin(), found.end());
  }
  return result;
}

std::string SignatureStatus(const Verification& verification) {
  if (verification.key.has_value()) return verification.signed_by_key ? "valid" : "invalid";
  const auto& certificates = verification.given.certificates;
  const bool some = std::any_of(certificates.begin(), certificates.end(),
                                [](const auto& c) { return !c.envelope.signatures.empty(); });
  return some ? "not_checked" : "none";
}

// What a match proves, and what it does not.
std::string WhatIsShown(const Verification& verification) {
  const std::string status = SignatureStatus(verification);
  std::string text =
      absl::StrCat(verification.compared, " holds the content that the certificate",
                   verification.given.certificates.size() > 1 ? "s name" : " names", ". ");
  text[0] = static_cast<char>(toupper(static_cast<unsigned char>(text[0])));
  if (status == "valid") {
    absl::StrAppend(&text, "It is signed: whoever has the private half of key ",
                    verification.key->Id(), " vouches for what it says of the run. ");
  } else if (status == "none") {
    text +=
        "It is not signed: that a gate accepted this content is not shown, anybody can write "
        "such a file. ";
  } else {
    text +=
        "Its signature was not checked, and without --key it shows no more than an unsigned "
        "one would. ";
  }
  if (verification.report.has_value()) {
    const size_t targets = verification.given.certificates[0].targets.size();
    absl::StrAppend(&text, targets == 0 ? "It names no target, so nothing was validated again."
                                        : absl::StrCat("Its ", Count(targets, "target"),
                                                       " passed again just now."));
  } else {
    text += "That it builds was not tried again.";
  }
  return text;
}

Json ToJson(const Verification& verification) {
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
          {"signature", SignatureStatus(verification)},
          {"rerun", verification.report.has_value()},
          {"shown", matches ? Json(ToUtf8(WhatIsShown(verification))) : Json()}};
}

}  // namespace

int VerifyCertificate(const CliContext& context, const VerifyFlags& flags) {
  const auto verification = Verify(context, flags);
  if (!verification.ok()) return ReportStatus(verification.status());
  const bool matches = verification->findings.empty();
  if (context.json) {
    PrintJson(ToJson(*verification));
    return matches ? 0 : 1;
  }
  const Terminal terminal = DescribeTerminal(STDOUT_FILENO, context.environment);
  std::string text;
  for (const CertificateFinding& finding : verification->findings) {
    absl::StrAppend(&text, Styled(terminal, Style::kRed, OneLine(finding.subject)), ": ",
                    OneLine(finding.what), "\n");
  }
  if (matches) {
    absl::StrAppend(&text, Styled(terminal, Style::kGreen, "matches"), "\n",
                    OneLine(WhatIsShown(*verification)), "\n");
  } else {
    absl::StrAppend(&text, Styled(terminal, Style::kRed, "does not match"), ": ",
                    Count(verification->findings.size(), "difference"), " between ",
                    OneLine(verification->compared), " and the certificate\n");
  }
  Print(text);
  return matches ? 0 : 1;
}

}  // namespace stile
