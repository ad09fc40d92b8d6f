#include "runtime/template/template_value.h"

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "runtime/base/status.h"
#include "runtime/base/text.h"
#include "runtime/template/template_filters.h"

namespace stile {
namespace {

constexpr int kMaxDepth = 20;

bool IsNameByte(char c) { return IsIdentifierByte(c) || c == '-'; }

std::optional<Json> Element(const Json& list, int64_t index) {
  const auto size = static_cast<int64_t>(list.size());
  if (index < 0) index += size;
  if (index < 0 || index >= size) return std::nullopt;
  return list[static_cast<size_t>(index)];
}

std::optional<Json> MemberOf(const Json& value, const std::string& key) {
  if (value.is_object()) {
    const auto found = value.find(key);
    if (found != value.end()) return *found;
    return key == "size" ? std::optional<Json>(value.size()) : std::nullopt;
  }
  const bool is_size = key == "size" || key == "length";
  if (is_size && (value.is_array() || value.is_string())) return SizeOf(value);
  if (!value.is_array() || value.empty()) return std::nullopt;
  if (key == "first") return value.front();
  if (key == "last") return value.back();
  return std::nullopt;
}

class Reader {
 public:
  explicit Reader(absl::string_view text) : text_(text) {}

  absl::StatusOr<TemplateExpression> Expression() {
    TemplateExpression expression;
    STILE_ASSIGN_OR_RETURN(expression.operand, Operand(0));
    while (Take("|")) {
      TemplateFilter filter;
      filter.name = Word();
      if (Take(":")) {
        do {
          STILE_ASSIGN_OR_RETURN(TemplateOperand argument, Operand(0));
          filter.arguments.push_back(std::move(argument));
        } while (Take(","));
      }
      STILE_RETURN_IF_ERROR(CheckFilter(filter.name, filter.arguments.size()));
      expression.filters.push_back(std::move(filter));
    }
    return expression;
  }

  absl::StatusOr<TemplateCondition> Condition() {
    TemplateCondition condition;
    for (;;) {
      TemplateCondition::Comparison comparison;
      STILE_ASSIGN_OR_RETURN(comparison.left, Expression());
      for (const char* sign : {"==", "!=", "<=", ">=", "<", ">"}) {
        if (!Take(sign)) continue;
        comparison.sign = sign;
        break;
      }
      if (comparison.sign.empty() && TakeWord("contains")) comparison.sign = "contains";
      if (!comparison.sign.empty()) {
        STILE_ASSIGN_OR_RETURN(comparison.right, Expression());
      }
      condition.comparisons.push_back(std::move(comparison));
      if (TakeWord("and")) {
        condition.is_and.push_back(true);
      } else if (TakeWord("or")) {
        condition.is_and.push_back(false);
      } else {
        return condition;
      }
    }
  }

  absl::Status End() {
    Skip();
    if (at_ == text_.size()) return absl::OkStatus();
    return absl::InvalidArgumentError(
        absl::StrCat("'", ToUtf8(text_.substr(at_)), "' is not understood there"));
  }

 private:
  void Skip() {
    while (at_ < text_.size() && absl::ascii_isspace(static_cast<unsigned char>(text_[at_]))) ++at_;
  }

  bool Take(absl::string_view sign) {
    Skip();
    if (!absl::StartsWith(text_.substr(at_), sign)) return false;
    at_ += sign.size();
    return true;
  }

  bool TakeWord(absl::string_view word) {
    Skip();
    const absl::string_view rest = text_.substr(at_);
    const bool is_word = absl::StartsWith(rest, word) &&
                         (rest.size() == word.size() || !IsNameByte(rest[word.size()]));
    if (is_word) at_ += word.size();
    return is_word;
  }

  std::string Word() {
    Skip();
    const size_t begin = at_;
    while (at_ < text_.size() && IsNameByte(text_[at_])) ++at_;
    return std::string(text_.substr(begin, at_ - begin));
  }

  absl::StatusOr<std::string> Quoted() {
    const char quote = text_[at_];
    const size_t end = text_.find(quote, at_ + 1);
    if (end == absl::string_view::npos) {
      return absl::InvalidArgumentError("a string in it does not end");
    }
    const std::string value(text_.substr(at_ + 1, end - at_ - 1));
    at_ = end + 1;
    return value;
  }

