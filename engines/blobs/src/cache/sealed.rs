//! A mapped cache file and the pages of it that were opened: each when it is first touched.
//!
//! Bytes:   docs/formats/blob-cache.md, "Frame"

use std::borrow::Cow;
use std::fmt;
use std::ops::Range;
use std::sync::OnceLock;

use manicule_format_restic::{CacheFrame, CacheSection};
use manicule_store::{Mapped, threads};

/// A page: unopened, or its plaintext, or `None` if it is damaged.
type Slot = OnceLock<Option<Box<[u8]>>>;

/// A cache file.
pub(crate) struct Sealed {
    file: Mapped,
    frame: CacheFrame,
    opened: Vec<Vec<Slot>>,
}

impl fmt::Debug for Sealed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Sealed").field("frame", &self.frame).finish_non_exhaustive()
    }
}

impl Sealed {
    /// The pages of a file's first sections.
    ///
    /// # Panics
    /// If it has less sections.
    pub(crate) fn new(file: Mapped, frame: CacheFrame, section_count: usize) -> Self {
        let slots = |section: usize| {
            let section = frame.section(section).expect("the head was compared");
            (0..section.page_count()).map(|_| OnceLock::new()).collect()
        };
        let opened = (0..section_count).map(slots).collect();
        Sealed { file, frame, opened }
    }

    /// A section's lengths.
    pub(crate) fn section(&self, section: usize) -> CacheSection {
        self.frame.section(section).expect("the head was compared")
    }

    /// The plaintext of a page; `None` if it is damaged.
    #[inline]
    pub(crate) fn page(&self, section: usize, page: usize) -> Option<&[u8]> {
        let slot = &self.opened[section][page];
        let opened = match slot.get() {
            Some(opened) => opened,
            None => slot.get_or_init(|| self.open(section, page)),
        };
        opened.as_deref()
    }

    #[cold]
    fn open(&self, section: usize, page: usize) -> Option<Box<[u8]>> {
        Some(self.frame.open_page(&self.file, section, page as u64).ok()?.into_boxed_slice())
    }

    /// Opens all pages of a section that aren't.
    pub(crate) fn open_all(&self, section: usize, threads: usize) {
        threads::each(threads, self.opened[section].len(), |page| {
            self.page(section, page);
        });
    }

    /// Bytes of a section, put together where they lie in several pages; `None` if one of these is
    /// damaged, or the section ends before.
    pub(crate) fn bytes(&self, section: usize, range: Range<u64>) -> Option<Cow<'_, [u8]>> {
        let lens = self.section(section);
        if range.start > range.end || range.end > lens.len {
            return None;
        }
        let page_len = u64::from(lens.page_len);
        let (first, at) = ((range.start / page_len) as usize, (range.start % page_len) as usize);
        let len = (range.end - range.start) as usize;
        if len == 0 {
            return Some(Cow::Borrowed(&[]));
        }
        let page = &self.page(section, first)?[at..];
        if len <= page.len() {
            return Some(Cow::Borrowed(&page[..len]));
        }
        let mut bytes = Vec::with_capacity(len);
        bytes.extend_from_slice(page);
        for next in first + 1.. {
            let page = self.page(section, next)?;
            let missing = len - bytes.len();
            bytes.extend_from_slice(&page[..missing.min(page.len())]);
            if bytes.len() == len {
                break;
            }
        }
        Some(Cow::Owned(bytes))
    }

    /// Bytes of a section whose pages are opened for this call only.
    pub(crate) fn bytes_once(&self, section: usize, range: Range<u64>) -> Option<Vec<u8>> {
        let lens = self.section(section);
        if range.start > range.end || range.end > lens.len {
            return None;
        }
        let page_len = u64::from(lens.page_len);
        let first = range.start / page_len;
        let mut bytes =
            Vec::with_capacity((range.end - first * page_len) as usize + page_len as usize);
        for page in first..range.end.div_ceil(page_len) {
            bytes.extend_from_slice(&self.frame.open_page(&self.file, section, page).ok()?);
        }
        bytes.truncate((range.end - first * page_len) as usize);
        bytes.drain(..(range.start - first * page_len) as usize);
        Some(bytes)
    }
}
