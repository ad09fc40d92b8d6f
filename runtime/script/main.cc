// stile-script: runs the scripts of workflows, one after the other, in fresh realms of
// SpiderMonkey. Reads requests from standard input and writes replies to standard output
// (script_protocol.h). It ends with its input, and after a while without requests. It opens no file
// and starts nothing; a script that the engine cannot interrupt is ended by Stile, which kills this
// process.
#include <poll.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "js/CharacterEncoding.h"
#include "js/CompilationAndEvaluation.h"
#include "js/Date.h"
#include "js/ErrorReport.h"
#include "js/Exception.h"
#include "js/GCAPI.h"
#include "js/Initialization.h"
#include "js/Interrupt.h"
#include "js/JSON.h"
#include "js/Promise.h"
#include "js/SourceText.h"
#include "jsapi.h"
#include "jsfriendapi.h"
#include "runtime/base/embedded.h"
#include "runtime/script/script_protocol.h"

namespace stile {

const std::vector<EmbeddedFile>& ScriptFiles();

namespace {

constexpr int kIdleMs = 60'000;
constexpr size_t kStackBytes = size_t{512} << 10;
constexpr size_t kMaxHeapBytes = size_t{512} << 20;
// More than this is given back to the system between two scripts.
constexpr size_t kKeptHeapBytes = size_t{8} << 20;
constexpr JSClass kGlobalClass = {"global", JSCLASS_GLOBAL_FLAGS, &JS::DefaultGlobalClassOps};

double g_now_ms = 0;  // of the script that runs; single-threaded but for the watchdog
double NowOf(double /*now*/, JSContext* /*context*/) { return g_now_ms * 1000; }

// Asks the engine to stop when a script's time is up. One thread for all scripts.
class Watchdog {
 public:
  explicit Watchdog(JSContext* context) : context_(context) {
    std::thread([this] { Watch(); }).detach();
  }

  void Begin(uint64_t time_ms) {
    const std::lock_guard<std::mutex> lock(mutex_);
    is_over_ = false;
    deadline_ = std::chrono::steady_clock::now() + std::chrono::milliseconds(time_ms);
    running_ = true;
    changed_.notify_all();
  }

  void End() {
    const std::lock_guard<std::mutex> lock(mutex_);
    running_ = false;
  }

  bool is_over() {
    const std::lock_guard<std::mutex> lock(mutex_);
    return is_over_;
  }

 private:
  [[noreturn]] void Watch() {
    std::unique_lock<std::mutex> lock(mutex_);
    while (true) {
      changed_.wait(lock, [this] { return running_ && !is_over_; });
      const auto deadline = deadline_;
      const bool ended =
          changed_.wait_until(lock, deadline, [&] { return !running_ || deadline_ != deadline; });
      if (ended) continue;
      is_over_ = true;
      JS_RequestInterruptCallback(context_);
    }
  }

