//! The terms of all runs in one order: each gets its rank among all, and from that its id.

use manicule_format_leaf::manifest::TagNumbers;
use manicule_format_leaf::{Id, Tag};

use super::heads::Heads;
use super::run::{MemoryRun, TapedRun};
use super::table::{Place, Texts};
use super::tape::{Overflow, Tape, TapeReader, TapeWriter};
use super::triples::{OpenTriples, is_open};
use crate::error::GraphError;
use crate::term::RDF_TYPE;

/// Tags whose terms are numbered. Ranks are in their order.
const TAGS: [Tag; 6] = [Tag::BLANK, Tag::IRI, Tag::STRING, Tag::TAGGED, Tag::TYPED, Tag::TRIPLE];

/// Ids of terms by their ranks among all terms of a load: ranks are in the order of ids.
#[derive(Debug, Default)]
pub(super) struct Ranked {
    /// For each of [`TAGS`], the rank after its last term.
    ends: [u32; TAGS.len()],
    /// Ids of inlined literals, which come after those.
    inlined: Vec<u64>,
    /// Numbers of blank nodes by the order of their texts.
    blanks: Vec<u32>,
    /// The rank of the first triple term that names blank nodes.
    first_open: u32,
    /// Their places in the order of their bytes, which are known when blank nodes have numbers.
    open: Vec<u32>,
    /// rdf:type, where there is one.
    pub(super) type_predicate: Option<Id>,
}

impl Ranked {
    /// Ranks of some terms of each of [`TAGS`], whose numbers count from 0, and of inlined
    /// literals, increasing. None if there are more than ranks.
    pub(super) fn of(
        counts: [u32; TAGS.len()],
        inlined: Vec<u64>,
        type_predicate: Option<Id>,
    ) -> Option<Ranked> {
        let (mut ends, mut end) = ([0; TAGS.len()], 0u32);
        for (place, count) in ends.iter_mut().zip(counts) {
            end = end.checked_add(count)?;
            *place = end;
        }
        end.checked_add(u32::try_from(inlined.len()).ok()?)?;
        Some(Ranked { ends, inlined, type_predicate, ..Ranked::default() })
    }

    /// The rank of a term by its number among those of its tag, which is one of [`TAGS`].
    #[inline]
    pub(super) fn rank(&self, tag: Tag, number: u32) -> u32 {
        let before = usize::from(tag.0 - Tag::BLANK.0).checked_sub(1);
        before.map_or(0, |place| self.ends[place]) + number
    }

    /// The rank of an inlined literal that has one.
    pub(super) fn rank_of_inlined(&self, id: Id) -> u32 {
        self.ends[TAGS.len() - 1] + self.inlined.partition_point(|other| *other < id.0) as u32
    }

    /// The id of a rank.
    #[inline]
    pub(super) fn id(&self, rank: u32) -> Id {
        let [blanks, iris, strings, tagged, typed, triples] = self.ends;
        if rank >= triples {
            return Id(self.inlined[(rank - triples) as usize]);
        }
        let (tag, first) = match rank {
            _ if rank >= typed => (Tag::TRIPLE, typed),
            _ if rank >= tagged => (Tag::TYPED, tagged),
            _ if rank >= strings => (Tag::TAGGED, strings),
            _ if rank >= iris => (Tag::STRING, iris),
            _ if rank >= blanks => (Tag::IRI, blanks),
            _ => (Tag::BLANK, 0),
        };
        Id::new(tag, (rank - first).into())
    }

    /// The rank of a term of which the merge has said another one: blank nodes are in the order in
    /// which they come, and triple terms that name them in that of their bytes.
    #[inline]
    pub(super) fn settled(&self, rank: u32) -> u32 {
        if let Some(number) = self.blanks.get(rank as usize) {
            return *number;
        }
        match self.open.get(rank.wrapping_sub(self.first_open) as usize) {
            Some(place) => self.first_open + place,
            None => rank,
        }
    }

