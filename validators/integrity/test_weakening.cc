#include "validators/integrity/test_weakening.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "runtime/base/text.h"
#include "runtime/workspace/workspace_path.h"
#include "validators/integrity/pattern.h"
#include "validators/integrity/test_run_weakening.h"
#include "validators/integrity/test_side.h"
#include "validators/integrity/test_tables.h"

namespace stile {
namespace {

using Weight = Weakening::Weight;
using Names = std::set<std::string>;

constexpr size_t kMaxShown = 90;
constexpr int kMaxComparisons = 200'000;  // of assertions one by one
constexpr double kSameSubject = 0.3;      // shared names and values of two assertions

std::string Shown(const std::string& text) {
  return ToUtf8(text.size() <= kMaxShown ? text : absl::StrCat(text.substr(0, kMaxShown), "…"));
}

std::string NameOf(const TestUnit& unit) {
  if (unit.kind == TestUnit::Kind::kFile) return "the file";
  return absl::StrCat("'", Shown(unit.name), "'");
}

// A new assertion that may stand for one that is gone.
struct Candidate {
  MadeAssertion made;
  Names words;
  const TestPlace* place = nullptr;
  bool is_taken = false;
  bool is_new_test = false;
};

// One thing: the comparison of two versions; a new assertion replaces at most one removed one.
class Comparison {
 public:
  Comparison(const TestSide& before, const TestSide& after, const Names& existing)
      : before_(before), after_(after), existing_(existing), gone_(before, after) {}

  std::vector<Weakening> Run() {
    Match();
    for (const auto& [was, is] : pairs_) ComparePair(*was, *is);
    BuildPool();
    for (Left& left : left_) Settle(&left);
    for (const TestPlace* place : lost_) JudgeLost(*place);
    ReportRemoved();
    for (Weakening& weakening : CompareTestRuns(before_, after_, existing_, counterpart_)) {
      result_.push_back(std::move(weakening));
    }
    return std::move(result_);
  }

 private:
  struct Left {
    MadeAssertion made;
    const TestPlace* was;
    const TestPlace* is;  // null: the test is gone
    bool is_settled = false;
  };

  void Report(Weight weight, const char* rule, const std::string& path, int line,
              std::string what) {
    if (!told_.insert({path, line, what}).second) return;
    result_.push_back({weight, path, line, std::move(what), rule});
  }

  void Match() {
    std::map<std::pair<std::string, std::string>, const TestPlace*> by_place;
    std::map<std::string, std::vector<const TestPlace*>> by_name;
    for (const TestPlace& place : after_.tests) {
      by_place[{place.path, place.unit->name}] = &place;
      if (place.unit->kind == TestUnit::Kind::kTest) by_name[place.unit->name].push_back(&place);
    }
    std::set<const TestPlace*> taken;
    std::vector<const TestPlace*> rest;
    for (const TestPlace& was : before_.tests) {
      const auto found = by_place.find({was.path, was.unit->name});
      if (found == by_place.end()) {
        rest.push_back(&was);
      } else {
        taken.insert(found->second);
        pairs_.emplace_back(&was, found->second);
      }
    }
    for (const TestPlace* was : rest) {
      const TestPlace* moved = nullptr;
      for (const TestPlace* is : by_name[was->unit->name]) {
        if (taken.count(is) == 0 && was->unit->kind == TestUnit::Kind::kTest) moved = is;
      }
      if (moved != nullptr) {
        taken.insert(moved);
        pairs_.emplace_back(was, moved);
      } else if (was->unit->kind == TestUnit::Kind::kTest) {
        if (was->unit->dead.empty() && !was->unit->is_setup) lost_.push_back(was);
      } else if (was->unit->kind == TestUnit::Kind::kFile) {
        LeaveAll(*was, nullptr);
      }
    }
    for (const auto& [was, is] : pairs_) counterpart_[is] = was;
    for (const TestPlace* was : lost_) LeaveAll(*was, nullptr);
  }

  void LeaveAll(const TestPlace& was, const TestPlace* is) {
    for (MadeAssertion& made : before_.Assertions(was)) {
      if (made.dead.empty()) left_.push_back({std::move(made), &was, is});
    }
  }