  absl::StatusOr<TemplateOperand> Operand(int depth) {
    if (depth > kMaxDepth) return absl::InvalidArgumentError("it is nested too deeply");
    Skip();
    const size_t begin = at_;
    TemplateOperand operand;
    if (at_ == text_.size()) return absl::InvalidArgumentError("a name or a value is missing");
    const char first = text_[at_];
    if (first == '"' || first == '\'') {
      STILE_ASSIGN_OR_RETURN(operand.literal, Quoted());
    } else if (Take("[")) {
      operand.literal = Json::array();
      if (!Take("]")) return absl::InvalidArgumentError("of lists only [] can be written");
    } else if (absl::ascii_isdigit(static_cast<unsigned char>(first)) || first == '-') {
      size_t end = at_ + 1;
      while (end < text_.size() &&
             (absl::ascii_isdigit(static_cast<unsigned char>(text_[end])) || text_[end] == '.')) {
        ++end;
      }
      const absl::string_view digits = text_.substr(at_, end - at_);
      int64_t whole = 0;
      double number = 0;
      if (absl::SimpleAtoi(digits, &whole)) {
        operand.literal = whole;
      } else if (absl::SimpleAtod(digits, &number)) {
        operand.literal = number;
      } else {
        return absl::InvalidArgumentError(absl::StrCat("'", ToUtf8(digits), "' is no number"));
      }
      at_ = end;
    } else {
      STILE_RETURN_IF_ERROR(Path(depth, &operand));
    }
    operand.text = std::string(text_.substr(begin, at_ - begin));
    return operand;
  }

  absl::Status Path(int depth, TemplateOperand* operand) {
    const std::string name = Word();
    if (name.empty()) {
      return absl::InvalidArgumentError(
          absl::StrCat("'", ToUtf8(text_.substr(at_)), "' is no name and no value"));
    }
    if (name == "true" || name == "false") {
      operand->literal = name == "true";
      return absl::OkStatus();
    }
    if (name == "null" || name == "nil") return absl::OkStatus();
    if (name == "empty" || name == "blank") {
      operand->is_empty = true;
      return absl::OkStatus();
    }
    operand->name = name;
    while (at_ < text_.size() && (text_[at_] == '.' || text_[at_] == '[')) {
      TemplateOperand::Part part;
      if (text_[at_++] == '.') {
        part.key = Word();
        if (part.key.empty()) return absl::InvalidArgumentError("a name is missing behind '.'");
      } else {
        STILE_ASSIGN_OR_RETURN(TemplateOperand inner, Operand(depth + 1));
        part.operand.push_back(std::move(inner));
        if (!Take("]")) return absl::InvalidArgumentError("a ']' is missing");
      }
      operand->parts.push_back(std::move(part));
    }
    return absl::OkStatus();
  }