    /// The greatest rank; 0 if there is none.
    pub(super) fn max(&self) -> u32 {
        (self.ends[TAGS.len() - 1] + self.inlined.len() as u32).saturating_sub(1)
    }

    /// The number that each tag's next term gets.
    pub(super) fn next(&self) -> TagNumbers {
        let mut next = TagNumbers::default();
        let mut first = 0;
        for (tag, end) in TAGS.into_iter().zip(self.ends) {
            next.set(tag, (end - first).into());
            first = end;
        }
        next
    }
}

/// Terms of a run, the next of them ahead.
pub(super) trait Lane {
    /// What the next term is ordered by: its tag or, inlined, its id; then its text.
    fn key(&self) -> (u64, &[u8]);
    /// Where the next term, a blank node, came first.
    fn position(&self) -> u64;
    /// Whether there are triple terms that name blank nodes.
    fn has_open(&self) -> bool;
    /// Takes the next term, which has a rank among all. Returns whether there is another one.
    fn take(&mut self, rank: u32) -> Result<bool, GraphError>;
}

/// A run in memory.
pub(super) struct MemoryLane<'r> {
    terms: &'r [(Place, u32)],
    texts: &'r Texts,
    has_open: bool,
    /// By the numbers of the terms.
    ranks: Vec<u32>,
}

impl<'r> MemoryLane<'r> {
    /// All terms of a run, which has some.
    pub(super) fn new(run: &'r MemoryRun) -> Self {
        let (terms, ranks) = (&run.terms, vec![0; run.terms.len()]);
        MemoryLane { terms, texts: &run.texts, has_open: run.has_open(), ranks }
    }

    /// The ranks by numbers.
    pub(super) fn finish(self) -> Vec<u32> {
        self.ranks
    }
}

fn key_of(tag: Tag) -> u64 {
    Id::new(tag, 0).0
}

impl Lane for MemoryLane<'_> {
    #[inline]
    fn key(&self) -> (u64, &[u8]) {
        let place = self.terms[0].0;
        match place.tag() {
            tag if tag < Tag::FIRST_INLINE => (key_of(tag), self.texts.get(place)),
            _ => (place.0, &[]),
        }
    }

    fn position(&self) -> u64 {
        self.texts.position(self.terms[0].0)
    }

    fn has_open(&self) -> bool {
        self.has_open
    }

    #[inline]
    fn take(&mut self, rank: u32) -> Result<bool, GraphError> {
        self.ranks[self.terms[0].1 as usize] = rank;
        self.terms = &self.terms[1..];
        Ok(!self.terms.is_empty())
    }
}

/// A run on tapes.
pub(super) struct TapedLane<'o> {
    reader: TapeReader<'o>,
    key: u64,
    text: Vec<u8>,
    position: u64,
    has_open: bool,
    /// By the order of the terms in the run.
    ranks: TapeWriter<'o>,
}

impl<'o> TapedLane<'o> {
    /// All terms of a run, which has some.
    pub(super) fn new(
        run: &TapedRun,
        overflow: &'o Overflow,
        buffer_len: usize,
    ) -> Result<Self, GraphError> {
        let reader = TapeReader::new(overflow, &run.terms, buffer_len)?;
        let ranks = TapeWriter::new(overflow, buffer_len)?;
        let (text, has_open) = (Vec::new(), run.has_open);
        let mut lane = TapedLane { reader, key: 0, text, position: 0, has_open, ranks };
        lane.read()?;
        Ok(lane)
    }

    fn read(&mut self) -> Result<(), GraphError> {
        let [tag] = self.reader.take()?;
        self.text.clear();
        if tag == 0 {
            self.key = u64::from_le_bytes(self.reader.take()?);
            return Ok(());
        }
        self.key = key_of(Tag(tag));
        let len = u32::from_le_bytes(self.reader.take()?) as usize;
        self.text.extend_from_slice(&self.reader.peek(len)?[..len]);
        self.reader.skip(len);
        if Tag(tag) == Tag::BLANK {
            self.position = u64::from_le_bytes(self.reader.take()?);
        }
        Ok(())
    }

