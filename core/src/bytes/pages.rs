//! One CRC-32 for every 4 KiB of a file, so that a reader checks the pages it touches and no
//! others.
//!
//! A posting list of a hundred bytes costs one page of checksum, about 0.3 microseconds, where one
//! sum over the whole file would cost a read of all of it, and a sum per list 4 bytes for each of
//! 200,000 lists. The table is 0.1 % of the file.

use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use super::DecodeError;

/// Length of a page, in bytes covered by one sum; the last page of a file may be shorter.
pub const PAGE_LEN: usize = 4096;

/// The sums of a file's pages, in order.
pub fn page_sums(bytes: &[u8]) -> Vec<u32> {
    bytes.chunks(PAGE_LEN).map(crc32fast::hash).collect()
}

/// Which pages of a file were found to be whole: kept by who maps the file, so that each is checked
/// once. Two threads may both check a page; neither can see a wrong bit.
#[derive(Debug)]
pub struct PageChecks(Box<[AtomicU64]>);

impl PageChecks {
    /// No page of a body of this length is known to be whole.
    pub fn of_len(len: u64) -> Self {
        let page_count = len.div_ceil(PAGE_LEN as u64);
        PageChecks((0..page_count.div_ceil(64)).map(|_| AtomicU64::new(0)).collect())
    }

    #[inline]
    fn is_whole(&self, page: usize) -> bool {
        self.0[page / 64].load(Relaxed) & (1 << (page % 64)) != 0
    }

    fn set_whole(&self, page: usize) {
        self.0[page / 64].fetch_or(1 << (page % 64), Relaxed);
    }
}

/// A file's bytes with the sums of their pages, and which of those were checked.
#[derive(Clone, Copy, Debug)]
pub struct Pages<'a> {
    body: &'a [u8],
    /// Four bytes a page, little-endian.
    sums: &'a [u8],
    checks: &'a PageChecks,
}

impl<'a> Pages<'a> {
    /// # Panics
    /// If `sums` does not hold four bytes for each page of `body`: the caller has cut them from one
    /// file; or if the checks are of a shorter one.
    pub fn new(body: &'a [u8], sums: &'a [u8], checks: &'a PageChecks) -> Self {
        let page_count = body.len().div_ceil(PAGE_LEN);
        assert_eq!(sums.len(), page_count * 4, "a sum for each page");
        assert!(checks.0.len() >= page_count.div_ceil(64), "a bit for each page");
        Pages { body, sums, checks }
    }

    /// Checks the pages that a range of bytes lies in, which is there; those that were checked
    /// before are not again.
    #[inline]
    pub fn touch(&self, bytes: Range<usize>) -> Result<(), DecodeError> {
        if bytes.is_empty() {
            return Ok(());
        }
        let (first, last) = (bytes.start / PAGE_LEN, (bytes.end - 1) / PAGE_LEN);
        if first == last && self.checks.is_whole(first) {
            return Ok(());
        }
        (first..=last).try_for_each(|page| self.check(page))
    }

    /// Checks every page: the first that is not whole, if any.
    pub fn check_all(&self) -> Result<(), DecodeError> {
        (0..self.sums.len() / 4).try_for_each(|page| self.check(page))
    }

    fn check(&self, page: usize) -> Result<(), DecodeError> {
        if self.checks.is_whole(page) {
            return Ok(());
        }
        let start = page * PAGE_LEN;
        let end = self.body.len().min(start + PAGE_LEN);
        let got = crc32fast::hash(&self.body[start..end]);
        let sum = &self.sums[page * 4..page * 4 + 4];
        let want = u32::from_le_bytes(sum.try_into().expect("four bytes"));
        if got != want {
            let (what, at) = ("page checksum", start as u64);
            return Err(DecodeError::Checksum { what, at, stored: want, computed: got });
        }
        self.checks.set_whole(page);
        Ok(())
    }
}

/// A file's bytes with the sums of their pages. Each page is checked when it is first asked for.
#[derive(Debug)]
pub struct PageSums<'a> {
    body: &'a [u8],
    sums: &'a [u8],
    checks: PageChecks,
}

impl<'a> PageSums<'a> {
    /// # Panics
    /// If `sums` does not hold four bytes for each page of `body`: the caller has cut them from one
    /// file.
    pub fn new(body: &'a [u8], sums: &'a [u8]) -> Self {
        let checks = PageChecks::of_len(body.len() as u64);
        Pages::new(body, sums, &checks);
        PageSums { body, sums, checks }
    }

    fn pages(&self) -> Pages<'_> {
        Pages { body: self.body, sums: self.sums, checks: &self.checks }
    }

    /// The bytes at `range`, after checking the pages they lie in.
    pub fn get(&self, what: &'static str, range: Range<u64>) -> Result<&'a [u8], DecodeError> {
        let have = self.body.len() as u64;
        if range.start > range.end || range.end > have {
            let need = range.end.saturating_sub(range.start);
            return Err(DecodeError::Short { what, at: range.start, need, have });
        }
        let bytes = range.start as usize..range.end as usize;
        self.pages().touch(bytes.clone())?;
        Ok(&self.body[bytes])
    }

    /// Checks every page: the first that is not whole, if any.
    pub fn check_all(&self) -> Result<(), DecodeError> {
        self.pages().check_all()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_flipped_bit_is_found_where_it_is_read_and_only_there() {
        let mut body = vec![7u8; PAGE_LEN * 2 + 10];
        let sums: Vec<u8> = page_sums(&body).iter().flat_map(|sum| sum.to_le_bytes()).collect();
        body[PAGE_LEN + 3] ^= 1;
        let pages = PageSums::new(&body, &sums);
        assert!(pages.get("first", 0..10).is_ok());
        assert!(pages.get("last", 2 * PAGE_LEN as u64..2 * PAGE_LEN as u64 + 10).is_ok());
        let error = pages.get("both", 0..PAGE_LEN as u64 + 1).unwrap_err();
        assert!(matches!(error, DecodeError::Checksum { at: 4096, .. }), "{error}");
        assert!(pages.check_all().is_err());
    }

    #[test]
    fn a_range_past_the_end_is_short() {
        let sums = [page_sums(&[1, 2, 3])[0].to_le_bytes()].concat();
        let pages = PageSums::new(&[1, 2, 3], &sums);
        assert!(matches!(pages.get("x", 2..4), Err(DecodeError::Short { have: 3, .. })));
        assert!(pages.get("x", 3..u64::MAX).is_err());
    }
}
