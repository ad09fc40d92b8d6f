#include "runtime/syntax/scopes.h"

#include <algorithm>
#include <map>
#include <utility>

#include "absl/strings/ascii.h"
#include "runtime/syntax/scope_captures.h"

namespace stile {
namespace {

// How plain identifiers reach the members of a type.
enum class Members : uint8_t {
  kHidden,     // only through an object or the type
  kVisible,    // everywhere in the type
  kClassOnly,  // in the body of the class, but not in its functions
};

struct GrammarRules {
  Members members = Members::kHidden;
  bool calls_mean_functions = false;   // a variable and a function of one name do not meet
  bool body_is_function = false;       // parameters and what the body declares are one scope
  bool reuses_names = false;           // `a, err := f()` declares only what is new in its scope
  bool types_may_be_values = false;    // `Server server(limit);` looks like a function
  bool constants_in_patterns = false;  // a capital begins what a pattern compares with
};

// Grammars without a row have the defaults.
const GrammarRules& RulesOf(absl::string_view grammar) {
  static const auto* const kRules = new std::map<std::string, GrammarRules, std::less<>>{
      {"c_sharp", {.members = Members::kVisible}},
      {"cpp", {.members = Members::kVisible, .types_may_be_values = true}},
      {"go", {.body_is_function = true, .reuses_names = true}},
      {"java", {.members = Members::kVisible, .calls_mean_functions = true}},
      {"python", {.members = Members::kClassOnly, .reuses_names = true}},
      {"rust", {.constants_in_patterns = true}},
  };
  static const GrammarRules defaults;
  const auto found = kRules->find(grammar);
  return found == kRules->end() ? defaults : found->second;
}

bool IsTypeLike(BindingKind kind) {
  return kind == BindingKind::kType || kind == BindingKind::kTypeParameter ||
         kind == BindingKind::kImport || kind == BindingKind::kNamespace ||
         kind == BindingKind::kMacro;
}

bool IsFunction(BindingKind kind) {
  return kind == BindingKind::kFunction || kind == BindingKind::kMethod;
}

// One pass over scopes, regions and identifiers in the order of the text.
class Analyzer {
 public:
  Analyzer(const Grammar& grammar, ScopeCaptures captures, absl::string_view text)
      : rules_(RulesOf(grammar.name)), captures_(std::move(captures)), text_(text) {
    scopes_.push_back(
        {{0, static_cast<uint32_t>(text.size())}, ScopeKind::kFunction, 0, 0, -1, false});
  }

  FileScopes Analyze() {
    NoteOutward();
    around_.assign(1, 0);
    result_.identifiers.reserve(captures_.identifiers.size());
    for (const Event& event : Events()) {
      Leave(event.range.begin);
      switch (event.type) {
        case EventType::kScope:
          Enter(captures_.scopes[event.index]);
          break;
        case EventType::kRegion:
          regions_.push_back(&captures_.regions[event.index]);
          break;
        case EventType::kIdentifier:
          Add(captures_.identifiers[event.index]);
          break;
      }
    }
    BindGlobals();
    result_.is_complete = captures_.is_complete;
    return std::move(result_);
  }

 private:
  enum class EventType : uint8_t { kScope, kRegion, kIdentifier };
  struct Event {
    ByteRange range;
    EventType type;
    uint32_t index;
  };
  struct Scope {
    ByteRange range;
    ScopeKind kind;
    int hoist;     // the innermost scope around or at it that is no block
    int function;  // the innermost function around or at it; 0 is the file
    int parent;
    bool is_local;  // in a function or a block
    bool has_body = false;
  };
  using Key = std::pair<int, absl::string_view>;  // scope (of declared_: and space), name

  std::vector<Event> Events() const {
    std::vector<Event> events;
    events.reserve(captures_.scopes.size() + captures_.regions.size() +
                   captures_.identifiers.size());
    const auto add = [&](EventType type, const auto& pieces) {
      for (size_t i = 0; i < pieces.size(); ++i) {
        events.push_back({pieces[i].range, type, static_cast<uint32_t>(i)});
      }
    };
    add(EventType::kScope, captures_.scopes);
    add(EventType::kRegion, captures_.regions);
    add(EventType::kIdentifier, captures_.identifiers);
    std::sort(events.begin(), events.end(), [](const Event& a, const Event& b) {
      if (!(a.range == b.range)) return a.range < b.range;
      return a.type != b.type ? a.type < b.type : a.index < b.index;
    });
    return events;
  }

