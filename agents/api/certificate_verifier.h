// Whether what a certificate says still holds. Finds out nothing by running code of the workspace.
#ifndef STILE_AGENTS_API_CERTIFICATE_VERIFIER_H_
#define STILE_AGENTS_API_CERTIFICATE_VERIFIER_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "runtime/certificate/certificate_reader.h"
#include "runtime/validation/validation_service.h"

namespace stile {

// Something that does not match.
struct CertificateFinding {
  std::string subject;  // a path (raw bytes), or "workspace", "commit", "signature", "web (tsc)"
  std::string what;     // for people
};
using CertificateFindings = std::vector<CertificateFinding>;

// The changed files, and the workspace as a whole, against the accepted content. `workspace`
// absolute, without symlinks. Links in it are never followed. A status means that it cannot be
// read.
absl::StatusOr<CertificateFindings> CompareWithWorkspace(const Certificate& certificate,
                                                         const std::string& workspace);

// The targets against a validation of all targets of the workspace: each has to pass again.
CertificateFindings CompareWithValidation(const Certificate& certificate,
                                          const ValidationReport& report);

// The certificates of a commit that Stile made.
struct CommitCertificates {
  std::string commit;                     // full id
  std::vector<Certificate> certificates;  // of its steps, in order; at least one
  CertificateFindings findings;           // where the note is not what the commit's trailers name
};

// From the note of the commit that `revision` names in the repository around `folder`. NotFound
// when there is no such commit or note; InvalidArgument for a note that is no certificate.
absl::StatusOr<CommitCertificates> ReadCommitCertificates(const std::string& folder,
                                                          const std::string& revision);

// What the steps together left behind against the tree of the commit.
absl::StatusOr<CertificateFindings> CompareWithCommit(const CommitCertificates& commit,
                                                      const std::string& folder);

}  // namespace stile

#endif  // STILE_AGENTS_API_CERTIFICATE_VERIFIER_H_
