package inventory

import "testing"

func TestInventory(t *testing.T) {
	i := New()
	i.Add("bolt", 2, 25)
	i.Add("bolt", 8, 25)
	i.Add("nut", 3, 107)
	if i.Count("bolt") != 10 || i.Value() != "5.71" {
		t.Errorf("%d bolts, worth %s", i.Count("bolt"), i.Value())
	}
	if i.Take("bolt", 11) || i.Take("screw", 1) {
		t.Error("took what was not there")
	}
	if !i.Take("bolt", 10) || i.Count("bolt") != 0 || i.Value() != "3.21" {
		t.Errorf("%d bolts left, worth %s", i.Count("bolt"), i.Value())
	}
}