  void ComparePair(const TestPlace& was, const TestPlace& is) {
    if (!was.unit->dead.empty() || was.unit->is_setup) return;
    if (!is.unit->dead.empty()) {
      if (is.unit->dead != "skipped" && is.unit->kind == TestUnit::Kind::kTest) {
        Report(Weight::kGrave, "test-disabled", is.path, is.unit->line,
               absl::StrCat("the test ", NameOf(*is.unit), " ", is.unit->dead));
      }
      return;
    }
    const bool was_test = was.unit->kind == TestUnit::Kind::kTest;
    if (was_test && is.unit->kind == TestUnit::Kind::kHelper && !IsCalled(is)) {
      Report(Weight::kGrave, "test-removed", is.path, is.unit->line,
             absl::StrCat(NameOf(*is.unit), " is no test any more"));
      return;
    }
    if (was.unit->must_be_referenced && was.unit->is_referenced && !is.unit->is_referenced &&
        !IsCalled(is)) {
      Report(Weight::kGrave, "test-disabled", is.path, is.unit->line,
             absl::StrCat("the test ", NameOf(*is.unit), " is no longer called"));
      return;
    }
    std::vector<MadeAssertion> old = before_.Assertions(was);
    std::vector<MadeAssertion> now = after_.Assertions(is);
    std::vector<bool> used(now.size(), false);
    std::vector<MadeAssertion> gone;
    std::multimap<std::string, size_t> by_text;
    for (size_t i = 0; i < now.size(); ++i) by_text.emplace(now[i].text, i);
    for (MadeAssertion& made : old) {
      if (!made.dead.empty()) continue;
      const int found = FindSame(made, now, by_text, &used);
      if (found < 0) {
        gone.push_back(std::move(made));
        continue;
      }
      CompareSame(is, made, now[static_cast<size_t>(found)]);
    }
    const bool edited = Pair(is, &gone, now, &used);
    for (size_t i = 0; i < now.size(); ++i) {
      if (used[i]) taken_.insert(now[i].assertion);
    }
    for (MadeAssertion& made : gone) left_.push_back({std::move(made), &was, &is});
    CompareData(was, is, edited);
    const bool is_emptied = old.empty() && is.unit->kind == TestUnit::Kind::kTest &&
                            was.unit->statements > 0 && IsEmpty(*is.unit) && !IsEmpty(*was.unit) &&
                            !gone_.IsIn(*was.unit);
    if (is_emptied) {
      Report(Weight::kGrave, "test-emptied", is.path, is.unit->line,
             absl::StrCat("the test ", NameOf(*is.unit), " does nothing any more"));
    }
  }

  static bool IsEmpty(const TestUnit& unit) {
    return unit.calls.empty() && unit.assertions.empty();
  }

  // Whether another function of test code names it; fixtures are named as parameters.
  bool IsCalled(const TestPlace& place) const {
    return std::any_of(after_.tests.begin(), after_.tests.end(), [&place](const TestPlace& other) {
      return other.unit != place.unit && IsNamedIn(*other.unit, place.unit->last_name);
    });
  }

  // The one of the same text that is best off; -1 if there is none.
  static int FindSame(const MadeAssertion& made, const std::vector<MadeAssertion>& now,
                      const std::multimap<std::string, size_t>& by_text, std::vector<bool>* used) {
    int best = -1;
    size_t fewest = 0;
    const auto range = by_text.equal_range(made.text);
    for (auto it = range.first; it != range.second; ++it) {
      const size_t i = it->second;
      if ((*used)[i]) continue;
      const size_t cost = (now[i].dead.empty() ? 0 : 100) + NewConditions(made, now[i]).size();
      if (best >= 0 && cost >= fewest) continue;
      best = static_cast<int>(i);
      fewest = cost;
    }
    if (best >= 0) (*used)[static_cast<size_t>(best)] = true;
    return best;
  }

  static std::vector<std::string> NewConditions(const MadeAssertion& was, const MadeAssertion& is) {
    std::vector<std::string> fresh;
    for (const std::string& condition : is.conditions) {
      if (was.conditions.count(condition) == 0 && !IsUsualCondition(condition)) {
        fresh.push_back(condition);
      }
    }
    return fresh;
  }

