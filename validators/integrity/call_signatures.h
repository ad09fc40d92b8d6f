// How functions are declared and called: by which names of parameters and how many arguments.
#ifndef STILE_VALIDATORS_INTEGRITY_CALL_SIGNATURES_H_
#define STILE_VALIDATORS_INTEGRITY_CALL_SIGNATURES_H_

#include <map>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "runtime/language/language.h"
#include "runtime/validation/weakening.h"
#include "validators/integrity/test_code.h"

namespace stile {

struct Signature {
  int least = 0;  // arguments
  int most = 0;
  bool is_async = false;
  std::string result;                   // its declared type; "" for none
  std::vector<std::string> parameters;  // their names, `self` left out

  bool Takes(int arguments) const { return least <= arguments && arguments <= most; }
};

// Functions by their names.
using Signatures = std::map<std::string, std::vector<Signature>>;
Signatures ReadSignatures(const TestCode& code);

// A call by what it needs of a signature.
struct CallForm {
  std::string name;
  int arguments = 0;
  std::set<std::string> keywords;  // names of arguments: `price(count=2)`

  bool operator<(const CallForm& other) const {
    return std::tie(name, arguments, keywords) <
           std::tie(other.name, other.arguments, other.keywords);
  }
};
using CallForms = std::set<CallForm>;
CallForms CallFormsIn(const CodeTokens& tokens);

// Calls that could be made before and cannot be made now, of functions from which parameters or
// whole overloads were taken and to which nothing was added.
class GoneCalls {
 public:
  GoneCalls() = default;
  GoneCalls(const Signatures& before, const Signatures& after);
  bool HasAny(const CallForms& forms) const;

 private:
  struct Change {
    std::vector<Signature> before;
    std::vector<Signature> after;
    std::set<std::string> parameters;  // that no overload has any more
  };
  std::map<std::string, Change> changes_;
};

// Names of functions outside of test files that a change declares before and after, and that have
// to be called otherwise now: a call with some number of arguments was right before and is none
// now, or the result has to be awaited or unwrapped.
std::set<std::string> OtherwiseCalled(const LanguageRegistry& languages,
                                      const std::vector<ContentPair>& changes);

}  // namespace stile

#endif  // STILE_VALIDATORS_INTEGRITY_CALL_SIGNATURES_H_
