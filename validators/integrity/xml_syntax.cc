// By expat, https://libexpat.github.io/, which limits the expansion of entities by itself.
#include <expat.h>

#include <memory>
#include <type_traits>

#include "validators/integrity/project_syntax.h"

namespace stile {
namespace {

struct ParserDeleter {
  void operator()(XML_Parser parser) const { XML_ParserFree(parser); }
};

}  // namespace

std::optional<SyntaxFault> XmlFault(absl::string_view text) {
  const std::unique_ptr<std::remove_pointer_t<XML_Parser>, ParserDeleter> parser(
      XML_ParserCreate(nullptr));
  if (parser == nullptr) return SyntaxFault{0, "out of memory"};
  const XML_Status status =
      XML_Parse(parser.get(), text.data(), static_cast<int>(text.size()), /*isFinal=*/1);
  if (status == XML_STATUS_OK) return std::nullopt;
  return SyntaxFault{static_cast<int>(XML_GetCurrentLineNumber(parser.get())),
                     XML_ErrorString(XML_GetErrorCode(parser.get()))};
}

}  // namespace stile
