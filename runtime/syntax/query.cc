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

std::string SourceOf(absl::string_view grammar, absl::string_view name) {
  const std::string path = absl::StrCat("runtime/syntax/queries/", grammar, "/", name, ".scm");
  for (const EmbeddedFile& file : SyntaxQueryFiles()) {
    if (file.path != path) continue;
    absl::string_view parent = file.text;
    if (!absl::ConsumePrefix(&parent, "; inherits: ")) return std::string(file.text);
    return absl::StrCat(file.text, SourceOf(parent.substr(0, parent.find('\n')), name));
  }
  return "";
}

}  // namespace

std::string QuerySource(const Grammar& grammar, absl::string_view name) {
  return SourceOf(grammar.name, name);
}

SyntaxQuery::SyntaxQuery() = default;
SyntaxQuery::~SyntaxQuery() = default;

absl::StatusOr<std::unique_ptr<SyntaxQuery>> SyntaxQuery::Compile(const Grammar& grammar,
                                                                  absl::string_view source) {
  std::unique_ptr<SyntaxQuery> query(new SyntaxQuery);
  STILE_ASSIGN_OR_RETURN(query->query_, ParseQuery(grammar, source));
  STILE_RETURN_IF_ERROR(query->ReadPredicates());
  query->FindRoots(grammar);
  return query;
}

absl::Status SyntaxQuery::ReadPredicates() {
  for (const QueryPattern& pattern : query_.patterns) {
    std::vector<Predicate>& predicates = predicates_.emplace_back();
    for (const QueryPredicate& read : pattern.predicates) {
      Predicate predicate;
      absl::string_view name = read.name;
      predicate.negated = absl::ConsumePrefix(&name, "not-");
      if (name != "eq?" && name != "any-of?" && name != "match?") {
        return absl::InvalidArgumentError(absl::StrCat("unknown predicate #", read.name));
      }
      predicate.kind = name == "match?" ? Predicate::Kind::kMatch : Predicate::Kind::kEqual;
      predicate.capture = read.capture;
      predicate.texts = read.texts;
      if (predicate.kind == Predicate::Kind::kMatch) {
        predicate.expression = std::make_shared<RE2>(predicate.texts[0], Quiet());
        if (!predicate.expression->ok()) {
          return absl::InvalidArgumentError(
              absl::StrCat("#", read.name, ": ", predicate.expression->error()));
        }
      }
      predicates.push_back(std::move(predicate));
    }
  }
  return absl::OkStatus();
}

// Patterns keep their order for each symbol.
void SyntaxQuery::FindRoots(const Grammar& grammar) {
  roots_.resize(ts_language_symbol_count(grammar.language));
  for (size_t i = 0; i < query_.patterns.size(); ++i) {
    for (const TreePattern& alternative : query_.patterns[i].alternatives) {
      const Root root{static_cast<uint16_t>(i), &alternative};
      const bool is_one = alternative.kind == TreePattern::Kind::kSymbol;
      if (!is_one || alternative.symbol >= roots_.size()) roots_of_errors_.push_back(root);
      for (size_t symbol = 0; symbol < roots_.size(); ++symbol) {
        if (!is_one || alternative.symbol == symbol) roots_[symbol].push_back(root);
      }
    }
  }
}

const std::vector<SyntaxQuery::Root>& SyntaxQuery::RootsFor(const FlatNode& node) const {
  return node.symbol < roots_.size() ? roots_[node.symbol] : roots_of_errors_;
}

