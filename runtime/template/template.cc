#include "runtime/template/template.h"

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "runtime/base/status.h"
#include "runtime/base/text.h"
#include "runtime/template/template_pieces.h"
#include "runtime/template/template_value.h"

namespace stile {
namespace {

constexpr int kMaxDepth = 100;

struct Node {
  enum class Kind { kText, kOutput, kIf, kCase, kFor, kAssign, kCapture } kind = Kind::kText;
  int line = 1;
  std::string text;                        // kText; the variable of kFor, kAssign and kCapture
  TemplateExpression expression;           // kOutput, kCase, kFor (the list), kAssign
  bool is_reversed = false;                // kFor
  std::vector<TemplateExpression> limit;   // kFor: one, or none
  std::vector<TemplateExpression> offset;  // kFor: one, or none
  struct Branch {
    TemplateCondition condition;             // kIf
    std::vector<TemplateExpression> values;  // kCase: any of them
    bool is_negated = false;                 // unless
    bool is_else = false;
    std::vector<Node> nodes;
  };
  // kIf and kCase; of kFor the body, and what stands for nothing; of kCapture the body.
  std::vector<Branch> branches;
};

}  // namespace

struct Template::Block {
  std::vector<Node> nodes;
};

namespace {

bool IsVariable(absl::string_view name) {
  return !name.empty() && !absl::ascii_isdigit(static_cast<unsigned char>(name[0])) &&
         std::all_of(name.begin(), name.end(), IsIdentifierByte);
}

absl::Status AtLine(const absl::Status& status, int line) {
  return status.ok() ? status : TemplateErrorAt(line, status.message());
}

// "if x == 1" → {"if", "x == 1"}.
std::pair<absl::string_view, absl::string_view> SplitTag(absl::string_view tag) {
  const size_t end = std::min(tag.find_first_of(" \t\r\n"), tag.size());
  return {tag.substr(0, end), absl::StripAsciiWhitespace(tag.substr(end))};
}

class Parser {
 public:
  explicit Parser(std::vector<TemplatePiece> pieces) : pieces_(std::move(pieces)) {}

  // Up to a tag that ends or continues the block around, which is left where it is.
  absl::StatusOr<std::vector<Node>> Nodes(int depth) {
    std::vector<Node> nodes;
    for (; at_ < pieces_.size(); ++at_) {
      const TemplatePiece& piece = pieces_[at_];
      Node node;
      node.line = piece.line;
      if (piece.kind == TemplatePiece::Kind::kText) {
        node.text = std::string(piece.text);
      } else if (piece.kind == TemplatePiece::Kind::kOutput) {
        node.kind = Node::Kind::kOutput;
        STILE_RETURN_IF_ERROR(Read(piece.text, piece.line, &node.expression));
      } else {
        const auto [tag, rest] = SplitTag(piece.text);
        if (tag == "else" || tag == "elsif" || tag == "when" || absl::StartsWith(tag, "end")) {
          return nodes;
        }
        if (depth > kMaxDepth) return TemplateErrorAt(piece.line, "it is nested too deeply");
        if (tag == "if" || tag == "unless") {
          STILE_RETURN_IF_ERROR(If(depth, &node));
        } else if (tag == "for") {
          STILE_RETURN_IF_ERROR(For(depth, &node));
        } else if (tag == "case") {
          STILE_RETURN_IF_ERROR(Case(depth, &node));
        } else if (tag == "capture") {
          STILE_RETURN_IF_ERROR(Capture(depth, &node));
        } else if (tag == "assign") {
          node.kind = Node::Kind::kAssign;
          const std::vector<absl::string_view> sides =
              absl::StrSplit(rest, absl::MaxSplits('=', 1));
          node.text = std::string(absl::StripAsciiWhitespace(sides[0]));
          if (sides.size() != 2 || !IsVariable(node.text)) {
            return TemplateErrorAt(piece.line, "assign wants `name = value`");
          }
          STILE_RETURN_IF_ERROR(Read(sides[1], piece.line, &node.expression));
        } else {
          return TemplateErrorAt(
              piece.line, absl::StrCat("there is no tag '", ToUtf8(tag),
                                       "'; there are if, unless, case, for, assign, capture, raw, "
                                       "comment"));
        }
      }
      nodes.push_back(std::move(node));
    }
    return nodes;
  }

