#include "validators/integrity/condition_ways.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"

namespace stile {
namespace {

constexpr size_t kMaxBytes = 800;  // of all conditions
constexpr int kMaxDepth = 60;
constexpr size_t kMaxNames = 12;
constexpr size_t kMaxTrials = 2000;
constexpr size_t kMaxWays = 3;

// "n" (number), "?" (value of a name), "d" (whether a name is defined), or an operator.
struct Expression {
  std::string kind;
  int64_t number = 0;
  std::string name;
  std::vector<Expression> parts;
};

Expression Number(int64_t number) { return {"n", number, "", {}}; }

using Values = std::map<std::string, std::optional<int64_t>>;

int64_t Truth(bool holds) { return holds ? 1 : 0; }

// Wraps around instead of overflowing.
int64_t Arithmetic(absl::string_view kind, int64_t a, int64_t b) {
  const auto x = static_cast<uint64_t>(a);
  const auto y = static_cast<uint64_t>(b);
  if (kind == "+") return static_cast<int64_t>(x + y);
  if (kind == "-") return static_cast<int64_t>(x - y);
  if (kind == "*") return static_cast<int64_t>(x * y);
  if (kind == "&") return static_cast<int64_t>(x & y);
  if (kind == "|") return static_cast<int64_t>(x | y);
  if (kind == "^") return static_cast<int64_t>(x ^ y);
  if (kind == "<<") return b < 0 || b > 63 ? 0 : static_cast<int64_t>(x << y);
  if (kind == ">>") return b < 0 || b > 63 ? 0 : a >> b;
  if (b == 0 || b == -1) return 0;
  return kind == "/" ? a / b : a % b;
}

int64_t Evaluate(const Expression& e, const Values& values) {
  if (e.kind == "n") return e.number;
  if (e.kind == "?") return values.at(e.name).value_or(0);
  if (e.kind == "d") return Truth(values.at(e.name).has_value());
  const int64_t a = Evaluate(e.parts[0], values);
  if (e.kind == "!") return Truth(a == 0);
  const int64_t b = Evaluate(e.parts[1], values);
  if (e.kind == "&&") return Truth(a != 0 && b != 0);
  if (e.kind == "||") return Truth(a != 0 || b != 0);
  if (e.kind == "==") return Truth(a == b);
  if (e.kind == "!=") return Truth(a != b);
  if (e.kind == "<") return Truth(a < b);
  if (e.kind == ">") return Truth(a > b);
  if (e.kind == "<=") return Truth(a <= b);
  if (e.kind == ">=") return Truth(a >= b);
  return Arithmetic(e.kind, a, b);
}

bool IsNameStart(char c) { return absl::ascii_isalpha(static_cast<unsigned char>(c)) || c == '_'; }
bool IsNamePart(char c) { return absl::ascii_isalnum(static_cast<unsigned char>(c)) || c == '_'; }

class Reader {
 public:
  explicit Reader(absl::string_view text) : rest_(text) {}

 protected:
  void SkipBlanks() { rest_ = absl::StripLeadingAsciiWhitespace(rest_); }

  bool Take(absl::string_view words) {
    SkipBlanks();
    return absl::ConsumePrefix(&rest_, words);
  }

  std::string Name() {
    SkipBlanks();
    size_t end = 0;
    if (!rest_.empty() && IsNameStart(rest_[0])) {
      while (end < rest_.size() && IsNamePart(rest_[end])) ++end;
    }
    const std::string name(rest_.substr(0, end));
    rest_.remove_prefix(end);
    return name;
  }

  bool AtEnd() {
    SkipBlanks();
    return rest_.empty();
  }

  absl::string_view rest_;
  int depth_ = 0;
};

// Expressions of the preprocessors of C, C++ and C#.
class MacroReader : public Reader {
 public:
  using Reader::Reader;

  std::optional<Expression> Read() {
    std::optional<Expression> e = Binary(0);
    return e.has_value() && AtEnd() ? e : std::nullopt;
  }

