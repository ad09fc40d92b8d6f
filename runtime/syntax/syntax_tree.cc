#include "runtime/syntax/syntax_tree.h"

#include <algorithm>
#include <mutex>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "runtime/base/check.h"
#include "runtime/base/text.h"
#include "runtime/syntax/cpu_time.h"

namespace stile {
namespace {

// Correct code takes 0.1 to 0.2 microseconds a byte.
constexpr int64_t kBudgetNsAtLeast = 100'000'000;
constexpr int64_t kBudgetNsPerByte = 2'000;

struct ParserDeleter {
  void operator()(TSParser* parser) const { ts_parser_delete(parser); }
};
using Parser = std::unique_ptr<TSParser, ParserDeleter>;

// Parsers that nobody uses now. They keep their memory, which is what makes them worth keeping.
class ParserPool {
 public:
  static ParserPool& Get() {
    static auto* const pool = new ParserPool;
    return *pool;
  }
  Parser Take() {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (free_.empty()) return Parser(ts_parser_new());
    Parser parser = std::move(free_.back());
    free_.pop_back();
    return parser;
  }
  void GiveBack(Parser parser) {
    constexpr size_t kMaxFree = 16;
    ts_parser_reset(parser.get());
    const std::lock_guard<std::mutex> lock(mutex_);
    if (free_.size() < kMaxFree) free_.push_back(std::move(parser));
  }

 private:
  std::mutex mutex_;
  std::vector<Parser> free_;
};

struct Input {
  absl::string_view text;
  int64_t deadline_ns;
  uint32_t calls = 0;
};

const char* ReadInput(void* payload, uint32_t offset, TSPoint, uint32_t* size) {
  const auto* input = static_cast<const Input*>(payload);
  const size_t rest = offset < input->text.size() ? input->text.size() - offset : 0;
  *size = static_cast<uint32_t>(rest);
  return rest == 0 ? "" : input->text.data() + offset;
}

bool HadEnough(TSParseState* state) {
  auto* input = static_cast<Input*>(state->payload);
  constexpr uint32_t kCallsPerLook = 16;  // asking for the time is a system call
  return ++input->calls % kCallsPerLook == 0 && ThreadCpuNs() > input->deadline_ns;
}

TSPoint PointAt(absl::string_view text, size_t offset) {
  const absl::string_view before = text.substr(0, offset);
  const auto row = static_cast<uint32_t>(std::count(before.begin(), before.end(), '\n'));
  const size_t newline = before.rfind('\n');
  const size_t begin = newline == absl::string_view::npos ? 0 : newline + 1;
  return {row, static_cast<uint32_t>(offset - begin)};
}

}  // namespace

absl::StatusOr<SyntaxTree> SyntaxTree::Parse(const Grammar& grammar, absl::string_view text) {
  return ParseWith(grammar, nullptr, text);
}

absl::StatusOr<SyntaxTree> SyntaxTree::Reparse(const Grammar& grammar, const SyntaxTree& old,
                                               absl::string_view old_text, absl::string_view text) {
  if (text.size() > kMaxBytes) return Parse(grammar, text);
  const TextChange change = FindChange(old_text, text);
  TSInputEdit edit{};
  edit.start_byte = static_cast<uint32_t>(change.begin);
  edit.old_end_byte = static_cast<uint32_t>(change.before_end);
  edit.new_end_byte = static_cast<uint32_t>(change.after_end);
  edit.start_point = PointAt(text, change.begin);
  edit.old_end_point = PointAt(old_text, edit.old_end_byte);
  edit.new_end_point = PointAt(text, edit.new_end_byte);
  const std::unique_ptr<TSTree, Deleter> edited(ts_tree_copy(old.tree_.get()));
  ts_tree_edit(edited.get(), &edit);
  return ParseWith(grammar, edited.get(), text);
}

absl::StatusOr<SyntaxTree> SyntaxTree::ParseWith(const Grammar& grammar, const TSTree* old,
                                                 absl::string_view text) {
  if (text.size() > kMaxBytes) {
    return absl::InvalidArgumentError(
        absl::StrCat("a text of more than ", kMaxBytes >> 20, " MiB is not parsed"));
  }
  Parser parser = ParserPool::Get().Take();
  STILE_CHECK(ts_parser_set_language(parser.get(), grammar.language));
  Input input{text, ThreadCpuNs() + kBudgetNsAtLeast +
                        static_cast<int64_t>(text.size()) * kBudgetNsPerByte};
  TSParseOptions options{};
  options.payload = &input;
  options.progress_callback = HadEnough;
  TSInput source{};
  source.payload = &input;
  source.read = ReadInput;
  source.encoding = TSInputEncodingUTF8;
  TSTree* tree = ts_parser_parse_with_options(parser.get(), old, source, options);
  ParserPool::Get().GiveBack(std::move(parser));
  if (tree == nullptr) {
    return absl::ResourceExhaustedError("the text takes too much work to parse");
  }
  return SyntaxTree(tree);
}

const std::vector<FlatNode>& SyntaxTree::Flat(const SymbolSet& with_fields) const {
  if (flat_.empty() || flat_fields_ != with_fields) {
    flat_ = FlattenTree(root(), kMaxFlatDepth, with_fields);
    flat_fields_ = with_fields;
  }
  return flat_;
}

void WalkTree(TSNode root, const std::function<bool(TSNode)>& enter) {
  TSTreeCursor cursor = ts_tree_cursor_new(root);
  bool down = enter(root);
  for (size_t depth = 0;;) {
    if (down && ts_tree_cursor_goto_first_child(&cursor)) {
      ++depth;
    } else {
      while (depth > 0 && !ts_tree_cursor_goto_next_sibling(&cursor)) {
        ts_tree_cursor_goto_parent(&cursor);
        --depth;
      }
      if (depth == 0) break;
    }
    down = enter(ts_tree_cursor_current_node(&cursor));
  }
  ts_tree_cursor_delete(&cursor);
}

absl::string_view TextOf(TSNode node, absl::string_view text) {
  if (ts_node_is_null(node)) return "";
  const size_t start = std::min<size_t>(ts_node_start_byte(node), text.size());
  const size_t end = std::clamp<size_t>(ts_node_end_byte(node), start, text.size());
  return text.substr(start, end - start);
}

}  // namespace stile
