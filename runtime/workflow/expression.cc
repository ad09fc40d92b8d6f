#include "runtime/workflow/expression.h"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "duktape.h"
#include "runtime/base/text.h"
#include "runtime/base/threads.h"

namespace stile {
namespace {

// How many scripts that would not end may be left to themselves.
constexpr int kMaxAbandoned = 4;
// What a script gets beyond its time to notice that it is up.
constexpr absl::Duration kGrace = absl::Milliseconds(500);
// In the language of the scripts themselves, so that it can be interrupted like them.
constexpr char kHelpers[] = R"js((function (global) {
  function items(list) {
    if (list === undefined || list === null) return [];
    if (Array.isArray(list)) return list;
    if (typeof list === 'object') return Object.keys(list).map(function (k) { return list[k]; });
    return [list];
  }
  function matching(list, test) {
    return items(list).filter(function (item, index) {
      return typeof test === 'function' ? !!test(item, index) : !!item;
    }).length;
  }
  function add(name, value) {
    Object.defineProperty(global, name, {value: value, writable: true, configurable: true});
  }
  add('count', matching);
  add('any', function (list, test) { return matching(list, test) > 0; });
  add('none', function (list, test) { return matching(list, test) === 0; });
  add('all', function (list, test) { return matching(list, test) === items(list).length; });
  // Finalizers and threads of the engine are no business of scripts.
  delete global.Duktape;
  delete global.performance;
  // The same text with the same variables has the same value, also when a run is resumed.
  delete global.Date;
  delete Math.random;
})(this))js";

// What the engine allocates: counted, and gone with this object, in whatever state the engine is.
class EngineMemory {
 public:
  explicit EngineMemory(size_t limit) : limit_(limit) {}
  EngineMemory(const EngineMemory&) = delete;
  EngineMemory& operator=(const EngineMemory&) = delete;
  ~EngineMemory() {
    for (Header* const block : blocks_) std::free(block);
  }

  // Null where there is no more.
  void* Allocate(size_t size) {
    if (size > limit_ - used_) return Exceeded();
    auto* const block = static_cast<Header*>(std::malloc(sizeof(Header) + size));
    if (block == nullptr) return Exceeded();
    *block = {blocks_.size(), size};
    blocks_.push_back(block);
    used_ += size;
    return block + 1;
  }

  void* Reallocate(void* pointer, size_t size) {
    const Header old = *(static_cast<Header*>(pointer) - 1);
    if (size > old.size && size - old.size > limit_ - used_) return Exceeded();
    auto* const block = static_cast<Header*>(
        std::realloc(static_cast<Header*>(pointer) - 1, sizeof(Header) + size));
    if (block == nullptr) return Exceeded();
    block->size = size;
    blocks_[old.index] = block;
    used_ = used_ - old.size + size;
    return block + 1;
  }

  void Free(void* pointer) {
    Header* const block = static_cast<Header*>(pointer) - 1;
    used_ -= block->size;
    blocks_[block->index] = blocks_.back();
    blocks_[block->index]->index = block->index;
    blocks_.pop_back();
    std::free(block);
  }

  bool exceeded() const { return exceeded_; }

 private:
  struct alignas(std::max_align_t) Header {
    size_t index;  // in blocks_
    size_t size;
  };

  void* Exceeded() {
    exceeded_ = true;
    return nullptr;
  }

  const size_t limit_;
  size_t used_ = 0;
  bool exceeded_ = false;
  std::vector<Header*> blocks_;
};

// One evaluation. Shared with its thread, which may outlive the caller's interest.
struct Evaluation {
  explicit Evaluation(const ScriptLimits& script_limits)
      : limits(script_limits),
        deadline(std::chrono::steady_clock::now() + absl::ToChronoNanoseconds(limits.time)),
        memory(limits.memory_bytes) {}

  const ScriptLimits limits;
  const std::chrono::steady_clock::time_point deadline;
  bool only_check = false;
  std::string text;
  std::vector<std::pair<std::string, std::string>> globals;  // JSON

  // Of the engine's thread.
  EngineMemory memory;
  bool is_over = false;

