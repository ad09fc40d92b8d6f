"""How the ledger of the accountants calls what takes orders: names of theirs, which stay."""

SYSTEM = "OrderService"
