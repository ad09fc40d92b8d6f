#include "validators/integrity/condition_syntax.h"

#include <algorithm>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "re2/re2.h"
#include "runtime/base/text.h"
#include "runtime/syntax/syntax_tree.h"
#include "validators/integrity/condition_ways.h"
#include "validators/integrity/preprocessor_regions.h"
#include "validators/integrity/python_regions.h"
#include "validators/integrity/rust_regions.h"

namespace stile {
namespace {

CodeDialect DialectOf(const std::string& path) {
  return absl::EndsWith(path, ".c")    ? CodeDialect::kC
         : absl::EndsWith(path, ".cs") ? CodeDialect::kCSharp
                                       : CodeDialect::kCpp;
}

bool IsHeader(const std::string& path) {
  static const RE2* const kHeader =
      new RE2(R"((?i).*\.(?:h|hh|hpp|hxx|h\+\+|inl|ipp|tpp|tcc|txx|inc))");
  return RE2::FullMatch(path, *kHeader);
}

// Whether the text itself sets the macro: the guard of a header.
bool Defines(absl::string_view text, const std::string& macro) {
  const RE2 define(absl::StrCat(R"(#\s*define\s+)", RE2::QuoteMeta(macro), R"(\b)"));
  return RE2::PartialMatch(re2::StringPiece(text.data(), text.size()), define);
}

class Preprocessor : public ConditionSyntax {
 public:
  std::vector<ConditionalRegion> Find(const ConditionedFile& file) const override {
    return PreprocessorRegions(file.text, DialectOf(file.path));
  }

  bool TellsConditions() const override { return true; }

  std::vector<BuildSwitches> Ways(absl::string_view text,
                                  const ConditionalRegion& region) const override {
    std::vector<BuildSwitches> ways;
    for (BuildSwitches way : WaysOfMacros(region.holds)) {
      // What the file defines itself is not defined where it begins.
      way.erase(std::remove_if(way.begin(), way.end(),
                               [&](const BuildSwitch& one) {
                                 return !one.value.has_value() && Defines(text, one.name);
                               }),
                way.end());
      if (!way.empty() && std::find(ways.begin(), ways.end(), way) == ways.end()) {
        ways.push_back(std::move(way));
      }
    }
    return ways;
  }

  std::string Set(const std::string& path, absl::string_view text,
                  const BuildSwitches& switches) const override {
    std::string lines;
    for (const BuildSwitch& one : switches) {
      if (one.kind != BuildSwitch::Kind::kMacro) continue;
      if (!one.value.has_value()) {
        absl::StrAppend(&lines, "#undef ", one.name, "\n");
      } else if (DialectOf(path) == CodeDialect::kCSharp) {
        absl::StrAppend(&lines, "#define ", one.name, "\n");
      } else if (IsHeader(path)) {  // what includes it has the last word
        absl::StrAppend(&lines, "#ifndef ", one.name, "\n#define ", one.name, " ", *one.value,
                        "\n#endif\n");
      } else {
        absl::StrAppend(&lines, "#undef ", one.name, "\n#define ", one.name, " ", *one.value, "\n");
      }
    }
    if (lines.empty()) return std::string(text);
    const absl::string_view mark = absl::ConsumePrefix(&text, "\xEF\xBB\xBF") ? "\xEF\xBB\xBF" : "";
    return absl::StrCat(mark, lines, "#line 1\n", text);
  }
};

// Regions that are found in the syntax tree.
class TreeConditions : public ConditionSyntax {
 public:
  std::vector<ConditionalRegion> Find(const ConditionedFile& file) const override {
    std::vector<ConditionalRegion> regions;
    if (!MayHoldAny(file.text) || file.grammar == nullptr) return regions;
    const auto tree = SyntaxTree::Parse(*file.grammar, file.text);
    if (!tree.ok()) return regions;
    WalkTree(tree->root(), [&](TSNode node) {
      AddRegions(node, file.text, &regions);
      return true;
    });
    std::stable_sort(regions.begin(), regions.end(),
                     [](const ConditionalRegion& a, const ConditionalRegion& b) {
                       return a.condition_line < b.condition_line;
                     });
    Complete(&regions);
    return regions;
  }

 private:
  // Texts for which this is false need no tree.
  virtual bool MayHoldAny(absl::string_view /*text*/) const { return true; }
  // Of the node, not of those below it.
  virtual void AddRegions(TSNode node, absl::string_view text,
                          std::vector<ConditionalRegion>* regions) const = 0;
  // With all regions of the file known and sorted.
  virtual void Complete(std::vector<ConditionalRegion>* /*regions*/) const {}
};

class CfgAttributes : public TreeConditions {
 public:
  bool TellsConditions() const override { return true; }
  std::vector<BuildSwitches> Ways(absl::string_view /*text*/,
                                  const ConditionalRegion& region) const override {
    return WaysOfCfg(region.holds);
  }

 private:
  bool MayHoldAny(absl::string_view text) const override { return absl::StrContains(text, "cfg"); }
  void AddRegions(TSNode node, absl::string_view text,
                  std::vector<ConditionalRegion>* regions) const override {
    AddRustRegions(node, text, regions);
  }
  void Complete(std::vector<ConditionalRegion>* regions) const override {
    AddPredicatesAround(regions);
  }
};

class TypeCheckers : public TreeConditions {
  void AddRegions(TSNode node, absl::string_view text,
                  std::vector<ConditionalRegion>* regions) const override {
    AddPythonRegions(node, text, regions);
  }
};

class FileConstraints : public ConditionSyntax {
 public:
  std::vector<BuildSwitches> WaysIntoFile(absl::string_view text) const override {
    for (absl::string_view line : SplitLines(text)) {
      line = absl::StripAsciiWhitespace(line);
      if (absl::ConsumePrefix(&line, "//go:build ")) return WaysOfGoConstraint(std::string(line));
      if (!line.empty() && !absl::StartsWith(line, "//")) break;
    }
    return {};
  }
};

}  // namespace

std::vector<ConditionalRegion> ConditionSyntax::Find(const ConditionedFile& /*file*/) const {
  return {};
}

std::vector<BuildSwitches> ConditionSyntax::Ways(absl::string_view /*text*/,
                                                 const ConditionalRegion& /*region*/) const {
  return {};
}

std::vector<BuildSwitches> ConditionSyntax::WaysIntoFile(absl::string_view /*text*/) const {
  return {};
}

std::string ConditionSyntax::Set(const std::string& /*path*/, absl::string_view text,
                                 const BuildSwitches& /*switches*/) const {
  return std::string(text);
}

const ConditionSyntax* PreprocessorConditions() {
  static const auto* const syntax = new Preprocessor;
  return syntax;
}

const ConditionSyntax* AttributeConditions() {
  static const auto* const syntax = new CfgAttributes;
  return syntax;
}

const ConditionSyntax* CheckerConditions() {
  static const auto* const syntax = new TypeCheckers;
  return syntax;
}

const ConditionSyntax* FileConditions() {
  static const auto* const syntax = new FileConstraints;
  return syntax;
}

}  // namespace stile
