"""What scripts/check_layers.py must find, on small trees made for it."""

import os
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../scripts"))
import check_layers  # noqa: E402

TABLE = """# Architecture

```edges
runtime/base ->
runtime/process ->            # base is always allowed
runtime/workspace ->
runtime/git -> runtime/process runtime/workspace
runtime/http ->
tools/git -> runtime/git
agents/api -> runtime/* tools/git
third-party curl/ only-in runtime/http
third-party re2/ only-in runtime/* tools/git
```
"""
CMAKE = """
function(stile_room folder)
endfunction()
stile_room(runtime/base absl::strings)
stile_room(runtime/process runtime/base)
stile_room(runtime/workspace)
stile_room(runtime/git runtime/process
           runtime/workspace)
stile_room(runtime/http CURL::libcurl)
stile_room(tools/git runtime/git)
stile_room(agents/api runtime/git tools/git)
"""


class CheckLayersTest(unittest.TestCase):
    def check(self, files=None, table=TABLE, cmake=CMAKE):
        with tempfile.TemporaryDirectory() as root:
            tree = {"ARCHITECTURE.md": table, "CMakeLists.txt": cmake, **(files or {})}
            for path, text in tree.items():
                full = os.path.join(root, path)
                os.makedirs(os.path.dirname(full), exist_ok=True)
                with open(full, "w", encoding="utf-8") as file:
                    file.write(text)
            return check_layers.check(root)

    def test_what_the_table_allows_passes(self):
        self.assertEqual([], self.check({
            "runtime/git/a.cc": '#include "runtime/git/a.h"\n#include "runtime/base/status.h"\n'
                                '#include "runtime/process/p.h"\n#include <vector>\n'
                                '#include <sys/wait.h>\n#include "absl/strings/str_cat.h"\n',
            "runtime/http/h.cc": "#include <curl/curl.h>\n",
            "runtime/git/b.cc": '#include "re2/re2.h"\n',
            "agents/api/a.cc": '#include "runtime/http/h.h"\n#include "tools/git/g.h"\n',
        }))

    def test_a_public_header_brings_along_as_many_headers_as_it_may(self):
        files = {"agents/api/agent.h": '#include <vector>\n#include "runtime/git/a.h"\n#include "runtime/base/b.h"\n',
                 "runtime/git/a.h": '#include "runtime/process/c.h"\n', "runtime/base/b.h": "",
                 "runtime/process/c.h": '#include "runtime/base/b.h"\n'}
        line = "public agents/api/agent.h at-most {}\nthird-party curl/"
        self.assertEqual([], self.check(files, TABLE.replace("third-party curl/", line.format(3))))
        self.assertEqual(
            ["agents/api/agent.h:1: brings along 3 of our headers, at most 2: "
             "runtime/base/b.h runtime/git/a.h runtime/process/c.h"],
            self.check(files, TABLE.replace("third-party curl/", line.format(2))))
        self.assertEqual(["ARCHITECTURE.md:11: there is no agents/api/agent.h"],
                         self.check({}, TABLE.replace("third-party curl/", line.format(2))))

    def test_an_unlisted_edge_is_reported_with_file_and_line(self):
        self.assertEqual(
            ["runtime/git/a.h:2: runtime/git may not use tools/git"],
            self.check({"runtime/git/a.h": '#include <string>\n#include "tools/git/g.h"\n'}))

    def test_edges_are_not_inherited(self):
        self.assertEqual(
            ["tools/git/a.cc:1: tools/git may not use runtime/process"],
            self.check({"tools/git/a.cc": '  #  include "runtime/process/p.h"\n'}))

    def test_base_may_use_no_other_room(self):
        self.assertEqual(
            ["runtime/base/a.cc:1: runtime/base may not use runtime/process"],
            self.check({"runtime/base/a.cc": '#include "runtime/process/p.h"\n'}))

    def test_third_party_headers_stay_in_their_room(self):
        self.assertEqual(
            ["runtime/git/a.cc:1: curl/curl.h may only be included in runtime/http",
             "runtime/git/a.cc:2: curl/multi.h may only be included in runtime/http"],
            self.check({"runtime/git/a.cc": '#include <curl/curl.h>\n#include "curl/multi.h"\n'}))

    def test_an_unknown_third_party_header_is_an_error(self):
        [problem] = self.check({"runtime/git/a.cc": "#include <boost/any.hpp>\n"})
        self.assertIn("runtime/git/a.cc:1: boost/any.hpp is not in the table", problem)

    def test_an_include_relative_to_its_folder_is_an_error(self):
        self.assertEqual(
            ['runtime/git/a.cc:1: "a.h" does not start at the repository root'],
            self.check({"runtime/git/a.cc": '#include "a.h"\n'}))

    def test_an_include_of_a_test_helper_is_an_error(self):
        self.assertEqual(
            ["runtime/git/a.cc:1: tests/support/t.h belongs to the tests"],
            self.check({"runtime/git/a.cc": '#include "tests/support/t.h"\n'}))

    def test_a_room_on_disk_that_is_not_in_the_table_is_an_error(self):
        self.assertEqual(["runtime/new/a.cc:1: runtime/new is not a room of the table"],
                         self.check({"runtime/new/a.cc": "", "runtime/new/b.cc": ""}))

    def test_an_include_of_a_folder_that_is_no_room_is_an_error(self):
        self.assertEqual(["runtime/git/a.cc:1: runtime/new is not a room of the table"],
                         self.check({"runtime/git/a.cc": '#include "runtime/new/a.h"\n'}))

    def test_projects_of_stories_are_not_rooms(self):
        self.assertEqual([], self.check({"agents/stories/demo/c/workspace/a.h": '#include "b.h"\n'}))

    def test_a_room_in_the_table_without_a_cmake_line_is_an_error(self):
        cmake = CMAKE.replace("stile_room(runtime/http CURL::libcurl)\n", "")
        self.assertEqual(
            ["ARCHITECTURE.md:8: runtime/http has no stile_room line in CMakeLists.txt"],
            self.check(cmake=cmake))

    def test_a_cmake_room_that_is_not_in_the_table_is_an_error(self):
        self.assertEqual(
            ["CMakeLists.txt:12: runtime/new is not a room of the table"],
            self.check(cmake=CMAKE + "stile_room(runtime/new)\n"))

    def test_a_cmake_edge_that_is_not_in_the_table_is_an_error(self):
        cmake = CMAKE.replace("runtime/workspace)\nstile_room(runtime/http",
                              "tools/git)\nstile_room(runtime/http")
        self.assertEqual(["CMakeLists.txt:7: runtime/git may not use tools/git"],
                         self.check(cmake=cmake))

    def test_a_commented_cmake_line_does_not_count(self):
        self.assertEqual([], self.check(cmake=CMAKE + "# stile_room(runtime/new)\n"))

    def test_a_circle_of_arrows_is_an_error(self):
        table = TABLE.replace("runtime/process -> ", "runtime/process -> runtime/git ")
        [problem] = self.check(table=table)
        self.assertIn("arrows in a circle", problem)

    def test_a_name_that_is_no_room_is_an_error(self):
        table = TABLE.replace("runtime/http ->", "runtime/http -> runtime/sockets")
        self.assertEqual(["ARCHITECTURE.md:8: runtime/http -> runtime/sockets: no such room"],
                         self.check(table=table))

    def test_a_garbled_or_missing_table_is_an_error(self):
        self.assertEqual(["ARCHITECTURE.md:1: no fenced block marked ```edges"],
                         self.check(table="# Architecture\n"))
        [problem] = self.check(table=TABLE.replace("runtime/http ->", "runtime/http =>"))
        self.assertIn("ARCHITECTURE.md:8: neither", problem)
        [problem] = self.check(table=TABLE.replace("tools/git\n```", "tools/git\n"))
        self.assertIn("not closed", problem)


if __name__ == "__main__":
    unittest.main()
