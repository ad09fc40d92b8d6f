use std::io::{self, Read, Write as W};
use crate::server::Server;

const LIMIT: usize = 3;

struct Point {
    x: i32,
    y: i32,
}

enum Shape {
    Empty,
    Circle(f64),
}

impl Point {
    fn new(x: i32, y: i32) -> Self {
        let x = x + 1;
        let z = x;
        Point { x, y: z }
    }
    fn sum(&self) -> i32 {
        self.x + self.y + LIMIT
    }
}

fn generic<T: Read>(value: T, point: Point) -> Option<T> {
    let Point { x, y: other } = point;
    if let Some(value) = lookup(value) {
        value.use_it();
    }
    match shape {
        Shape::Circle(radius) if radius > x => radius,
        Shape::Empty => other,
        None => LIMIT,
        n @ 1..=5 => n,
    };
    let add = |a, b: i32| a + b + x;
    for value in 0..x {
        add(value, x);
    }
    'outer: loop {
        break 'outer;
    }
    {
        let x = "inner";
        println!("{}", x);
    }
    Point::new(x, other);
    value
}
