#ifndef STILE_AGENTS_CLI_CERTIFICATE_COMMAND_H_
#define STILE_AGENTS_CLI_CERTIFICATE_COMMAND_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "agents/api/certificate_verifier.h"
#include "agents/cli/command.h"

namespace stile {

// stile certificate show | verify | keygen | schema
void DeclareCertificate(CLI::App* app, CliContext* context);

// Which certificate is meant: a run or file, or a commit of the repository around a folder.
struct CertificateSource {
  std::string name;
  std::string revision;
  std::string workspace;
};

struct GivenCertificates {
  std::vector<Certificate> certificates;  // at least one
  CertificateFindings findings;           // see CommitCertificates
  std::string commit;                     // "" : not from a commit
};

// InvalidArgument when both or neither of name and revision are given.
absl::StatusOr<GivenCertificates> ReadGiven(const CliContext& context,
                                            const CertificateSource& source);

// stile certificate verify; in certificate_verify.cc.
struct VerifyFlags {
  CertificateSource source;
  std::string key_file;
  bool rerun = false;
};
int VerifyCertificate(const CliContext& context, const VerifyFlags& flags);

}  // namespace stile

#endif  // STILE_AGENTS_CLI_CERTIFICATE_COMMAND_H_