  void CompareSame(const TestPlace& is, const MadeAssertion& was, const MadeAssertion& now) {
    if (!now.dead.empty()) {
      ReportDead(is, now);
      return;
    }
    const std::vector<std::string> conditions = NewConditions(was, now);
    // Conditions that are as many as before are edited ones.
    if (now.conditions.size() > was.conditions.size() && !conditions.empty()) {
      Report(Weight::kGrave, "assertion-conditional", is.path, now.assertion->line,
             absl::StrCat("the assertion '", Shown(now.text), "' is now reached only if ",
                          Shown(conditions.front())));
    }
  }

  void ReportDead(const TestPlace& is, const MadeAssertion& now) {
    if (now.dead == "skipped") return;
    Report(Weight::kGrave, "assertion-dead", is.path, now.assertion->line,
           absl::StrCat("the assertion '", Shown(now.text), "' ", now.dead));
  }

  // Finds what took the place of assertions within the test. Those that nothing replaced stay in
  // `gone`. Returns whether an expected value was edited.
  bool Pair(const TestPlace& is, std::vector<MadeAssertion>* gone,
            const std::vector<MadeAssertion>& now, std::vector<bool>* used) {
    bool edited = false;
    std::vector<MadeAssertion> rest;
    for (MadeAssertion& made : *gone) {  // the same but for its values
      const int found = FindShape(made, now, *used);
      if (found < 0) {
        rest.push_back(std::move(made));
        continue;
      }
      (*used)[static_cast<size_t>(found)] = true;
      const MadeAssertion& other = now[static_cast<size_t>(found)];
      if (WidensTolerance(*made.assertion, *other.assertion)) {
        Report(Weight::kGrave, "tolerance-widened", is.path, other.assertion->line,
               absl::StrCat("'", Shown(made.text), "' was loosened to '", Shown(other.text), "'"));
      } else {
        edited = true;
        ReportEdited(is, made, other);
      }
      CompareSame(is, made, other);
    }
    gone->clear();
    for (MadeAssertion& made : rest) {
      const int found = FindReplacement(made, now, *used);
      if (found < 0) {
        gone->push_back(std::move(made));
        continue;
      }
      (*used)[static_cast<size_t>(found)] = true;
      const MadeAssertion& other = now[static_cast<size_t>(found)];
      if (!IsAsStrong(*other.assertion, *made.assertion) && !gone_.IsIn(made.assertion->tokens)) {
        Report(Weight::kGrave, "assertion-loosened", is.path, other.assertion->line,
               absl::StrCat("'", Shown(made.text), "' was loosened to '", Shown(other.text), "'"));
      } else if (!Less(LiteralsOf(made.assertion->tokens), LiteralsOf(other.assertion->tokens))
                      .empty()) {
        edited = true;
        ReportEdited(is, made, other);
      }
      CompareSame(is, made, other);
    }
    return edited;
  }

  static bool IsAsStrong(const TestAssertion& now, const TestAssertion& was) {
    return now.is_nothing || now.strength >= was.strength;
  }

  void ReportEdited(const TestPlace& is, const MadeAssertion& was, const MadeAssertion& now) {
    Report(Weight::kExpectation, "expectation-edited", is.path, now.assertion->line,
           absl::StrCat("'", Shown(was.text), "' expects something else: '", Shown(now.text), "'"));
  }

  static int FindShape(const MadeAssertion& made, const std::vector<MadeAssertion>& now,
                       const std::vector<bool>& used) {
    const std::string shape = made.assertion->Shape();
    for (size_t i = 0; i < now.size(); ++i) {
      if (!used[i] && now[i].dead.empty() && now[i].assertion->Shape() == shape) {
        return static_cast<int>(i);
      }
    }
    return -1;
  }

  // Of those that are live, the one that says as much about the same; else one that says less.
  static int FindReplacement(const MadeAssertion& made, const std::vector<MadeAssertion>& now,
                             const std::vector<bool>& used) {
    const Names words = WordsOf(made.assertion->tokens, true);
    int best = -1;
    double best_score = -1;
    for (size_t i = 0; i < now.size(); ++i) {
      if (used[i] || !now[i].dead.empty()) continue;
      const double overlap = Overlap(words, WordsOf(now[i].assertion->tokens, true));
      const bool is_as_strong = IsAsStrong(*now[i].assertion, *made.assertion);
      const double score = overlap + (is_as_strong ? 2 : 0);
      if (score > best_score) {
        best = static_cast<int>(i);
        best_score = score;
      }
    }
    return best;
  }

