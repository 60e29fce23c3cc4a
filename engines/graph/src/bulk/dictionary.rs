//! Terms in order into dictionary segments.
//!
//! Callers: bulk/build

use manicule_format_leaf::Tag;
use manicule_format_leaf::dictionary::DictionaryWriter;

use crate::dictionary::{PerTag, place_of};
use crate::error::GraphError;
use crate::store::Bulk;

/// Writes segments, each as soon as it has enough.
pub(super) struct Segments {
    writer: DictionaryWriter,
    /// The tag whose section has begun.
    tag: Option<Tag>,
    /// The number of each tag's next term.
    next: PerTag<u64>,
    /// Bytes of terms of the segment.
    len: usize,
    len_max: usize,
}

impl Segments {
    /// Segments of about `len_max` bytes of terms each.
    pub(super) fn new(len_max: usize) -> Self {
        let (writer, next) = (DictionaryWriter::new(), PerTag::default());
        Segments { writer, tag: None, next, len: 0, len_max }
    }

    /// Adds a term of a tag with texts, after all others.
    pub(super) fn put(&mut self, tag: Tag, text: &[u8], bulk: &mut Bulk) -> Result<(), GraphError> {
        if self.len >= self.len_max {
            let full = Segments { next: self.next, ..Segments::new(self.len_max) };
            let full = std::mem::replace(self, full);
            full.finish().map_or(Ok(()), |bytes| bulk.put_dictionary(&bytes))?;
        }
        let next = &mut self.next[place_of(tag).expect("a tag with texts")];
        if self.tag != Some(tag) {
            if self.tag.is_some() {
                self.writer.end(None);
            }
            self.writer.begin(tag, *next);
            self.tag = Some(tag);
        }
        self.writer.push(text);
        *next += 1;
        self.len += text.len();
        Ok(())
    }

    /// The last segment; `None` if there is no term.
    pub(super) fn finish(mut self) -> Option<Vec<u8>> {
        self.tag?;
        self.writer.end(None);
        Some(self.writer.finish())
    }
}
