#include "runtime/base/ed25519.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "runtime/base/text.h"

namespace stile {
namespace {

using ::testing::HasSubstr;

// RFC 8032, section 7.1, test 2, in the forms of RFC 8410.
std::string PemOf(const std::string& label, const std::string& der_hex) {
  return absl::StrCat("-----BEGIN ", label, "-----\n",
                      Base64Encode(absl::HexStringToBytes(der_hex)), "\n-----END ", label,
                      "-----\n");
}
const std::string kPrivate =
    PemOf("PRIVATE KEY",
          "302e020100300506032b6570042204204ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed"
          "4fb8a6fb");
const std::string kPublic =
    PemOf("PUBLIC KEY",
          "302a300506032b65700321003d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660"
          "c");
const std::string kSignature = absl::HexStringToBytes(
    "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da"
    "085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00");

TEST(Ed25519, SignsAsTheStandardSays) {
  const auto key = Ed25519PrivateKey::FromPem(kPrivate);
  ASSERT_TRUE(key.ok()) << key.status();
  EXPECT_EQ(key->Sign("\x72"), kSignature);
  EXPECT_EQ(key->PublicKey().ToPem(), kPublic);
  EXPECT_EQ(key->ToPem(), kPrivate);
}

TEST(Ed25519, VerifiesOnlyThatMessageWithThatSignature) {
  const auto key = Ed25519PublicKey::FromPem(kPublic);
  ASSERT_TRUE(key.ok()) << key.status();
  EXPECT_TRUE(key->Verify("\x72", kSignature));
  EXPECT_FALSE(key->Verify("\x73", kSignature));
  EXPECT_FALSE(key->Verify("", kSignature));
  EXPECT_FALSE(key->Verify("\x72", ""));
  EXPECT_FALSE(key->Verify("\x72", kSignature + "x"));
  std::string other = kSignature;
  other[40] = static_cast<char>(other[40] ^ 1);
  EXPECT_FALSE(key->Verify("\x72", other));
}

TEST(Ed25519, GeneratedKeysDifferAndWorkTogether) {
  const auto first = Ed25519PrivateKey::Generate();
  const auto second = Ed25519PrivateKey::Generate();
  ASSERT_TRUE(first.ok() && second.ok());
  EXPECT_NE(first->PublicKey().Id(), second->PublicKey().Id());
  const auto read = Ed25519PrivateKey::FromPem(first->ToPem());
  ASSERT_TRUE(read.ok());
  EXPECT_TRUE(first->PublicKey().Verify("text", read->Sign("text")));
  EXPECT_FALSE(second->PublicKey().Verify("text", read->Sign("text")));
}

TEST(Ed25519, SaysWhatIsWrongWithAKey) {
  EXPECT_THAT(std::string(Ed25519PublicKey::FromPem(kPrivate).status().message()),
              HasSubstr("private key"));
  for (const std::string& text : {std::string(), std::string("x"), std::string(100'000, 'x'),
                                  kPublic.substr(0, 60), PemOf("PUBLIC KEY", "3000")}) {
    EXPECT_TRUE(absl::IsInvalidArgument(Ed25519PublicKey::FromPem(text).status())) << text;
    EXPECT_TRUE(absl::IsInvalidArgument(Ed25519PrivateKey::FromPem(text).status())) << text;
  }
  EXPECT_TRUE(absl::IsInvalidArgument(Ed25519PrivateKey::FromPem(kPublic).status()));
}

}  // namespace
}  // namespace stile
