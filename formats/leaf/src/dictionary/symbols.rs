//! A static table of up to 255 symbols of one to eight bytes, which texts are written in: a byte a
//! symbol.
//!
//! Any text is decoded alone, from its first byte to the one that is asked for, where a general
//! compressor decodes the page around it: zstd takes some 25 microseconds for any call. Byte 255
//! says that the next byte is itself.
//!
//! Bytes:   | u8 count | count × u8 len | symbols, back to back |, docs/formats/leaf.md, section *symbols*

use manicule_core::bytes::{DecodeError, Reader};

/// The code that says that the byte after it is no code.
pub(super) const ESCAPE: u8 = 255;
pub(super) const SYMBOLS_MAX: usize = 255;
pub(super) const SYMBOL_LEN_MAX: usize = 8;

const HASH_BITS: u32 = 12;

/// A symbol: its bytes from the lowest on, and how many they are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Symbol {
    pub(super) bytes: u64,
    pub(super) len: u8,
}

impl Symbol {
    pub(super) fn byte(byte: u8) -> Symbol {
        Symbol { bytes: byte.into(), len: 1 }
    }

    /// Both, or as much of the second as there is space for.
    pub(super) fn and(self, next: Symbol) -> Symbol {
        let len = (self.len + next.len).min(SYMBOL_LEN_MAX as u8);
        let shifted = if self.len == 8 { 0 } else { next.bytes << (8 * self.len) };
        Symbol { bytes: (self.bytes | shifted) & mask(len), len }
    }
}

fn mask(len: u8) -> u64 {
    if len == 0 { 0 } else { u64::MAX >> (64 - 8 * u32::from(len)) }
}

/// Symbols, by their codes: enough to decode.
#[derive(Clone, Copy, Debug)]
pub(super) struct Symbols<'a> {
    lens: &'a [u8],
    /// Eight bytes each.
    words: &'a [[u8; 8]],
}

impl<'a> Symbols<'a> {
    /// Reads a table. Each symbol takes eight bytes, those past its length zero.
    pub(super) fn read(bytes: &'a [u8], at: u64) -> Result<Self, DecodeError> {
        let mut reader = Reader::new(bytes, at);
        let count = usize::from(reader.u8("symbol count")?);
        let lens = reader.take("lengths of symbols", count)?;
        let words = reader.take("symbols", count * 8)?.as_chunks().0;
        if !reader.rest().is_empty() {
            let (what, got) = ("bytes after the symbols", reader.rest().len() as u64);
            return Err(DecodeError::Corrupt { what, at: reader.at(), want: 0, got });
        }
        Ok(Symbols { lens, words })
    }

    /// Checks what reading a table leaves out: that symbols have one to eight bytes.
    pub(super) fn check(&self, at: u64) -> Result<(), DecodeError> {
        match self.lens.iter().find(|len| !(1..=8).contains(*len)) {
            None => Ok(()),
            Some(len) => {
                let (what, want, got) = ("length of a symbol", 8, (*len).into());
                Err(DecodeError::Corrupt { what, at, want, got })
            }
        }
    }

    /// Number of symbols.
    #[cfg(test)]
    pub(super) fn count(&self) -> usize {
        self.lens.len()
    }

    /// Appends what codes say, until at least `len_max` bytes of it are there; then cuts there.
    /// Codes that no table has say nothing.
    pub(super) fn decode(&self, codes: &[u8], len_max: usize, out: &mut Vec<u8>) {
        let first = out.len();
        // Eight bytes are written for each code, whatever its length: those after the last one that
        // is wanted too.
        let room = (codes.len() * SYMBOL_LEN_MAX).min(len_max.saturating_add(SYMBOL_LEN_MAX - 1));
        out.resize(first + room, 0);
        let (lens, words) = (&self.lens[..self.words.len()], self.words);
        let (room, mut at, mut codes) = (&mut out[first..], 0, codes.iter());
        while at < len_max
            && let Some(code) = codes.next()
        {
            let code = usize::from(*code);
            if let Some(word) = words.get(code) {
                *room[at..].first_chunk_mut().expect("eight bytes for each code") = *word;
                at += usize::from(lens[code]).min(SYMBOL_LEN_MAX);
            } else if code == usize::from(ESCAPE)
                && let Some(byte) = codes.next()
            {
                room[at] = *byte;
                at += 1;
            }
        }
        out.truncate(first + at.min(len_max));
    }
}

/// A table, and how it is found in: what encodes.
#[derive(Debug)]
pub(super) struct Encoder {
    symbols: Vec<Symbol>,
    /// By two bytes: the code and length of the longest symbol of at most two bytes that they begin
    /// with; a length of 0 for none.
    short: Vec<(u8, u8)>,
    /// By a hash of three bytes: the longest symbol of three or more that has the place, and its
    /// code.
    long: Vec<Option<(Symbol, u8)>>,
}

