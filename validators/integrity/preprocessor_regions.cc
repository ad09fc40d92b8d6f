#include "validators/integrity/preprocessor_regions.h"

#include <algorithm>
#include <string>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "re2/re2.h"
#include "runtime/base/ids.h"
#include "runtime/base/text.h"

namespace stile {
namespace {

constexpr size_t kMaxConditionBytes = 120;
constexpr size_t kMaxDepth = 1000;
constexpr size_t kMaxRawDelimiter = 16;
constexpr size_t kMaxBranches = 50;  // whose conditions are told
constexpr size_t kMaxDepthTold = 20;
constexpr size_t kMaxCodeBytes = size_t{16} << 20;  // of all regions of a file

struct Directive {
  std::string name;      // "if", "else", …
  std::string argument;  // blanks folded
  int line = 0;
  int next_line = 0;  // behind its continuations
};

// Directives, and the lines of code between them without comments.
struct Scan {
  std::vector<Directive> directives;
  std::vector<std::pair<int, std::string>> code;  // blanks kept between words only
  int lines = 0;
};

// Compilers skip a null character.
bool IsBlank(char c) { return absl::ascii_isspace(static_cast<unsigned char>(c)) || c == '\0'; }

bool IsWordCharacter(char c) {
  return absl::ascii_isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '$' ||
         (c & 0x80) != 0;
}

// Without blanks but those between words.
std::string WithoutBlanks(absl::string_view words) {
  std::string kept;
  for (size_t i = 0; i < words.size(); ++i) {
    if (!IsBlank(words[i])) {
      kept.push_back(words[i]);
    } else if (!kept.empty() && IsWordCharacter(kept.back()) && i + 1 < words.size() &&
               IsWordCharacter(words[i + 1])) {
      kept.push_back(' ');
    }
  }
  return kept;
}

// Reads text as a preprocessor does, as far as it takes to tell which '#' begins a directive.
class Scanner {
 public:
  Scanner(absl::string_view text, CodeDialect dialect, bool has_raw_strings)
      : text_(text), dialect_(dialect), has_raw_strings_(has_raw_strings) {}

  Scan Run() {
    if (Sees("\xEF\xBB\xBF")) at_ = 3;  // a byte order mark
    while (Skip()) Step();
    EndLine();
    scan_.lines = static_cast<int>(SplitLines(text_).size());
    return std::move(scan_);
  }

 private:
  char At(size_t offset = 0) const {
    return at_ + offset < text_.size() ? text_[at_ + offset] : '\0';
  }
  bool Sees(absl::string_view words) const { return absl::StartsWith(text_.substr(at_), words); }

  // Moves behind lines that end in a backslash. False at the end of the text.
  bool Skip() {
    while (dialect_ != CodeDialect::kCSharp && At() == '\\') {
      size_t end = at_ + 1;
      while (end < text_.size() && (text_[end] == ' ' || text_[end] == '\t' || text_[end] == '\r'))
        ++end;
      if (end >= text_.size() || text_[end] != '\n') break;
      at_ = end + 1;
      ++line_;
    }
    return at_ < text_.size();
  }

  void Take(std::string* kept) {
    kept->push_back(text_[at_++]);
    Skip();
  }

  void EndLine() {
    const absl::string_view words = absl::StripAsciiWhitespace(logical_);
    size_t mark = 0;
    for (const absl::string_view sign : {"#", "%:", "\?\?="}) {  // digraph and trigraph
      if (absl::StartsWith(words, sign)) mark = sign.size();
    }
    if (mark > 0) {
      AddDirective(absl::StripLeadingAsciiWhitespace(words.substr(mark)));
    } else if (!words.empty()) {
      scan_.code.emplace_back(line_, WithoutBlanks(words));
    }
    logical_.clear();
    begun_ = false;
  }

  // What stands there is no comment: the logical line begins here at the latest.
  void Begin() {
    if (!begun_) line_start_ = line_;
    begun_ = true;
  }

