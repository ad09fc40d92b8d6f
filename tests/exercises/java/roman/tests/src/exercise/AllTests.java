package exercise;

import java.util.Map;

public final class AllTests {
    public static void main(String[] arguments) {
        Map<Integer, String> cases = Map.of(1, "I", 4, "IV", 9, "IX", 48, "XLVIII", 93, "XCIII",
                141, "CXLI", 575, "DLXXV", 911, "CMXI", 1444, "MCDXLIV", 3999, "MMMCMXCIX");
        cases.forEach((number, text) -> Check.that(Roman.write(number).equals(text), text));
        for (int number : new int[] {0, -1, 4000}) {
            boolean refused = false;
            try {
                Roman.write(number);
            } catch (IllegalArgumentException error) {
                refused = true;
            }
            Check.that(refused, "refuses " + number);
        }
    }
}