  JSContext* const context_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::chrono::steady_clock::time_point deadline_;
  bool running_ = false;
  bool is_over_ = false;
};

Watchdog* g_watchdog = nullptr;
bool OnInterrupt(JSContext* /*context*/) { return !g_watchdog->is_over(); }

struct Global {
  std::string name;
  std::string json;
};

struct Request {
  ScriptRequestHeader header{};
  std::string text;
  std::vector<Global> globals;
};

struct Reply {
  ScriptReplyHeader::Kind kind = ScriptReplyHeader::kValue;
  std::string text;
  std::string effects;
};

bool ReadAll(void* bytes, size_t size) {
  char* at = static_cast<char*>(bytes);
  while (size > 0) {
    const ssize_t got = read(STDIN_FILENO, at, size);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    at += got;
    size -= static_cast<size_t>(got);
  }
  return true;
}

bool ReadText(uint64_t size, std::string* text) {
  text->resize(size);
  return ReadAll(text->data(), size);
}

bool ReadRequest(Request* request) {
  pollfd entry{STDIN_FILENO, POLLIN, 0};
  int ready;
  while ((ready = poll(&entry, 1, kIdleMs)) < 0 && errno == EINTR) {
  }
  if (ready <= 0 || !ReadAll(&request->header, sizeof(request->header))) return false;
  if (!ReadText(request->header.text_bytes, &request->text)) return false;
  for (uint64_t i = 0; i < request->header.globals; ++i) {
    uint64_t sizes[2];
    Global global;
    if (!ReadAll(sizes, sizeof(sizes)) || !ReadText(sizes[0], &global.name) ||
        !ReadText(sizes[1], &global.json)) {
      return false;
    }
    request->globals.push_back(std::move(global));
  }
  return true;
}

bool WriteAll(const void* bytes, size_t size) {
  const char* at = static_cast<const char*>(bytes);
  while (size > 0) {
    const ssize_t put = write(STDOUT_FILENO, at, size);
    if (put < 0 && errno == EINTR) continue;
    if (put <= 0) return false;
    at += put;
    size -= static_cast<size_t>(put);
  }
  return true;
}

bool WriteReply(const Reply& reply) {
  const ScriptReplyHeader header{reply.kind, reply.text.size(), reply.effects.size()};
  return WriteAll(&header, sizeof(header)) && WriteAll(reply.text.data(), reply.text.size()) &&
         WriteAll(reply.effects.data(), reply.effects.size());
}

// What this process may write of its own memory, in bytes; 0 where the kernel does not tell.
size_t DataBytes() {
  FILE* const file = fopen("/proc/self/status", "re");
  if (file == nullptr) return 0;
  char line[256];
  size_t kilobytes = 0;
  while (fgets(line, sizeof(line), file) != nullptr) {
    if (strncmp(line, "VmData:", 7) == 0) kilobytes = strtoull(line + 7, nullptr, 10);
  }
  fclose(file);
  return kilobytes << 10;
}

void LimitMemory(size_t bytes) {
  rlimit limit{};
  if (getrlimit(RLIMIT_DATA, &limit) != 0) return;
  const size_t used = DataBytes();
  const rlim_t most = used == 0 ? limit.rlim_max : static_cast<rlim_t>(used + bytes);
  limit.rlim_cur = std::min(most, limit.rlim_max);
  setrlimit(RLIMIT_DATA, &limit);
}

// One script, from its text to its reply.
class Evaluation {
 public:
  Evaluation(JSContext* context, const Request& request, Reply* reply)
      : context_(context), request_(request), reply_(*reply) {}

  void Run() {
    JS::RealmOptions options;
    options.creationOptions().setSharedMemoryAndAtomicsEnabled(false);
    JS::RootedObject global(context_, JS_NewGlobalObject(context_, &kGlobalClass, nullptr,
                                                         JS::FireOnNewGlobalHook, options));
    if (!global) return Fail();
    JSAutoRealm realm(context_, global);
    JS::RootedScript script(context_, Compile());
    if (!script) return Fail();
    if (request_.header.task == ScriptRequestHeader::kCheck) return;
    if (request_.header.task == ScriptRequestHeader::kNames) {
      if (!FindNames(global)) Fail();
      return;
    }
    JS::RootedValue effects(context_);
    JS::RootedValue value(context_);
    if (!Prepare(global, &effects) || !JS_ExecuteScript(context_, script, &value) ||
        !Await(&value) || !Stringify(&value, &reply_.text) || !ReadEffects(effects)) {
      Fail();
    }
  }

 private:
  // Of a promise, as async functions give one: its value once it is settled.
  bool Await(JS::MutableHandleValue value) {
    js::RunJobs(context_);
    if (g_watchdog->is_over()) return false;
    if (!value.isObject()) return true;
    JS::RootedObject promise(context_, &value.toObject());
    if (!JS::IsPromiseObject(promise)) return true;
    switch (JS::GetPromiseState(promise)) {
      case JS::PromiseState::Fulfilled:
        value.set(JS::GetPromiseResult(promise));
        return true;
      case JS::PromiseState::Rejected: {
        JS::RootedValue reason(context_, JS::GetPromiseResult(promise));
        JS::SetSettledPromiseIsHandled(context_, promise);
        JS_SetPendingException(context_, reason);
        return false;
      }
      case JS::PromiseState::Pending:
        break;
    }
    JS_ReportErrorUTF8(context_, "the promise that it gives is never settled");
    return false;
  }

  // The text itself, or, as a body, what its own lines keep their numbers in.
  JSScript* Compile() {
    const bool is_expression = request_.header.form == ScriptRequestHeader::kExpression;
    if (is_expression) {
      source_ = request_.text;
      JSScript* const script = CompileText(source_);
      const bool may_be_body = source_.find("return") != std::string::npos;
      if (script != nullptr || !may_be_body) return script;
      JS_ClearPendingException(context_);
    }
    is_body_ = true;
    source_ = "(function () {" + request_.text + "\n})()";
    return CompileText(source_);
  }

