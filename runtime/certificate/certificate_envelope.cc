#include "runtime/certificate/certificate_envelope.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "runtime/base/json.h"
#include "runtime/base/status.h"
#include "runtime/base/text.h"

namespace stile {
namespace {

constexpr size_t kMaxSignatures = 16;

// The bytes of member `key`. One text stands for one sequence of bytes and the other way round.
absl::StatusOr<std::string> Base64Member(const Json& object, absl::string_view key) {
  const auto text = JsonString(object, key);
  if (!text.has_value()) return absl::InvalidArgumentError(absl::StrCat(key, ": is missing"));
  const auto bytes = Base64Decode(*text);
  if (!bytes.ok() || Base64Encode(*bytes) != *text) {
    return absl::InvalidArgumentError(
        absl::StrCat(key, ": not standard base64 (RFC 4648, section 4) in its only form"));
  }
  return bytes;
}

}  // namespace

std::string PreAuthenticationEncoding(absl::string_view type, absl::string_view payload) {
  return absl::StrCat("DSSEv1 ", type.size(), " ", type, " ", payload.size(), " ", payload);
}

std::string SealCertificate(absl::string_view statement, const Ed25519PrivateKey& key) {
  const std::string signature =
      key.Sign(PreAuthenticationEncoding(kCertificatePayloadType, statement));
  return DumpJson({{"payload", Base64Encode(statement)},
                   {"payloadType", kCertificatePayloadType},
                   {"signatures", Json::array({{{"keyid", key.PublicKey().Id()},
                                                {"sig", Base64Encode(signature)}}})}});
}

bool OpenedCertificate::IsSignedBy(const Ed25519PublicKey& key) const {
  const std::string message = PreAuthenticationEncoding(kCertificatePayloadType, statement);
  return std::any_of(signatures.begin(), signatures.end(), [&](const Signature& signature) {
    return key.Verify(message, signature.bytes);
  });
}

absl::StatusOr<OpenedCertificate> OpenCertificate(absl::string_view text) {
  STILE_ASSIGN_OR_RETURN(const Json json, ParseJsonStrict(text));
  OpenedCertificate opened;
  const bool envelope =
      JsonMember(json, "payload") != nullptr || JsonMember(json, "payloadType") != nullptr;
  if (!envelope) {
    opened.statement = std::string(text);
    return opened;
  }
  if (JsonMember(json, "predicate") != nullptr || JsonMember(json, "_type") != nullptr) {
    return absl::InvalidArgumentError("both an envelope and a statement");
  }
  const std::string type = JsonString(json, "payloadType").value_or("");
  if (type != kCertificatePayloadType) {
    return absl::InvalidArgumentError(absl::StrCat("payloadType: '", TruncateMiddle(type, 100),
                                                   "' is not ", kCertificatePayloadType));
  }
  STILE_ASSIGN_OR_RETURN(opened.statement, Base64Member(json, "payload"));
  const Json* signatures = JsonMember(json, "signatures");
  if (signatures == nullptr || !signatures->is_array() || signatures->empty()) {
    return absl::InvalidArgumentError("signatures: an envelope has at least one");
  }
  if (signatures->size() > kMaxSignatures) {
    return absl::InvalidArgumentError(
        absl::StrCat("signatures: ", signatures->size(), " are more than ", kMaxSignatures));
  }
  for (size_t i = 0; i < signatures->size(); ++i) {
    const Json& entry = (*signatures)[i];
    auto bytes = Base64Member(entry, "sig");
    if (!bytes.ok()) return WithContext(bytes.status(), absl::StrCat("signatures[", i, "]"));
    opened.signatures.push_back({JsonString(entry, "keyid").value_or(""), *std::move(bytes)});
  }
  return opened;
}

}  // namespace stile
