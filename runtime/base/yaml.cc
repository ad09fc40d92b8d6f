#include "runtime/base/yaml.h"

#include <yaml.h>

#include <algorithm>
#include <iterator>
#include <limits>
#include <map>
#include <set>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/strip.h"
#include "runtime/base/status.h"
#include "runtime/base/text.h"
#include "runtime/base/yaml_errors.h"

namespace stile {
namespace {

constexpr size_t kMaxBytes = 1 << 20;
constexpr int kMaxDepth = 100;
constexpr size_t kMaxValues = 200'000;
// Of all texts and paths, after aliases are expanded: one long text may have many aliases.
constexpr size_t kMaxExpandedBytes = size_t{64} << 20;

absl::Status At(absl::string_view file, int line, absl::string_view message) {
  return StatusOfErrors({{std::string(file), line, 0, "", std::string(message)}});
}

constexpr absl::string_view kMergeKey = "<<";  // https://yaml.org/type/merge.html

// One event of libyaml.
struct YamlEvent {
  yaml_event_type_t type = YAML_NO_EVENT;
  std::string scalar;
  bool quoted = false;  // see Yaml::quoted
  size_t target = 0;    // YAML_ALIAS_EVENT: the event that begins the value it stands for
  int line = 0;         // 1-based
  int column = 0;
};

// Reads the events of one document. The first error ends it.
class EventReader {
 public:
  EventReader(absl::string_view text, absl::string_view file) : text_(text), file_(file) {
    if (yaml_parser_initialize(&parser_) == 0) return;
    is_open_ = true;
    yaml_parser_set_encoding(&parser_, YAML_UTF8_ENCODING);
    yaml_parser_set_input_string(&parser_, reinterpret_cast<const unsigned char*>(text.data()),
                                 text.size());
  }
  ~EventReader() {
    if (is_open_) yaml_parser_delete(&parser_);
  }
  EventReader(const EventReader&) = delete;
  EventReader& operator=(const EventReader&) = delete;

  // The events of the document's value; none if the text has no document.
  absl::StatusOr<std::vector<YamlEvent>> Read() {
    if (!is_open_) return absl::ResourceExhaustedError("no memory for a YAML parser");
    int documents = 0;
    for (;;) {
      yaml_event_t event;
      if (yaml_parser_parse(&parser_, &event) == 0) return Problem();
      const absl::Status status = Add(event);
      const yaml_event_type_t type = event.type;
      yaml_event_delete(&event);
      STILE_RETURN_IF_ERROR(status);
      if (type == YAML_STREAM_END_EVENT) return std::move(events_);
      if (type == YAML_DOCUMENT_START_EVENT && ++documents > 1) {
        return At(file_, 0, "more than one YAML document");
      }
    }
  }

 private:
  absl::Status Add(const yaml_event_t& event) {
    YamlEvent added;
    added.type = event.type;
    added.line = static_cast<int>(event.start_mark.line) + 1;
    added.column = static_cast<int>(event.start_mark.column) + 1;
    const yaml_char_t* anchor = nullptr;
    switch (event.type) {
      case YAML_SCALAR_EVENT: {
        const auto& scalar = event.data.scalar;
        added.scalar.assign(reinterpret_cast<const char*>(scalar.value), scalar.length);
        added.quoted = scalar.style != YAML_PLAIN_SCALAR_STYLE;
        anchor = scalar.anchor;
        break;
      }
      case YAML_SEQUENCE_START_EVENT:
        anchor = event.data.sequence_start.anchor;
        break;
      case YAML_MAPPING_START_EVENT:
        anchor = event.data.mapping_start.anchor;
        break;
      case YAML_ALIAS_EVENT: {
        const std::string name = Text(event.data.alias.anchor);
        const auto known = anchors_.find(name);
        if (known == anchors_.end()) {
          return At(file_, added.line,
                    absl::StrCat("invalid YAML: no value has the anchor &", name));
        }
        added.target = known->second;
        break;
      }
      case YAML_SEQUENCE_END_EVENT:
      case YAML_MAPPING_END_EVENT:
        break;
      default:
        return absl::OkStatus();
    }
    const bool ends = event.type == YAML_SEQUENCE_END_EVENT || event.type == YAML_MAPPING_END_EVENT;
    const bool begins =
        event.type == YAML_SEQUENCE_START_EVENT || event.type == YAML_MAPPING_START_EVENT;
    depth_ += begins ? 1 : ends ? -1 : 0;
    // libyaml takes longer for each token the deeper it is.
    if (depth_ > kMaxDepth) return At(file_, added.line, "nested too deeply");
    if (anchor != nullptr) anchors_[Text(anchor)] = events_.size();
    if (events_.size() > 2 * kMaxValues) return At(file_, added.line, "too many values");
    events_.push_back(std::move(added));
    return absl::OkStatus();
  }

