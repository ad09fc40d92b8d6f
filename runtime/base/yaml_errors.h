// Errors of YAML files with their places, kept so that a reader can go on behind the first.
#ifndef STILE_RUNTIME_BASE_YAML_ERRORS_H_
#define STILE_RUNTIME_BASE_YAML_ERRORS_H_

#include <map>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace stile {

// One error. Plain data; copy freely.
struct YamlError {
  std::string file;  // "" where the error has no place
  int line = 0;      // 1-based; 0 where unknown
  int column = 0;
  std::string path;  // of the value: "steps.build.if"; "" for the root
  std::string message;

  std::string Text() const;  // "file:line: path: message"
};

// InvalidArgument with a line for each error; OK without any. The status keeps their places.
absl::Status StatusOfErrors(const std::vector<YamlError>& errors);
// The errors of a status that StatusOfErrors made; else one, without a place, with its message.
std::vector<YamlError> ErrorsOfStatus(const absl::Status& status);

// Collects the errors of a file and of those that it names. Not thread-safe.
class YamlErrors {
 public:
  // Errors of `file` come before those of other files.
  explicit YamlErrors(absl::string_view file);

  // Keeps the errors of a status. What has the place and the message of an earlier one is left
  // out: aliases and defaults bring one value to several paths. Whether the status is OK.
  bool Add(const absl::Status& status);
  // The value, or its errors.
  template <typename T>
  bool Add(absl::StatusOr<T> value, T* out) {
    if (!value.ok()) return Add(value.status());
    *out = *std::move(value);
    return true;
  }

  bool empty() const { return errors_.empty(); }
  // Files in the order in which they were first named, and each in its own order; before them what
  // has no place.
  std::vector<YamlError> Sorted() const;
  absl::Status status() const { return StatusOfErrors(Sorted()); }

 private:
  int RankOf(const std::string& file) const;

  std::vector<YamlError> errors_;
  std::map<std::string, int> files_;  // by name, in the order in which they were named
  std::set<std::tuple<std::string, int, int, std::string>> seen_;
};

}  // namespace stile

#endif  // STILE_RUNTIME_BASE_YAML_ERRORS_H_