impl Encoder {
    /// A table of symbols, each once. Of two long ones that would have one place the first stays.
    pub(super) fn new(symbols: &[Symbol]) -> Self {
        let mut encoder = Encoder {
            symbols: Vec::with_capacity(symbols.len()),
            short: vec![(0, 0); 1 << 16],
            long: vec![None; 1 << HASH_BITS],
        };
        for symbol in symbols {
            let code = encoder.symbols.len() as u8;
            match symbol.len {
                1 => {
                    for second in 0..256 {
                        let place = &mut encoder.short[second << 8 | symbol.bytes as usize];
                        if place.1 < 2 {
                            *place = (code, 1);
                        }
                    }
                }
                2 => encoder.short[symbol.bytes as usize] = (code, 2),
                _ => {
                    let place = &mut encoder.long[hash(symbol.bytes)];
                    if place.is_some() {
                        continue;
                    }
                    *place = Some((*symbol, code));
                }
            }
            encoder.symbols.push(*symbol);
        }
        assert!(encoder.symbols.len() <= SYMBOLS_MAX, "codes have a byte");
        encoder
    }

    pub(super) fn symbols(&self) -> &[Symbol] {
        &self.symbols
    }

    /// The code of the longest symbol that a text begins with, and its length; `None` if there is
    /// none.
    #[inline(always)]
    pub(super) fn next(&self, text: &[u8]) -> Option<(u8, usize)> {
        let word = match text.first_chunk::<8>() {
            Some(word) => u64::from_le_bytes(*word),
            None => {
                let mut word = [0; 8];
                word[..text.len()].copy_from_slice(text);
                u64::from_le_bytes(word)
            }
        };
        if let Some((symbol, code)) = &self.long[hash(word)]
            && word & mask(symbol.len) == symbol.bytes
            && usize::from(symbol.len) <= text.len()
        {
            return Some((*code, symbol.len.into()));
        }
        let (code, len) = self.short[(word & 0xffff) as usize];
        let len = usize::from(len);
        if len <= text.len() {
            return (len > 0).then_some((code, len));
        }
        // The last byte of a text, where a symbol of two would end with a zero past it.
        let alone = self.symbols.iter().position(|each| *each == Symbol::byte(text[0]))?;
        Some((alone as u8, 1))
    }

    /// Appends the codes of a text.
    pub(super) fn encode(&self, mut text: &[u8], out: &mut Vec<u8>) {
        while let Some(first) = text.first() {
            match self.next(text) {
                Some((code, len)) => {
                    out.push(code);
                    text = &text[len..];
                }
                None => {
                    out.extend_from_slice(&[ESCAPE, *first]);
                    text = &text[1..];
                }
            }
        }
    }

    /// Appends the table.
    pub(super) fn put(&self, out: &mut Vec<u8>) {
        out.push(self.symbols.len() as u8);
        out.extend(self.symbols.iter().map(|symbol| symbol.len));
        self.symbols.iter().for_each(|symbol| out.extend_from_slice(&symbol.bytes.to_le_bytes()));
    }
}

fn hash(word: u64) -> usize {
    ((word & 0xff_ffff).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (64 - HASH_BITS)) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    fn symbol(text: &str) -> Symbol {
        text.bytes().map(Symbol::byte).reduce(Symbol::and).expect("not empty")
    }

    #[test]
    fn texts_come_back_whole_and_in_part() {
        let symbols = ["http://", "a", "ab", "abc", "abcdefgh", "\0", "b\0"].map(symbol);
        let encoder = Encoder::new(&symbols);
        let mut table = Vec::new();
        encoder.put(&mut table);
        let symbols = Symbols::read(&table, 0).expect("a sound table");
        assert_eq!(symbols.count(), 7 - 1, "two symbols have one place");
        for text in ["", "a", "ab", "b", "http://abcdefghabcab\u{e9}xa", "a\0b\0", "abcdefg"] {
            let mut codes = Vec::new();
            encoder.encode(text.as_bytes(), &mut codes);
            for len in 0..=text.len() + 1 {
                let mut out = b"before".to_vec();
                symbols.decode(&codes, len, &mut out);
                let want = [b"before", &text.as_bytes()[..len.min(text.len())]].concat();
                assert_eq!(out, want, "{text}");
            }
        }
    }

    #[test]
    fn symbols_end_at_eight_bytes() {
        assert_eq!(symbol("abcde").and(symbol("fghij")), symbol("abcdefgh"));
        assert_eq!(symbol("abcdefgh").and(symbol("x")), symbol("abcdefgh"));
    }
}
