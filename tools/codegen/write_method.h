// A method from what was asked for: its head completed as the language and the place want it.
#ifndef STILE_TOOLS_CODEGEN_WRITE_METHOD_H_
#define STILE_TOOLS_CODEGEN_WRITE_METHOD_H_

#include <string>

#include "tools/codegen/code_site.h"

namespace stile {

struct WantedMethod {
  MethodSignature header;
  std::string body;  // "": not given
};

// From signature, methodName and body. A body that is a whole method counts as one.
absl::StatusOr<WantedMethod> ReadMethod(const LanguageFamily& family,
                                        const GenerateRequest& request);

enum class MethodPlace {
  kMember,
  kConstructor,
  kInterface,  // without a body it is a promise
  kPrototype,  // never a body
  kFunction,   // of no type, or written outside of it
};

// The code in pieces as for Indent. Without `body` it fails loudly. InvalidArgument, with an
// example, where the head is none of the language.
absl::StatusOr<std::string> WriteMethod(const CodeSite& site, MethodSignature header,
                                        const std::string& body, MethodPlace place);

}  // namespace stile

#endif  // STILE_TOOLS_CODEGEN_WRITE_METHOD_H_
