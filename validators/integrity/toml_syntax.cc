// By toml++, https://marzer.github.io/tomlplusplus/, whose exceptions end here.
#include <toml++/toml.h>

#include <string>
#include <string_view>

#include "validators/integrity/project_syntax.h"

namespace stile {

std::optional<SyntaxFault> TomlFault(absl::string_view text) {
  try {
    [[maybe_unused]] const toml::table parsed =
        toml::parse(std::string_view(text.data(), text.size()));
    return std::nullopt;
  } catch (const toml::parse_error& error) {
    return SyntaxFault{static_cast<int>(error.source().begin.line),
                       std::string(error.description())};
  }
}

}  // namespace stile
