//! A snapshot: one moment of a store, or of a transaction, to be read from any thread.

mod choose;
mod columns;
mod counts;
pub mod generation;
mod state;

use std::cell::Cell;
use std::path::Path;
use std::sync::Arc;

use manicule_core::bytes::DecodeError;
use manicule_core::watch::Watch;
use manicule_format_leaf::{Id, Role, Tag};

use crate::error::GraphError;
use crate::overlay::Scan;
use crate::quad::{Pattern, Quad};
use crate::term::inline::{inlined, is_inlined, literal_of};
use crate::term::{TermRef, decode_term, encode_term};
use crate::view::{Blocks, ByQuads, View, WantedTerm};

use choose::{Range, by_predicate, ranges};
pub use columns::LeafBlocks;
pub use state::State;

/// The longest buffer that a thread keeps.
const TEXT_LEN_MAX: usize = 64 << 10;

thread_local! {
    /// The text of the term that is being read: an allocation for each would take as long as the
    /// rest.
    static TEXT: Cell<Vec<u8>> = const { Cell::new(Vec::new()) };
}

/// One moment of a store. It can be kept as long as it is needed: what it holds goes when nobody
/// has it any more.
#[derive(Clone, Debug)]
pub struct Snapshot {
    state: Arc<State>,
}

impl Snapshot {
    /// The snapshot of a state.
    pub fn new(state: Arc<State>) -> Self {
        Snapshot { state }
    }

    /// The last commit that it shows.
    pub fn commit(&self) -> u64 {
        self.state.commit
    }

    /// The state.
    pub fn state(&self) -> &Arc<State> {
        &self.state
    }

    /// An error unless all files of its generation, in the folder of its store, are as they were
    /// written.
    pub fn check_files(&self, store: &Path, watch: &Watch<'_>) -> Result<(), GraphError> {
        self.state.base.check_files(store, watch)
    }

    /// The quads of a pattern, by an iterator that keeps what it reads alive.
    pub fn scan(&self, pattern: &Pattern) -> Quads {
        let scan = |range: Range| {
            let filter = (!range.is_exact(pattern)).then_some(*pattern);
            Ok((self.state.scan(range.order, range.prefix())?, filter))
        };
        match self.range(pattern).and_then(scan) {
            Ok((scan, filter)) => Quads { source: Ok(scan), filter },
            Err(error) => Quads { source: Err(Some(error)), filter: None },
        }
    }

    /// The shorter one of the ranges that hold a pattern.
    fn range(&self, pattern: &Pattern) -> Result<Range, GraphError> {
        let (first, second) = ranges(pattern);
        let Some(second) = second else { return Ok(first) };
        let count = |range: &Range| self.state.count(range.order, range.prefix());
        Ok(if count(&second)? < count(&first)? { second } else { first })
    }
}

/// Quads of a pattern. After an error there are none.
#[derive(Debug)]
pub struct Quads {
    source: Result<Scan, Option<GraphError>>,
    /// The pattern, where not all rows are its.
    filter: Option<Pattern>,
}

impl Iterator for Quads {
    type Item = Result<Quad, GraphError>;

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        let scan = match &mut self.source {
            Ok(scan) => scan,
            Err(error) => return error.take().map(Err),
        };
        loop {
            let row = match scan.next()? {
                Ok(row) => row,
                Err(error) => return Some(Err(error)),
            };
            let [subject, predicate, object, graph] = scan.order().quad(row);
            let quad = Quad { subject, predicate, object, graph };
            if self.filter.is_none_or(|pattern| pattern.admits(&quad)) {
                return Some(Ok(quad));
            }
        }
    }
}

/// Quads of a pattern, column by column.
#[derive(Debug)]
pub enum QuadBlocks<'v> {
    /// As the leaves have them.
    Leaves(LeafBlocks<'v>),
    /// Those of a range that are the pattern's.
    Filtered(ByQuads<Quads>),
}

impl Blocks for QuadBlocks<'_> {
    fn next(&mut self) -> Result<Option<usize>, GraphError> {
        match self {
            QuadBlocks::Leaves(blocks) => blocks.next(),
            QuadBlocks::Filtered(blocks) => blocks.next(),
        }
    }

    fn ids(&self) -> [&[u64]; 4] {
        match self {
            QuadBlocks::Leaves(blocks) => blocks.ids(),
            QuadBlocks::Filtered(blocks) => blocks.ids(),
        }
    }
}

impl View for Snapshot {
    type Quads<'v> = Quads;
    type Blocks<'v> = QuadBlocks<'v>;
    type Graphs<'v> = std::vec::IntoIter<Result<Id, GraphError>>;

