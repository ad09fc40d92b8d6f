#include "runtime/coverage/compiler_arguments.h"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <set>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "runtime/base/text.h"
#include "runtime/workspace/workspace_path.h"

namespace stile {
namespace {

enum class Family { kNone, kGcc, kClang, kRust, kGo, kCsharp };

Family FamilyOf(absl::string_view program) {
  static const auto* const kGcc =
      new std::set<std::string>{"cc1", "cc1plus", "cc1obj", "cc1objplus"};
  static const auto* const kRust = new std::set<std::string>{"rustc", "clippy-driver"};
  static const auto* const kGo = new std::set<std::string>{"compile", "asm", "cgo"};
  static const auto* const kCsharp = new std::set<std::string>{"csc", "vbc", "fsc"};
  const std::string name = BaseName(program);
  if (kGcc->count(name) > 0) return Family::kGcc;
  if (name == "clang" || name == "clang++" || GlobMatch("clang-[0-9]*", name)) {
    return Family::kClang;
  }
  if (kRust->count(name) > 0) return Family::kRust;
  if (kGo->count(name) > 0) return Family::kGo;
  return kCsharp->count(name) > 0 ? Family::kCsharp : Family::kNone;
}

// Options that name outputs and the like. Each is followed by its value, in the next argument.
const std::set<std::string>& OptionsLeftOut(Family family) {
  static const auto* const kGcc = new std::set<std::string>{
      "-o",  "-dumpdir", "-dumpbase", "-dumpbase-ext", "-auxbase", "-auxbase-strip",
      "-MF", "-MT",      "-MQ",       "-MD",           "-MMD"};
  static const auto* const kClang = new std::set<std::string>{"-o", "-MF", "-MT", "-MQ"};
  static const auto* const kRust = new std::set<std::string>{"-o", "--out-dir"};
  static const auto* const kGo = new std::set<std::string>{
      "-o", "-trimpath", "-buildid", "-importcfg", "-asmhdr", "-symabis", "-linkobj"};
  static const auto* const kNone = new std::set<std::string>;
  switch (family) {
    case Family::kGcc:
      return *kGcc;
    case Family::kClang:
      return *kClang;
    case Family::kRust:
      return *kRust;
    case Family::kGo:
      return *kGo;
    default:
      return *kNone;
  }
}

// Arguments that hold such a value themselves, and those that follow the load of the machine or
// where a message goes.
bool IsLeftOut(Family family, absl::string_view word) {
  const auto begins = [word](std::initializer_list<const char*> starts) {
    return std::any_of(starts.begin(), starts.end(),
                       [word](const char* start) { return absl::StartsWith(word, start); });
  };
  switch (family) {
    case Family::kGcc:
      return begins({"-frandom-seed=", "-fdiagnostics-color"});
    case Family::kClang:
      return word == "-MD" || word == "-MMD" || begins({"-frandom-seed=", "-fcolor-diagnostics"});
    case Family::kRust:
      return begins({"-C metadata=", "-C extra-filename=", "-C incremental=", "-Cmetadata=",
                     "-Cextra-filename=", "-Cincremental=", "--out-dir=", "--diagnostic-width="});
    case Family::kGo:
      return begins({"-c=", "-o=", "-trimpath=", "-buildid=", "-importcfg="});
    case Family::kCsharp:
      return begins({"/out:", "-out:", "/refout:", "-refout:", "/pdb:", "-pdb:", "/doc:", "-doc:"});
    default:
      return false;
  }
}

// "/tmp/ccX1.s" → "/tmp/*".
std::string WithoutTemporaryNames(absl::string_view word) {
  constexpr absl::string_view kFolder = "/tmp/";
  std::string result;
  size_t done = 0;
  for (size_t at = word.find(kFolder); at != absl::string_view::npos;
       at = word.find(kFolder, done)) {
    absl::StrAppend(&result, word.substr(done, at - done), kFolder, "*");
    done = std::min(word.find_first_of(",;:=\"' ", at), word.size());
  }
  absl::StrAppend(&result, word.substr(done));
  return result;
}

// "libshop-0123456789abcdef.rmeta" → "libshop-*.rmeta".
std::string WithoutHashes(absl::string_view word) {
  constexpr size_t kDigits = 16;
  std::string result;
  for (size_t at = 0; at < word.size();) {
    size_t end = at + 1;
    while (word[at] == '-' && end < word.size() && absl::ascii_isxdigit(word[end])) ++end;
    const bool is_hash = end == at + 1 + kDigits;
    absl::StrAppend(&result, is_hash ? "-*" : std::string(1, word[at]));
    at = is_hash ? end : at + 1;
  }
  return result;
}

// `REVISION="0a1b2c3"` → `REVISION="*"`: versions, dates and sums of the content differ from build
// to build, and no condition of the preprocessor can look at a string. Names of files stay, since
// such a macro can be included.
std::string WithoutVersion(const std::string& word) {
  const size_t begin = word.find("=\"");
  if (begin == std::string::npos || word.size() < begin + 4 || word.back() != '"') return word;
  const absl::string_view value =
      absl::string_view(word).substr(begin + 2, word.size() - begin - 3);
  bool has_digit = false;
  for (size_t i = 0; i < value.size(); ++i) {
    const bool is_extension =
        value[i] == '.' && i + 1 < value.size() && absl::ascii_isalpha(value[i + 1]);
    if (is_extension || absl::StrContains("\"\\/<>", value[i])) return word;
    has_digit |= absl::ascii_isdigit(value[i]);
  }
  return has_digit ? absl::StrCat(word.substr(0, begin), "=\"*\"") : word;
}

std::string WithoutPlaces(absl::string_view word, const ArgumentPlaces& places) {
  std::string text(word);
  if (!places.state.empty()) text = absl::StrReplaceAll(text, {{places.state, "$STATE"}});
  if (!places.workspace.empty()) {
    text = absl::StrReplaceAll(text, {{places.workspace, "$WORKSPACE"}});
  }
  return text;
}

std::string Normal(Family family, absl::string_view word, const ArgumentPlaces& places) {
  const std::string text = WithoutTemporaryNames(WithoutPlaces(word, places));
  if (family == Family::kRust) return WithoutHashes(text);
  return family == Family::kGcc || family == Family::kClang ? WithoutVersion(text) : text;
}

std::vector<std::string> Lacking(const CompilerWay& way, const CompilerWay& other) {
  std::multiset<std::string> rest(way.begin() + 1, way.end());
  for (size_t i = 1; i < other.size(); ++i) {
    const auto found = rest.find(other[i]);
    if (found != rest.end()) rest.erase(found);
  }
  std::vector<std::string> lacking;  // in the order of `way`
  for (size_t i = 1; i < way.size(); ++i) {
    const auto found = rest.find(way[i]);
    if (found == rest.end()) continue;
    lacking.push_back(way[i]);
    rest.erase(found);
  }
  return lacking;
}

std::string Shown(std::vector<std::string> words) {
  constexpr size_t kMaxShown = 5;
  const bool is_long = words.size() > kMaxShown;
  if (is_long) words.resize(kMaxShown);
  return ToUtf8(absl::StrCat(absl::StrJoin(words, " "), is_long ? " …" : ""));
}

}  // namespace

bool ComparesArguments(absl::string_view program) { return FamilyOf(program) != Family::kNone; }

CompilerWay WayOf(absl::string_view program, const std::vector<std::string>& arguments,
                  const ArgumentPlaces& places) {
  const Family family = FamilyOf(program);
  CompilerWay way = {WithoutPlaces(program, places)};
  if (family == Family::kNone) return way;
  const std::set<std::string>& left_out = OptionsLeftOut(family);
  std::vector<std::string> inputs;  // of C#: its build lists them in the order of the folder
  for (size_t i = 1; i < arguments.size(); ++i) {
    if (left_out.count(arguments[i]) > 0) {
      ++i;
      continue;
    }
    std::string word = arguments[i];
    if (family == Family::kRust && word == "-C" && i + 1 < arguments.size()) {
      absl::StrAppend(&word, " ", arguments[++i]);
    }
    if (IsLeftOut(family, word)) continue;
    word = Normal(family, word, places);
    const bool is_input =
        family == Family::kCsharp && !absl::StartsWith(word, "/") && !absl::StartsWith(word, "-");
    (is_input ? inputs : way).push_back(std::move(word));
  }
  std::sort(inputs.begin(), inputs.end());
  way.insert(way.end(), std::make_move_iterator(inputs.begin()),
             std::make_move_iterator(inputs.end()));
  return way;
}

bool HaveOneInCommon(const CompilerWays& a, const CompilerWays& b) {
  return std::any_of(a.begin(), a.end(), [&](const auto& way) {
    return std::any_of(b.begin(), b.end(), [&](const auto& other) { return *way == *other; });
  });
}

std::string WayDifference(const CompilerWays& real, const CompilerWays& trial) {
  size_t least = SIZE_MAX;
  std::string difference;
  for (const auto& way : real) {
    for (const auto& other : trial) {
      const bool is_same_program = way->front() == other->front();
      const std::vector<std::string> more = Lacking(*way, *other);
      const std::vector<std::string> less = Lacking(*other, *way);
      const size_t count = is_same_program ? more.size() + less.size() : SIZE_MAX - 1;
      if (count >= least) continue;
      least = count;
      if (!is_same_program) {
        difference = absl::StrCat(ToUtf8(BaseName(way->front())), " in place of ",
                                  ToUtf8(BaseName(other->front())));
      } else if (!more.empty()) {
        difference = Shown(more);
      } else {
        difference = less.empty() ? "in another order" : absl::StrCat("without ", Shown(less));
      }
    }
  }
  return difference;
}

}  // namespace stile
