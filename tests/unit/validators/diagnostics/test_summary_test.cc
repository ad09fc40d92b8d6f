#include "validators/diagnostics/test_summary.h"

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "tests/unit/validators/diagnostics/test_summary_rows.h"

namespace stile {
namespace {

TEST(TestSummary, ReadsPython) {
  ExpectGreen({
      {"===== test session starts =====\ncollected 3 items\n\na.py ...   [100%]\n\n"
       "===== 3 passed in 0.02s =====\n",
       3},
      {".                                          [100%]\n1 passed, 6 deselected in 0.02s\n", 1},
      {"==== 120 passed, 2 skipped, 1 xfailed, 3 warnings in 65.23s (0:01:05) ====", 120},
      {"\x1b[32m==== \x1b[32m\x1b[1m1 passed\x1b[0m, \x1b[33m6 deselected\x1b[0m\x1b[32m in "
       "0.02s\x1b[0m\x1b[32m ====\x1b[0m\r\n",
       1},
      {"...\n----------\nRan 3 tests in 0.001s\n\nOK\n", 3},
      {"Ran 3 tests in 0.001s\n\nOK (skipped=1, expected failures=1)\nDestroying test database…\n",
       1},
  });
  ExpectRed({
      {"==== 2 failed, 2 passed, 1 skipped, 1 xfailed, 1 error in 0.04s ====", 2, 3},
      {"ERROR test_b.py\n!!!!!!!! Interrupted: 1 error during collection !!!!!!!!\n"
       "==== 1 error in 0.11s ====",
       0, 1, false},
      {"!!!!! stopping after 1 failures !!!!!\n==== 1 failed, 1 passed in 0.03s ====", 1, 1, false},
      {"==== no tests ran in 0.01s ====", 0, 0},
      {"==== 7 deselected in 0.02s ====", 0, 0},
      {"==== 7 tests collected in 0.02s ====", 0, kNotFound},
      {"===== test session starts =====\na.py ..", 0, 0, false},
      {"4 passed in 0.10s\nFAIL Required test coverage of 80% not reached. Total: 50.00%\n", 4, 0,
       false},
      {"FAIL: test_x (a.T)\nRan 4 tests in 0.001s\n\nFAILED (failures=1, errors=1)\n", 2, 2},
      {"Ran 2 tests in 0.001s\n\nFAILED (unexpected successes=1)", 1, 1},
      {"Ran 0 tests in 0.000s\n\nOK\n", 0, 0},
      {"Ran 0 tests in 0.000s\n\nNO TESTS RAN\n", 0, 0},
      {"Ran 3 tests in 0.001s\n", 0, 0, false},
  });
}

TEST(TestSummary, ReadsJavaScript) {
  ExpectGreen({
      {"PASS ./c.test.js\n  ✓ x (3 ms)\n\nTest Suites: 1 passed, 1 total\n"
       "Tests:       1 skipped, 2 passed, 3 total\nSnapshots:   0 total\nRan all test suites.\n",
       2},
      {" RUN  v4.1.12 /v\n\n ✓ c.test.js (1 test) 7ms\n\n Test Files  1 passed (1)\n"
       "      Tests  1 passed | 1 todo (2)\n   Start at  14:09:19\n",
       1},
      {"\n\n  d\n    ✔ ok\n\n\n  3 passing (11ms)\n  1 pending\n\n", 3},
      {"bun test v1.1\n\n 3 pass\n 0 fail\n 4 expect() calls\nRan 3 tests across 1 file. [9ms]", 3},
      {"ok | 3 passed | 0 failed (10ms)\n", 3},
      {"Started\n...\n\n3 specs, 0 failures\nFinished in 0.01 seconds\n", 3},
      {"Running 3 tests using 1 worker\n\n  1 skipped\n  2 passed (2.1s)\n", 2},
      {"✔ ok (1ms)\nℹ tests 2\nℹ suites 0\nℹ pass 2\nℹ fail 0\nℹ cancelled 0\nℹ skipped 0\n", 2},
  });
  ExpectRed({
      {"FAIL ./a.test.js\n\nTest Suites: 2 failed, 1 passed, 3 total\n"
       "Tests:       1 failed, 1 todo, 2 passed, 4 total\n",
       2, 1},
      {"FAIL ./b.test.js\n  ● Test suite failed to run\n\nTest Suites: 1 failed, 1 total\n"
       "Tests:       0 total\n",
       0, 1},
      {"Test Suites: 1 failed, 1 passed, 2 total\nTests:       3 passed, 3 total\n", 3, 1},
      {"No tests found, exiting with code 1\n", 0, 0, false},
      {" RUN  v4.1.12 /v\n\nNo test files found, exiting with code 1\n", 0, 0, false},
      {" Test Files  1 failed (1)\n      Tests  no tests\n", 0, 1},
      {" Test Files  1 passed (1)\n      Tests  3 passed (3)\n     Errors  2 errors\n", 3, 2},
      {"Tests: 3 passed, 3 total\nJest: \"global\" coverage threshold for lines (80%) not met: 5%",
       3, 0, false},
      {"  3 passing (11ms)\n  1 failing\n", 3, 1},
      {"  0 passing (2ms)\n", 0, 0},
      {"FAILED | 2 passed | 1 failed (10ms)", 2, 1},
      {"  3 passing (9ms)\n\nnpm ERR! Test failed.  See above for more details.\n", 3, 0, false},
      {"  1 failed\n    [chromium] › a.spec.ts:3:5 › a ───\n  2 did not run\n  2 passed (2.1s)\n",
       2, 3},
      {"ℹ tests 2\nℹ pass 1\nℹ fail 1\nℹ cancelled 1\n", 1, 2},
  });
}

TEST(TestSummary, ReadsTap) {
  ExpectGreen({
      {"1..3\nok 1\nok 2 - b\nok 3 - c # SKIP no net\n", 2},
      {"TAP version 13\n# Subtest: a\n    # Subtest: inner\n    ok 1 - inner\n    1..1\nok 1 - a\n"
       "not ok 2 - later # TODO\n1..2\n# tests 3\n# pass 2\n# fail 0\n# todo 1\n",
       2},
      {"TAP version 13\n# sums\nok 1 should be equal\n\n1..1\n# tests 1\n# pass  1\n\n# ok\n", 1},
  });
  ExpectRed({
      {"1..3\nok 1\nnot ok 2 - b\nok 3\n", 2, 1},
      {"1..3\nok 1\nok 2\n", 2, 0, false},
      {"1..2\nok 1\nBail out! no database\nok 2\n", 2, 0, false},
      {"1..2\nok 1\nok 2\nBail out!\n", 2, 0, false},
      {"ok 1 - a\nok 2 - b\n", 0, kNotFound},
      {"TAP version 13\nok 1 - a\n", 1, 0, false},
      {"1..0 # SKIP all\n", 0, 0},
      {"1..1\nnot ok 1 - says \\# TODO\n", 0, 1},
      {"1..2\nok 1\nnot ok 2\n# tests 2\n# pass 2\n# fail 0\n", 2, 1},
      {"# pass 3\n# fail 0\n", 0, kNotFound},
  });
}

TEST(TestSummary, ReadsGoAndRust) {
  ExpectGreen({
      {"ok  \texample.com/d\t0.006s\nok  \texample.com/e\t(cached)\tcoverage: 80% of statements\n"
       "?   \texample.com/b\t[no test files]\n",
       2},
      {"=== RUN   TestA\n--- PASS: TestA (0.00s)\n    --- PASS: TestA/x (0.00s)\nPASS\n"
       "ok  \texample.com/d\t0.008s\n",
       2},
      {R"({"Action":"start","Package":"p"}
{"Action":"run","Package":"p","Test":"A"}
{"Action":"output","Package":"p","Test":"A","Output":"--- FAIL: no such test\n"}
{"Action":"pass","Package":"p","Test":"A","Elapsed":0}
{"Action":"pass","Package":"p","Elapsed":0.1})",
       1},
      {"running 2 tests\ntest tests::it_works ... ok\n\ntest result: ok. 1 passed; 0 failed; 1 "
       "ignored; 0 measured; 0 filtered out; finished in 0.00s\n\n   Doc-tests m\n\nrunning 0 "
       "tests\n\ntest result: ok. 0 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out\n",
       1},
      {"     Summary [   0.101s] 3 tests run: 3 passed (1 slow), 0 skipped\n", 3},
  });
  ExpectRed({
      {"--- FAIL: TestB (0.00s)\n    a_test.go:4: x\nFAIL\nFAIL\texample.com/a\t0.007s\n"
       "FAIL\texample.com/c [build failed]\nok  \texample.com/d\t0.006s\nFAIL\n",
       1, 2},
      {"panic: boom\nFAIL\texample.com/a\t0.007s\nok  \texample.com/d\t0.006s\n", 1, 1},
      {"?   \texample.com/b\t[no test files]\n", 0, 0},
      {"ok  \texample.com/d\t0.003s [no tests to run]\n", 0, 0},
      {"=== RUN   TestA\n--- PASS: TestA (0.00s)\n=== RUN   TestB\n", 1, 0, false},
      {"{\"Action\":\"pass\",\"Package\":\"p\",\"Test\":\"A\"}\nFAIL\texample.com/c [build failed]",
       1, 1},
      {R"({"Action":"pass","Package":"p","Test":"A"}
{"Action":"fail","Package":"p","Test":"B"}
{"Action":"fail","Package":"p"})",
       1, 1},
      {R"({"ImportPath":"c [c.test]","Action":"build-fail"}
{"Action":"fail","Package":"c","FailedBuild":"c [c.test]"}
{"Action":"pass","Package":"p","Test":"A"})",
       1, 1},
      {R"({"Action":"pass","Package":"p","Test":"A"}
{"Action":"run","Package":"p","Test":"B"})",
       1, 0, false},
      {"running 3 tests\ntest a ... ok\ntest bad ... FAILED\n\ntest result: FAILED. 1 passed; 1 "
       "failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.28s\n\nerror: test failed, "
       "to rerun pass `--lib`\n",
       1, 1},
      {"error: could not compile `m` (lib) due to 1 previous error\n", 0, 1},
      {"running 2 tests\ntest a ... ok\n", 0, 0, false},
      {"test result: FAILED. 3 passed; 0 failed; 0 ignored\n", 3, 0, false},
      {"Summary [ 0.1s] 2/5 tests run: 2 passed, 0 skipped\n", 2, 0, false},
  });
}

