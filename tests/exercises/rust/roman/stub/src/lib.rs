pub fn to_roman(_number: u32) -> Option<String> {
    todo!()
}
