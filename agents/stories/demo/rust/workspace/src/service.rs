/// Keeps the orders of one day, as amounts in cents.
#[derive(Default)]
pub struct OrderService {
    orders: Vec<u64>,
}

impl OrderService {
    pub fn add(&mut self, cents: u64) -> &mut Self {
        self.orders.push(cents);
        self
    }

    pub fn total(&self) -> u64 {
        self.orders.iter().sum()
    }
}
