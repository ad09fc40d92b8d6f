from shop import OrderService
from shop.checkout import checkout

if __name__ == "__main__":
    print(checkout(OrderService(), {"tea": 450, "cup": 800}))
