//! Options that choose partitions: by their keys, by their tokens, or all others.

use std::ops::RangeInclusive;

use anyhow::{Context, Result, bail};

use crate::command::spec::{Spec, spec};

pub(super) const KEY: Spec =
    spec("key", "k", "Take the partition with this key.").takes("KEY").more("May be repeated.");

pub(super) const TOKENS: Spec = spec(
    "tokens",
    "",
    "Take partitions with tokens from the first number to the second, inclusive.",
)
.takes("FROM..TO")
.more("May be repeated. An omitted end is the end of the ring.");

pub(super) const OTHERS: Spec = spec("others", "", "Take all other partitions instead.");

/// A range of tokens.
pub(super) fn tokens(text: &str) -> Result<RangeInclusive<i64>> {
    let (from, to) = text.split_once("..").context("tokens are a range: -100..200, ..0, 7..")?;
    let token = |text: &str, open: i64| match text.trim() {
        "" => Ok(open),
        text => text.parse::<i64>().ok().with_context(|| format!("{text:?} is no token")),
    };
    let range = token(from, i64::MIN)?..=token(to, i64::MAX)?;
    if range.is_empty() {
        bail!("the range of tokens {text} is empty: its second number is below its first");
    }
    Ok(range)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_are_ranges_with_both_ends() {
        for (text, want) in [
            ("-100..200", Some(-100..=200)),
            ("..0", Some(i64::MIN..=0)),
            ("7..", Some(7..=i64::MAX)),
            ("..", Some(i64::MIN..=i64::MAX)),
            ("5..5", Some(5..=5)),
            ("5..4", None),
            ("5", None),
            ("a..b", None),
            ("0..9223372036854775808", None),
        ] {
            assert_eq!(tokens(text).ok(), want, "{text}");
        }
    }
}
