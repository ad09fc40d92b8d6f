// What the query scopes.scm of a grammar says about one text. Captures:
//
//   @local.scope[.function|.class|.parameters|.template|.namespace]  what names are visible in
//   @local.definition.<kind>[.hoisted|.after]   the name of a declaration; with a scope in the same
//                         match it is declared around that scope, not in it
//   @pattern.<kind>[.hoisted|.after|.outer]     every plain identifier in it is declared
//   @expression           none in it is, although it lies in a @pattern
//   @after                the declaration of the match is visible from its end
//   @local.reference      an identifier of which other patterns may say more; decided: @reference,
//                         @member (with @receiver), @type, @call, @import,
//                         @label, @key, @shorthand, @member.call
//   @global, @nonlocal    names that Python takes from further out
//
// A .parameters scope hands its names to the function that it directly lies in; a .template scope
// keeps parameters only.
// .hoisted: visible in the innermost function, class or file; .after: from its own end on; .outer:
// around the innermost scope. Of several roles of one identifier that of the first pattern counts.
#ifndef STILE_RUNTIME_SYNTAX_SCOPE_CAPTURES_H_
#define STILE_RUNTIME_SYNTAX_SCOPE_CAPTURES_H_

#include <vector>

#include "runtime/syntax/scopes.h"
#include "runtime/syntax/symbol_captures.h"

namespace stile {

enum class ScopeKind : uint8_t { kBlock, kFunction, kClass, kParameters, kTemplate, kNamespace };

enum class Visibility : uint8_t { kWhole, kHoisted, kOuter };

// How what is declared somewhere becomes visible.
struct Declaring {
  BindingKind kind = BindingKind::kVariable;
  Visibility visibility = Visibility::kWhole;
  uint32_t visible_from = 0;  // 0: from the beginning of its scope
};

struct ScopeCaptures {
  struct Scope {
    ByteRange range;
    ScopeKind kind;
  };
  struct Region {  // a @pattern, or an @expression in one
    ByteRange range;
    bool declares;
    Declaring declaring;
  };
  enum class Outward : uint8_t { kNo, kGlobal, kNonlocal };
  struct Identifier {
    ByteRange range;
    ByteRange receiver;
    OccurrenceRole role = OccurrenceRole::kReference;  // kDefinition: see declaring
    uint16_t pattern = 0;
    bool is_decided = false;  // no later pattern changes the role
    bool is_call = false;
    Outward outward = Outward::kNo;
    Declaring declaring;
  };
  std::vector<Scope> scopes;
  std::vector<Region> regions;
  std::vector<Identifier> identifiers;  // one for each node, by begin
  bool is_complete = true;
};

ScopeCaptures CaptureScopes(const Grammar& grammar, const SyntaxTree& tree, absl::string_view text);

}  // namespace stile

#endif  // STILE_RUNTIME_SYNTAX_SCOPE_CAPTURES_H_