  void AddDirective(absl::string_view words) {
    size_t end = 0;
    while (end < words.size() && absl::ascii_isalpha(static_cast<unsigned char>(words[end]))) ++end;
    Directive directive;
    directive.name = std::string(words.substr(0, end));
    directive.argument = std::string(absl::StripAsciiWhitespace(words.substr(end)));
    absl::RemoveExtraAsciiWhitespace(&directive.argument);
    directive.line = line_start_;
    directive.next_line = line_ + 1;
    scan_.directives.push_back(std::move(directive));
  }

  void Step() {
    const char c = At();
    if (c == '\n') {
      EndLine();
      ++at_;
      ++line_;
    } else if (c == '/' && NextIs('/')) {
      while (Skip() && At() != '\n') ++at_;
    } else if (c == '/' && NextIs('*')) {
      BlockComment();
    } else if (IsBlank(c)) {
      ++at_;
      logical_.push_back(' ');
    } else {
      Begin();
      Code(c);
    }
  }

  void Code(char c) {
    if (absl::ascii_isdigit(static_cast<unsigned char>(c))) {
      Number();
    } else if (dialect_ == CodeDialect::kCSharp && (c == '@' || c == '$' || Sees("\"\"\""))) {
      StringOfCSharp();
    } else if (IsWordCharacter(c)) {
      Word();
    } else if (c == '"' || c == '\'') {
      Quoted(c);
    } else if (c == '<' && NamesAHeader()) {
      while (Skip() && At() != '\n' && At() != '>') Take(&logical_);
    } else {
      Take(&logical_);
    }
  }

  // Whether `wanted` comes next, behind what continues the line.
  bool NextIs(char wanted) {
    const size_t at = at_;
    const int line = line_;
    ++at_;
    const bool found = Skip() && At() == wanted;
    at_ = at;
    line_ = line;
    return found;
  }

  void BlockComment() {
    ++at_;
    Skip();
    ++at_;
    while (Skip() && !(At() == '*' && NextIs('/'))) {
      if (At() == '\n') ++line_;
      ++at_;
    }
    if (at_ >= text_.size()) return;
    ++at_;
    Skip();
    ++at_;
    logical_.push_back(' ');
  }

  // An apostrophe within a number separates digits.
  void Number() {
    while (Skip() &&
           (IsWordCharacter(At()) || At() == '.' ||
            (At() == '\'' && dialect_ != CodeDialect::kCSharp && IsWordCharacter(At(1))))) {
      Take(&logical_);
    }
  }

  void Word() {
    std::string word;
    while (Skip() && IsWordCharacter(At())) Take(&word);
    logical_ += word;
    if (has_raw_strings_ && At() == '"' &&
        (word == "R" || word == "LR" || word == "uR" || word == "UR" || word == "u8R")) {
      const absl::string_view rest = text_.substr(at_ + 1, kMaxRawDelimiter + 1);
      const absl::string_view delimiter = rest.substr(0, rest.find('('));
      if (delimiter.size() == rest.size()) return;
      SkipThrough(absl::StrCat(")", delimiter, "\""), at_ + 1 + delimiter.size());
    }
  }

  // What stands there is code, whatever it holds.
  void SkipThrough(absl::string_view end, size_t from) {
    const size_t found = text_.find(end, from);
    const size_t behind = found == absl::string_view::npos ? text_.size() : found + end.size();
    line_ += static_cast<int>(std::count(text_.begin() + at_, text_.begin() + behind, '\n'));
    at_ = behind;
    logical_ += "\"\"";
  }

  void Quoted(char quote) {
    Take(&logical_);
    while (Skip() && At() != '\n') {
      const char c = At();
      Take(&logical_);
      if (c == quote) return;
      if (c == '\\' && at_ < text_.size() && At() != '\n') Take(&logical_);
    }
  }

