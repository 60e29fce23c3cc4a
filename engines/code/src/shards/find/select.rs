//! From what every match holds to the documents that may hold one, and where in them.
//!
//! A sequence of bytes becomes runes, three neighbouring runes a trigram. The list of the rarest
//! trigram gives positions; a second one, a known number of runes further, leaves few of them; the
//! bytes at the place decide. What is left are *places*: each match overlaps one of them, and lies
//! in one line with it where matches lie in one line.
//!
//! Lists have no skips, so a list costs its bytes; the plain alternative costs the bytes of all
//! documents. The cheaper of the two is taken: `err` is searched for like grep would,
//! `podsandboxstatus` is looked up.
//!
//! Bytes:   docs/formats/zoekt.md, sections *Trigrams and positions* and *Runes*

use std::ops::Range;

use manicule_core::bytes::DecodeError;
use manicule_core::pattern::{ByteSet, Need};
use manicule_format_zoekt::{Corpus, Ngrams, Section, Shard, first_rune, ngram};

use super::super::open::ShardError;
use super::files::OpenShard;
use super::hits::Hits;
use super::places::Places;
use super::receipt::Receipt;
use super::rune_sets::{WINDOW_GRAMS_MAX, rune_sets};

/// Cost of a byte of a list, in picoseconds: to decode it, and to find the document of its
/// position.
const LIST_BYTE_PS: u64 = 2000;

/// Cost of a place: the first look at a page of the document, the bytes at the place.
const PLACE_PS: u64 = 60_000;

/// Cost of a byte that is looked at by a search through all documents.
const SCAN_BYTE_PS: u64 = 200;

/// Cost of a byte that has to be brought first: 100 MB/s.
const BROUGHT_BYTE_PS: u64 = 10_000;

/// Cost of reading a shard, in picoseconds.
#[derive(Clone, Copy)]
struct Costs {
    list_byte: u64,
    place: u64,
    scan_byte: u64,
    /// The second list leaves one of this number of places of the first, as is supposed: of rare
    /// trigrams few meet by chance, and where a place is a document of its own that decides.
    left_of: u64,
}

impl Costs {
    fn of(shard: &Shard<'_>) -> Costs {
        let (list_byte, place, scan_byte) = (LIST_BYTE_PS, PLACE_PS, SCAN_BYTE_PS);
        if shard.is_whole() {
            return Costs { list_byte, place, scan_byte, left_of: 2 };
        }
        // Each place is in a document of its own, at worst, which is brought whole.
        let len = u64::from(shard.toc().extent(Section::FileContents).len);
        let document_len = len / (shard.document_count() as u64).max(1);
        Costs {
            list_byte: list_byte + BROUGHT_BYTE_PS,
            place: place + document_len * BROUGHT_BYTE_PS,
            scan_byte: scan_byte + BROUGHT_BYTE_PS,
            left_of: 16,
        }
    }
}

/// Where a sequence is looked up: the trigrams of the contents, and what their lists cost.
struct Lists<'c, 'a> {
    corpus: &'c Corpus<'a>,
    ngrams: Ngrams<'a>,
    costs: Costs,
}

/// The documents that may hold a match.
#[derive(Debug)]
pub(super) enum Candidates {
    /// Any of them.
    All,
    /// These.
    Some(Hits),
}

impl Candidates {
    /// Candidate number `index`: the document, and the places in it that are known.
    pub(super) fn get(&self, index: usize) -> (usize, &[u32]) {
        match self {
            Candidates::All => (index, &[]),
            Candidates::Some(hits) => {
                let (document, places) = hits.get(index);
                (document as usize, places)
            }
        }
    }
}

/// Plan to look up a need, with its cost.
#[derive(Debug)]
pub(super) struct Plan<'n> {
    pub(super) cost_ps: u64,
    way: Way<'n>,
}

#[derive(Debug)]
enum Way<'n> {
    /// Look at all documents.
    Scan,
    /// Look sequences up; a match holds one of them. None, if nothing can match.
    Seqs(Vec<Seq<'n>>),
}

/// A sequence, and the windows of it that are looked up.
#[derive(Debug)]
struct Seq<'n> {
    sets: &'n [ByteSet],
    first: Window,
    second: Option<Window>,
}

/// Three runes that follow each other.
#[derive(Clone, Debug)]
struct Window {
    /// Number of runes and bytes of the sequence's part before it.
    rune_at: usize,
    byte_at: usize,
    /// The places of its trigrams in the corpus's order.
    grams: Vec<usize>,
    len: u64,
}