 private:
  // The operator that comes next, by descending strength from level 9 to 0.
  static const std::vector<std::vector<std::string>>& Levels() {
    static const auto* const levels =
        new std::vector<std::vector<std::string>>{{"||"},
                                                  {"&&"},
                                                  {"|"},
                                                  {"^"},
                                                  {"&"},
                                                  {"==", "!="},
                                                  {"<=", ">=", "<", ">"},
                                                  {"<<", ">>"},
                                                  {"+", "-"},
                                                  {"*", "/", "%"}};
    return *levels;
  }

  std::string Operator(size_t level) {
    SkipBlanks();
    for (const std::string& op : Levels()[level]) {
      const absl::string_view two = rest_.substr(0, 2);
      const bool longer = op.size() == 1 && (two == "||" || two == "&&" || two == "<<" ||
                                             two == ">>" || two == "<=" || two == ">=");
      if (!longer && absl::ConsumePrefix(&rest_, op)) return op;
    }
    return "";
  }

  std::optional<Expression> Binary(size_t level) {
    if (level == Levels().size()) return Unary();
    std::optional<Expression> left = Binary(level + 1);
    while (left.has_value()) {
      const std::string op = Operator(level);
      if (op.empty()) break;
      std::optional<Expression> right = Binary(level + 1);
      if (!right.has_value()) return std::nullopt;
      Expression both{op, 0, "", {}};
      both.parts.push_back(*std::move(left));
      both.parts.push_back(*std::move(right));
      left = std::move(both);
    }
    return left;
  }

  std::optional<Expression> Unary() {
    if (++depth_ > kMaxDepth) return std::nullopt;
    std::optional<Expression> e = UnaryWithin();
    --depth_;
    return e;
  }

  std::optional<Expression> UnaryWithin() {
    if (Take("!")) {
      std::optional<Expression> e = Unary();
      if (!e.has_value()) return e;
      return Expression{"!", 0, "", {*std::move(e)}};
    }
    if (Take("-")) {
      std::optional<Expression> e = Unary();
      if (!e.has_value()) return e;
      return Expression{"-", 0, "", {Number(0), *std::move(e)}};
    }
    if (Take("+")) return Unary();
    if (Take("(")) {
      std::optional<Expression> e = Binary(0);
      return e.has_value() && Take(")") ? e : std::nullopt;
    }
    SkipBlanks();
    if (!rest_.empty() && absl::ascii_isdigit(static_cast<unsigned char>(rest_[0]))) {
      return Literal();
    }
    return Named();
  }

  std::optional<Expression> Literal() {
    size_t end = 0;
    while (end < rest_.size() && (IsNamePart(rest_[end]) || rest_[end] == '\'')) ++end;
    std::string digits(rest_.substr(0, end));
    rest_.remove_prefix(end);
    digits.erase(std::remove(digits.begin(), digits.end(), '\''), digits.end());
    while (!digits.empty() && absl::StrContains("uUlL", digits.back())) digits.pop_back();
    int64_t value = 0;
    const bool hex = absl::StartsWithIgnoreCase(digits, "0x");
    if (hex ? !absl::SimpleHexAtoi(digits, &value) : !absl::SimpleAtoi(digits, &value)) {
      return std::nullopt;
    }
    return Number(value);
  }

  std::optional<Expression> Named() {
    const std::string name = Name();
    if (name.empty()) return std::nullopt;
    if (name == "true" || name == "false") return Number(Truth(name == "true"));
    if (name == "defined") {
      const bool bracket = Take("(");
      const std::string asked = Name();
      if (asked.empty() || (bracket && !Take(")"))) return std::nullopt;
      return Expression{"d", 0, asked, {}};
    }
    SkipBlanks();
    if (!absl::StartsWith(rest_, "(")) return Expression{"?", 0, name, {}};
    // "__has_include(<a>)", or a macro with arguments, whose value nothing here can set.
    int open = 0;
    size_t end = 0;
    do {
      if (rest_[end] == '(') ++open;
      if (rest_[end] == ')') --open;
      ++end;
    } while (open > 0 && end < rest_.size());
    if (open > 0) return std::nullopt;
    const std::string call = absl::StrCat(name, rest_.substr(0, end));
    rest_.remove_prefix(end);
    return Expression{"?", 0, call, {}};
  }
};

// Predicates of Rust: all, any, not, names, and names with a value.
class CfgReader : public Reader {
 public:
  using Reader::Reader;

