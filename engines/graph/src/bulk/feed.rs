//! Documents dealt out to threads: those of lines in pieces, the others whole.

use std::fs::File;
use std::io;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex};

use manicule_store::threads::lock;

use crate::load::{Input, Piece, Pieces, Place, Source};

/// Work for a thread: a part of the documents, whose number is higher than those of all parts
/// before it.
pub(super) struct Task {
    /// Which document.
    pub(super) document: usize,
    /// Which part of all documents.
    pub(super) number: u64,
    /// What is to be read.
    pub(super) part: io::Result<Part>,
}

/// Part of the documents.
pub(super) enum Part {
    /// Lines of a document.
    Lines(Arc<Pieces>, Piece),
    /// A whole document.
    Whole(Source),
}

/// Documents that are dealt out in their order.
pub(super) struct Feed<'i> {
    inputs: &'i [Input],
    piece_len: usize,
    /// Longest document that is mapped: pages of a map are counted as memory of the process.
    mapped_len_max: usize,
    state: Mutex<State>,
    /// Parts above this number aren't wanted.
    last: AtomicU64,
}

#[derive(Default)]
struct State {
    next_document: usize,
    next_number: u64,
    /// The document that is being dealt out.
    open: Option<(usize, Arc<Pieces>)>,
}

impl<'i> Feed<'i> {
    /// Documents in pieces of about `piece_len` bytes. Those longer than `mapped_len_max` are read,
    /// not mapped.
    pub(super) fn new(inputs: &'i [Input], piece_len: usize, mapped_len_max: usize) -> Self {
        let (state, last) = (Mutex::default(), AtomicU64::new(u64::MAX));
        Feed { inputs, piece_len, mapped_len_max, state, last }
    }

    /// The next part; none if there is no other one that is wanted.
    pub(super) fn take(&self) -> Option<Task> {
        let mut state = lock(&self.state);
        loop {
            let number = state.next_number;
            if number > self.last.load(Relaxed) {
                return None;
            }
            let (document, part) = match &state.open {
                Some((document, pieces)) => {
                    let (document, pieces) = (*document, pieces.clone());
                    match pieces.take().transpose() {
                        None => {
                            state.open = None;
                            continue;
                        }
                        Some(piece) => (document, piece.map(|piece| Part::Lines(pieces, piece))),
                    }
                }
                None => {
                    let document = state.next_document;
                    let input = self.inputs.get(document)?;
                    state.next_document += 1;
                    match self.open(&input.place) {
                        Ok(source) if input.syntax.is_lines() => {
                            let pieces = Arc::new(Pieces::new(source, self.piece_len));
                            state.open = Some((document, pieces));
                            continue;
                        }
                        source => (document, source.map(Part::Whole)),
                    }
                }
            };
            state.next_number += 1;
            return Some(Task { document, number, part });
        }
    }

    fn open(&self, place: &Place) -> io::Result<Source> {
        let source = place.open()?;
        match (place, source.bytes()) {
            (Place::File(path), Some(bytes)) if bytes.len() > self.mapped_len_max => {
                Ok(Source::Stream(Box::new(File::open(path)?)))
            }
            _ => Ok(source),
        }
    }

    /// The load ends with a part: those after it aren't wanted.
    pub(super) fn end_with(&self, number: u64) {
        self.last.fetch_min(number, Relaxed);
    }
}