  // Its names, by names.js, in the realm that it would run in.
  bool FindNames(JS::HandleObject global) {
    JS::RootedValue effects(context_);
    JS::RootedValue find(context_);
    JS::RootedValue found(context_);
    JS::RootedValue reflect(context_);
    if (!Prepare(global, &effects) || !EvaluateOurs("names.js", &find)) return false;
    JS::RootedValueArray<4> arguments(context_);
    JS::RootedString text(context_, NewString(source_));
    JSFunction* const defines = JS_NewFunction(context_, &IsDefined, 1, 0, "isDefined");
    if (!text || defines == nullptr) return false;
    arguments[1].setString(text);
    arguments[2].setBoolean(is_body_);
    arguments[3].setObject(*JS_GetFunctionObject(defines));
    // Last, so that it is not seen as defined.
    if (!JS_InitReflectParse(context_, global) ||
        !JS_GetProperty(context_, global, "Reflect", &reflect) || !reflect.isObject()) {
      return false;
    }
    JS::RootedObject holder(context_, &reflect.toObject());
    if (!JS_GetProperty(context_, holder, "parse", arguments[0])) return false;
    if (!JS_CallFunctionValue(context_, nullptr, find, arguments, &found)) return false;
    JS::RootedString json(context_, JS::ToString(context_, found));
    return json && ToUtf8(json, &reply_.text);
  }

  // Whether the realm has a variable of the name.
  static bool IsDefined(JSContext* context, unsigned count, JS::Value* values) {
    const JS::CallArgs arguments = JS::CallArgsFromVp(count, values);
    JS::RootedString name(context, JS::ToString(context, arguments.get(0)));
    JS::RootedId id(context);
    JS::RootedObject global(context, JS::CurrentGlobalOrNull(context));
    bool has = false;
    if (!name || !JS_StringToId(context, name, &id) ||
        !JS_HasPropertyById(context, global, id, &has)) {
      return false;
    }
    arguments.rval().setBoolean(has);
    return true;
  }

  // The value of one of our own scripts.
  bool EvaluateOurs(const std::string& name, JS::MutableHandleValue value) {
    JS::CompileOptions options(context_);
    options.setFileAndLine(name.c_str(), 1);
    for (const EmbeddedFile& file : ScriptFiles()) {
      if (file.path != "runtime/script/" + name) continue;
      JS::SourceText<mozilla::Utf8Unit> source;
      return source.init(context_, file.text.data(), file.text.size(),
                         JS::SourceOwnership::Borrowed) &&
             JS::Evaluate(context_, options, source, value);
    }
    return false;
  }

  JSScript* CompileText(const std::string& text) {
    JS::CompileOptions options(context_);
    options.setFileAndLine("script", 1);
    JS::SourceText<mozilla::Utf8Unit> source;
    if (!source.init(context_, text.data(), text.size(), JS::SourceOwnership::Borrowed)) {
      return nullptr;
    }
    return JS::Compile(context_, options, source);
  }

  // Gives the realm what scripts see. `effects` becomes a function that tells what they did.
  bool Prepare(JS::HandleObject global, JS::MutableHandleValue effects) {
    JS::RootedValue memory(context_);
    for (const Global& one : request_.globals) {
      if (one.name == "$memory" && !ParseJson(one.json, &memory)) return false;
    }
    JS::RootedValue prelude(context_);
    if (!EvaluateOurs("prelude.js", &prelude)) return false;
    JS::RootedValueArray<3> arguments(context_);
    arguments[0].setObject(*global);
    arguments[1].set(memory);
    arguments[2].setBoolean(request_.header.form == ScriptRequestHeader::kBody);
    return JS_CallFunctionValue(context_, nullptr, prelude, arguments, effects) &&
           DefineGlobals(global);
  }

  // They come before the helpers of the same name.
  bool DefineGlobals(JS::HandleObject global) {
    for (const Global& one : request_.globals) {
      if (one.name == "$memory") continue;
      JS::RootedValue value(context_);
      JS::RootedString name(context_, NewString(one.name));
      JS::RootedId id(context_);
      if (!name || !ParseJson(one.json, &value) || !JS_StringToId(context_, name, &id) ||
          !JS_DefinePropertyById(context_, global, id, value, JSPROP_ENUMERATE)) {
        return false;
      }
    }
    return true;
  }

