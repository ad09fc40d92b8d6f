#include "runtime/syntax/query.h"

#include <algorithm>
#include <map>
#include <mutex>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "re2/re2.h"
#include "runtime/base/check.h"
#include "runtime/base/embedded.h"
#include "runtime/base/status.h"
#include "runtime/syntax/cpu_time.h"

namespace stile {

const std::vector<EmbeddedFile>& SyntaxQueryFiles();  // made by the build

struct SyntaxQuery::Predicate {
  enum class Kind { kEqual, kMatch } kind = Kind::kEqual;
  bool negated = false;
  uint32_t capture = 0;
  std::vector<std::string> texts;         // kEqual: any of them
  std::shared_ptr<const RE2> expression;  // kMatch
};

namespace {

// A pass over correct code takes 0.05 to 0.2 microseconds a byte.
constexpr int64_t kBudgetNsAtLeast = 100'000'000;
constexpr int64_t kBudgetNsPerByte = 2'000;

RE2::Options Quiet() {
  RE2::Options options(RE2::Latin1);
  options.set_log_errors(false);
  return options;
}

// The text of a query with what it inherits; "" if there is none.
std::string QuerySource(absl::string_view grammar, absl::string_view name) {
  const std::string path = absl::StrCat("runtime/syntax/queries/", grammar, "/", name, ".scm");
  for (const EmbeddedFile& file : SyntaxQueryFiles()) {
    if (file.path != path) continue;
    absl::string_view parent = file.text;
    if (!absl::ConsumePrefix(&parent, "; inherits: ")) return std::string(file.text);
    return absl::StrCat(file.text, QuerySource(parent.substr(0, parent.find('\n')), name));
  }
  return "";
}

absl::string_view ErrorName(TSQueryError error) {
  switch (error) {
    case TSQueryErrorNone:
      return "no error";
    case TSQueryErrorSyntax:
      return "wrong syntax";
    case TSQueryErrorNodeType:
      return "unknown node";
    case TSQueryErrorField:
      return "unknown field";
    case TSQueryErrorCapture:
      return "unknown capture";
    case TSQueryErrorStructure:
      return "a pattern that cannot match";
    case TSQueryErrorLanguage:
      return "a language of another version";
  }
  return "";
}

}  // namespace

SyntaxQuery::SyntaxQuery() = default;
SyntaxQuery::~SyntaxQuery() = default;

absl::StatusOr<std::unique_ptr<SyntaxQuery>> SyntaxQuery::Compile(const Grammar& grammar,
                                                                  absl::string_view source) {
  std::unique_ptr<SyntaxQuery> query(new SyntaxQuery);
  uint32_t offset = 0;
  TSQueryError error = TSQueryErrorNone;
  query->query_.reset(ts_query_new(grammar.language, source.data(),
                                   static_cast<uint32_t>(source.size()), &offset, &error));
  if (query->query_ == nullptr) {
    const auto line = std::count(source.begin(), source.begin() + offset, '\n') + 1;
    return absl::InvalidArgumentError(absl::StrCat("line ", line, ": ", ErrorName(error)));
  }
  STILE_RETURN_IF_ERROR(query->ReadPredicates());
  return query;
}

// tree-sitter hands predicates over as steps: a name, then captures and strings, then "done".
absl::Status SyntaxQuery::ReadPredicates() {
  const auto string_of = [&](uint32_t id) {
    uint32_t size = 0;
    const char* text = ts_query_string_value_for_id(query_.get(), id, &size);
    return std::string(text, size);
  };
  predicates_.resize(ts_query_pattern_count(query_.get()));
  for (uint32_t pattern = 0; pattern < predicates_.size(); ++pattern) {
    uint32_t count = 0;
    const TSQueryPredicateStep* steps =
        ts_query_predicates_for_pattern(query_.get(), pattern, &count);
    for (uint32_t i = 0; i < count; ++i) {
      std::string name = string_of(steps[i].value_id);
      Predicate predicate;
      const std::string whole = name;
      if (name.rfind("not-", 0) == 0) {
        predicate.negated = true;
        name.erase(0, 4);
      }
      if (name != "eq?" && name != "any-of?" && name != "match?") {
        return absl::InvalidArgumentError(absl::StrCat("unknown predicate #", whole));
      }
      predicate.kind = name == "match?" ? Predicate::Kind::kMatch : Predicate::Kind::kEqual;
      if (++i >= count || steps[i].type != TSQueryPredicateStepTypeCapture) {
        return absl::InvalidArgumentError(absl::StrCat("#", whole, " needs a capture first"));
      }
      predicate.capture = steps[i].value_id;
      for (++i; i < count && steps[i].type != TSQueryPredicateStepTypeDone; ++i) {
        if (steps[i].type != TSQueryPredicateStepTypeString) {
          return absl::InvalidArgumentError(absl::StrCat("#", whole, " compares with texts only"));
        }
        predicate.texts.push_back(string_of(steps[i].value_id));
      }
      if (predicate.texts.empty()) {
        return absl::InvalidArgumentError(absl::StrCat("#", whole, " needs a text"));
      }
      if (predicate.kind == Predicate::Kind::kMatch) {
        predicate.expression = std::make_shared<RE2>(predicate.texts[0], Quiet());
        if (!predicate.expression->ok()) {
          return absl::InvalidArgumentError(
              absl::StrCat("#", whole, ": ", predicate.expression->error()));
        }
      }
      predicates_[pattern].push_back(std::move(predicate));
    }
  }
  return absl::OkStatus();
}

bool SyntaxQuery::Holds(const TSQueryMatch& match, absl::string_view text) const {
  for (const Predicate& predicate : predicates_[match.pattern_index]) {
    for (uint16_t i = 0; i < match.capture_count; ++i) {
      if (match.captures[i].index != predicate.capture) continue;
      const absl::string_view found = TextOf(match.captures[i].node, text);
      const bool holds = predicate.kind == Predicate::Kind::kMatch
                             ? RE2::PartialMatch(re2::StringPiece(found.data(), found.size()),
                                                 *predicate.expression)
                             : std::find(predicate.texts.begin(), predicate.texts.end(), found) !=
                                   predicate.texts.end();
      if (holds == predicate.negated) return false;
    }
  }
  return true;
}

void SyntaxQuery::Run(const SyntaxTree& tree, absl::string_view text,
                      const std::function<void(const std::vector<Capture>&)>& use) const {
  const std::unique_ptr<TSQueryCursor, void (*)(TSQueryCursor*)> cursor(ts_query_cursor_new(),
                                                                        ts_query_cursor_delete);
  ts_query_cursor_exec(cursor.get(), query_.get(), tree.root());
  TSQueryMatch match{};
  while (ts_query_cursor_next_match(cursor.get(), &match)) {
    if (!Holds(match, text)) continue;
    std::vector<Capture> captures;
    for (uint16_t i = 0; i < match.capture_count; ++i) {
      uint32_t size = 0;
      const char* name = ts_query_capture_name_for_id(query_.get(), match.captures[i].index, &size);
      captures.push_back({absl::string_view(name, size), match.captures[i].node});
    }
    use(captures);
  }
}

std::vector<absl::string_view> SyntaxQuery::CaptureNames() const {
  std::vector<absl::string_view> names;
  for (uint32_t id = 0; id < ts_query_capture_count(query_.get()); ++id) {
    uint32_t size = 0;
    const char* name = ts_query_capture_name_for_id(query_.get(), id, &size);
    names.emplace_back(name, size);
  }
  return names;
}

SyntaxQuery::Matches::Matches(const SyntaxQuery& query, const SyntaxTree& tree,
                              absl::string_view text)
    : query_(query), text_(text), cursor_(ts_query_cursor_new()) {
  budget_.deadline_ns =
      ThreadCpuNs() + kBudgetNsAtLeast + static_cast<int64_t>(text.size()) * kBudgetNsPerByte;
  options_.payload = &budget_;
  options_.progress_callback = [](TSQueryCursorState* state) {
    auto* const budget = static_cast<Budget*>(state->payload);
    constexpr uint32_t kCallsPerLook = 4;  // asking for the time is a system call
    if (++budget->calls % kCallsPerLook != 0) return false;
    budget->used_up = ThreadCpuNs() > budget->deadline_ns;
    return budget->used_up;
  };
  ts_query_cursor_set_max_start_depth(cursor_.get(), kMaxDepth);
  ts_query_cursor_exec_with_options(cursor_.get(), query.query_.get(), tree.root(), &options_);
}

const TSQueryMatch* SyntaxQuery::Matches::Next() {
  while (ts_query_cursor_next_match(cursor_.get(), &match_)) {
    if (query_.Holds(match_, text_)) return &match_;
  }
  return nullptr;
}

const SyntaxQuery* FindQuery(const Grammar& grammar, absl::string_view name) {
  // Compiling takes up to a tenth of a second: only those who want the same query wait for it.
  struct Compiled {
    std::once_flag once;
    std::unique_ptr<SyntaxQuery> query;
  };
  static auto* const mutex = new std::mutex;
  static auto* const queries = new std::map<std::string, Compiled>;
  Compiled* entry = nullptr;
  {
    const std::lock_guard<std::mutex> lock(*mutex);
    entry = &(*queries)[absl::StrCat(grammar.name, "/", name)];
  }
  std::call_once(entry->once, [&] {
    const std::string source = QuerySource(grammar.name, name);
    if (source.empty()) return;
    auto query = SyntaxQuery::Compile(grammar, source);
    STILE_CHECK(query.ok());
    entry->query = *std::move(query);
  });
  return entry->query.get();
}

}  // namespace stile
