#include "runtime/template/template_filters.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <set>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "absl/time/time.h"
#include "runtime/base/status.h"
#include "runtime/base/text.h"

namespace stile {
namespace {

using Arguments = std::vector<Json>;
using Result = absl::StatusOr<Json>;

bool BeginsCharacter(char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }

// The number of characters (code points) of valid UTF-8.
size_t CountCharacters(absl::string_view text) {
  return static_cast<size_t>(std::count_if(text.begin(), text.end(), BeginsCharacter));
}

absl::string_view FirstCharacters(absl::string_view text, size_t count) {
  size_t end = 0;
  while (end < text.size()) {
    if (BeginsCharacter(text[end]) && count-- == 0) break;
    ++end;
  }
  return text.substr(0, end);
}

absl::Status Unfit(absl::string_view wanted, const Json& value) {
  return absl::InvalidArgumentError(
      absl::StrCat("is for ", wanted, ", not ", value.is_null() ? "nothing" : value.type_name()));
}

std::string TextAt(const Arguments& arguments, size_t index, absl::string_view otherwise = "") {
  return index < arguments.size() ? TemplateText(arguments[index]) : std::string(otherwise);
}

// A number, or a text that is one; nothing counts as 0.
absl::StatusOr<double> NumberOf(const Json& value) {
  double number = 0;
  if (value.is_null()) return number;
  if (value.is_number()) return value.get<double>();
  const bool is_text =
      value.is_string() && absl::SimpleAtod(value.get_ref<const std::string&>(), &number);
  if (!is_text) return Unfit("numbers", value);
  return number;
}

Json JsonNumber(double number) {
  const bool is_whole = std::abs(number) < 9e15 && number == std::trunc(number);
  return is_whole ? Json(static_cast<int64_t>(number)) : Json(number);
}

// ---- texts ------------------------------------------------------------------------------------

Result Upcase(const Json& value, const Arguments&, const TemplateScope&) {
  return absl::AsciiStrToUpper(TemplateText(value));
}

Result Downcase(const Json& value, const Arguments&, const TemplateScope&) {
  return absl::AsciiStrToLower(TemplateText(value));
}

Result Capitalize(const Json& value, const Arguments&, const TemplateScope&) {
  std::string text = absl::AsciiStrToLower(TemplateText(value));
  if (!text.empty()) text[0] = absl::ascii_toupper(static_cast<unsigned char>(text[0]));
  return text;
}

Result Strip(const Json& value, const Arguments&, const TemplateScope&) {
  return std::string(absl::StripAsciiWhitespace(TemplateText(value)));
}

Result Append(const Json& value, const Arguments& arguments, const TemplateScope&) {
  return absl::StrCat(TemplateText(value), TextAt(arguments, 0));
}

Result Prepend(const Json& value, const Arguments& arguments, const TemplateScope&) {
  return absl::StrCat(TextAt(arguments, 0), TemplateText(value));
}

Result Replace(const Json& value, const Arguments& arguments, const TemplateScope&) {
  const std::string what = TextAt(arguments, 0);
  if (what.empty()) return TemplateText(value);
  return absl::StrReplaceAll(TemplateText(value), {{what, TextAt(arguments, 1)}});
}

Result Remove(const Json& value, const Arguments& arguments, const TemplateScope& scope) {
  return Replace(value, {arguments[0], ""}, scope);
}

Result Split(const Json& value, const Arguments& arguments, const TemplateScope&) {
  const std::string text = TemplateText(value);
  const std::string separator = TextAt(arguments, 0);
  Json list = Json::array();
  if (text.empty()) return list;
  for (const absl::string_view part : absl::StrSplit(text, separator)) {
    list.push_back(std::string(part));
  }
  while (!list.empty() && list.back() == "") list.erase(list.size() - 1);
  return list;
}

Result Truncate(const Json& value, const Arguments& arguments, const TemplateScope&) {
  const bool has_length = !arguments.empty();
  if (has_length && (!arguments[0].is_number_integer() || arguments[0].get<int64_t>() < 0)) {
    return absl::InvalidArgumentError("takes a number of characters");
  }
  const size_t length = has_length ? arguments[0].get<size_t>() : 50;
  const std::string end = TextAt(arguments, 1, "...");
  const std::string text = TemplateText(value);
  if (CountCharacters(text) <= length) return text;
  const size_t rest = length - std::min(length, CountCharacters(end));
  return absl::StrCat(FirstCharacters(text, rest), end);
}

Result Escape(const Json& value, const Arguments&, const TemplateScope&) {
  return absl::StrReplaceAll(
      TemplateText(value),
      {{"&", "&amp;"}, {"<", "&lt;"}, {">", "&gt;"}, {"\"", "&quot;"}, {"'", "&#39;"}});
}

// One word of sh, whatever it holds.
Result ShellEscape(const Json& value, const Arguments&, const TemplateScope&) {
  return absl::StrCat("'", absl::StrReplaceAll(TemplateText(value), {{"'", "'\\''"}}), "'");
}

// What labels of issue trackers take.
Result SafeLabel(const Json& value, const Arguments&, const TemplateScope&) {
  std::string label = TemplateText(value);
  std::replace_if(
      label.begin(), label.end(),
      [](char c) { return !IsIdentifierByte(c) && !absl::StrContains(":/-. ", std::string(1, c)); },
      '-');
  return label;
}

// ---- numbers and times ------------------------------------------------------------------------

template <typename Operation>
Result Calculate(const Json& value, const Json& argument, const Operation& operation) {
  STILE_ASSIGN_OR_RETURN(const double left, NumberOf(value));
  STILE_ASSIGN_OR_RETURN(const double right, NumberOf(argument));
  const double number = operation(left, right);
  if (!std::isfinite(number)) return absl::InvalidArgumentError("gives no number");
  return JsonNumber(number);
}

Result Plus(const Json& value, const Arguments& arguments, const TemplateScope&) {
  return Calculate(value, arguments[0], [](double a, double b) { return a + b; });
}

Result Minus(const Json& value, const Arguments& arguments, const TemplateScope&) {
  return Calculate(value, arguments[0], [](double a, double b) { return a - b; });
}

Result Times(const Json& value, const Arguments& arguments, const TemplateScope&) {
  return Calculate(value, arguments[0], [](double a, double b) { return a * b; });
}

// Of two whole numbers a whole number, as in Liquid.
Result DividedBy(const Json& value, const Arguments& arguments, const TemplateScope&) {
  const bool whole = value.is_number_integer() && arguments[0].is_number_integer();
  return Calculate(value, arguments[0],
                   [whole](double a, double b) { return whole ? std::floor(a / b) : a / b; });
}

Result Modulo(const Json& value, const Arguments& arguments, const TemplateScope&) {
  return Calculate(value, arguments[0],
                   [](double a, double b) { return a - b * std::floor(a / b); });
}

Result Round(const Json& value, const Arguments& arguments, const TemplateScope&) {
  STILE_ASSIGN_OR_RETURN(const double digits, NumberOf(arguments.empty() ? Json(0) : arguments[0]));
  const double scale = std::pow(10, std::clamp(digits, 0.0, 15.0));
  return Calculate(value, 0, [scale](double a, double) { return std::round(a * scale) / scale; });
}

absl::StatusOr<absl::Time> TimeOf(const Json& value, const TemplateScope& scope) {
  if (value.is_number()) return absl::FromUnixSeconds(value.get<int64_t>());
  const std::string text = TemplateText(value);
  if (text == "now" || text == "today") {
    const Json* const now = scope.Find("now_ms");
    return now == nullptr ? absl::UnixEpoch() : absl::FromUnixMillis(now->get<int64_t>());
  }
  absl::Time time;
  std::string error;
  for (const char* form :
       {"%Y-%m-%dT%H:%M:%E*S%Ez", "%Y-%m-%dT%H:%M:%E*S", "%Y-%m-%d %H:%M:%E*S", "%Y-%m-%d"}) {
    if (absl::ParseTime(form, text, &time, &error)) return time;
  }
  return absl::InvalidArgumentError(absl::StrCat("reads no time from '", ToUtf8(text), "'"));
}

Result Date(const Json& value, const Arguments& arguments, const TemplateScope& scope) {
  if (value.is_null()) return "";
  STILE_ASSIGN_OR_RETURN(const absl::Time time, TimeOf(value, scope));
  const std::string form = absl::StrReplaceAll(TextAt(arguments, 0), {{"%N", "%E9f"}});
  return absl::FormatTime(form, time, absl::UTCTimeZone());
}

// ---- lists ------------------------------------------------------------------------------------

Result Size(const Json& value, const Arguments&, const TemplateScope&) { return SizeOf(value); }

Result End(const Json& value, bool first) {
  if (value.is_null()) return Json();
  if (!value.is_array()) return Unfit("lists", value);
  if (value.empty()) return Json();
  return first ? value.front() : value.back();
}

Result First(const Json& value, const Arguments&, const TemplateScope&) { return End(value, true); }
Result Last(const Json& value, const Arguments&, const TemplateScope&) { return End(value, false); }

Result Join(const Json& value, const Arguments& arguments, const TemplateScope&) {
  if (!value.is_array()) return Unfit("lists", value);
  std::vector<std::string> parts;
  for (const Json& item : value) parts.push_back(TemplateText(item));
  return absl::StrJoin(parts, TextAt(arguments, 0, " "));
}

Json MemberOrNull(const Json& item, const std::string& key) {
  return item.is_object() ? item.value(key, Json()) : Json();
}

Result Map(const Json& value, const Arguments& arguments, const TemplateScope&) {
  if (!value.is_array()) return Unfit("lists", value);
  Json list = Json::array();
  for (const Json& item : value) list.push_back(MemberOrNull(item, TextAt(arguments, 0)));
  return list;
}

Result Where(const Json& value, const Arguments& arguments, const TemplateScope&) {
  if (!value.is_array()) return Unfit("lists", value);
  Json list = Json::array();
  for (const Json& item : value) {
    const Json member = MemberOrNull(item, TextAt(arguments, 0));
    const bool fits =
        arguments.size() > 1 ? member == arguments[1] : !member.is_null() && member != false;
    if (fits) list.push_back(item);
  }
  return list;
}

// By a member, where one is named.
Result Sort(const Json& value, const Arguments& arguments, const TemplateScope&) {
  if (!value.is_array()) return Unfit("lists", value);
  std::vector<Json> list(value.begin(), value.end());
  const auto key = [&](const Json& item) {
    return arguments.empty() ? item : MemberOrNull(item, TextAt(arguments, 0));
  };
  std::stable_sort(list.begin(), list.end(),
                   [&](const Json& a, const Json& b) { return key(a) < key(b); });
  return Json(list);
}

Result Uniq(const Json& value, const Arguments&, const TemplateScope&) {
  if (!value.is_array()) return Unfit("lists", value);
  Json list = Json::array();
  std::set<std::string> seen;
  for (const Json& item : value) {
    if (seen.insert(DumpJson(item)).second) list.push_back(item);
  }
  return list;
}

Result Compact(const Json& value, const Arguments&, const TemplateScope&) {
  if (!value.is_array()) return Unfit("lists", value);
  Json list = Json::array();
  for (const Json& item : value) {
    if (!item.is_null()) list.push_back(item);
  }
  return list;
}

Result Reverse(const Json& value, const Arguments&, const TemplateScope&) {
  if (!value.is_array()) return Unfit("lists", value);
  return Json(std::vector<Json>(value.rbegin(), value.rend()));
}

Result Concat(const Json& value, const Arguments& arguments, const TemplateScope&) {
  if (!value.is_array()) return Unfit("lists", value);
  if (!arguments[0].is_array()) return Unfit("lists", arguments[0]);
  Json list = value;
  list.insert(list.end(), arguments[0].begin(), arguments[0].end());
  return list;
}

Result Flatten(const Json& value, const Arguments&, const TemplateScope&) {
  if (!value.is_array()) return Unfit("lists", value);
  Json list = Json::array();
  for (const Json& item : value) {
    if (item.is_array()) {
      list.insert(list.end(), item.begin(), item.end());
    } else {
      list.push_back(item);
    }
  }
  return list;
}

Result Sum(const Json& value, const Arguments& arguments, const TemplateScope&) {
  if (!value.is_array()) return Unfit("lists", value);
  double sum = 0;
  for (const Json& item : value) {
    const Json number = arguments.empty() ? item : MemberOrNull(item, TextAt(arguments, 0));
    STILE_ASSIGN_OR_RETURN(const double one, NumberOf(number));
    sum += one;
  }
  return JsonNumber(sum);
}

// Of a list or a text: from a place, which counts from the end where it is negative.
Result Slice(const Json& value, const Arguments& arguments, const TemplateScope&) {
  STILE_ASSIGN_OR_RETURN(const double from, NumberOf(arguments[0]));
  STILE_ASSIGN_OR_RETURN(const double count,
                         NumberOf(arguments.size() > 1 ? arguments[1] : Json(1)));
  const auto size = static_cast<double>(SizeOf(value).get<int64_t>());
  const double begin = std::clamp(from < 0 ? size + from : from, 0.0, size);
  const double end = std::clamp(begin + count, begin, size);
  const auto at = static_cast<size_t>(begin);
  const auto length = static_cast<size_t>(end - begin);
  if (value.is_array()) {
    return Json(std::vector<Json>(value.begin() + static_cast<ptrdiff_t>(at),
                                  value.begin() + static_cast<ptrdiff_t>(at + length)));
  }
  const std::string text = TemplateText(value);
  const size_t skipped = FirstCharacters(text, at).size();
  return std::string(FirstCharacters(absl::string_view(text).substr(skipped), length));
}

// ---- values -----------------------------------------------------------------------------------

Result Default(const Json& value, const Arguments& arguments, const TemplateScope&) {
  const bool is_nothing =
      value.is_null() || value == false || value == "" || (value.is_array() && value.empty());
  return is_nothing ? arguments[0] : value;
}

Result ToJson(const Json& value, const Arguments& arguments, const TemplateScope&) {
  const bool is_indented = !arguments.empty() && arguments[0].is_number_integer();
  if (!is_indented) return DumpJson(value);
  const int64_t indent = std::clamp<int64_t>(arguments[0].get<int64_t>(), 0, 8);
  return value.dump(static_cast<int>(indent), ' ', false, Json::error_handler_t::replace);
}

Result FromJson(const Json& value, const Arguments&, const TemplateScope&) {
  if (!value.is_string()) return value;
  return ParseJson(value.get_ref<const std::string&>());
}

// `"key" | memory_get: "namespace"`; nothing where there is no such key.
Result MemoryGet(const Json& value, const Arguments& arguments, const TemplateScope& scope) {
  const std::string space = TextAt(arguments, 0);
  const Json* const memory = scope.Find("memory");
  const Json* const spaces = scope.Find("memory_spaces");
  const Json* const by_name =
      spaces == nullptr || space.empty() || !spaces->contains(space) ? nullptr : &(*spaces)[space];
  const Json* const from = by_name != nullptr ? by_name : space.empty() ? memory : nullptr;
  return from == nullptr ? Json() : MemberOrNull(*from, TemplateText(value));
}

struct FilterRow {
  const char* name;
  size_t least;  // arguments
  size_t most;
  Result (*apply)(const Json& value, const Arguments& arguments, const TemplateScope& scope);
};
constexpr FilterRow kFilters[] = {{"append", 1, 1, Append},
                                  {"capitalize", 0, 0, Capitalize},
                                  {"compact", 0, 0, Compact},
                                  {"concat", 1, 1, Concat},
                                  {"date", 1, 1, Date},
                                  {"default", 1, 1, Default},
                                  {"divided_by", 1, 1, DividedBy},
                                  {"downcase", 0, 0, Downcase},
                                  {"escape", 0, 0, Escape},
                                  {"first", 0, 0, First},
                                  {"flatten", 0, 0, Flatten},
                                  {"join", 0, 1, Join},
                                  {"json", 0, 1, ToJson},
                                  {"last", 0, 0, Last},
                                  {"map", 1, 1, Map},
                                  {"memory_get", 0, 1, MemoryGet},
                                  {"minus", 1, 1, Minus},
                                  {"modulo", 1, 1, Modulo},
                                  {"parse_json", 0, 0, FromJson},
                                  {"plus", 1, 1, Plus},
                                  {"prepend", 1, 1, Prepend},
                                  {"remove", 1, 1, Remove},
                                  {"replace", 1, 2, Replace},
                                  {"reverse", 0, 0, Reverse},
                                  {"round", 0, 1, Round},
                                  {"safe_label", 0, 0, SafeLabel},
                                  {"shell_escape", 0, 0, ShellEscape},
                                  {"size", 0, 0, Size},
                                  {"slice", 1, 2, Slice},
                                  {"sort", 0, 1, Sort},
                                  {"split", 1, 1, Split},
                                  {"strip", 0, 0, Strip},
                                  {"sum", 0, 1, Sum},
                                  {"times", 1, 1, Times},
                                  {"to_json", 0, 1, ToJson},
                                  {"truncate", 0, 2, Truncate},
                                  {"uniq", 0, 0, Uniq},
                                  {"upcase", 0, 0, Upcase},
                                  {"where", 1, 2, Where}};

const FilterRow* Find(absl::string_view name) {
  const auto* const row = std::find_if(std::begin(kFilters), std::end(kFilters),
                                       [&](const FilterRow& known) { return name == known.name; });
  return row == std::end(kFilters) ? nullptr : row;
}

}  // namespace

Json SizeOf(const Json& value) {
  if (value.is_string()) return CountCharacters(value.get_ref<const std::string&>());
  if (value.is_array() || value.is_object()) return value.size();
  return 0;
}

absl::Status CheckFilter(absl::string_view name, size_t arguments) {
  const FilterRow* const row = Find(name);
  if (row == nullptr) {
    return absl::InvalidArgumentError(
        absl::StrCat("there is no filter '", ToUtf8(name), "'; there are ",
                     absl::StrJoin(kFilters, ", ", [](std::string* out, const FilterRow& known) {
                       absl::StrAppend(out, known.name);
                     })));
  }
  if (arguments >= row->least && arguments <= row->most) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("the filter '", name, "' takes ", row->least,
                   row->most > row->least ? absl::StrCat(" to ", row->most) : "",
                   row->most == 1 ? " argument, not " : " arguments, not ", arguments));
}

absl::StatusOr<Json> ApplyFilter(absl::string_view name, const Json& value,
                                 const std::vector<Json>& arguments, const TemplateScope& scope) {
  STILE_RETURN_IF_ERROR(CheckFilter(name, arguments.size()));
  Result result = Find(name)->apply(value, arguments, scope);
  if (result.ok()) return result;
  return absl::InvalidArgumentError(
      absl::StrCat("the filter '", name, "' ", result.status().message()));
}

}  // namespace stile
