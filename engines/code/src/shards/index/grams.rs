//! The trigrams of a corpus and where each stands: posting construction.
//!
//! Trigrams of three ASCII characters are numbered as they sort, two million lists of which most stay empty; the few
//! others get a list as they come. Text is taken in runs of ASCII, in which a trigram is three bytes.
//!
//! A builder may hold a *window* of all trigrams only, for corpora whose lists would not fit into memory at once.
//! Several builders, each over a stretch of the texts, are joined list by list ([`Joined`]): the first distance of a
//! stretch counts from 0 and is written again, from the last position of the stretch before.
//!
//! Bytes:   docs/formats/zoekt.md, section *Trigrams and postings*
//! Callers: shards, proof/bench

use std::collections::HashMap;
use std::hash::BuildHasherDefault;

use manicule_core::postings::Positions;
use manicule_format_zoekt::{ascii_len, decode_rune, ngram, runes};

use super::skip::MixHasher;

/// Lists of trigrams of ASCII characters: seven bits each.
const ASCII_LIST_COUNT: u32 = 1 << 21;
/// Bytes of a posting while it is built, about: 1.7 stored, and what blocks leave free.
const POSTING_BYTES: u64 = 5;
const POSTINGS: u64 = 2;
/// The lists of trigrams that begin with the same two characters.
const PAIR_LIST_COUNT: u32 = 1 << 7;
/// The bytes of states that a builder has for each pair of its window.
pub(super) const PAIR_STATES_LEN: u64 = PAIR_LIST_COUNT as u64 * 24;
/// Number of pairs of ASCII characters.
pub(super) const PAIR_COUNT: u32 = ASCII_LIST_COUNT / PAIR_LIST_COUNT;

type ByNgram<V> = HashMap<u64, V, BuildHasherDefault<MixHasher>>;

/// Which trigrams a builder takes: those that begin with one of these pairs of ASCII characters, in their order. The
/// last window also takes everything after the last pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Window {
    pub(super) first: u32,
    pub(super) after: u32,
}

impl Window {
    /// All trigrams.
    pub const ALL: Window = Window { first: 0, after: PAIR_COUNT };
    /// No table of ASCII trigrams: all of them get lists as they come. For small corpora, as names are.
    pub(super) const AS_THEY_COME: Window = Window { first: 0, after: 0 };

    /// Whether a trigram belongs to it.
    fn holds(self, ngram: u64) -> bool {
        let is_last = self.after == PAIR_COUNT;
        (pair_ngram(self.first)..).contains(&ngram) && (is_last || ngram < pair_ngram(self.after))
    }
}

/// The first trigram that begins with a pair of ASCII characters.
fn pair_ngram(pair: u32) -> u64 {
    ngram([pair >> 7, pair & 0x7f, 0])
}

/// The lists of the trigrams of a run of ASCII, one after the other.
#[inline(always)]
fn ascii_lists_of(run: &[u8]) -> impl Iterator<Item = u32> {
    let (head, rest) = run.split_at(run.len().min(2));
    let mut list = head.iter().fold(0, |list, byte| list << 7 | u32::from(*byte));
    rest.iter().map(move |byte| {
        list = (list << 7 | u32::from(*byte)) % ASCII_LIST_COUNT;
        list
    })
}

/// The trigram of such a list.
fn ascii_ngram(list: u32) -> u64 {
    ngram([list >> 14, list >> 7 & 0x7f, list & 0x7f])
}

/// The trigrams of a stretch of texts, and where each stands.
pub struct Grams {
    window: Window,
    ascii: Positions,
    wide: Positions,
    wide_lists: ByNgram<u32>,
}

impl Grams {
    /// A builder that puts its lists into `arena`, and what it grows by.
    pub fn new(window: Window, arena: Vec<u8>) -> Self {
        let (low, count) = ascii_lists(window);
        Grams {
            window,
            ascii: Positions::new(low, count, arena),
            wide: Positions::new(0, 0, Vec::new()),
            wide_lists: HashMap::default(),
        }
    }

    /// Length of an arena for a number of positions, about: it grows where that is too few, which leaves holes.
    pub fn arena_len_for(position_count: u64) -> u64 {
        position_count * POSTING_BYTES / POSTINGS
    }

    /// Number of positions that fit into an arena of `arena_len` bytes, about.
    pub(super) fn positions_in(arena_len: u64) -> u64 {
        arena_len * POSTINGS / POSTING_BYTES
    }

    /// Number of bytes of its arenas in use.
    pub fn arena_len(&self) -> usize {
        self.ascii.arena_len() + self.wide.arena_len()
    }

    /// Empties the builder for another window, and keeps its memory.
    pub fn reset(&mut self, window: Window) {
        self.window = window;
        let (low, count) = ascii_lists(window);
        self.ascii.reset(low, count);
        self.wide.reset(0, 0);
        self.wide_lists.clear();
    }

