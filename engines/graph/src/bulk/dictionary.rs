//! Terms in order into dictionary segments.

use manicule_format_leaf::Tag;
use manicule_format_leaf::dictionary::{DictionaryWriter, Sample};

use crate::dictionary::{PerTag, place_of};
use crate::error::GraphError;
use crate::store::{Bulk, NewFile};

/// Bytes of a segment that are written at once.
const WRITE_LEN: usize = 256 << 10;

/// Bytes that a segment may hold in memory, at least, where there is little memory.
const MEMORY_MIN: usize = 64 << 10;

/// Writes segments.
pub(super) struct Segments {
    writer: DictionaryWriter,
    /// The tag whose section has begun.
    tag: Option<Tag>,
    /// The number of each tag's next term.
    next: PerTag<u64>,
    stream: Option<Stream>,
}

/// How a segment is written while terms come.
struct Stream {
    samples: PerTag<Sample>,
    /// Bytes of memory from which on the next term begins another segment.
    memory: usize,
    /// Of the segment, once it has a term.
    file: Option<NewFile>,
}

impl Segments {
    /// One segment, in memory until [`Segments::finish`].
    pub(super) fn one() -> Self {
        let (writer, next) = (DictionaryWriter::new(), PerTag::default());
        Segments { writer, tag: None, next, stream: None }
    }

    /// Segments written as the terms come, each of as many terms as about `memory` bytes suffice
    /// for: of one term in sixteen the text is held. `samples` are of all terms.
    pub(super) fn streamed(samples: PerTag<Sample>, memory: usize) -> Self {
        let stream = Stream { samples, memory: memory.max(MEMORY_MIN), file: None };
        Segments { stream: Some(stream), ..Segments::one() }
    }

    /// Adds a term of a tag with texts, after all others.
    pub(super) fn put(&mut self, tag: Tag, text: &[u8], bulk: &mut Bulk) -> Result<(), GraphError> {
        let memory = self.stream.as_ref().map_or(usize::MAX, |stream| stream.memory);
        if self.writer.section_memory() >= memory {
            self.end(bulk)?;
        }
        let place = place_of(tag).expect("a tag with texts");
        if self.tag != Some(tag) {
            if self.tag.is_some() {
                self.writer.end(None);
            }
            match &self.stream {
                Some(stream) => {
                    self.writer.begin_sampled(tag, self.next[place], &stream.samples[place]);
                }
                None => self.writer.begin(tag, self.next[place]),
            }
            self.tag = Some(tag);
        }
        self.writer.push(text);
        self.next[place] += 1;
        match &mut self.stream {
            Some(stream) if self.writer.ready_len() >= WRITE_LEN => {
                stream.append(&self.writer.take(), bulk)
            }
            _ => Ok(()),
        }
    }

    /// The segment in memory; `None` if there is no term.
    pub(super) fn finish(mut self) -> Option<Vec<u8>> {
        self.tag?;
        self.writer.end(None);
        Some(self.writer.finish())
    }

    /// Ends the segment that is written while terms come, if it has any.
    pub(super) fn end(&mut self, bulk: &mut Bulk) -> Result<(), GraphError> {
        if self.tag.take().is_none() {
            return Ok(());
        }
        self.writer.end(None);
        let writer = std::mem::replace(&mut self.writer, DictionaryWriter::new());
        let stream = self.stream.as_mut().expect("it is written while terms come");
        stream.append(&writer.finish(), bulk)?;
        stream.file.take().map_or(Ok(()), |file| bulk.end_dictionary(file))
    }
}

impl Stream {
    fn append(&mut self, bytes: &[u8], bulk: &mut Bulk) -> Result<(), GraphError> {
        let file = match &mut self.file {
            Some(file) => file,
            none => none.insert(bulk.begin_dictionary()?),
        };
        file.append(bytes)
    }
}