  absl::Status End() const {
    if (at_ == pieces_.size()) return absl::OkStatus();
    return TemplateErrorAt(pieces_[at_].line, absl::StrCat("'", ToUtf8(pieces_[at_].text),
                                                           "' belongs to nothing before it"));
  }

 private:
  static absl::Status Read(absl::string_view text, int line, TemplateExpression* expression) {
    absl::StatusOr<TemplateExpression> parsed = ParseTemplateExpression(text);
    if (!parsed.ok()) return AtLine(parsed.status(), line);
    *expression = *std::move(parsed);
    return absl::OkStatus();
  }

  // Goes behind the end tag, on which the caller's loop then steps.
  absl::Status If(int depth, Node* node) {
    node->kind = Node::Kind::kIf;
    const std::string word(SplitTag(pieces_[at_].text).first);
    for (bool is_first = true;; is_first = false) {
      const TemplatePiece& piece = pieces_[at_];
      const auto [tag, rest] = SplitTag(piece.text);
      if (!is_first && tag == absl::StrCat("end", word)) return absl::OkStatus();
      Node::Branch branch;
      branch.is_else = tag == "else";
      branch.is_negated = is_first && word == "unless";
      const bool may_follow = !node->branches.empty() && !node->branches.back().is_else;
      if (!is_first && !((tag == "else" || tag == "elsif") && may_follow)) {
        return TemplateErrorAt(piece.line, absl::StrCat("'", ToUtf8(tag), "' does not belong to '",
                                                        word, "' of line ", node->line));
      }
      if (!branch.is_else) {
        absl::StatusOr<TemplateCondition> condition = ParseTemplateCondition(rest);
        if (!condition.ok()) return AtLine(condition.status(), piece.line);
        branch.condition = *std::move(condition);
      }
      STILE_RETURN_IF_ERROR(Body(depth, node->line, word, &branch.nodes));
      node->branches.push_back(std::move(branch));
    }
  }

  // `list reversed limit: 3 offset: 1`, in any order behind the list.
  static absl::Status ReadLoop(absl::string_view text, Node* node) {
    std::vector<absl::string_view> words =
        absl::StrSplit(text, absl::ByAnyChar(" \t\r\n"), absl::SkipEmpty());
    for (size_t i = 1; i < words.size(); ++i) {
      const absl::string_view word = words[i];
      const bool is_count = absl::StartsWith(word, "limit:") || absl::StartsWith(word, "offset:");
      if (word != "reversed" && !is_count) continue;
      // What stands before the first of them is the list.
      const absl::string_view list = text.substr(0, static_cast<size_t>(word.data() - text.data()));
      STILE_RETURN_IF_ERROR(Read(list, node->line, &node->expression));
      for (; i < words.size(); ++i) {
        absl::string_view part = words[i];
        if (part == "reversed") {
          node->is_reversed = true;
          continue;
        }
        const bool is_limit = absl::ConsumePrefix(&part, "limit:");
        if (!is_limit && !absl::ConsumePrefix(&part, "offset:")) {
          return TemplateErrorAt(node->line,
                                 absl::StrCat("'", ToUtf8(part), "' is not understood there"));
        }
        if (part.empty() && i + 1 < words.size()) part = words[++i];
        auto& count = is_limit ? node->limit : node->offset;
        count.resize(1);
        STILE_RETURN_IF_ERROR(Read(part, node->line, &count[0]));
      }
      return absl::OkStatus();
    }
    return Read(text, node->line, &node->expression);
  }

