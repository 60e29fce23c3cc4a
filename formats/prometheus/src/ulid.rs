//! The name of a block: 48 bits of time and 80 random bits, as 26 characters that sort by time.
//!
//! Bytes:   docs/formats/prometheus.md

use std::fmt;
use std::str::FromStr;

/// | 48 milliseconds since 1970 | 80 random bits |
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Ulid(u128);

/// Crockford's base 32: digits and capitals without I, L, O and U.
const DIGITS: [u8; 32] = *b"0123456789ABCDEFGHJKMNPQRSTVWXYZ";

/// Five bits a character: the first one stands for three.
const LEN: usize = 26;

/// The first time that 48 bits don't hold, in the year 10889.
const TIME_END: u64 = 1 << 48;

impl Ulid {
    /// The name of a block that is made at `time_ms` milliseconds since 1970. Later times than
    /// 48 bits hold count as the last of them.
    pub fn new(time_ms: u64, random: [u8; 10]) -> Self {
        let mut bytes = [0; 16];
        bytes[..6].copy_from_slice(&time_ms.min(TIME_END - 1).to_be_bytes()[2..]);
        bytes[6..].copy_from_slice(&random);
        Ulid(u128::from_be_bytes(bytes))
    }

    /// Time of its making, in milliseconds since 1970.
    pub fn time_ms(self) -> u64 {
        (self.0 >> 80) as u64
    }
}

impl fmt::Display for Ulid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = [0; LEN];
        for (at, place) in text.iter_mut().rev().enumerate() {
            *place = DIGITS[(self.0 >> (5 * at)) as usize & 31];
        }
        f.pad(str::from_utf8(&text).expect("its digits are ASCII"))
    }
}

/// A text that is no ULID: 26 characters of Crockford's base 32, the first at most 7.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct NotUlid;

impl fmt::Display for NotUlid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("not a ULID (26 digits and letters without I, L, O and U, the first at most 7)")
    }
}

impl std::error::Error for NotUlid {}

impl FromStr for Ulid {
    type Err = NotUlid;

    /// Small letters count as capitals, as in the peer.
    fn from_str(text: &str) -> Result<Self, NotUlid> {
        if text.len() != LEN || text.as_bytes()[0] > b'7' {
            return Err(NotUlid);
        }
        let digit = |byte: u8| DIGITS.iter().position(|digit| *digit == byte.to_ascii_uppercase());
        text.bytes()
            .try_fold(0, |sum, byte| Some(sum << 5 | digit(byte)? as u128))
            .map(Ulid)
            .ok_or(NotUlid)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_tells_its_time() {
        let ulid = Ulid::new(1_700_000_000_000, [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
        assert_eq!(ulid.time_ms(), 1_700_000_000_000);
        // The time of the block around the golden indexes.
        assert!(ulid.to_string().starts_with("01HF7YAT00"), "{ulid}");
        assert_eq!(ulid.to_string().parse(), Ok(ulid));
        assert_eq!(ulid.to_string().to_lowercase().parse(), Ok(ulid));
        assert!(Ulid::new(1, [255; 10]) < Ulid::new(2, [0; 10]));
    }

    #[test]
    fn the_ends_of_the_range() {
        assert_eq!(Ulid(0).to_string(), "00000000000000000000000000");
        assert_eq!(Ulid(u128::MAX).to_string(), "7ZZZZZZZZZZZZZZZZZZZZZZZZZ");
        assert_eq!("7ZZZZZZZZZZZZZZZZZZZZZZZZZ".parse(), Ok(Ulid(u128::MAX)));
    }

    #[test]
    fn other_names_are_none() {
        let long = "1".repeat(27);
        let odd = ["", "wal", "01HF7YAT0060RK4CSM6MV3EE1", "8ZZZZZZZZZZZZZZZZZZZZZZZZZ", &long];
        for name in odd {
            assert_eq!(name.parse::<Ulid>(), Err(NotUlid), "{name}");
        }
        assert_eq!("01HF7YAT0060RK4CSM6MV3EE1U".parse::<Ulid>(), Err(NotUlid));
    }
}