    fn find_term(&self, term: TermRef<'_>) -> Result<Option<Id>, GraphError> {
        match key_of(term) {
            Key::Blank(number) => {
                Ok((number < self.state.next_blank).then(|| Id::new(Tag::BLANK, number)))
            }
            Key::Inlined(id) => Ok(Some(id)),
            Key::Text(tag, bytes) => {
                self.state.find_text(tag, &bytes, self.state.keys.hash(&bytes))
            }
        }
    }

    fn read_terms(
        &self,
        ids: &[WantedTerm],
        read: &mut dyn FnMut(WantedTerm, TermRef<'_>),
    ) -> Result<(), GraphError> {
        let mut rest = ids;
        while let Some(own) = rest.first() {
            let count = if self.state.is_in_layer(own.id) {
                0
            } else {
                self.state.base.read_texts(rest, read)?
            };
            if count == 0 {
                self.read_term(own.id, |term| read(*own, term))?;
            }
            rest = &rest[count.max(1)..];
        }
        Ok(())
    }

    fn read_term<R>(&self, id: Id, read: impl FnOnce(TermRef<'_>) -> R) -> Result<R, GraphError> {
        if id.tag() == Tag::BLANK {
            return Ok(read(TermRef::Blank(id.payload())));
        }
        if is_inlined(id.tag()) {
            let (lexical, datatype) = literal_of(id).ok_or_else(|| unknown(id))?;
            return Ok(read(TermRef::Typed(lexical.as_str(), datatype)));
        }
        // Who reads another term inside `read` finds an empty buffer here.
        let mut buffer = TEXT.take();
        let outcome = self.state.text(id, &mut buffer).and_then(|bytes| {
            let bytes = bytes.ok_or_else(|| unknown(id))?;
            let term = decode_term(id.tag(), bytes);
            term.map(read).map_err(|source| GraphError::Term { id, source })
        });
        if buffer.capacity() <= TEXT_LEN_MAX {
            TEXT.set(buffer);
        }
        outcome
    }

    fn sorted_below(&self, tag: Tag) -> u64 {
        self.state.base.manifest().sorted_below.of(tag)
    }

    fn quads(&self, pattern: &Pattern) -> Quads {
        self.scan(pattern)
    }

    fn blocks(&self, pattern: &Pattern, wanted: [bool; 4]) -> Result<QuadBlocks<'_>, GraphError> {
        let mut range = self.range(pattern)?;
        if !range.is_exact(pattern) {
            return Ok(QuadBlocks::Filtered(ByQuads::new(self.quads(pattern), wanted)));
        }
        if range.prefix().is_empty() && wanted == [false, true, false, false] {
            // Where they come first, equal ids lie together.
            range = by_predicate(pattern.graph);
        }
        let blocks = LeafBlocks::new(&self.state, range.order, range.prefix(), wanted)?;
        Ok(QuadBlocks::Leaves(blocks))
    }

    fn count(&self, pattern: &Pattern) -> Result<Option<u64>, GraphError> {
        let range = self.range(pattern)?;
        let is_exact = range.is_exact(pattern) && !self.state.has_idle;
        is_exact.then(|| self.state.count(range.order, range.prefix())).transpose()
    }

    fn counts_by(
        &self,
        pattern: &Pattern,
        place: Role,
    ) -> Result<Option<Vec<(Id, u64)>>, GraphError> {
        counts::counts_by(&self.state, pattern, place)
    }

    fn graphs(&self) -> Self::Graphs<'_> {
        match self.state.graphs() {
            Ok(names) => names.into_iter().map(Ok).collect::<Vec<_>>().into_iter(),
            Err(error) => vec![Err(error)].into_iter(),
        }
    }

    fn has_graph(&self, name: Id) -> Result<bool, GraphError> {
        self.state.has_graph(name)
    }

    fn estimate(&self, pattern: &Pattern) -> Result<u64, GraphError> {
        let range = self.range(pattern)?;
        self.state.count(range.order, range.prefix())
    }
}

/// How a term is looked for.
pub(crate) enum Key {
    /// By its number.
    Blank(u64),
    /// Not at all: its value is its id.
    Inlined(Id),
    /// By its bytes under a tag.
    Text(Tag, Vec<u8>),
}

/// How a term is looked for.
pub(crate) fn key_of(term: TermRef<'_>) -> Key {
    if let TermRef::Typed(lexical, datatype) = term
        && let Some(id) = inlined(lexical, datatype)
    {
        return Key::Inlined(id);
    }
    if let TermRef::Blank(number) = term {
        return Key::Blank(number);
    }
    let mut bytes = Vec::new();
    let tag = encode_term(term, &mut bytes).expect("all terms but blank nodes have bytes");
    Key::Text(tag, bytes)
}

/// Error for an id that names nothing in its store.
fn unknown(id: Id) -> GraphError {
    let source = DecodeError::Corrupt { what: "term", at: 0, want: 1, got: 0 };
    GraphError::Term { id, source }
}