  absl::Status Case(int depth, Node* node) {
    node->kind = Node::Kind::kCase;
    STILE_RETURN_IF_ERROR(Read(SplitTag(pieces_[at_].text).second, node->line, &node->expression));
    // Nothing counts that stands before the first `when`.
    std::vector<Node> before;
    STILE_RETURN_IF_ERROR(Body(depth, node->line, "case", &before));
    for (;;) {
      const TemplatePiece& piece = pieces_[at_];
      const auto [tag, rest] = SplitTag(piece.text);
      if (tag == "endcase") return absl::OkStatus();
      Node::Branch branch;
      branch.is_else = tag == "else";
      if (tag != "when" && tag != "else") {
        return TemplateErrorAt(
            piece.line,
            absl::StrCat("'", ToUtf8(tag), "' does not belong to 'case' of line ", node->line));
      }
      if (!branch.is_else) {
        for (const absl::string_view value : absl::StrSplit(rest, absl::ByAnyChar(","))) {
          for (const absl::string_view one : absl::StrSplit(value, " or ")) {
            STILE_RETURN_IF_ERROR(Read(one, piece.line, &branch.values.emplace_back()));
          }
        }
      }
      STILE_RETURN_IF_ERROR(Body(depth, node->line, "case", &branch.nodes));
      node->branches.push_back(std::move(branch));
    }
  }

  absl::Status Capture(int depth, Node* node) {
    node->kind = Node::Kind::kCapture;
    node->text = std::string(SplitTag(pieces_[at_].text).second);
    if (!IsVariable(node->text)) return TemplateErrorAt(node->line, "capture wants a name");
    node->branches.resize(1);
    STILE_RETURN_IF_ERROR(Body(depth, node->line, "capture", &node->branches[0].nodes));
    if (pieces_[at_].text == "endcapture") return absl::OkStatus();
    return TemplateErrorAt(pieces_[at_].line,
                           absl::StrCat("'", ToUtf8(pieces_[at_].text),
                                        "' does not belong to 'capture' of line ", node->line));
  }

  absl::Status For(int depth, Node* node) {
    node->kind = Node::Kind::kFor;
    const absl::string_view head = SplitTag(pieces_[at_].text).second;
    const auto [name, rest] = SplitTag(head);
    const auto [in, list] = SplitTag(rest);
    node->text = std::string(name);
    if (!IsVariable(node->text) || in != "in") {
      return TemplateErrorAt(node->line, "for wants `name in list`");
    }
    STILE_RETURN_IF_ERROR(ReadLoop(list, node));
    node->branches.resize(1);
    STILE_RETURN_IF_ERROR(Body(depth, node->line, "for", &node->branches[0].nodes));
    if (pieces_[at_].text == "else") {
      node->branches.resize(2);
      STILE_RETURN_IF_ERROR(Body(depth, node->line, "for", &node->branches[1].nodes));
    }
    if (pieces_[at_].text == "endfor") return absl::OkStatus();
    return TemplateErrorAt(pieces_[at_].line,
                           absl::StrCat("'", ToUtf8(pieces_[at_].text),
                                        "' does not belong to 'for' of line ", node->line));
  }

  absl::Status Body(int depth, int line, absl::string_view word, std::vector<Node>* nodes) {
    ++at_;
    STILE_ASSIGN_OR_RETURN(*nodes, Nodes(depth + 1));
    if (at_ < pieces_.size()) return absl::OkStatus();
    return TemplateErrorAt(line, absl::StrCat("'", word, "' is not closed by 'end", word, "'"));
  }

  const std::vector<TemplatePiece> pieces_;
  size_t at_ = 0;
};

class Renderer {
 public:
  explicit Renderer(const Json* globals) : scope_(globals) {}

  absl::Status Render(const std::vector<Node>& nodes) {
    for (const Node& node : nodes) {
      if (++steps_ > Template::kMaxSteps) {
        return absl::ResourceExhaustedError(
            absl::StrCat("line ", node.line, ": the template takes too many steps"));
      }
      STILE_RETURN_IF_ERROR(Render(node));
      if (text_.size() > Template::kMaxBytes) {
        return absl::ResourceExhaustedError(absl::StrCat(
            "line ", node.line, ": the text gets longer than ", Template::kMaxBytes >> 20, " MiB"));
      }
    }
    return absl::OkStatus();
  }

  std::string& text() { return text_; }