  // Tables and other values of the test.
  void CompareData(const TestPlace& was, const TestPlace& is, bool edited) {
    const std::multiset<std::string> rows = Less(was.unit->rows, is.unit->rows);
    if (was.unit->rows.size() > is.unit->rows.size() && !rows.empty()) {
      lost_rows_.push_back(
          {&is, {rows.begin(), rows.end()}, was.unit->rows.size() - is.unit->rows.size()});
    }
    const std::multiset<std::string> values = Less(was.unit->literals, is.unit->literals);
    if (edited || values.empty() || is.unit->kind == TestUnit::Kind::kHelper) return;
    Report(Weight::kExpectation, "expectation-edited", is.path, is.unit->line,
           absl::StrCat("values of ", NameOf(*is.unit), " were edited: ", Shown(*values.begin())));
  }

  void BuildPool() {
    for (const TestPlace& place : after_.tests) {
      const bool is_new_test = counterpart_.count(&place) == 0;
      const bool is_uncalled = is_new_test && place.unit->kind == TestUnit::Kind::kHelper &&
                               !place.unit->is_setup && !IsCalled(place) &&
                               place.unit->last_name != "main" && !ProvidesRows(*place.unit);
      if (is_uncalled) uncalled_.insert(&place);
      for (const TestAssertion& assertion : place.unit->assertions) {
        if (assertion.dead.empty() && !is_uncalled && IsLive(place)) made_.insert(assertion.Text());
        if (taken_.count(&assertion) > 0) continue;
        Candidate candidate;
        candidate.made.assertion = &assertion;
        candidate.made.text = assertion.Text();
        candidate.made.dead = place.unit->dead.empty() ? assertion.dead : place.unit->dead;
        candidate.made.conditions.insert(assertion.conditions.begin(), assertion.conditions.end());
        candidate.words = WordsOf(assertion.tokens, true);
        candidate.place = &place;
        candidate.is_new_test = is_new_test;
        if (candidate.made.dead.empty() && HasNewSkip(before_, after_, place))
          candidate.made.dead = "skipped";
        if (candidate.made.dead.empty() && is_uncalled) {
          candidate.made.dead = "stands in a function that nothing calls";
        }
        by_text_[candidate.made.text].push_back(pool_.size());
        pool_.push_back(std::move(candidate));
      }
    }
    for (const TestPlace& place : after_.tests) {
      const auto was = counterpart_.find(&place);
      const bool has_grown =
          was == counterpart_.end() || place.unit->rows.size() > was->second->unit->rows.size();
      if (!has_grown) continue;
      std::multiset<std::string> known;  // of assertions that were there before
      for (const TestAssertion& assertion : place.unit->assertions) {
        if (taken_.count(&assertion) > 0) known.merge(LiteralsOf(assertion.tokens));
      }
      if (was != counterpart_.end()) {
        for (const std::string& row : was->second->unit->rows) {
          for (const absl::string_view word : absl::StrSplit(row, ' ')) {
            known.insert(std::string(word));
          }
        }
      }
      fresh_literals_[&place] = Less(place.unit->literals, known);
    }
  }

  void Settle(Left* left) {
    const TestAssertion& assertion = *left->made.assertion;
    const Candidate* dead = nullptr;
    for (const size_t i : by_text_[left->made.text]) {
      Candidate& candidate = pool_[i];
      if (candidate.is_taken) continue;
      if (!candidate.made.dead.empty()) {
        dead = &candidate;
        continue;
      }
      candidate.is_taken = true;
      left->is_settled = true;
      return;
    }
    if (gone_.IsIn(assertion.tokens) || (left->is == nullptr && gone_.IsIn(*left->was->unit))) {
      left->is_settled = true;
      return;
    }
    // C: it was made by the test that called this one, and is compared there.
    const bool is_part = left->was->unit->must_be_referenced && left->was->unit->is_referenced;
    if ((is_part && made_.count(left->made.text) > 0) || StandsInTable(*left) ||
        StandsInWhole(*left) || IsReplacedElsewhere(left)) {
      left->is_settled = true;
      return;
    }
    if (dead != nullptr) {
      ReportDead(*dead->place, dead->made);
      left->is_settled = dead->made.dead != "skipped";
    }
  }

