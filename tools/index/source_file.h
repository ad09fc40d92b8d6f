#ifndef STILE_TOOLS_INDEX_SOURCE_FILE_H_
#define STILE_TOOLS_INDEX_SOURCE_FILE_H_

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "runtime/language/language.h"
#include "runtime/syntax/grammar.h"
#include "runtime/syntax/scopes.h"
#include "runtime/syntax/symbols.h"
#include "tools/index/line_table.h"

namespace stile {

struct ModuleStatements;  // es_modules.h

struct TextPlace {
  int line = 0;    // 1-based
  int column = 0;  // 1-based, in bytes
};

// A declaration up to its body, on one line.
std::string SignatureText(absl::string_view head);
// What a comment or docstring says, without its marks; may have several lines.
std::string DocumentationText(absl::string_view comment);

// A file of code with what its syntax tree says. Immutable.
class SourceFile {
 public:
  // ResourceExhausted when the text takes too much work; see SyntaxTree::Parse.
  static absl::StatusOr<std::shared_ptr<const SourceFile>> Parse(std::string path,
                                                                 const Language& language,
                                                                 const Grammar& grammar,
                                                                 std::string text);

  // A copy of `file` with `symbol` inserted in order of `begin`. `symbol.parent` is an index into
  // `file.symbols`.
  static std::shared_ptr<const SourceFile> WithSymbol(const SourceFile& file, Symbol symbol);

  const std::string path;    // relative to the workspace
  const Language& language;  // lives as long as its registry
  const Grammar& grammar;
  const std::string text;
  std::vector<Symbol> symbols;
  FileScopes scopes;

  TextPlace PlaceOf(uint32_t offset) const;
  // Without its end; "" beyond the last.
  absl::string_view Line(int line) const;
  // The innermost symbol whose declaration holds the offset; -1 at the top of the file.
  int SymbolAround(uint32_t offset) const;
  // "Server.run"; "" for -1.
  std::string QualifiedName(int symbol) const;
  std::string Signature(const Symbol& symbol) const;
  std::string Documentation(const Symbol& symbol) const;
  // Parses the text at the first call. Thread-safe. The result is valid as long as this object.
  const ModuleStatements& ImportsAndExports() const;

 private:
  SourceFile(std::string path, const Language& language, const Grammar& grammar, std::string text);
  LineTable lines_;
  mutable std::once_flag modules_read_;
  mutable std::shared_ptr<const ModuleStatements> modules_;
};

}  // namespace stile

#endif  // STILE_TOOLS_INDEX_SOURCE_FILE_H_
