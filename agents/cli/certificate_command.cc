#include "agents/cli/certificate_command.h"

#include <unistd.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "agents/api/config.h"
#include "agents/api/runs.h"
#include "agents/api/user_folders.h"
#include "agents/cli/agent_flags.h"
#include "agents/cli/certificate_text.h"
#include "agents/cli/output.h"
#include "runtime/base/status.h"
#include "runtime/certificate/certificate.h"
#include "runtime/certificate/signing_key.h"
#include "runtime/journal/run_store.h"
#include "runtime/workspace/file_system.h"
#include "runtime/workspace/workspace_path.h"

namespace stile {
namespace {

int Show(const CliContext& context, const VerifyFlags& flags) {
  const auto source = SourceOf(flags);
  if (!source.ok()) return ReportStatus(source.status());
  const auto runs = Runs::Open(context.environment);
  const auto given = runs->Certificates(*source);
  if (!given.ok()) return ReportStatus(given.status());
  const Terminal terminal = DescribeTerminal(STDOUT_FILENO, context.environment);
  bool first = true;
  for (const Certificate& certificate : given->certificates) {
    if (context.json) {
      PrintJson(certificate.statement);
    } else {
      Print(absl::StrCat(first ? "" : "\n", CertificateText(certificate, terminal)));
    }
    first = false;
  }
  for (const CertificateFinding& finding : given->findings) {
    WriteAll(STDERR_FILENO,
             absl::StrCat("stile: ", OneLine(finding.subject), " ", finding.what, "\n"));
  }
  return 0;
}

int Keygen(const CliContext& context, std::string folder) {
  if (folder.empty()) {
    const std::string config = UserConfigFile(context.environment);
    if (config.empty()) return UsageError("no home folder for the key: give --out DIR");
    folder = DirName(config);
  }
  const auto files = GenerateKeyFiles(folder);
  if (!files.ok()) return ReportStatus(files.status());
  if (context.json) {
    PrintJson({{"private_key", files->private_key},
               {"public_key", files->public_key},
               {"key_id", files->key_id}});
    return 0;
  }
  Print(absl::StrCat("Private key: ", files->private_key, "\nPublic key:  ", files->public_key,
                     "\nKey id:      ", files->key_id,
                     "\n\nTo sign the certificates of your runs, put this into ",
                     UserConfigFile(context.environment),
                     ":\n\n  certificate: {key: ", files->private_key, "}\n"));
  return 0;
}

void DeclareSource(CLI::App* app, const std::shared_ptr<VerifyFlags>& flags) {
  app->add_option("name", flags->name, "Run id, the beginning of one, or a file")
      ->type_name("RUN|FILE");
  app->add_option("--commit", flags->revision, "The note of this commit instead (refs/notes/stile)")
      ->type_name("REV");
  app->add_option("-C,--workspace", flags->workspace,
                  "The workspace, or the repository of the commit (.)")
      ->type_name("DIR");
}

}  // namespace

absl::StatusOr<CertificateSource> SourceOf(const VerifyFlags& flags) {
  if (flags.name.empty() == flags.revision.empty()) {
    return absl::InvalidArgumentError("give either a run or file, or --commit REV");
  }
  CertificateSource source{flags.name, flags.revision, ""};
  if (flags.revision.empty()) return source;
  STILE_ASSIGN_OR_RETURN(source.folder,
                         ResolveFolder(flags.workspace.empty() ? "." : flags.workspace));
  return source;
}

void DeclareCertificate(CLI::App* app, CliContext* context) {
  app->require_subcommand(1);
  auto flags = std::make_shared<VerifyFlags>();
  CLI::App* show = app->add_subcommand("show", "Print a certificate; --json: the statement");
  DeclareSource(show, flags);
  OnCommand(show, [context, flags] { return Show(*context, *flags); });

  CLI::App* verify =
      app->add_subcommand("verify", "Say what of a certificate does not hold for a workspace");
  DeclareSource(verify, flags);
  verify->add_option("--key", flags->key_file, "It must be signed by this ed25519 key (PEM)")
      ->type_name("PUBLIC.pem");
  verify->add_flag("--rerun", flags->rerun, "Also run the validations of its targets again");
  verify->footer(
      "Compares the workspace, or the tree of a commit, with the content that was accepted.\n"
      "Exit codes: 0 it matches, 1 it does not, 2 usage, unreadable or not a certificate.");
  OnCommand(verify, [context, flags] { return VerifyCertificate(*context, *flags); });

  auto folder = std::make_shared<std::string>();
  CLI::App* keygen = app->add_subcommand("keygen", "Make an ed25519 key pair to sign with");
  keygen->add_option("--out", *folder, "Folder for the files (the user's configuration)")
      ->type_name("DIR");
  OnCommand(keygen, [context, folder] { return Keygen(*context, *folder); });

  CLI::App* schema = app->add_subcommand("schema", "Print the JSON Schema of certificates");
  OnCommand(schema, [] {
    Print(CertificateSchema());
    return 0;
  });
}

}  // namespace stile
