#include "runtime/syntax/symbol_captures.h"

#include <algorithm>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include "absl/strings/strip.h"
#include "runtime/base/check.h"
#include "runtime/syntax/query.h"

namespace stile {
namespace {

enum class Role : uint8_t {
  kDefinition,
  kDeclaration,
  kName,
  kNameAlone,
  kDeclarator,
  kBody,
  kOwner,
  kToEnd,
  kStatementDefinition,
  kStatementDeclaration,
  kWrapper,
  kWrapped,
  kContainer,
  kBase,
  kLocal,
  kComment,
  kAttribute,
  kDoc,
  kHelper,  // of a predicate: begins with "_"
};

struct CaptureRole {
  Role role = Role::kHelper;
  SymbolKind kind = SymbolKind::kVariable;
};

std::optional<Role> PlainRole(absl::string_view name) {
  static constexpr std::pair<const char*, Role> kRoles[] = {
      {"name", Role::kName},
      {"declarator", Role::kDeclarator},
      {"body", Role::kBody},
      {"owner", Role::kOwner},
      {"to_end", Role::kToEnd},
      {"statement.definition", Role::kStatementDefinition},
      {"statement.declaration", Role::kStatementDeclaration},
      {"wrapper", Role::kWrapper},
      {"wrapped", Role::kWrapped},
      {"container", Role::kContainer},
      {"base", Role::kBase},
      {"local", Role::kLocal},
      {"comment", Role::kComment},
      {"attribute", Role::kAttribute},
      {"doc", Role::kDoc},
  };
  for (const auto& [text, role] : kRoles) {
    if (name == text) return role;
  }
  if (absl::ConsumePrefix(&name, "_")) return Role::kHelper;
  return std::nullopt;
}

CaptureRole RoleOf(absl::string_view name) {
  if (const std::optional<Role> role = PlainRole(name)) return {*role};
  CaptureRole found;
  if (absl::ConsumePrefix(&name, "definition.")) {
    found.role = Role::kDefinition;
  } else if (absl::ConsumePrefix(&name, "declaration.")) {
    found.role = Role::kDeclaration;
  } else {
    STILE_CHECK(absl::ConsumePrefix(&name, "name."));
    found.role = Role::kNameAlone;
  }
  while (SymbolKindName(found.kind) != name) {
    // Kinds are few; one that is not known is a defect of a query of ours.
    found.kind = static_cast<SymbolKind>((static_cast<int>(found.kind) + 1) %
                                         (static_cast<int>(SymbolKind::kMacro) + 1));
    STILE_CHECK(found.kind != SymbolKind::kVariable);
  }
  return found;
}

// A query with what its captures mean, worked out once a grammar.
struct SymbolQuery {
  const SyntaxQuery* query = nullptr;
  std::vector<CaptureRole> roles;  // by index of the capture
  TSFieldId body = 0;
};

const SymbolQuery& SymbolQueryOf(const Grammar& grammar) {
  static auto* const mutex = new std::mutex;
  static auto* const queries = new std::map<std::string, SymbolQuery>;
  const SyntaxQuery* const query = FindQuery(grammar, "symbols");
  const std::lock_guard<std::mutex> lock(*mutex);
  const auto [entry, is_new] = queries->try_emplace(grammar.name);
  SymbolQuery& found = entry->second;
  if (!is_new) return found;
  found.query = query;
  STILE_CHECK(found.query != nullptr);
  for (const absl::string_view name : found.query->CaptureNames()) {
    found.roles.push_back(RoleOf(name));
  }
  found.body = ts_language_field_id_for_name(grammar.language, "body", 4);
  return found;
}

// What encloses a name that stands alone.
struct Frame {
  enum class Kind : uint8_t { kLocal, kDeclaration, kDefinition, kDeclarator } kind;
  ByteRange range;
  uint32_t body_begin = 0;
};

class Collector {
 public:
  Collector(const SymbolQuery& query, const SyntaxTree& tree, absl::string_view text)
      : query_(query),
        matches_(*query.query, tree, text),
        text_end_(static_cast<uint32_t>(text.size())) {}