  std::optional<Expression> Read() {
    std::optional<Expression> e = Predicate();
    return e.has_value() && AtEnd() ? e : std::nullopt;
  }

 private:
  std::optional<Expression> Predicate() {
    if (++depth_ > kMaxDepth) return std::nullopt;
    std::optional<Expression> e = PredicateWithin();
    --depth_;
    return e;
  }

  std::optional<Expression> PredicateWithin() {
    const std::string name = Name();
    if (name.empty()) return std::nullopt;
    if (name == "true" || name == "false") return Number(Truth(name == "true"));
    if (Take("(")) {
      if (name != "all" && name != "any" && name != "not") return std::nullopt;
      return List(name);
    }
    if (!Take("=")) return Expression{"d", 0, name, {}};
    if (!Take("\"")) return std::nullopt;
    const size_t end = rest_.find('"');
    if (end == absl::string_view::npos) return std::nullopt;
    const std::string value(rest_.substr(0, end));
    rest_.remove_prefix(end + 1);
    // Those that separate arguments of rustc are among the control characters.
    const bool plain = std::none_of(value.begin(), value.end(), [](char c) {
      return c == '\\' || absl::ascii_iscntrl(static_cast<unsigned char>(c));
    });
    if (value.empty() || !plain) return std::nullopt;
    return Expression{"d", 0, absl::StrCat(name, "=\"", value, "\""), {}};
  }

  std::optional<Expression> List(const std::string& name) {
    Expression all = Number(Truth(name != "any"));
    while (!Take(")")) {
      std::optional<Expression> e = Predicate();
      if (!e.has_value()) return std::nullopt;
      if (name == "not") return Take(")") ? Negated(*std::move(e)) : std::optional<Expression>();
      Expression both{name == "any" ? "||" : "&&", 0, "", {}};
      both.parts.push_back(std::move(all));
      both.parts.push_back(*std::move(e));
      all = std::move(both);
      if (!Take(",") && !absl::StartsWith(rest_, ")")) return std::nullopt;
    }
    return all;
  }