  bool IsLive(const TestPlace& place) const {
    return place.unit->dead.empty() && uncalled_.count(&place) == 0 &&
           !HasNewSkip(before_, after_, place);
  }

  // Its values are among those of a table, and what it called is called for them.
  bool StandsInTable(const Left& left) {
    const std::multiset<std::string> literals = LiteralsOf(left.made.assertion->tokens);
    if (literals.empty()) return StandsOnceForRows(left);
    Names called;
    const CodeTokens& tokens = left.made.assertion->tokens;
    for (size_t i = 0; i + 1 < tokens.size(); ++i) {
      if (tokens[i].is_name && tokens[i + 1].text == "(") called.insert(tokens[i].text);
    }
    called.erase(left.made.assertion->matcher);
    for (auto& [place, fresh] : fresh_literals_) {
      if (--budget_ < 0) return false;
      if (fresh.empty() || !IsLive(*place)) continue;
      const auto values = WithoutConstants(after_, *place, called, literals);
      if (values.empty() || !Less(values, fresh).empty()) continue;
      if (called.empty() && counterpart_.count(place) > 0 && place != left.is) continue;
      if (!JudgesRows(after_, *place, called, left.made.assertion->strength,
                      [this](const TestPlace& other) { return IsLive(other); })) {
        continue;
      }
      for (const std::string& value : values) fresh.erase(fresh.find(value));
      return true;
    }
    return false;
  }

  // `x` and `y` of a point were compared one by one, and now the point is.
  bool StandsInWhole(const Left& left) {
    const std::string value = ValueOfPart(*left.made.assertion);
    if (value.empty()) return false;
    for (const TestPlace& place : after_.tests) {
      const bool may_hold = place.unit == (left.is == nullptr ? nullptr : left.is->unit) ||
                            (place.path == left.was->path && counterpart_.count(&place) == 0);
      if (!may_hold || !IsLive(place)) continue;
      for (const TestAssertion& whole : place.unit->assertions) {
        if (!whole.dead.empty() || !whole.conditions.empty()) continue;
        auto& parts = parts_.try_emplace(&whole, PartsOfWhole(whole)).first->second;
        const auto part = parts.find(value);
        if (part == parts.end()) continue;
        parts.erase(part);
        return true;
      }
    }
    return false;
  }

  // Of several equal ones one is left, made for each row of a table that has grown.
  bool StandsOnceForRows(const Left& left) const {
    return std::any_of(after_.tests.begin(), after_.tests.end(), [&](const TestPlace& place) {
      const auto was = counterpart_.find(&place);
      const size_t rows = was == counterpart_.end() ? 0 : was->second->unit->rows.size();
      return place.path == left.was->path && place.unit->rows.size() > rows + 1 &&
             place.unit->dead.empty() &&
             std::any_of(place.unit->assertions.begin(), place.unit->assertions.end(),
                         [&](const TestAssertion& other) {
                           return other.dead.empty() && other.Text() == left.made.text;
                         });
    });
  }

  // A new assertion elsewhere that tells as much about the same.
  bool IsReplacedElsewhere(Left* left) {
    const Names words = WordsOf(left->made.assertion->tokens, true);
    Candidate* best = nullptr;
    double best_overlap = kSameSubject;
    for (Candidate& candidate : pool_) {
      if (--budget_ < 0) return false;
      if (candidate.is_taken || !candidate.made.dead.empty() ||
          !IsAsStrong(*candidate.made.assertion, *left->made.assertion)) {
        continue;
      }
      if (!candidate.is_new_test && candidate.place->path != left->was->path) continue;
      const double overlap = Overlap(words, candidate.words);
      if (overlap > best_overlap) {
        best_overlap = overlap;
        best = &candidate;
      }
    }
    if (best == nullptr) return false;
    best->is_taken = true;
    ReportEdited(*best->place, left->made, best->made);
    return true;
  }

