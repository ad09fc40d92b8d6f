#include "runtime/base/secret_masker.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "runtime/base/sha256.h"

namespace stile {
namespace {

constexpr size_t kShortestSecret = 16;
constexpr int kFewestDigits = 2;
constexpr double kLeastEntropy = 3.0;  // bits per character
constexpr size_t kHashDigits = 8;
constexpr absl::string_view kMaskBegin = "[masked ";

double EntropyPerCharacter(absl::string_view value) {
  std::array<size_t, 256> counts{};
  for (const char c : value) ++counts[static_cast<unsigned char>(c)];
  double bits = 0;
  for (const size_t count : counts) {
    if (count == 0) continue;
    const double share = static_cast<double>(count) / static_cast<double>(value.size());
    bits -= share * std::log2(share);
  }
  return bits;
}

// Members whose values are names of files, hashes, certificates or ids: masked, they would name
// something else.
bool NamesSomething(absl::string_view member) {
  static const auto* const names = new std::set<absl::string_view>{
      "path",    "paths",       "filePath",     "targetFile",   "projectPath", "changed",
      "changes", "file",        "files",        "folder",       "workspace",   "root",
      "sha256",  "hash",        "tree",         "commit",       "base_commit", "branch",
      "key",     "evidence",    "certificate",  "certificates", "story_file",  "workflow_file",
      "run_id",  "step_run_id", "cassette_step"};
  return names->count(member) > 0 || absl::EndsWith(member, "_sha256") ||
         absl::EndsWith(member, "_base64") || absl::EndsWith(member, "Base64");
}

// A mask at the beginning of `text`: its length, variable and hash; length 0 if there is none.
struct FoundMask {
  size_t length = 0;
  absl::string_view variable;
  absl::string_view hash;
};
FoundMask MaskAt(absl::string_view text) {
  if (!absl::StartsWith(text, kMaskBegin)) return {};
  size_t end = kMaskBegin.size();
  while (end < text.size() &&
         (absl::ascii_isupper(static_cast<unsigned char>(text[end])) ||
          absl::ascii_isdigit(static_cast<unsigned char>(text[end])) || text[end] == '_')) {
    ++end;
  }
  FoundMask found;
  found.variable = text.substr(kMaskBegin.size(), end - kMaskBegin.size());
  if (found.variable.empty() || text.size() < end + kHashDigits + 2 || text[end] != ' ') return {};
  found.hash = text.substr(end + 1, kHashDigits);
  const bool is_hash = std::all_of(found.hash.begin(), found.hash.end(), [](unsigned char c) {
    return absl::ascii_isdigit(c) || (c >= 'a' && c <= 'f');
  });
  if (!is_hash || text[end + 1 + kHashDigits] != ']') return {};
  found.length = end + kHashDigits + 2;
  return found;
}

void AddOnce(const std::string& variable, std::vector<std::string>* variables) {
  if (std::find(variables->begin(), variables->end(), variable) == variables->end()) {
    variables->push_back(variable);
  }
}

}  // namespace

SecretMasker::SecretMasker(const std::vector<Secret>& secrets) {
  for (const Secret& secret : secrets) {
    if (!LooksRandom(secret.value)) continue;
    const bool known = std::any_of(masks_.begin(), masks_.end(), [&](const ValueMask& mask) {
      return mask.value == secret.value;
    });
    if (known) continue;
    std::string hash = Sha256Hex(secret.value).substr(0, kHashDigits);
    masks_.push_back({secret.value, absl::StrCat(kMaskBegin, secret.variable, " ", hash, "]"),
                      secret.variable, std::move(hash)});
  }
  std::stable_sort(masks_.begin(), masks_.end(), [](const ValueMask& a, const ValueMask& b) {
    return a.value.size() > b.value.size();
  });
}

bool SecretMasker::LooksRandom(absl::string_view value) {
  if (value.size() < kShortestSecret) return false;
  int letters = 0;
  int digits = 0;
  for (const char c : value) {
    const auto byte = static_cast<unsigned char>(c);
    if (!absl::ascii_isgraph(byte)) return false;
    if (absl::ascii_isalpha(byte)) ++letters;
    if (absl::ascii_isdigit(byte)) ++digits;
  }
  return letters > 0 && digits >= kFewestDigits && EntropyPerCharacter(value) >= kLeastEntropy;
}

std::string SecretMasker::Mask(absl::string_view text) const {
  std::string masked(text);
  for (const ValueMask& mask : masks_) absl::StrReplaceAll({{mask.value, mask.mask}}, &masked);
  return masked;
}

bool SecretMasker::MaskIn(absl::string_view member, Json* value,
                          std::vector<std::string>* variables) const {
  if (NamesSomething(member)) return false;
  bool any = false;
  if (value->is_string()) {
    auto& text = value->get_ref<std::string&>();
    for (const ValueMask& mask : masks_) {
      if (absl::StrReplaceAll({{mask.value, mask.mask}}, &text) == 0) continue;
      AddOnce(mask.variable, variables);
      any = true;
    }
  } else if (value->is_object()) {
    for (auto it = value->begin(); it != value->end(); ++it) {
      any = MaskIn(it.key(), &it.value(), variables) || any;
    }
  } else if (value->is_array()) {
    for (Json& item : *value) any = MaskIn("", &item, variables) || any;
  }
  return any;
}

void SecretMasker::MaskValues(Json* value) const {
  std::vector<std::string> variables;
  if (!masks_.empty()) MaskIn("", value, &variables);
}

void SecretMasker::MaskFields(Json* data) const {
  if (masks_.empty() || !data->is_object()) return;
  std::vector<std::string> variables;
  if (const Json* before = JsonMember(*data, kMaskedMember); before && before->is_array()) {
    for (const Json& variable : *before) {
      if (variable.is_string()) variables.push_back(variable.get<std::string>());
    }
  }
  if (MaskIn("", data, &variables)) (*data)[kMaskedMember] = variables;
}

void SecretMasker::RestoreIn(Json* value, std::vector<std::string>* unknown) const {
  if (value->is_structured()) {
    for (Json& item : *value) RestoreIn(&item, unknown);
    return;
  }
  if (!value->is_string()) return;
  const absl::string_view text = value->get_ref<const std::string&>();
  std::string restored;
  size_t done = 0;
  size_t at = text.find(kMaskBegin);
  while (at != absl::string_view::npos) {
    const FoundMask found = MaskAt(text.substr(at));
    if (found.length > 0) {
      const auto known = std::find_if(masks_.begin(), masks_.end(), [&](const ValueMask& mask) {
        return mask.hash == found.hash;
      });
      if (known == masks_.end()) AddOnce(std::string(found.variable), unknown);
      absl::StrAppend(
          &restored, text.substr(done, at - done),
          known == masks_.end() ? text.substr(at, found.length) : absl::string_view(known->value));
      done = at + found.length;
    }
    at = text.find(kMaskBegin, at + 1);
  }
  if (done == 0) return;
  absl::StrAppend(&restored, text.substr(done));
  *value = std::move(restored);
}

void SecretMasker::RestoreFields(Json* data) const {
  if (JsonMember(*data, kMaskedMember) == nullptr) return;
  data->erase(kMaskedMember);
  std::vector<std::string> unknown;
  RestoreIn(data, &unknown);
  if (!unknown.empty()) (*data)[kMaskedMember] = unknown;
}

bool HoldsMask(const Json& value) {
  if (value.is_structured()) {
    return std::any_of(value.begin(), value.end(),
                       [](const Json& item) { return HoldsMask(item); });
  }
  if (!value.is_string()) return false;
  const absl::string_view text = value.get_ref<const std::string&>();
  for (size_t at = text.find(kMaskBegin); at != absl::string_view::npos;
       at = text.find(kMaskBegin, at + 1)) {
    if (MaskAt(text.substr(at)).length > 0) return true;
  }
  return false;
}

std::string UnrestoredVariables(const Json& data) {
  std::vector<std::string> names;
  const Json* const masked = JsonMember(data, kMaskedMember);
  if (masked == nullptr || !masked->is_array()) return "";
  for (const Json& name : *masked) {
    if (name.is_string()) names.push_back(name.get<std::string>());
  }
  return absl::StrJoin(names, ", ");
}

}  // namespace stile
