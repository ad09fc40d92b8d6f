// What this machine can validate of a language.
#ifndef STILE_AGENTS_API_LANGUAGE_STATUS_H_
#define STILE_AGENTS_API_LANGUAGE_STATUS_H_

#include <string>

#include "runtime/validation/validator.h"

namespace stile {

struct LanguageStatus {
  std::string language;  // id, "csharp"
  std::string name;      // "C#"
  std::string validator;
  Level level;
  Toolchain toolchain;
};

}  // namespace stile

#endif  // STILE_AGENTS_API_LANGUAGE_STATUS_H_