  static std::string Text(const yaml_char_t* text) { return reinterpret_cast<const char*>(text); }

  absl::Status Problem() const {
    const auto or_none = [](const char* text) { return text == nullptr ? "" : text; };
    std::string message = absl::StrCat("invalid YAML: ", or_none(parser_.problem));
    int line = static_cast<int>(parser_.problem_mark.line) + 1;
    if (parser_.error == YAML_READER_ERROR) {
      const size_t offset = std::min(parser_.problem_offset, text_.size());
      line = 1 + static_cast<int>(std::count(
                     text_.begin(), text_.begin() + static_cast<std::ptrdiff_t>(offset), '\n'));
    } else if (parser_.context != nullptr) {
      absl::StrAppend(&message, ", ", parser_.context, " that begins in line ",
                      parser_.context_mark.line + 1);
    }
    return At(file_, line, message);
  }

  yaml_parser_t parser_;
  bool is_open_ = false;
  const absl::string_view text_;
  const absl::string_view file_;
  int depth_ = 0;
  std::map<std::string, size_t> anchors_;  // where the newest value of each begins
  std::vector<YamlEvent> events_;
};

// Makes values of events. What an alias stands for is made anew at each place, with its own path.
class Composer {
 public:
  Composer(const std::vector<YamlEvent>& events, absl::string_view file)
      : events_(events), file_(file) {}

  // The value that begins with event `*at`, which becomes the event after it.
  absl::StatusOr<Yaml> Value(size_t* at, std::string path, int depth) {
    const YamlEvent& event = events_[(*at)++];
    if (event.type == YAML_ALIAS_EVENT) {
      size_t target = event.target;
      return Value(&target, std::move(path), depth + 1);
    }
    Yaml result;
    result.file = file_;
    result.path = std::move(path);
    result.line = event.line;
    result.column = event.column;
    if (depth > kMaxDepth) return At(file_, result.line, "nested too deeply");
    if (++values_ > kMaxValues) return At(file_, result.line, "too many values");
    bytes_ += result.path.size() + event.scalar.size();
    if (bytes_ > kMaxExpandedBytes) {
      return At(file_, result.line,
                absl::StrCat("more than ", kMaxExpandedBytes >> 20,
                             " MiB of text once its aliases are expanded"));
    }
    if (event.type == YAML_SCALAR_EVENT) {
      const std::string& s = event.scalar;
      const bool null = s.empty() || s == "~" || s == "null" || s == "Null" || s == "NULL";
      result.quoted = event.quoted;
      result.scalar = s;
      result.kind = !event.quoted && null ? Yaml::Kind::kNull : Yaml::Kind::kScalar;
    } else if (event.type == YAML_SEQUENCE_START_EVENT) {
      result.kind = Yaml::Kind::kList;
      while (events_[*at].type != YAML_SEQUENCE_END_EVENT) {
        std::string item_path = absl::StrCat(result.path, "[", result.items.size(), "]");
        STILE_ASSIGN_OR_RETURN(Yaml item, Value(at, std::move(item_path), depth + 1));
        result.items.push_back(std::move(item));
      }
      ++*at;
    } else {
      STILE_RETURN_IF_ERROR(ReadMap(at, depth, &result));
    }
    return result;
  }

 private:
  absl::Status ReadMap(size_t* at, int depth, Yaml* map) {
    map->kind = Yaml::Kind::kMap;
    std::set<std::string> seen;
    std::vector<Yaml> merged;
    while (events_[*at].type != YAML_MAPPING_END_EVENT) {
      const YamlEvent& written = events_[(*at)++];
      const YamlEvent& key = written.type == YAML_ALIAS_EVENT ? events_[written.target] : written;
      if (key.type != YAML_SCALAR_EVENT) {
        return At(file_, written.line, "a key must be plain text");
      }
      if (!seen.insert(key.scalar).second) {
        return At(file_, written.line, absl::StrCat("key '", key.scalar, "' is given twice"));
      }
      if (key.scalar == kMergeKey && !key.quoted) {
        STILE_RETURN_IF_ERROR(ReadMerged(at, written.line, map->path, depth, &merged));
        continue;
      }
      std::string path = absl::StrCat(map->path, map->path.empty() ? "" : ".", key.scalar);
      STILE_ASSIGN_OR_RETURN(Yaml value, Value(at, std::move(path), depth + 1));
      // A value on a later line, or none at all, is best found by its key.
      if (value.kind != Yaml::Kind::kScalar) value.line = written.line;
      map->keys.push_back({key.scalar, std::move(value)});
    }
    ++*at;
    Merge(std::move(merged), &seen, map);
    return absl::OkStatus();
  }

