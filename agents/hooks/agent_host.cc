#include "agents/hooks/agent_host.h"

#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/strip.h"
#include "runtime/base/embedded.h"

namespace stile {

const std::vector<EmbeddedFile>& HostFiles();  // compiled in from hosts/*

namespace {

constexpr char kFolder[] = "agents/hooks/hosts/";

std::string Text(const OrderedJson& facts, const char* key) {
  const auto found = facts.find(key);
  return found == facts.end() || !found->is_string() ? "" : found->get<std::string>();
}

std::vector<std::string> Texts(const OrderedJson& facts, const char* key) {
  const auto found = facts.find(key);
  return found == facts.end() ? std::vector<std::string>() : found->get<std::vector<std::string>>();
}

OrderedJson Member(const OrderedJson& facts, const char* key) {
  const auto found = facts.find(key);
  return found == facts.end() ? OrderedJson() : *found;
}

// A host whose hook is a file of its own has that file's text beside its facts.
std::string FileText(const OrderedJson& facts) {
  const std::string name = Text(facts, "file");
  for (const EmbeddedFile& file : HostFiles()) {
    if (!name.empty() && file.path == kFolder + name) return std::string(file.text);
  }
  return "";
}

AgentHost FromFacts(const std::string& id, const OrderedJson& facts) {
  AgentHost host;
  host.id = id;
  host.name = Text(facts, "name");
  host.user_file = Text(facts, "user_file");
  host.project_file = Text(facts, "project_file");
  host.user_folder_variable = Text(facts, "user_folder_variable");
  host.settings = Member(facts, "settings");
  host.companion = Text(facts, "companion");
  host.companion_text = Text(facts, "companion_text");
  host.file_text = FileText(facts);
  host.refusal = Member(facts, "refusal");
  host.ending = Member(facts, "ending");
  host.notice = Member(facts, "notice");
  host.max_text = facts.value("max_text", size_t{0});
  host.time_limit = absl::Seconds(facts.value("time_limit_s", 0));
  host.session_keys = Texts(facts, "session_keys");
  host.folder_keys = Texts(facts, "folder_keys");
  host.folder_variable = Text(facts, "folder_variable");
  host.again_key = Text(facts, "again_key");
  host.foreign_keys = Texts(facts, "foreign_keys");
  host.sample = ParseJson(DumpOrderedJson(Member(facts, "sample"), -1)).value_or(Json());
  host.trust = Text(facts, "trust");
  return host;
}

}  // namespace

const std::vector<AgentHost>& AgentHosts() {
  static const auto* hosts = [] {
    auto* const list = new std::vector<AgentHost>();
    for (const EmbeddedFile& file : HostFiles()) {
      if (!absl::EndsWith(file.path, ".json")) continue;
      const absl::StatusOr<OrderedJson> facts = ParseOrderedJson(file.text);
      if (!facts.ok()) continue;  // agent_host_test reads them all
      const absl::string_view name = absl::StripPrefix(file.path, kFolder);
      list->push_back(FromFacts(std::string(absl::StripSuffix(name, ".json")), *facts));
    }
    return list;
  }();
  return *hosts;
}

absl::StatusOr<const AgentHost*> FindAgentHost(const std::string& id) {
  std::vector<std::string> known;
  for (const AgentHost& host : AgentHosts()) {
    if (host.id == id) return &host;
    known.push_back(host.id);
  }
  return absl::NotFoundError(
      absl::StrCat("no host '", id, "'; there are: ", absl::StrJoin(known, ", ")));
}

OrderedJson WithText(const OrderedJson& value, const std::string& mark, const std::string& text) {
  if (value.is_string()) {
    return absl::StrReplaceAll(value.get_ref<const std::string&>(), {{mark, text}});
  }
  OrderedJson result = value;
  if (result.is_structured()) {
    for (OrderedJson& member : result) member = WithText(member, mark, text);
  }
  return result;
}

}  // namespace stile
