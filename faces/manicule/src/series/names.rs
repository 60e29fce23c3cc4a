//! Names of new blocks.

use std::time::SystemTime;

use manicule_series::Ulid;
use manicule_store::random;

use super::error::Error;

/// Unique names for new blocks: the time, random bits, and one more for each.
pub(super) fn fresh_names() -> Result<impl FnMut() -> Ulid, Error> {
    let random: [u8; 10] = random().map_err(Error::Random)?;
    let since_1970 = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    let [a, b, rest @ ..] = random;
    let mut number = u64::from_be_bytes(rest);
    Ok(move || {
        number = number.wrapping_add(1);
        let mut random = [a, b, 0, 0, 0, 0, 0, 0, 0, 0];
        random[2..].copy_from_slice(&number.to_be_bytes());
        Ulid::new(since_1970.as_millis() as u64, random)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_differ_and_rise_in_a_run() {
        let mut names = fresh_names().unwrap();
        let (first, second) = (names(), names());
        assert_ne!(first, second);
        assert_eq!(first.time_ms(), second.time_ms());
        assert_ne!(fresh_names().unwrap()(), fresh_names().unwrap()());
    }
}
