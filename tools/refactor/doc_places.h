// Places in the documentation of a symbol that follow its rename.
#ifndef STILE_TOOLS_REFACTOR_DOC_PLACES_H_
#define STILE_TOOLS_REFACTOR_DOC_PLACES_H_

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tools/index/symbol_query.h"
#include "tools/refactor/rename_candidate.h"
#include "tools/resolve/resolver.h"

namespace stile {

using DocPlace = std::pair<std::shared_ptr<const SourceFile>, uint32_t>;  // file and offset

// Where the documentation of a declaration that is renamed names it, and examples that mean it,
// as far as they are not among `candidates`. `crate`: see DocExamples.
std::set<DocPlace> FindDocPlaces(const Resolution& renamed, const std::string& crate,
                                 const std::vector<RenameCandidate>& candidates);

// Whether a resolver's edit at the offset is in documentation, where gopls renames each word that
// is spelt like the name. FindDocPlaces finds those that mean it. Links in brackets are gopls's,
// unless the documentation is that of a declaration which is among `edits`.
bool IsWordOfDocumentation(const SourceFile& file, uint32_t offset,
                           const std::map<CodeRange, std::string>& edits);

}  // namespace stile

#endif  // STILE_TOOLS_REFACTOR_DOC_PLACES_H_
