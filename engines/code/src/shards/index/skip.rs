//! Documents that are stored without their content, and why.
//!
//! Bytes:   docs/formats/zoekt.md, "From a folder to documents"

use manicule_format_zoekt::{Skip, first_rune};

use super::super::mix::MixSet;
use super::large_files::Allowance;

/// A trigram has three characters: a shorter content has none.
const TRIGRAM_LEN: usize = 3;

/// Limits of a document that is stored with its content.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Bytes. zoekt-index: 2 MiB.
    pub size_max: u64,
    /// Distinct trigrams. zoekt-index: 20,000.
    pub trigrams_max: usize,
}

impl Limits {
    /// Maximum number of bytes of a document worth reading: what is longer is skipped for its
    /// length.
    pub fn read_max(&self, allowance: Allowance) -> u64 {
        match allowance {
            Allowance::Plain => self.size_max,
            Allowance::Large => u64::MAX,
        }
    }

    /// Reason that a document isn't worth reading: it is too long. Ask again after reading, it may
    /// have grown.
    pub fn skip_unread(&self, len: u64, allowance: Allowance) -> Option<Skip> {
        (len > self.read_max(allowance)).then_some(Skip::TooLarge)
    }

    /// Reason that a document's content isn't worth storing, or `None` if it is. The first reason
    /// that applies.
    pub fn skip(
        &self,
        content: &[u8],
        allowance: Allowance,
        counter: &mut TrigramCounter,
    ) -> Option<Skip> {
        if let Some(skip) = self.skip_unread(content.len() as u64, allowance) {
            return Some(skip);
        }
        match content.len() {
            0 => return None,
            1..TRIGRAM_LEN => return Some(Skip::TooSmall),
            _ => {}
        }
        if memchr::memchr(0, content).is_some() {
            return Some(Skip::Binary);
        }
        // A position begins one trigram at most.
        let position_count = content.len() - (TRIGRAM_LEN - 1);
        if position_count <= self.trigrams_max || allowance == Allowance::Large {
            return None;
        }
        counter.passes(content, self.trigrams_max).then_some(Skip::TooManyTrigrams)
    }
}

const ASCII_BITS: u32 = 7;
/// Trigrams of ASCII characters have 21 bits: a bit each in 256 KiB, which stay in the second-level
/// cache.
const ASCII_TRIGRAMS: usize = 1 << (3 * ASCII_BITS);
const ASCII_MASK: u32 = ASCII_TRIGRAMS as u32 - 1;
const ASCII_WORDS: usize = ASCII_TRIGRAMS / 64;
/// The words of trigrams that begin with NUL.
const NUL_WORDS: usize = (1 << (2 * ASCII_BITS)) / 64;
/// Number of bytes looked at before the count is asked whether it is decided.
const RUN_LEN_MAX: usize = 1024;

/// The ASCII characters at the front of `bytes`, `RUN_LEN_MAX` at most, and what follows.
fn ascii_run(bytes: &[u8]) -> (&[u8], &[u8]) {
    let run = &bytes[..bytes.len().min(RUN_LEN_MAX)];
    let len = if run.is_ascii() {
        run.len()
    } else {
        run.iter().position(|byte| !byte.is_ascii()).unwrap_or(run.len())
    };
    bytes.split_at(len)
}

/// Counts distinct trigrams. Reused from document to document.
#[derive(Debug)]
pub struct TrigramCounter {
    /// A bit for each trigram of ASCII characters. Those that begin with NUL are always set: they
    /// don't count.
    seen: Box<[u64; ASCII_WORDS]>,
    /// Trigrams with other characters.
    others: MixSet<u64>,
    count: usize,
}

impl Default for TrigramCounter {
    fn default() -> Self {
        let mut seen = Box::new([0; ASCII_WORDS]);
        seen[..NUL_WORDS].fill(u64::MAX);
        TrigramCounter { seen, others: MixSet::default(), count: 0 }
    }
}

impl TrigramCounter {
    /// Whether `content` has more than `count_max` distinct trigrams. As the peer counts: those
    /// that begin with NUL are left out.
    pub fn passes(&mut self, content: &[u8], count_max: usize) -> bool {
        self.clear();
        let mut rest = content;
        let mut window = [0; TRIGRAM_LEN];
        // Each byte that is left adds one at most: the end of a file is seldom worth looking at.
        while self.count <= count_max && self.count + rest.len() > count_max {
            if window[1] < 0x80 && window[2] < 0x80 {
                let (run, after) = ascii_run(rest);
                window = self.ascii(run, window);
                rest = after;
                if !run.is_empty() {
                    continue;
                }
            }
            // What isn't ASCII, and the two characters after it, whose trigrams hold it.
            let Some((rune, len)) = first_rune(rest) else { break };
            rest = &rest[len..];
            window = [window[1], window[2], rune];
            self.add(window);
        }
        self.count > count_max
    }

    fn clear(&mut self) {
        // Some 10 us. A list of the words that aren't 0 takes a branch for each new trigram, which
        // is foretold badly: 1.7x the time in all on Linux's long files, 1.3x on kubernetes'.
        self.seen[NUL_WORDS..].fill(0);
        self.others.clear();
        self.count = 0;
    }

