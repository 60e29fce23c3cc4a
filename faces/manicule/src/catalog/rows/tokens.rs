//! Partitions of tokens: parts of a table, and the argument that names some.

use serde_json::{Value as Json, json};

use super::opened::overviewed;
use crate::catalog::arguments::{Argument, Arguments, Concerns, Takes};
use crate::catalog::bounds::Bounds;
use crate::failure::Failure;
use crate::rows::Table;

pub(super) const TOKENS: Argument = Argument {
    name: "tokens",
    takes: Takes::Text,
    concerns: Concerns::Question,
    about: "Partitions with tokens from one to another, as `FROM..TO`; either may lack. Default: all.",
};

/// The tokens of the argument.
pub(super) fn given(arguments: &Arguments) -> Result<Bounds, Failure> {
    let Some(text) = arguments.text(TOKENS.name) else { return Ok(Bounds::ALL) };
    let end = |text: &str, open: i64| if text.is_empty() { Some(open) } else { text.parse().ok() };
    let both = text.split_once("..").and_then(|(from, to)| {
        Some(Bounds { low: end(from, i64::MIN)?, high: end(to, i64::MAX)? })
    });
    both.ok_or_else(|| {
        Failure::asked(format!("argument tokens: {text} is no range: -100..200, ..0, 7.."))
    })
}

/// The first and the last token of the SSTables of tables; `None` where one has none.
pub(super) fn ends<'t>(
    tables: impl IntoIterator<Item = &'t Table>,
) -> Result<Option<Bounds>, Failure> {
    let mut ends: Option<Bounds> = None;
    for table in tables {
        for one in overviewed(table)? {
            let Some((first, last)) = one.tokens else { return Ok(None) };
            let before = ends.unwrap_or(Bounds { low: first.0, high: last.0 });
            ends = Some(Bounds { low: before.low.min(first.0), high: before.high.max(last.0) });
        }
    }
    Ok(ends)
}

/// All tokens in about this number of parts; those between the ends are equally long.
pub(super) fn cut(ends: Bounds, wanted: usize) -> Vec<Json> {
    let len = ends.low.abs_diff(ends.high);
    let wanted = (wanted as u64).min(len.max(1));
    let cut = |at: u64| {
        let len = u128::from(len) * u128::from(at) / u128::from(wanted);
        (i128::from(ends.low) + len as i128) as i64
    };
    let part = |at: u64| {
        let low = if at == 0 { i64::MIN } else { cut(at) + 1 };
        json!({ "tokens": [low, if at + 1 == wanted { i64::MAX } else { cut(at + 1) }] })
    };
    (0..wanted).map(part).collect()
}

/// The tokens of a part.
pub(super) fn of_part(part: &Json) -> Result<Bounds, Failure> {
    if part["tokens"].is_null() {
        return Ok(Bounds::ALL);
    }
    let edge = |at: usize| part["tokens"][at].as_i64();
    let bounds = edge(0).zip(edge(1)).map(|(low, high)| Bounds { low, high });
    bounds.ok_or_else(|| Failure::asked(format!("no part of partitions: {part}")))
}