TEST(TestSummary, ReadsDotNetAndJava) {
  ExpectGreen({
      {"Passed!  - Failed:     0, Passed:     3, Skipped:     1, Total:     4, Duration: 5 ms - "
       "a.dll (net8.0)\nPassed!  - Failed: 0, Passed: 2, Skipped: 0, Total: 2, Duration: 5 ms\n",
       5},
      {"Test summary: total: 3, failed: 0, succeeded: 3, skipped: 0, duration: 1.0s\n", 3},
      {"Test Run Successful.\nTotal tests: 3\n     Passed: 2\n    Skipped: 1\n Total time: 1 s", 2},
      {"Test run summary: Passed! - x.dll\n  total: 3\n  failed: 0\n  succeeded: 3\n", 3},
      {"[INFO] Running a.FooTest\n[INFO] Tests run: 2, Failures: 0, Errors: 0, Skipped: 0, Time "
       "elapsed: 0.05 s -- in a.FooTest\n[INFO] Tests run: 3, Failures: 0, Errors: 0, Skipped: 1, "
       "Time elapsed: 0.05 s -- in a.BarTest\n[INFO] Results:\n[INFO] \n[WARNING] Tests run: 5, "
       "Failures: 0, Errors: 0, Skipped: 1\n[INFO] BUILD SUCCESS\n",
       4},
      {"OK (3 tests)\n", 3},
      {"FooTest > adds() PASSED\n\nFooTest > subtracts() SKIPPED\n\nBUILD SUCCESSFUL in 3s\n", 1},
      {"[         3 tests successful      ]\n[         0 tests failed          ]\n", 3},
      {"Total tests run: 3, Passes: 3, Failures: 0, Skips: 0\n", 3},
  });
  ExpectRed({
      {"Failed!  - Failed:     1, Passed:     1, Skipped:     1, Total:     3, Duration: 56 ms", 1,
       1},
      {"Passed! - Failed: 0, Passed: 3, Skipped: 0, Total: 3\nBuild FAILED.\n", 3, 0, false},
      {"Skipped! - Failed: 0, Passed: 0, Skipped: 1, Total: 1\n", 0, 0},
      {"Test Run Failed.\nTotal tests: 3\n     Passed: 1\n     Failed: 2\n", 1, 2},
      {"Test Run Aborted.\nTotal tests: Unknown\n     Passed: 1\n", 0, kNotFound, false},
      {"No test matches the given testcase filter `Nope` in x.dll\n", 0, 0},
      {"[ERROR] Tests run: 3, Failures: 1, Errors: 1, Skipped: 0, Time elapsed: 0.1 s <<< FAILURE! "
       "-- in a.FooTest\n[ERROR] Tests run: 3, Failures: 1, Errors: 1, Skipped: 0\n"
       "[INFO] BUILD FAILURE\n",
       1, 2},
      {"[INFO] Tests run: 5, Failures: 0, Errors: 0, Skipped: 0\n[INFO] BUILD FAILURE\n", 5, 0,
       false},
      {"Tests run: 0, Failures: 0, Errors: 0, Skipped: 0\n", 0, 0},
      {"[ERROR] COMPILATION ERROR :\n[INFO] BUILD FAILURE\n", 0, kNotFound, false},
      {"FooTest > bad() FAILED\n\n5 tests completed, 1 failed\n\nBUILD FAILED in 3s\n", 4, 1},
      {"BUILD SUCCESSFUL in 3s\n", 0, kNotFound},
      {"FooTest > adds() PASSED\n", 1, 0, false},
  });
}

