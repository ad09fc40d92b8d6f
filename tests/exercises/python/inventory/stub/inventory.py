class Inventory:
    def value(self) -> str:
        raise NotImplementedError
