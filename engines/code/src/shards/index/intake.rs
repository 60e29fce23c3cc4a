//! Documents read for shards: on all threads, in the order of the walk, cut where a shard is full.
//!
//! Bytes:   docs/formats/zoekt.md, section *From a folder to documents*

use std::collections::VecDeque;
use std::io;
use std::sync::{Arc, Mutex};

use manicule_core::watch::Meter;
use manicule_format_zoekt::{SHARD_LEN_MAX, Skip, checksum, newlines, rune_count};
use manicule_store::threads::{self, lock};
use manicule_store::{Mapped, Spill};

use super::super::classify::{Class, Classify, Unclassified};
use super::super::symbols::{CtagsError, Symbols};
use super::large_files::LargeFiles;
use super::order::{Cut, Full, Standing};
use super::skip::{Limits, TrigramCounter};
use super::tagger::Tagger;
use super::walk::{Found, Root, WalkError, Within};

/// A document, read and judged.
pub(in crate::shards) struct Document {
    pub(in crate::shards) name: Vec<u8>,
    pub(in crate::shards) skip: Option<Skip>,
    pub(in crate::shards) class: Class,
    /// Bytes that the shard stores: the content, or the marker of a skipped document.
    pub(in crate::shards) len: u32,
    pub(in crate::shards) rune_count: u32,
    /// Not the same as a rune each byte: a byte that is not valid UTF-8 is a rune too.
    pub(in crate::shards) is_ascii: bool,
    pub(in crate::shards) checksum: [u8; 8],
    /// Its item of section *newlines*.
    pub(in crate::shards) newlines: Box<[u8]>,
    pub(in crate::shards) symbols: Symbols,
    /// The branches of its repository that hold it, a bit each.
    pub(in crate::shards) branch_mask: u64,
    /// Number of the sub-repository of its repository that it is of; 0 for none.
    pub(in crate::shards) sub_repository: u32,
    /// Number of its repository in a shard of several.
    pub(in crate::shards) repository: u16,
    pub(in crate::shards) body: Body,
}

/// Place of a document's stored bytes.
pub(in crate::shards) enum Body {
    Held(Box<[u8]>),
    /// In a shard that is open, from this offset on.
    Mapped(Arc<Mapped>, usize),
    /// In the spill, from this offset on.
    Spilled(u64),
    Marker(&'static [u8]),
}

impl Document {
    /// Sort key of its place in the shard.
    pub(in crate::shards) fn standing(&self) -> Standing {
        Standing {
            name_len: self.name.len(),
            content_len: self.len as usize,
            skip: self.skip,
            category: self.class.category,
            symbol_count: self.symbols.list.len(),
            branch_count: self.branch_mask.count_ones() as usize,
        }
    }

    /// The stored bytes. `buffer` is lent for those that lie in the spill.
    pub(in crate::shards) fn stored<'d>(
        &'d self,
        spill: &Spill,
        buffer: &'d mut Vec<u8>,
    ) -> io::Result<&'d [u8]> {
        match &self.body {
            Body::Held(content) => Ok(content),
            Body::Marker(marker) => Ok(marker),
            Body::Mapped(map, at) => Ok(&map[*at..*at + self.len as usize]),
            Body::Spilled(at) => {
                buffer.resize(self.len as usize, 0);
                spill.read_at(buffer, *at)?;
                Ok(buffer)
            }
        }
    }

    /// The bytes of it that take memory.
    pub(in crate::shards) fn held_len(&self) -> u64 {
        if let Body::Held(content) = &self.body { content.len() as u64 } else { 0 }
    }
}

/// Rules that documents are judged by.
pub(in crate::shards) struct Judges<'j> {
    pub(in crate::shards) limits: Limits,
    pub(in crate::shards) large_files: &'j LargeFiles,
    pub(in crate::shards) classify: &'j dyn Classify,
    /// Finds symbols, if they are wanted.
    pub(in crate::shards) tagger: Option<&'j Tagger>,
}

/// Error of reading documents.
#[derive(Debug)]
pub(in crate::shards) enum IntakeError {
    Walk(WalkError),
    /// The spill can't be written to.
    Spill(io::Error),
    /// A document is longer than a whole shard can be.
    TooLong {
        name: Vec<u8>,
        len: u64,
    },
    Symbols(CtagsError),
    /// Somebody wants no more.
    Stopped,
}

/// Source of the documents, and the way they are read.
pub(in crate::shards) struct Feed<'i> {
    pub(in crate::shards) root: &'i Root,
    pub(in crate::shards) found: &'i [Found],
    pub(in crate::shards) judges: Judges<'i>,
    /// The branches that hold all documents, a bit each.
    pub(in crate::shards) branch_mask: u64,
    pub(in crate::shards) spill: &'i Spill,
    /// Maximum number of bytes of contents held in memory; what is read beyond goes to the spill.
    pub(in crate::shards) held_max: u64,
    pub(in crate::shards) threads: usize,
    /// Counts the bytes of documents, and is asked before each whether to go on.
    pub(in crate::shards) meter: &'i Meter<'i>,
    /// Number of equal parts of the work that the meter counts, of which reading is one.
    pub(in crate::shards) share: u64,
}

/// Reads a folder's documents, shard by shard.
pub(in crate::shards) struct Intake<'i> {
    feed: Feed<'i>,
    queue: Mutex<Queue>,
}

/// Documents in the order of the walk, from the first that no shard has yet.
struct Queue {
    slots: VecDeque<Option<Document>>,
    /// Number of slots from the front on that are counted for the shard at hand.
    counted: usize,
    /// The next of `found` to be read.
    next: usize,
    held: u64,
    cut: Cut,
    /// Number of slots of the shard at hand, once that is known.
    end: Option<usize>,
    error: Option<IntakeError>,
}

