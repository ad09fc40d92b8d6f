mod checkout;
mod service;

fn main() {
    let mut service = service::OrderService::default();
    println!("{}", checkout::checkout(&mut service, &[450, 800]));
}
