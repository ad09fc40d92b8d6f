#include "runtime/script/script_engine.h"

#include <unistd.h>

#include <cstring>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "runtime/base/status.h"
#include "runtime/base/text.h"

#ifndef STILE_SCRIPT_PROGRAM
#define STILE_SCRIPT_PROGRAM ""
#endif

namespace stile {
namespace {

// What a script gets beyond its time to notice that it is up; then its process is killed.
constexpr absl::Duration kGrace = absl::Seconds(2);
// Of the program itself, on a machine that is busy.
constexpr absl::Duration kStartTime = absl::Seconds(20);

template <typename T>
absl::string_view BytesOf(const T& value) {
  return {reinterpret_cast<const char*>(&value), sizeof(value)};
}

std::string FolderOfThisProgram() {
  std::string path(4096, '\0');
  const ssize_t size = readlink("/proc/self/exe", path.data(), path.size());
  path.resize(size < 0 ? 0 : static_cast<size_t>(size));
  const size_t slash = path.rfind('/');
  return slash == std::string::npos ? "" : path.substr(0, slash);
}

std::string Encode(const ScriptEngine::Script& script, const ScriptOptions& options) {
  std::string body = ToUtf8(script.text);
  ScriptRequestHeader header{};
  header.form = script.form;
  header.task = script.task;
  header.time_ms = static_cast<uint64_t>(absl::ToInt64Milliseconds(options.time));
  header.memory_bytes = options.memory_bytes;
  header.now_ms = static_cast<double>(absl::ToUnixMillis(options.now));
  header.text_bytes = body.size();
  if (script.globals != nullptr) {
    for (const auto& [name, value] : *script.globals) {
      const bool is_memory = name == kMemoryGlobal;
      if (!MayName(script.text, is_memory ? absl::string_view("memory") : name)) continue;
      ++header.globals;
      const std::string json = DumpJson(value);
      const uint64_t sizes[2] = {name.size(), json.size()};
      absl::StrAppend(&body, BytesOf(sizes), name, json);
    }
  }
  return absl::StrCat(BytesOf(header), body);
}

ScriptResult::Write ReadWrite(const Json& entry) {
  ScriptResult::Write write;
  write.space = entry.at(0).get<std::string>();
  write.key = entry.at(1).get<std::string>();
  write.deletes = entry.size() < 3;
  if (!write.deletes) write.value = entry.at(2);
  return write;
}

absl::StatusOr<ScriptResult> Decode(const std::string& text, const std::string& effects) {
  ScriptResult result;
  if (!text.empty()) {
    STILE_ASSIGN_OR_RETURN(result.value, ParseJson(text));
  }
  if (effects.empty()) return result;
  STILE_ASSIGN_OR_RETURN(const Json parsed, ParseJson(effects));
  for (const Json& entry : parsed.value("memory", Json::array())) {
    result.writes.push_back(ReadWrite(entry));
  }
  for (const Json& line : parsed.value("log", Json::array())) {
    result.log.push_back(line.get<std::string>());
  }
  return result;
}

absl::Status TimeIsUp(const ScriptOptions& options) {
  return absl::DeadlineExceededError(
      absl::StrCat("it did not end within ", absl::FormatDuration(options.time)));
}

absl::Status MemoryIsUp(const ScriptOptions& options) {
  return absl::ResourceExhaustedError(
      absl::StrCat("it needs more than ", options.memory_bytes >> 20, " MiB"));
}

}  // namespace

absl::StatusOr<std::string> FindScriptProgram() {
  const std::string folder = FolderOfThisProgram();
  const std::vector<std::string> places = {absl::StrCat(folder, "/stile-script"),
                                           absl::StrCat(folder, "/../libexec/stile/stile-script"),
                                           STILE_SCRIPT_PROGRAM};
  for (const std::string& place : places) {
    if (!place.empty() && access(place.c_str(), X_OK) == 0) return place;
  }
  return absl::NotFoundError(
      absl::StrCat("the program that runs the scripts of workflows is missing: put stile-script, "
                   "which the build makes beside stile, at one of ",
                   absl::StrJoin(places, ", ")));
}

ScriptEngine& ScriptEngine::Shared() {
  static auto* const engine = new ScriptEngine();
  return *engine;
}

absl::Status ScriptEngine::Start() {
  if (child_ != nullptr && !child_->Result().has_value()) return absl::OkStatus();
  child_.reset();
  STILE_ASSIGN_OR_RETURN(const std::string program, FindScriptProgram());
  ProcessRequest request;
  request.argv = {program};
  request.cwd = "/";
  request.env = {{"TZ", "UTC"}};
  request.grace = absl::ZeroDuration();
  STILE_ASSIGN_OR_RETURN(child_, ChildProcess::Start(NewLocalProcessRunner(), std::move(request)));
  const absl::Status ready = child_->ReadExactly(sizeof(kScriptReady), kStartTime).status();
  if (ready.ok()) return ready;
  child_.reset();
  return absl::InternalError(absl::StrCat("scripts cannot run: ", program, ": ", ready.message()));
}

absl::StatusOr<ScriptResult> ScriptEngine::Run(const Script& script, const ScriptOptions& options) {
  if (script.text.size() > options.text_bytes) {
    return absl::InvalidArgumentError(
        absl::StrCat("it is longer than ", options.text_bytes >> 10, " KiB"));
  }
  const std::lock_guard<std::mutex> lock(mutex_);
  for (bool again = false;; again = true) {
    STILE_RETURN_IF_ERROR(Start());
    child_->Write(Encode(script, options));
    absl::StatusOr<ScriptResult> result = ReadReply(options);
    // Without requests it ends by itself, perhaps at this very moment.
    if (!absl::IsUnavailable(result.status()) || again) return result;
  }
}

absl::StatusOr<ScriptResult> ScriptEngine::ReadReply(const ScriptOptions& options) {
  const auto read = [&](size_t size, absl::Duration time) -> absl::StatusOr<std::string> {
    auto bytes = child_->ReadExactly(size, time);
    if (bytes.ok()) return bytes;
    const auto ended = child_->Result();
    child_.reset();
    if (ended.has_value() && ended->ok() && (*ended)->ok()) {
      return absl::UnavailableError("the program that runs scripts ended");
    }
    return bytes;
  };
  ScriptReplyHeader header;
  const auto bytes = read(sizeof(header), options.time + kGrace);
  if (absl::IsDeadlineExceeded(bytes.status())) return TimeIsUp(options);
  // The engine ends its process where it cannot go on without memory.
  if (absl::IsFailedPrecondition(bytes.status())) return MemoryIsUp(options);
  STILE_RETURN_IF_ERROR(bytes.status());
  std::memcpy(&header, bytes->data(), sizeof(header));
  STILE_ASSIGN_OR_RETURN(const std::string text, read(header.text_bytes, kStartTime));
  STILE_ASSIGN_OR_RETURN(const std::string effects, read(header.effects_bytes, kStartTime));
  switch (header.kind) {
    case ScriptReplyHeader::kValue:
      return Decode(text, effects);
    case ScriptReplyHeader::kTimeIsUp:
      return TimeIsUp(options);
    case ScriptReplyHeader::kMemoryIsUp:
      return MemoryIsUp(options);
    case ScriptReplyHeader::kError:
      break;
  }
  return absl::InvalidArgumentError(ToUtf8(text));
}

}  // namespace stile