  // @"…", in which only "" is special, """…""", and others behind a '$'.
  void StringOfCSharp() {
    bool verbatim = false;
    while (At() == '@' || At() == '$') {
      verbatim = verbatim || At() == '@';
      Take(&logical_);
    }
    if (At() != '"') return;
    size_t quotes = 0;
    while (At(quotes) == '"') ++quotes;
    if (!verbatim && quotes >= 3) return SkipThrough(std::string(quotes, '"'), at_ + quotes);
    if (!verbatim) return Quoted('"');
    size_t end = at_ + 1;
    while (end < text_.size() && (text_[end] != '"' || text_.substr(end, 2) == "\"\"")) {
      end += text_[end] == '"' ? 2 : 1;
    }
    SkipThrough("\"", std::min(end, text_.size()));
  }

  bool NamesAHeader() const {
    absl::string_view words = absl::StripLeadingAsciiWhitespace(logical_);
    if (!absl::ConsumePrefix(&words, "#") && !absl::ConsumePrefix(&words, "%:")) return false;
    words = absl::StripLeadingAsciiWhitespace(words);
    return absl::StartsWith(words, "include") || absl::StartsWith(words, "import");
  }

  const absl::string_view text_;
  const CodeDialect dialect_;
  const bool has_raw_strings_;
  size_t at_ = 0;
  int line_ = 1;
  std::string logical_;  // the line that is read, without comments
  bool begun_ = false;
  int line_start_ = 1;
  Scan scan_;
};

bool Opens(const std::string& name) { return name == "if" || name == "ifdef" || name == "ifndef"; }

bool Continues(const std::string& name) {
  return name == "elif" || name == "elifdef" || name == "elifndef" || name == "else";
}

struct Frame {
  std::string opening;  // "#ifdef FAST"
  bool is_guard = false;
  std::string condition;
  int condition_line = 0;
  int first_line = 0;
  bool constant = false;
  bool opens_constant = false;
  bool for_cpp = false;
  // Of this branch: the negations of those before it, then its own.
  std::vector<std::string> holds = {};
};

// The condition of a branch as an expression of #if; "" for #else.
std::string Expression(const Directive& directive) {
  if (directive.name == "ifdef" || directive.name == "elifdef") {
    return absl::StrCat("defined(", directive.argument, ")");
  }
  if (directive.name == "ifndef" || directive.name == "elifndef") {
    return absl::StrCat("!defined(", directive.argument, ")");
  }
  return directive.argument;
}

// From one branch to the next.
void Continue(const Directive& directive, std::vector<std::string>* holds) {
  if (holds->size() > kMaxBranches) return;
  holds->back() = absl::StrCat("!(", holds->back(), ")");
  if (directive.name != "else") holds->push_back(Expression(directive));
}

std::string Cut(std::string condition) {
  if (condition.size() > kMaxConditionBytes) condition = condition.substr(0, kMaxConditionBytes);
  return ToUtf8(condition);
}

// "#ifdef __cplusplus" and its like.
bool AsksForCpp(const Directive& directive) {
  return (directive.name == "ifdef" && directive.argument == "__cplusplus") ||
         (directive.name == "if" && (directive.argument == "defined(__cplusplus)" ||
                                     directive.argument == "defined __cplusplus" ||
                                     directive.argument == "defined (__cplusplus)"));
}

// Whether no setting of a build decides it: "0", "(1 == 2)", "0 && X".
bool IsConstant(const Directive& directive) {
  static const RE2* const kName = new RE2(R"((\b[A-Za-z_]\w*))");
  if (directive.name != "if" && directive.name != "elif") return false;
  if (absl::StartsWith(directive.argument, "0 &&") || absl::EndsWith(directive.argument, "&& 0")) {
    return true;
  }
  re2::StringPiece rest(directive.argument);
  std::string name;
  while (RE2::FindAndConsume(&rest, *kName, &name)) {
    if (name != "true" && name != "false") return false;
  }
  return true;
}

// Whether all that stands there is extern "C" and its brace, which cannot be wrong.
bool IsOnlyLinkage(const Scan& scan, int first_line, int last_line) {
  return std::all_of(scan.code.begin(), scan.code.end(), [&](const auto& code) {
    return code.first < first_line || code.first > last_line || code.second == "extern\"C\"{" ||
           code.second == "extern\"C\"" || code.second == "{" || code.second == "}";
  });
}

// Whether nothing stands there but #error or #warning: settings that exclude each other.
bool IsOnlyAnError(const Scan& scan, int first_line, int last_line) {
  const auto code = std::lower_bound(
      scan.code.begin(), scan.code.end(), first_line,
      [](const std::pair<int, std::string>& one, int line) { return one.first < line; });
  if (code != scan.code.end() && code->first <= last_line) return false;
  auto directive = std::lower_bound(scan.directives.begin(), scan.directives.end(), first_line,
                                    [](const Directive& one, int line) { return one.line < line; });
  bool says_error = false;
  for (; directive != scan.directives.end() && directive->line <= last_line; ++directive) {
    if (directive->name != "error" && directive->name != "warning") return false;
    says_error = true;
  }
  return says_error;
}

// Code and directives of some lines.
std::string CodeIn(const Scan& scan, int first_line, int last_line) {
  auto code = std::lower_bound(
      scan.code.begin(), scan.code.end(), first_line,
      [](const std::pair<int, std::string>& one, int line) { return one.first < line; });
  auto directive = std::lower_bound(scan.directives.begin(), scan.directives.end(), first_line,
                                    [](const Directive& one, int line) { return one.line < line; });
  std::string all;
  for (;;) {
    const bool has_code = code != scan.code.end() && code->first <= last_line;
    const bool has_directive = directive != scan.directives.end() && directive->line <= last_line;
    if (!has_code && !has_directive) return all;
    if (has_code && (!has_directive || code->first < directive->line)) {
      absl::StrAppend(&all, (code++)->second, "\n");
    } else {
      absl::StrAppend(&all, "#", directive->name, " ", directive->argument, "\n");
      ++directive;
    }
  }
}

// How many braces are opened and not closed there.
int OpenBraces(const Scan& scan, int first_line, int last_line) {
  const std::string code = CodeIn(scan, first_line, last_line);
  return static_cast<int>(std::count(code.begin(), code.end(), '{') -
                          std::count(code.begin(), code.end(), '}'));
}

// Whether the directive behind a condition sets the macro that must not be set.
bool IsGuard(const Directive& opening, const Directive& next) {
  absl::string_view macro = opening.argument;
  if (opening.name == "if") {
    if (!absl::ConsumePrefix(&macro, "!defined")) return false;
    macro = absl::StripAsciiWhitespace(macro);
    if (absl::ConsumePrefix(&macro, "(")) absl::ConsumeSuffix(&macro, ")");
    macro = absl::StripAsciiWhitespace(macro);
  } else if (opening.name != "ifndef") {
    return false;
  }
  const absl::string_view set = next.argument;
  return next.name == "define" && !macro.empty() && set.substr(0, set.find(' ')) == macro;
}

// Pairs the directives of one scan to regions.
class RegionReader {
 public:
  explicit RegionReader(const Scan& scan) : scan_(scan) {}

