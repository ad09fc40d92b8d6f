pub struct Stack<T> {
    items: Vec<T>,
    capacity: usize,
}

impl<T> Stack<T> {
    pub fn new(capacity: usize) -> Self {
        Stack { items: Vec::new(), capacity }
    }

    /// Gives the item back when there is no room.
    pub fn push(&mut self, item: T) -> Result<(), T> {
        if self.items.len() == self.capacity {
            return Err(item);
        }
        self.items.push(item);
        Ok(())
    }

    pub fn pop(&mut self) -> Option<T> {
        self.items.pop()
    }

    pub fn room(&self) -> usize {
        self.capacity - self.items.len()
    }
}
