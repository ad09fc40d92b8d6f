// The file, the type and the style that new code goes to.
#ifndef STILE_TOOLS_CODEGEN_CODE_SITE_H_
#define STILE_TOOLS_CODEGEN_CODE_SITE_H_

#include <memory>
#include <optional>
#include <string>

#include "runtime/syntax/syntax_tree.h"
#include "tools/codegen/generate.h"
#include "tools/language/code_style.h"
#include "tools/language/language_backend.h"
#include "tools/language/method_signature.h"
#include "tools/language/type_body.h"

namespace stile {

struct CodeSite {
  std::shared_ptr<const SourceFile> file;
  const LanguageFamily* family;
  SyntaxTree tree;
  CodeStyle style;

  absl::string_view text() const { return file->text; }
  const std::string& language() const { return file->language.id; }
  const LanguageBackend& backend() const { return LanguageBackendOf(file->language.id); }
  const LanguageFacts& facts() const { return backend().facts; }
  const GenerationFacts& generation() const { return backend().generation; }
};

// A file of code that exists. Errors as CodeIndex::Open; Unimplemented where Stile writes no code
// of its language.
absl::StatusOr<CodeSite> OpenSite(const GenerateContext& context, const std::string& path);

struct TypeSite {
  CodeSite site;
  int symbol = -1;

  const Symbol& type() const { return site.file->symbols[static_cast<size_t>(symbol)]; }
  std::string name() const { return type().name; }
  absl::StatusOr<TypeBody> Body() const;
};

// The type that the request means: by its name, in its file or, without one, in the project; in a
// file with one type that one. NotFound and InvalidArgument list what there is.
absl::StatusOr<TypeSite> FindTypeSite(const GenerateContext& context,
                                      const GenerateRequest& request);
// The same by name alone.
absl::StatusOr<TypeSite> FindTypeNamed(const GenerateContext& context, const std::string& name,
                                       const std::string& near_file);

// Unimplemented, naming the fallback.
absl::Status NotAvailable(const std::string& operation, const std::string& language_name);

// Where a declaration goes that belongs to no type: behind the last one of the file; text.size()
// where there is none.
size_t TopLevelEnd(const CodeSite& site);
// In Go, the end of the list `type ( A struct{…} … )` around a declaration that ends at `end`;
// `end` where it stands in none.
size_t DeclarationListEnd(const CodeSite& site, size_t end);

// The statements of a body as somebody sent it: without the braces around and without indentation.
std::string CleanBody(const LanguageFamily& family, absl::string_view body);
// What stands for the body of `name`.
std::string StubBody(const CodeSite& site, absl::string_view name);

// The imports that the lines of code need, as far as known, into `plan`.
void AddImport(const CodeSite& site, absl::string_view line, EditPlan* plan);

}  // namespace stile

#endif  // STILE_TOOLS_CODEGEN_CODE_SITE_H_
