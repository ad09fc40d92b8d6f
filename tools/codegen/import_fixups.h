// Names that a piece of code takes along when it is written into another file.
#ifndef STILE_TOOLS_CODEGEN_IMPORT_FIXUPS_H_
#define STILE_TOOLS_CODEGEN_IMPORT_FIXUPS_H_

#include <set>
#include <string>

#include "tools/codegen/code_site.h"

namespace stile {

// Adds to `lines` the imports that `to` needs for the identifiers and that `from` has or declares.
// Names that `to` knows already are left alone.
void BorrowNames(const GenerateContext& context, const CodeSite& from, const CodeSite& to,
                 const std::set<std::string>& names, std::set<std::string>* lines);
// Those of the lines that the file does not have, at its top.
void AddImports(const CodeSite& site, const std::set<std::string>& lines, EditPlan* plan);

// In Go and C#, what stands before a name of another package: "store". "" where nothing does.
std::string GoPackageOf(const CodeSite& site);
// The import path of the folder that a Go file is in; "" where no go.mod is above it.
std::string GoImportPath(const std::string& workspace, const std::string& path);

// The statement that imports a name of `from` into a file at `to`; "" where none is needed or
// known.
std::string ImportOf(const GenerateContext& context, const std::string& name, const CodeSite& from,
                     const std::string& to_path, absl::string_view to_text);
// "../a/order.ts" for x/a/order.ts seen from the folder x/b; without "./" for what lies below.
std::string RelativePath(const std::string& folder, const std::string& path);
// "../a/order", from the folder of one file to another, without extension; "./order" below it.
std::string RelativeModule(const std::string& from, const std::string& to);
// "shop.order" by the folders with an __init__.py.
std::string PythonModule(const std::string& workspace, const std::string& path);

}  // namespace stile

#endif  // STILE_TOOLS_CODEGEN_IMPORT_FIXUPS_H_
