//! The symbols that make sample texts short.
//!
//! In rounds: the samples are written in the symbols so far, each symbol and each pair of
//! neighbours is counted, and those that would have saved the most bytes are the symbols of the
//! next round. Symbols grow by being joined.

use std::collections::HashMap;

use super::symbols::{Encoder, SYMBOLS_MAX, Symbol};

const ROUNDS: usize = 5;
/// Codes of symbols are below; from here on a code is a byte that had none.
const BYTES_FROM: usize = 256;
const CODES: usize = BYTES_FROM + 256;

/// A table for texts like the samples.
pub(super) fn train(samples: &[&[u8]]) -> Encoder {
    let mut encoder = Encoder::new(&[]);
    for round in 0..ROUNDS {
        encoder = Encoder::new(&best(&encoder, samples, round + 1 == ROUNDS));
    }
    encoder
}

fn best(encoder: &Encoder, samples: &[&[u8]], is_last: bool) -> Vec<Symbol> {
    let mut single = vec![0u32; CODES];
    let mut pairs = vec![0u32; CODES * CODES];
    for sample in samples {
        let (mut text, mut before) = (*sample, None);
        while let Some(first) = text.first() {
            let (code, len) = match encoder.next(text) {
                Some((code, len)) => (usize::from(code), len),
                None => (BYTES_FROM + usize::from(*first), 1),
            };
            single[code] += 1;
            if let Some(before) = before {
                pairs[before * CODES + code] += 1;
            }
            before = Some(code);
            text = &text[len..];
        }
    }
    let symbol = |code: usize| match code.checked_sub(BYTES_FROM) {
        Some(byte) => Symbol::byte(byte as u8),
        None => encoder.symbols()[code],
    };
    let mut gains: HashMap<Symbol, u64> = HashMap::new();
    for (code, count) in single.iter().enumerate().filter(|(_, count)| **count > 0) {
        let symbol = symbol(code);
        // A byte without a symbol takes two.
        let weight = if symbol.len == 1 { 8 } else { symbol.len.into() };
        *gains.entry(symbol).or_default() += weight * u64::from(*count);
    }
    for (pair, count) in pairs.iter().enumerate().filter(|(_, count)| **count > 1) {
        let (left, right) = (symbol(pair / CODES), symbol(pair % CODES));
        if !is_last && left.len < 8 {
            let both = left.and(right);
            *gains.entry(both).or_default() += u64::from(both.len) * u64::from(*count);
        }
    }
    let mut ranked: Vec<(u64, Symbol)> =
        gains.into_iter().map(|(symbol, gain)| (gain, symbol)).collect();
    ranked.sort_unstable_by(|left, right| right.0.cmp(&left.0).then(left.1.cmp(&right.1)));
    ranked.truncate(SYMBOLS_MAX);
    ranked.into_iter().map(|(_, symbol)| symbol).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_that_come_again_and_again_become_a_few_symbols() {
        let text =
            b"the quick brown fox jumps over the lazy dog and the quick brown cat ".repeat(20);
        let encoder = train(&[&text]);
        let mut codes = Vec::new();
        encoder.encode(&text, &mut codes);
        assert!(codes.len() * 4 < text.len(), "{} of {}", codes.len(), text.len());
        let again = train(&[&text]);
        assert_eq!(encoder.symbols(), again.symbols(), "the same texts give the same symbols");
    }
}
