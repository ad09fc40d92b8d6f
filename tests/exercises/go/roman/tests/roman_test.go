package roman

import "testing"

func TestWritesNumerals(t *testing.T) {
	cases := map[int]string{1: "I", 4: "IV", 9: "IX", 48: "XLVIII", 93: "XCIII", 141: "CXLI",
		575: "DLXXV", 911: "CMXI", 1444: "MCDXLIV", 3999: "MMMCMXCIX"}
	for number, want := range cases {
		if got, err := ToRoman(number); err != nil || got != want {
			t.Errorf("ToRoman(%d) = %q, %v, want %q", number, got, err, want)
		}
	}
}

func TestRefusesOthers(t *testing.T) {
	for _, number := range []int{0, -1, 4000} {
		if got, err := ToRoman(number); err == nil {
			t.Errorf("ToRoman(%d) = %q, want an error", number, got)
		}
	}
}
