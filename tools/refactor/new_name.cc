#include "tools/refactor/new_name.h"

#include <locale.h>
#include <wctype.h>

#include <cstdint>
#include <map>
#include <set>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "runtime/base/text.h"
#include "tools/language/brackets.h"

namespace stile {
namespace {

// From the grammars of the languages; words that are reserved only in some places are left out.
constexpr absl::string_view kC =
    "auto break case char const continue default do double else enum extern float for goto if "
    "inline int long register restrict return short signed sizeof static struct switch typedef "
    "union unsigned void volatile while";
constexpr absl::string_view kCpp =
    "alignas alignof and and_eq asm bitand bitor bool catch class compl concept const_cast "
    "consteval constexpr constinit co_await co_return co_yield decltype delete dynamic_cast "
    "explicit export false friend mutable namespace new noexcept not not_eq nullptr operator or "
    "or_eq private protected public reinterpret_cast requires static_assert static_cast template "
    "this thread_local throw true try typeid typename using virtual wchar_t xor xor_eq";
constexpr absl::string_view kCSharp =
    "abstract as base bool break byte case catch char checked class const continue decimal default "
    "delegate do double else enum event explicit extern false finally fixed float for foreach goto "
    "if implicit in int interface internal is lock long namespace new null object operator out "
    "override params private protected public readonly ref return sbyte sealed short sizeof "
    "stackalloc static string struct switch this throw true try typeof uint ulong unchecked unsafe "
    "ushort using virtual void volatile while";
constexpr absl::string_view kGo =
    "break case chan const continue default defer else fallthrough for func go goto if import "
    "interface map package range return select struct switch type var";
constexpr absl::string_view kJava =
    "abstract assert boolean break byte case catch char class const continue default do double "
    "else enum extends false final finally float for goto if implements import instanceof int "
    "interface long native new null package private protected public return short static strictfp "
    "super switch synchronized this throw throws transient true try void volatile while";
constexpr absl::string_view kJavaScript =
    "await break case catch class const continue debugger default delete do else enum export "
    "extends false finally for function if implements import in instanceof interface let new null "
    "package private protected public return static super switch this throw true try typeof var "
    "void while with yield";
constexpr absl::string_view kPython =
    "False None True and as assert async await break class continue def del elif else except "
    "finally for from global if import in is lambda nonlocal not or pass raise return try while "
    "with yield";
constexpr absl::string_view kRust =
    "Self abstract as async await become box break const continue crate do dyn else enum extern "
    "false final fn for if impl in let loop macro match mod move mut override priv pub ref return "
    "self static struct super trait true try type typeof unsafe unsized use virtual where while "
    "yield";

using Words = std::set<absl::string_view>;

const Words& ReservedWords(const std::string& language) {
  static const auto* const words = [] {
    auto* all = new std::map<std::string, Words>;
    const auto add = [&](const char* id, absl::string_view list) {
      for (const absl::string_view word : absl::StrSplit(list, ' ')) (*all)[id].insert(word);
    };
    add("c", kC);
    add("cpp", kC);
    add("cpp", kCpp);
    add("csharp", kCSharp);
    add("go", kGo);
    add("java", kJava);
    add("javascript", kJavaScript);
    add("typescript", kJavaScript);
    add("python", kPython);
    add("rust", kRust);
    return all;
  }();
  static const Words none;
  const auto found = words->find(language);
  return found == words->end() ? none : found->second;
}

// Letters that Unicode calls compatible with others: letter-like signs, ligatures, presentation
// forms, double width, mathematical letters.
bool IsVariant(uint32_t letter) {
  return (letter >= 0x2100 && letter <= 0x214F) || (letter >= 0xFB00 && letter <= 0xFDFF) ||
         (letter >= 0xFE70 && letter <= 0xFFEF) || (letter >= 0x1D400 && letter <= 0x1D7FF);
}

// The code points of UTF-8 beyond ASCII. `text` is valid.
std::vector<uint32_t> Letters(const std::string& text) {
  std::vector<uint32_t> letters;
  for (size_t i = 0; i < text.size();) {
    const auto first = static_cast<unsigned char>(text[i++]);
    if (first < 0x80) continue;
    uint32_t letter = first >= 0xF0 ? first & 0x07 : first >= 0xE0 ? first & 0x0F : first & 0x1F;
    while (i < text.size() && (static_cast<unsigned char>(text[i]) & 0xC0) == 0x80) {
      letter = (letter << 6) | (static_cast<unsigned char>(text[i++]) & 0x3F);
    }
    letters.push_back(letter);
  }
  return letters;
}

bool AreLetters(const std::string& name) {
  static const locale_t unicode = newlocale(LC_CTYPE_MASK, "C.UTF-8", nullptr);
  for (const uint32_t letter : Letters(name)) {
    if (IsVariant(letter)) return false;
    if (unicode != nullptr && iswalnum_l(static_cast<wint_t>(letter), unicode) == 0) return false;
  }
  return true;
}

}  // namespace

absl::Status CheckNewName(const Language& language, const std::string& name) {
  if (!IsUtf8(name) || !IsIdentifier(name) || name == "_" || !AreLetters(name)) {
    return absl::InvalidArgumentError(
        absl::StrCat("'", ToUtf8(name), "' is not a name; give newName as one identifier"));
  }
  if (ReservedWords(language.id).count(name) > 0) {
    return absl::InvalidArgumentError(
        absl::StrCat(name, " is a reserved word of ", language.name, "; choose another newName"));
  }
  return absl::OkStatus();
}

}  // namespace stile