TEST(TestSummary, ReadsOtherLanguages) {
  ExpectGreen({
      {"Test project /b\n    Start 1: 100% tests passed\n1/1 Test #1: 100% tests passed ....   "
       "Passed    0.01 sec\n\n100% tests passed, 0 tests failed out of 5\n",
       5},
      {"[==========] Running 3 tests from 2 test suites.\n[ RUN      ] A.B\n[       OK ] A.B (0 "
       "ms)\n"
       "[==========] 3 tests from 2 test suites ran. (0 ms total)\n[  PASSED  ] 3 tests.\n",
       3},
      {"All tests passed (5 assertions in 3 test cases)\n", 3},
      {"[doctest] test cases:  3 |  3 passed | 0 failed | 0 skipped\n", 3},
      {"Finished in 0.01 seconds\n3 examples, 0 failures, 1 pending\n", 2},
      {"3 runs, 4 assertions, 0 failures, 0 errors, 1 skips\n", 2},
      {"2 doctests, 3 tests, 0 failures\n", 5},
      {"OK (3 tests, 4 assertions)\n", 3},
      {"OK, but incomplete, skipped, or risky tests!\nTests: 3, Assertions: 4, Skipped: 1.\n", 2},
      {"  Tests:    3 passed (4 assertions)\n  Duration: 0.1s\n", 3},
      {"t/a.t ..\nok 1 - a\n1..1\nok\nAll tests successful.\nFiles=1, Tests=1,  0 wallclock "
       "secs\nResult: PASS\n",
       2},
      {"t/a.t .. ok\nAll tests successful.\nFiles=1, Tests=3,  0 wallclock secs\nResult: PASS\n",
       3},
      {"# TOTAL: 2\n# PASS:  2\n# SKIP:  0\n# XFAIL: 0\n# FAIL:  0\n# XPASS: 0\n# ERROR: 0\n", 2},
      {"DONE 3 tests, 1 skipped in 0.482s\n", 2},
      {"ok a\n3 passed, 0 failed\n", 3},
  });
  ExpectRed({
      {"60% tests passed, 2 tests failed out of 5\n\nThe following tests did not run:\n\t  6 - sk "
       "(Skipped)\n\nThe following tests FAILED:\n\t  3 - bad (Failed)\n",
       2, 2},
      {"Test project /b\n1/1 Test #6: sk ...***Skipped   0.01 sec\n\n100% tests passed, 0 tests "
       "failed out of 1\n\nThe following tests did not run:\n\t  6 - sk (Skipped)\n",
       0, 0},
      {"Test project /b\nNo tests were found!!!\n", 0, 0},
      {"1/1 Test #1: 100% tests passed ....   Passed    0.01 sec\n", 0, kNotFound},
      {"Test project /b\n    Start 1: a\n", 0, 0, false},
      {"[  PASSED  ] 2 tests.\n[  FAILED  ] 1 test, listed below:\n[  FAILED  ] A.B\n", 2, 1},
      {"[==========] Running 3 tests from 1 test suite.\n[ RUN      ] A.B\n", 0, 0, false},
      {"[  PASSED  ] 0 tests.\n", 0, 0},
      {"test cases: 3 | 2 passed | 1 failed\n", 2, 1},
      {"3 examples, 1 failure\n", 2, 1},
      {"0 examples, 0 failures, 1 error occurred outside of examples\n", 0, 1},
      {"0 examples, 0 failures\n", 0, 0},
      {"FAILURES!\nTests: 3, Assertions: 4, Failures: 1.\n", 2, 1},
      {"No tests executed!\n", 0, 0},
      {"failed b: no such step\n3 passed, 1 failed\n", 3, 1},
      {"Files=1, Tests=3,  0 wallclock secs\nResult: FAIL\n", 3, 0, false},
      {"OK (3 tests, 4 assertions)\nmake: *** [Makefile:2: test] Error 1\n", 3, 0, false},
  });
}