  void Leave(uint32_t at) {
    while (around_.size() > 1 && scopes_[around_.back()].range.end <= at) around_.pop_back();
    while (!regions_.empty() && regions_.back()->range.end <= at) regions_.pop_back();
  }

  void Enter(const ScopeCaptures::Scope& scope) {
    const int index = static_cast<int>(scopes_.size());
    const Scope& outer = scopes_[around_.back()];
    if (scope.range == outer.range && scope.kind == outer.kind) return;
    if (rules_.body_is_function && scope.kind == ScopeKind::kBlock && around_.back() > 0 &&
        outer.kind == ScopeKind::kFunction && !outer.has_body) {
      scopes_[around_.back()].has_body = true;
      return;
    }
    const bool is_function = scope.kind == ScopeKind::kFunction;
    const bool holds = is_function || scope.kind == ScopeKind::kClass;
    scopes_.push_back({scope.range, scope.kind, holds ? index : outer.hoist,
                       is_function ? index : outer.function, around_.back(),
                       outer.is_local || is_function || scope.kind == ScopeKind::kBlock});
    around_.push_back(index);
  }

  // Python: names that the function takes from further out, before anything is declared.
  void NoteOutward() {
    bool any = false;
    for (const auto& identifier : captures_.identifiers) {
      any |= identifier.outward != ScopeCaptures::Outward::kNo;
    }
    if (!any) return;
    const std::vector<Scope> only_file = scopes_;
    around_.assign(1, 0);
    for (const Event& event : Events()) {
      Leave(event.range.begin);
      if (event.type == EventType::kScope) Enter(captures_.scopes[event.index]);
      if (event.type != EventType::kIdentifier) continue;
      const auto& identifier = captures_.identifiers[event.index];
      if (identifier.outward == ScopeCaptures::Outward::kNo) continue;
      const Scope& function = scopes_[scopes_[around_.back()].hoist];
      outward_[{scopes_[around_.back()].hoist, TextIn(identifier.range)}] =
          identifier.outward == ScopeCaptures::Outward::kGlobal ? function.range : ByteRange{};
    }
    scopes_ = only_file;  // the pass proper gives the same numbers again
  }

  absl::string_view TextIn(ByteRange range) const {
    return text_.substr(range.begin, range.end - range.begin);
  }

  void Add(const ScopeCaptures::Identifier& identifier) {
    Occurrence occurrence;
    occurrence.begin = identifier.range.begin;
    occurrence.end = identifier.range.end;
    occurrence.role = identifier.role;
    occurrence.is_call = identifier.is_call;
    occurrence.receiver_begin = identifier.receiver.begin;
    occurrence.receiver_end = identifier.receiver.end;
    const bool is_plain = identifier.role == OccurrenceRole::kReference ||
                          identifier.role == OccurrenceRole::kShorthand;
    if (identifier.role == OccurrenceRole::kDefinition) {
      Declaring declaring = identifier.declaring;
      // A kind of its own, visible as the pattern around it says.
      if (!regions_.empty() && regions_.back()->declares && declaring.visible_from == 0) {
        declaring.visible_from = regions_.back()->declaring.visible_from;
        declaring.visibility = regions_.back()->declaring.visibility;
      }
      Declare(declaring, &occurrence);
    } else if (is_plain && !identifier.is_call && !regions_.empty() && regions_.back()->declares &&
               identifier.outward == ScopeCaptures::Outward::kNo &&
               !IsConstantOfPattern(identifier)) {
      if (Declare(regions_.back()->declaring, &occurrence) &&
          occurrence.role == OccurrenceRole::kReference) {
        occurrence.role = OccurrenceRole::kDefinition;
      }
    }
    const Scope& function = scopes_[scopes_[around_.back()].function];
    result_.identifiers.push_back({occurrence, function.range.begin});
  }

  bool IsConstantOfPattern(const ScopeCaptures::Identifier& identifier) const {
    return rules_.constants_in_patterns && absl::ascii_isupper(text_[identifier.range.begin]);
  }

