// Lists the ways in which scripts/exercises may spoil a source file, by its syntax tree:
//
//   mutate MUTATIONS.yaml LANGUAGE FILE
//
// prints one JSON object a line, in the order of the text: {"kind", "line", "start", "end", "was",
// "text"}: the bytes [start, end) are `was` and are to become `text`. Exit status 2 for a mistake
// in the arguments or the mutations, 1 for a file that cannot be read or has syntax errors.
#include <algorithm>
#include <cstdio>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "runtime/base/status.h"
#include "runtime/base/text.h"
#include "runtime/base/yaml.h"
#include "runtime/syntax/query.h"
#include "runtime/workspace/file_system.h"

namespace stile {
namespace {

struct Mutation {
  std::string kind;
  int line = 0;
  uint32_t start = 0;
  uint32_t end = 0;
  std::string was;
  std::string text;
};

// What a rule makes of `was`; nullopt where it does not apply.
std::optional<std::string> Spoil(const Yaml& rule, absl::string_view was) {
  if (const Yaml* text = rule.Find("text")) return text->scalar;
  if (const Yaml* append = rule.Find("append")) return absl::StrCat(was, append->scalar);
  if (const Yaml* swap = rule.Find("swap")) {
    const Yaml* other = swap->Find(was);
    if (other == nullptr) return std::nullopt;
    return other->scalar;
  }
  int64_t number = 0;
  if (rule.Find("add") == nullptr || !absl::SimpleAtoi(was, &number)) return std::nullopt;
  return absl::StrCat(number + 1);
}

absl::Status Apply(const Grammar& grammar, const Yaml& rule, const std::string& kind,
                   const SyntaxTree& tree, absl::string_view source,
                   std::vector<Mutation>* mutations) {
  STILE_RETURN_IF_ERROR(CheckKeys(rule, {"query", "text", "append", "swap", "add"}));
  const Yaml* query = rule.Find("query");
  if (query == nullptr || rule.keys.size() != 2) return rule.Error("wants a query and one action");
  const auto compiled = SyntaxQuery::Compile(grammar, query->scalar);
  if (!compiled.ok()) return query->Error(compiled.status().message());
  (*compiled)->Run(tree, source, [&](const std::vector<SyntaxQuery::Capture>& captures) {
    for (const SyntaxQuery::Capture& capture : captures) {
      if (capture.name != "it") continue;
      const absl::string_view was = TextOf(capture.node, source);
      const std::optional<std::string> text = Spoil(rule, was);
      if (!text.has_value() || *text == was) continue;
      mutations->push_back({kind, static_cast<int>(ts_node_start_point(capture.node).row) + 1,
                            ts_node_start_byte(capture.node), ts_node_end_byte(capture.node),
                            std::string(was), *text});
    }
  });
  return absl::OkStatus();
}

absl::StatusOr<std::vector<Mutation>> ListMutations(const Yaml& mutations,
                                                    const std::string& language,
                                                    const std::string& source) {
  const Yaml* rules = mutations.Find(language);
  if (rules == nullptr) return mutations.Error("no mutations of this language");
  const Yaml* name = rules->Find("grammar");
  const Grammar* grammar = name == nullptr ? nullptr : FindGrammar(name->scalar);
  if (grammar == nullptr) return rules->Error("no such grammar");
  STILE_ASSIGN_OR_RETURN(const SyntaxTree tree, SyntaxTree::Parse(*grammar, source));
  if (tree.has_error()) return absl::FailedPreconditionError("the file has syntax errors");
  std::vector<Mutation> found;
  for (const Yaml::Entry& entry : rules->keys) {
    if (entry.first == "grammar") continue;
    for (const Yaml& rule : entry.second.items) {
      STILE_RETURN_IF_ERROR(Apply(*grammar, rule, entry.first, tree, source, &found));
    }
  }
  std::stable_sort(found.begin(), found.end(),
                   [](const Mutation& a, const Mutation& b) { return a.start < b.start; });
  return found;
}

int Main(int argc, char** argv) {
  if (argc != 4) {
    std::fprintf(stderr, "usage: mutate MUTATIONS.yaml LANGUAGE FILE\n");
    return 2;
  }
  const auto fail = [](const absl::Status& status, int code) {
    std::fprintf(stderr, "mutate: %s\n", std::string(status.message()).c_str());
    return code;
  };
  const auto text = DiskFileSystem()->ReadFile(argv[1], kMaxFileBytes);
  if (!text.ok()) return fail(text.status(), 2);
  const auto yaml = ParseYaml(*text, argv[1]);
  if (!yaml.ok()) return fail(yaml.status(), 2);
  const auto source = DiskFileSystem()->ReadFile(argv[3], kMaxFileBytes);
  if (!source.ok()) return fail(source.status(), 1);
  const auto mutations = ListMutations(*yaml, argv[2], *source);
  if (!mutations.ok()) {
    return fail(mutations.status(), absl::IsFailedPrecondition(mutations.status()) ? 1 : 2);
  }
  std::set<std::pair<uint32_t, std::string>> seen;
  for (const Mutation& mutation : *mutations) {
    if (!seen.emplace(mutation.start, mutation.text).second) continue;
    const Json json = {{"kind", mutation.kind}, {"line", mutation.line}, {"start", mutation.start},
                       {"end", mutation.end},   {"was", mutation.was},   {"text", mutation.text}};
    std::printf("%s\n", DumpJson(json).c_str());
  }
  return 0;
}

}  // namespace
}  // namespace stile

int main(int argc, char** argv) { return stile::Main(argc, argv); }