  SymbolCaptures Collect() {
    while (const TSQueryMatch* match = matches_.Next()) Take(*match);
    Unwrap();
    FindStatements();
    // The first pattern wins where several name the same node.
    std::stable_sort(names_.begin(), names_.end(), [](const auto& a, const auto& b) {
      const uint32_t left = ts_node_start_byte(a.second.name);
      const uint32_t right = ts_node_start_byte(b.second.name);
      return left != right ? left < right : a.first < b.first;
    });
    for (auto& [pattern, name] : names_) {
      if (name.range.empty()) continue;
      if (captures_.names.empty() || captures_.names.back().name.id != name.name.id) {
        captures_.names.push_back(name);
      }
    }
    const auto by_range = [](const auto& a, const auto& b) { return a.range < b.range; };
    std::stable_sort(captures_.names.begin(), captures_.names.end(), by_range);
    std::sort(captures_.containers.begin(), captures_.containers.end(), by_range);
    std::sort(captures_.prefixes.begin(), captures_.prefixes.end(), by_range);
    std::sort(captures_.locals.begin(), captures_.locals.end());
    std::sort(captures_.bases.begin(), captures_.bases.end());
    std::sort(captures_.docs.begin(), captures_.docs.end());
    return std::move(captures_);
  }

 private:
  // What the captures of one match say together.
  struct MatchParts {
    DeclaredName name;
    bool has_name = false;
    TSNode declaration{};
    ByteRange wrapper, wrapped, container;
  };

  void Take(const TSQueryMatch& match) {
    MatchParts parts;
    for (uint16_t i = 0; i < match.capture_count; ++i)
      TakeCapture(match.captures[i].node, query_.roles[match.captures[i].index], &parts);
    DeclaredName& name = parts.name;
    if (!parts.wrapper.empty() && !parts.wrapped.empty())
      wrappers_.emplace_back(parts.wrapped, parts.wrapper);
    if (!parts.container.empty()) captures_.containers.push_back({parts.container, name.owner});
    if (!parts.has_name && !name.declarator.empty()) {
      frames_.push_back({Frame::Kind::kDeclarator, name.declarator});
    }
    if (!parts.has_name) return;
    if (!name.is_alone && name.body_begin == 0) name.body_begin = BodyOf(parts.declaration);
    names_.emplace_back(match.pattern_index, name);
  }

  void TakeCapture(TSNode node, const CaptureRole& capture, MatchParts* parts) {
    const ByteRange range = RangeOf(node);
    DeclaredName& name = parts->name;
    switch (capture.role) {
      case Role::kDefinition:
      case Role::kDeclaration:
        parts->declaration = node;
        name.range = range;
        name.kind = capture.kind;
        name.is_definition = capture.role == Role::kDefinition;
        break;
      case Role::kNameAlone:
        name.kind = capture.kind;
        name.is_alone = true;
        [[fallthrough]];
      case Role::kName:
        parts->has_name = true;
        name.name = node;
        break;
      case Role::kDeclarator:
        name.declarator = range;
        break;
      case Role::kBody:
        name.body_begin = range.begin;
        break;
      case Role::kOwner:
        name.owner = range;
        break;
      case Role::kToEnd:
        name.body_begin = range.end;
        name.range.end = text_end_;
        break;
      case Role::kStatementDefinition:
        return frames_.push_back({Frame::Kind::kDefinition, range, BodyOf(node)});
      case Role::kStatementDeclaration:
        return frames_.push_back({Frame::Kind::kDeclaration, range});
      case Role::kWrapper:
        parts->wrapper = range;
        break;
      case Role::kWrapped:
        parts->wrapped = range;
        break;
      case Role::kContainer:
        parts->container = range;
        break;
      case Role::kBase:
        return captures_.bases.push_back(range);
      case Role::kLocal:
        return captures_.locals.push_back(range);
      case Role::kComment:
      case Role::kAttribute:
        return captures_.prefixes.push_back({range, capture.role == Role::kComment});
      case Role::kDoc:
        return captures_.docs.push_back(range);
      case Role::kHelper:
        break;
    }
  }

