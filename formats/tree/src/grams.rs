//! Grams of an index: three characters of one line, each folded into one of 64 classes.
//!
//! | class | characters |
//! |---|---|
//! | 0 | newline and other controls: no gram holds one |
//! | 1 | space and tab |
//! | 2..12 | digits |
//! | 12..38 | letters, small and capital alike |
//! | 38..62 | 24 frequent marks |
//! | 62 | other ASCII |
//! | 63 | bytes from 0x80 on |
//!
//! Folding makes the space of grams 2^18, so a table of them stays in the second-level cache while
//! building, and one list serves every case. It costs precision where case is the signal.
//!
//! Bytes:   docs/formats/tree.md, section *grams*

/// Number of grams.
pub const GRAM_COUNT: usize = 1 << 18;

/// The class that no gram holds.
pub const NO_CLASS: u8 = 0;

/// The class of each byte.
pub static CLASSES: [u8; 256] = classes();

const CLASS_BITS: u32 = 6;
const CLASS_MASK: u32 = (1 << CLASS_BITS) - 1;
const MARKS: [u8; 24] = *b"_.-/()\"':;,=<>*{}[]+&#\\|";

const fn classes() -> [u8; 256] {
    let mut classes = [NO_CLASS; 256];
    let mut byte = 0;
    while byte < 256 {
        classes[byte] = match byte as u8 {
            b' ' | b'\t' => 1,
            digit @ b'0'..=b'9' => 2 + digit - b'0',
            letter @ b'a'..=b'z' => 12 + letter - b'a',
            letter @ b'A'..=b'Z' => 12 + letter - b'A',
            0x80..=0xff => 63,
            0..=0x1f | 0x7f => NO_CLASS,
            _ => 62,
        };
        byte += 1;
    }
    let mut mark = 0;
    while mark < MARKS.len() {
        classes[MARKS[mark] as usize] = 38 + mark as u8;
        mark += 1;
    }
    classes
}

/// The gram of three classes.
#[inline]
pub fn gram(first: u8, second: u8, third: u8) -> u32 {
    debug_assert!(first < 64 && second < 64 && third < 64, "classes are below 64");
    u32::from(first) << (2 * CLASS_BITS) | u32::from(second) << CLASS_BITS | u32::from(third)
}

/// Whether an index may hold the gram: none of its classes is [`NO_CLASS`].
#[inline]
pub fn is_indexed(gram: u32) -> bool {
    gram & CLASS_MASK != 0 && gram >> CLASS_BITS & CLASS_MASK != 0 && gram >> (2 * CLASS_BITS) != 0
}

/// Sets `bit` for each gram of `text`, those with a control among them; callers leave those out by
/// [`is_indexed`].
///
/// The hot loop of building: one table look-up and one read-modify-write a byte. Two halves run
/// side by side, since each gram hangs on the one before it. Marking 173 MB of Kubernetes in pieces
/// of 16 KiB, one thread, two runs: one run of text 0.51-0.54 s, two halves 0.41-0.44, four
/// quarters 0.41-0.46, three tables without the hanging-on 0.41-0.58, a test before each store
/// 0.80-0.92.
pub fn mark(text: &[u8], bit: u16, table: &mut [u16; GRAM_COUNT]) {
    let middle = text.len() / 2;
    let (left, right) = text.split_at(middle);
    // The right half begins with the two characters before it, so that no gram over the seam is
    // lost.
    let mut left_gram = 0usize;
    let mut right_gram = match left {
        [.., first, second] => {
            gram(0, CLASSES[*first as usize], CLASSES[*second as usize]) as usize
        }
        _ => 0,
    };
    if middle < 2 {
        right_gram = 0;
        mark_from(text, bit, table, &mut right_gram);
        return;
    }
    for (&left_byte, &right_byte) in left.iter().zip(right) {
        left_gram = (left_gram << CLASS_BITS | CLASSES[left_byte as usize] as usize) % GRAM_COUNT;
        right_gram =
            (right_gram << CLASS_BITS | CLASSES[right_byte as usize] as usize) % GRAM_COUNT;
        table[left_gram] |= bit;
        table[right_gram] |= bit;
    }
    mark_from(&right[left.len()..], bit, table, &mut right_gram);
}

fn mark_from(text: &[u8], bit: u16, table: &mut [u16; GRAM_COUNT], gram: &mut usize) {
    for &byte in text {
        *gram = (*gram << CLASS_BITS | CLASSES[byte as usize] as usize) % GRAM_COUNT;
        table[*gram] |= bit;
    }
}

/// A gram as people read it: one character a class, the smallest of it.
pub fn show(gram: u32) -> String {
    let class = |shift: u32| (gram >> shift & CLASS_MASK) as u8;
    [12, 6, 0]
        .map(|shift| match class(shift) {
            NO_CLASS => '\u{2400}',
            1 => ' ',
            63 => '\u{80}',
            class => {
                let of_class = |byte: &u8| CLASSES[*byte as usize] == class;
                (0x21..0x7f).rev().find(of_class).map_or('?', char::from)
            }
        })
        .iter()
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plain(text: &[u8]) -> Vec<u32> {
        let classes: Vec<u8> = text.iter().map(|byte| CLASSES[*byte as usize]).collect();
        let mut grams: Vec<u32> = classes.windows(3).map(|w| gram(w[0], w[1], w[2])).collect();
        grams.retain(|gram| is_indexed(*gram));
        grams.sort_unstable();
        grams.dedup();
        grams
    }

    #[test]
    fn marking_finds_what_the_plain_way_finds() {
        let mut table: Box<[u16; GRAM_COUNT]> = vec![0; GRAM_COUNT].try_into().unwrap();
        let mut state = 3u64;
        for len in (0..40).chain([100, 1001]) {
            let text: Vec<u8> = (0..len)
                .map(|_| {
                    state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                    (state >> 56) as u8 & 0x7f
                })
                .collect();
            table.fill(0);
            mark(&text, 4, &mut table);
            let marked = (0..GRAM_COUNT as u32).filter(|&gram| table[gram as usize] == 4);
            let got: Vec<u32> = marked.filter(|&gram| is_indexed(gram)).collect();
            assert_eq!(got, plain(&text), "{}", text.escape_ascii());
        }
    }

    #[test]
    fn every_class_is_below_64_and_case_is_folded() {
        assert!(CLASSES.iter().all(|class| *class < 64));
        assert_eq!(CLASSES[b'k' as usize], CLASSES[b'K' as usize]);
        assert_ne!(CLASSES[b'k' as usize], CLASSES[b'l' as usize]);
    }

    #[test]
    fn grams_are_shown_as_text() {
        let of = |text: &[u8; 3]| {
            show(gram(
                CLASSES[text[0] as usize],
                CLASSES[text[1] as usize],
                CLASSES[text[2] as usize],
            ))
        };
        assert_eq!(of(b"Ab1"), "ab1");
        assert_eq!(of(b"a b"), "a b");
        assert_eq!(of(b"x->"), "x->");
    }
}
