use crate::service::OrderService;

pub fn checkout(service: &mut OrderService, basket: &[u64]) -> u64 {
    for cents in basket {
        service.add(*cents);
    }
    service.total()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn total_is_the_sum_of_the_basket() {
        assert_eq!(checkout(&mut OrderService::default(), &[250, 750]), 1000);
    }
}
