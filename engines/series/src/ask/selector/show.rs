//! Selectors as text, so that what is shown reads back the same; and tokens as Prometheus's errors
//! show them.

use std::fmt::{self, Write as _};

use manicule_core::go::quote;

use super::labels::{put_name, put_quoted};
use super::lex::{self, Kind, Token, Word};
use super::parsed::Selector;
use crate::ask::matcher::METRIC_NAME;
use crate::ask::matcher::{MatchOp, Matcher};

impl fmt::Display for Selector {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (items, metric) = match self.matchers().split_last() {
            Some((last, items)) if bare_metric(last).is_some() => (items, bare_metric(last)),
            _ => (self.matchers(), None),
        };
        out.write_str(metric.unwrap_or_default())?;
        if metric.is_some() && items.is_empty() {
            return Ok(());
        }
        out.write_char('{')?;
        for (at, matcher) in items.iter().enumerate() {
            if at > 0 {
                out.write_char(',')?;
            }
            write!(out, "{matcher}")?;
        }
        out.write_char('}')
    }
}

impl fmt::Display for Matcher {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        put_name(out, self.name())?;
        out.write_str(self.op().as_str())?;
        put_quoted(out, self.value())
    }
}

impl fmt::Debug for Matcher {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, out)
    }
}

/// The metric, if the matcher asks for one that needs no quotes.
fn bare_metric(matcher: &Matcher) -> Option<&str> {
    let is_plain = matcher.op() == MatchOp::Equal && matcher.name() == METRIC_NAME.as_bytes();
    let metric = std::str::from_utf8(matcher.value()).ok()?;
    (is_plain && lex::is_metric(metric)).then_some(metric)
}

/// A token as errors name it.
pub(super) fn token(token: &Token<'_>) -> String {
    let written = token.text;
    match token.kind {
        Kind::End => "end of input".to_owned(),
        Kind::Name => format!("identifier {}", quote(written)),
        Kind::Metric => format!("metric identifier {}", quote(written)),
        Kind::Aggregator => format!("<aggr:{written}>"),
        Kind::Reserved(Word::Operator) | Kind::Forbidden(Word::Operator) | Kind::Operator => {
            format!("<op:{written}>")
        }
        Kind::Match(MatchOp::Equal) => "\"=\"".to_owned(),
        Kind::Match(op) => format!("<op:{}>", op.as_str()),
        Kind::Reserved(Word::Keyword) | Kind::Forbidden(Word::Keyword) => format!("<{written}>"),
        Kind::String => format!("string {}", shortened(written)),
        Kind::Number => format!("number {}", shortened(written)),
        Kind::Duration => format!("duration {}", shortened(written)),
        _ => shortened(written),
    }
}

/// A text in quotes, the first ten characters of it if it's longer than ten bytes.
fn shortened(written: &str) -> String {
    if written.len() <= 10 {
        return quote(written);
    }
    quote(written.chars().take(10).collect::<String>()) + "..."
}