  static std::optional<Expression> Negated(Expression e) {
    return Expression{"!", 0, "", {std::move(e)}};
  }
};

// "__has_include(<a>)", and macros with arguments, whose value a definition does not decide.
bool IsCall(absl::string_view macro) { return absl::StrContains(macro, '('); }

// Names that the compiler, its libraries and the system define.
bool BelongsToTheSystem(absl::string_view macro) {
  static const auto* const known = new std::set<std::string>{
      "WIN32", "WIN64", "linux",       "unix",    "i386",    "ANDROID", "IOS",     "MACOS",
      "TVOS",  "MSDOS", "MACCATALYST", "WINDOWS", "BROWSER", "NULL",    "CHAR_BIT"};
  if (macro.size() > 1 && macro[0] == '_' &&
      (macro[1] == '_' || absl::ascii_isupper(static_cast<unsigned char>(macro[1])))) {
    return true;
  }
  const bool of_dotnet =
      absl::StartsWith(macro, "NET") && macro.size() > 3 &&
      (absl::ascii_isdigit(static_cast<unsigned char>(macro[3])) ||
       absl::StartsWith(macro, "NETSTANDARD") || absl::StartsWith(macro, "NETCOREAPP") ||
       absl::StartsWith(macro, "NETFRAMEWORK"));
  return of_dotnet || known->count(std::string(macro)) > 0 ||
         absl::StartsWith(macro, "TARGET_OS_") || absl::StartsWith(macro, "Q_OS_") ||
         absl::EndsWith(macro, "_MAX") || absl::EndsWith(macro, "_MIN");
}

absl::string_view CfgName(absl::string_view name) { return name.substr(0, name.find('=')); }

// What programs of the toolchain decide. Tests are built with everything else.
bool CfgBelongsToTheToolchain(absl::string_view name) {
  static const auto* const known =
      new std::set<std::string>{"test",   "doc",     "doctest",    "miri",      "panic",
                                "clippy", "rustfmt", "proc_macro", "ub_checks", "overflow_checks"};
  return known->count(std::string(CfgName(name))) > 0;
}

bool CfgBelongsToTheSystem(absl::string_view name) {
  const absl::string_view bare = CfgName(name);
  return bare == "unix" || bare == "windows" || absl::StartsWith(bare, "target_");
}

bool TagBelongsToTheSystem(absl::string_view tag) {
  static const auto* const known = new std::set<std::string>{
      "aix",      "android", "darwin",  "dragonfly", "freebsd", "illumos", "ios",         "js",
      "linux",    "netbsd",  "openbsd", "plan9",     "solaris", "windows", "wasip1",      "unix",
      "386",      "amd64",   "arm",     "arm64",     "loong64", "mips",    "mipsle",      "mips64",
      "mips64le", "ppc64",   "ppc64le", "riscv64",   "s390x",   "wasm",    "cgo",         "gc",
      "gccgo",    "race",    "msan",    "asan",      "ignore",  "purego",  "boringcrypto"};
  return known->count(std::string(tag)) > 0 || absl::StrContains(tag, '(');
}

struct Names {
  std::map<std::string, bool> has_value;  // whether more is asked of it than if it is defined
  std::set<int64_t> numbers;
};

void Collect(const Expression& e, Names* names) {
  if (e.kind == "n") names->numbers.insert(e.number);
  if (e.kind == "?" || e.kind == "d") names->has_value[e.name] |= e.kind == "?";
  for (const Expression& part : e.parts) Collect(part, names);
}

using Domain = std::vector<std::optional<int64_t>>;

std::map<std::string, Domain> DomainsOf(const Names& names, bool with_numbers) {
  std::map<std::string, Domain> domains;
  for (const auto& [name, has_value] : names.has_value) {
    Domain& domain = domains[name] = {std::nullopt, 1};
    if (!has_value || !with_numbers) continue;
    for (const int64_t number : names.numbers) {
      for (const int64_t value : {number, Arithmetic("+", number, 1)}) {
        if (std::find(domain.begin(), domain.end(), value) == domain.end()) {
          domain.emplace_back(value);
        }
      }
    }
  }
  return domains;
}

size_t Trials(const std::map<std::string, Domain>& domains) {
  size_t trials = 1;
  for (const auto& [name, domain] : domains) {
    trials *= domain.size();
    if (trials > kMaxTrials) break;
  }
  return trials;
}

struct Solver {
  std::vector<Expression> conditions;
  bool (*is_foreign)(absl::string_view name);  // no switch sets it
  BuildSwitch (*to_switch)(const std::string& name, std::optional<int64_t> value);

  bool Hold(const Values& values) const {
    return std::all_of(conditions.begin(), conditions.end(),
                       [&](const Expression& e) { return Evaluate(e, values) != 0; });
  }

  // What of the values has to be set, and what must not be.
  std::pair<BuildSwitches, BuildSwitches> SwitchesOf(const Values& values) const {
    std::pair<BuildSwitches, BuildSwitches> switches;
    for (const auto& [name, value] : values) {
      if (is_foreign(name)) continue;
      if (value.has_value()) {
        switches.first.push_back(to_switch(name, value));
        continue;
      }
      Values other = values;
      other[name] = 1;
      if (!Hold(other)) switches.second.push_back(to_switch(name, std::nullopt));
    }
    return switches;
  }

