//! A cached index file: pages opened when they are first touched, and mended from the repository where they are damaged.
//!
//! A lookup has no way to say that a page is broken, and most pages are touched long after the first answers. But the plaintext of every page
//! follows from the index files that the cache is of. So the first page that doesn't open has them all read once more, and
//! from then on broken pages come from there.
//!
//! Bytes:   docs/formats/blob-cache.md, "Index"
//! Callers: index, cache/index

use std::fmt;
use std::ops::Range;
use std::sync::{Arc, OnceLock};

use manicule_core::idmap::{Frozen, FrozenBytes, IdBytes, Lookup};
use manicule_format_restic::{CacheFrame, Place};
use manicule_store::{Mapped, threads};

use crate::stored::{PackNo, Stored};

/// Length of the value of an entry: pack, offset, stored length, length of the plaintext, place in the order of index files.
pub(crate) const VALUE_LEN: usize = 20;
const ROW_LEN: usize = size_of::<IdBytes>() + VALUE_LEN;
/// Rows in a page.
const ROWS: usize = 315;
/// Bucket starts in a page.
const STARTS: usize = 4096;

/// Lengths of pages, in bytes.
pub(crate) const ROWS_PAGE_LEN: u32 = (ROWS * ROW_LEN) as u32;
pub(crate) const STARTS_PAGE_LEN: u32 = (STARTS * 4) as u32;

/// The value of an entry.
pub(crate) fn encode_value(stored: Stored, order: u32) -> [u8; VALUE_LEN] {
    let Place { offset, len, raw_len } = stored.place;
    let mut value = [0; VALUE_LEN];
    for (bytes, number) in
        value.as_chunks_mut::<4>().0.iter_mut().zip([stored.pack.0, offset, len, raw_len, order])
    {
        *bytes = number.to_le_bytes();
    }
    value
}

fn decode_value(value: &[u8; VALUE_LEN]) -> (Stored, u32) {
    let (words, _) = value.as_chunks::<4>();
    let [pack, offset, len, raw_len, order] =
        [0, 1, 2, 3, 4].map(|at| u32::from_le_bytes(words[at]));
    (Stored { pack: PackNo(pack), place: Place { offset, len, raw_len } }, order)
}

/// The plaintexts of all sections once more, from the repository; the error as a sentence.
pub(crate) type Mend = Box<dyn Fn() -> Result<Vec<Vec<u8>>, String> + Send + Sync>;

/// A mapped file and the pages of it that were opened.
pub(crate) struct Pages {
    file: Mapped,
    frame: CacheFrame,
    opened: Vec<Vec<OnceLock<Box<[u8]>>>>,
    mend: Mend,
    mended: OnceLock<Result<Vec<Vec<u8>>, String>>,
}

impl fmt::Debug for Pages {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Pages").field("frame", &self.frame).finish_non_exhaustive()
    }
}

impl Pages {
    pub(crate) fn new(file: Mapped, frame: CacheFrame, section_count: usize, mend: Mend) -> Self {
        let opened = (0..section_count)
            .map(|section| {
                let count = frame.section(section).map_or(0, |section| section.page_count());
                (0..count).map(|_| OnceLock::new()).collect()
            })
            .collect();
        Pages { file, frame, opened, mend, mended: OnceLock::new() }
    }

    /// The plaintext of a page.
    #[inline]
    pub(crate) fn page(&self, section: usize, page: usize) -> &[u8] {
        let slot = &self.opened[section][page];
        match slot.get() {
            Some(plain) => plain,
            None => slot.get_or_init(|| self.open(section, page)),
        }
    }

    #[cold]
    fn open(&self, section: usize, page: usize) -> Box<[u8]> {
        match self.frame.open_page(&self.file, section, page as u64) {
            Ok(plain) => plain.into_boxed_slice(),
            Err(_) => self.mended(section, page),
        }
    }

