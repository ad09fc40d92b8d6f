// From a name, as somebody wrote it, to the declarations that it can mean.
#ifndef STILE_TOOLS_INDEX_SYMBOL_QUERY_H_
#define STILE_TOOLS_INDEX_SYMBOL_QUERY_H_

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "tools/index/code_index.h"

namespace stile {

struct SymbolQuery {
  std::string name;   // "run"
  std::string owner;  // "Server", "net.Server"; "" : any
  std::string file;   // where it is declared or used; "" : anywhere
  int line = 0;       // in `file`; 0: any
};

// "Server.run", "net::Server::run()", "Server#run" and "run" are understood.
SymbolQuery ParseSymbolName(absl::string_view text);

// Either a symbol of a file or, with `symbol` -1, a local of it by its binding.
struct Declaration {
  std::shared_ptr<const SourceFile> file;
  int symbol = -1;
  int binding = -1;

  const Symbol& AsSymbol() const { return file->symbols[static_cast<size_t>(symbol)]; }
  uint32_t name_begin() const;
  const std::string& name() const;
  TextPlace place() const { return file->PlaceOf(name_begin()); }
  std::string QualifiedName() const;
};

struct Resolution {
  std::vector<Declaration> targets;  // several: overloads, prototypes, or an ambiguous name
  // All that the project declares under the name, by file; `targets` among them.
  std::vector<Declaration> all;
  // The files that hold the name.
  std::vector<std::shared_ptr<const SourceFile>> files;
  // The targets are known to be one thing although several types declare them: overrides.
  bool is_family = false;
  std::string workspace;  // an absolute path
  // The line of the query declares the targets, or scope binds the name on it to them.
  bool is_by_line = false;

  bool IsTarget(const SourceFile& file, int symbol) const;
  // Whether all targets are one thing: of one owner, or one prototype and its definition.
  bool IsUnambiguous() const;
  // Whether nothing else of the name is declared in languages that see the target.
  bool IsOnlyOne() const;
};

// Whether code of `a` can name what code of `b` declares.
bool SeeEachOther(const Language& a, const Language& b);

// NotFound with what is near when nothing is declared under the name; errors of CodeIndex::Open.
absl::StatusOr<Resolution> Resolve(const SymbolQuery& query, CodeIndex* index);

// Resolves `name` to the declaration at `offset`. If the syntax tree does not list it (a key of an
// object literal, code behind an unknown macro), the returned files have it as an extra symbol of
// `kind`; nullopt: a method where it is called, else a field.
// Errors: DataLoss if another text stands there; Aborted if the file changed; those of
// CodeIndex::Open.
absl::StatusOr<Resolution> ResolveDeclarationAt(const std::string& path, uint32_t offset,
                                                const std::string& name, CodeIndex* index,
                                                std::optional<SymbolKind> kind = std::nullopt);

}  // namespace stile

#endif  // STILE_TOOLS_INDEX_SYMBOL_QUERY_H_