  // False if the name was declared before and this is another use of it.
  bool Declare(const Declaring& declaring, Occurrence* occurrence) {
    int at = around_.back();
    if (declaring.visibility == Visibility::kOuter && scopes_[at].parent >= 0) {
      at = scopes_[at].parent;
    }
    if (scopes_[at].kind == ScopeKind::kParameters &&
        scopes_[scopes_[at].parent].kind == ScopeKind::kFunction && scopes_[at].parent > 0) {
      at = scopes_[at].parent;  // parameters are visible in the body
    }
    if (declaring.visibility == Visibility::kHoisted) at = scopes_[at].hoist;
    const bool is_parameter =
        declaring.kind == BindingKind::kTypeParameter || declaring.kind == BindingKind::kParameter;
    while (scopes_[at].kind == ScopeKind::kTemplate && !is_parameter) at = scopes_[at].parent;
    const absl::string_view name = TextIn({occurrence->begin, occurrence->end});
    if (!outward_.empty()) {
      const auto outward = outward_.find({at, name});
      if (outward != outward_.end()) {
        if (outward->second.empty()) return false;
        at = 0;
      }
    }
    const Scope& scope = scopes_[at];
    if (rules_.types_may_be_values && declaring.kind == BindingKind::kFunction &&
        scope.kind == ScopeKind::kClass && IsConstructor(at, name, occurrence)) {
      return true;
    }
    Binding binding;
    binding.kind = KindIn(scope, declaring.kind);
    const bool is_member = IsMember(scope, binding.kind);
    const bool is_hidden = is_member && rules_.members == Members::kHidden;
    const bool is_file_level = !scope.is_local;
    const uint32_t visible_from = is_file_level ? 0 : declaring.visible_from;
    const bool may_repeat = visible_from == 0 || rules_.reuses_names;
    if (may_repeat) {
      const auto [known, is_new] = declared_.try_emplace(KeyOf(at, binding.kind, name),
                                                         static_cast<int>(result_.bindings.size()));
      if (!is_new) {
        occurrence->binding = known->second;
        return binding.kind != BindingKind::kVariable && binding.kind != BindingKind::kLocal &&
               binding.kind != BindingKind::kField;
      }
    }
    binding.name = std::string(name);
    binding.name_begin = occurrence->begin;
    binding.name_end = occurrence->end;
    binding.scope_begin =
        is_hidden ? occurrence->begin
                  : std::max(scope.range.begin, std::min(visible_from, scope.range.end));
    binding.scope_end = is_hidden ? occurrence->end : scope.range.end;
    binding.is_file_level = is_file_level && !is_parameter;
    occurrence->binding = static_cast<int>(result_.bindings.size());
    result_.visibilities.push_back({binding.scope_begin, binding.scope_end, occurrence->binding,
                                    is_member && rules_.members == Members::kClassOnly});
    result_.bindings.push_back(std::move(binding));
    return true;
  }

  // C++: the name of a constructor means its class.
  bool IsConstructor(int at, absl::string_view name, Occurrence* occurrence) const {
    do {
      at = scopes_[at].parent;
    } while (scopes_[at].kind == ScopeKind::kTemplate);
    const auto type = declared_.find(KeyOf(at, BindingKind::kType, name));
    if (type == declared_.end()) return false;
    occurrence->role = OccurrenceRole::kType;
    occurrence->binding = type->second;
    return true;
  }

  // Declarations of a name in one scope declare the same, unless they live in different spaces:
  // types beside values, in Java functions beside variables.
  int SpaceOf(BindingKind kind) const {
    if (rules_.calls_mean_functions && IsFunction(kind)) return 1;
    return kind == BindingKind::kType && rules_.members != Members::kClassOnly ? 2 : 0;
  }
  Key KeyOf(int scope, BindingKind kind, absl::string_view name) const {
    constexpr int kSpaces = 3;
    return {scope * kSpaces + SpaceOf(kind), name};
  }

  static BindingKind KindIn(const Scope& scope, BindingKind kind) {
    if (kind == BindingKind::kFunction && scope.kind == ScopeKind::kClass) {
      return BindingKind::kMethod;
    }
    if (kind != BindingKind::kVariable) return kind;
    if (scope.kind == ScopeKind::kClass) return BindingKind::kField;
    return scope.is_local ? BindingKind::kLocal : BindingKind::kVariable;
  }

