//! The trigrams of a corpus and where each stands: posting construction.
//!
//! Trigrams of three ASCII characters are numbered as they sort, two million lists of which most
//! stay empty; the few others get a list as they come. Text is taken in runs of ASCII, in which a
//! trigram is three bytes.
//!
//! A builder may hold a *window* of all trigrams only, for corpora whose lists would not fit into
//! memory at once. Several builders, each over a stretch of the texts, are joined list by list
//! ([`Joined`]): the first distance of a stretch counts from 0 and is written again, from the last
//! position of the stretch before.
//!
//! Bytes:   docs/formats/zoekt.md, section *Trigrams and postings*

use std::collections::HashMap;

use manicule_core::postings::Positions;
use manicule_format_zoekt::{ascii_len, decode_rune, ngram, runes};

use super::windows::{ByNgram, PAIR_LIST_COUNT, Window, ascii_lists_of};

/// Bytes of a posting while it is built, about: 1.7 stored, and what blocks leave free.
const POSTING_BYTES: u64 = 5;
const POSTINGS: u64 = 2;

/// The trigrams of a stretch of texts, and where each stands.
pub struct Grams {
    window: Window,
    pub(super) ascii: Positions,
    pub(super) wide: Positions,
    pub(super) wide_lists: ByNgram<u32>,
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

    /// Length of an arena for a number of positions, about: it grows where that is too few, which
    /// leaves holes.
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

    /// Adds a text of a small corpus, whose trigrams get lists as they come, whatever their
    /// characters: the table of all ASCII trigrams takes longer to look through than some megabytes
    /// of names.
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

    /// Adds a trigram that ends with rune number `last`, unless it lies in a run of ASCII: that has
    /// its own way.
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

#[cfg(test)]
mod tests {
    use manicule_core::bytes::put_uvarint;
    use std::collections::BTreeMap;

    use manicule_testkit::Rng;

    use super::super::joined::{Entry, Joined};
    use super::super::windows::{Census, PAIR_COUNT};
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
                put_uvarint((at - *last).into(), bytes);
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
