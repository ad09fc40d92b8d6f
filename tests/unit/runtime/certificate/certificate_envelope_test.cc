#include "runtime/certificate/certificate_envelope.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runtime/base/json.h"

namespace stile {
namespace {

TEST(CertificateEnvelope, EncodesAsTheProtocolSays) {
  // The example of secure-systems-lab/dsse, protocol.md.
  EXPECT_EQ(PreAuthenticationEncoding("http://example.com/HelloWorld", "hello world"),
            "DSSEv1 29 http://example.com/HelloWorld 11 hello world");
}

TEST(CertificateEnvelope, WhatIsSealedOpensAgain) {
  const auto key = Ed25519PrivateKey::Generate();
  const auto other = Ed25519PrivateKey::Generate();
  ASSERT_TRUE(key.ok() && other.ok());
  const std::string sealed = SealCertificate("{\"a\": 1}", *key);
  EXPECT_EQ(sealed.find('\n'), std::string::npos);
  const auto opened = OpenCertificate(sealed + "\n");
  ASSERT_TRUE(opened.ok()) << opened.status();
  EXPECT_EQ(opened->statement, "{\"a\": 1}");
  EXPECT_EQ(opened->signatures.at(0).key_id, key->PublicKey().Id());
  EXPECT_TRUE(opened->IsSignedBy(key->PublicKey()));
  EXPECT_FALSE(opened->IsSignedBy(other->PublicKey()));
}

TEST(CertificateEnvelope, OneGoodSignatureAmongOthersIsEnough) {
  const auto key = Ed25519PrivateKey::Generate();
  ASSERT_TRUE(key.ok());
  Json json = ParseJson(SealCertificate("{}", *key)).value();
  json["signatures"].insert(json["signatures"].begin(), Json{{"keyid", "x"}, {"sig", "AAAA"}});
  const auto opened = OpenCertificate(DumpJson(json));
  ASSERT_TRUE(opened.ok()) << opened.status();
  EXPECT_TRUE(opened->IsSignedBy(key->PublicKey()));
}

TEST(CertificateEnvelope, ABareStatementHasNoSignatures) {
  const auto opened = OpenCertificate("{\"predicate\": {}}");
  ASSERT_TRUE(opened.ok()) << opened.status();
  EXPECT_TRUE(opened->signatures.empty());
  EXPECT_EQ(opened->statement, "{\"predicate\": {}}");
}

}  // namespace
}  // namespace stile