/// Cost of looking at `scan_len` bytes.
pub(super) fn scan_cost_ps(shard: &Shard<'_>, scan_len: u64) -> u64 {
    scan_len.saturating_mul(Costs::of(shard).scan_byte)
}

/// Cost of asking something of each name: 50 ns.
pub(super) fn names_cost_ps(shard: &Shard<'_>) -> u64 {
    shard.document_count() as u64 * 50_000
}

/// The cheapest way to what may match: at most as dear as looking at the `scan_len` bytes that it
/// would be without.
pub(super) fn plan<'n>(
    shard: &Shard<'_>,
    need: &'n Need,
    scan_len: u64,
) -> Result<Plan<'n>, DecodeError> {
    let scan = Plan { cost_ps: scan_cost_ps(shard, scan_len), way: Way::Scan };
    let corpus = shard.contents();
    let lists = Lists { corpus, ngrams: corpus.ngrams()?, costs: Costs::of(shard) };
    let found = look_up(&lists, need)?;
    Ok(found.filter(|found| found.cost_ps < scan.cost_ps).unwrap_or(scan))
}

/// The documents whose names may hold a need, by the trigrams of names; in no order, some more than
/// once. `None` where a look at each name is as cheap, or the trigrams would have to be brought.
pub(super) fn named(shard: &Shard<'_>, need: &Need) -> Result<Option<Vec<u32>>, DecodeError> {
    if !shard.is_whole() {
        return Ok(None);
    }
    let corpus = shard.names();
    let lists = Lists { corpus, ngrams: corpus.ngrams()?, costs: Costs::of(shard) };
    let found = look_up(&lists, need)?.filter(|found| found.cost_ps < names_cost_ps(shard));
    found.map(|found| found.documents(corpus)).transpose()
}

/// `None` where the index says nothing.
fn look_up<'n>(lists: &Lists<'_, '_>, need: &'n Need) -> Result<Option<Plan<'n>>, DecodeError> {
    match need {
        Need::Anything => Ok(None),
        Need::Seq(sets) => look_up_seq(lists, sets),
        Need::All(parts) => {
            let mut best: Option<Plan<'n>> = None;
            for part in parts {
                if let Some(found) = look_up(lists, part)?
                    && best.as_ref().is_none_or(|best| found.cost_ps < best.cost_ps)
                {
                    best = Some(found);
                }
            }
            Ok(best)
        }
        Need::Any(parts) => {
            let (mut cost_ps, mut seqs) = (0, Vec::new());
            for part in parts {
                match look_up(lists, part)? {
                    Some(Plan { cost_ps: part_ps, way: Way::Seqs(part) }) => {
                        cost_ps += part_ps;
                        seqs.extend(part);
                    }
                    _ => return Ok(None),
                }
            }
            Ok(Some(Plan { cost_ps, way: Way::Seqs(seqs) }))
        }
    }
}

fn look_up_seq<'n>(
    lists: &Lists<'_, '_>,
    sets: &'n [ByteSet],
) -> Result<Option<Plan<'n>>, DecodeError> {
    let costs = lists.costs;
    let mut windows: Vec<(usize, Window)> = Vec::new();
    let parts = rune_sets(sets);
    for (number, part) in parts.iter().enumerate() {
        for (rune_at, three) in part.runes.windows(3).enumerate() {
            let byte_at = part.byte_at + part.offsets[rune_at];
            if let Some(window) = window(lists, three, rune_at, byte_at)? {
                if window.grams.is_empty() {
                    let way = Way::Seqs(Vec::new());
                    return Ok(Some(Plan { cost_ps: 0, way }));
                }
                windows.push((number, window));
            }
        }
    }
    let Some((part, first)) = windows.iter().min_by_key(|(_, window)| window.len) else {
        return Ok(None);
    };
    // Windows that share a rune say nearly the same.
    let apart = |window: &Window| window.rune_at.abs_diff(first.rune_at) >= 3;
    let others =
        windows.iter().filter(|(other, window)| other == part && window.rune_at != first.rune_at);
    let second = others.min_by_key(|(_, window)| (!apart(window), window.len));
    // The second list costs its bytes and saves most of the places.
    let second = second
        .map(|(_, window)| window)
        .filter(|second| second.len * costs.list_byte < first.len * costs.place);
    let (first, second) = (first.clone(), second.cloned());
    let place_count = if second.is_some() { first.len / costs.left_of } else { first.len };
    let list_len = first.len + second.as_ref().map_or(0, |second| second.len);
    let cost_ps = list_len * costs.list_byte + place_count * costs.place;
    Ok(Some(Plan { cost_ps, way: Way::Seqs(vec![Seq { sets, first, second }]) }))
}

