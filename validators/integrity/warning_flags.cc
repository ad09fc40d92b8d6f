#include "validators/integrity/warning_flags.h"

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "re2/re2.h"
#include "runtime/base/text.h"

namespace stile {
namespace {

bool IsStrict(absl::string_view flag) {
  if (absl::EndsWith(flag, "$")) return false;  // the rest is a variable's
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
         flag == "--no-warnings" || absl::StartsWith(flag, "-Wno-") ||
         absl::StartsWith(flag, "/wd");
}

// Switches that a build puts together from parts, so that their name stands nowhere: -W${SILENT},
// -f$<1:permissive>, $(DASH)fpermissive. Which they are only the build can tell.
void AddComposed(absl::string_view line, std::set<std::string>* flags) {
  static const RE2* const kComposed =
      new RE2(R"rx((?:^|[\s"';,(:=])(-(?:[fWw][\w-]*)?(?:\$[{(<][^\s"';)}>]*[)}>]?)+[\w-]*))rx");
  static const RE2* const kTail =
      new RE2(R"rx((\$[{(<][^\s"';)}>]*[)}>](?:-?W?no-|f?permissive\b)[\w-]*))rx");
  const bool is_recipe = absl::StartsWith(line, "\t-");  // whose failure does not count
  for (const RE2* pattern : {kComposed, kTail}) {
    const absl::string_view words = is_recipe ? line.substr(2) : line;
    re2::StringPiece rest(words.data(), words.size());
    std::string flag;
    while (RE2::FindAndConsume(&rest, *pattern, &flag)) flags->insert(flag);
  }
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
      for (size_t at = flag.find_first_of("=:"); at != absl::string_view::npos;
           at = word.find_first_of("=:", at + 1)) {
        const absl::string_view behind = word.substr(at + 1);
        if (absl::StartsWith(behind, "-") || behind == "/w" || absl::StartsWith(behind, "/W") ||
            absl::StartsWith(behind, "/wd")) {
          flag = behind;
          break;
        }
      }
      if (wanted(flag)) flags.insert(std::string(flag));
    }
  }
  return flags;
}

}  // namespace

std::set<std::string> StrictWarningFlags(absl::string_view text) { return Flags(text, IsStrict); }

std::set<std::string> LooseWarningFlags(absl::string_view text) {
  std::set<std::string> flags = Flags(text, IsLoose);
  for (const absl::string_view line : SplitLines(text)) {
    if (!absl::StartsWith(absl::StripLeadingAsciiWhitespace(line), "#")) AddComposed(line, &flags);
  }
  return flags;
}

bool HoldsWarningFlags(absl::string_view name) {
  for (const char* glob :
       {"CMakeLists.txt", "*.cmake", "CMakePresets.json", "{GNUmakefile,makefile,Makefile}*",
        "*.mk", "meson.build", "compile_flags.txt", "configure.ac", "*.rsp", "*.bazelrc"}) {
    if (GlobMatch(glob, name)) return true;
  }
  return false;
}

}  // namespace stile
