// A resolver that is a server of the Language Server Protocol 3.17.
// https://microsoft.github.io/language-server-protocol/specifications/lsp/3.17/specification/
#ifndef STILE_TOOLS_RESOLVE_LANGUAGE_SERVER_H_
#define STILE_TOOLS_RESOLVE_LANGUAGE_SERVER_H_

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "runtime/base/cancellation_source.h"
#include "runtime/base/json.h"
#include "runtime/process/process_runner.h"
#include "runtime/rpc/json_rpc_peer.h"
#include "tools/index/file_reading.h"
#include "tools/resolve/lsp_answer.h"
#include "tools/resolve/lsp_text.h"
#include "tools/resolve/resolver.h"

namespace stile {

// What differs between servers.
struct LanguageServerSpec {
  std::string name;               // "gopls"
  std::vector<std::string> argv;  // argv[0] is an absolute path
  // Files of the project that end so are named as "files" in initializationOptions; "": none.
  std::string names_files;
  Json initialization = nullptr;  // initializationOptions
  Json configuration;             // by section, for workspace/configuration
  // By extension (".tsx": "typescriptreact"), the languageId of documents; `language_id` otherwise.
  std::string language_id;
  std::map<std::string, std::string> language_id_of;
  // It searches only projects of which a file is open: files that hold the name are opened.
  bool opens_users = false;
  // A part of the log message that says that the project was read; "": requests wait for that.
  std::string ready_message;
  // The token of the progress whose end says that the index is complete; "": there is none.
  std::string ready_progress;
  // The first answer may take so many times the time limit, because it reads the project first.
  int first_answer_factor = 1;
  // It does not look again at files that are not open: it is started anew after changes.
  bool reads_files_once = false;
  // A rename that it refuses is impossible. Otherwise it may only be more than it can do.
  bool refusal_is_final = false;
  bool renames_overrides = false;  // see Resolver::RenamesOverrides
  // It lists these beside the name of a property, such as `get`.
  std::vector<std::string> accessors;
  // What is made for the server before it starts, see server_setup.h.
  enum class SetUp { kNone, kCompileCommands, kPackages, kJavaClasses, kTypeScriptServer };
  SetUp set_up = SetUp::kNone;
  // For code that it does not compile, Definition returns the nearest declaration of the same name.
  bool guesses_definitions = false;
  // How the titles of code actions begin that mend an error without inventing code; "": all do.
  std::vector<std::string> fix_titles;
  bool tells_diagnostics = true;  // of its own accord, or when it is asked
  bool organizes_imports = true;  // and removes those that nothing uses
  // Where no code action is of the kind source.organizeImports: the code of the diagnostic for an
  // import without use, and the title of the action that it offers.
  std::string unused_import_code;
  std::string unused_import_title;
  std::string partial;             // of every answer, see ResolvedPlaces::partial
  std::string limitation;          // see Resolver::SetLimitation
  std::string left_out_error;      // a part of the error for a file that no build compiles
  bool names_refusals = false;     // error -32803 is a refusal, others are failures
  bool names_every_place = false;  // see Resolver::NamesEveryPlace
};

// Where a server works. Nothing is owned.
struct LanguageServerHost {
  std::string workspace;  // absolute, no symlinks
  std::string root;       // of the project; absolute, within the workspace
  ProcessRunner* runner = nullptr;
  Environment environment;
  std::vector<std::string> writable;  // folders that the server may write
  FileLister list_files;
  CancellationSource cancellation;
  absl::Duration time_limit = absl::Seconds(60);  // see Resolver::SetTimeLimit
};

// One thing: one conversation with a server; its answers hold for the files that it was shown.
class LanguageServer : public Resolver {
 public:
  // Starts the server and waits for its greeting, not for the project. Errors as in Resolver.
  static absl::StatusOr<std::unique_ptr<LanguageServer>> Start(LanguageServerSpec spec,
                                                               LanguageServerHost host);
  ~LanguageServer() override;

