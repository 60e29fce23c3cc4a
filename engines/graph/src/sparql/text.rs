//! The text of a query or an update, read as tokens before the parser sees it.
//!
//! Faults: of spargebra 0.4.8, which wants `true` and `false` in lower case (W3C
//! case-insensitive-booleans) and takes an IRI in an expression for a comparison (W3C syn-bad-26);
//! which doesn't keep the order of `SELECT *`, nor whether a copied graph has to exist.

use std::borrow::Cow;
use std::ops::Range;

use super::error::SparqlError;

/// A query's text as the parser wants it.
pub(super) struct QueryText<'t> {
    pub(super) text: Cow<'t, str>,
    /// The variables in the order of their first appearance, if the query begins with `SELECT *`.
    pub(super) star: Option<Vec<String>>,
}

/// What the filter of a made-up operation compares: the graph that it names has to exist.
pub(super) const SOURCE_EXISTS: &str = " the source exists ";

/// Kind of a token.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    Iri,
    Text,
    Variable,
    /// A keyword, prefixed name, number or blank node.
    Word,
    Mark,
}

/// A token.
#[derive(Clone, Debug)]
pub(super) struct Token {
    pub(super) kind: Kind,
    pub(super) at: Range<usize>,
}

/// Prepares a query.
pub(super) fn query_text(text: &str) -> Result<QueryText<'_>, SparqlError> {
    let Some(tokens) = tokens(text) else { return Ok(QueryText { text: text.into(), star: None }) };
    refuse_iris_in_filters(text, &tokens)?;
    let star = star_order(text, &tokens);
    Ok(QueryText { text: lower_booleans(text, &tokens), star })
}

/// Prepares an update.
pub(super) fn update_text(text: &str) -> Result<Cow<'_, str>, SparqlError> {
    let Some(tokens) = tokens(text) else { return Ok(text.into()) };
    refuse_iris_in_filters(text, &tokens)?;
    let lowered = lower_booleans(text, &tokens);
    Ok(match with_checked_sources(&lowered, &tokens) {
        Some(text) => text.into(),
        None => lowered,
    })
}

/// The tokens; none if the text escapes characters that tokens are made of, or a string doesn't
/// end.
pub(super) fn tokens(text: &str) -> Option<Vec<Token>> {
    if text.contains("\\u00") || text.contains("\\U000000") {
        return None;
    }
    let (tokens, is_all) = tokens_up_to_a_fault(text);
    is_all.then_some(tokens)
}

/// The tokens up to a string or a comment that doesn't end, and whether they are all.
pub(super) fn tokens_up_to_a_fault(text: &str) -> (Vec<Token>, bool) {
    let bytes = text.as_bytes();
    let (mut tokens, mut at) = (Vec::new(), 0);
    while let Some(byte) = bytes.get(at) {
        let (kind, end) = match byte {
            b' ' | b'\t' | b'\r' | b'\n' => {
                at += 1;
                continue;
            }
            b'#' => {
                match bytes[at..].iter().position(|byte| *byte == b'\n') {
                    Some(len) => at += len,
                    None => return (tokens, false),
                }
                continue;
            }
            b'<' => match iri_end(bytes, at) {
                Some(end) => (Kind::Iri, end),
                None => (Kind::Mark, at + 1),
            },
            b'"' | b'\'' => match string_end(bytes, at) {
                Some(end) => (Kind::Text, end),
                None => return (tokens, false),
            },
            b'?' | b'$' if bytes.get(at + 1).is_some_and(|byte| is_name(*byte)) => {
                (Kind::Variable, at + 1 + name_len(&bytes[at + 1..], is_name))
            }
            b'@' => (Kind::Word, at + 1 + name_len(&bytes[at + 1..], is_name)),
            byte if is_name(*byte) || *byte == b':' => {
                let len = name_len(&bytes[at..], |byte| is_name(byte) || b":-.%\\".contains(&byte));
                let dots = bytes[at..at + len].iter().rev().take_while(|byte| **byte == b'.');
                (Kind::Word, at + len - dots.count())
            }
            _ => (Kind::Mark, at + 1),
        };
        tokens.push(Token { kind, at: at..end });
        at = end;
    }
    (tokens, true)
}

