//! Windows of trigrams: pairs of ASCII lists that are built together, cut so that memory suffices.

use manicule_format_zoekt::ngram;

use super::super::mix::MixMap;

/// Lists of trigrams of ASCII characters: seven bits each.
const ASCII_LIST_COUNT: u32 = 1 << 21;

/// The lists of trigrams that begin with the same two characters.
pub(super) const PAIR_LIST_COUNT: u32 = 1 << 7;
/// The bytes of states that a builder has for each pair of its window.
pub(super) const PAIR_STATES_LEN: u64 = PAIR_LIST_COUNT as u64 * 24;
/// Number of pairs of ASCII characters.
pub(super) const PAIR_COUNT: u32 = ASCII_LIST_COUNT / PAIR_LIST_COUNT;

pub(super) type ByNgram<V> = MixMap<u64, V>;

/// Trigrams that a builder takes: those that begin with one of these pairs of ASCII characters, in
/// their order. The last window also takes everything after the last pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Window {
    pub(super) first: u32,
    pub(super) after: u32,
}

impl Window {
    /// All trigrams.
    pub const ALL: Window = Window { first: 0, after: PAIR_COUNT };
    /// No table of ASCII trigrams: all of them get lists as they come. For small corpora, as names
    /// are.
    pub(super) const AS_THEY_COME: Window = Window { first: 0, after: 0 };

    /// Whether a trigram belongs to it.
    pub(super) fn holds(self, ngram: u64) -> bool {
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
pub(super) fn ascii_lists_of(run: &[u8]) -> impl Iterator<Item = u32> {
    let (head, rest) = run.split_at(run.len().min(2));
    let mut list = head.iter().fold(0, |list, byte| list << 7 | u32::from(*byte));
    rest.iter().map(move |byte| {
        list = (list << 7 | u32::from(*byte)) % ASCII_LIST_COUNT;
        list
    })
}

/// The trigram of such a list.
pub(super) fn ascii_ngram(list: u32) -> u64 {
    ngram([list >> 14, list >> 7 & 0x7f, list & 0x7f])
}

/// Count of trigrams that begin with each pair of ASCII characters, and of distinct trigrams: what
/// windows are planned by. The last count is that of all other trigrams.
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
            wide_seen: ByNgram::default(),
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

    /// Windows of at most `count_max` positions each, unless a single pair has more, and of at most
    /// `pair_max` pairs.
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
