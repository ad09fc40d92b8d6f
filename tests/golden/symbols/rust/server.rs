//! The crate.
use std::fmt::{self, Display};

pub mod inner;

/// A server.
///
/// More.
#[derive(Debug, Clone)]
pub struct Server<T: Clone> {
    /// The name.
    pub name: String,
    #[serde(default)]
    port: u16,
    items: Vec<T>,
}

struct Unit;
struct Tuple(i32, pub String);

pub union Number {
    i: i32,
    f: f32,
}

#[repr(u8)]
pub enum Shape {
    Empty,
    // A circle.
    Circle(f64),
    Square { side: f64 },
}

pub trait Area: Display + fmt::Debug {
    const SIDES: usize;
    type Output;
    fn area(&self) -> f64;
    fn double(&self) -> f64 {
        self.area() * 2.0
    }
}

impl<T: Clone> Server<T> {
    pub const MAX: usize = 10;

    /// Makes one.
    #[must_use]
    pub fn new(name: &str) -> Self {
        const LOCAL: i32 = 1;
        let value = 2;
        fn helper(x: i32) -> i32 {
            x
        }
        struct Inside {
            field: i32,
        }
        Self { name: name.into(), port: 1, items: vec![] }
    }

    pub(crate) async fn run(&mut self) {}
}

impl Area for Shape {
    const SIDES: usize = 0;
    type Output = f64;
    fn area(&self) -> f64 {
        0.0
    }
}

impl<T: Clone> fmt::Display for Server<T> {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        Ok(())
    }
}

impl dyn Area<Output = f64> {
    fn dynamic(&self) {}
}

impl<'a> IntoIterator for &'a Tuple {
    fn into_iter(self) {}
}

pub const LIMIT: usize = 3;
static mut COUNTER: u32 = 0;
type Result<T> = std::result::Result<T, Error>;

/* Repeats. */
#[macro_export]
macro_rules! repeat {
    ($x:expr) => {
        $x
    };
}

pub(crate) fn free<T>(value: T) -> T
where
    T: Clone,
{
    value
}

extern "C" {
    fn c_function(x: i32) -> i32;
    static C_GLOBAL: i32;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn works() {}
}
