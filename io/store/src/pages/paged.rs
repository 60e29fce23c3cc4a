//! A source read by pages through the cache.

use std::any::Any;
use std::fmt;
use std::io;
use std::ops::Range;
use std::sync::Arc;

use super::bytes::Bytes;
use super::cache::Cache;
use super::key::PAGE_KIND;
use super::source::{ByteSource, Part, ReadCounts};
use crate::context::{Budget, OverBudget};
use crate::store::Version;

/// What becomes of pages after a read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Keep {
    /// They enter the cache: others will ask for them.
    Shared,
    /// They don't: a scan goes past them once. The range is read as it is, in one read.
    Passing,
}

/// What one query counts and may hold.
#[derive(Debug)]
pub struct Reading<'q> {
    /// What it read.
    pub counts: &'q mut ReadCounts,
    /// What it may hold.
    pub budget: &'q Arc<Budget>,
}

/// A range can't be read.
#[derive(Debug)]
pub enum PageError {
    /// The system can't read it.
    Io(io::Error),
    /// It is not in the file.
    Outside {
        /// Its start.
        at: u64,
        /// Its length.
        wanted: u64,
        /// Length of the file.
        file_len: u64,
    },
    /// The query would hold too much.
    OverBudget(OverBudget),
}

impl fmt::Display for PageError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PageError::Io(error) => error.fmt(f),
            PageError::Outside { at, wanted, file_len } => {
                let have = file_len.saturating_sub(*at);
                write!(f, "bytes at offset {at}: {wanted} bytes needed, {have} there")
            }
            PageError::OverBudget(error) => error.fmt(f),
        }
    }
}

// Causes are part of the error's own words.
impl std::error::Error for PageError {}

impl From<io::Error> for PageError {
    fn from(error: io::Error) -> Self {
        PageError::Io(error)
    }
}

impl From<OverBudget> for PageError {
    fn from(error: OverBudget) -> Self {
        PageError::OverBudget(error)
    }
}

/// A file, its pages in the cache of the process.
#[derive(Debug)]
pub struct Paged {
    source: Box<dyn ByteSource>,
    cache: Arc<Cache>,
    page_len: u64,
    /// Bytes before and after pages that come with them.
    around: [u64; 2],
}

impl Paged {
    /// A source, read in pages of `page_len` bytes, which all readers of the file agree on.
    ///
    /// # Panics
    /// If pages are of no length.
    pub fn new(source: Box<dyn ByteSource>, page_len: u32, cache: Arc<Cache>) -> Self {
        assert!(page_len > 0, "pages have a length");
        Paged { source, cache, page_len: page_len.into(), around: [0; 2] }
    }

    /// The same, where as many bytes before and after a page that isn't there come with it, in the
    /// same read: what is going to be asked for next lies there.
    #[must_use]
    pub fn with_around(self, around: [u64; 2]) -> Self {
        Paged { around, ..self }
    }

    /// Identity of the file's contents.
    pub fn version(&self) -> Version {
        self.source.version()
    }

    /// Its length in bytes.
    pub fn len(&self) -> u64 {
        self.source.len()
    }

    /// Whether it has no bytes.
    pub fn is_empty(&self) -> bool {
        self.source.is_empty()
    }

    /// Length of a page.
    pub fn page_len(&self) -> u64 {
        self.page_len
    }

    /// All bytes, where they are read in place.
    pub fn mapped(&self) -> Option<&[u8]> {
        self.source.mapped()
    }

