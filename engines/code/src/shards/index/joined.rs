//! Posting lists of several stretches joined into those of the shard.

use manicule_core::bytes::{put_uvarint, uvarint_len};
use manicule_core::postings::Positions;

use super::grams::Grams;
use super::windows::ascii_ngram;

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
                put_uvarint(part.distance().into(), out);
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
        if self.before.is_some() { uvarint_len(self.lists.first(self.list).into()) } else { 0 }
    }

    fn head_len(&self) -> u32 {
        if self.before.is_some() { uvarint_len(self.distance().into()) as u32 } else { 0 }
    }

    fn rest_len(&self) -> u32 {
        self.lists.len(self.list) - self.cut() as u32
    }
}