fn is_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80
}

fn name_len(bytes: &[u8], is_part: impl Fn(u8) -> bool) -> usize {
    bytes.iter().position(|byte| !is_part(*byte)).unwrap_or(bytes.len())
}

fn iri_end(bytes: &[u8], at: usize) -> Option<usize> {
    let end =
        bytes[at + 1..].iter().position(|byte| *byte <= b' ' || b"<>\"{}|^`".contains(byte))?;
    (bytes[at + 1 + end] == b'>').then_some(at + end + 2)
}

fn string_end(bytes: &[u8], at: usize) -> Option<usize> {
    let quote = bytes[at];
    let is_long = bytes[at..].starts_with(&[quote; 3]);
    let close: &[u8] = if is_long { &[quote; 3] } else { &[quote] };
    let mut end = at + close.len();
    while end < bytes.len() {
        if bytes[end] == b'\\' {
            end += 2;
        } else if bytes[end..].starts_with(close) {
            return Some(end + close.len());
        } else {
            end += 1;
        }
    }
    None
}

fn is_word(text: &str, token: &Token, word: &str) -> bool {
    token.kind == Kind::Word && text[token.at.clone()].eq_ignore_ascii_case(word)
}

fn lower_booleans<'t>(text: &'t str, tokens: &[Token]) -> Cow<'t, str> {
    let mut lowered = Cow::Borrowed(text);
    for token in tokens {
        let written = &text[token.at.clone()];
        let is_boolean = is_word(text, token, "true") || is_word(text, token, "false");
        if is_boolean && written.bytes().any(|byte| byte.is_ascii_uppercase()) {
            lowered.to_mut().replace_range(token.at.clone(), &written.to_ascii_lowercase());
        }
    }
    lowered
}

/// An IRI that follows an operand inside the parentheses of FILTER, HAVING or BIND: the longest
/// token wins, so `?x<?a&&?b>?y` holds no comparison.
fn refuse_iris_in_filters(text: &str, tokens: &[Token]) -> Result<(), SparqlError> {
    // For each open bracket, whether an expression is in it.
    let mut open: Vec<bool> = Vec::new();
    for (at, token) in tokens.iter().enumerate() {
        let before = at.checked_sub(1).map(|at| &tokens[at]);
        match (token.kind, &text[token.at.clone()]) {
            (Kind::Mark, "(") => {
                let opens = ["filter", "having", "bind"];
                let is_first = before
                    .is_some_and(|before| opens.iter().any(|word| is_word(text, before, word)));
                open.push(is_first || open.last() == Some(&true));
            }
            (Kind::Mark, "{") => open.push(false),
            (Kind::Mark, ")" | "}") => {
                open.pop();
            }
            (Kind::Iri, iri) if open.last() == Some(&true) => {
                let follows_operand = before.is_some_and(|before| {
                    before.kind == Kind::Variable || &text[before.at.clone()] == ")"
                });
                if follows_operand {
                    let line = text[..token.at.start].matches('\n').count() + 1;
                    let why = format!("line {line}: {iri} is an IRI, and follows an operand");
                    return Err(SparqlError::Syntax(why));
                }
            }
            _ => {}
        }
    }
    Ok(())
}

fn star_order(text: &str, tokens: &[Token]) -> Option<Vec<String>> {
    let select = tokens.iter().position(|token| is_word(text, token, "select"))?;
    let mut rest = tokens[select + 1..].iter();
    let mut next = rest.next()?;
    if is_word(text, next, "distinct") || is_word(text, next, "reduced") {
        next = rest.next()?;
    }
    let is_first = !tokens[..select].iter().any(|token| &text[token.at.clone()] == "{");
    if &text[next.at.clone()] != "*" || !is_first {
        return None;
    }
    let mut names: Vec<String> = Vec::new();
    for token in rest.filter(|token| token.kind == Kind::Variable) {
        let name = &text[token.at.start + 1..token.at.end];
        if !names.iter().any(|other| other == name) {
            names.push(name.to_owned());
        }
    }
    Some(names)
}

