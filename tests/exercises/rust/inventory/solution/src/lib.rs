pub mod money;

use std::collections::BTreeMap;

#[derive(Default)]
struct Article {
    price: u64,
    count: u64,
}

#[derive(Default)]
pub struct Inventory {
    articles: BTreeMap<String, Article>,
}

impl Inventory {
    pub fn add(&mut self, name: &str, count: u64, price: u64) {
        let article = self.articles.entry(name.to_string()).or_default();
        article.price = price;
        article.count += count;
    }

    pub fn take(&mut self, name: &str, count: u64) -> bool {
        match self.articles.get_mut(name) {
            Some(article) if article.count >= count => {
                article.count -= count;
                true
            }
            _ => false,
        }
    }

    pub fn count(&self, name: &str) -> u64 {
        self.articles.get(name).map_or(0, |article| article.count)
    }

    pub fn value(&self) -> String {
        let cents = self.articles.values().map(|a| a.count * a.price).sum();
        money::format_cents(cents)
    }
}
