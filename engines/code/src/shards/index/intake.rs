//! Documents read for shards: on all threads, in the order of their source, cut where a shard is
//! full.
//!
//! Bytes:   docs/formats/zoekt.md, section *From a folder to documents*

use std::collections::VecDeque;
use std::io;
use std::sync::Mutex;

use manicule_core::watch::Meter;
use manicule_format_zoekt::{SHARD_LEN_MAX, Skip, checksum, newlines, rune_count};
use manicule_store::Spill;
use manicule_store::threads::{self, lock};

use super::super::classify::{Classify, Unclassified};
use super::super::last_run::KnownSymbols;
use super::super::symbols::{Asker, CtagsError, Posted};
use super::document::{Body, Document};
use super::large_files::LargeFiles;
use super::order::{Cut, Full};
use super::skip::{Limits, TrigramCounter};
use super::source::{Listed, ReadError, Reader, Source};
use super::tagger::Tagger;
use super::walk::Within;

/// Rules that documents are judged by.
pub(in crate::shards) struct Judges<'j> {
    pub(in crate::shards) limits: Limits,
    pub(in crate::shards) large_files: &'j LargeFiles,
    pub(in crate::shards) classify: &'j dyn Classify,
    /// Symbols that need not be found again.
    pub(in crate::shards) known: Option<&'j KnownSymbols<'j>>,
    /// Finds symbols, if they are wanted.
    pub(in crate::shards) tagger: Option<&'j Tagger>,
}

/// Error of reading documents.
#[derive(Debug)]
pub(in crate::shards) enum IntakeError {
    Read(ReadError),
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

/// The source of documents, and the way they are read.
pub(in crate::shards) struct Feed<'i> {
    pub(in crate::shards) source: &'i dyn Source,
    pub(in crate::shards) judges: Judges<'i>,
    pub(in crate::shards) spill: &'i Spill,
    /// Maximum number of bytes of contents held in memory; what is read beyond goes to the spill.
    pub(in crate::shards) held_max: u64,
    pub(in crate::shards) threads: usize,
    /// Counts the bytes of documents, and is asked before each whether to go on.
    pub(in crate::shards) meter: &'i Meter<'i>,
    /// Number of equal parts of the work that the meter counts, of which reading is one.
    pub(in crate::shards) share: u64,
}

/// Reads the documents of a source, shard by shard.
pub(in crate::shards) struct Intake<'i> {
    feed: Feed<'i>,
    queue: Mutex<Queue>,
}

/// Documents in the order of the source, from the first that no shard has yet.
struct Queue {
    slots: VecDeque<Option<Document>>,
    /// Number of slots from the front on that are counted for the shard at hand.
    counted: usize,
    /// The next document of the source to be read.
    next: usize,
    held: u64,
    cut: Cut,
    /// Number of slots of the shard at hand, once that is known.
    end: Option<usize>,
    error: Option<IntakeError>,
}

/// A document that a thread reads.
#[derive(Clone, Copy, Debug)]
struct Claimed {
    index: usize,
    /// Its slot.
    place: usize,
    /// Whether its content stays in memory.
    held: bool,
}

/// Whether a document that was read is whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Lacks {
    Nothing,
    Symbols,
}

/// Documents of a thread that wait for their symbols, oldest first: ctags has always something to
/// do, and answers several before the thread hears them.
struct Waiting<'w> {
    tagger: &'w Tagger,
    asker: Asker<'w>,
    documents: VecDeque<Waits>,
    /// The bytes of their contents.
    len: u64,
}

struct Waits {
    claimed: Claimed,
    document: Document,
}

impl<'w> Waiting<'w> {
    /// Documents, and their bytes, that may wait.
    const COUNT_MAX: usize = 48;
    const LEN_MAX: u64 = 1 << 20;

    fn new(tagger: &'w Tagger) -> Self {
        Waiting { tagger, asker: tagger.asker(), documents: VecDeque::new(), len: 0 }
    }

    fn push(&mut self, claimed: Claimed, document: Document) {
        self.len += u64::from(document.len);
        self.documents.push_back(Waits { claimed, document });
    }

    fn is_full(&self) -> bool {
        self.documents.len() > Self::COUNT_MAX || self.len > Self::LEN_MAX
    }
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

