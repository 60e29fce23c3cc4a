//! Changes of a commit as a frame of the log has them, and back.

use manicule_core::bytes::DecodeError;
use manicule_core::sorted::Strings;
use manicule_format_leaf::log::{Commit, Frame, put_frame};
use manicule_format_leaf::{Id, Tag};

use crate::dictionary::{PerTag, Piece, TEXT_TAGS, place_of};
use crate::overlay::{Change, Changes};
use crate::quad::Quad;
use crate::snapshot::State;

/// Appends the frame of a commit. `synced` is the length of the log that is on the disk for
/// certain.
pub(super) fn put_commit(
    number: u64,
    next_blank: u64,
    terms: &Piece,
    changes: &Changes,
    synced: u64,
    out: &mut Vec<u8>,
) {
    let mut texts = Vec::with_capacity(terms.count() as usize);
    for (place, first) in terms.first().into_iter().enumerate() {
        let arena = terms.texts(place);
        let id = |at: u32| Id::new(TEXT_TAGS[place], first + u64::from(at));
        texts.extend((0..arena.count()).map(|at| (id(at), arena.get(at))));
    }
    let (mut added, mut removed) = (Vec::new(), Vec::new());
    let default = changes
        .default
        .iter()
        .map(|([s, p, o], change)| ([*s, *p, *o, Id::DEFAULT_GRAPH], *change));
    for (quad, change) in default.chain(changes.named.iter().copied()) {
        match change {
            Change::Added => added.push(quad),
            Change::Removed => removed.push(quad),
        }
    }
    let graphs = |wanted| {
        let is_wanted =
            move |(row, change): &([Id; 1], Change)| (*change == wanted).then_some(row[0]);
        changes.graphs.iter().filter_map(is_wanted).collect::<Vec<_>>()
    };
    let (created, dropped) = (graphs(Change::Added), graphs(Change::Removed));
    let commit = Commit {
        number,
        next_blank,
        terms: &texts,
        added: &added,
        removed: &removed,
        created: &created,
        dropped: &dropped,
    };
    put_frame(&commit, synced, out);
}

/// What a commit added to a state.
#[derive(Debug)]
pub(super) struct Record {
    pub(super) next_blank: u64,
    pub(super) terms: Piece,
    /// Settled.
    pub(super) changes: Changes,
}

fn check(what: &'static str, is_so: bool, at: u64, want: u64, got: u64) -> Result<(), DecodeError> {
    if is_so { Ok(()) } else { Err(DecodeError::Corrupt { what, at, want, got }) }
}

/// Reads a commit that comes after a state. `at` is the offset of its frame.
pub(super) fn read_commit(frame: &Frame, at: u64, before: &State) -> Result<Record, DecodeError> {
    let (blank, next_blank) = (before.next_blank, frame.next_blank());
    let is_after = (blank..=Id::PAYLOAD_MAX).contains(&next_blank);
    check("next blank node", is_after, at, blank, next_blank)?;
    let mut terms = Piece::new(before.keys, before.next_terms);
    for (id, text) in frame.terms() {
        let want = place_of(id.tag()).map(|place| Id::new(TEXT_TAGS[place], terms.next()[place]));
        check("number of a term", want == Some(id), at, want.map_or(0, |id| id.0), id.0)?;
        let got = terms.find_or_add(id.tag(), text, terms.hash(text));
        check("term that is new", got == id, at, id.0, got.0)?;
    }
    let limits = Limits { blank: next_blank, terms: terms.next() };
    let mut changes = Changes::default();
    let added = frame.added().iter().map(|ids| (ids, Change::Added));
    for (ids, change) in added.chain(frame.removed().iter().map(|ids| (ids, Change::Removed))) {
        check("ids of a quad", limits.admit(ids), at, 1, 0)?;
        let [subject, predicate, object, graph] = *ids;
        changes.push_quad(Quad { subject, predicate, object, graph }, change);
    }
    changes.graphs.extend(frame.created().iter().map(|name| ([*name], Change::Added)));
    changes.graphs.extend(frame.dropped().iter().map(|name| ([*name], Change::Removed)));
    changes.settle();
    Ok(Record { next_blank, terms, changes })
}

/// The numbers that ids of the dictionary are below.
struct Limits {
    blank: u64,
    terms: PerTag<u64>,
}

impl Limits {
    fn admit(&self, [subject, predicate, object, graph]: &[Id; 4]) -> bool {
        let ids = [subject, predicate, object];
        ids.into_iter().all(|id| self.names(*id))
            && (*graph == Id::DEFAULT_GRAPH || self.names(*graph))
    }

    fn names(&self, id: Id) -> bool {
        match (id.tag(), place_of(id.tag())) {
            (_, Some(place)) => id.payload() < self.terms[place],
            (Tag::BLANK, _) => id.payload() < self.blank,
            (tag, _) => tag >= Tag::FIRST_INLINE,
        }
    }
}