  std::vector<ConditionalRegion> Read() {
    for (size_t i = 0; i < scan_.directives.size(); ++i) Take(i);
    while (!open_.empty()) {  // unbalanced: the compiler will say so
      Close(scan_.lines);
      open_.pop_back();
    }
    if (linkage_braces_ != 0) regions_.insert(regions_.end(), linkage_.begin(), linkage_.end());
    return std::move(regions_);
  }

 private:
  void Take(size_t i) {
    const Directive& directive = scan_.directives[i];
    if (Opens(directive.name) && open_.size() < kMaxDepth) {
      const bool is_guard =
          i + 1 < scan_.directives.size() && IsGuard(directive, scan_.directives[i + 1]);
      Open(directive, is_guard);
    } else if (Continues(directive.name) && !open_.empty()) {
      Close(directive.line - 1);
      EnterNextBranch(directive);
    } else if (directive.name == "endif" && !open_.empty()) {
      Close(directive.line - 1);
      open_.pop_back();
    }
  }

  static std::string ConditionOf(const Directive& directive) {
    return absl::StrCat("#", directive.name, directive.argument.empty() ? "" : " ",
                        directive.argument);
  }

  void Open(const Directive& directive, bool is_guard) {
    const std::string condition = ConditionOf(directive);
    const bool constant = IsConstant(directive);
    open_.push_back({condition,
                     is_guard,
                     condition,
                     directive.line,
                     directive.next_line,
                     constant,
                     constant,
                     AsksForCpp(directive),
                     {Expression(directive)}});
  }