  const std::string& name() const override { return name_; }
  void SetTimeLimit(absl::Duration limit) override { time_limit_ = limit; }
  void SetLimitation(std::string reason) override { spec_.limitation = std::move(reason); }
  absl::Status status() const override { return peer_->status(); }
  bool Refresh() override;
  bool RefusalIsFinal() const override { return spec_.refusal_is_final; }
  bool RenamesOverrides() const override { return spec_.renames_overrides; }
  bool GuessesDefinitions() const override { return spec_.guesses_definitions; }
  bool NamesEveryPlace() const override { return spec_.names_every_place; }
  absl::StatusOr<ResolvedPlaces> References(const CodePlace& place,
                                            const std::vector<std::string>& users) override;
  absl::StatusOr<ResolvedPlaces> Definition(const CodePlace& place) override;
  absl::StatusOr<ResolvedPlaces> Declarations(const CodePlace& place) override;
  absl::StatusOr<ResolvedPlaces> Implementations(const CodePlace& place) override;
  absl::StatusOr<std::string> Hover(const CodePlace& place) override;
  absl::StatusOr<ResolvedEdits> Rename(const CodePlace& place, const std::string& new_name,
                                       const std::vector<std::string>& users) override;
  absl::StatusOr<std::vector<ResolvedProblem>> Problems(const std::string& path) override;
  absl::StatusOr<OfferedChanges> Fixes(const CodeRange& range, const std::string& title) override;
  absl::StatusOr<std::vector<ResolvedEdit>> OrganizeImports(const std::string& path) override;
  absl::StatusOr<std::vector<std::string>> Completions(const CodePlace& place) override;

 private:
  struct Document {
    std::string text;
    DiskStamp stamp;
    int version = 1;
    Json published;  // the diagnostics that the server sent of its own accord; null: none
    int published_version = 0;  // of the text that they are about; 0: not told
  };

  struct Watched {
    DiskStamp stamp;
    uint64_t sync = 0;  // the last one that listed it
  };

  LanguageServer(LanguageServerSpec spec, LanguageServerHost host);
  absl::Status Greet();
  Json InitializationOptions() const;
  absl::StatusOr<Json> OnRequest(const std::string& method, const Json& params);
  void OnNotification(const std::string& method, const Json& params);

  // Tells the server of files that changed since the last call. Returns how many did.
  size_t SyncWatchedFiles();
  void SyncOpenDocuments();
  absl::Status OpenDocument(const std::string& path);
  absl::Status WaitUntilReady();
  // Opens the document and waits, at most until an index is known to be late.
  absl::Status Show(const std::string& path);
  // Asks `method` about a place, with `more` beside it. Sets `partial` as in ResolvedPlaces.
  absl::StatusOr<Json> Ask(const std::string& method, const CodePlace& place, Json more,
                           const std::vector<std::string>& users, std::string* partial);
  absl::StatusOr<ResolvedPlaces> AskPlaces(const std::string& method, const CodePlace& place,
                                           Json more, const std::vector<std::string>& users);

  // Diagnostics of the file as it is, as the protocol has them.
  absl::StatusOr<Json> Diagnostics(const std::string& path);
  void OnPublished(const Json& params);
  void NoteRegistrations(const Json& params);
  // Code actions and commands for a Range, with `context` as the protocol has it.
  absl::StatusOr<Json> CodeActions(const std::string& path, Json range, Json context);
  // The edits of a code action, which the server may have to be asked for.
  absl::StatusOr<std::vector<ResolvedEdit>> EditsOfAction(const std::string& path,
                                                          const Json& action);
  bool Offers(const char* capability) const;  // "hoverProvider"
  absl::Status Need(const char* capability) const;

  std::string AbsolutePath(const std::string& path) const;  // of a CodePlace
  LspAnswer NewAnswer() const;

  LanguageServerSpec spec_;
  const LanguageServerHost host_;
  std::string name_;
  absl::Duration time_limit_;
  std::unique_ptr<JsonRpcPeer> peer_;
  std::string
      partial_;  // why the next answer may lack places, by stile/partial; "": it said nothing
  PositionEncoding encoding_ = PositionEncoding::kUtf16;
  Json capabilities_;
  bool pulls_diagnostics_ = false;    // registered after the greeting
  std::optional<Json> command_edit_;  // while a command runs: the edit that it asked for, or null
  bool is_read_ = false;              // the project, see ready_message
  bool index_begun_ = false;          // see ready_progress
  bool is_indexed_ = false;
  bool has_answered_ = false;
  bool index_is_late_ = false;  // it has stalled, and questions no longer wait for it
  uint64_t index_reports_ = 0;
  std::map<std::string, Document> open_;
  std::unordered_map<std::string, Watched> watched_;  // by path
  uint64_t sync_ = 0;                                 // calls of SyncWatchedFiles
};

}  // namespace stile

#endif  // STILE_TOOLS_RESOLVE_LANGUAGE_SERVER_H_
