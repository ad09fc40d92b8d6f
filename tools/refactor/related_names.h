// Names that were made from another one: constructors, tests, stand-ins, files.
#ifndef STILE_TOOLS_REFACTOR_RELATED_NAMES_H_
#define STILE_TOOLS_REFACTOR_RELATED_NAMES_H_

#include <string>
#include <vector>

#include "tools/index/code_index.h"

namespace stile {

struct RelatedName {
  std::string symbol;     // "NewOrder", "OrderTest.run"; "": the file itself is meant
  std::string file;       // relative to the workspace
  int line = 0;           // 1-based; 0 for a file
  std::string new_name;   // of the symbol without its owner; of a file its new path
  bool is_taken = false;  // something has the new name already
};

// `name` with `from`, a whole word of it in one of its spellings (OrderService, orderService,
// order_service, order-service, ORDER_SERVICE), replaced by `to` in the same spelling: for
// OrderService and InvoiceService, order_service_test becomes invoice_service_test. "" where the
// name does not hold `from`, or is `from` itself.
std::string Derived(const std::string& name, const std::string& from, const std::string& to);

struct Renaming {
  std::string from;
  std::string to;
  // Whether files can bear the name, as they do not for a member.
  bool names_files = false;
  // Whether another symbol has the name `from`, and keeps it. Tests that hold no `to` may be named
  // after that one.
  bool has_namesake = false;
};

// Declarations and files of the workspace whose names are those of `from` with customary parts
// before or behind: NewOrder, OrderBuilder, createOrderFrom…; anything may follow in the name of a
// test. Asked after the rename. In the order of files and lines; overloads of one file are one.
std::vector<RelatedName> FindRelatedNames(const Renaming& renaming, CodeIndex* index);

}  // namespace stile

#endif  // STILE_TOOLS_REFACTOR_RELATED_NAMES_H_