    fn mended(&self, section: usize, page: usize) -> Box<[u8]> {
        let lens = self.frame.section(section).expect("a page is of a section");
        let range = lens.page(page as u64);
        let sections = self.mended.get_or_init(|| (self.mend)());
        let plain = sections.as_ref().ok().and_then(|sections| {
            let plain = sections.get(section)?;
            // Of another length it is no longer the plaintext that was sealed.
            (plain.len() as u64 == lens.len)
                .then(|| &plain[range.start as usize..range.end as usize])
        });
        match plain {
            Some(plain) => plain.into(),
            // Nothing is found there: `trouble` says so.
            None => vec![0; (range.end - range.start) as usize].into(),
        }
    }

    /// Why a broken page could not be mended: answers that were given since then may lack something.
    pub(crate) fn trouble(&self) -> Option<&str> {
        self.mended.get()?.as_ref().err().map(String::as_str)
    }

    /// Opens all pages of a section that aren't.
    fn open_all(&self, section: usize, threads: usize) {
        threads::each(threads, self.opened[section].len(), |page| {
            self.page(section, page);
        });
    }
}

/// Rows and bucket starts of a map.
#[derive(Debug)]
struct PagedBytes {
    pages: Arc<Pages>,
    /// The section of rows; that of bucket starts comes after it.
    section: usize,
}

impl FrozenBytes for PagedBytes {
    #[inline]
    fn rows(&self, numbers: Range<usize>) -> &[u8] {
        if numbers.is_empty() {
            return &[];
        }
        let page = numbers.start / ROWS;
        let (start, end) = (numbers.start % ROWS, (numbers.end - page * ROWS).min(ROWS));
        &self.pages.page(self.section, page)[start * ROW_LEN..end * ROW_LEN]
    }

    #[inline]
    fn start(&self, bucket: usize) -> u32 {
        let page = self.pages.page(self.section + 1, bucket / STARTS);
        let (starts, _) = page.as_chunks::<4>();
        u32::from_le_bytes(starts[bucket % STARTS])
    }
}

/// The entries of a kind.
#[derive(Debug)]
pub(crate) struct PagedMap {
    map: Frozen<PagedBytes, VALUE_LEN>,
    /// Number of threads that open all pages.
    threads: usize,
    /// Numbers of the entries in the order of index files, made when that is first asked for.
    order: OnceLock<Vec<u32>>,
}

impl PagedMap {
    pub(crate) fn new(pages: &Arc<Pages>, section: usize, count: u32, threads: usize) -> Self {
        let bytes = PagedBytes { pages: pages.clone(), section };
        PagedMap { map: Frozen::over(bytes, count), threads, order: OnceLock::new() }
    }

    /// Lengths of its sections, for a number of entries.
    pub(crate) fn lens(count: u32) -> [u64; 2] {
        Frozen::<PagedBytes, VALUE_LEN>::lens(count)
    }

    pub(crate) fn pages(&self) -> &Pages {
        &self.map.bytes().pages
    }

    pub(crate) fn len(&self) -> u32 {
        self.map.len()
    }

    pub(crate) fn find(&self, id: &IdBytes) -> Option<u32> {
        self.map.find(id)
    }

    pub(crate) fn find_each(&self, ids: &[IdBytes], visit: impl FnMut(usize, Option<u32>)) {
        self.map.find_each(ids, visit);
    }

    pub(crate) fn numbers(&self, id: &IdBytes) -> Range<u32> {
        self.map.numbers(id)
    }

    pub(crate) fn entry(&self, number: u32) -> (&IdBytes, Stored) {
        let (id, value) = self.map.entry(number);
        (id, decode_value(&value).0)
    }

    /// The numbers of all entries in the order of index files. Opens all pages.
    pub(crate) fn in_order(&self) -> &[u32] {
        self.order.get_or_init(|| {
            let PagedBytes { pages, section } = self.map.bytes();
            pages.open_all(*section, self.threads);
            let mut numbers = vec![0; self.map.len() as usize];
            for (number, (_, value)) in (0..).zip(self.map.iter()) {
                // A page that could not be mended has no places.
                if let Some(place) = numbers.get_mut(decode_value(&value).1 as usize) {
                    *place = number;
                }
            }
            numbers
        })
    }
}
