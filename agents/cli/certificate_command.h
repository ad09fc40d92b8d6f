#ifndef STILE_AGENTS_CLI_CERTIFICATE_COMMAND_H_
#define STILE_AGENTS_CLI_CERTIFICATE_COMMAND_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "agents/api/certificate_check.h"
#include "agents/cli/command.h"

namespace stile {

// stile certificate show | verify | keygen | schema
void DeclareCertificate(CLI::App* app, CliContext* context);

// Which certificate is meant, and what it is compared with.
struct VerifyFlags {
  std::string name;       // a run or a file
  std::string revision;   // of a commit in the repository around `workspace`
  std::string workspace;  // "": the current folder
  std::string key_file;
  bool rerun = false;
};
absl::StatusOr<CertificateSource> SourceOf(const VerifyFlags& flags);

// stile certificate verify; in certificate_verify.cc.
int VerifyCertificate(const CliContext& context, const VerifyFlags& flags);

}  // namespace stile

#endif  // STILE_AGENTS_CLI_CERTIFICATE_COMMAND_H_
