//! A posting list as it stands in the file: increasing references of series, big-endian.
//!
//! Bytes:   | 4 len | 4 count | count × 4 series ref | 4 CRC |, docs/formats/prometheus.md

use manicule_core::bytes::DecodeError;

use super::layout::section;
use crate::SeriesRef;

/// The references of a list, borrowed from the file.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct PostingList<'a> {
    refs: &'a [[u8; 4]],
}

impl<'a> PostingList<'a> {
    /// No series.
    pub const EMPTY: PostingList<'static> = PostingList { refs: &[] };

    /// The references as they stand in the file.
    #[inline]
    pub fn as_bytes(&self) -> &'a [[u8; 4]] {
        self.refs
    }

    /// Number of series.
    #[inline]
    pub fn len(&self) -> usize {
        self.refs.len()
    }

    /// Whether there is none.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.refs.is_empty()
    }

    /// The series at a place of the list.
    #[inline]
    pub fn get(&self, place: usize) -> Option<SeriesRef> {
        self.refs.get(place).map(|bytes| SeriesRef(u32::from_be_bytes(*bytes)))
    }

    /// The series, increasing.
    #[inline]
    pub fn iter(&self) -> impl ExactSizeIterator<Item = SeriesRef> + DoubleEndedIterator + 'a {
        self.refs.iter().map(|bytes| SeriesRef(u32::from_be_bytes(*bytes)))
    }

    /// Reads the list whose length field is at `at`. `Trust` leaves out what an earlier reading has
    /// shown.
    pub(super) fn open(bytes: &'a [u8], at: u64, trust: Trust) -> Result<Self, DecodeError> {
        let mut reader = match trust {
            Trust::Nothing => section(bytes, at, "posting list", "checksum of a posting list")?,
            Trust::Checked => {
                let mut reader = super::layout::reader_at(bytes, at, "posting list")?;
                let len = reader.u32_be("posting list")?;
                let start = reader.at();
                manicule_core::bytes::Reader::new(reader.take("posting list", len as usize)?, start)
            }
        };
        let at = reader.at();
        let count = reader.u32_be("posting count")?;
        let (refs, rest) = reader.rest().as_chunks::<4>();
        if !rest.is_empty() || refs.len() != count as usize {
            let (what, want) = ("posting count", (reader.rest().len() / 4) as u64);
            return Err(DecodeError::Corrupt { what, at, want, got: count.into() });
        }
        if trust == Trust::Nothing
            && let Some(place) = first_not_rising(refs)
        {
            let at = reader.at() + 4 * place as u64;
            let number = |place: usize| u64::from(u32::from_be_bytes(refs[place]));
            let (want, got) = (number(place - 1) + 1, number(place));
            return Err(DecodeError::Corrupt { what: "postings that rise", at, want, got });
        }
        Ok(PostingList { refs })
    }
}

impl std::fmt::Debug for PostingList<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list().entries(self.iter().map(|series| series.0)).finish()
    }
}

/// Trust in a list: what is known of it already.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Trust {
    Nothing,
    Checked,
}

/// The place of the first reference that isn't larger than the one before it.
fn first_not_rising(refs: &[[u8; 4]]) -> Option<usize> {
    let pairs = refs.windows(2);
    let falls = |pair: &[[u8; 4]]| u32::from_be_bytes(pair[0]) >= u32::from_be_bytes(pair[1]);
    // Without leaving early, so that it is done by vectors; lists that fall are rare.
    let any = pairs.clone().fold(false, |any, pair| any | falls(pair));
    if any { pairs.into_iter().position(falls).map(|place| place + 1) } else { None }
}
