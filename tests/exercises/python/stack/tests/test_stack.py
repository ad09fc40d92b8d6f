from stack import Stack


def test_last_in_first_out() -> None:
    stack: Stack[str] = Stack(2)
    assert stack.push("a")
    assert stack.push("b")
    assert not stack.push("c")
    assert stack.room() == 0
    assert stack.pop() == "b"
    assert stack.room() == 1
    assert stack.pop() == "a"
    assert stack.pop() is None
