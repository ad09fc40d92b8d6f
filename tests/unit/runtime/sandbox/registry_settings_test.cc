#include "runtime/sandbox/registry_settings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace stile {
namespace {

std::string Lines(absl::string_view text, int expected,
                  const std::vector<std::string>& variables = {}) {
  int left_out = 0;
  std::string kept = WithoutLogins(text, SettingsForm::kLines, variables, &left_out);
  EXPECT_EQ(left_out, expected) << text;
  return kept;
}

std::string Xml(absl::string_view text, int expected) {
  int left_out = 0;
  std::string kept = WithoutLogins(text, SettingsForm::kXml, {}, &left_out);
  EXPECT_EQ(left_out, expected) << text;
  return kept;
}

TEST(RegistrySettingsTest, RegistriesOfNpmStayAndLoginsGo) {
  EXPECT_EQ(
      Lines("registry=https://r.example/\n@a:registry = https://a.example/\n"
            "//r.example/:_authToken=abc\n//a.example/:username=me\n//a.example/:_password=x\n"
            "_auth = bWU6eA==\nkey=\"-----BEGIN\\n\"\ncafile=/etc/ca.pem\nstrict-ssl=false\n",
            5),
      "registry=https://r.example/\n@a:registry = https://a.example/\n"
      "cafile=/etc/ca.pem\nstrict-ssl=false\n");
  EXPECT_EQ(Lines("proxy=http://me:pass@proxy:8080/\n", 1), "proxy=http://proxy:8080/\n");
}

TEST(RegistrySettingsTest, LinesThatNameVariablesThatAreHandedOnStay) {
  constexpr char kLine[] = "//r.example/:_authToken=${NPM_TOKEN}\n";
  EXPECT_EQ(Lines(kLine, 1), "");
  EXPECT_EQ(Lines(kLine, 0, {"NPM_TOKEN"}), kLine);
  EXPECT_EQ(Lines(kLine, 1, {"OTHER"}), "");
  EXPECT_EQ(Lines("_authToken=${NPM_TOKEN}abc\n", 1, {"NPM_TOKEN"}), "");
  constexpr char kUrl[] = "index-url = https://${U}:${P}@pip.example/simple\n";
  EXPECT_EQ(Lines(kUrl, 0, {"U", "P"}), kUrl);
  EXPECT_EQ(Lines(kUrl, 1, {"U"}), "index-url = https://pip.example/simple\n");
}

TEST(RegistrySettingsTest, AddressesLoseTheirUsers) {
  EXPECT_EQ(Lines("[global]\nextra-index-url =\n    https://a:b@one.example/simple\n"
                  "    https://tok@two.example/simple\ncert = /etc/ca.pem\n",
                  2),
            "[global]\nextra-index-url =\n    https://one.example/simple\n"
            "    https://two.example/simple\ncert = /etc/ca.pem\n");
  EXPECT_EQ(Lines("url = https://host/path@2x?mail=a@b\n", 0),
            "url = https://host/path@2x?mail=a@b\n");
  EXPECT_EQ(Lines("url = https://a:p@ss@host/\n", 1), "url = https://host/\n");
}

TEST(RegistrySettingsTest, HostsAndScopesAreNoKeys) {
  for (const std::string line :
       {"registry=https://authproxy.corp:8443/\n", "index-url=https://keys.x:80/\n",
        "@auth0:registry=https://npm.x/\n", "@keycloak:registry=https://npm.x:1/\n"}) {
    EXPECT_EQ(Lines(line, 0), line);
  }
  EXPECT_EQ(Lines("//npm.x:80/:_authToken=1\nrepoPass=1\nnexus_pwd=1\nsigning.pass=1\na=b\n", 4),
            "a=b\n");
}

TEST(RegistrySettingsTest, PropertiesOfXmlThatHoldPasswords) {
  int left_out = 0;
  EXPECT_EQ(WithoutLogins("<p><nexus.password>x</nexus.password><m:pwd>y</m:pwd><a>b</a></p>",
                          SettingsForm::kXml, {}, &left_out)
                .find("<p><a>b</a></p>"),
            0U);
  EXPECT_EQ(left_out, 2);
}

TEST(RegistrySettingsTest, SecretsOverSeveralLines) {
  EXPECT_EQ(Lines("[a]\npassword =\n  one\n  two\nindex = x\n", 1), "[a]\nindex = x\n");
  EXPECT_EQ(Lines("token = \"\"\"\nabc\n\"\"\"\nindex = \"x\"\n", 1), "index = \"x\"\n");
  EXPECT_EQ(Lines("secret=one\\\ntwo\\\nthree\nindex=x\n", 1), "index=x\n");
  EXPECT_EQ(Lines("[r]\nx = {index = \"i\", token = \"abc\"}\n", 1), "[r]\n");
  EXPECT_EQ(Lines("npmScopes:\n  a:\n    npmAuthToken: \"x\"\n    npmRegistryServer: \"s\"\n", 1),
            "npmScopes:\n  a:\n    npmRegistryServer: \"s\"\n");
}

TEST(RegistrySettingsTest, SourcesOfNuGetStayAndCredentialsGo) {
  constexpr char kSources[] =
      "<configuration><packageSources><add key=\"a\" value=\"https://a.example/\" />"
      "</packageSources>";
  EXPECT_EQ(Xml(std::string(kSources) +
                    "<!-- old: pass --><packageSourceCredentials><a><add key=\"ClearTextPassword\" "
                    "value=\"x\" /></a></packageSourceCredentials><apikeys><add key=\"u\" "
                    "value=\"k\"/></apikeys><config><add key=\"http_proxy.password\" value=\"x\" />"
                    "</config></configuration>",
                3),
            std::string(kSources) + "<config></config></configuration>");
  EXPECT_EQ(Xml("<add value=\"https://me:x@a.example/\"/>", 1),
            "<add value=\"https://a.example/\"/>");
  EXPECT_EQ(Xml("<settings><servers><server><password>x</password></server></servers>"
                "<mirrors/></settings>",
                1),
            "<settings><mirrors/></settings>");
  EXPECT_EQ(Xml("<a><packageSourceCredentials><b>x</b>", 1), "<a>") << "never closed";
}

TEST(RegistrySettingsTest, VariablesThatNameRegistries) {
  EXPECT_EQ(RegistryVariable("PIP_INDEX_URL", "https://a:b@h/s"), "https://h/s");
  EXPECT_EQ(RegistryVariable("npm_config_registry", "https://a:b@h/"), "https://h/");
  EXPECT_EQ(RegistryVariable("AMQP_URL", "amqp://guest:guest@h"), "amqp://guest:guest@h");
}

}  // namespace
}  // namespace stile