bool SyntaxQuery::Holds(uint16_t pattern, const std::vector<TSQueryCapture>& captures,
                        absl::string_view text) const {
  for (const Predicate& predicate : predicates_[pattern]) {
    for (const TSQueryCapture& capture : captures) {
      if (capture.index != predicate.capture) continue;
      const absl::string_view found = TextOf(capture.node, text);
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
  Matches matches(*this, tree, text);
  while (const TSQueryMatch* match = matches.Next()) {
    std::vector<Capture> captures;
    for (uint16_t i = 0; i < match->capture_count; ++i) {
      captures.push_back({query_.captures[match->captures[i].index], match->captures[i].node});
    }
    use(captures);
  }
}

std::vector<absl::string_view> SyntaxQuery::CaptureNames() const {
  return {query_.captures.begin(), query_.captures.end()};
}

// Which part of a pattern is looked for among the children of a node, from which child on, and what
// is to be done when all parts have been found: the frame of the pattern around it.
struct SyntaxQuery::Matches::Frame {
  const TreePattern* pattern;
  size_t part;
  uint32_t child;
  uint32_t end;  // of the children
  const Frame* outer;
};

SyntaxQuery::Matches::Matches(const SyntaxQuery& query, const SyntaxTree& tree,
                              absl::string_view text)
    : query_(query),
      nodes_(tree.Flat(query.query_.with_fields)),
      text_(text),
      deadline_ns_(ThreadCpuNs() + kBudgetNsAtLeast +
                   static_cast<int64_t>(text.size()) * kBudgetNsPerByte) {}

const TSQueryMatch* SyntaxQuery::Matches::Next() {
  while (next_ == found_.size()) {
    found_.clear();
    found_captures_.clear();
    next_ = 0;
    if (at_ == nodes_.size() || IsTimeUp()) return nullptr;
    LookAt(at_++);
  }
  const Found& found = found_[next_++];
  match_.pattern_index = found.pattern;
  match_.captures = found_captures_.data() + found.begin;
  match_.capture_count = static_cast<uint16_t>(found.end - found.begin);
  return &match_;
}

void SyntaxQuery::Matches::LookAt(uint32_t node) {
  for (const Root& root : query_.RootsFor(nodes_[node])) {
    if (!Fits(node, *root.alternative)) continue;
    pattern_ = root.pattern;
    captured_.clear();
    for (const uint32_t capture : root.alternative->captures) {
      captured_.push_back({nodes_[node].node, capture});
    }
    Step({root.alternative, 0, node + 1, nodes_[node].end, nullptr});
  }
}

bool SyntaxQuery::Matches::IsTimeUp() {
  constexpr uint32_t kStepsPerLook = 4096;  // asking for the time is a system call
  if (exhausted_ || ++steps_ % kStepsPerLook != 0) return exhausted_;
  exhausted_ = ThreadCpuNs() > deadline_ns_;
  return exhausted_;
}

bool SyntaxQuery::Matches::Fits(uint32_t node, const TreePattern& pattern) const {
  const FlatNode& flat = nodes_[node];
  if (pattern.kind == TreePattern::Kind::kSymbol && flat.symbol != pattern.symbol) return false;
  if (pattern.kind == TreePattern::Kind::kNamed && !flat.is_named) return false;
  for (const TSFieldId field : pattern.absent) {
    for (uint32_t child = node + 1; child < flat.end; child = nodes_[child].end) {
      if (nodes_[child].field == field) return false;
    }
  }
  return true;
}

bool SyntaxQuery::Matches::HasLaterNamed(uint32_t node, uint32_t end) const {
  for (uint32_t next = nodes_[node].end; next < end; next = nodes_[next].end) {
    if (nodes_[next].is_named) return true;
  }
  return false;
}

// Looks for the rest of the pattern in every place. Whether there was one.
bool SyntaxQuery::Matches::Step(const Frame& frame) {
  if (frame.part == frame.pattern->parts.size()) {
    if (frame.outer != nullptr) return Step(*frame.outer);
    if (query_.Holds(pattern_, captured_, text_)) {
      const size_t begin = found_captures_.size();
      found_captures_.insert(found_captures_.end(), captured_.begin(), captured_.end());
      found_.push_back({pattern_, begin, found_captures_.size()});
    }
    return true;
  }
  const TreePattern::Part& part = frame.pattern->parts[frame.part];
  bool matched = false;
  for (uint32_t child = frame.child; child < frame.end; child = nodes_[child].end) {
    if (IsTimeUp()) return matched;
    matched |= TakePart(frame, part, child);
    if (part.is_next && nodes_[child].is_named) break;
    if (matched && !part.has_captures) break;
  }
  return matched;
}

bool SyntaxQuery::Matches::TakePart(const Frame& frame, const TreePattern::Part& part,
                                    uint32_t node) {
  if (part.field != 0 && nodes_[node].field != part.field) return false;
  bool matched = false;
  for (const TreePattern& pattern : part.alternatives) {
    if (!Fits(node, pattern)) continue;
    if (part.is_last && HasLaterNamed(node, frame.end)) continue;
    const size_t before = captured_.size();
    for (const uint32_t capture : pattern.captures) {
      captured_.push_back({nodes_[node].node, capture});
    }
    const Frame after{frame.pattern, frame.part + 1, nodes_[node].end, frame.end, frame.outer};
    matched |= Step({&pattern, 0, node + 1, nodes_[node].end, &after});
    captured_.resize(before);
  }
  return matched;
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
    const std::string source = QuerySource(grammar, name);
    if (source.empty()) return;
    auto query = SyntaxQuery::Compile(grammar, source);
    STILE_CHECK(query.ok());
    // One set for the queries that are asked one after the other.
    for (const char* other : {"symbols", "scopes", "imports", "quoted"}) {
      const auto patterns = ParseQuery(grammar, QuerySource(grammar, other));
      STILE_CHECK(patterns.ok());
      SymbolSet& all = (*query)->query_.with_fields;
      for (size_t i = 0; i < all.size(); ++i) all[i] = all[i] || patterns->with_fields[i];
    }
    entry->query = *std::move(query);
  });
  return entry->query.get();
}

}  // namespace stile
