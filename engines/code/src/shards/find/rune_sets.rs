//! Sets of bytes read as runes, of which three in a row are a trigram.

use manicule_core::pattern::ByteSet;
use manicule_format_zoekt::decode_rune;

/// Maximum number of trigrams that a window of three sets may stand for; `[0-9]{3}` makes a
/// thousand.
pub(super) const WINDOW_GRAMS_MAX: usize = 128;

/// Maximum number of runes of a sequence that are looked up; of longer ones these say enough.
const RUNES_MAX: usize = 96;

/// A part of a sequence whose bytes are known to be whole runes: which runes may stand at each
/// place.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Part {
    /// Its offset in the sequence.
    pub(super) byte_at: usize,
    pub(super) runes: Vec<Vec<u32>>,
    /// Offset of each rune in the part.
    pub(super) offsets: Vec<usize>,
}

/// Reads sets of bytes as runes. What may be a piece of a rune, or runes of several lengths, parts
/// what is before it from what comes after.
pub(super) fn rune_sets(sets: &[ByteSet]) -> Vec<Part> {
    let mut parts: Vec<Part> = Vec::new();
    let (mut at, mut is_open, mut count) = (0, false, 0);
    while at < sets.len() && count < RUNES_MAX {
        let Some((runes, len)) = rune_set(&sets[at..]) else {
            is_open = false;
            at += 1;
            continue;
        };
        if !is_open {
            parts.push(Part { byte_at: at, runes: Vec::new(), offsets: Vec::new() });
            is_open = true;
        }
        let part = parts.last_mut().expect("one is open");
        part.offsets.push(at - part.byte_at);
        part.runes.push(runes);
        count += 1;
        at += len;
    }
    parts
}

/// The runes that the first sets spell, if they spell whole runes of one length, and that length.
fn rune_set(sets: &[ByteSet]) -> Option<(Vec<u32>, usize)> {
    let first = sets[0];
    if first.high_count() == 0 {
        return (!first.is_empty()).then(|| (first.iter().map(u32::from).collect(), 1));
    }
    let len = [(0xc2, 0xdf), (0xe0, 0xef), (0xf0, 0xf4)]
        .iter()
        .position(|(low, high)| first.is_subset(ByteSet::range(*low, *high)))?
        + 2;
    let sets = sets.get(..len)?;
    if sets.iter().map(|set| set.len()).product::<usize>() > WINDOW_GRAMS_MAX {
        return None;
    }
    let mut spelled: Vec<Vec<u8>> = vec![Vec::new()];
    for set in sets {
        let longer = spelled
            .iter()
            .flat_map(|text| set.iter().map(move |byte| [text.as_slice(), &[byte]].concat()));
        spelled = longer.collect();
    }
    let rune = |text: &Vec<u8>| {
        let (rune, rune_len) = decode_rune(text);
        (rune_len == len).then_some(rune)
    };
    let runes = spelled.iter().map(rune).collect::<Option<Vec<u32>>>()?;
    (!runes.is_empty()).then_some((runes, len))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sets(text: &str) -> Vec<ByteSet> {
        text.bytes().map(ByteSet::one).collect()
    }

    fn check(sets: &[ByteSet], want: &[(usize, &[&[u32]])]) {
        let got = rune_sets(sets);
        let got: Vec<(usize, Vec<Vec<u32>>)> =
            got.into_iter().map(|part| (part.byte_at, part.runes)).collect();
        let want: Vec<(usize, Vec<Vec<u32>>)> = want
            .iter()
            .map(|(at, runes)| (*at, runes.iter().map(|runes| runes.to_vec()).collect()))
            .collect();
        assert_eq!(got, want);
    }

    #[test]
    fn plain_text_is_its_runes() {
        check(&sets("aé日"), &[(0, &[&[0x61], &[0xe9], &[0x65e5]])]);
    }

    #[test]
    fn sets_multiply_within_a_rune() {
        let both = [ByteSet::one(0xc3), ByteSet::range(0x9c, 0x9c).union(ByteSet::one(0xbc))];
        check(&both, &[(0, &[&[0xdc, 0xfc]])]);
    }

    #[test]
    fn pieces_of_runes_part_what_is_around() {
        let mut cut = sets("ab");
        cut.push(ByteSet::one(0xe6));
        cut.extend(sets("cd"));
        check(&cut, &[(0, &[&[0x61], &[0x62]]), (3, &[&[0x63], &[0x64]])]);
        cut[2] = ByteSet::range(0x60, 0xff);
        check(&cut, &[(0, &[&[0x61], &[0x62]]), (3, &[&[0x63], &[0x64]])]);
        check(&[ByteSet::one(0x80), ByteSet::one(b'a')], &[(1, &[&[0x61]])]);
        // A surrogate is three bad bytes.
        check(&[ByteSet::one(0xed), ByteSet::one(0xa0), ByteSet::one(0x80)], &[]);
    }
}
