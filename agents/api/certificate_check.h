// Which certificates are checked (Runs::Verify), and what came of it.
#ifndef STILE_AGENTS_API_CERTIFICATE_CHECK_H_
#define STILE_AGENTS_API_CERTIFICATE_CHECK_H_

#include <string>
#include <vector>

#include "agents/api/certificate_verifier.h"

namespace stile {

class Agent;

// Which certificate is meant: exactly one of `name` and `revision` is set.
struct CertificateSource {
  std::string name;      // a file, a run id, or the beginning of one
  std::string revision;  // of a commit that Stile made
  std::string folder;    // absolute; in the repository of `revision`
};

struct GivenCertificates {
  std::vector<Certificate> certificates;  // at least one
  CertificateFindings findings;           // see CommitCertificates
  std::string commit;                     // full id; "": not from a commit
};

struct VerifyRequest {
  CertificateSource source;
  std::string workspace;   // absolute; compared with the certificate, where `source` is no commit
  std::string public_key;  // text of a PEM file; "": signatures are not checked
  Agent* rerun = nullptr;  // not owned; validates its workspace again. Null: not done
};

struct Verification {
  enum class Signature { kNone, kNotChecked, kValid, kInvalid };
  GivenCertificates given;
  CertificateFindings findings;  // empty: everything that was compared matches
  Signature signature = Signature::kNone;
  std::string key_id;  // of the public key; "": none was given
  bool is_rerun = false;
};

}  // namespace stile

#endif  // STILE_AGENTS_API_CERTIFICATE_CHECK_H_
