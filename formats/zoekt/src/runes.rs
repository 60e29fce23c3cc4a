//! Text as Go reads it: a byte that begins no valid rune is U+FFFD of one byte.
//!
//! That differs from what Rust's lossy conversions do: they replace a cut sequence of three bytes
//! by one U+FFFD, Go by two. Positions in a shard count runes by this rule.
//!
//! Bytes:   docs/formats/zoekt.md, section *Runes*

use std::borrow::Cow;

/// Replacement rune of a byte that is no part of a valid rune.
pub const RUNE_ERROR: u32 = 0xfffd;

/// Number of bits of one rune in a trigram.
pub(crate) const RUNE_BITS: u32 = 21;

/// The first rune of `bytes`, and how many bytes it takes.
///
/// # Panics
/// If `bytes` is empty.
#[inline]
pub fn decode_rune(bytes: &[u8]) -> (u32, usize) {
    match bytes[0] {
        first if first < 0x80 => (first.into(), 1),
        _ => decode_wide(bytes),
    }
}

fn decode_wide(bytes: &[u8]) -> (u32, usize) {
    let tail = |at: usize, low: u8, high: u8| -> Option<u32> {
        let byte = *bytes.get(at)?;
        (low..=high).contains(&byte).then_some(u32::from(byte & 0x3f))
    };
    let first = u32::from(bytes[0]);
    let wide = || match bytes[0] {
        0xc2..=0xdf => Some(((first & 0x1f) << 6 | tail(1, 0x80, 0xbf)?, 2)),
        0xe0..=0xef => {
            // No longer form than needed, no surrogates.
            let low = if first == 0xe0 { 0xa0 } else { 0x80 };
            let high = if first == 0xed { 0x9f } else { 0xbf };
            let two = (first & 0xf) << 12 | tail(1, low, high)? << 6;
            Some((two | tail(2, 0x80, 0xbf)?, 3))
        }
        0xf0..=0xf4 => {
            let low = if first == 0xf0 { 0x90 } else { 0x80 };
            let high = if first == 0xf4 { 0x8f } else { 0xbf };
            let two = (first & 7) << 18 | tail(1, low, high)? << 12;
            Some((two | tail(2, 0x80, 0xbf)? << 6 | tail(3, 0x80, 0xbf)?, 4))
        }
        _ => None,
    };
    wide().unwrap_or((RUNE_ERROR, 1))
}

/// The first rune of `bytes`, and how many bytes it takes; `None` if there is none.
#[inline]
pub fn first_rune(bytes: &[u8]) -> Option<(u32, usize)> {
    if bytes.is_empty() { None } else { Some(decode_rune(bytes)) }
}

/// The runes of `bytes`, each with the offset where it begins.
pub fn runes(bytes: &[u8]) -> impl Iterator<Item = (usize, u32)> + '_ {
    let mut at = 0;
    std::iter::from_fn(move || {
        let rest = bytes.get(at..).filter(|rest| !rest.is_empty())?;
        let (rune, len) = decode_rune(rest);
        let start = at;
        at += len;
        Some((start, rune))
    })
}

/// The text with U+FFFD for each byte that is no part of a valid rune; itself if there is none.
pub fn as_valid_utf8(bytes: &[u8]) -> Cow<'_, [u8]> {
    // Cutting it into chunks takes ten times as long.
    if str::from_utf8(bytes).is_ok() {
        return Cow::Borrowed(bytes);
    }
    let mut text = Vec::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        text.extend_from_slice(chunk.valid().as_bytes());
        // A sequence that is cut off is one chunk, and a rune for each of its bytes.
        chunk.invalid().iter().for_each(|_| text.extend_from_slice("\u{fffd}".as_bytes()));
    }
    Cow::Owned(text)
}

/// Number of runes.
pub fn rune_count(bytes: &[u8]) -> usize {
    let mut count = 0;
    let mut rest = bytes;
    while !rest.is_empty() {
        let ascii_len = ascii_len(rest);
        count += ascii_len;
        rest = &rest[ascii_len..];
        while rest.first().is_some_and(|byte| *byte >= 0x80) {
            rest = &rest[decode_rune(rest).1..];
            count += 1;
        }
    }
    count
}