  const absl::string_view text_;
  size_t at_ = 0;
};

absl::StatusOr<Json> Filtered(const TemplateFilter& filter, const Json& value,
                              const TemplateScope& scope) {
  std::vector<Json> arguments;
  for (const TemplateOperand& argument : filter.arguments) {
    std::optional<Json> given = argument.Value(scope);
    if (!given.has_value()) {
      return absl::NotFoundError(absl::StrCat("there is no ", argument.text));
    }
    arguments.push_back(*std::move(given));
  }
  return ApplyFilter(filter.name, value, arguments, scope);
}

bool IsTemplateTrue(const Json& value) { return !value.is_null() && value != false; }

bool IsEmpty(const Json& value) {
  return value.is_null() || value == "" || (value.is_structured() && value.empty());
}

bool Compare(const Json& left, absl::string_view sign, const Json& right) {
  if (sign == "==") return left == right;
  if (sign == "!=") return left != right;
  if (sign == "contains") {
    if (left.is_string()) return absl::StrContains(left.get<std::string>(), TemplateText(right));
    if (left.is_object()) return left.contains(TemplateText(right));
    return left.is_array() && std::find(left.begin(), left.end(), right) != left.end();
  }
  const bool comparable =
      (left.is_number() && right.is_number()) || (left.is_string() && right.is_string());
  if (!comparable) return false;
  if (sign == "<") return left < right;
  if (sign == "<=") return left <= right;
  if (sign == ">") return right < left;
  return right <= left;
}

}  // namespace

void TemplateScope::Restore(const std::string& name, std::optional<Json> value) {
  if (value.has_value()) {
    locals_[name] = *std::move(value);
  } else {
    locals_.erase(name);
  }
}

std::optional<Json> TemplateScope::Local(const std::string& name) const {
  const auto found = locals_.find(name);
  return found == locals_.end() ? std::nullopt : std::optional<Json>(found->second);
}

const Json* TemplateScope::Find(const std::string& name) const {
  const auto local = locals_.find(name);
  if (local != locals_.end()) return &local->second;
  if (!globals_->is_object()) return nullptr;
  const auto global = globals_->find(name);
  return global == globals_->end() ? nullptr : &*global;
}

std::optional<Json> TemplateOperand::Value(const TemplateScope& scope) const {
  if (name.empty()) return literal;
  const Json* const found = scope.Find(name);
  if (found == nullptr) return std::nullopt;
  Json value = *found;
  for (const Part& part : parts) {
    std::optional<Json> next;
    if (part.operand.empty()) {
      next = MemberOf(value, part.key);
    } else {
      const std::optional<Json> index = part.operand[0].Value(scope);
      if (!index.has_value()) return std::nullopt;
      if (index->is_number_integer() && value.is_array()) {
        next = Element(value, index->get<int64_t>());
      } else if (index->is_string()) {
        next = MemberOf(value, index->get<std::string>());
      }
    }
    if (!next.has_value()) return std::nullopt;
    value = *std::move(next);
  }
  return value;
}

absl::StatusOr<Json> TemplateExpression::Value(const TemplateScope& scope) const {
  std::optional<Json> found = operand.Value(scope);
  const bool has_default = std::any_of(filters.begin(), filters.end(),
                                       [](const auto& filter) { return filter.name == "default"; });
  if (!found.has_value() && !has_default) {
    return absl::NotFoundError(
        absl::StrCat("there is no ", ToUtf8(operand.text), "; `| default: …` says what else"));
  }
  Json value = found.has_value() ? *std::move(found) : Json();
  for (const TemplateFilter& filter : filters) {
    STILE_ASSIGN_OR_RETURN(value, Filtered(filter, value, scope));
  }
  return value;
}

absl::StatusOr<bool> TemplateCondition::Holds(const TemplateScope& scope) const {
  const auto value_of = [&](const TemplateExpression& expression) -> absl::StatusOr<Json> {
    absl::StatusOr<Json> value = expression.Value(scope);
    if (absl::IsNotFound(value.status())) return Json();
    return value;
  };
  bool holds = false;
  for (size_t i = comparisons.size(); i-- > 0;) {
    const Comparison& comparison = comparisons[i];
    STILE_ASSIGN_OR_RETURN(const Json left, value_of(comparison.left));
    bool one = IsTemplateTrue(left);
    if (!comparison.sign.empty()) {
      STILE_ASSIGN_OR_RETURN(const Json right, value_of(comparison.right));
      const bool asks = comparison.right.operand.is_empty;
      one =
          asks ? IsEmpty(left) == (comparison.sign == "==") : Compare(left, comparison.sign, right);
    }
    if (i + 1 == comparisons.size()) {
      holds = one;
    } else {
      holds = is_and[i] ? one && holds : one || holds;
    }
  }
  return holds;
}

absl::StatusOr<TemplateExpression> ParseTemplateExpression(absl::string_view text) {
  Reader reader(text);
  STILE_ASSIGN_OR_RETURN(TemplateExpression expression, reader.Expression());
  STILE_RETURN_IF_ERROR(reader.End());
  return expression;
}

absl::StatusOr<TemplateCondition> ParseTemplateCondition(absl::string_view text) {
  Reader reader(text);
  STILE_ASSIGN_OR_RETURN(TemplateCondition condition, reader.Condition());
  STILE_RETURN_IF_ERROR(reader.End());
  return condition;
}

std::string TemplateText(const Json& value) {
  if (value.is_null()) return "";
  if (value.is_string()) return value.get<std::string>();
  return DumpJson(value);
}

}  // namespace stile
