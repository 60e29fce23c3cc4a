//! Ids: SHA-256 of a file as it is stored, or of a blob's plaintext.
//!
//! Bytes:   32 bytes; in JSON and names of files 64 hexadecimal digits, docs/formats/restic.md

use std::fmt;

use manicule_core::go::json::{Json, JsonError, Kind};
use manicule_core::hex;
use sha2::{Digest, Sha256};

/// Id of a file or a blob.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Id(pub [u8; 32]);

impl Id {
    /// The id of these bytes: their SHA-256. About 0.6 ns a byte where the processor has
    /// instructions for it.
    pub fn of(bytes: &[u8]) -> Id {
        Id(Sha256::digest(bytes).into())
    }

    /// Reads exactly 64 hexadecimal digits of either case. Other names aren't those of a
    /// repository's files.
    #[inline]
    pub fn parse(digits: &[u8]) -> Option<Id> {
        hex::decode_32(digits.try_into().ok()?).map(Id)
    }

    /// Its first eight digits: how restic's messages shorten it.
    pub fn short(&self) -> String {
        self.to_string()[..8].to_owned()
    }

    /// Reads an id in JSON. As in restic it has to be a string of 64 digits without escapes; `null`
    /// is an error.
    pub fn read(json: &mut Json<'_>) -> Result<Id, JsonError> {
        json.kind()?;
        let at = json.at();
        let raw = json.raw()?;
        let digits = raw.strip_prefix(b"\"").and_then(|rest| rest.strip_suffix(b"\""));
        digits.and_then(Id::parse).ok_or_else(|| {
            let len = raw.len();
            let got = String::from_utf8_lossy(&raw[..len.min(80)]).into_owned();
            JsonError::new(at, "an id, 64 hexadecimal digits", got)
        })
    }

    /// Reads an id in JSON that may be missing: `None` for `null`.
    pub fn read_optional(json: &mut Json<'_>) -> Result<Option<Id>, JsonError> {
        match json.kind()? {
            Kind::Null => json.skip().map(|()| None),
            _ => Id::read(json).map(Some),
        }
    }

    /// Its 64 lower-case digits.
    pub fn digits(&self) -> [u8; 64] {
        hex::encode_32(&self.0)
    }
}

impl fmt::Display for Id {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(str::from_utf8(&self.digits()).expect("digits"))
    }
}

impl fmt::Debug for Id {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Id({self})")
    }
}

/// The id of bytes that come one part after the other.
#[derive(Clone, Debug, Default)]
pub struct IdHasher(Sha256);

impl IdHasher {
    /// Of no bytes yet.
    pub fn new() -> Self {
        IdHasher::default()
    }

    /// Takes the next bytes.
    pub fn update(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    /// The id of all of them.
    pub fn finish(self) -> Id {
        Id(self.0.finalize().into())
    }
}

/// First digits of an id, 1 to 64 of them: how people name files and blobs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IdPrefix {
    /// The digits, those after them zero.
    low: Id,
    digit_count: usize,
}

impl IdPrefix {
    /// Reads 1 to 64 hexadecimal digits of either case.
    pub fn parse(digits: &[u8]) -> Option<IdPrefix> {
        let mut all = [b'0'; hex::DIGITS];
        all.get_mut(..digits.len())?.copy_from_slice(digits);
        let low = Id(hex::decode_32(&all)?);
        (!digits.is_empty()).then_some(IdPrefix { low, digit_count: digits.len() })
    }

    /// Whether an id begins with these digits.
    pub fn matches(&self, id: &Id) -> bool {
        let (whole, has_half) = (self.digit_count / 2, self.digit_count % 2 == 1);
        let is_half_same = || (self.low.0[whole] ^ id.0[whole]) >> 4 == 0;
        self.low.0[..whole] == id.0[..whole] && (!has_half || is_half_same())
    }

    /// The first id that begins with these digits, for a search in sorted ids.
    pub fn low(&self) -> Id {
        self.low
    }

    /// The number of digits.
    pub fn digit_count(&self) -> usize {
        self.digit_count
    }
}

impl fmt::Display for IdPrefix {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.low.to_string()[..self.digit_count])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DIGITS: &str = "ac08ce34ba4f8123618661bef2425f7028ffb9ac740578a3ee88684d2523fee8";

    #[test]
    fn an_id_is_the_hash_of_its_bytes() {
        let id = Id::of(b"{\"nodes\":[]}\n");
        assert_eq!((id.to_string().as_str(), id.short().as_str()), (DIGITS, "ac08ce34"));
        assert_eq!(format!("{id:?}"), format!("Id({DIGITS})"));
        let mut parts = IdHasher::new();
        [&b"{\"nodes\""[..], b"", b":[]}\n"].iter().for_each(|part| parts.update(part));
        assert_eq!(parts.finish(), id);
        assert_eq!(Id::parse(DIGITS.to_uppercase().as_bytes()), Some(id));
        for name in ["", "README", &DIGITS[1..], &format!("{DIGITS}0"), &format!("{DIGITS}-tmp-1")]
        {
            assert_eq!(Id::parse(name.as_bytes()), None, "{name}");
        }
    }

    #[test]
    fn a_prefix_matches_the_ids_that_begin_with_it() {
        let id = Id::parse(DIGITS.as_bytes()).unwrap();
        for len in 1..=64 {
            let prefix = IdPrefix::parse(&DIGITS.as_bytes()[..len]).unwrap();
            assert!(prefix.matches(&id) && prefix.low() <= id, "{prefix}");
            assert_eq!((prefix.to_string().as_str(), prefix.digit_count()), (&DIGITS[..len], len));
            for bit in 0..256 {
                let mut other = id;
                other.0[bit / 8] ^= 0x80 >> (bit % 8);
                assert_eq!(prefix.matches(&other), bit / 4 >= len, "{prefix}, bit {bit}");
            }
        }
        for text in ["", "g", "ac 8", &format!("{DIGITS}0")] {
            assert_eq!(IdPrefix::parse(text.as_bytes()), None, "{text}");
        }
        assert!(IdPrefix::parse(b"AC0").unwrap().matches(&id));
    }

    #[test]
    fn ids_in_json_are_read_as_restic_does() {
        let read = |text: &str| Id::read(&mut Json::new(text.as_bytes()));
        let id = Id::parse(DIGITS.as_bytes()).unwrap();
        assert_eq!(read(&format!(" \"{DIGITS}\"")), Ok(id));
        assert_eq!(read(&format!("\"{}\"", DIGITS.to_uppercase())), Ok(id));
        for text in ["null", "\"\"", "5", "\"abcd\"", &format!("\"{}\"", "zz".repeat(32))] {
            assert!(read(text).is_err(), "{text}");
        }
        let escaped = format!("\"\\u0061{}\"", &DIGITS[6..]);
        let error = read(&escaped).unwrap_err();
        assert_eq!((error.at, error.want), (0, "an id, 64 hexadecimal digits"));
    }
}
