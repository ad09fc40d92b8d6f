package roman

import "fmt"

var symbols = []struct {
	value int
	text  string
}{
	{1000, "M"}, {900, "CM"}, {500, "D"}, {400, "CD"}, {100, "C"}, {90, "XC"},
	{50, "L"}, {40, "XL"}, {10, "X"}, {9, "IX"}, {5, "V"}, {4, "IV"}, {1, "I"},
}

// ToRoman writes a number as a Roman numeral.
func ToRoman(number int) (string, error) {
	if number < 1 || number > 3999 {
		return "", fmt.Errorf("%d has no Roman numeral", number)
	}
	text := ""
	for _, symbol := range symbols {
		for number >= symbol.value {
			text += symbol.text
			number -= symbol.value
		}
	}
	return text, nil
}
