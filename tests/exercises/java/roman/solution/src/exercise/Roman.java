package exercise;

public final class Roman {
    private static final int[] VALUES = {1000, 900, 500, 400, 100, 90, 50, 40, 10, 9, 5, 4, 1};
    private static final String[] TEXTS = {
        "M", "CM", "D", "CD", "C", "XC", "L", "XL", "X", "IX", "V", "IV", "I"
    };

    private Roman() {}

    public static String write(int number) {
        if (number < 1 || number > 3999) {
            throw new IllegalArgumentException(number + " has no Roman numeral");
        }
        StringBuilder text = new StringBuilder();
        int rest = number;
        for (int i = 0; i < VALUES.length; i++) {
            while (rest >= VALUES[i]) {
                text.append(TEXTS[i]);
                rest -= VALUES[i];
            }
        }
        return text.toString();
    }
}