  bool IsMember(const Scope& scope, BindingKind kind) const {
    return kind == BindingKind::kField || kind == BindingKind::kMethod ||
           (scope.kind == ScopeKind::kClass && kind != BindingKind::kTypeParameter &&
            kind != BindingKind::kParameter);
  }

  // In a function that says `global x`, x means the variable of the file.
  void BindGlobals() {
    for (const auto& [key, range] : outward_) {
      if (range.empty()) continue;
      const auto known = declared_.find(KeyOf(0, BindingKind::kVariable, key.second));
      if (known == declared_.end()) continue;
      result_.visibilities.push_back({range.begin, range.end, known->second, false});
    }
  }

  const GrammarRules rules_;
  const ScopeCaptures captures_;
  const absl::string_view text_;
  std::vector<Scope> scopes_;
  std::vector<int> around_;  // scopes, innermost last
  std::vector<const ScopeCaptures::Region*> regions_;
  std::map<Key, ByteRange> outward_;  // empty: nonlocal
  std::map<Key, int> declared_;       // bindings that may be declared again
  FileScopes result_;
};

// Whether an identifier in that role can mean a binding of that kind.
bool CanMean(const GrammarRules& rules, const Occurrence& occurrence, BindingKind kind) {
  if (occurrence.role == OccurrenceRole::kType) {
    return IsTypeLike(kind) || (rules.types_may_be_values &&
                                (kind == BindingKind::kLocal || kind == BindingKind::kParameter));
  }
  if (rules.calls_mean_functions && occurrence.is_call) {
    return IsFunction(kind) || kind == BindingKind::kImport;
  }
  return !rules.calls_mean_functions || !IsFunction(kind);
}

}  // namespace

FileScopes AnalyzeScopes(const Grammar& grammar, const SyntaxTree& tree, absl::string_view text) {
  return Analyzer(grammar, CaptureScopes(grammar, tree, text), text).Analyze();
}

std::vector<Occurrence> FindOccurrences(const Grammar& grammar, const FileScopes& scopes,
                                        absl::string_view text, absl::string_view name) {
  const GrammarRules rules = RulesOf(grammar.name);
  std::vector<FileScopes::Visibility> visible;
  for (const FileScopes::Visibility& candidate : scopes.visibilities) {
    if (scopes.bindings[candidate.binding].name == name) visible.push_back(candidate);
  }
  std::stable_sort(visible.begin(), visible.end(), [](const auto& a, const auto& b) {
    return ByteRange{a.begin, a.end} < ByteRange{b.begin, b.end};
  });
  std::vector<Occurrence> found;
  std::vector<const FileScopes::Visibility*> around;
  size_t next = 0;
  for (const FileScopes::Identifier& identifier : scopes.identifiers) {
    Occurrence occurrence = identifier.occurrence;
    if (occurrence.end - occurrence.begin != name.size() ||
        text.substr(occurrence.begin, name.size()) != name) {
      continue;
    }
    for (; next < visible.size() && visible[next].begin <= occurrence.begin; ++next) {
      while (!around.empty() && around.back()->end <= visible[next].begin) around.pop_back();
      around.push_back(&visible[next]);
    }
    while (!around.empty() && around.back()->end <= occurrence.begin) around.pop_back();
    const bool is_free =
        occurrence.role == OccurrenceRole::kMember || occurrence.role == OccurrenceRole::kKey ||
        occurrence.role == OccurrenceRole::kLabel || occurrence.role == OccurrenceRole::kImport;
    constexpr size_t kMaxLooks = 64;  // nobody hides a name that often
    for (size_t i = 0; occurrence.binding < 0 && !is_free && i < around.size() && i < kMaxLooks;
         ++i) {
      const FileScopes::Visibility& nearest = *around[around.size() - 1 - i];
      if (nearest.not_in_functions && identifier.function_begin > nearest.begin) continue;
      const Binding& binding = scopes.bindings[static_cast<size_t>(nearest.binding)];
      // `node& node`: the type is named before there is a variable of the name.
      const bool is_later = occurrence.role == OccurrenceRole::kType && !IsTypeLike(binding.kind) &&
                            binding.name_begin > occurrence.begin;
      if (!is_later && CanMean(rules, occurrence, binding.kind)) {
        occurrence.binding = nearest.binding;
      }
    }
    found.push_back(occurrence);
  }
  return found;
}

}  // namespace stile
