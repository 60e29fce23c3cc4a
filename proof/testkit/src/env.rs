//! What a test is told from outside: how many rounds, which seed.
//!
//! Callers: faces/cli/tests

/// A number from the environment.
///
/// # Panics
/// If what stands there is no number.
pub fn number(name: &str) -> Option<u64> {
    let text = std::env::var(name).ok()?;
    Some(text.parse().unwrap_or_else(|_| panic!("{name} is no number")))
}