impl Queue {
    fn new(shard_len_max: u64) -> Self {
        Queue {
            slots: VecDeque::new(),
            counted: 0,
            next: 0,
            held: 0,
            cut: Cut::new(shard_len_max),
            end: None,
            error: None,
        }
    }

    /// Counts documents into the shard at hand until it is full, or one of the `found_count` is
    /// still missing.
    fn count(&mut self, found_count: usize) {
        while self.end.is_none() {
            match self.slots.get(self.counted) {
                Some(Some(document)) => {
                    let stored = if document.skip.is_some() { 0 } else { document.len as usize };
                    self.counted += 1;
                    if self.cut.note(document.name.len(), stored) == Full::Yes {
                        self.end = Some(self.counted);
                    }
                }
                None if self.next == found_count => self.end = Some(self.counted),
                _ => return,
            }
        }
    }
}

impl<'i> Intake<'i> {
    /// Shards end where their names and contents pass `shard_len_max` bytes.
    pub(in crate::shards) fn new(feed: Feed<'i>, shard_len_max: u64) -> Self {
        Intake { feed, queue: Mutex::new(Queue::new(shard_len_max)) }
    }

    /// The documents of the next shard, in the order of the walk; `None` after the last one.
    pub(in crate::shards) fn next_shard(&mut self) -> Result<Option<Vec<Document>>, IntakeError> {
        let found_count = self.feed.found.len();
        let queue = self.queue.get_mut().expect("no thread panicked");
        if queue.next == found_count && queue.slots.is_empty() {
            return Ok(None);
        }
        queue.count(found_count);
        if queue.end.is_none() {
            self.read();
        }
        let queue = self.queue.get_mut().expect("no thread panicked");
        if let Some(error) = queue.error.take() {
            return Err(error);
        }
        let end = queue.end.take().expect("reading ends at a cut or behind the last document");
        queue.counted = 0;
        let documents: Vec<Document> =
            queue.slots.drain(..end).map(|slot| slot.expect("it was counted")).collect();
        queue.held -= documents.iter().map(Document::held_len).sum::<u64>();
        Ok(Some(documents))
    }

    fn read(&self) {
        let Intake { feed, queue } = self;
        threads::run(feed.threads, || feed.read_some(queue));
    }
}

impl Feed<'_> {
    /// Reads documents one after the other, until the shard is full or all are read.
    fn read_some(&self, queue: &Mutex<Queue>) {
        let (mut counter, mut content) = (TrigramCounter::default(), Vec::new());
        loop {
            let (index, place, held) = {
                let mut queue = lock(queue);
                if queue.end.is_some() || queue.error.is_some() || queue.next == self.found.len() {
                    return;
                }
                let (index, place) = (queue.next, queue.slots.len());
                queue.next += 1;
                queue.slots.push_back(None);
                // Room is taken before reading, so that threads together keep to it.
                let expected = self.found[index].len;
                queue.held += expected;
                (index, place, queue.held <= self.held_max)
            };
            let read = if self.meter.watch().is_over() {
                Err(IntakeError::Stopped)
            } else {
                self.document(&self.found[index], held, &mut counter, &mut content)
            };
            let mut queue = lock(queue);
            queue.held -= self.found[index].len;
            match read {
                Err(error) => queue.error = Some(error),
                Ok(document) => {
                    self.meter.add(u64::from(document.len) / self.share);
                    queue.held += document.held_len();
                    queue.slots[place] = Some(document);
                    queue.count(self.found.len());
                }
            }
        }
    }

    fn document(
        &self,
        found: &Found,
        held: bool,
        counter: &mut TrigramCounter,
        content: &mut Vec<u8>,
    ) -> Result<Document, IntakeError> {
        let Judges { limits, large_files, classify, tagger } = &self.judges;
        let allowance = large_files.allowance(&found.name);
        content.clear();
        let mut skip = limits.skip_unread(found.len, allowance);
        if skip.is_none() {
            let read_max = limits.read_max(allowance);
            let within = self.root.read(found, read_max, content).map_err(IntakeError::Walk)?;
            skip = match within {
                Within::No => Some(Skip::TooLarge),
                Within::Yes => limits.skip(content, allowance, counter),
            };
            if skip == Some(Skip::TooLarge) {
                content.clear();
            }
        }
        let name = found.name.clone();
        let class = classify.classify(&Unclassified { name: &name, content, skip });
        let stored = match skip {
            Some(skip) => skip.marker(),
            None => content.as_slice(),
        };
        if stored.len() as u64 > SHARD_LEN_MAX {
            let len = stored.len() as u64;
            return Err(IntakeError::TooLong { name, len });
        }
        let (len, rune_count) = (stored.len() as u32, rune_count(stored) as u32);
        let is_ascii = stored.is_ascii();
        let (checksum, newlines) = (checksum(stored), newlines(stored).into());
        let symbols = match tagger {
            Some(tagger) if skip.is_none() => {
                tagger.symbols(&name, content).map_err(IntakeError::Symbols)?
            }
            _ => Symbols::default(),
        };
        let body = match skip {
            Some(skip) => Body::Marker(skip.marker()),
            // As long as it is and no longer: a shard's worth of them is held.
            None if held => Body::Held(content.as_slice().into()),
            None => Body::Spilled(self.spill.append(content).map_err(IntakeError::Spill)?),
        };
        Ok(Document {
            name,
            skip,
            class,
            len,
            rune_count,
            is_ascii,
            checksum,
            newlines,
            symbols,
            branch_mask: self.branch_mask,
            sub_repository: 0,
            repository: 0,
            body,
        })
    }
}