    /// Adds a text whose first rune is number `rune` of the corpus.
    pub fn add(&mut self, text: &[u8], rune: u32) {
        if self.window == Window::AS_THEY_COME {
            return self.add_small(text, rune);
        }
        let mut joint = Joint::default();
        let mut rune = rune;
        let mut rest = text;
        while !rest.is_empty() {
            let run = &rest[..ascii_len(rest)];
            // What stands before a run forms trigrams with its first two characters.
            for (offset, byte) in (0..).zip(run.iter().take(2)) {
                self.add_joint(joint.push((*byte).into()), rune + offset);
            }
            if let [.., last_but_one, last] = *run {
                self.ascii.push_all(rune, ascii_lists_of(run));
                joint.skip_to(last_but_one.into(), last.into());
            }
            rune += run.len() as u32;
            rest = &rest[run.len()..];
            while rest.first().is_some_and(|byte| *byte >= 0x80) {
                let (wide, len) = decode_rune(rest);
                self.add_joint(joint.push(wide), rune);
                rune += 1;
                rest = &rest[len..];
            }
        }
    }

    /// Adds a text of a small corpus, whose trigrams get lists as they come, whatever their characters: the table of
    /// all ASCII trigrams takes longer to look through than some megabytes of names.
    fn add_small(&mut self, text: &[u8], rune: u32) {
        let mut trigram = [0; 3];
        for (position, (_, next)) in (rune..).zip(runes(text)) {
            trigram = [trigram[1], trigram[2], next];
            if position - rune >= 2 {
                self.add_wide(ngram(trigram), position - 2);
            }
        }
    }

    fn add_wide(&mut self, number: u64, position: u32) {
        let list = *self.wide_lists.entry(number).or_insert_with(|| self.wide.add_list());
        self.wide.push(list, position);
    }

    /// Adds a trigram that ends with rune number `last`, unless it lies in a run of ASCII: that has its own way.
    fn add_joint(&mut self, trigram: Option<[u32; 3]>, last: u32) {
        let Some(runes) = trigram else { return };
        let number = ngram(runes);
        if !self.window.holds(number) {
            return;
        }
        self.add_wide(number, last - 2);
    }
}

fn ascii_lists(window: Window) -> (u32, usize) {
    let count = (window.after - window.first) * PAIR_LIST_COUNT;
    (window.first * PAIR_LIST_COUNT, count as usize)
}

/// The last two runes, where they form trigrams with the next one.
#[derive(Default)]
struct Joint {
    runes: [u32; 2],
    count: u8,
}

impl Joint {
    /// The trigram that `rune` completes, if it holds another rune than ASCII.
    fn push(&mut self, rune: u32) -> Option<[u32; 3]> {
        let [first, second] = self.runes;
        self.runes = [second, rune];
        if self.count < 2 {
            self.count += 1;
            return None;
        }
        (first | second | rune >= 0x80).then_some([first, second, rune])
    }

    fn skip_to(&mut self, last_but_one: u32, last: u32) {
        self.runes = [last_but_one, last];
        self.count = 2;
    }
}

/// A trigram of several stretches, and how many bytes its list has once they are joined.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The trigram: three characters of 21 bits.
    pub ngram: u64,
    /// Bytes of its list.
    pub len: u32,
}

/// The stretches of a corpus, one after the other.
pub struct Joined<'g> {
    stretches: &'g [Grams],
}

impl<'g> Joined<'g> {
    /// `stretches` in the order of their positions, all over the same window.
    pub fn new(stretches: &'g [Grams]) -> Self {
        Joined { stretches }
    }

    /// All trigrams, increasing.
    pub fn entries(&self) -> Vec<Entry> {
        let Some(first) = self.stretches.first() else { return Vec::new() };
        let mut wide: Vec<u64> = Vec::new();
        self.stretches.iter().for_each(|stretch| wide.extend(stretch.wide_lists.keys()));
        wide.sort_unstable();
        wide.dedup();
        let mut wide = wide.into_iter().peekable();
        let mut entries = Vec::new();
        for list in first.ascii.lists() {
            if self.stretches.iter().all(|stretch| stretch.ascii.len(list) == 0) {
                continue;
            }
            let number = ascii_ngram(list);
            while let Some(ngram) = wide.next_if(|ngram| *ngram < number) {
                entries.push(self.entry(ngram));
            }
            entries.push(self.entry(number));
        }
        entries.extend(wide.map(|ngram| self.entry(ngram)));
        entries
    }

    fn entry(&self, ngram: u64) -> Entry {
        let len = self.parts(ngram).map(|part| part.head_len() + part.rest_len()).sum();
        Entry { ngram, len }
    }

