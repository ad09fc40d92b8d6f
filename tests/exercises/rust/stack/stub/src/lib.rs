pub struct Stack<T> {
    items: Vec<T>,
}

impl<T> Stack<T> {
    pub fn room(&self) -> usize {
        self.items.len()
    }
}
