//! Selectors: which series, in PromQL's grammar.
//!
//! ```text
//! selector  metric, or "{" items "}", or both; items are parted by commas, one more may follow
//!           the last
//! item      label op string, or a string alone, which is a metric
//! label     [a-zA-Z_][a-zA-Z0-9_]*, anything else as a string
//! metric    [a-zA-Z_:][a-zA-Z0-9_:]*
//! ```
//! White space and `#` comments may stand between all of these. What is refused is refused where
//! Prometheus refuses it and in its words, since these are what people search for.
//!
//! Bytes:   docs/formats/prometheus.md, section *Selectors*

mod labels;
mod lex;
mod parsed;
mod show;

pub use labels::{ShownLabel, ShownLabels, ShownName};
pub use parsed::{Selector, SelectorError};

pub(in crate::ask) use lex::{Kind, Lexer, Token, unquote};
pub(in crate::ask) use parsed::Fault;

use crate::ask::matcher::{METRIC_NAME, MatchOp, Matcher};

impl Selector {
    /// Reads a selector.
    pub fn parse(text: &str) -> Result<Selector, SelectorError> {
        Parser { lexer: Lexer::new(text) }.selector().map_err(|fault| fault.placed(text))
    }
}

/// Reads the selector that begins at the lexer's place, and leaves it at its end.
pub(in crate::ask) fn first(lexer: Lexer<'_>) -> Result<(Selector, Lexer<'_>), Fault> {
    let mut parser = Parser { lexer };
    Ok((parser.first()?, parser.lexer))
}

impl std::str::FromStr for Selector {
    type Err = SelectorError;

    fn from_str(text: &str) -> Result<Selector, SelectorError> {
        Selector::parse(text)
    }
}

struct Parser<'t> {
    lexer: Lexer<'t>,
}

impl<'t> Parser<'t> {
    fn selector(&mut self) -> Result<Selector, Fault> {
        let selector = self.first()?;
        let token = self.lexer.outside()?;
        if token.kind != Kind::End {
            return Err(expression(&token));
        }
        Ok(selector)
    }

    /// The selector that begins here, whatever follows it.
    fn first(&mut self) -> Result<Selector, Fault> {
        let mut matchers = Vec::new();
        let mut token = self.lexer.outside()?;
        let metric = token.is_metric().then_some(token.text);
        if metric.is_some() && self.lexer.has('{') {
            token = self.lexer.outside()?;
        }
        if token.kind == Kind::OpenBrace {
            self.items(&mut matchers)?;
        } else if metric.is_none() {
            return Err(expression(&token));
        }
        if let Some(metric) = metric {
            matchers.push(metric_is(metric));
        }
        Ok(Selector { matchers })
    }

    /// Items in braces, the first of which was read.
    fn items(&mut self, matchers: &mut Vec<Matcher>) -> Result<(), Fault> {
        loop {
            let token = self.lexer.inside()?;
            match token.kind {
                Kind::CloseBrace => return Ok(()),
                Kind::Name | Kind::String => {}
                _ => return Err(unexpected(&token, "identifier or \"}\"")),
            }
            let token = self.item(&token, matchers)?;
            match token.kind {
                Kind::CloseBrace => return Ok(()),
                Kind::Comma => {}
                _ => return Err(unexpected(&token, "\",\" or \"}\"")),
            }
        }
    }

    /// An item that begins with the token. The token that follows it is returned.
    fn item(&mut self, label: &Token<'t>, matchers: &mut Vec<Matcher>) -> Result<Token<'t>, Fault> {
        let is_quoted = label.kind == Kind::String;
        let name = if is_quoted { lex::unquote(label.text) } else { label.text.into() };
        let next = self.lexer.inside()?;
        let op = match next.kind {
            Kind::Match(op) => op,
            _ if is_quoted => {
                matchers.push(metric_is(name));
                return Ok(next);
            }
            _ => return Err(unexpected(&next, "label matching operator")),
        };
        let value = self.lexer.inside()?;
        if value.kind != Kind::String {
            return Err(unexpected(&value, "string"));
        }
        let matcher = Matcher::new(name, op, lex::unquote(value.text));
        let fault = |what| Fault { at: label.at, what, is_expression: false };
        matchers.push(matcher.map_err(|error| fault(error.to_string()))?);
        self.lexer.inside()
    }
}

/// A token outside of a selector.
pub(in crate::ask) fn expression(token: &Token<'_>) -> Fault {
    Fault { is_expression: token.kind != Kind::End, ..unexpected(token, "") }
}

fn metric_is(metric: impl Into<Vec<u8>>) -> Matcher {
    Matcher::new(METRIC_NAME, MatchOp::Equal, metric).expect("only expressions can be refused")
}

fn unexpected(token: &Token<'_>, expected: &str) -> Fault {
    let mut what = format!("unexpected {}", show::token(token));
    if !expected.is_empty() {
        what += &format!(" in label matching, expected {expected}");
    }
    Fault { at: token.at, what, is_expression: false }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shown_labels_read_back_as_a_selector_of_the_same() {
        for (labels, want) in [
            (&[][..], "{}"),
            (&[("__name__", "up")], "up"),
            (&[("__name__", "up"), ("job", "a\"b\\c\n")], r#"up{job="a\"b\\c\n"}"#),
            (&[("Job", "x"), ("__name__", "a:b"), ("le", "+Inf")], r#"a:b{Job="x",le="+Inf"}"#),
            (&[("__name__", "http size"), ("größe", "1")], r#"{"http size","größe"="1"}"#),
            (&[("__name__", "http size")], r#"{"http size"}"#),
            (&[("__name__", "nan"), ("a", "")], r#"{"nan",a=""}"#),
            (&[("job", "api")], r#"{job="api"}"#),
        ] {
            let labels: Vec<(&[u8], &[u8])> =
                labels.iter().map(|(name, value)| (name.as_bytes(), value.as_bytes())).collect();
            let shown = ShownLabels(&labels).to_string();
            assert_eq!(shown, want);
            let selector = Selector::parse(&shown).unwrap();
            let mut read: Vec<_> = selector
                .matchers()
                .iter()
                .map(|matcher| (matcher.name(), matcher.value()))
                .collect();
            read.sort();
            assert_eq!(read, labels);
        }
    }
}