/// ADD and COPY without SILENT, an operation before each that names the source, which has to exist.
/// MOVE drops it, and so has one.
fn with_checked_sources(text: &str, tokens: &[Token]) -> Option<String> {
    let (mut checked, mut copied, mut depth) = (String::new(), 0, 0_usize);
    for (at, token) in tokens.iter().enumerate() {
        match &text[token.at.clone()] {
            "{" => depth += 1,
            "}" => depth = depth.saturating_sub(1),
            _ => {}
        }
        let is_copy = is_word(text, token, "add") || is_word(text, token, "copy");
        if depth > 0 || !is_copy {
            continue;
        }
        let mut source = tokens.get(at + 1)?;
        if is_word(text, source, "graph") {
            source = tokens.get(at + 2)?;
        }
        if is_word(text, source, "silent") || is_word(text, source, "default") {
            continue;
        }
        let name = &text[source.at.clone()];
        checked.push_str(&text[copied..token.at.start]);
        checked.push_str(&format!(
            "INSERT {{}} WHERE {{ GRAPH {name} {{ FILTER(\"{SOURCE_EXISTS}\") }} }} ; "
        ));
        copied = token.at.start;
    }
    checked.push_str(&text[copied..]);
    (copied > 0 || checked.len() > text.len()).then_some(checked)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check_booleans(text: &str, want: &str) {
        assert_eq!(query_text(text).expect("tokens").text, want);
    }

    #[test]
    fn booleans_are_in_any_case() {
        check_booleans("ASK { FILTER(TRUE || False) }", "ASK { FILTER(true || false) }");
    }

    #[test]
    fn names_strings_and_comments_stay() {
        for text in [
            "ASK { :TRUE a:False ?TRUE 'TRUE', \"\"\"FALSE\" TRUE\"\"\" }",
            "ASK { <TRUE> $True _:TRUE \"x\"@TRUE # TRUE\n }",
            "ASK { FILTER(?a < TRUE:b && ?b > 1) }",
        ] {
            check_booleans(text, text);
        }
    }

    #[test]
    fn the_longest_token_wins() {
        assert!(query_text("SELECT * { ?x ?p ?y FILTER(?x<?a&&?b>?y) }").is_err());
        assert!(query_text("SELECT * { ?x<?a&&?b>?y FILTER(?x < ?a && ?b > ?y) }").is_ok());
        assert!(query_text("SELECT * { FILTER(?x IN (<a>, <b>)) (?x <a>) ?p ?q }").is_ok());
    }

    #[test]
    fn a_star_is_in_the_order_of_the_text() {
        let text = "PREFIX : <x:> SELECT DISTINCT * { ?b :p ?a . ?b :q $c }";
        let star = query_text(text).expect("tokens").star.expect("a star");
        assert_eq!(star, ["b", "a", "c"]);
        assert!(query_text("SELECT ?a { ?b ?c ?a }").expect("tokens").star.is_none());
        assert!(query_text("ASK { SELECT * { ?b ?c ?a } }").expect("tokens").star.is_none());
    }

    #[test]
    fn copies_check_their_source() {
        let text = update_text("COPY <a> TO <b> ; ADD SILENT <a> TO <c>").expect("tokens");
        assert!(text.starts_with("INSERT {} WHERE { GRAPH <a> {"), "{text}");
        assert_eq!(text.matches("INSERT").count(), 1);
        let text = update_text("INSERT DATA { <a> <b> <copy> }").expect("tokens");
        assert_eq!(text, "INSERT DATA { <a> <b> <copy> }");
    }
}
