use exercise::Stack;

#[test]
fn last_in_first_out() {
    let mut stack = Stack::new(2);
    assert_eq!(stack.push("a"), Ok(()));
    assert_eq!(stack.push("b"), Ok(()));
    assert_eq!(stack.push("c"), Err("c"));
    assert_eq!(stack.room(), 0);
    assert_eq!(stack.pop(), Some("b"));
    assert_eq!(stack.room(), 1);
    assert_eq!(stack.pop(), Some("a"));
    assert_eq!(stack.pop(), None);
}
