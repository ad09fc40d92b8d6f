#include "tools/refactor/doc_mentions.h"

#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"

namespace stile {
namespace {

// `doc` with the mentions in angle brackets.
std::string Marked(const std::string& doc, const std::string& name, bool names_begin = false,
                   const std::string& owner = "") {
  std::string text = doc;
  auto found = FindDocMentions(doc, name, owner, {.names_begin = names_begin});
  for (auto it = found.rbegin(); it != found.rend(); ++it) {
    text.replace(*it, name.size(), absl::StrCat("<", name, ">"));
  }
  return text;
}

TEST(DocMentionsTest, FindsNamesThatAreNoWordsOfProse) {
  EXPECT_EQ(Marked("// orderTotal adds up. See orderTotals.", "orderTotal"),
            "// <orderTotal> adds up. See orderTotals.");
  EXPECT_EQ(Marked("\"\"\"max_size of all, not max_sizes.\"\"\"", "max_size"),
            "\"\"\"<max_size> of all, not max_sizes.\"\"\"");
}

TEST(DocMentionsTest, LeavesWordsOfProse) {
  EXPECT_EQ(Marked("/** run the job, then run again. */", "run"),
            "/** run the job, then run again. */");
  EXPECT_EQ(Marked("// Order the items. Order matters; an Order is final.", "Order"),
            "// Order the items. Order matters; an <Order> is final.");
  EXPECT_EQ(Marked("// the index", "index"), "// the index");
}

TEST(DocMentionsTest, ACapitalDoesNotTellOneOfTwo) {
  const auto count = [](const std::string& doc, const std::string& name) {
    return FindDocMentions(doc, name, "", {.has_namesake = true}).size();
  };
  EXPECT_EQ(count("/// A result with status Created.", "Created"), 0U);
  EXPECT_EQ(count("/// A result with `Created`, see <see cref=\"Created\"/>.", "Created"), 2U);
  EXPECT_EQ(count("/// It ends wasCreated.", "wasCreated"), 1U);
}

TEST(DocMentionsTest, FindsWhatStandsAsCode) {
  EXPECT_EQ(
      Marked("/** {@link #run} and {@link Job#run(int)}, {@code run}, `run`, run(), @see run */",
             "run"),
      "/** {@link #<run>} and {@link Job#<run>(int)}, {@code <run>}, `<run>`, <run>(), @see "
      "<run> */");
  EXPECT_EQ(Marked("/// <see cref=\"run\"/> [run] [Job::run] Job.run", "run"),
            "/// <see cref=\"<run>\"/> [<run>] [Job::<run>] Job.<run>");
  EXPECT_EQ(Marked("// host:port", "port"), "// host:port");
  EXPECT_EQ(
      FindDocMentions("start = \"app:run\", to: run", "run", "", {.in_settings = true}).size(), 1U);
  EXPECT_EQ(Marked("\"\"\":meth:`~Job.run` done. run it\"\"\"", "run"),
            "\"\"\":meth:`~Job.<run>` done. run it\"\"\"");
}

TEST(DocMentionsTest, LeavesCodeOfWhichTheNameIsAPart) {
  EXPECT_EQ(Marked("// `!run`, `--run`, `run:domain,date`, `run-time`, `a/run`", "run"),
            "// `!run`, `--run`, `run:domain,date`, `run-time`, `a/run`");
  EXPECT_EQ(Marked("// `run: true`, `run.name`, `run x`, `&run`", "run"),
            "// `<run>: true`, `<run>.name`, `<run> x`, `&<run>`");
}

TEST(DocMentionsTest, FindsNamesInTheCodeOfTemplates) {
  const auto count = [](const std::string& text) {
    return FindDocMentions(text, "price", "", {.in_settings = true}).size();
  };
  EXPECT_EQ(count("The price: {{.price}} {{ item.price }}"), 2U);
  EXPECT_EQ(count("{% if price %}price{% endif %}"), 1U);
  EXPECT_EQ(count("<%= price %> price"), 1U);
  EXPECT_EQ(FindDocMentions("`shop.total`", "total", "Order", {.in_settings = true}).size(), 1U);
  EXPECT_EQ(FindDocMentions("/* {{ price }} */", "price", "", {}).size(), 0U);
}

TEST(DocMentionsTest, LeavesMembersOfOtherTypes) {
  EXPECT_EQ(
      Marked("/** {@link Task#runAll()}, Job#runAll, #runAll, task.runAll, a.b.Task.runAll */",
             "runAll", false, "Job"),
      "/** {@link Task#runAll()}, Job#<runAll>, #<runAll>, task.<runAll>, a.b.Task.runAll */");
  EXPECT_EQ(Marked("/// [Self::run_all], [Task::run_all]", "run_all", false, "Job"),
            "/// [Self::<run_all>], [Task::run_all]");
  EXPECT_EQ(Marked("/** {@link Task#runAll()} */", "runAll"), "/** {@link Task#<runAll>()} */");
  EXPECT_EQ(Marked("/// [`str::len`], [`Job::len`], `crate::len`", "len", false, "Job"),
            "/// [`str::len`], [`Job::<len>`], `crate::len`");
}

TEST(DocMentionsTest, LeavesMembersOfVariablesThatMayBeOfOtherTypes) {
  EXPECT_EQ(Marked("``dict.get``, `os.environ.get`, `bag.get()`, `self.get`, `Bag.get`", "get",
                   false, "Bag"),
            "``dict.get``, `os.environ.get`, `bag.<get>()`, `self.<get>`, `Bag.<get>`");
  EXPECT_EQ(Marked("`Array.prototype.map`, `Task.prototype.map`", "map", false, "Task"),
            "`Array.prototype.map`, `Task.prototype.<map>`");
}

TEST(DocMentionsTest, FindsMembersOfVariablesThatAreNamedAfterTheType) {
  EXPECT_EQ(Marked("`order.total()`, `purchase_order.total()`, `po.total()`", "total", false,
                   "PurchaseOrder"),
            "`order.<total>()`, `purchase_order.<total>()`, `po.total()`");
}

TEST(DocMentionsTest, LeavesNamesOfOtherModules) {
  const auto count = [](const std::string& doc) {
    return FindDocMentions(doc, "get", "", {.modules = {"bags"}}).size();
  };
  EXPECT_EQ(count("`os.get`, [Bag.get], [`Bag::get`]"), 0U);
  EXPECT_EQ(count("`bags.get`, [get], `crate::get`"), 3U);
}

TEST(DocMentionsTest, LeavesAMemberThatANameInScopeHides) {
  const auto count = [](const std::string& doc) {
    return FindDocMentions(doc, "andThen", "Task", {.has_namesake_in_scope = true}).size();
  };
  EXPECT_EQ(count("/** As {@linkcode andThen}; `andThen()`. */"), 0U);
  EXPECT_EQ(count("/** See {@link Task.andThen}, `#andThen`. */"), 2U);
}

TEST(DocMentionsTest, TellsDecoratorsFromTags) {
  EXPECT_EQ(Marked("# `@retry` tries again", "retry"), "# `@<retry>` tries again");
  EXPECT_EQ(Marked("/** `@param` is a tag */", "param"), "/** `@param` is a tag */");
  EXPECT_EQ(Marked("// log in as `root@server`", "server"), "// log in as `root@server`");
}

TEST(DocMentionsTest, KnowsThatDocumentationOfGoBeginsWithTheName) {
  EXPECT_EQ(Marked("// run runs; run it", "run", true), "// <run> runs; run it");
  EXPECT_EQ(Marked("// run runs; run it", "run"), "// run runs; run it");
}

TEST(DocMentionsTest, TellsNamesThatAreLookedUpOrRun) {
  // `^` stands before the name.
  const auto may_be_run = [](std::string text) {
    const size_t at = text.find('^');
    text.erase(at, 1);
    return MayBeRun(text, at, at + 4);
  };
  for (const char* text :
       {"f('^size')", "x = \"a.^size\";", "{{range .^size}}", "[Shows(\"{^size} x {Width}\")]",
        "\"{^size:d}\".format(1)", "  >>> Bag().^size\n  1", "  ... a.^size()\n",
        "/** Doc.\n * @example\n * a.^size();\n */"}) {
    EXPECT_TRUE(may_be_run(text)) << text;
  }
  for (const char* text : {"// the ^size of it\n", " * @param {^size} x\n",
                           "/** Doc */ // a.^size;\n", "^size", "# {^size} of it\n"}) {
    EXPECT_FALSE(may_be_run(text)) << text;
  }
  EXPECT_FALSE(MayBeRun("/** @example a */ // size of\n", 21, 25));
}

}  // namespace
}  // namespace stile
