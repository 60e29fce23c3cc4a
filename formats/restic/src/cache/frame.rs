//! The frame of a cache file: a prefix in the clear, a head that lists sections, and the sections'
//! pages, each opened by itself.
//!
//! Bytes:   | 4 magic "MANB" | 4 kind | 4 version = 1 | 4 head_len | 32 salt | head | pages |, docs/formats/blob-cache.md

use std::fmt;
use std::ops::Range;

use manicule_core::bytes::{DecodeError, Reader};

use crate::seal::{Key, SealError, TAG_LEN};

const MAGIC: [u8; 4] = *b"MANB";
const VERSION: u32 = 1;
const PREFIX_LEN: usize = 4 + 4 + 4 + 4 + 32;
/// The head goes by this number among the pages; those of sections by the numbers after it.
const HEAD_PAGE: u64 = 1;
/// Least bytes of a section in a head.
const SECTION_LEN: usize = 4 + 8;

/// What a cache file holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CacheKind {
    /// The entries of all index files.
    Index,
    /// The texts of trees.
    Trees,
}

impl CacheKind {
    fn number(self) -> u32 {
        match self {
            CacheKind::Index => 1,
            CacheKind::Trees => 2,
        }
    }
}

/// A section: bytes in pages of one length, the last as long as what is left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CacheSection {
    /// Length of a page's plaintext.
    pub page_len: u32,
    /// Length of all of it.
    pub len: u64,
}

impl CacheSection {
    /// Number of its pages.
    pub fn page_count(&self) -> u64 {
        self.len.div_ceil(self.page_len.into())
    }

    /// Where a page's plaintext lies in the section's.
    pub fn page(&self, page: u64) -> Range<u64> {
        let start = page * u64::from(self.page_len);
        start..self.len.min(start + u64::from(self.page_len))
    }

    /// Length with the tags of its pages.
    fn sealed_len(&self) -> u64 {
        self.len + self.page_count() * TAG_LEN as u64
    }
}

/// A cache file that can't be used: nothing of it is believed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CacheError {
    /// It is none, of another kind or version, or was cut.
    Decode(DecodeError),
    /// Sealed by another key, or damaged.
    Sealed(SealError),
}