/// The lists of a window; without any list, nothing can match. `None` where there would be too
/// many.
fn window(
    lists: &Lists<'_, '_>,
    runes: &[Vec<u32>],
    rune_at: usize,
    byte_at: usize,
) -> Result<Option<Window>, DecodeError> {
    let count: usize = runes.iter().map(Vec::len).product();
    if count > WINDOW_GRAMS_MAX {
        return Ok(None);
    }
    let mut window = Window { rune_at, byte_at, grams: Vec::with_capacity(count), len: 0 };
    for first in &runes[0] {
        for second in &runes[1] {
            for third in &runes[2] {
                if let Some(gram) = lists.ngrams.find(ngram([*first, *second, *third])) {
                    window.len += lists.corpus.postings_range(gram)?.len() as u64;
                    window.grams.push(gram);
                }
            }
        }
    }
    Ok(Some(window))
}

impl Plan<'_> {
    /// Cost of the look-up, where it is done at all.
    pub(super) fn look_up_ps(&self) -> u64 {
        match self.way {
            Way::Scan => 0,
            Way::Seqs(_) => self.cost_ps,
        }
    }

    /// Where in the shard the posting lists are that it reads.
    pub(super) fn lists(&self, corpus: &Corpus<'_>) -> Result<Vec<Range<u64>>, DecodeError> {
        let Way::Seqs(seqs) = &self.way else { return Ok(Vec::new()) };
        let windows = seqs.iter().flat_map(|seq| [Some(&seq.first), seq.second.as_ref()]);
        let ranges = windows.flatten().flat_map(|window| &window.grams).map(|gram| {
            let Range { start, end } = corpus.postings_range(*gram)?;
            Ok(start.into()..end.into())
        });
        ranges.collect()
    }

    /// The documents whose contents it looks at: what its lists leave, increasing a sequence.
    pub(super) fn documents(&self, corpus: &Corpus<'_>) -> Result<Vec<u32>, DecodeError> {
        let Way::Seqs(seqs) = &self.way else { return Ok(Vec::new()) };
        let mut documents = Vec::new();
        for seq in seqs {
            let mut places = Places::new(corpus, &[]);
            for position in seq.positions(corpus, &mut Receipt::default())? {
                let document = places.document_of(position)? as u32;
                if documents.last() != Some(&document) {
                    documents.push(document);
                }
            }
        }
        Ok(documents)
    }

    /// Carries the plan out.
    pub(super) fn run(
        &self,
        open: &OpenShard<'_>,
        receipt: &mut Receipt,
    ) -> Result<Candidates, ShardError> {
        let Way::Seqs(seqs) = &self.way else { return Ok(Candidates::All) };
        let (corpus, samples) = (open.shard().contents(), open.rune_samples()?);
        let mut parts = Vec::with_capacity(seqs.len());
        for seq in seqs {
            let hits = seq.hits(corpus, samples, receipt);
            parts.push(hits.map_err(|error| open.damaged(error))?);
        }
        Ok(Candidates::Some(match parts.len() {
            1 => parts.swap_remove(0),
            _ => Hits::unite(parts),
        }))
    }
}

impl Seq<'_> {
    /// Positions of the first window that have the second one at its distance.
    fn positions(
        &self,
        corpus: &Corpus<'_>,
        receipt: &mut Receipt,
    ) -> Result<Vec<u32>, DecodeError> {
        let mut positions = positions(corpus, &self.first, receipt)?;
        if let Some(second) = &self.second
            && !positions.is_empty()
        {
            let others = self::positions(corpus, second, receipt)?;
            let distance = second.rune_at as i64 - self.first.rune_at as i64;
            keep_with(&mut positions, &others, distance);
        }
        Ok(positions)
    }

    fn hits(
        &self,
        corpus: &Corpus<'_>,
        samples: &[u32],
        receipt: &mut Receipt,
    ) -> Result<Hits, DecodeError> {
        let positions = self.positions(corpus, receipt)?;
        let ngrams = corpus.ngrams()?;
        let numbers: Vec<u64> = self.first.grams.iter().map(|gram| ngrams.at(*gram)).collect();
        let mut places = Places::new(corpus, samples);
        let mut hits = Hits::default();
        for position in positions {
            let (document, content, at) = places.of(position)?;
            let start = at.checked_sub(self.first.byte_at);
            let there = start.and_then(|start| content.get(start..start + self.sets.len()));
            if there.is_some_and(|there| holds(self.sets, there)) {
                hits.push(document, (at - self.first.byte_at) as u32);
            } else {
                // What goes on otherwise has the trigram all the same.
                check_trigram(&numbers, &content[at..], position)?;
            }
        }
        Ok(hits)
    }
}