  std::mutex mutex;
  std::condition_variable changed;
  bool done = false;                                                              // under mutex
  bool abandoned = false;                                                         // under mutex
  absl::StatusOr<Json> result = absl::InternalError("the script has not ended");  // once done

  bool IsOver() {
    is_over = is_over || std::chrono::steady_clock::now() >= deadline;
    return is_over;
  }
};

std::atomic<int> abandoned_scripts{0};

struct EngineFailure {};

// What the engine hands to its callbacks.
struct HeapData {
  int (*is_over)(void* heap_data);  // first: see CMakeLists.txt; asked every so many instructions
  Evaluation* evaluation;
};

Evaluation* EvaluationOf(void* heap_data) { return static_cast<HeapData*>(heap_data)->evaluation; }

// Loops inside of the engine that allocate are ended here.
void* Allocate(void* data, duk_size_t size) {
  Evaluation* const evaluation = EvaluationOf(data);
  return evaluation->IsOver() ? nullptr : evaluation->memory.Allocate(size);
}

void Release(void* data, void* pointer) {
  if (pointer != nullptr) EvaluationOf(data)->memory.Free(pointer);
}

void* Reallocate(void* data, void* pointer, duk_size_t size) {
  if (pointer == nullptr) return Allocate(data, size);
  if (size == 0) {
    Release(data, pointer);
    return nullptr;
  }
  return EvaluationOf(data)->memory.Reallocate(pointer, size);
}

// The engine must not go on after this.
[[noreturn]] void GiveUp(void* /*data*/, const char* /*message*/) { throw EngineFailure(); }

// The engine leaves this function by longjmp: nothing in it may need a destructor.
duk_ret_t RunInside(duk_context* context, void* data) {
  auto* evaluation = static_cast<Evaluation*>(data);
  duk_eval_string_noresult(context, kHelpers);
  for (const auto& [name, json] : evaluation->globals) {
    duk_push_lstring(context, json.data(), json.size());
    duk_json_decode(context, -1);
    duk_put_global_lstring(context, name.data(), name.size());
  }
  duk_push_lstring(context, evaluation->text.data(), evaluation->text.size());
  duk_push_string(context, "expression");
  duk_compile(context, evaluation->only_check ? 0 : DUK_COMPILE_EVAL);
  if (evaluation->only_check) {
    duk_push_undefined(context);
    return 1;
  }
  duk_call(context, 0);
  duk_json_encode(context, -1);
  return 1;
}

absl::Status ErrorOf(duk_context* context, const Evaluation& evaluation) {
  if (evaluation.is_over) {
    return absl::DeadlineExceededError(
        absl::StrCat("it did not end within ", absl::FormatDuration(evaluation.limits.time)));
  }
  if (evaluation.memory.exceeded()) {
    return absl::ResourceExhaustedError(
        absl::StrCat("it needs more than ", evaluation.limits.memory_bytes >> 20, " MiB"));
  }
  std::string message = "it fails";
  int line = 0;
  if (context != nullptr) {
    if (duk_is_error(context, -1)) {
      duk_get_prop_string(context, -1, "lineNumber");
      line = duk_get_int_default(context, -1, 0);
      duk_pop(context);
    }
    duk_size_t size = 0;
    const char* words = duk_safe_to_lstring(context, -1, &size);
    message = ToUtf8(absl::string_view(words, size));
  }
  // The engine names the place itself where it does not parse.
  const bool has_line = line <= 0 || absl::StrContains(message, "(line ");
  return absl::InvalidArgumentError(has_line ? message
                                             : absl::StrCat(message, " (line ", line, ")"));
}

absl::StatusOr<Json> RunEngine(Evaluation* evaluation) {
  HeapData data{[](void* heap_data) { return EvaluationOf(heap_data)->IsOver() ? 1 : 0; },
                evaluation};
  try {
    duk_context* const context = duk_create_heap(Allocate, Reallocate, Release, &data, GiveUp);
    if (context == nullptr) return ErrorOf(nullptr, *evaluation);
    const duk_int_t failed = duk_safe_call(context, RunInside, evaluation, 0, 1);
    absl::StatusOr<Json> result = Json();
    if (failed != DUK_EXEC_SUCCESS || evaluation->is_over) {
      result = ErrorOf(context, *evaluation);
    } else if (duk_is_string(context, -1)) {
      duk_size_t size = 0;
      const char* json = duk_get_lstring(context, -1, &size);
      result = ParseJson(ToUtf8(absl::string_view(json, size)));
    }
    return result;  // the heap goes with its memory
  } catch (const EngineFailure&) {
    return ErrorOf(nullptr, *evaluation);
  }
}