    /// Appends the list of a trigram to `out`.
    pub fn gather(&self, ngram: u64, out: &mut Vec<u8>) {
        for part in self.parts(ngram) {
            if part.before.is_some() {
                push_varint(part.distance(), out);
            }
            part.lists.gather(part.list, part.cut(), out);
        }
    }

    /// The parts of a trigram's list, one a stretch that has any.
    fn parts(&self, ngram: u64) -> impl Iterator<Item = Part<'g>> {
        let in_table = |list: &u32| self.stretches[0].ascii.lists().contains(list);
        let ascii = ascii_list_of(ngram).filter(in_table);
        let mut before = None;
        self.stretches.iter().filter_map(move |stretch| {
            let (lists, list) = match ascii {
                Some(list) => (&stretch.ascii, list),
                None => (&stretch.wide, *stretch.wide_lists.get(&ngram)?),
            };
            if lists.len(list) == 0 {
                return None;
            }
            let part = Part { lists, list, before };
            before = Some(lists.last(list));
            Some(part)
        })
    }
}

/// The list of a trigram that has only ASCII characters.
fn ascii_list_of(ngram: u64) -> Option<u32> {
    let runes = manicule_format_zoekt::ngram_runes(ngram);
    let is_ascii = runes.iter().all(|rune| *rune < 0x80);
    is_ascii.then(|| runes[0] << 14 | runes[1] << 7 | runes[2])
}

/// One stretch's part of a list, and the last position before it.
struct Part<'g> {
    lists: &'g Positions,
    list: u32,
    before: Option<u32>,
}

impl Part<'_> {
    /// The distance of its first position from the last one before it.
    fn distance(&self) -> u32 {
        self.lists.first(self.list) - self.before.unwrap_or(0)
    }

    /// Number of bytes of the part that give way to the new distance.
    fn cut(&self) -> usize {
        if self.before.is_some() { varint_len(self.lists.first(self.list)) } else { 0 }
    }

    fn head_len(&self) -> u32 {
        if self.before.is_some() { varint_len(self.distance()) as u32 } else { 0 }
    }

    fn rest_len(&self) -> u32 {
        self.lists.len(self.list) - self.cut() as u32
    }
}

fn varint_len(number: u32) -> usize {
    (32 - (number | 1).leading_zeros()).div_ceil(7) as usize
}