TEST(TestSummary, AddsUpWhatSeveralRunsSay) {
  ExpectGreen({{"1 passed in 0.1s\nok  \ta/b\t0.1s\nOK (3 tests, 4 assertions)\n", 5}});
  ExpectRed({
      {"==== 3 passed in 0.1s ====\n\n==== 1 failed, 2 passed in 0.1s ====\n", 5, 1},
      {"==== 1 failed, 2 passed in 0.1s ====\n\n==== 3 passed in 0.1s ====\n", 5, 1},
      {"Tests: 3 passed, 3 total\n{\"passed\": 1, \"failed\": 2}\n", 4, 2},
  });
}

TEST(TestSummary, ReadsJunitReports) {
  ExpectGreen({
      {R"(<?xml version="1.0"?><testsuites><testsuite name="a" tests="2" failures="0" errors="0">
<testcase name="x"/><testcase name="y"><skipped/></testcase></testsuite></testsuites>)",
       1},
      {"> npm test\n<testsuites>\n<testcase name=\"outside of suites\"/>\n</testsuites>\ndone\n",
       1},
  });
  ExpectRed({
      {R"(<testsuite><testcase name="x"><failure message="m"/></testcase><testcase/></testsuite>)",
       1, 1},
      {R"(<testsuite tests="1" errors="1"><testcase name="x"/></testsuite>)", 1, 0, false},
      {"<testsuite><testcase name=\"x\"/>", 0, kNotFound, false},
      {"<testsuite></testsuite>", 0, 0},
      {"<testsuite><testcase/></testsuite>\n1 failed in 0.1s\n<testsuite><testcase/></testsuite>",
       2, 1},
      {"<testsuite tests=\"0\"/>\n1 failed in 0.1s\n", 0, 1},
      {"<testsuite><testcase/></testsuite>\n==== 1 failed in 0.1s ====\n", 1, 1},
  });
}

