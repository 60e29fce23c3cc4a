//! Environment of a test: number of rounds, seed.

/// A number from the environment.
///
/// # Panics
/// If the value is not a number.
pub fn number(name: &str) -> Option<u64> {
    let text = std::env::var(name).ok()?;
    Some(text.parse().unwrap_or_else(|_| panic!("{name} is no number")))
}