  // The maps that a merge key in `line` names, with the path of the map that takes their keys.
  absl::Status ReadMerged(size_t* at, int line, const std::string& path, int depth,
                          std::vector<Yaml>* merged) {
    const bool is_list = events_[*at].type == YAML_SEQUENCE_START_EVENT;
    if (is_list) ++*at;
    while (!is_list || events_[*at].type != YAML_SEQUENCE_END_EVENT) {
      STILE_ASSIGN_OR_RETURN(Yaml map, Value(at, path, depth + 1));
      if (map.kind != Yaml::Kind::kMap) {
        return At(file_, line, "'<<' takes a map, or a list of maps");
      }
      merged->push_back(std::move(map));
      if (!is_list) return absl::OkStatus();
    }
    ++*at;
    return absl::OkStatus();
  }

  // Keys of the map itself (`seen`) go before those of `merged`, and these before those of later
  // ones.
  static void Merge(std::vector<Yaml> merged, std::set<std::string>* seen, Yaml* map) {
    for (Yaml& from : merged) {
      for (Yaml::Entry& entry : from.keys) {
        if (seen->insert(entry.first).second) map->keys.push_back(std::move(entry));
      }
    }
  }

  const std::vector<YamlEvent>& events_;
  const std::string file_;
  size_t values_ = 0;
  size_t bytes_ = 0;
};

}  // namespace

const Yaml* Yaml::Find(absl::string_view key) const {
  for (const auto& [name, value] : keys) {
    if (name == key) return &value;
  }
  return nullptr;
}

absl::Status Yaml::Error(absl::string_view message) const {
  return StatusOfErrors({{file, line, column, path, std::string(message)}});
}

absl::StatusOr<std::string> Yaml::AsString() const {
  if (kind != Kind::kScalar) return Error("expected text");
  return scalar;
}

absl::StatusOr<int64_t> Yaml::AsInt() const {
  int64_t value = 0;
  if (kind != Kind::kScalar || !absl::SimpleAtoi(scalar, &value)) {
    return Error(absl::StrCat("expected a whole number",
                              kind == Kind::kScalar ? absl::StrCat(", not '", scalar, "'") : ""));
  }
  return value;
}

absl::StatusOr<double> Yaml::AsNumber() const {
  double value = 0;
  if (kind != Kind::kScalar || !absl::SimpleAtod(scalar, &value)) return Error("expected a number");
  return value;
}

absl::StatusOr<bool> Yaml::AsBool() const {
  if (kind == Kind::kScalar && (scalar == "true" || scalar == "True")) return true;
  if (kind == Kind::kScalar && (scalar == "false" || scalar == "False")) return false;
  return Error("expected true or false");
}

absl::StatusOr<std::vector<std::string>> Yaml::AsStringList() const {
  if (kind == Kind::kScalar) return std::vector<std::string>{scalar};
  if (kind != Kind::kList) return Error("expected a list of texts");
  std::vector<std::string> result;
  std::vector<YamlError> errors;
  for (const Yaml& item : items) {
    absl::StatusOr<std::string> text = item.AsString();
    if (text.ok()) {
      result.push_back(*std::move(text));
    } else {
      errors.push_back(ErrorsOfStatus(text.status()).front());
    }
  }
  STILE_RETURN_IF_ERROR(StatusOfErrors(errors));
  return result;
}

absl::Status ReadKey(const Yaml& map, absl::string_view key, std::string* out) {
  const Yaml* value = map.Find(key);
  if (value == nullptr) return absl::OkStatus();
  STILE_ASSIGN_OR_RETURN(*out, value->AsString());
  return absl::OkStatus();
}

absl::Status ReadKey(const Yaml& map, absl::string_view key, std::vector<std::string>* out) {
  const Yaml* value = map.Find(key);
  if (value == nullptr) return absl::OkStatus();
  STILE_ASSIGN_OR_RETURN(*out, value->AsStringList());
  return absl::OkStatus();
}

Json Yaml::AsJson() const {
  switch (kind) {
    case Kind::kNull:
      return nullptr;
    case Kind::kScalar: {
      if (quoted) return scalar;
      if (scalar == "true" || scalar == "True" || scalar == "TRUE") return true;
      if (scalar == "false" || scalar == "False" || scalar == "FALSE") return false;
      int64_t integer = 0;
      if (absl::SimpleAtoi(scalar, &integer)) return integer;
      double number = 0;
      const bool numeric = !scalar.empty() && (absl::ascii_isdigit(scalar[0]) || scalar[0] == '-' ||
                                               scalar[0] == '+' || scalar[0] == '.');
      if (numeric && absl::SimpleAtod(scalar, &number) && number == number &&
          std::abs(number) <= std::numeric_limits<double>::max()) {
        return number;
      }
      return scalar;
    }
    case Kind::kList: {
      Json list = Json::array();
      for (const Yaml& item : items) list.push_back(item.AsJson());
      return list;
    }
    case Kind::kMap: {
      Json map = Json::object();
      for (const auto& [key, value] : keys) map[key] = value.AsJson();
      return map;
    }
  }
  return nullptr;
}

absl::StatusOr<Yaml> ParseYaml(absl::string_view text, absl::string_view file) {
  if (text.size() > kMaxBytes) return At(file, 0, "larger than 1 MiB");
  if (!IsUtf8(text)) return At(file, 0, "not UTF-8 text");
  STILE_ASSIGN_OR_RETURN(const std::vector<YamlEvent> events, EventReader(text, file).Read());
  if (events.empty()) {
    Yaml empty;
    empty.file = std::string(file);
    return empty;
  }
  size_t at = 0;
  return Composer(events, file).Value(&at, "", 0);
}

std::string YamlText(const Json& value) {
  // Delete, the C1 controls with NEL, the separators of lines and paragraphs, the byte order mark,
  // and the two that are no characters.
  static const auto* const kEscapes = [] {
    auto* escapes = new std::vector<std::pair<std::string, std::string>>{
        {"\x7f", "\\u007f"},         {"\xE2\x80\xA8", "\\u2028"}, {"\xE2\x80\xA9", "\\u2029"},
        {"\xEF\xBB\xBF", "\\ufeff"}, {"\xEF\xBF\xBE", "\\ufffe"}, {"\xEF\xBF\xBF", "\\uffff"}};
    for (int c = 0x80; c <= 0x9f; ++c) {
      escapes->push_back({{'\xC2', static_cast<char>(c)}, absl::StrFormat("\\u%04x", c)});
    }
    return escapes;
  }();
  return absl::StrReplaceAll(DumpJson(value), *kEscapes);
}

absl::Status CheckKeys(const Yaml& yaml, const std::vector<std::string>& known) {
  if (yaml.kind == Yaml::Kind::kNull) return absl::OkStatus();
  if (yaml.kind != Yaml::Kind::kMap) return yaml.Error("expected keys and values");
  std::vector<YamlError> errors;
  for (const auto& [key, value] : yaml.keys) {
    if (std::find(known.begin(), known.end(), key) != known.end()) continue;
    const std::string nearest = Nearest(key, known);
    errors.push_back(
        {value.file, value.line, value.column, "",
         absl::StrCat("unknown key '", key, "'",
                      nearest.empty() ? absl::StrCat("; known keys: ", absl::StrJoin(known, ", "))
                                      : absl::StrCat(", did you mean '", nearest, "'?"))});
  }
  return StatusOfErrors(errors);
}

absl::StatusOr<FrontMatter> ParseFrontMatter(absl::string_view text, absl::string_view file) {
  FrontMatter result;
  absl::ConsumePrefix(&text, "\xEF\xBB\xBF");
  std::vector<absl::string_view> lines = SplitLines(text);
  if (lines.empty() || absl::StripTrailingAsciiWhitespace(lines[0]) != "---") {
    result.body = std::string(text);
    return result;
  }
  for (size_t i = 1; i < lines.size(); ++i) {
    if (absl::StripTrailingAsciiWhitespace(lines[i]) != "---") continue;
    const char* start = lines[0].data() + lines[0].size();
    // A newline stands for the opening fence, so that lines keep their numbers.
    const std::string yaml_text(start, lines[i].data());
    STILE_ASSIGN_OR_RETURN(result.front_matter, ParseYaml(yaml_text, file));
    const char* body = lines[i].data() + lines[i].size();
    const char* end = text.data() + text.size();
    if (body < end && *body == '\n') ++body;
    result.body = std::string(body, end);
    result.body_line = static_cast<int>(i) + 2;
    return result;
  }
  return At(file, 1, "front matter opened with '---' is never closed");
}

}  // namespace stile