 private:
  absl::Status Render(const Node& node) {
    switch (node.kind) {
      case Node::Kind::kText:
        text_ += node.text;
        return absl::OkStatus();
      case Node::Kind::kOutput: {
        const absl::StatusOr<Json> value = node.expression.Value(scope_);
        if (!value.ok()) return AtLine(value.status(), node.line);
        text_ += TemplateText(*value);
        return absl::OkStatus();
      }
      case Node::Kind::kAssign: {
        absl::StatusOr<Json> value = node.expression.Value(scope_);
        if (!value.ok()) return AtLine(value.status(), node.line);
        scope_.Set(node.text, *std::move(value));
        return absl::OkStatus();
      }
      case Node::Kind::kIf:
        for (const Node::Branch& branch : node.branches) {
          if (!branch.is_else) {
            const absl::StatusOr<bool> holds = branch.condition.Holds(scope_);
            if (!holds.ok()) return AtLine(holds.status(), node.line);
            if (*holds == branch.is_negated) continue;
          }
          return Render(branch.nodes);
        }
        return absl::OkStatus();
      case Node::Kind::kFor:
        return RenderLoop(node);
      case Node::Kind::kCase:
        return RenderCase(node);
      case Node::Kind::kCapture: {
        std::string outside = std::exchange(text_, "");
        STILE_RETURN_IF_ERROR(Render(node.branches[0].nodes));
        scope_.Set(node.text, std::exchange(text_, std::move(outside)));
        return absl::OkStatus();
      }
    }
    return absl::InternalError("unknown node");
  }

  absl::Status RenderCase(const Node& node) {
    const absl::StatusOr<Json> value = node.expression.Value(scope_);
    if (!value.ok() && !absl::IsNotFound(value.status())) return AtLine(value.status(), node.line);
    for (const Node::Branch& branch : node.branches) {
      bool fits = branch.is_else;
      for (const TemplateExpression& one : branch.values) {
        const absl::StatusOr<Json> wanted = one.Value(scope_);
        if (!wanted.ok()) return AtLine(wanted.status(), node.line);
        fits = fits || (value.ok() && *value == *wanted);
      }
      if (fits) return Render(branch.nodes);
    }
    return absl::OkStatus();
  }

  // The items of a loop, in its order.
  absl::StatusOr<Json> ItemsOf(const Node& node) {
    STILE_ASSIGN_OR_RETURN(const Json value, node.expression.Value(scope_));
    if (!value.is_structured() && !value.is_null()) {
      return absl::InvalidArgumentError(absl::StrCat(node.expression.operand.text, " is no list"));
    }
    std::vector<Json> items;
    for (auto it = value.begin(); it != value.end(); ++it) {
      items.push_back(value.is_object() ? Json::array({it.key(), it.value()}) : *it);
    }
    const auto count = [&](const std::vector<TemplateExpression>& given,
                           size_t otherwise) -> absl::StatusOr<size_t> {
      if (given.empty()) return otherwise;
      STILE_ASSIGN_OR_RETURN(const Json number, given[0].Value(scope_));
      if (!number.is_number_integer() || number.get<int64_t>() < 0) {
        return absl::InvalidArgumentError("limit and offset want numbers");
      }
      return std::min(number.get<size_t>(), items.size());
    };
    STILE_ASSIGN_OR_RETURN(const size_t offset, count(node.offset, 0));
    STILE_ASSIGN_OR_RETURN(const size_t limit, count(node.limit, items.size()));
    items.erase(items.begin(), items.begin() + static_cast<ptrdiff_t>(offset));
    items.resize(std::min(items.size(), limit));
    if (node.is_reversed) std::reverse(items.begin(), items.end());
    return Json(std::move(items));
  }

  absl::Status RenderLoop(const Node& node) {
    const absl::StatusOr<Json> list = ItemsOf(node);
    if (!list.ok()) return AtLine(list.status(), node.line);
    if (list->empty()) {
      return node.branches.size() > 1 ? Render(node.branches[1].nodes) : absl::OkStatus();
    }
    const std::optional<Json> hidden = scope_.Local(node.text);
    const std::optional<Json> outer = scope_.Local("forloop");
    for (size_t i = 0; i < list->size(); ++i, ++steps_) {
      scope_.Set(node.text, (*list)[i]);
      scope_.Set("forloop", {{"index", i + 1},
                             {"index0", i},
                             {"first", i == 0},
                             {"last", i + 1 == list->size()},
                             {"length", list->size()}});
      STILE_RETURN_IF_ERROR(Render(node.branches[0].nodes));
    }
    scope_.Restore(node.text, hidden);
    scope_.Restore("forloop", outer);
    return absl::OkStatus();
  }

