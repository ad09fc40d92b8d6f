#include "runtime/gate/clean_environment.h"

namespace stile {
namespace {

constexpr const char* kPassed[] = {
    "PATH",
    "HOME",
    "USER",
    "LOGNAME",
    "TMPDIR",
    "XDG_CACHE_HOME",
    "XDG_CONFIG_HOME",
    "XDG_DATA_HOME",
    // Toolchain homes and caches.
    "RUSTUP_HOME",
    "RUSTUP_TOOLCHAIN",
    "CARGO_HOME",
    "GOPATH",
    "GOROOT",
    "GOMODCACHE",
    "GOCACHE",
    "GOPROXY",
    "GONOSUMDB",
    "GONOSUMCHECK",
    "GOSUMDB",
    "GOPRIVATE",
    "JAVA_HOME",
    "MAVEN_HOME",
    "M2_HOME",
    "GRADLE_HOME",
    "GRADLE_USER_HOME",
    "DOTNET_ROOT",
    "DOTNET_CLI_HOME",
    "NUGET_PACKAGES",
    "PYENV_ROOT",
    "VIRTUAL_ENV",
    "NVM_DIR",
    "VOLTA_HOME",
    // How this machine reaches its registries.
    "http_proxy",
    "https_proxy",
    "no_proxy",
    "HTTP_PROXY",
    "HTTPS_PROXY",
    "NO_PROXY",
    "SSL_CERT_FILE",
    "SSL_CERT_DIR",
    "CURL_CA_BUNDLE",
    "NODE_EXTRA_CA_CERTS",
    "NIX_SSL_CERT_FILE",
    "NUGET_CERT_REVOCATION_MODE",
};

}  // namespace

Environment CleanEnvironment(const Environment& inherited) {
  Environment clean;
  for (const char* name : kPassed) {
    if (const auto it = inherited.find(name); it != inherited.end()) clean.insert(*it);
  }
  clean["LANG"] = "C.UTF-8";
  clean["LC_ALL"] = "C.UTF-8";
  clean["TERM"] = "dumb";
  clean["NO_COLOR"] = "1";
  clean["CI"] = "1";
  // Compiler caches would answer without running the compiler.
  clean["CCACHE_DISABLE"] = "1";
  clean["SCCACHE_RECACHE"] = "1";
  return clean;
}

}  // namespace stile