    /// Counts documents into the shard at hand until it is full, or one of the `document_count` is
    /// still missing.
    fn count(&mut self, document_count: usize) {
        while self.end.is_none() {
            match self.slots.get(self.counted) {
                Some(Some(document)) => {
                    let stored = if document.skip.is_some() { 0 } else { document.len as usize };
                    self.counted += 1;
                    if self.cut.note(document.name.len(), stored) == Full::Yes {
                        self.end = Some(self.counted);
                    }
                }
                None if self.next == document_count => self.end = Some(self.counted),
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

    /// The documents of the next shard, in the order of the source; `None` after the last one.
    pub(in crate::shards) fn next_shard(&mut self) -> Result<Option<Vec<Document>>, IntakeError> {
        let document_count = self.feed.source.document_count();
        let queue = self.queue.get_mut().expect("no thread panicked");
        if queue.next == document_count && queue.slots.is_empty() {
            return Ok(None);
        }
        queue.count(document_count);
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
        if let Err(error) = self.read_until_full(queue) {
            lock(queue).error = Some(error);
        }
    }

    fn read_until_full(&self, queue: &Mutex<Queue>) -> Result<(), IntakeError> {
        let (mut counter, mut content) = (TrigramCounter::default(), Vec::new());
        let mut reader = self.source.reader();
        let mut waiting = self.judges.tagger.map(Waiting::new);
        while let Some(claimed) = self.claim(queue) {
            let Claimed { index, held, .. } = claimed;
            self.meter.watch().check().map_err(|_| IntakeError::Stopped)?;
            let (document, lacks) =
                self.document(&mut *reader, index, held, &mut counter, &mut content)?;
            let Some(waiting) = waiting.as_mut().filter(|_| lacks == Lacks::Symbols) else {
                self.put(queue, claimed, document);
                continue;
            };
            match waiting.asker.post(&document.name, &content).map_err(IntakeError::Symbols)? {
                Posted::No => self.put(queue, claimed, document),
                Posted::Yes => waiting.push(claimed, document),
            }
            while waiting.is_full() {
                self.finish_oldest(queue, waiting)?;
            }
        }
        let Some(mut waiting) = waiting else { return Ok(()) };
        while !waiting.documents.is_empty() {
            self.finish_oldest(queue, &mut waiting)?;
        }
        Ok(())
    }

    /// The next document that is to be read; none if the shard is full or all are read.
    fn claim(&self, queue: &Mutex<Queue>) -> Option<Claimed> {
        let mut queue = lock(queue);
        if queue.end.is_some()
            || queue.error.is_some()
            || queue.next == self.source.document_count()
        {
            return None;
        }
        let (index, place) = (queue.next, queue.slots.len());
        queue.next += 1;
        queue.slots.push_back(None);
        // Room is taken before reading, so that threads together keep to it.
        queue.held += self.source.document(index).len;
        Some(Claimed { index, place, held: queue.held <= self.held_max })
    }

    /// Puts a document that was claimed into its place.
    fn put(&self, queue: &Mutex<Queue>, Claimed { index, place, .. }: Claimed, document: Document) {
        let mut queue = lock(queue);
        queue.held -= self.source.document(index).len;
        self.meter.add(u64::from(document.len) / self.share);
        queue.held += document.held_len();
        queue.slots[place] = Some(document);
        queue.count(self.source.document_count());
    }

    /// Hears the symbols of the document that waits longest, and puts it into its place.
    fn finish_oldest(
        &self,
        queue: &Mutex<Queue>,
        waiting: &mut Waiting<'_>,
    ) -> Result<(), IntakeError> {
        self.meter.watch().check().map_err(|_| IntakeError::Stopped)?;
        let Some(Waits { claimed, mut document }) = waiting.documents.pop_front() else {
            return Ok(());
        };
        waiting.len -= u64::from(document.len);
        let mut buffer = Vec::new();
        let content = document.stored(self.spill, &mut buffer).map_err(IntakeError::Spill)?;
        let heard = waiting.asker.hear(&document.name, content);
        if heard.is_err() {
            // Those behind it were posted to a child that is gone.
            for Waits { document, .. } in &waiting.documents {
                let content =
                    document.stored(self.spill, &mut buffer).map_err(IntakeError::Spill)?;
                waiting.asker.post(&document.name, content).map_err(IntakeError::Symbols)?;
            }
        }
        document.symbols = waiting.tagger.heard(heard).map_err(IntakeError::Symbols)?;
        self.put(queue, claimed, document);
        Ok(())
    }

    fn document(
        &self,
        reader: &mut dyn Reader,
        index: usize,
        held: bool,
        counter: &mut TrigramCounter,
        content: &mut Vec<u8>,
    ) -> Result<(Document, Lacks), IntakeError> {
        if let Some(kept) = reader.kept(index) {
            return Ok((kept, Lacks::Nothing));
        }
        let Judges { limits, large_files, classify, known, tagger } = &self.judges;
        let Listed { name, len, branch_mask, sub_repository } = self.source.document(index);
        let allowance = large_files.allowance(name);
        content.clear();
        let mut skip = limits.skip_unread(len, allowance);
        if skip.is_none() {
            let read_max = limits.read_max(allowance);
            skip = match reader.read(index, read_max, content).map_err(IntakeError::Read)? {
                Within::No => Some(Skip::TooLarge),
                Within::Yes => limits.skip(content, allowance, counter),
            };
            if skip == Some(Skip::TooLarge) {
                content.clear();
            }
        }
        let class = classify.classify(&Unclassified { name, content, skip });
        let stored = match skip {
            Some(skip) => skip.marker(),
            None => content.as_slice(),
        };
        if stored.len() as u64 > SHARD_LEN_MAX {
            return Err(IntakeError::TooLong { name: name.to_vec(), len: stored.len() as u64 });
        }
        let (len, rune_count) = (stored.len() as u32, rune_count(stored) as u32);
        let is_ascii = stored.is_ascii();
        let (checksum, newlines) = (checksum(stored), newlines(stored).into());
        let has_symbols = tagger.is_some() && skip.is_none();
        let known = known.filter(|_| has_symbols).and_then(|known| known.of(name, content));
        let lacks = if has_symbols && known.is_none() { Lacks::Symbols } else { Lacks::Nothing };
        let symbols = known.unwrap_or_default();
        let body = match skip {
            Some(skip) => Body::Marker(skip.marker()),
            // As long as it is and no longer: a shard's worth of them is held.
            None if held => Body::Held(content.as_slice().into()),
            None => Body::Spilled(self.spill.append(content).map_err(IntakeError::Spill)?),
        };
        let document = Document {
            name: name.to_vec(),
            skip,
            class,
            len,
            rune_count,
            is_ascii,
            checksum,
            newlines,
            symbols,
            branch_mask,
            sub_repository,
            repository: 0,
            body,
        };
        Ok((document, lacks))
    }
}
