// How long the code tools take, without the program around them; JSON on stdout. For
// scripts/code_bench, which runs others beside it.
//
//   code_bench references FOLDER SYMBOL [FILE]   cold, in the same process again, from disk
//   code_bench rename FOLDER SYMBOL NEW [FILE]   the plan, before a compiler is asked
//   code_bench symbols FOLDER                    parsing alone, symbols, and the index of search
//   code_bench edit FILE                         what an edit is answered with, and one parse

#include <cstdio>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "runtime/base/json.h"
#include "runtime/syntax/symbols.h"
#include "runtime/syntax/syntax_tree.h"
#include "runtime/workspace/file_system.h"
#include "runtime/workspace/workspace_path.h"
#include "tests/bench/bench_support.h"
#include "tests/support/shipped_languages.h"
#include "tests/support/temp_dir.h"
#include "tools/index/code_index.h"
#include "tools/index/references.h"
#include "tools/index/search_index.h"
#include "tools/index/symbol_query.h"
#include "tools/refactor/rename_plan.h"
#include "tools/report/edit_syntax.h"

namespace stile {
namespace {

constexpr int kRuns = 9;

class Bench {
 public:
  explicit Bench(std::string folder) : folder_(std::move(folder)), paths_(FilesOf(folder_)) {}

  Json References(const std::string& symbol, const std::string& file) {
    const TempDir memory;
    std::vector<double> cold, again, from_disk;
    Json found;
    const auto ask = [&](CodeIndex* index) { found = Ask(symbol, file, index); };
    for (int i = 0; i < kRuns; ++i) {
      CodeIndex index = Index("");
      cold.push_back(Milliseconds([&] { ask(&index); }));
      ask(&index);
      again.push_back(Milliseconds([&] { ask(&index); }));
      CodeIndex remembering = Index(memory.path());
      from_disk.push_back(Milliseconds([&] { ask(&remembering); }));
    }
    found["cold"] = Median(cold);
    found["again"] = Median(again);
    found["newProcess"] = Median(from_disk);
    return found;
  }

  Json Rename(const std::string& symbol, const std::string& new_name, const std::string& file) {
    std::vector<double> times;
    Json result;
    for (int i = 0; i < kRuns; ++i) {
      CodeIndex index = Index("");
      times.push_back(Milliseconds([&] {
        auto resolution = Resolve(Query(symbol, file), &index);
        if (!resolution.ok()) return Fail(resolution.status(), &result);
        const auto plan = RenamePlan::Make(*std::move(resolution), new_name, &index);
        if (!plan.ok()) return Fail(plan.status(), &result);
        const EditPlan edits = plan->Edits();
        size_t bytes = 0;
        for (const auto& [path, edited] : edits.files()) bytes += edited.After().size();
        result = {{"files", edits.files().size()},
                  {"candidates", plan->candidates().size()},
                  {"bytes", bytes}};
      }));
    }
    result["plan"] = Median(times);
    return result;
  }

  Json Symbols() {
    std::vector<double> parse, symbols, search;
    size_t bytes = 0;
    size_t count = 0;
    std::vector<std::pair<const Grammar*, std::string>> texts;
    for (const std::string& path : paths_) {
      const Grammar* grammar = FindGrammar(languages_.GrammarOf(path));
      if (grammar == nullptr) continue;
      auto text = DiskFileSystem()->ReadFile(JoinPath(folder_, path), size_t{16} << 20);
      if (!text.ok()) continue;
      bytes += text->size();
      texts.emplace_back(grammar, *std::move(text));
    }
    for (int i = 0; i < 3; ++i) {
      parse.push_back(Milliseconds([&] {
        for (const auto& [grammar, text] : texts) SyntaxTree::Parse(*grammar, text).IgnoreError();
      }));
      symbols.push_back(Milliseconds([&] {
        count = 0;
        for (const auto& [grammar, text] : texts) {
          const auto tree = SyntaxTree::Parse(*grammar, text);
          if (tree.ok()) count += FindSymbols(*grammar, *tree, text).size();
        }
      }));
      search.push_back(Milliseconds([&] {
        CodeIndex index = Index("");
        SearchIndex(&index).Search({"connection pool", "", 10});
      }));
    }
    return {{"files", texts.size()},
            {"bytes", bytes},
            {"symbols", count},
            {"parseOneCore", Median(parse)},
            {"symbolsOneCore", Median(symbols)},
            {"searchCold", Median(search)}};
  }

 private:
  CodeIndex Index(const std::string& memory) {
    return CodeIndex(folder_, &languages_,
                     [this](const auto& use) {
                       for (const std::string& path : paths_) use(path);
                     },
                     {memory});
  }

  static SymbolQuery Query(const std::string& symbol, const std::string& file) {
    SymbolQuery query = ParseSymbolName(symbol);
    query.file = file;
    return query;
  }

  static void Fail(const absl::Status& status, Json* result) {
    (*result)["error"] = std::string(status.message());
  }

  Json Ask(const std::string& symbol, const std::string& file, CodeIndex* index) {
    const auto resolution = Resolve(Query(symbol, file), index);
    Json result = Json::object();
    if (!resolution.ok()) {
      Fail(resolution.status(), &result);
      return result;
    }
    size_t exact = 0;
    size_t likely = 0;
    for (const Reference& reference : FindReferences(*resolution)) {
      ++(reference.certainty == Certainty::kExact ? exact : likely);
    }
    return {{"exact", exact}, {"likely", likely}};
  }

  const LanguageRegistry languages_ = LanguagesOfThisRepository();
  const std::string folder_;
  const std::vector<std::string> paths_;
};

// One more letter in the middle of the file, at the beginning of a line.
Json Edit(const std::string& path) {
  const LanguageRegistry languages = LanguagesOfThisRepository();
  const Grammar* grammar = FindGrammar(languages.GrammarOf(path));
  const auto text = DiskFileSystem()->ReadFile(path, size_t{16} << 20);
  if (grammar == nullptr || !text.ok()) return {{"error", "no such file of code"}};
  std::string after = *text;
  after.insert(after.find('\n', after.size() / 2) + 1, "x");
  std::vector<double> parse, check;
  for (int i = 0; i < kRuns; ++i) {
    parse.push_back(Milliseconds([&] { SyntaxTree::Parse(*grammar, after).IgnoreError(); }));
    check.push_back(Milliseconds([&] { CheckEdit(languages, path, *text, after); }));
  }
  return {{"bytes", text->size()}, {"parse", Median(parse)}, {"check", Median(check)}};
}

int Main(const std::vector<std::string>& arguments) {
  const size_t count = arguments.size();
  const std::string what = count > 0 ? arguments[0] : "";
  Json answer;
  if (what == "references" && (count == 3 || count == 4)) {
    answer = Bench(arguments[1]).References(arguments[2], count == 4 ? arguments[3] : "");
  } else if (what == "rename" && (count == 4 || count == 5)) {
    answer = Bench(arguments[1]).Rename(arguments[2], arguments[3], count == 5 ? arguments[4] : "");
  } else if (what == "symbols" && count == 2) {
    answer = Bench(arguments[1]).Symbols();
  } else if (what == "edit" && count == 2) {
    answer = Edit(arguments[1]);
  } else {
    std::fputs(
        "usage: code_bench references FOLDER SYMBOL [FILE] | rename FOLDER SYMBOL NEW [FILE] | "
        "symbols FOLDER | edit FILE\n",
        stderr);
    return 2;
  }
  std::puts(DumpJson(answer).c_str());
  return 0;
}

}  // namespace
}  // namespace stile

int main(int argc, char** argv) { return stile::Main({argv + 1, argv + argc}); }
