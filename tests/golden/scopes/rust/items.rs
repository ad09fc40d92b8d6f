mod net {
    pub fn connect(port: u16) -> u16 {
        fn port_of(port: u16) -> u16 {
            port
        }
        port_of(port)
    }
}

trait Area<T> {
    type Output;
    fn area(&self, scale: T) -> Self::Output;
}

static COUNT: i32 = 0;

macro_rules! twice {
    ($x:expr) => { $x };
}

fn main() {
    let count = net::connect(COUNT);
    let count = count + twice!(count);
    while let Some(count) = next(count) {
        drop(count);
    }
}
