#ifndef STILE_RUNTIME_CERTIFICATE_CERTIFICATE_H_
#define STILE_RUNTIME_CERTIFICATE_CERTIFICATE_H_

#include <string>

#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "runtime/base/json.h"
#include "runtime/gate/gate.h"

namespace stile {

// What a certificate says beyond what the gate saw itself.
struct CertificateContext {
  std::string run_id;
  std::string outcome;      // "succeeded" or "unchanged"
  std::string workspace;    // absolute
  std::string prefix;       // of the workspace within its repository: "" or "sub/folder/"
  std::string base_commit;  // "" without version control
  std::string tree;         // git's id of the accepted content; "" where there is none
  std::string sandbox;      // in which commands and validators ran, or why in none
  std::string provider;
  std::string model;
  Json usage;
  int turns = 0;
  absl::Time time;
};

// The proof of an accepted finish: an in-toto Statement v1 (in-toto/attestation,
// spec/v1/statement.md) whose subjects are the changed files with their accepted hashes, and whose
// predicate holds root hashes, targets with command and toolchain, gate settings and the run's
// figures. CertificateSchema describes every field. Reads the programs of the validators once, for
// their hashes.
Json BuildCertificate(const Gate& gate, const Judgement& accepted,
                      const CertificateContext& context);

// The JSON Schema (draft 7) of the statement, as text; certificate.schema.json.
absl::string_view CertificateSchema();

// Of one, and of all in a commit's note: what is longer is neither written nor read.
inline constexpr size_t kMaxCertificateBytes = size_t{64} << 20;

inline constexpr char kStatementType[] = "https://in-toto.io/Statement/v1";
inline constexpr char kCertificatePredicateType[] = "urn:stile:validated-run:v1";

}  // namespace stile

#endif  // STILE_RUNTIME_CERTIFICATE_CERTIFICATE_H_
