#include "runtime/base/json.h"

#include <algorithm>
#include <exception>
#include <set>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"

namespace stile {
namespace {

// Nesting depth counted on the text alone: brackets outside strings. Cheaper and safer than letting
// the parser build a value that nobody could walk.
bool TooDeep(absl::string_view text, int max_depth) {
  int depth = 0;
  bool in_string = false;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (in_string) {
      if (c == '\\') {
        ++i;
      } else if (c == '"') {
        in_string = false;
      }
    } else if (c == '"') {
      in_string = true;
    } else if (c == '[' || c == '{') {
      if (++depth > max_depth) return true;
    } else if (c == ']' || c == '}') {
      --depth;
    }
  }
  return false;
}

std::string Position(absl::string_view text, size_t byte) {
  const absl::string_view before = text.substr(0, std::min(byte, text.size()));
  const auto line = std::count(before.begin(), before.end(), '\n') + 1;
  const size_t newline = before.rfind('\n');
  const size_t column =
      newline == absl::string_view::npos ? before.size() : before.size() - newline - 1;
  return absl::StrCat("line ", line, ", column ", std::max<size_t>(column, 1));
}

// Looks for a key that an object has twice, and keeps nothing else of what it reads.
struct RepeatedKeys : nlohmann::json_sax<Json> {
  std::optional<std::string> first;
  std::vector<std::set<std::string>> open;

  bool key(std::string& name) override {
    if (!first.has_value() && !open.back().insert(name).second) first = name;
    return true;
  }
  bool start_object(size_t) override {
    open.emplace_back();
    return true;
  }
  bool end_object() override {
    open.pop_back();
    return true;
  }
  bool null() override { return true; }
  bool boolean(bool) override { return true; }
  bool number_integer(int64_t) override { return true; }
  bool number_unsigned(uint64_t) override { return true; }
  bool number_float(double, const std::string&) override { return true; }
  bool string(std::string&) override { return true; }
  bool binary(Json::binary_t&) override { return true; }
  bool start_array(size_t) override { return true; }
  bool end_array() override { return true; }
  bool parse_error(size_t, const std::string&, const nlohmann::json::exception&) override {
    return false;
  }
};

}  // namespace

absl::StatusOr<Json> ParseJson(absl::string_view text, int max_depth) {
  // The library takes it for the end, whatever follows.
  if (const size_t nul = text.find('\0'); nul != absl::string_view::npos) {
    return absl::InvalidArgumentError(
        absl::StrCat("invalid JSON at ", Position(text, nul + 1), ": a NUL byte"));
  }
  if (TooDeep(text, max_depth)) {
    return absl::InvalidArgumentError(
        absl::StrCat("JSON nested deeper than ", max_depth, " levels"));
  }
  try {
    return Json::parse(text.begin(), text.end());
  } catch (const nlohmann::json::parse_error& error) {
    std::string reason = error.what();
    // "[json.exception.parse_error.101] parse error at line 1, column 2: syntax error …" → the end.
    if (const size_t at = reason.find(": ", reason.find("parse error")); at != std::string::npos) {
      reason = reason.substr(at + 2);
    }
    return absl::InvalidArgumentError(
        absl::StrCat("invalid JSON at ", Position(text, error.byte), ": ", reason));
  } catch (const std::exception& error) {
    return absl::InvalidArgumentError(absl::StrCat("invalid JSON: ", error.what()));
  }
}

absl::StatusOr<Json> ParseJsonStrict(absl::string_view text, int max_depth) {
  if (absl::StartsWith(text, "\xEF\xBB\xBF")) {
    return absl::InvalidArgumentError("invalid JSON at line 1, column 1: a byte order mark");
  }
  absl::StatusOr<Json> plain = ParseJson(text, max_depth);
  if (!plain.ok()) return plain;
  RepeatedKeys second;  // well-formed and not too deep: this reading only looks for keys
  try {
    Json::sax_parse(text.begin(), text.end(), &second);
  } catch (const std::exception& error) {
    return absl::InvalidArgumentError(absl::StrCat("invalid JSON: ", error.what()));
  }
  if (second.first.has_value()) {
    return absl::InvalidArgumentError(absl::StrCat(
        "invalid JSON: the key ", DumpJson(second.first->substr(0, 100)), " is there twice"));
  }
  return plain;
}

std::string DumpJson(const Json& value, int indent) {
  return value.dump(indent, ' ', false, Json::error_handler_t::replace);
}

const Json* JsonMember(const Json& value, absl::string_view key) {
  if (!value.is_object()) return nullptr;
  const auto it = value.find(std::string(key));
  return it == value.end() ? nullptr : &*it;
}

std::optional<std::string> JsonString(const Json& value, absl::string_view key) {
  const Json* member = JsonMember(value, key);
  if (member == nullptr || !member->is_string()) return std::nullopt;
  return member->get<std::string>();
}

std::optional<int64_t> JsonInt(const Json& value, absl::string_view key) {
  const Json* member = JsonMember(value, key);
  if (member == nullptr || !member->is_number_integer()) return std::nullopt;
  return member->get<int64_t>();
}

std::optional<double> JsonNumber(const Json& value, absl::string_view key) {
  const Json* member = JsonMember(value, key);
  if (member == nullptr || !member->is_number()) return std::nullopt;
  return member->get<double>();
}

std::optional<bool> JsonBool(const Json& value, absl::string_view key) {
  const Json* member = JsonMember(value, key);
  if (member == nullptr || !member->is_boolean()) return std::nullopt;
  return member->get<bool>();
}

}  // namespace stile
