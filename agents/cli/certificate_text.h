#ifndef STILE_AGENTS_CLI_CERTIFICATE_TEXT_H_
#define STILE_AGENTS_CLI_CERTIFICATE_TEXT_H_

#include <string>

#include "agents/cli/output.h"
#include "runtime/certificate/certificate_reader.h"

namespace stile {

// The certificate for people: what was accepted, on what grounds, and what was let pass.
std::string CertificateText(const Certificate& certificate, const Terminal& terminal);

// "signed by KEY, KEY (not checked)" or "not signed".
std::string SignatureText(const OpenedCertificate& envelope);

}  // namespace stile

#endif  // STILE_AGENTS_CLI_CERTIFICATE_TEXT_H_
