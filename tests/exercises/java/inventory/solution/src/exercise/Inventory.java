package exercise;

import java.util.HashMap;
import java.util.Map;

public class Inventory {
    private record Article(int priceCents, int count) {}

    private final Map<String, Article> articles = new HashMap<>();

    public void add(String name, int count, int priceCents) {
        articles.put(name, new Article(priceCents, count(name) + count));
    }

    public boolean take(String name, int count) {
        Article article = articles.get(name);
        if (article == null || article.count() < count) {
            return false;
        }
        articles.put(name, new Article(article.priceCents(), article.count() - count));
        return true;
    }

    public int count(String name) {
        Article article = articles.get(name);
        return article == null ? 0 : article.count();
    }

    public String value() {
        int cents = 0;
        for (Article article : articles.values()) {
            cents += article.count() * article.priceCents();
        }
        return Money.format(cents);
    }
}