TEST(TestSummary, TakesNoProseForAResult) {
  for (const char* text :
       {"", "0 failed", "5 passed", "All tests pass, 0 failed.", "I ran 3 tests, 0 failures",
        "I saw 3 passed, 0 failed", "ok", "OK", "PASS", "Tests 3 passed as far as I see",
        "100% tests passed", "{\"a\": 1}", "[]", "1", "true", "ok  then", "running late",
        "\xff\xfe 0 failed \xc3"}) {
    EXPECT_EQ(SummarizeTests(Json(text)).failures(), kNotFound) << text;
    EXPECT_FALSE(SummarizeTests(Json(text)).ready()) << text;
  }
  for (const Json& value : {Json(), Json(true), Json(3), Json::array(), Json::object()}) {
    EXPECT_EQ(SummarizeTests(value).failures(), kNotFound) << value;
  }
}

TEST(TestSummary, BearsWhatIsLargeAndDeep) {
  Json deep = "3 passed in 0.1s";
  for (int i = 0; i < 1000; ++i) deep = Json::array({std::move(deep)});
  EXPECT_FALSE(SummarizeTests(deep).found);
  Json wrapped = {{"passed", 1}, {"failed", 0}};
  for (int i = 0; i < 1000; ++i) wrapped = Json{{"output", std::move(wrapped)}};
  EXPECT_FALSE(SummarizeTests(wrapped).found);
  for (const char* piece : {"{", "[", "{\n", "{\"\n", "[\n[", "<testsuite", "<?xml\n", "\x1b[",
                            "\x1b]", "(", "ok 1\n", "1, ", "\\", "\r", "{\"a\":1}\n", "FAIL "}) {
    std::string text;
    while (text.size() < 100'000) text += piece;
    EXPECT_FALSE(SummarizeTests(Json(text)).ready()) << piece;
    // What came before still counts.
    EXPECT_EQ(SummarizeTests(Json("1 failed in 0.1s\n" + text)).counts.failed, 1) << piece;
  }
}

}  // namespace
}  // namespace stile