/// Number of bytes at the front that are below 0x80.
#[inline]
pub fn ascii_len(bytes: &[u8]) -> usize {
    const HIGH: u64 = 0x8080_8080_8080_8080;
    /// Number of bytes that are looked at together: compilers make vectors of them.
    const STEP: usize = 64;
    let is_ascii = |step: &&[u8; STEP]| {
        let words = step.as_chunks().0.iter().map(|word| u64::from_le_bytes(*word));
        words.fold(0, |all, word| all | word) & HIGH == 0
    };
    let at = bytes.as_chunks::<STEP>().0.iter().take_while(is_ascii).count() * STEP;
    let rest = &bytes[at..];
    for (index, word) in rest.as_chunks::<8>().0.iter().enumerate() {
        let high = u64::from_le_bytes(*word) & HIGH;
        if high != 0 {
            return at + index * 8 + high.trailing_zeros() as usize / 8;
        }
    }
    let at = at + rest.len() / 8 * 8;
    at + bytes[at..].iter().take_while(|byte| **byte < 0x80).count()
}

/// The number of a trigram of three runes.
pub fn ngram(runes: [u32; 3]) -> u64 {
    u64::from(runes[0]) << (2 * RUNE_BITS) | u64::from(runes[1]) << RUNE_BITS | u64::from(runes[2])
}

/// The three runes of a trigram's number. Of a number that is none, the first may be larger than
/// any rune.
pub fn ngram_runes(ngram: u64) -> [u32; 3] {
    const MASK: u64 = (1 << RUNE_BITS) - 1;
    let part = |shift: u32| (ngram >> shift & MASK) as u32;
    [(ngram >> (2 * RUNE_BITS)).min(u32::MAX.into()) as u32, part(RUNE_BITS), part(0)]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(bytes: &[u8], want: &[u32]) {
        let got: Vec<u32> = runes(bytes).map(|(_, rune)| rune).collect();
        assert_eq!(got, want, "{bytes:x?}");
        assert_eq!(rune_count(bytes), want.len());
    }

    #[test]
    fn valid_text_is_its_code_points() {
        for text in
            ["", "a", "aé日𝄞z", "\u{7ff}\u{800}\u{ffff}\u{10000}\u{10ffff}", "\0\u{7f}\u{80}"]
        {
            check(text.as_bytes(), &text.chars().map(u32::from).collect::<Vec<_>>());
        }
    }

    #[test]
    fn a_cut_sequence_is_one_error_a_byte() {
        check(b"\xe6\x97", &[RUNE_ERROR; 2]);
        check(b"\xf0\x9d\x84x", &[RUNE_ERROR, RUNE_ERROR, RUNE_ERROR, 'x'.into()]);
    }

    #[test]
    fn long_forms_surrogates_and_too_large_are_errors() {
        check(b"\xc0\xaf", &[RUNE_ERROR; 2]);
        check(b"\xe0\x80\x80", &[RUNE_ERROR; 3]);
        check(b"\xed\xa0\x80", &[RUNE_ERROR; 3]);
        check(b"\xf4\x90\x80\x80", &[RUNE_ERROR; 4]);
        check(b"\xff\x80", &[RUNE_ERROR; 2]);
    }

    #[test]
    fn ascii_ends_where_the_first_high_byte_is() {
        // Over the end of steps, of words, and of bytes.
        for len in 0..200 {
            let mut bytes = vec![b'a'; len];
            assert_eq!(ascii_len(&bytes), len);
            bytes.extend_from_slice(b"\x80aaaaaaaaaaaaaaa");
            assert_eq!(ascii_len(&bytes), len);
        }
    }

    #[test]
    fn trigrams_are_their_three_runes() {
        let runes = [0x10_ffff, 0, 0x61];
        assert_eq!(ngram_runes(ngram(runes)), runes);
    }

    #[test]
    fn bytes_that_are_not_utf8_are_a_rune_each() {
        assert!(matches!(as_valid_utf8("aé".as_bytes()), Cow::Borrowed(_)));
        let rows: &[(&[u8], &str)] = &[
            (b"\xff", "\u{fffd}"),
            (b"a\xe2\x82b", "a\u{fffd}\u{fffd}b"),
            (b"\xc3\xa9\xed\xa0\x80", "é\u{fffd}\u{fffd}\u{fffd}"),
            (b"\xe2\x82", "\u{fffd}\u{fffd}"),
        ];
        for (text, want) in rows {
            assert_eq!(*as_valid_utf8(text), *want.as_bytes(), "{text:?}");
        }
    }
}
