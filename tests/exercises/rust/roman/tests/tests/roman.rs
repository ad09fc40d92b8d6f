use exercise::to_roman;

#[test]
fn writes_numerals() {
    for (number, text) in [(1, "I"), (4, "IV"), (9, "IX"), (48, "XLVIII"), (93, "XCIII"), (141, "CXLI"),
        (575, "DLXXV"), (911, "CMXI"), (1444, "MCDXLIV"), (3999, "MMMCMXCIX")] {
        assert_eq!(to_roman(number).as_deref(), Some(text));
    }
}

#[test]
fn refuses_others() {
    assert_eq!(to_roman(0), None);
    assert_eq!(to_roman(4000), None);
}