fn push_varint(mut number: u32, out: &mut Vec<u8>) {
    while number >= 0x80 {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

/// How often each pair of ASCII characters begins a trigram, and how many distinct trigrams there are: what windows
/// are planned by. The last count is that of all other trigrams.
pub(super) struct Census {
    pub(super) pairs: Vec<u32>,
    ascii_seen: Vec<u64>,
    wide_seen: ByNgram<()>,
}

impl Census {
    pub(super) fn new() -> Self {
        Census {
            pairs: vec![0; PAIR_COUNT as usize + 1],
            ascii_seen: vec![0; ASCII_LIST_COUNT as usize / 64],
            wide_seen: HashMap::default(),
        }
    }

    /// Counts the trigrams of a text.
    pub(super) fn add(&mut self, text: &[u8]) {
        let mut runes = manicule_format_zoekt::runes(text).map(|(_, rune)| rune);
        let (Some(mut first), Some(mut second)) = (runes.next(), runes.next()) else { return };
        for third in runes {
            if first | second | third < 0x80 {
                let list = first << 14 | second << 7 | third;
                self.ascii_seen[list as usize / 64] |= 1 << (list % 64);
                self.pairs[(list / PAIR_LIST_COUNT) as usize] += 1;
            } else {
                // With two ASCII characters in front it falls into the window of their pair.
                let ngram = ngram([first, second, third]);
                let pair = if first | second < 0x80 { first << 7 | second } else { PAIR_COUNT };
                self.pairs[pair as usize] += 1;
                self.wide_seen.insert(ngram, ());
            }
            (first, second) = (second, third);
        }
    }

    /// Number of distinct trigrams.
    pub(super) fn distinct(&self) -> usize {
        let ascii: u32 = self.ascii_seen.iter().map(|word| word.count_ones()).sum();
        ascii as usize + self.wide_seen.len()
    }

    /// Windows of at most `count_max` positions each, unless a single pair has more, and of at most `pair_max` pairs.
    pub(super) fn windows(&self, count_max: u64, pair_max: u32) -> Vec<Window> {
        let mut windows = Vec::new();
        let (mut first, mut count) = (0, 0u64);
        for pair in 0..PAIR_COUNT {
            let more = u64::from(self.pairs[pair as usize]);
            if (count + more > count_max && count > 0) || pair - first == pair_max {
                windows.push(Window { first, after: pair });
                (first, count) = (pair, 0);
            }
            count += more;
        }
        windows.push(Window { first, after: PAIR_COUNT });
        windows
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use manicule_testkit::Rng;

    use super::*;

    /// The plainest lists: every window of three runes into a map.
    fn plain(texts: &[Vec<u8>]) -> BTreeMap<u64, Vec<u8>> {
        let mut lists: BTreeMap<u64, (Vec<u8>, u32)> = BTreeMap::new();
        let mut start = 0;
        for text in texts {
            let runes: Vec<u32> = runes(text).map(|(_, rune)| rune).collect();
            for (at, window) in (start..).zip(runes.windows(3)) {
                let number = ngram([window[0], window[1], window[2]]);
                let (bytes, last) = lists.entry(number).or_default();
                push_varint(at - *last, bytes);
                *last = at;
            }
            start += runes.len() as u32;
        }
        lists.into_iter().map(|(ngram, (bytes, _))| (ngram, bytes)).collect()
    }

    /// Text of few characters, so that lists grow long, with wide and broken ones strewn in.
    fn text(rng: &mut Rng) -> Vec<u8> {
        let letters: [&[u8]; 12] = [
            b"a",
            b"b",
            b"a",
            b"\t",
            b"\n",
            b"ab",
            b"aaaa",
            "é".as_bytes(),
            "日本".as_bytes(),
            b"\xff",
            b"\xe6\x97",
            "𝄞".as_bytes(),
        ];
        let kinds = if rng.below(2) == 0 { 7 } else { letters.len() };
        let len = rng.below(200);
        (0..len).flat_map(|_| letters[rng.below(kinds)]).copied().collect()
    }

    /// All lists, built over the given windows and stretches.
    fn built(texts: &[Vec<u8>], windows: &[Window], cuts: &[usize]) -> BTreeMap<u64, Vec<u8>> {
        let mut lists = BTreeMap::new();
        let mut stretches: Vec<Grams> =
            (0..=cuts.len()).map(|_| Grams::new(windows[0], Vec::new())).collect();
        for window in windows {
            stretches.iter_mut().for_each(|stretch| stretch.reset(*window));
            let mut start = 0;
            for (index, text) in texts.iter().enumerate() {
                let stretch = cuts.iter().filter(|cut| index >= **cut).count();
                stretches[stretch].add(text, start);
                start += runes(text).count() as u32;
            }
            let joined = Joined::new(&stretches);
            for Entry { ngram, len } in joined.entries() {
                let mut bytes = Vec::new();
                joined.gather(ngram, &mut bytes);
                assert_eq!(bytes.len(), len as usize);
                assert!(lists.insert(ngram, bytes).is_none(), "{ngram} is in two windows");
            }
        }
        lists
    }

    #[test]
    fn windows_and_stretches_leave_no_trace() {
        for seed in 0..24 {
            let mut rng = Rng::new(seed);
            let texts: Vec<Vec<u8>> = (0..rng.below(30)).map(|_| text(&mut rng)).collect();
            let want = plain(&texts);
            let mut census = Census::new();
            texts.iter().for_each(|text| census.add(text));
            assert_eq!(census.distinct(), want.len(), "seed {seed}");
            for (count_max, cuts) in
                [(u64::MAX, vec![]), (u64::MAX, vec![5]), (500, vec![1, 9]), (40, vec![0, 7, 7])]
            {
                let windows =
                    census.windows(count_max, if count_max == 40 { 900 } else { PAIR_COUNT });
                assert!(count_max > 40 || texts.len() < 5 || windows.len() > 1 || want.len() < 2);
                assert!(
                    built(&texts, &windows, &cuts) == want,
                    "seed {seed}, {count_max}, {cuts:?}"
                );
            }
        }
    }

    #[test]
    fn a_small_corpus_has_the_same_lists() {
        let mut rng = Rng::new(7);
        let texts: Vec<Vec<u8>> = (0..50).map(|_| text(&mut rng)).collect();
        let mut grams = [Grams::new(Window::AS_THEY_COME, Vec::new())];
        let mut start = 0;
        for text in &texts {
            grams[0].add(text, start);
            start += runes(text).count() as u32;
        }
        let joined = Joined::new(&grams);
        let mut got = BTreeMap::new();
        for Entry { ngram, .. } in joined.entries() {
            let mut bytes = Vec::new();
            joined.gather(ngram, &mut bytes);
            got.insert(ngram, bytes);
        }
        assert!(got == plain(&texts));
    }

    #[test]
    fn a_window_holds_its_pairs_and_the_last_everything_behind() {
        let window = Window { first: 0x61 << 7, after: 0x62 << 7 };
        assert!(window.holds(ngram([0x61, 0, 0])) && window.holds(ngram([0x61, 0x7f, 0x20ac])));
        assert!(window.holds(ngram([0x61, 0x20ac, 0x61])) && !window.holds(ngram([0x62, 0, 0])));
        assert!(Window::ALL.holds(ngram([0x10_ffff; 3])));
    }
}
