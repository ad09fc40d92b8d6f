const SYMBOLS: [(u32, &str); 13] = [
    (1000, "M"), (900, "CM"), (500, "D"), (400, "CD"), (100, "C"), (90, "XC"), (50, "L"),
    (40, "XL"), (10, "X"), (9, "IX"), (5, "V"), (4, "IV"), (1, "I"),
];

pub fn to_roman(number: u32) -> Option<String> {
    if number < 1 || number > 3999 {
        return None;
    }
    let mut rest = number;
    let mut text = String::new();
    for (value, symbol) in SYMBOLS {
        while rest >= value {
            text.push_str(symbol);
            rest -= value;
        }
    }
    Some(text)
}