impl fmt::Display for CacheError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CacheError::Decode(error) => error.fmt(f),
            CacheError::Sealed(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for CacheError {}

impl From<DecodeError> for CacheError {
    fn from(error: DecodeError) -> Self {
        CacheError::Decode(error)
    }
}

/// The key and the places of a file's pages.
#[derive(Debug)]
pub struct CacheFrame {
    key: Key,
    sections: Vec<Placed>,
    /// Length of the file.
    len: u64,
}

/// A section in its file.
#[derive(Clone, Copy, Debug)]
struct Placed {
    section: CacheSection,
    /// Number of its first page in the file.
    first_page: u64,
    at: u64,
}

impl CacheFrame {
    /// The frame of a new file, whose prefix and head are appended. `salt` is random: each file has
    /// a key of its own.
    pub fn new(
        kind: CacheKind,
        master: &Key,
        salt: [u8; 32],
        sections: &[CacheSection],
        contents: &[u8],
        out: &mut Vec<u8>,
    ) -> CacheFrame {
        let mut head = Vec::with_capacity(4 + sections.len() * SECTION_LEN + contents.len());
        head.extend_from_slice(&(sections.len() as u32).to_le_bytes());
        for section in sections {
            head.extend_from_slice(&section.page_len.to_le_bytes());
            head.extend_from_slice(&section.len.to_le_bytes());
        }
        head.extend_from_slice(contents);
        let head_len = u32::try_from(head.len()).expect("a head lists files, not entries");
        let mut prefix = [0; PREFIX_LEN];
        prefix[..4].copy_from_slice(&MAGIC);
        prefix[4..8].copy_from_slice(&kind.number().to_le_bytes());
        prefix[8..12].copy_from_slice(&VERSION.to_le_bytes());
        prefix[12..16].copy_from_slice(&head_len.to_le_bytes());
        prefix[16..].copy_from_slice(&salt);
        let key = master.derive(&prefix);
        out.extend_from_slice(&prefix);
        key.seal_at_place(iv(HEAD_PAGE), &head, out);
        place(key, sections, head.len()).expect("lengths of what is in memory add up")
    }

    /// Reads prefix and head of a file; pages are opened one by one. Gives the frame and the
    /// contents of the head.
    pub fn open(
        bytes: &[u8],
        kind: CacheKind,
        master: &Key,
    ) -> Result<(CacheFrame, Vec<u8>), CacheError> {
        let mut reader = Reader::new(bytes, 0);
        let prefix = reader.take("prefix", PREFIX_LEN)?;
        let mut fields = Reader::new(prefix, 0);
        let want = [u32::from_le_bytes(MAGIC), kind.number(), VERSION];
        for (what, want) in ["magic", "kind of cache", "version of cache"].into_iter().zip(want) {
            let (at, got) = (fields.at(), fields.u32_le(what)?);
            if got != want {
                let (want, got) = (want.into(), got.into());
                return Err(DecodeError::Corrupt { what, at, want, got }.into());
            }
        }
        let head_len = fields.u32_le("length of the head")? as usize;
        let key = master.derive(prefix);
        let mut sealed = reader.take("head", head_len.saturating_add(TAG_LEN))?.to_vec();
        let head = key.open_at_place(iv(HEAD_PAGE), &mut sealed).map_err(CacheError::Sealed)?;
        let mut head = Reader::new(head, 0);
        let sections = read_sections(&mut head)?;
        let frame = place(key, &sections, head_len).ok_or(DecodeError::Corrupt {
            what: "lengths of sections",
            at: 4,
            want: bytes.len() as u64,
            got: u64::MAX,
        })?;
        if frame.len != bytes.len() as u64 {
            let (what, want, got) = ("length of the file", frame.len, bytes.len() as u64);
            return Err(DecodeError::Corrupt { what, at: 0, want, got }.into());
        }
        Ok((frame, head.rest().to_vec()))
    }

    /// A section; `None` if there are not that many.
    pub fn section(&self, section: usize) -> Option<CacheSection> {
        self.sections.get(section).map(|placed| placed.section)
    }

    /// Opens a page of a section. `bytes` is the whole file.
    ///
    /// # Panics
    /// If there is no such page.
    pub fn open_page(&self, bytes: &[u8], section: usize, page: u64) -> Result<Vec<u8>, SealError> {
        let Placed { section, first_page, at } = self.sections[section];
        assert!(page < section.page_count(), "a page of the section");
        let plain = section.page(page);
        let start = at + plain.start + page * TAG_LEN as u64;
        let end = start + (plain.end - plain.start) + TAG_LEN as u64;
        let short = SealError::TooShort { len: bytes.len() };
        let mut sealed = bytes.get(start as usize..end as usize).ok_or(short)?.to_vec();
        let len = self.key.open_at_place(iv(first_page + page), &mut sealed)?.len();
        sealed.truncate(len);
        Ok(sealed)
    }

    /// Appends a page of a section. Pages follow each other in the file in the order of the
    /// sections.
    ///
    /// # Panics
    /// If `plain` hasn't the length of that page.
    pub fn seal_page(&self, section: usize, page: u64, plain: &[u8], out: &mut Vec<u8>) {
        let Placed { section, first_page, .. } = self.sections[section];
        let range = section.page(page);
        assert_eq!(plain.len() as u64, range.end - range.start, "a whole page");
        self.key.seal_at_place(iv(first_page + page), plain, out);
    }
}

/// The IV of a page: counters of its blocks have the lower half for themselves.
fn iv(page: u64) -> [u8; 16] {
    (u128::from(page) << 64).to_be_bytes()
}

fn read_sections(head: &mut Reader<'_>) -> Result<Vec<CacheSection>, DecodeError> {
    let (what, at) = ("count of sections", head.at());
    let got = u64::from(head.u32_le(what)?);
    let want = (head.rest().len() / SECTION_LEN) as u64;
    if got > want {
        return Err(DecodeError::Corrupt { what, at, want, got });
    }
    let mut sections = Vec::with_capacity(got as usize);
    for _ in 0..got {
        let (what, at) = ("length of a page", head.at());
        let page_len = head.u32_le(what)?;
        if page_len == 0 {
            return Err(DecodeError::Corrupt { what, at, want: 1, got: 0 });
        }
        sections.push(CacheSection { page_len, len: head.u64_le("length of a section")? });
    }
    Ok(sections)
}

/// Sections after each other; `None` if no file is that long.
fn place(key: Key, sections: &[CacheSection], head_len: usize) -> Option<CacheFrame> {
    let (mut at, mut first_page) = ((PREFIX_LEN + head_len + TAG_LEN) as u64, HEAD_PAGE + 1);
    let mut placed = Vec::with_capacity(sections.len());
    for &section in sections {
        placed.push(Placed { section, first_page, at });
        // Tags make it at most 17 times as long.
        section.len.checked_mul(17)?;
        at = at.checked_add(section.sealed_len())?;
        first_page += section.page_count();
    }
    Some(CacheFrame { key, sections: placed, len: at })
}