  bool ParseJson(const std::string& json, JS::MutableHandleValue value) {
    JS::RootedString text(context_, NewString(json));
    return text && JS_ParseJSON(context_, text, value);
  }

  JSString* NewString(const std::string& utf8) {
    return JS_NewStringCopyUTF8N(context_, JS::UTF8Chars(utf8.data(), utf8.size()));
  }

  bool ToUtf8(JS::HandleString text, std::string* utf8) {
    const JS::UniqueChars bytes = JS_EncodeStringToUTF8(context_, text);
    if (!bytes) return false;
    *utf8 = bytes.get();
    return true;
  }

  bool Stringify(JS::MutableHandleValue value, std::string* json) {
    std::u16string units;
    const auto append = [](const char16_t* text, uint32_t size, void* data) {
      static_cast<std::u16string*>(data)->append(text, size);
      return true;
    };
    if (!JS_Stringify(context_, value, nullptr, JS::UndefinedHandleValue, append, &units)) {
      return false;
    }
    JS::RootedString text(context_, JS_NewUCStringCopyN(context_, units.data(), units.size()));
    return text && ToUtf8(text, json);
  }

  bool ReadEffects(JS::HandleValue effects) {
    JS::RootedValue value(context_);
    if (!JS_CallFunctionValue(context_, nullptr, effects, JS::HandleValueArray::empty(), &value)) {
      return false;
    }
    JS::RootedString text(context_, JS::ToString(context_, value));
    return text && ToUtf8(text, &reply_.effects);
  }

  // What went wrong, from the pending exception; none is pending where the script was ended.
  void Fail() {
    reply_.text.clear();
    reply_.effects.clear();
    reply_.kind = ScriptReplyHeader::kError;
    if (g_watchdog->is_over()) {
      reply_.kind = ScriptReplyHeader::kTimeIsUp;
      return JS_ClearPendingException(context_);
    }
    JS::ExceptionStack exception(context_);
    JS::ErrorReportBuilder report(context_);
    if (!JS_IsExceptionPending(context_) || !JS::StealPendingExceptionStack(context_, &exception) ||
        !report.init(context_, exception, JS::ErrorReportBuilder::WithSideEffects)) {
      JS_ClearPendingException(context_);
      reply_.text = "it fails";
      return;
    }
    reply_.text = report.toStringResult().c_str();
    // The engine throws these, and scripts can catch them.
    if (reply_.text.find("out of memory") != std::string::npos ||
        reply_.text.find("allocation size overflow") != std::string::npos) {
      reply_.kind = ScriptReplyHeader::kMemoryIsUp;
      return;
    }
    const unsigned line = report.report()->lineno;
    if (line > 0) reply_.text += " (line " + std::to_string(line) + ")";
  }

  JSContext* const context_;
  const Request& request_;
  Reply& reply_;
  std::string source_;    // as compiled last
  bool is_body_ = false;  // of a function that stands around the text
};

void Answer(JSContext* context, const Request& request, Reply* reply) {
  g_now_ms = request.header.now_ms;
  LimitMemory(request.header.memory_bytes);
  g_watchdog->Begin(request.header.time_ms);
  Evaluation(context, request, reply).Run();
  g_watchdog->End();
  JS_ClearPendingException(context);
  if (JS_GetGCParameter(context, JSGC_BYTES) > kKeptHeapBytes) JS_GC(context);
}

int Main() {
  JS::DisableJitBackend();
  if (!JS_Init()) return 1;
  JS::SetReduceMicrosecondTimePrecisionCallback(&NowOf);
  JSContext* const context = JS_NewContext(kMaxHeapBytes);
  if (context == nullptr) return 1;
  JS_SetNativeStackQuota(context, kStackBytes);
  if (!js::UseInternalJobQueues(context) || !JS::InitSelfHostedCode(context) ||
      !JS_AddInterruptCallback(context, &OnInterrupt))
    return 1;
  g_watchdog = new Watchdog(context);
  if (!WriteAll(&kScriptReady, 1)) return 0;
  while (true) {
    Request request;
    Reply reply;
    if (!ReadRequest(&request)) return 0;
    Answer(context, request, &reply);
    if (!WriteReply(reply)) return 0;
  }
}

}  // namespace
}  // namespace stile

// Without the destructors of the engine, which want every realm gone.
int main() { _exit(stile::Main()); }