    /// The bytes of a range, which has to lie in the file.
    pub fn get(
        &self,
        range: Range<u64>,
        keep: Keep,
        reading: &mut Reading<'_>,
    ) -> Result<Bytes<'_>, PageError> {
        let file_len = self.len();
        if range.start > range.end || range.end > file_len {
            let wanted = range.end.saturating_sub(range.start);
            return Err(PageError::Outside { at: range.start, wanted, file_len });
        }
        if let Some(mapped) = self.source.mapped() {
            return Ok(Bytes::in_memory(&mapped[range.start as usize..range.end as usize]));
        }
        match keep {
            Keep::Passing => self.read_own(range, reading),
            Keep::Shared => self.get_shared(range, reading),
        }
    }

    /// Fills what the caller holds, and is charged for, with the bytes from an offset on: one read,
    /// past the cache.
    pub fn read(&self, at: u64, out: &mut [u8], counts: &mut ReadCounts) -> Result<(), PageError> {
        let (file_len, wanted) = (self.len(), out.len() as u64);
        if at.saturating_add(wanted) > file_len {
            return Err(PageError::Outside { at, wanted, file_len });
        }
        counts.rounds += u64::from(self.source.mapped().is_none());
        self.source.read_at(at, out, counts)?;
        Ok(())
    }

    fn read_own(
        &self,
        range: Range<u64>,
        reading: &mut Reading<'_>,
    ) -> Result<Bytes<'_>, PageError> {
        let held = reading.budget.take(range.end - range.start)?;
        let mut bytes = vec![0; (range.end - range.start) as usize];
        reading.counts.rounds += 1;
        self.source.read_at(range.start, &mut bytes, reading.counts)?;
        Ok(Bytes::own(bytes, held))
    }

    fn get_shared(
        &self,
        range: Range<u64>,
        reading: &mut Reading<'_>,
    ) -> Result<Bytes<'_>, PageError> {
        let first = range.start / self.page_len;
        if range.end <= (first + 1) * self.page_len {
            let at = first * self.page_len;
            let page = match self.look(at, reading) {
                Some(page) => page,
                None => self.fetch(at..at + 1, reading)?.swap_remove(0),
            };
            let held = reading.budget.take(page.len() as u64)?;
            let range = (range.start - at) as usize..(range.end - at) as usize;
            return Ok(Bytes::of_page(page, range, held));
        }
        self.join(range, reading)
    }

    /// Puts a range together from the pages it lies in; those missing next to each other come in
    /// one read.
    fn join(&self, range: Range<u64>, reading: &mut Reading<'_>) -> Result<Bytes<'_>, PageError> {
        let held = reading.budget.take(range.end - range.start)?;
        let mut bytes = Vec::with_capacity((range.end - range.start) as usize);
        let (mut at, mut missing) = (range.start / self.page_len * self.page_len, None);
        while at < range.end {
            match self.look(at, reading) {
                Some(page) => {
                    self.append_missing(&mut missing, at, &range, &mut bytes, reading)?;
                    append(&page, at, &range, &mut bytes);
                }
                None => missing = missing.or(Some(at)),
            }
            at += self.page_len;
        }
        self.append_missing(&mut missing, at, &range, &mut bytes, reading)?;
        Ok(Bytes::own(bytes, held))
    }

    fn append_missing(
        &self,
        missing: &mut Option<u64>,
        end: u64,
        range: &Range<u64>,
        bytes: &mut Vec<u8>,
        reading: &mut Reading<'_>,
    ) -> Result<(), PageError> {
        let Some(first) = missing.take() else { return Ok(()) };
        let pages = self.fetch(first..end, reading)?;
        for (number, page) in (0..).zip(&pages) {
            append(page, first + number * self.page_len, range, bytes);
        }
        Ok(())
    }

    fn look(&self, at: u64, reading: &mut Reading<'_>) -> Option<Arc<[u8]>> {
        let page = self.cache.page(self.version(), at);
        let is_hit = u64::from(page.is_some());
        reading.counts.cache_hits += is_hit;
        reading.counts.cache_misses += 1 - is_hit;
        page
    }

    /// Reads the pages that begin in a range, from the first one's start, and puts them into the
    /// cache.
    fn fetch(
        &self,
        starts: Range<u64>,
        reading: &mut Reading<'_>,
    ) -> Result<Vec<Arc<[u8]>>, PageError> {
        let end_of = |end: u64| end.next_multiple_of(self.page_len).min(self.len());
        let (mut start, mut end) = (starts.start, end_of(starts.end));
        if !self.source.is_at_hand(start..end) {
            let [before, after] = self.around;
            start = start.saturating_sub(before) / self.page_len * self.page_len;
            end = end_of(starts.end.saturating_add(after));
        }
        let _held = reading.budget.take(end - start)?;
        let mut bytes = vec![0; (end - start) as usize];
        reading.counts.rounds += 1;
        self.source.read_at(start, &mut bytes, reading.counts)?;
        let (mut wanted, page_len) = (Vec::new(), self.page_len as usize);
        for (at, page) in (start..).step_by(page_len).zip(bytes.chunks(page_len)) {
            let page = self.cache.insert_page(self.version(), at, page.into());
            if starts.contains(&at) {
                wanted.push(page);
            }
        }
        Ok(wanted)
    }

    /// Reads the pages in which ranges lie and that aren't there yet, side by side: one round,
    /// whatever their number.
    pub fn prefetch(
        &self,
        ranges: &[Range<u64>],
        reading: &mut Reading<'_>,
    ) -> Result<(), PageError> {
        if self.source.mapped().is_some() {
            return Ok(());
        }
        let mut starts = Vec::new();
        for range in ranges {
            let mut at = range.start / self.page_len * self.page_len;
            while at < range.end.min(self.len()) {
                if !starts.contains(&at) && self.cache.page(self.version(), at).is_none() {
                    starts.push(at);
                }
                at += self.page_len;
            }
        }
        if starts.is_empty() { Ok(()) } else { self.fetch_apart(&starts, reading) }
    }

    /// Reads pages that lie apart, side by side, and puts them into the cache.
    fn fetch_apart(&self, starts: &[u64], reading: &mut Reading<'_>) -> Result<(), PageError> {
        let len_of = |at: u64| self.page_len.min(self.len() - at);
        let len: u64 = starts.iter().map(|&at| len_of(at)).sum();
        let _held = reading.budget.take(len)?;
        let mut bytes = vec![0; len as usize];
        let (mut rest, mut parts) = (&mut bytes[..], Vec::with_capacity(starts.len()));
        for &at in starts {
            let (out, after) = rest.split_at_mut(len_of(at) as usize);
            parts.push(Part { at, out });
            rest = after;
        }
        reading.counts.rounds += 1;
        self.source.read_parts(&mut parts, reading.counts)?;
        for Part { at, out } in parts {
            self.cache.insert_page(self.version(), at, Arc::from(&*out));
        }
        Ok(())
    }

    /// Drops the pages of a range that nobody else used: a scan is past them.
    pub fn drop_passed(&self, range: Range<u64>) {
        if self.source.mapped().is_some() {
            return;
        }
        // A page that the range ends in is still in use.
        let mut at = range.start / self.page_len * self.page_len;
        while at + self.page_len <= range.end {
            self.cache.drop_unused(self.version(), PAGE_KIND, at);
            at += self.page_len;
        }
    }

    /// A parsed value that begins at an offset: from the cache, or parsed now. `parse` gives it
    /// with its length in bytes.
    pub fn parsed<T: Any + Send + Sync, E>(
        &self,
        kind: u8,
        at: u64,
        reading: &mut Reading<'_>,
        parse: impl FnOnce(&mut Reading<'_>) -> Result<(T, u64), E>,
    ) -> Result<Arc<T>, E> {
        if let Some(there) = self.cache.parsed(self.version(), kind, at) {
            reading.counts.cache_hits += 1;
            return Ok(there);
        }
        reading.counts.cache_misses += 1;
        let (value, bytes) = parse(reading)?;
        Ok(self.cache.insert_parsed(self.version(), kind, at, value, bytes))
    }
}

/// Appends what a page that begins at `at` has of a range.
fn append(page: &[u8], at: u64, range: &Range<u64>, bytes: &mut Vec<u8>) {
    let start = range.start.saturating_sub(at).min(page.len() as u64);
    let end = range.end.saturating_sub(at).min(page.len() as u64);
    bytes.extend_from_slice(&page[start as usize..end as usize]);
}
