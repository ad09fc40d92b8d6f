#include "tools/refactor/related_names.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/case_file.h"

namespace stile {
namespace {

using ::testing::ElementsAre;

TEST(Derived, KeepsTheSpelling) {
  const auto derived = [](const char* name) {
    return Derived(name, "OrderService", "InvoiceBook");
  };
  EXPECT_EQ(derived("NewOrderService"), "NewInvoiceBook");
  EXPECT_EQ(derived("TestOrderService_Total"), "TestInvoiceBook_Total");
  EXPECT_EQ(derived("orderServiceMock"), "invoiceBookMock");
  EXPECT_EQ(derived("order_service_test"), "invoice_book_test");
  EXPECT_EQ(derived("order-service"), "invoice-book");
  EXPECT_EQ(derived("MAX_ORDER_SERVICE"), "MAX_INVOICE_BOOK");
}

TEST(Derived, TakesOnlyWholeWords) {
  EXPECT_EQ(Derived("OrderService", "OrderService", "X"), "") << "the name itself";
  EXPECT_EQ(Derived("Border", "order", "x"), "");
  EXPECT_EQ(Derived("NewOrders", "Order", "Item"), "");
  EXPECT_EQ(Derived("", "Order", "Item"), "");
  EXPECT_EQ(Derived("NewOrder", "", "Item"), "");
}

std::vector<std::string> Related(const std::string& text, bool names_files = true,
                                 bool has_namesake = false) {
  CaseFile files(text);
  std::vector<std::string> related;
  for (const RelatedName& name :
       FindRelatedNames({"Order", "Invoice", names_files, has_namesake}, &files.index)) {
    related.push_back(absl::StrCat(name.symbol.empty() ? name.file : name.symbol, " ",
                                   name.new_name, name.is_taken ? " taken" : ""));
  }
  return related;
}

TEST(FindRelatedNames, TakesCustomaryPartsOnly) {
  EXPECT_THAT(Related("=== a.ts\nfunction createOrder() {}\nfunction createOrderFromCart() {}\n"
                      "function createOrderByPolicy() {}\nfunction sendOrder() {}\n"
                      "class OrderBuilder {}\nclass OrderList {}\nfunction testOrderIsFull() {}\n"),
              ElementsAre("createOrder createInvoice", "createOrderFromCart createInvoiceFromCart",
                          "OrderBuilder InvoiceBuilder", "testOrderIsFull testInvoiceIsFull"));
}

TEST(FindRelatedNames, GivesOverloadsOnce) {
  EXPECT_THAT(
      Related("=== A.java\nclass A {\n  void newOrder() {}\n  void newOrder(int a) {}\n}\n"),
      ElementsAre("A.newOrder newInvoice"));
}

TEST(FindRelatedNames, TakesOnlyCodeOfTheRenamedOneWhereAnotherHasTheName) {
  const std::string text =
      "=== a.go\npackage a\n\nfunc TestOrder() { a.Order() }\n\nfunc TestOrder_Late() { "
      "b.Invoice() }\n";
  EXPECT_THAT(Related(text, /*names_files=*/false),
              ElementsAre("TestOrder TestInvoice", "TestOrder_Late TestInvoice_Late"));
  EXPECT_THAT(Related(text, /*names_files=*/false, /*has_namesake=*/true),
              ElementsAre("TestOrder_Late TestInvoice_Late"));
}

TEST(FindRelatedNames, NamesNoFileAfterAMember) {
  const std::string text = "=== order.ts\nfunction createOrder() {}\n";
  EXPECT_THAT(Related(text), ElementsAre("order.ts invoice.ts", "createOrder createInvoice"));
  EXPECT_THAT(Related(text, /*names_files=*/false), ElementsAre("createOrder createInvoice"));
}

TEST(FindRelatedNames, SaysWhichNamesAreTaken) {
  EXPECT_THAT(
      Related("=== order_test.go\npackage p\nfunc NewOrder() {}\n"
              "=== b.go\npackage p\nfunc NewInvoice() {}\n=== invoice_test.go\npackage p\n"),
      ElementsAre("order_test.go invoice_test.go taken", "NewOrder NewInvoice taken"));
}

}  // namespace
}  // namespace stile