  // A test without assertions of its own runs code, and fails if that does.
  void JudgeLost(const TestPlace& was) {
    const bool asserts = std::any_of(left_.begin(), left_.end(),
                                     [&was](const Left& left) { return left.was == &was; });
    if (asserts || was.unit->must_be_referenced || gone_.IsIn(*was.unit)) return;
    if (was.unit->calls.empty() && was.unit->statements <= 1) return;
    const auto replaced =
        std::find_if(after_.tests.begin(), after_.tests.end(), [&](const TestPlace& is) {
          return is.unit->kind == TestUnit::Kind::kTest && counterpart_.count(&is) == 0 &&
                 is.unit->dead.empty() && Overlap(was.unit->names, is.unit->names) >= 0.5;
        });
    if (replaced != after_.tests.end()) return;
    Report(Weight::kGrave, "test-removed", was.path, 0,
           absl::StrCat("the test ", NameOf(*was.unit), " is gone"));
  }

  void ReportRemoved() {
    std::map<std::pair<const TestPlace*, const TestPlace*>, std::vector<const Left*>> by_test;
    for (const Left& left : left_) {
      if (!left.is_settled) by_test[{left.was, left.is}].push_back(&left);
    }
    for (const Left& left : left_) {  // in the order of the text
      const auto found = by_test.find({left.was, left.is});
      if (found == by_test.end()) continue;
      const auto& all = found->second;
      const std::string what = absl::StrCat("'", Shown(all[0]->made.text), "'");
      const std::string more =
          all.size() > 1 ? absl::StrCat(" and ", Count(all.size() - 1, "more")) : "";
      if (left.is == nullptr && left.was->unit->kind == TestUnit::Kind::kTest) {
        Report(Weight::kGrave, "test-removed", left.was->path, 0,
               absl::StrCat("the test ", NameOf(*left.was->unit), " is gone; no other asserts ",
                            what, more));
      } else {
        Report(Weight::kGrave, "assertion-removed", left.was->path,
               left.is == nullptr ? 0 : left.is->unit->line,
               absl::StrCat(NameOf(*left.was->unit), " no longer asserts ", what, more));
      }
      by_test.erase(found);
    }
    for (const LostRows& lost : lost_rows_) JudgeRows(lost);
  }

  struct LostRows {
    const TestPlace* is;
    std::vector<std::string> rows;
    size_t fewer;
  };

  void JudgeRows(const LostRows& lost) {
    size_t missing = 0;
    std::string first;
    for (const std::string& row : lost.rows) {
      const bool elsewhere =
          std::any_of(after_.tests.begin(), after_.tests.end(),
                      [&](const TestPlace& place) { return place.unit->rows.count(row) > 0; });
      bool gone = false;
      for (const absl::string_view word : absl::StrSplit(row, ' ')) {
        gone |= gone_.Has(std::string(word));
      }
      if (elsewhere || gone) continue;
      if (missing++ == 0) first = row;
    }
    if (missing == 0) return;
    Report(Weight::kGrave, "case-removed", lost.is->path, lost.is->unit->line,
           absl::StrCat(NameOf(*lost.is->unit), " has ",
                        Count(std::min(missing, lost.fewer), "case"), " fewer: ", Shown(first)));
  }

  const TestSide& before_;
  const TestSide& after_;
  const Names& existing_;
  const GoneCode gone_;
  std::vector<std::pair<const TestPlace*, const TestPlace*>> pairs_;
  TestCounterparts counterpart_;
  std::vector<const TestPlace*> lost_;
  std::vector<Left> left_;
  std::vector<LostRows> lost_rows_;
  std::set<const TestPlace*> uncalled_;  // new functions that no test calls
  int budget_ = kMaxComparisons;
  std::set<const TestAssertion*> taken_;
  std::map<const TestAssertion*, std::multiset<std::string>> parts_;  // not yet accounted for
  std::vector<Candidate> pool_;
  Names made_;  // the texts of all that is asserted now
  std::map<std::string, std::vector<size_t>> by_text_;
  std::map<const TestPlace*, std::multiset<std::string>> fresh_literals_;
  std::set<std::tuple<std::string, int, std::string>> told_;
  std::vector<Weakening> result_;
};

}  // namespace

std::vector<Weakening> CompareTests(const LanguageRegistry& languages,
                                    const std::vector<ContentPair>& changes) {
  const TestSide before = ReadSide(languages, changes, /*after=*/false);
  const TestSide after = ReadSide(languages, changes, /*after=*/true);
  Names existing;
  for (const ContentPair& change : changes) {
    if (change.before.has_value()) existing.insert(change.path);
  }
  return Comparison(before, after, existing).Run();
}

}  // namespace stile