    /// Notes a run of ASCII characters after `window`, whose last two are ASCII too; the window
    /// after it.
    #[inline]
    fn ascii(&mut self, run: &[u8], window: [u32; 3]) -> [u32; 3] {
        let mut count = self.count;
        let mut key = window[0] << (2 * ASCII_BITS) | window[1] << ASCII_BITS | window[2];
        for &byte in run {
            key = (key << ASCII_BITS | u32::from(byte)) & ASCII_MASK;
            count += note(&mut self.seen[(key / 64) as usize], key % 64);
        }
        self.count = count;
        let character = |place: u32| key >> (place * ASCII_BITS) & 0x7f;
        [character(2), character(1), character(0)]
    }

    fn add(&mut self, [first, second, third]: [u32; 3]) {
        if (first | second | third) < 0x80 {
            let key = first << (2 * ASCII_BITS) | second << ASCII_BITS | third;
            self.count += note(&mut self.seen[(key / 64) as usize], key % 64);
        } else if first != 0 {
            let key = u64::from(first) << 42 | u64::from(second) << 21 | u64::from(third);
            self.count += usize::from(self.others.insert(key));
        }
    }
}

/// Sets a bit; 1 if it wasn't set.
#[inline]
fn note(word: &mut u64, bit: u32) -> usize {
    let is_new = !*word >> bit & 1;
    *word |= 1 << bit;
    is_new as usize
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;
    use manicule_testkit::Rng;

    /// The plainest count: every window of three characters into a set.
    fn slow_count(content: &[u8]) -> usize {
        let (mut runes, mut rest) = (Vec::new(), content);
        while let Some((rune, len)) = first_rune(rest) {
            runes.push(rune);
            rest = &rest[len..];
        }
        let windows: HashSet<&[u32]> = runes.windows(3).filter(|window| window[0] != 0).collect();
        windows.len()
    }

    fn check_count(content: &[u8], want: usize) {
        let mut counter = TrigramCounter::default();
        assert_eq!(slow_count(content), want, "slow, {content:x?}");
        for count_max in 0..want + 3 {
            let passes = counter.passes(content, count_max);
            assert_eq!(passes, want > count_max, "more than {count_max}, {content:x?}");
        }
    }

    #[test]
    fn fewer_than_three_characters_have_none() {
        check_count(b"", 0);
        check_count(b"ab", 0);
        check_count("äö".as_bytes(), 0);
    }

    #[test]
    fn each_is_counted_once() {
        check_count(b"abcabcabc", 3);
        check_count(b"aaaaaaaa", 1);
        check_count("äöüäöüä".as_bytes(), 3);
    }

    #[test]
    fn ascii_and_others_mix() {
        check_count("abcäabcäabc".as_bytes(), 4);
        check_count("aäbcd".as_bytes(), 3);
    }

    #[test]
    fn a_byte_that_begins_nothing_is_a_character() {
        check_count(b"\xff\xff\xff\xff", 1);
        check_count(b"ab\xe2\x82", 2);
        check_count(b"\xe2\x82\xac\xe2\x82a", 2);
    }

    #[test]
    fn those_that_begin_with_nul_are_left_out() {
        check_count(b"\0ab\0ab", 2);
        check_count("\0\0äb".as_bytes(), 0);
    }

    #[test]
    fn fast_count_equals_slow_count() {
        let mut counter = TrigramCounter::default();
        for seed in 0..400 {
            let mut rng = Rng::new(seed);
            let alphabet: &[&[u8]] =
                &[b"a", b"b", b"c", b"\0", "ä".as_bytes(), "漢".as_bytes(), b"\xff", b"\xe2\x82"];
            let kinds = rng.below(alphabet.len()) + 1;
            let content: Vec<u8> = (0..rng.below(300))
                .flat_map(|_| alphabet[rng.below(kinds)].iter().copied())
                .collect();
            let slow = slow_count(&content);
            for count_max in [slow.saturating_sub(1), slow, slow / 2] {
                let fast = counter.passes(&content, count_max);
                assert_eq!(fast, slow > count_max, "seed {seed}");
            }
        }
    }

    const LIMITS: Limits = Limits { size_max: 1000, trigrams_max: 20 };

    fn check(content: &[u8], allowance: Allowance, want: Option<Skip>) {
        let skip = LIMITS.skip(content, allowance, &mut TrigramCounter::default());
        assert_eq!(skip, want, "{content:x?}");
    }

    /// `len` bytes with as many trigrams as fit.
    fn various(len: u8) -> Vec<u8> {
        (0..len).map(|at| at + 1).collect()
    }

    #[test]
    fn nothing_at_all_is_stored_and_almost_nothing_is_not() {
        check(b"", Allowance::Plain, None);
        check(b"a", Allowance::Plain, Some(Skip::TooSmall));
        check(b"\0\0", Allowance::Large, Some(Skip::TooSmall));
        check(b"abc", Allowance::Plain, None);
    }

    #[test]
    fn a_nul_anywhere_is_binary() {
        check(b"abc\0", Allowance::Plain, Some(Skip::Binary));
        check(b"abc\0", Allowance::Large, Some(Skip::Binary));
    }

    #[test]
    fn size_is_judged_first_and_may_be_allowed() {
        check(&[0; 1001], Allowance::Plain, Some(Skip::TooLarge));
        check(&[0; 1001], Allowance::Large, Some(Skip::Binary));
        check(&[b'a'; 1000], Allowance::Plain, None);
        check(&[b'a'; 1001], Allowance::Large, None);
    }

    #[test]
    fn trigrams_are_counted_where_they_may_be_too_many() {
        check(&various(22), Allowance::Plain, None);
        check(&various(23), Allowance::Plain, Some(Skip::TooManyTrigrams));
        check(&various(23), Allowance::Large, None);
        check(&various(20).repeat(2), Allowance::Plain, None);
    }
}