  std::vector<BuildSwitches> Ways() const {
    Names names;
    for (const Expression& e : conditions) Collect(e, &names);
    if (names.has_value.empty() || names.has_value.size() > kMaxNames) return {};
    std::map<std::string, Domain> domains = DomainsOf(names, true);
    if (Trials(domains) > kMaxTrials) domains = DomainsOf(names, false);
    if (Trials(domains) > kMaxTrials) return {};
    // By how much of the system is set, how much of all, and how much is taken away.
    std::map<std::tuple<size_t, size_t, size_t, std::string>, BuildSwitches> found;
    const auto add = [&found](BuildSwitches switches, size_t sets) {
      const auto of_system = static_cast<size_t>(
          std::count_if(switches.begin(), switches.end(),
                        [](const BuildSwitch& one) { return one.is_of_system; }));
      const size_t unsets = switches.size() - sets;
      std::string text = BuildSwitchText(switches);
      found[{of_system, sets, unsets, std::move(text)}] = std::move(switches);
    };
    std::map<std::string, size_t> at;
    for (bool more = true; more;) {
      Values values;
      for (const auto& [name, domain] : domains) values[name] = domain[at[name]];
      if (Hold(values)) {
        auto [set, unset] = SwitchesOf(values);
        if (!set.empty()) add(set, set.size());
        if (!unset.empty()) {
          const size_t sets = set.size();
          set.insert(set.end(), unset.begin(), unset.end());
          add(std::move(set), sets);
        }
      }
      more = false;
      for (const auto& [name, domain] : domains) {
        more = ++at[name] < domain.size();
        if (more) break;
        at[name] = 0;
      }
    }
    std::vector<BuildSwitches> ways;
    for (auto& [cost, switches] : found) {
      if (ways.size() < kMaxWays) ways.push_back(std::move(switches));
    }
    return ways;
  }
};

template <typename ReaderOfLanguage>
std::optional<std::vector<Expression>> ReadAll(const std::vector<std::string>& conditions) {
  std::vector<Expression> read;
  size_t bytes = 0;
  for (const std::string& condition : conditions) {
    bytes += condition.size();
    if (bytes > kMaxBytes) return std::nullopt;
    std::optional<Expression> e = ReaderOfLanguage(condition).Read();
    if (!e.has_value()) return std::nullopt;
    read.push_back(*std::move(e));
  }
  return read;
}

BuildSwitch MacroSwitch(const std::string& name, std::optional<int64_t> value) {
  BuildSwitch one{BuildSwitch::Kind::kMacro, name, std::nullopt};
  if (value.has_value()) one.value = absl::StrCat(*value);
  one.is_of_system = BelongsToTheSystem(name);
  return one;
}

BuildSwitch CfgSwitch(const std::string& name, std::optional<int64_t> value) {
  BuildSwitch one{BuildSwitch::Kind::kCfg, name, std::nullopt};
  absl::string_view words = name;
  if (absl::ConsumePrefix(&words, "feature=\"") && absl::ConsumeSuffix(&words, "\"")) {
    one.kind = BuildSwitch::Kind::kFeature;
    one.name = std::string(words);
  }
  if (value.has_value()) one.value = "1";
  one.is_of_system = CfgBelongsToTheSystem(name);
  return one;
}

BuildSwitch TagSwitch(const std::string& name, std::optional<int64_t> value) {
  BuildSwitch one{BuildSwitch::Kind::kTag, name, std::nullopt};
  if (value.has_value()) one.value = "1";
  return one;
}

}  // namespace

std::vector<BuildSwitches> WaysOfMacros(const std::vector<std::string>& conditions) {
  auto read = ReadAll<MacroReader>(conditions);
  if (!read.has_value()) return {};
  return Solver{*std::move(read), IsCall, MacroSwitch}.Ways();
}

std::vector<BuildSwitches> WaysOfCfg(const std::vector<std::string>& predicates) {
  auto read = ReadAll<CfgReader>(predicates);
  if (!read.has_value()) return {};
  return Solver{*std::move(read), CfgBelongsToTheToolchain, CfgSwitch}.Ways();
}

std::vector<BuildSwitches> WaysOfGoConstraint(const std::string& constraint) {
  auto read = ReadAll<MacroReader>({constraint});
  if (!read.has_value()) return {};
  std::vector<BuildSwitches> ways =
      Solver{*std::move(read), TagBelongsToTheSystem, TagSwitch}.Ways();
  // There is no taking a tag away.
  ways.erase(std::remove_if(ways.begin(), ways.end(),
                            [](const BuildSwitches& way) {
                              return std::any_of(
                                  way.begin(), way.end(),
                                  [](const BuildSwitch& one) { return !one.value.has_value(); });
                            }),
             ways.end());
  return ways;
}

}  // namespace stile
