#include "tools/refactor/related_names.h"

#include "gtest/gtest.h"

namespace stile {
namespace {

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

}  // namespace
}  // namespace stile
