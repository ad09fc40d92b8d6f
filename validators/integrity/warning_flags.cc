#include "validators/integrity/warning_flags.h"

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "runtime/base/text.h"

namespace stile {
namespace {

bool IsStrict(absl::string_view flag) {
  for (const absl::string_view other : {"-Wl,", "-Wa,", "-Wp,", "-Wno-"}) {
    if (absl::StartsWith(flag, other)) return false;
  }
  if (flag == "CMAKE_COMPILE_WARNING_AS_ERROR" || flag == "COMPILE_WARNING_AS_ERROR" ||
      flag == "/WX" || flag == "-pedantic" || flag == "-pedantic-errors" || flag == "/W4" ||
      flag == "/Wall") {
    return true;
  }
  return flag.size() > 2 && absl::StartsWith(flag, "-W");
}

bool IsLoose(absl::string_view flag) {
  return flag == "-w" || flag == "/w" || flag == "/W0" || flag == "-fpermissive" ||
         absl::StartsWith(flag, "-Wno-");
}

std::set<std::string> Flags(absl::string_view text, bool (*wanted)(absl::string_view)) {
  std::set<std::string> flags;
  for (absl::string_view line : SplitLines(text)) {
    // Of makefiles, CMake and shell alike; a '#' within a word is none.
    const size_t comment = line.find(" #");
    if (absl::StartsWith(line, "#")) continue;
    line = line.substr(0, comment);
    for (const absl::string_view word :
         absl::StrSplit(line, absl::ByAnyChar(" \t\"';,()<>[]{}"), absl::SkipEmpty())) {
      absl::string_view flag = word;
      // CFLAGS=-Wall, $<$<CXX_COMPILER_ID:GNU>:-w>, /std:c++20
      const size_t at = flag.find_last_of("=:");
      const absl::string_view behind =
          at == absl::string_view::npos ? absl::string_view() : flag.substr(at + 1);
      if (absl::StartsWith(behind, "-") || behind == "/w" || absl::StartsWith(behind, "/W")) {
        flag = behind;
      }
      if (wanted(flag)) flags.insert(std::string(flag));
    }
  }
  return flags;
}

}  // namespace

std::set<std::string> StrictWarningFlags(absl::string_view text) { return Flags(text, IsStrict); }

std::set<std::string> LooseWarningFlags(absl::string_view text) { return Flags(text, IsLoose); }

bool HoldsWarningFlags(absl::string_view name) {
  for (const char* glob :
       {"CMakeLists.txt", "*.cmake", "CMakePresets.json", "{GNUmakefile,makefile,Makefile}*",
        "*.mk", "meson.build", "compile_flags.txt", "configure.ac", "*.rsp", "*.bazelrc"}) {
    if (GlobMatch(glob, name)) return true;
  }
  return false;
}

}  // namespace stile
