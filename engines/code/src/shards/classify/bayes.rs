//! The naive Bayes classifier of linguist: which of some languages a text is most likely in.
//!
//! Its table has a row for each language that shares a name or an extension with another. It is
//! written by `cargo run -p xtask -- linguist`, see tables/README.md.

use std::sync::OnceLock;

use manicule_core::bytes::{DecodeError, Reader};

use super::super::mix::MixMap;
use super::tables::Tables;
use super::tokens::{Tokenizer, Tokens};

const TABLE: &[u8] = include_bytes!("tables/tokens.bin");

/// Logarithms are stored as whole numbers of this part, without their sign.
const PARTS: f64 = 1e6;

/// The logarithms of tokens' probabilities in a language.
type Weights = MixMap<&'static [u8], f64>;

/// The classifier.
pub(super) struct Bayes {
    tokenizer: Tokenizer,
    languages: MixMap<&'static [u8], Language>,
    /// Of a token that a language doesn't have.
    unknown: f64,
}

struct Language {
    /// The logarithm of the probability that a text is in it.
    prior: f64,
    /// Its tokens, read when it is a candidate.
    tokens: &'static [u8],
    weights: OnceLock<Weights>,
}

impl Bayes {
    pub(super) fn new() -> Bayes {
        let (token_count, languages) = read(TABLE).expect("the table is right");
        Bayes { tokenizer: Tokenizer::new(), languages, unknown: (1.0 / token_count as f64).ln() }
    }

    /// The candidate that a text is most likely in; of equals the first. `None` if none is known.
    pub(super) fn best(
        &self,
        content: &[u8],
        candidates: &[&'static str],
        tables: &Tables,
    ) -> Option<&'static str> {
        let tokens = self.tokenizer.tokens(content);
        let mut best: Option<(f64, &'static str)> = None;
        for candidate in candidates {
            let name = tables.by_alias(candidate.as_bytes()).unwrap_or(candidate);
            let Some(language) = self.languages.get(name.as_bytes()) else { continue };
            let score = language.prior + self.weigh(language, &tokens);
            if best.is_none_or(|(most, _)| score > most) {
                best = Some((score, name));
            }
        }
        best.map(|(_, name)| name)
    }

    /// The sum is made first, in the order of the tokens: so the last bits are the peer's too.
    fn weigh(&self, language: &Language, tokens: &Tokens) -> f64 {
        if tokens.is_empty() {
            return 0.0;
        }
        let weights = language.weights.get_or_init(|| {
            read_weights(language.tokens).expect("the table of a language is right")
        });
        tokens.iter().fold(0.0, |sum, token| sum + weights.get(token).unwrap_or(&self.unknown))
    }
}

/// The number of tokens in all, and the languages.
fn read(table: &'static [u8]) -> Result<(u64, MixMap<&'static [u8], Language>), DecodeError> {
    let mut reader = Reader::new(table, 0);
    let token_count = reader.uvarint("number of tokens")?;
    let mut languages = MixMap::default();
    while !reader.rest().is_empty() {
        let name = text(&mut reader, "name of a language")?;
        let prior = -(reader.uvarint("prior")? as f64) / PARTS;
        let tokens = text(&mut reader, "tokens of a language")?;
        languages.insert(name, Language { prior, tokens, weights: OnceLock::new() });
    }
    Ok((token_count, languages))
}

fn read_weights(tokens: &'static [u8]) -> Result<Weights, DecodeError> {
    let mut reader = Reader::new(tokens, 0);
    let mut weights = Weights::default();
    while !reader.rest().is_empty() {
        let weight = -(reader.uvarint("weight")? as f64) / PARTS;
        for _ in 0..reader.uvarint("number of tokens of a weight")? {
            weights.insert(text(&mut reader, "token")?, weight);
        }
    }
    Ok(weights)
}

fn text(reader: &mut Reader<'static>, what: &'static str) -> Result<&'static [u8], DecodeError> {
    let len = reader.uvarint(what)?;
    reader.take(what, usize::try_from(len).unwrap_or(usize::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_language_of_the_table_can_be_read() {
        let (token_count, languages) = read(TABLE).unwrap();
        assert_eq!((token_count, languages.len()), (2_440_725, 265));
        let counts =
            languages.values().map(|language| read_weights(language.tokens).unwrap().len());
        assert_eq!(counts.sum::<usize>(), 138_865);
    }

    #[test]
    fn candidates_that_are_unknown_are_left_out() {
        let (bayes, tables) = (Bayes::new(), Tables::new());
        let best = |content: &str, candidates: &[&'static str]| {
            bayes.best(content.as_bytes(), candidates, &tables)
        };
        assert_eq!(best("int a;", &[]), None);
        assert_eq!(best("int a;", &["nobody"]), None);
        assert_eq!(best("#include <stdio.h>\nint main(void) {}", &["Perl", "C"]), Some("C"));
        assert_eq!(best("my $a = shift; sub b { @_ }", &["C", "nobody", "Perl"]), Some("Perl"));
    }
}
