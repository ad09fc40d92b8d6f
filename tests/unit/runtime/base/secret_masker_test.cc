#include "runtime/base/secret_masker.h"

#include <gtest/gtest.h>

namespace stile {
namespace {

constexpr char kKey[] = "sk-proj-a8Fq2Lm9Zx4Vt7Bn1Kd6";

SecretMasker MaskerOf(const std::string& value) {
  return SecretMasker({{"OPENAI_API_KEY", value}});
}

TEST(SecretMaskerTest, OnlyLongValuesThatLookRandomCount) {
  for (const char* placeholder :
       {"", "x", "EMPTY", "none", "local", "sk-1234", "not-needed-for-a-local-server",
        "aaaaaaaaaaaaaaaaaaaa11", "1234567890123456", "two words and 2 3 digits",
        "/home/me/project/file-1"}) {
    EXPECT_FALSE(SecretMasker::LooksRandom(placeholder)) << placeholder;
    EXPECT_TRUE(MaskerOf(placeholder).empty()) << placeholder;
  }
  for (const char* key : {kKey, "0123456789abcdef", "AIzaSyD4x9Qm2Lk7Vb1Nc8Rt5Wp3",
                          "sk-or-v1-9f8e7d6c5b4a39281706f5e4d3c2b1a0"}) {
    EXPECT_TRUE(SecretMasker::LooksRandom(key)) << key;
  }
}

TEST(SecretMaskerTest, AMaskedEventIsRestoredByteForByte) {
  const SecretMasker masker = MaskerOf(kKey);
  const Json before = {{"text", std::string("a ") + kKey + kKey + " b"},
                       {"list", {kKey, 1, {{"inner", kKey}}}},
                       {"other", "[masked OPENAI_API_KEY 00000000 [masked "}};
  Json data = before;
  masker.MaskFields(&data);
  EXPECT_EQ(data.dump().find(kKey), std::string::npos) << data;
  EXPECT_EQ(data[kMaskedMember], Json({"OPENAI_API_KEY"}));
  masker.RestoreFields(&data);
  EXPECT_EQ(data, before);
}

TEST(SecretMaskerTest, NamesOfFilesHashesAndCertificatesStay) {
  Json data = {{"changed", {kKey}},
               {"arguments", {{"path", kKey}, {"content", kKey}}},
               {"story_sha256", kKey},
               {"certificate", {{"path", kKey}, {"sha256", kKey}}}};
  MaskerOf(kKey).MaskFields(&data);
  EXPECT_EQ(data["changed"], Json({kKey}));
  EXPECT_EQ(data["arguments"]["path"], kKey);
  EXPECT_NE(data["arguments"]["content"], kKey);
  EXPECT_EQ(data["story_sha256"], kKey);
  EXPECT_EQ(data["certificate"]["path"], kKey);
}

TEST(SecretMaskerTest, TextThatLooksLikeAMaskIsLeftAlone) {
  const SecretMasker masker = MaskerOf(kKey);
  const Json before = {{"text", masker.Mask(kKey)}};  // a file that quotes a journal, say
  Json data = before;
  masker.MaskFields(&data);
  EXPECT_EQ(data, before);
  masker.RestoreFields(&data);
  EXPECT_EQ(data, before);
}

TEST(SecretMaskerTest, AValueThatIsNotKnownStaysMaskedAndIsNamed) {
  Json data = {{"text", kKey}};
  MaskerOf(kKey).MaskFields(&data);
  for (const SecretMasker& other : {SecretMasker(), MaskerOf("sk-proj-another-81927364")}) {
    Json copy = data;
    other.RestoreFields(&copy);
    EXPECT_EQ(UnrestoredVariables(copy), "OPENAI_API_KEY");
    EXPECT_TRUE(HoldsMask(copy["text"]));
    // A value that comes back later is restored all the same.
    MaskerOf(kKey).RestoreFields(&copy);
    EXPECT_EQ(copy, Json({{"text", kKey}}));
  }
}

TEST(SecretMaskerTest, TheLongerOfTwoValuesWins) {
  const std::string longer = std::string(kKey) + "-and-more-12";
  const SecretMasker masker({{"A_KEY", kKey}, {"B_KEY", longer}});
  EXPECT_EQ(masker.Mask(longer).rfind("[masked B_KEY ", 0), 0u) << masker.Mask(longer);
}

}  // namespace
}  // namespace stile