  void EnterNextBranch(const Directive& directive) {
    Frame& frame = open_.back();
    frame.condition = absl::StrCat(ConditionOf(directive), " of ", frame.opening);
    frame.constant = IsConstant(directive) || frame.opens_constant;
    frame.condition_line = directive.line;
    frame.first_line = directive.next_line;
    frame.for_cpp = false;
    frame.is_guard = false;
    Continue(directive, &frame.holds);
  }

  // Ends a branch of the innermost condition.
  void Close(int last_line) {
    const Frame& frame = open_.back();
    if (last_line < frame.first_line) return;
    const bool is_linkage = frame.for_cpp && IsOnlyLinkage(scan_, frame.first_line, last_line);
    if (is_linkage) linkage_braces_ += OpenBraces(scan_, frame.first_line, last_line);
    if (IsOnlyAnError(scan_, frame.first_line, last_line)) return;
    ConditionalRegion region;
    region.condition = Cut(frame.condition);
    region.constant = frame.constant;
    region.condition_line = frame.condition_line;
    region.first_line = frame.first_line;
    region.last_line = last_line;
    region.planted = absl::StrCat("#error ", RandomHex(6));
    region.plant_before = frame.first_line;
    region.holds = ConditionsAround(frame);
    // Without its code, a region is like no other.
    region.code = code_bytes_ < kMaxCodeBytes ? CodeIn(scan_, region.first_line, last_line)
                                              : absl::StrCat("#error ", RandomHex(8));
    code_bytes_ += region.code.size();
    region.is_guard = frame.is_guard;
    (is_linkage ? linkage_ : regions_).push_back(std::move(region));
  }

  // What holds in the innermost branch, `frame`.
  std::vector<std::string> ConditionsAround(const Frame& frame) const {
    if (open_.size() > kMaxDepthTold) return {"?"};  // no switch makes it hold
    std::vector<std::string> holds;
    for (const Frame& around : open_) {
      if (around.is_guard && &around != &frame) continue;
      holds.insert(holds.end(), around.holds.begin(), around.holds.end());
    }
    return holds;
  }

  const Scan& scan_;
  std::vector<Frame> open_;
  std::vector<ConditionalRegion> regions_;
  std::vector<ConditionalRegion> linkage_;  // which is closed, as long as no brace is open
  int linkage_braces_ = 0;
  size_t code_bytes_ = 0;
};

std::vector<ConditionalRegion> RegionsOf(const Scan& scan) { return RegionReader(scan).Read(); }

}  // namespace

std::vector<ConditionalRegion> PreprocessorRegions(absl::string_view text, CodeDialect dialect) {
  std::vector<ConditionalRegion> regions =
      RegionsOf(Scanner(text, dialect, dialect != CodeDialect::kCSharp).Run());
  if (dialect == CodeDialect::kC && absl::StrContains(text, "R\"")) {
    // Which standard the compiler goes by decides whether that is a raw string.
    for (ConditionalRegion& region : RegionsOf(Scanner(text, dialect, false).Run())) {
      const bool known =
          std::any_of(regions.begin(), regions.end(), [&](const ConditionalRegion& other) {
            return other.first_line == region.first_line && other.last_line == region.last_line;
          });
      if (!known) regions.push_back(std::move(region));
    }
  }
  std::stable_sort(regions.begin(), regions.end(),
                   [](const ConditionalRegion& a, const ConditionalRegion& b) {
                     return a.condition_line < b.condition_line;
                   });
  return regions;
}

}  // namespace stile
