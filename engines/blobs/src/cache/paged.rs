//! A cached index file: pages opened when they are first touched, and mended from the repository
//! where they are damaged.
//!
//! A lookup has no way to say that a page is broken, and most pages are touched long after the
//! first answers. But the plaintext of every page follows from the index files that the cache is
//! of. So the first page that doesn't open has them all read once more, and from then on broken
//! pages come from there.
//!
//! Bytes:   docs/formats/blob-cache.md, "Index"

use std::fmt;
use std::ops::Range;
use std::sync::{Arc, OnceLock};

use manicule_core::idmap::{Frozen, FrozenBytes, IdBytes, Lookup};
use manicule_format_restic::Place;

use super::sealed::Sealed;
use crate::stored::{PackNo, Stored};

/// Length of the value of an entry: pack, offset, stored length, length of the plaintext, place in
/// the order of index files.
pub(crate) const VALUE_LEN: usize = 20;
const ROW_LEN: usize = size_of::<IdBytes>() + VALUE_LEN;
/// Rows in a page.
const ROWS: usize = 315;
/// Bucket starts in a page.
const STARTS: usize = 4096;

/// Lengths of pages, in bytes.
pub(crate) const ROWS_PAGE_LEN: u32 = (ROWS * ROW_LEN) as u32;
pub(crate) const STARTS_PAGE_LEN: u32 = (STARTS * 4) as u32;
const PAGE_LEN_MAX: usize = STARTS * 4;
const _: () = assert!(ROWS * ROW_LEN <= PAGE_LEN_MAX);

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

/// The pages of a cached index.
pub(crate) struct Pages {
    sealed: Sealed,
    mend: Mend,
    mended: OnceLock<Result<Vec<Vec<u8>>, String>>,
}

impl fmt::Debug for Pages {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Pages").field("sealed", &self.sealed).finish_non_exhaustive()
    }
}

/// Instead of a page that could not be mended: nothing is found there, and `trouble` says so.
static ZEROS: [u8; PAGE_LEN_MAX] = [0; PAGE_LEN_MAX];

impl Pages {
    pub(crate) fn new(sealed: Sealed, mend: Mend) -> Self {
        Pages { sealed, mend, mended: OnceLock::new() }
    }

    /// The plaintext of a page.
    #[inline]
    pub(crate) fn page(&self, section: usize, page: usize) -> &[u8] {
        match self.sealed.page(section, page) {
            Some(plain) => plain,
            None => self.mended(section, page),
        }
    }

    #[cold]
    fn mended(&self, section: usize, page: usize) -> &[u8] {
        let lens = self.sealed.section(section);
        let range = lens.page(page as u64);
        let range = range.start as usize..range.end as usize;
        let sections = self.mended.get_or_init(|| (self.mend)());
        let plain = sections.as_ref().ok().and_then(|sections| sections.get(section));
        // Of another length it is no longer the plaintext that was sealed.
        match plain.filter(|plain| plain.len() as u64 == lens.len) {
            Some(plain) => &plain[range],
            None => &ZEROS[..range.len()],
        }
    }

    /// Why a broken page could not be mended: answers that were given since then may lack
    /// something.
    pub(crate) fn trouble(&self) -> Option<&str> {
        self.mended.get()?.as_ref().err().map(String::as_str)
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
            pages.sealed.open_all(*section, self.threads);
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