    /// The ranks by the order of the terms.
    pub(super) fn finish(self) -> Result<Tape, GraphError> {
        self.ranks.finish()
    }
}

impl Lane for TapedLane<'_> {
    fn key(&self) -> (u64, &[u8]) {
        (self.key, &self.text)
    }

    fn position(&self) -> u64 {
        self.position
    }

    fn has_open(&self) -> bool {
        self.has_open
    }

    fn take(&mut self, rank: u32) -> Result<bool, GraphError> {
        self.ranks.buffer().extend_from_slice(&rank.to_le_bytes());
        self.ranks.settle()?;
        if self.reader.is_done() {
            return Ok(false);
        }
        self.read().map(|()| true)
    }
}

/// Gives each term of all runs its rank. `put` is called with each text that the dictionary keeps,
/// in order. None if there are more terms than ranks.
pub(super) fn merge_terms<L: Lane>(
    lanes: &mut [L],
    mut put: impl FnMut(Tag, &[u8]) -> Result<(), GraphError>,
) -> Result<Option<Ranked>, GraphError> {
    let mut ranked = Ranked { first_open: u32::MAX, ..Ranked::default() };
    let is_less = |lanes: &[L], left: usize, right: usize| lanes[left].key() < lanes[right].key();
    let mut heads = Heads::new(0..lanes.len(), |left, right| is_less(lanes, left, right));
    let is_alone = lanes.len() == 1;
    // The last term, and where it came first, if it is a blank node.
    let (mut last_key, mut last_text): (Option<u64>, Vec<u8>) = (None, Vec::new());
    let mut positions: Vec<u64> = Vec::new();
    let (mut open, has_open) = (OpenTriples::default(), lanes.iter().any(Lane::has_open));
    let mut next = 0u32;
    while let Some(first) = heads.first() {
        let lane = &mut lanes[first];
        let (key, text) = lane.key();
        let tag = Id(key).tag();
        if is_alone || last_key != Some(key) || last_text != text {
            if tag < Tag::FIRST_INLINE {
                if tag == Tag::BLANK {
                    positions.push(u64::MAX);
                    if has_open {
                        open.push_blank(text);
                    }
                } else if tag == Tag::TRIPLE && is_open(text) {
                    ranked.first_open = ranked.first_open.min(next);
                    open.push(text);
                } else {
                    put(tag, text)?;
                }
                if tag == Tag::IRI && text == RDF_TYPE {
                    let number = next - ranked.ends[0];
                    ranked.type_predicate = Some(Id::new(Tag::IRI, number.into()));
                }
                if !is_alone {
                    last_text.clear();
                    last_text.extend_from_slice(text);
                }
            } else {
                ranked.inlined.push(key);
                last_text.clear();
            }
            last_key = Some(key);
            let Some(more) = next.checked_add(1) else { return Ok(None) };
            next = more;
            if let Some(at) = TAGS.iter().position(|it| *it == tag) {
                ranked.ends[at..].fill(next);
            }
        }
        if tag == Tag::BLANK
            && let Some(position) = positions.last_mut()
        {
            *position = lane.position().min(*position);
        }
        let has_more = lane.take(next - 1)?;
        heads.advanced(!has_more, |left, right| is_less(lanes, left, right));
    }
    ranked.blanks = numbers_of(&positions);
    ranked.open = open.settle(&ranked.blanks, |text| put(Tag::TRIPLE, text))?;
    Ok(Some(ranked))
}

/// The place of each position in the order of all.
fn numbers_of(positions: &[u64]) -> Vec<u32> {
    let mut order: Vec<u32> = (0..positions.len() as u32).collect();
    order.sort_unstable_by_key(|at| positions[*at as usize]);
    let mut numbers = vec![0; positions.len()];
    for (at, number) in order.into_iter().zip(0..) {
        numbers[at as usize] = number;
    }
    numbers
}