void RunThread(const std::shared_ptr<Evaluation>& evaluation) {
  absl::StatusOr<Json> result = RunEngine(evaluation.get());
  const std::lock_guard<std::mutex> lock(evaluation->mutex);
  evaluation->result = std::move(result);
  evaluation->done = true;
  if (evaluation->abandoned) --abandoned_scripts;
  evaluation->changed.notify_all();
}

struct Task {
  bool is_body = false;     // statements with a return
  bool only_check = false;  // parse, do not run
};

absl::StatusOr<Json> Run(Task task, absl::string_view text, const ScriptGlobals& globals,
                         const ScriptLimits& limits) {
  if (text.size() > limits.text_bytes) {
    return absl::InvalidArgumentError(
        absl::StrCat("it has ", text.size(), " bytes; at most ", limits.text_bytes, " may be"));
  }
  if (abandoned_scripts.load() >= kMaxAbandoned) {
    return absl::ResourceExhaustedError(
        "several expressions before it have not ended yet, though their time is up");
  }
  auto evaluation = std::make_shared<Evaluation>(limits);
  evaluation->only_check = task.only_check;
  // On one line with the text, so that its own lines keep their numbers.
  evaluation->text =
      task.is_body ? absl::StrCat("(function () {", ToUtf8(text), "\n})()") : ToUtf8(text);
  for (const auto& [name, value] : globals) {
    if (MayName(text, name)) evaluation->globals.emplace_back(name, DumpJson(value));
  }
  std::thread thread = TryStartThread([evaluation] { RunThread(evaluation); });
  if (!thread.joinable()) return absl::ResourceExhaustedError("the system has no more threads");
  std::unique_lock<std::mutex> lock(evaluation->mutex);
  const bool done =
      evaluation->changed.wait_until(lock, evaluation->deadline + absl::ToChronoNanoseconds(kGrace),
                                     [&] { return evaluation->done; });
  if (!done) {
    evaluation->abandoned = true;
    ++abandoned_scripts;
    thread.detach();
    return absl::DeadlineExceededError(
        absl::StrCat("it did not end within ", absl::FormatDuration(limits.time)));
  }
  lock.unlock();
  thread.join();
  return std::move(evaluation->result);
}

}  // namespace

absl::StatusOr<Json> Evaluate(absl::string_view text, const ScriptGlobals& globals,
                              const ScriptLimits& limits) {
  return Run({.is_body = false, .only_check = false}, text, globals, limits);
}

absl::StatusOr<Json> RunScript(absl::string_view text, const ScriptGlobals& globals,
                               const ScriptLimits& limits) {
  return Run({.is_body = true, .only_check = false}, text, globals, limits);
}

absl::Status CheckExpression(absl::string_view text, const ScriptLimits& limits) {
  return Run({.is_body = false, .only_check = true}, text, {}, limits).status();
}

absl::Status CheckScript(absl::string_view text, const ScriptLimits& limits) {
  return Run({.is_body = true, .only_check = true}, text, {}, limits).status();
}

bool MayName(absl::string_view text, absl::string_view variable) {
  for (const absl::string_view way :
       {variable, absl::string_view("\\"), absl::string_view("this"), absl::string_view("This"),
        absl::string_view("eval"), absl::string_view("Function")}) {
    if (absl::StrContains(text, way)) return true;
  }
  return false;
}

bool IsTrue(const Json& value) {
  if (value.is_boolean()) return value.get<bool>();
  if (value.is_number()) return value.get<double>() != 0;
  if (value.is_string()) return !value.get_ref<const std::string&>().empty();
  return !value.is_null();
}

}  // namespace stile
