//! Matchers asked about the labels of a series: once about each value, which is remembered by its
//! symbol.

use manicule_core::bytes::{DecodeError, FileBytes};
use manicule_format_prometheus::{Index, SeriesRef, SymbolIndex};

use crate::ask::matcher::{MatchOp, Matcher};

/// Matchers of one index, with what is known of the values.
pub struct Check<'m> {
    rows: Vec<Row<'m>>,
}

/// Maximum number of values that a pattern's verdict is remembered of: 128 KiB a matcher.
const REMEMBERED: usize = 1 << 14;

struct Row<'m> {
    matcher: &'m Matcher,
    /// The symbol of its name; series of an index that lacks it don't have the label.
    name: Option<SymbolIndex>,
    matches_empty: bool,
    ask: Ask,
}

/// How a value is asked about.
enum Ask {
    /// By the symbol that it is compared with; an index that lacks it has no equal value.
    Same(Option<SymbolIndex>),
    /// By a pattern. What was asked is remembered at a place by the symbol's last bits: the symbol
    /// twice and the verdict; [`u64::MAX`] is nothing yet.
    Pattern(Vec<u64>),
}

impl<'m> Check<'m> {
    /// Looks the names up.
    pub fn new<B: FileBytes>(
        index: &Index<B>,
        matchers: impl Iterator<Item = &'m Matcher>,
    ) -> Self {
        let row = |matcher: &'m Matcher| Row {
            matcher,
            name: index.find_symbol(matcher.name()),
            matches_empty: matcher.matches_empty(),
            ask: match matcher.op() {
                MatchOp::Equal | MatchOp::NotEqual => Ask::Same(index.find_symbol(matcher.value())),
                MatchOp::Regex | MatchOp::NotRegex => {
                    let all = (index.symbol_count() as usize).next_power_of_two();
                    Ask::Pattern(vec![u64::MAX; all.min(REMEMBERED)])
                }
            },
        };
        Check { rows: matchers.map(row).collect() }
    }

    /// Whether a series satisfies all matchers. Its labels are decoded.
    pub fn satisfies<B: FileBytes>(
        &mut self,
        index: &Index<B>,
        series: SeriesRef,
    ) -> Result<bool, DecodeError> {
        let mut labels = Vec::with_capacity(16);
        for label in index.series(series)?.labels() {
            labels.push(label?);
        }
        Ok(self.first_broken(index, &labels).is_none())
    }

    /// The matcher that labels don't satisfy: its place among them, and the value's symbol if there
    /// is one.
    pub fn first_broken<B: FileBytes>(
        &mut self,
        index: &Index<B>,
        labels: &[(SymbolIndex, SymbolIndex)],
    ) -> Option<(usize, Option<SymbolIndex>)> {
        self.rows.iter_mut().enumerate().find_map(|(place, row)| {
            let label = labels.iter().find(|label| Some(label.0) == row.name);
            let value = label.map(|label| label.1);
            (!row.satisfied_by(index, value)).then_some((place, value))
        })
    }

    /// An error if the labels of a selected series don't satisfy the matchers: the posting lists
    /// contradict the series.
    pub fn confirm<B: FileBytes>(
        &mut self,
        index: &Index<B>,
        at: u64,
        labels: &[(SymbolIndex, SymbolIndex)],
    ) -> Result<(), DecodeError> {
        let Some((place, value)) = self.first_broken(index, labels) else { return Ok(()) };
        let got = value.map_or(u64::MAX, |value| value.0.into());
        let want = index.find_symbol(self.rows[place].matcher.value());
        let want = want.map_or(u64::MAX, |want| want.0.into());
        let what = "value of a label that the posting lists promise";
        Err(DecodeError::Corrupt { what, at, want, got })
    }
}

impl Row<'_> {
    #[inline]
    fn satisfied_by<B: FileBytes>(&mut self, index: &Index<B>, value: Option<SymbolIndex>) -> bool {
        let Some(value) = value else { return self.matches_empty };
        match &mut self.ask {
            Ask::Same(same) => (Some(value) == *same) != self.matcher.op().is_negative(),
            Ask::Pattern(verdicts) => {
                let place = value.0 as usize & (verdicts.len() - 1);
                if verdicts[place] >> 1 != u64::from(value.0) {
                    let text = index.symbol(value).unwrap_or_default();
                    verdicts[place] =
                        u64::from(value.0) << 1 | u64::from(self.matcher.matches(text));
                }
                verdicts[place] & 1 == 1
            }
        }
    }
}