/// Refuses a place that doesn't begin with one of the trigrams whose lists name it: neither lists
/// nor rune offsets have sums, and with a wrong one of them matches would be missed.
fn check_trigram(numbers: &[u64], there: &[u8], position: u32) -> Result<(), DecodeError> {
    let (first, one) = first_rune(there).unwrap_or_default();
    let (second, two) = first_rune(&there[one..]).unwrap_or_default();
    let (third, three) = first_rune(&there[one + two..]).unwrap_or_default();
    let got = ngram([first, second, third]);
    if three > 0 && numbers.contains(&got) {
        return Ok(());
    }
    let (what, want) = ("trigram at its position", numbers.first().copied().unwrap_or(0));
    Err(DecodeError::Corrupt { what, at: position.into(), want, got })
}

fn holds(sets: &[ByteSet], there: &[u8]) -> bool {
    sets.iter().zip(there).all(|(set, byte)| set.contains(*byte))
}

/// Positions of a window's trigrams, increasing.
fn positions(
    corpus: &Corpus<'_>,
    window: &Window,
    receipt: &mut Receipt,
) -> Result<Vec<u32>, DecodeError> {
    let mut all = Vec::with_capacity(window.len as usize);
    for gram in &window.grams {
        let mut list = corpus.positions(*gram)?;
        all.extend(&mut list);
        list.finish()?;
    }
    receipt.lists += window.grams.len() as u64;
    receipt.list_len += window.len;
    if window.grams.len() > 1 {
        // Lists that rise, one after the other: this sort merges them, the unstable one doesn't.
        all.sort();
    }
    Ok(all)
}

/// Keeps the positions that have one of the others at a distance.
fn keep_with(positions: &mut Vec<u32>, others: &[u32], distance: i64) {
    let mut at = 0;
    positions.retain(|position| {
        let wanted = i64::from(*position) + distance;
        while others.get(at).is_some_and(|other| i64::from(*other) < wanted) {
            at += 1;
        }
        others.get(at).is_some_and(|other| i64::from(*other) == wanted)
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_are_kept_at_their_distance_only() {
        let mut kept = vec![1, 5, 9, 20];
        keep_with(&mut kept, &[4, 8, 13], 3);
        assert_eq!(kept, [1, 5]);
        let mut kept = vec![1, 5, 9];
        keep_with(&mut kept, &[3, 7], -2);
        assert_eq!(kept, [5, 9]);
        let mut kept = vec![1];
        keep_with(&mut kept, &[0], -2);
        assert_eq!(kept, [0; 0]);
    }

    #[test]
    fn a_place_without_its_trigram_is_damage() {
        let numbers = ["abc", "aBc", "日本é"].map(|text| {
            let runes: Vec<u32> = text.chars().map(u32::from).collect();
            ngram([runes[0], runes[1], runes[2]])
        });
        for (there, is_right) in
            [("abcd", true), ("aBc", true), ("日本é", true), ("abC", false), ("ab", false)]
        {
            let checked = check_trigram(&numbers, there.as_bytes(), 7);
            assert_eq!(checked.is_ok(), is_right, "{there}");
        }
        assert!(check_trigram(&numbers, b"", 7).is_err());
    }

    #[test]
    fn united_places_are_each_there_once() {
        let hits = |pairs: &[(u32, u32)]| {
            let mut hits = Hits::default();
            pairs.iter().for_each(|(document, place)| hits.push(*document, *place));
            hits
        };
        let united = Hits::unite(vec![hits(&[(1, 4), (3, 0)]), hits(&[(0, 9), (1, 2), (1, 4)])]);
        assert_eq!(united, hits(&[(0, 9), (1, 2), (1, 4), (3, 0)]));
        assert_eq!(united.get(1), (1, &[2, 4][..]));
    }
}
