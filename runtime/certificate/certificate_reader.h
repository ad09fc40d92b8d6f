#ifndef STILE_RUNTIME_CERTIFICATE_CERTIFICATE_READER_H_
#define STILE_RUNTIME_CERTIFICATE_CERTIFICATE_READER_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "runtime/base/json.h"
#include "runtime/certificate/certificate.h"
#include "runtime/certificate/certificate_envelope.h"

namespace stile {

struct CertifiedContent {
  std::string sha256;
  uint32_t mode = 0;  // as git has it: 0100644
};

struct CertifiedFile {
  std::string path;                       // raw bytes, relative to the workspace
  std::optional<CertifiedContent> after;  // nullopt: deleted
};

struct CertifiedTarget {
  std::string language;
  std::string validator;
  std::string root;
  std::string level;
  std::string verdict;
  std::string rule;
};

// A certificate as somebody handed it over.
struct Certificate {
  std::string sha256;          // of the file, or of the line of a note, with its newline
  OpenedCertificate envelope;  // signatures that nobody has checked yet
  Json statement;              // fits CertificateSchema()
  std::string run_id;
  std::string outcome;
  std::string time;
  std::string prefix;                       // "" or "sub/folder/"
  std::string tree;                         // "" : none named
  std::string accepted_root;                // SHA-256 in hex
  std::string level;                        // what the gate asked for: "build" or "test"
  std::vector<CertifiedFile> changed;       // sorted by path, no path twice
  std::vector<std::string> source_folders;  // see WorkspaceMemory; below the workspace
  std::vector<std::string> outputs;  // files that accepted_root leaves out; none of `changed`
  std::vector<CertifiedTarget> targets;
};

// Reads a statement or an envelope. InvalidArgument, beginning with `name`, for everything that is
// not exactly a certificate as Stile writes them: what OpenCertificate refuses, what does not fit
// the schema, paths that leave the workspace, two statements about one file or target, subjects
// that are not the changed files.
absl::StatusOr<Certificate> ReadCertificate(absl::string_view text, const std::string& name);

}  // namespace stile

#endif  // STILE_RUNTIME_CERTIFICATE_CERTIFICATE_READER_H_
