// YAML for people: every value knows its line, unknown keys are errors that name the nearest known
// one. libyaml is used only in yaml.cc.
#ifndef STILE_RUNTIME_BASE_YAML_H_
#define STILE_RUNTIME_BASE_YAML_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "runtime/base/json.h"

namespace stile {

// One parsed value. Plain data; copy freely.
struct Yaml {
  enum class Kind { kNull, kScalar, kList, kMap };
  Kind kind = Kind::kNull;
  std::string scalar;       // kScalar: the text
  bool quoted = false;      // kScalar: written in quotes or as a block, so it is a string
  std::vector<Yaml> items;  // kList
  struct Entry;
  std::vector<Entry> keys;  // kMap, in file order, keys unique
  std::string file;         // name given to ParseYaml
  std::string path;         // from the root: "limits.max_turns", "steps[0].name"; "" for the root
  int line = 0;             // 1-based; 0 where unknown
  int column = 0;

  // The value of `key`; null if absent or this is no map.
  const Yaml* Find(absl::string_view key) const;
  // "file:line: path: " + message, as an InvalidArgument status that YamlErrors can sort.
  absl::Status Error(absl::string_view message) const;

  // Typed readings; the error names the place and what was expected there.
  absl::StatusOr<std::string> AsString() const;
  absl::StatusOr<int64_t> AsInt() const;
  absl::StatusOr<double> AsNumber() const;
  absl::StatusOr<bool> AsBool() const;
  absl::StatusOr<std::vector<std::string>> AsStringList()
      const;  // a scalar counts as a list of one
  // Untyped: quoted scalars are strings; plain ones follow the YAML 1.2 core schema.
  Json AsJson() const;
};

struct Yaml::Entry {
  std::string first;
  Yaml second;
};

// Reads the value of `key` of a map; without one, `out` stays as it is.
absl::Status ReadKey(const Yaml& map, absl::string_view key, std::string* out);
absl::Status ReadKey(const Yaml& map, absl::string_view key, std::vector<std::string>* out);

// Parses one document. `file` is used in messages only. Bounded: at most 1 MiB of text, 100 levels
// and 200 000 values or 64 MiB of text after aliases are expanded. Duplicate keys are errors. A key
// `<<` merges the keys of a map, or of a list of maps, that the map does not have itself.
absl::StatusOr<Yaml> ParseYaml(absl::string_view text, absl::string_view file);

// `value` as YAML in one line, for ParseYaml: JSON, with characters escaped that JSON may have as
// they are and YAML 1.1 reads as line breaks or refuses.
std::string YamlText(const Json& value);

// A line for each key of map `yaml` not in `known`: "f.yaml:3: unknown key 'modle', did you mean
// 'model'?". A value that is no map is an error too.
absl::Status CheckKeys(const Yaml& yaml, const std::vector<std::string>& known);

// Splits "---\nfront matter\n---\nbody". Without front matter, `front_matter` is null and the whole
// text is the body.
struct FrontMatter {
  Yaml front_matter;
  std::string body;
  int body_line = 1;  // line of `body`'s first line within the file
};
absl::StatusOr<FrontMatter> ParseFrontMatter(absl::string_view text, absl::string_view file);

}  // namespace stile

#endif  // STILE_RUNTIME_BASE_YAML_H_