  TemplateScope scope_;
  std::string text_;
  int steps_ = 0;
};

// Collects the names that a template takes from its scope.
class UseFinder {
 public:
  std::vector<TemplateUse> Find(const std::vector<Node>& nodes) {
    AddVariables(nodes);
    Visit(nodes);
    std::vector<TemplateUse> found;
    for (TemplateUse& use : uses_) {
      if (own_.count(use.path.front()) == 0) found.push_back(std::move(use));
    }
    return found;
  }

 private:
  void AddVariables(const std::vector<Node>& nodes) {
    for (const Node& node : nodes) {
      const bool declares = node.kind == Node::Kind::kAssign || node.kind == Node::Kind::kCapture ||
                            node.kind == Node::Kind::kFor;
      if (declares) own_.insert(node.text);
      for (const Node::Branch& branch : node.branches) AddVariables(branch.nodes);
    }
  }

  void Visit(const std::vector<Node>& nodes) {
    for (const Node& node : nodes) {
      line_ = node.line;
      Add(node.expression, node.kind == Node::Kind::kCase);
      for (const auto* counts : {&node.limit, &node.offset}) {
        for (const TemplateExpression& count : *counts) Add(count, false);
      }
      for (const Node::Branch& branch : node.branches) {
        line_ = node.line;
        for (const TemplateCondition::Comparison& one : branch.condition.comparisons) {
          Add(one.left, true);
          Add(one.right, true);
        }
        for (const TemplateExpression& value : branch.values) Add(value, false);
        Visit(branch.nodes);
      }
    }
  }

  void Add(const TemplateExpression& expression, bool may_be_missing) {
    const bool has_default =
        std::any_of(expression.filters.begin(), expression.filters.end(),
                    [](const TemplateFilter& filter) { return filter.name == "default"; });
    Add(expression.operand, may_be_missing || has_default);
    for (const TemplateFilter& filter : expression.filters) {
      for (const TemplateOperand& argument : filter.arguments) Add(argument, may_be_missing);
    }
  }

  void Add(const TemplateOperand& operand, bool may_be_missing) {
    if (operand.name.empty()) return;
    TemplateUse use = {{operand.name}, line_, may_be_missing};
    bool is_constant = true;
    std::vector<const TemplateOperand*> inner;
    for (const TemplateOperand::Part& part : operand.parts) {
      const TemplateOperand* const in_brackets = part.operand.empty() ? nullptr : &part.operand[0];
      if (in_brackets != nullptr && !in_brackets->name.empty()) inner.push_back(in_brackets);
      const bool is_name =
          in_brackets == nullptr || (in_brackets->name.empty() && in_brackets->literal.is_string());
      is_constant = is_constant && is_name;
      if (!is_constant) continue;
      use.path.push_back(in_brackets == nullptr ? part.key
                                                : in_brackets->literal.get<std::string>());
    }
    uses_.push_back(std::move(use));
    for (const TemplateOperand* one : inner) Add(*one, may_be_missing);
  }

  int line_ = 1;
  std::set<std::string> own_ = {"forloop"};
  std::vector<TemplateUse> uses_;
};

}  // namespace

std::vector<TemplateUse> Template::Uses() const { return UseFinder().Find(root_->nodes); }

absl::StatusOr<Template> Template::Parse(absl::string_view text) {
  STILE_ASSIGN_OR_RETURN(std::vector<TemplatePiece> pieces, SplitTemplate(text));
  Parser parser(std::move(pieces));
  auto root = std::make_shared<Block>();
  STILE_ASSIGN_OR_RETURN(root->nodes, parser.Nodes(0));
  STILE_RETURN_IF_ERROR(parser.End());
  return Template(std::move(root));
}

absl::StatusOr<std::string> Template::Render(const Json& scope) const {
  Renderer renderer(&scope);
  STILE_RETURN_IF_ERROR(renderer.Render(root_->nodes));
  return std::move(renderer.text());
}

}  // namespace stile
