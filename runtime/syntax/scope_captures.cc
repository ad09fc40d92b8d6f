#include "runtime/syntax/scope_captures.h"

#include <algorithm>
#include <map>
#include <mutex>
#include <string>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/strip.h"
#include "runtime/base/check.h"
#include "runtime/syntax/query.h"
#include "runtime/syntax/quoted_names.h"

namespace stile {
namespace {

enum class Role : uint8_t {
  kScope,
  kDefinition,
  kPattern,
  kExpression,
  kAfter,
  kIdentifier,
  kCall,
  kReceiver,
  kGlobal,
  kNonlocal,
  kHelper,
};

struct CaptureRole {
  Role role = Role::kHelper;
  ScopeKind scope = ScopeKind::kBlock;
  OccurrenceRole occurrence = OccurrenceRole::kReference;
  bool is_call = false;
  bool is_after = false;
  bool is_decided = false;
  Declaring declaring;
};

BindingKind KindOf(absl::string_view name) {
  static constexpr std::pair<const char*, BindingKind> kKinds[] = {
      {"variable", BindingKind::kVariable},   {"parameter", BindingKind::kParameter},
      {"type", BindingKind::kType},           {"type_parameter", BindingKind::kTypeParameter},
      {"function", BindingKind::kFunction},   {"import", BindingKind::kImport},
      {"namespace", BindingKind::kNamespace}, {"field", BindingKind::kField},
      {"method", BindingKind::kMethod},       {"constant", BindingKind::kConstant},
      {"macro", BindingKind::kMacro},
  };
  for (const auto& [text, kind] : kKinds) {
    if (name == text) return kind;
  }
  STILE_CHECK(false);
  return BindingKind::kVariable;
}

// "<kind>[.hoisted|.after|.outer]"
void ReadDeclaring(absl::string_view name, CaptureRole* found) {
  if (absl::ConsumeSuffix(&name, ".hoisted")) found->declaring.visibility = Visibility::kHoisted;
  if (absl::ConsumeSuffix(&name, ".outer")) found->declaring.visibility = Visibility::kOuter;
  if (absl::ConsumeSuffix(&name, ".after")) found->is_after = true;
  found->declaring.kind = KindOf(name);
}

CaptureRole RoleOf(absl::string_view name) {
  CaptureRole found;
  if (absl::ConsumePrefix(&name, "local.scope")) {
    found.role = Role::kScope;
    found.scope = name == ".function"     ? ScopeKind::kFunction
                  : name == ".class"      ? ScopeKind::kClass
                  : name == ".parameters" ? ScopeKind::kParameters
                  : name == ".template"   ? ScopeKind::kTemplate
                  : name == ".namespace"  ? ScopeKind::kNamespace
                                          : ScopeKind::kBlock;
    return found;
  }
  if (absl::ConsumePrefix(&name, "local.definition.")) {
    found.role = Role::kDefinition;
    ReadDeclaring(name, &found);
    return found;
  }
  if (absl::ConsumePrefix(&name, "pattern.")) {
    found.role = Role::kPattern;
    ReadDeclaring(name, &found);
    return found;
  }
  static constexpr std::pair<const char*, Role> kRoles[] = {
      {"expression", Role::kExpression}, {"after", Role::kAfter},
      {"receiver", Role::kReceiver},     {"global", Role::kGlobal},
      {"nonlocal", Role::kNonlocal},     {"call", Role::kCall},
  };
  for (const auto& [text, role] : kRoles) {
    if (name == text) found.role = role;
  }
  if (found.role != Role::kHelper || absl::StartsWith(name, "_")) return found;
  found.role = Role::kIdentifier;
  if (name == "local.reference") return found;
  found.is_decided = true;
  found.is_call = absl::ConsumeSuffix(&name, ".call");
  for (int role = 0; role <= static_cast<int>(OccurrenceRole::kShorthand); ++role) {
    found.occurrence = static_cast<OccurrenceRole>(role);
    if (OccurrenceRoleName(found.occurrence) == name) return found;
  }
  STILE_CHECK(false);
  return found;
}

struct ScopeQuery {
  const SyntaxQuery* query = nullptr;
  std::vector<CaptureRole> roles;  // by index of the capture
};

const ScopeQuery& ScopeQueryOf(const Grammar& grammar) {
  static auto* const mutex = new std::mutex;
  static auto* const queries = new std::map<std::string, ScopeQuery>;
  const std::lock_guard<std::mutex> lock(*mutex);
  const auto [entry, is_new] = queries->try_emplace(grammar.name);
  ScopeQuery& found = entry->second;
  if (!is_new) return found;
  found.query = FindQuery(grammar, "scopes");
  STILE_CHECK(found.query != nullptr);
  for (const absl::string_view name : found.query->CaptureNames()) {
    found.roles.push_back(RoleOf(name));
  }
  return found;
}

// What the captures of one match say together.
struct MatchParts {
  ScopeCaptures::Identifier identifier;
  ScopeCaptures::Region region{{}, true, {}};
  bool has_scope = false;
  uint32_t after = 0;
};

void TakeCapture(const ByteRange& range, const CaptureRole& capture, MatchParts* parts,
                 ScopeCaptures* captures) {
  ScopeCaptures::Identifier& identifier = parts->identifier;
  if (capture.is_after) parts->after = range.end;
  switch (capture.role) {
    case Role::kScope:
      captures->scopes.push_back({range, capture.scope});
      parts->has_scope = true;
      break;
    case Role::kDefinition:
      identifier.range = range;
      identifier.role = OccurrenceRole::kDefinition;
      identifier.is_decided = true;
      identifier.declaring = capture.declaring;
      break;
    case Role::kPattern:
      parts->region.range = range;
      parts->region.declaring = capture.declaring;
      break;
    case Role::kExpression:
      captures->regions.push_back({range, false, {}});
      break;
    case Role::kAfter:
      parts->after = range.end;
      break;
    case Role::kCall:
      identifier.range = range;
      identifier.is_call = true;
      break;
    case Role::kIdentifier:
      identifier.range = range;
      identifier.role = capture.occurrence;
      identifier.is_decided = capture.is_decided;
      identifier.is_call = capture.is_call;
      break;
    case Role::kReceiver:
      identifier.receiver = range;
      break;
    case Role::kGlobal:
    case Role::kNonlocal:
      identifier.range = range;
      identifier.outward = capture.role == Role::kGlobal ? ScopeCaptures::Outward::kGlobal
                                                         : ScopeCaptures::Outward::kNonlocal;
      break;
    case Role::kHelper:
      break;
  }
}

void Take(const TSQueryMatch& match, const ScopeQuery& query, ScopeCaptures* captures) {
  MatchParts parts;
  for (uint16_t i = 0; i < match.capture_count; ++i) {
    TakeCapture(RangeOf(match.captures[i].node), query.roles[match.captures[i].index], &parts,
                captures);
  }
  if (!parts.region.range.empty()) {
    parts.region.declaring.visible_from = parts.after;
    captures->regions.push_back(parts.region);
  }
  ScopeCaptures::Identifier& identifier = parts.identifier;
  if (identifier.range.empty()) return;
  identifier.pattern = match.pattern_index;
  identifier.declaring.visible_from = parts.after;
  if (parts.has_scope) identifier.declaring.visibility = Visibility::kOuter;
  captures->identifiers.push_back(identifier);
}

bool IsWordByte(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return absl::ascii_isalnum(byte) || c == '_' || byte >= 0x80;
}

// Behind a string, a character or a comment that begins at `at`; `at` where none does.
size_t BehindLiteral(absl::string_view text, size_t at, size_t end) {
  const char c = text[at];
  if (c == '"' || c == '\'') {
    for (size_t i = at + 1; i < end; ++i) {
      if (text[i] == '\\') {
        ++i;
      } else if (text[i] == c || text[i] == '\n') {
        return i + 1;
      }
    }
    return end;
  }
  if (c != '/' || at + 1 >= end) return at;
  if (text[at + 1] == '/') return end;
  if (text[at + 1] != '*') return at;
  const size_t close = text.find("*/", at + 2);
  return close == absl::string_view::npos ? end : std::min(close + 2, end);
}

// What is right of a dot is a member even where nothing was parsed.
void DecideRaw(absl::string_view text, ScopeCaptures::Identifier* identifier) {
  size_t at = identifier->range.begin;
  while (at > 0 && absl::ascii_isspace(static_cast<unsigned char>(text[at - 1]))) --at;
  const absl::string_view before = text.substr(0, at);
  const bool is_member = (absl::EndsWith(before, ".") && !absl::EndsWith(before, "..")) ||
                         absl::EndsWith(before, "->") || absl::EndsWith(before, "::");
  if (is_member) identifier->role = OccurrenceRole::kMember;
}

// The bodies of C's macros are one node: each word in them is an identifier.
void SplitRawText(absl::string_view text, std::vector<ScopeCaptures::Identifier>* identifiers) {
  std::vector<ScopeCaptures::Identifier> words;
  for (ScopeCaptures::Identifier& identifier : *identifiers) {
    if (identifier.role != OccurrenceRole::kRaw) continue;
    const ByteRange range = identifier.range;
    const absl::string_view covered = text.substr(range.begin, range.end - range.begin);
    if (std::all_of(covered.begin(), covered.end(), IsWordByte)) {
      DecideRaw(text, &identifier);
      continue;
    }
    for (size_t at = range.begin; at < range.end;) {
      const size_t behind = BehindLiteral(text, at, range.end);
      if (behind > at) {
        at = behind;
        continue;
      }
      size_t end = at;
      while (end < range.end && IsWordByte(text[end])) ++end;
      if (end > at && !absl::ascii_isdigit(static_cast<unsigned char>(text[at]))) {
        ScopeCaptures::Identifier word = identifier;
        word.range = {static_cast<uint32_t>(at), static_cast<uint32_t>(end)};
        DecideRaw(text, &word);
        words.push_back(word);
      }
      at = std::max(end, at + 1);
    }
    identifier.range = {};
  }
  identifiers->erase(
      std::remove_if(identifiers->begin(), identifiers->end(),
                     [](const auto& identifier) { return identifier.range.empty(); }),
      identifiers->end());
  identifiers->insert(identifiers->end(), words.begin(), words.end());
}

}  // namespace

absl::string_view BindingKindName(BindingKind kind) {
  switch (kind) {
    case BindingKind::kParameter:
      return "parameter";
    case BindingKind::kLocal:
      return "local";
    case BindingKind::kTypeParameter:
      return "type_parameter";
    case BindingKind::kImport:
      return "import";
    case BindingKind::kNamespace:
      return "namespace";
    case BindingKind::kType:
      return "type";
    case BindingKind::kFunction:
      return "function";
    case BindingKind::kMethod:
      return "method";
    case BindingKind::kVariable:
      return "variable";
    case BindingKind::kField:
      return "field";
    case BindingKind::kConstant:
      return "constant";
    case BindingKind::kMacro:
      return "macro";
  }
  return "";
}

absl::string_view OccurrenceRoleName(OccurrenceRole role) {
  switch (role) {
    case OccurrenceRole::kDefinition:
      return "definition";
    case OccurrenceRole::kReference:
      return "reference";
    case OccurrenceRole::kMember:
      return "member";
    case OccurrenceRole::kType:
      return "type";
    case OccurrenceRole::kImport:
      return "import";
    case OccurrenceRole::kLabel:
      return "label";
    case OccurrenceRole::kKey:
      return "key";
    case OccurrenceRole::kRaw:
      return "raw";
    case OccurrenceRole::kShorthand:
      return "shorthand";
  }
  return "";
}

ScopeCaptures CaptureScopes(const Grammar& grammar, const SyntaxTree& tree,
                            absl::string_view text) {
  const ScopeQuery& query = ScopeQueryOf(grammar);
  SyntaxQuery::Matches matches(*query.query, tree, text);
  ScopeCaptures captures;
  while (const TSQueryMatch* match = matches.Next()) Take(*match, query, &captures);
  captures.is_complete = !matches.exhausted();
  SplitRawText(text, &captures.identifiers);

  // One identifier for each node: what is known of it from several patterns put together.
  std::vector<ScopeCaptures::Identifier>& all = captures.identifiers;
  std::sort(all.begin(), all.end(), [](const auto& a, const auto& b) {
    return a.range.begin != b.range.begin ? a.range.begin < b.range.begin : a.pattern < b.pattern;
  });
  size_t kept = 0;
  for (size_t i = 0; i < all.size(); ++i) {
    if (kept == 0 || !(all[kept - 1].range == all[i].range)) {
      all[kept++] = all[i];
      continue;
    }
    ScopeCaptures::Identifier& known = all[kept - 1];
    known.is_call |= all[i].is_call;
    if (all[i].outward != ScopeCaptures::Outward::kNo) known.outward = all[i].outward;
    if (!known.is_decided) {
      known.is_decided = all[i].is_decided;
      known.role = all[i].role;
      known.declaring = all[i].declaring;
    }
    // A pattern that says less may come first.
    if (known.receiver.empty() && known.role == all[i].role) known.receiver = all[i].receiver;
  }
  all.resize(kept);
  AddQuotedNames(grammar, tree, text, &captures);
  return captures;
}

}  // namespace stile
