#include "agents/cli/certificate_command.h"

#include <CLI/CLI.hpp>
#include <memory>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "agents/api/config.h"
#include "agents/cli/output.h"
#include "runtime/base/status.h"
#include "runtime/journal/run_store.h"
#include "runtime/workspace/file_system.h"

namespace stile {
namespace {

constexpr size_t kMaxCertificateBytes = size_t{64} << 20;

// A file if there is one of that name, else the certificate of a run.
absl::StatusOr<std::string> CertificateFile(const CliContext& context, const std::string& name) {
  if (absl::StrContains(name, "/") || FileExists(name)) return name;
  STILE_ASSIGN_OR_RETURN(std::string state, StateDir(context.environment));
  const RunStore store(DiskFileSystem(), std::move(state));
  STILE_ASSIGN_OR_RETURN(const RunPaths run, store.Find(name));
  if (!FileExists(run.certificate)) {
    return absl::NotFoundError(absl::StrCat(
        "run ", run.id,
        " has no certificate: only an accepted finish writes one; see stile runs show ", run.id));
  }
  return run.certificate;
}

int Show(const CliContext& context, const std::string& name) {
  const auto file = CertificateFile(context, name);
  if (!file.ok()) return ReportStatus(file.status());
  const auto text = DiskFileSystem()->ReadFile(*file, kMaxCertificateBytes);
  if (!text.ok()) return ReportStatus(text.status());
  const auto json = ParseJson(*text);
  if (!json.ok()) return ReportStatus(WithContext(json.status(), *file));
  if (!json->is_object() || JsonMember(*json, "predicate") == nullptr) {
    return UsageError(absl::StrCat(*file, ": not a certificate: it has no predicate"));
  }
  Print(Printable(absl::StrCat(DumpJson(*json, context.json ? -1 : 2), "\n")));
  return 0;
}

}  // namespace

void DeclareCertificate(CLI::App* app, CliContext* context) {
  app->require_subcommand(1);
  auto name = std::make_shared<std::string>();
  CLI::App* show = app->add_subcommand("show", "Print the certificate of a run, or of a file");
  show->add_option("name", *name, "Run id, the beginning of one, or a file")
      ->type_name("RUN|FILE")
      ->required();
  OnCommand(show, [context, name] { return Show(*context, *name); });
}

}  // namespace stile
