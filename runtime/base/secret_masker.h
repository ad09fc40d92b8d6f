// Masks the values of secret variables in what is kept or shown, and puts them back on reading.
#ifndef STILE_RUNTIME_BASE_SECRET_MASKER_H_
#define STILE_RUNTIME_BASE_SECRET_MASKER_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "runtime/base/json.h"

namespace stile {

// Replaces each secret by a mask that names its variable and its hash, for example
// "[masked OPENAI_API_KEY 3fa9c2d1]". A later process that has the same value restores it.
// Immutable; thread-safe.
class SecretMasker {
 public:
  struct Secret {
    std::string variable;  // of the environment
    std::string value;
  };

  // Masks nothing.
  SecretMasker() = default;
  // Keeps the secrets whose value LooksRandom; the others are placeholders and stay readable.
  explicit SecretMasker(const std::vector<Secret>& secrets);

  // At least 16 printable ASCII characters without blanks, with a letter, two digits, and at least
  // 3 bits of entropy per character (Shannon, over the characters of the value). Words, paths of
  // words and placeholders ("EMPTY", "no-key-required-here") fail; keys of known providers pass.
  static bool LooksRandom(absl::string_view value);

  bool empty() const { return masks_.empty(); }

  std::string Mask(absl::string_view text) const;

  // Masks the strings of `value`. Those of members that name files, hashes or certificates ("path",
  // "changed", "root", "sha256", …) stay as they are.
  void MaskValues(Json* value) const;

  // The same for the fields of one event, which can be reversed: if something was masked, the
  // member kMaskedMember of the object `data` lists the variables.
  void MaskFields(Json* data) const;

  // Reverses MaskFields. Does nothing without kMaskedMember, so that text which only looks like a
  // mask is safe. kMaskedMember goes when every mask was restored; otherwise it lists the
  // variables whose value is not known, and their masks stay.
  void RestoreFields(Json* data) const;

 private:
  struct ValueMask {
    std::string value;
    std::string mask;
    std::string variable;
    std::string hash;
  };
  bool MaskIn(absl::string_view member, Json* value, std::vector<std::string>* variables) const;
  void RestoreIn(Json* value, std::vector<std::string>* unknown) const;

  std::vector<ValueMask> masks_;  // longest value first
};

inline constexpr char kMaskedMember[] = "masked";

// Whether a mask of any variable stands in a string of `value`.
bool HoldsMask(const Json& value);

// The variables of masks that RestoreFields could not restore, comma-separated; "" if none.
std::string UnrestoredVariables(const Json& data);

}  // namespace stile

#endif  // STILE_RUNTIME_BASE_SECRET_MASKER_H_
