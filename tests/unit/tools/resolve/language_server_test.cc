#include "tools/resolve/language_server.h"
#include "tests/support/source_folder.h"

#include <unistd.h>

#include <memory>
#include <string>
#include <utility>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "runtime/workspace/file_uri.h"
#include "tests/support/temp_dir.h"

namespace stile {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// A server that is tests/support/fake_language_server.py, and a workspace with a.x and b.x.
class LanguageServerTest : public testing::Test {
 protected:
  LanguageServerTest() {
    workspace_.Write("a.x", "one two\n");
    workspace_.Write("b.x", "two\n");
    spec_.name = "fake";
    spec_.language_id = "x";
  }

  absl::Status TryStart(const Json& script) {
    script_.Write("script.json", DumpJson(script));
    spec_.argv = {"/usr/bin/python3", SourceFolder() + "/tests/support/fake_language_server.py",
                  script_.Path("script.json")};
    LanguageServerHost host;
    host.workspace = workspace_.path();
    host.root = workspace_.path();
    host.runner = runner_.get();
    host.environment = InheritedEnvironment();
    host.list_files = [](const auto& use) {
      use({"a.x"});
      use({"b.x"});
    };
    auto server = LanguageServer::Start(spec_, std::move(host));
    if (!server.ok()) return server.status();
    server_ = *std::move(server);
    server_->SetTimeLimit(answer_limit_);
    return absl::OkStatus();
  }

  LanguageServer& Start(const Json& script) {
    const absl::Status status = TryStart(script);
    EXPECT_TRUE(status.ok()) << status;
    return *server_;
  }

  std::string Uri(const std::string& name) const { return FileUri(workspace_.Path(name)); }
  static Json Range(int begin, int end, int line = 0) {
    return {{"start", {{"line", line}, {"character", begin}}},
            {"end", {{"line", line}, {"character", end}}}};
  }
  Json Edit(int begin, int end, const std::string& text) const {
    return {{"range", Range(begin, end)}, {"newText", text}};
  }
  absl::Status RenameStatus(const Json& answer) {
    Start({{"answers", {{"textDocument/rename", answer}}}});
    return server_->Rename({"a.x", 4}, "new", {}).status();
  }