  // Remembered, because many names may share one declaration of many parts.
  uint32_t BodyOf(TSNode declaration) {
    if (declaration.id == last_declaration_) return last_body_;
    const TSNode body = ts_node_child_by_field_id(declaration, query_.body);
    last_declaration_ = declaration.id;
    last_body_ = ts_node_is_null(body) ? 0 : ts_node_start_byte(body);
    return last_body_;
  }

  // Gives declarations the range of what wraps them.
  void Unwrap() {
    if (wrappers_.empty()) return;
    std::sort(wrappers_.begin(), wrappers_.end());
    const auto widen = [&](ByteRange& range) {
      constexpr int kMaxWrappers = 8;  // export declare, template template, …
      for (int i = 0; i < kMaxWrappers; ++i) {
        const auto found = std::lower_bound(
            wrappers_.begin(), wrappers_.end(), range,
            [](const auto& wrapper, const ByteRange& wanted) { return wrapper.first < wanted; });
        if (found == wrappers_.end() || !(found->first == range)) return;
        range = found->second;
      }
    };
    for (auto& [pattern, name] : names_) {
      if (!name.range.empty()) widen(name.range);
    }
    for (Frame& frame : frames_) {
      if (frame.kind == Frame::Kind::kDeclaration || frame.kind == Frame::Kind::kDefinition) {
        widen(frame.range);
      }
    }
  }

  // Finds what declares the names that stand alone; those that nothing declares keep no range.
  void FindStatements() {
    if (frames_.empty()) return;
    for (const ByteRange& local : captures_.locals) {
      frames_.push_back({Frame::Kind::kLocal, local});
    }
    std::sort(frames_.begin(), frames_.end(), [](const Frame& a, const Frame& b) {
      return a.range == b.range ? a.kind < b.kind : a.range < b.range;
    });
    std::sort(names_.begin(), names_.end(), [](const auto& a, const auto& b) {
      return ts_node_start_byte(a.second.name) < ts_node_start_byte(b.second.name);
    });
    std::vector<const Frame*> around;
    size_t next = 0;
    for (auto& [pattern, name] : names_) {
      const ByteRange at = RangeOf(name.name);
      for (; next < frames_.size() && frames_[next].range.begin <= at.begin; ++next) {
        while (!around.empty() && around.back()->range.end <= frames_[next].range.begin) {
          around.pop_back();
        }
        around.push_back(&frames_[next]);
      }
      while (!around.empty() && around.back()->range.end < at.end) around.pop_back();
      if (!name.is_alone || around.empty()) continue;
      auto frame = around.rbegin();
      if ((*frame)->kind == Frame::Kind::kDeclarator) {
        name.declarator = (*frame)->range;
        if (++frame == around.rend()) continue;
      }
      if ((*frame)->kind != Frame::Kind::kDeclaration &&
          (*frame)->kind != Frame::Kind::kDefinition) {
        continue;
      }
      name.range = (*frame)->range;
      name.body_begin = (*frame)->body_begin;
      name.is_definition = (*frame)->kind == Frame::Kind::kDefinition;
    }
  }

  const SymbolQuery& query_;
  SyntaxQuery::Matches matches_;
  const uint32_t text_end_;
  SymbolCaptures captures_;
  std::vector<std::pair<uint16_t, DeclaredName>> names_;  // with the pattern
  std::vector<std::pair<ByteRange, ByteRange>> wrappers_;
  std::vector<Frame> frames_;
  const void* last_declaration_ = nullptr;
  uint32_t last_body_ = 0;
};

}  // namespace

ByteRange RangeOf(TSNode node) { return {ts_node_start_byte(node), ts_node_end_byte(node)}; }

SymbolCaptures CaptureSymbols(const Grammar& grammar, const SyntaxTree& tree,
                              absl::string_view text) {
  return Collector(SymbolQueryOf(grammar), tree, text).Collect();
}

}  // namespace stile
