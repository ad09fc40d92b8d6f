pub fn format_cents(_cents: u64) -> String {
    todo!()
}