  TempDir workspace_;
  TempDir script_;
  LanguageServerSpec spec_;
  absl::Duration answer_limit_ = absl::Seconds(60);
  const std::unique_ptr<ProcessRunner> runner_ = NewLocalProcessRunner();
  std::unique_ptr<LanguageServer> server_;
};

TEST_F(LanguageServerTest, FindsReferencesInsideAndOutside) {
  Start({{"capabilities", {{"positionEncoding", "utf-8"}}},
         {"answers",
          {{"textDocument/references",
            {{{"uri", Uri("b.x")}, {"range", Range(0, 3)}},
             {{"uri", Uri("a.x")}, {"range", Range(4, 7)}},
             {{"uri", Uri("a.x")}, {"range", Range(4, 7)}},
             {{"uri", "file:///usr/lib/x.x"}, {"range", Range(900, 901, 900)}}}}}}});
  EXPECT_EQ(server_->name(), "fake 1.2.3");
  const auto places = server_->References({"a.x", 4}, {});
  ASSERT_TRUE(places.ok()) << places.status();
  EXPECT_THAT(places->ranges, ElementsAre(CodeRange{"a.x", 4, 7}, CodeRange{"b.x", 0, 3}));
  EXPECT_THAT(places->outside, ElementsAre(OutsidePlace{"/usr/lib/x.x", 901}));
  EXPECT_EQ(places->partial, "");
}

TEST_F(LanguageServerTest, WaitsLongerForTheFirstAnswer) {
  answer_limit_ = absl::Milliseconds(200);
  spec_.first_answer_factor = 3;
  const Json script = {{"capabilities", {{"hoverProvider", true}}},
                       {"on", {{"textDocument/references", "hang"}}}};
  Start(script);
  EXPECT_THAT(server_->References({"a.x", 4}, {}).status().message(), HasSubstr("within 600ms"));
  Start(script);
  server_->SetTimeLimit(absl::Seconds(60));
  EXPECT_TRUE(server_->Hover({"a.x", 4}).ok());
  server_->SetTimeLimit(answer_limit_);
  EXPECT_THAT(server_->References({"a.x", 4}, {}).status().message(), HasSubstr("within 200ms"));
}

TEST_F(LanguageServerTest, TakesBothFormsOfEdits) {
  const Json edits = Json::array({Edit(4, 7, "new")});
  for (const Json& answer : {Json{{"changes", {{Uri("a.x"), edits}}}},
                             Json{{"documentChanges",
                                   {{{"textDocument", {{"uri", Uri("a.x")}, {"version", nullptr}}},
                                     {"edits", edits}}}}}}) {
    Start({{"answers", {{"textDocument/rename", answer}}}});
    const auto found = server_->Rename({"a.x", 4}, "new", {});
    ASSERT_TRUE(found.ok()) << found.status();
    ASSERT_EQ(found->edits.size(), 1);
    EXPECT_EQ(found->edits[0].range, (CodeRange{"a.x", 4, 7}));
    EXPECT_EQ(found->edits[0].text, "new");
  }
}

TEST_F(LanguageServerTest, TrustsNoEdit) {
  EXPECT_TRUE(absl::IsFailedPrecondition(RenameStatus(nullptr)));
  // Outside of the workspace, by path, by "..", through a symlink, and inside of .git.
  ASSERT_EQ(symlink("/etc", workspace_.Path("link").c_str()), 0);
  workspace_.Write(".git/config", "two\n");
  for (const std::string& uri : {std::string("file:///etc/passwd"), Uri("../x"), Uri("link/passwd"),
                                 Uri(".git/config"), std::string("https://x/y")}) {
    const absl::Status status =
        RenameStatus({{"changes", {{uri, Json::array({Edit(0, 1, "new")})}}}});
    EXPECT_TRUE(absl::IsFailedPrecondition(status)) << uri << status;
  }
  EXPECT_TRUE(absl::IsFailedPrecondition(
      RenameStatus({{"documentChanges", {{{"kind", "delete"}, {"uri", Uri("a.x")}}}}})));
  for (const Json& edits :
       {Json::array({Edit(4, 7, "new"), Edit(5, 6, "q")}), Json::array({Edit(7, 4, "new")}),
        Json::array({{{"range", Range(0, 1, 55)}, {"newText", "q"}}}),
        Json::array({{{"range", Range(0, 1)}}}), Json::array({1}), Json("x")}) {
    const absl::Status status = RenameStatus({{"changes", {{Uri("a.x"), edits}}}});
    EXPECT_TRUE(absl::IsDataLoss(status)) << edits << status;
  }
  EXPECT_TRUE(absl::IsFailedPrecondition(
      RenameStatus({{"changes", {{Uri("missing.x"), Json::array({Edit(0, 1, "new")})}}}})));
}

TEST_F(LanguageServerTest, OffersChangesThatMendAnError) {
  spec_.fix_titles = {"import "};
  const Json error = {{"range", Range(4, 7)}, {"message", "no two"}, {"code", 7}};
  const Json edit = {{"changes", {{Uri("a.x"), {Edit(0, 0, "use two;")}}}}};
  Json unwanted = {{"title", "Generate two"}, {"edit", edit}};
  Json disabled = {{"title", "Import zwei"}, {"edit", edit}, {"disabled", {{"reason", "x"}}}};
  Json elsewhere = {{"title", "Import three"},
                    {"edit", {{"changes", {{Uri("b.x"), {Edit(0, 1, "")}}}}}}};
  Json plain = {{"title", "Import one"}, {"edit", edit}};
  Json best = {{"title", "Import two"}, {"edit", edit}, {"isPreferred", true}};
  LanguageServer& server = Start(
      {{"capabilities", {{"codeActionProvider", true}, {"diagnosticProvider", Json::object()}}},
       {"answers",
        {{"textDocument/diagnostic", {{"items", {error}}}},
         {"textDocument/codeAction", {unwanted, disabled, elsewhere, plain, best}}}}});
  const auto problems = server.Problems("a.x");
  ASSERT_TRUE(problems.ok()) << problems.status();
  ASSERT_EQ(problems->size(), 1U);
  EXPECT_EQ((*problems)[0].range, (CodeRange{"a.x", 4, 7}));
  EXPECT_EQ((*problems)[0].code, "7");
  EXPECT_TRUE((*problems)[0].is_error);
  const auto fixes = server.Fixes({"a.x", 0, 7}, "");
  ASSERT_TRUE(fixes.ok()) << fixes.status();
  ASSERT_EQ(fixes->changes.size(), 2U);
  EXPECT_EQ(fixes->changes[0].title, "Import two");
  EXPECT_EQ(fixes->changes[0].edits[0].text, "use two;");
  EXPECT_THAT(fixes->other_titles, ElementsAre("Generate two"));
  const auto wanted = server.Fixes({"a.x", 0, 7}, "Generate two");
  ASSERT_TRUE(wanted.ok()) << wanted.status();
  EXPECT_EQ(wanted->changes.size(), 1U);
  // The line break behind the last line begins a line without an error.
  EXPECT_TRUE(server.Fixes({"a.x", 8, 8}, "")->changes.empty());
}

TEST_F(LanguageServerTest, ReadsTheEditOfACommandAndAppliesNone) {
  spec_.fix_titles = {""};
  const Json error = {{"range", Range(4, 7)}, {"message", "no two"}};
  const Json edit = {{"changes", {{Uri("a.x"), {Edit(0, 3, "ONE")}}}}};
  const Json other = {{"changes", {{Uri("a.x"), {Edit(0, 7, "")}}}}};
  const Json known = {{"title", "Mend"}, {"command", {{"title", "Mend"}, {"command", "mend"}}}};
  const Json unknown = {{"title", "Break"}, {"command", "format.disk"}};
  LanguageServer& server =
      Start({{"capabilities",
              {{"codeActionProvider", true}, {"executeCommandProvider", {{"commands", {"mend"}}}}}},
             {"published", {error}},
             {"on", {{"workspace/executeCommand", "apply"}}},
             {"applies", {edit, other}},
             {"answers", {{"textDocument/codeAction", {known, unknown}}}}});
  const auto fixes = server.Fixes({"a.x", 0, 7}, "");
  ASSERT_TRUE(fixes.ok()) << fixes.status();
  ASSERT_EQ(fixes->changes.size(), 1U);
  EXPECT_EQ(fixes->changes[0].edits[0].text, "ONE");
  EXPECT_EQ(workspace_.Read("a.x"), "one two\n");
}

TEST_F(LanguageServerTest, NamesThatMayStandAtAPlace) {
  LanguageServer& server =
      Start({{"capabilities", {{"completionProvider", Json::object()}}},
             {"answers",
              {{"textDocument/completion",
                {{"items",
                  {{{"label", " size()"}, {"filterText", "size"}}, {{"label", "area"}}, 7}}}}}}});
  const auto names = server.Completions({"a.x", 4});
  ASSERT_TRUE(names.ok()) << names.status();
  EXPECT_THAT(*names, ElementsAre("area", "size"));
  EXPECT_TRUE(absl::IsUnimplemented(server.Fixes({"a.x", 0, 1}, "").status()));
  EXPECT_TRUE(absl::IsUnimplemented(server.OrganizeImports("a.x").status()));
}

TEST_F(LanguageServerTest, HandsOverRefusals) {
  Start({{"errors", {{"textDocument/rename", {{"code", -32603}, {"message", "not this one"}}}}}});
  const absl::Status refused = server_->Rename({"a.x", 4}, "new", {}).status();
  EXPECT_TRUE(absl::IsFailedPrecondition(refused));
  EXPECT_EQ(refused.message(), "not this one");
  EXPECT_TRUE(absl::IsUnimplemented(server_->Implementations({"a.x", 4}).status()));
}

TEST_F(LanguageServerTest, ShowsFilesAsTheyAreOnDisk) {
  Start({{"answers", {{"textDocument/definition", nullptr}}}});
  ASSERT_TRUE(server_->Definition({"a.x", 4}).ok());
  workspace_.Write("a.x", "changed two\n");
  workspace_.Write("b.x", "changed, and not open\n");
  ASSERT_TRUE(server_->Refresh());
  ASSERT_TRUE(server_->Definition({"a.x", 4}).ok());
  const std::string log = script_.Read("script.json.log");
  EXPECT_THAT(log, HasSubstr(R"("contentChanges": [{"text": "changed two\n"}])"));
  EXPECT_THAT(log, HasSubstr("workspace/didChangeWatchedFiles"));
  EXPECT_THAT(log, HasSubstr(R"({"type": 2, "uri": ")" + Uri("b.x")));
}

TEST_F(LanguageServerTest, OpensUsersWhereTheServerNeedsIt) {
  spec_.opens_users = true;
  Start({{"answers", {{"textDocument/references", nullptr}}}});
  const auto places = server_->References({"a.x", 4}, {"a.x", "b.x", "gone.x"});
  ASSERT_TRUE(places.ok()) << places.status();
  EXPECT_THAT(places->partial, HasSubstr("gone.x"));
  EXPECT_THAT(script_.Read("script.json.log"), HasSubstr(R"("text": "two\n")"));
}

TEST_F(LanguageServerTest, SaysWhyPlacesMayBeMissing) {
  Start({{"on", {{"textDocument/references", "partial"}}},
         {"answers", {{"textDocument/references", nullptr}}}});
  EXPECT_EQ(server_->References({"a.x", 4}, {})->partial, "one file is broken");
  EXPECT_EQ(server_->Definition({"a.x", 4})->partial, "");
}

TEST_F(LanguageServerTest, NamesFilesWhereTheServerNeedsIt) {
  spec_.names_files = "b.x";
  Start(Json::object());
  EXPECT_THAT(script_.Read("script.json.log"),
              HasSubstr(R"("initializationOptions": {"files": ["b.x"]})"));
}

TEST_F(LanguageServerTest, DoesNotWaitForever) {
  answer_limit_ = absl::Milliseconds(300);
  Start({{"on", {{"textDocument/references", "hang"}}}});
  EXPECT_TRUE(absl::IsDeadlineExceeded(server_->References({"a.x", 4}, {}).status()));
}

TEST_F(LanguageServerTest, AnswersWithoutAnIndexThatDoesNotComeOn) {
  spec_.ready_progress = "index";
  answer_limit_ = absl::Milliseconds(300);
  Start(
      {{"index", {"begin", "report"}}, {"answers", {{"textDocument/references", Json::array()}}}});
  for (int i = 0; i < 2; ++i) {
    const auto places = server_->References({"a.x", 4}, {});
    ASSERT_TRUE(places.ok()) << places.status();
    EXPECT_EQ(places->partial, "the index of fake is not complete");
  }
  answer_limit_ = absl::Seconds(60);
  Start({{"index", {"begin", "report", "end"}},
         {"answers", {{"textDocument/references", Json::array()}}}});
  const auto places = server_->References({"a.x", 4}, {});
  ASSERT_TRUE(places.ok()) << places.status();
  EXPECT_EQ(places->partial, "");
}

TEST_F(LanguageServerTest, IsStartedAnewForFilesThatItReadsOnce) {
  spec_.reads_files_once = true;
  Start(Json::object());
  EXPECT_TRUE(server_->Refresh());
  workspace_.Write("b.x", "changed\n");
  EXPECT_FALSE(server_->Refresh());
}

TEST_F(LanguageServerTest, SaysThatItIsOfNoMoreUse) {
  for (const char* fault : {"die", "garbage", "half", "huge", "flood"}) {
    SCOPED_TRACE(fault);
    Start({{"on", {{"textDocument/references", fault}}}});
    EXPECT_TRUE(server_->Refresh());
    EXPECT_TRUE(absl::IsUnavailable(server_->References({"a.x", 4}, {}).status()));
    EXPECT_FALSE(server_->Refresh());
    EXPECT_FALSE(server_->status().ok());
  }
  EXPECT_TRUE(absl::IsUnavailable(TryStart({{"on", {{"initialize", "die"}}}})));
}

}  // namespace
}  // namespace stile
