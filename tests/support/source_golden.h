// Goldens over source code: tests/golden/<folder>/<grammar>/<case>.<ext> beside <case>.expected.
// STILE_UPDATE_GOLDEN=1 writes the expectations anew.
#ifndef STILE_TESTS_SUPPORT_SOURCE_GOLDEN_H_
#define STILE_TESTS_SUPPORT_SOURCE_GOLDEN_H_

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "tests/support/source_folder.h"

namespace stile {

class SourceGolden {
 public:
  // "<grammar>/<case>.<ext>" of each source, sorted.
  static std::vector<std::string> Cases(const std::string& folder) {
    std::vector<std::string> cases;
    const std::filesystem::path root = Root(folder);
    for (const auto& entry : std::filesystem::recursive_directory_iterator(root)) {
      if (!entry.is_regular_file() || entry.path().extension() == ".expected") continue;
      cases.push_back(std::filesystem::relative(entry.path(), root).string());
    }
    std::sort(cases.begin(), cases.end());
    return cases;
  }
  static std::string TestName(const testing::TestParamInfo<std::string>& test) {
    std::string name = test.param;
    for (char& c : name) {
      if (!std::isalnum(static_cast<unsigned char>(c))) c = '_';
    }
    return name;
  }

  SourceGolden(const std::string& folder, const std::string& name)
      : path_(Root(folder) / name), grammar_(name.substr(0, name.find('/'))) {
    text_ = Read(path_);
  }
  const std::string& grammar() const { return grammar_; }
  const std::string& text() const { return text_; }

  void Expect(const std::string& print) const {
    std::filesystem::path expected = path_;
    expected.replace_extension(".expected");
    if (std::getenv("STILE_UPDATE_GOLDEN") != nullptr) {
      std::ofstream(expected, std::ios::binary) << print;
      return;
    }
    EXPECT_EQ(print, Read(expected)) << expected;
  }

 private:
  static std::filesystem::path Root(const std::string& folder) {
    return std::filesystem::path(SourceFolder()) / "tests" / "golden" / folder;
  }
  static std::string Read(const std::filesystem::path& path) {
    std::ostringstream content;
    content << std::ifstream(path, std::ios::binary).rdbuf();
    return content.str();
  }

  std::filesystem::path path_;
  std::string grammar_;
  std::string text_;
};

}  // namespace stile

#endif  // STILE_TESTS_SUPPORT_SOURCE_GOLDEN_H_
