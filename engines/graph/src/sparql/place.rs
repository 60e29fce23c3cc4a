//! Where a text stops being SPARQL: the parser's own place is the farthest that any of its attempts
//! came, and an attempt at a keyword reads as many characters as the keyword has, whatever they
//! are. With enough blanks between the tokens no attempt reaches the next one.

use super::text::{Kind, Token, tokens};

/// Number of blanks between two tokens: more than the longest keyword has characters.
const GAP: usize = 64;
/// Maximum number of characters of a line that are shown.
const SHOWN_MAX: usize = 100;

/// Says why a text is refused, and where. `parse` gives the parser's words; `refused` are those on
/// the text itself.
pub(super) fn refusal(
    text: &str,
    refused: &str,
    parse: impl Fn(&str) -> Result<(), String>,
) -> String {
    // A comment at the end needs one.
    let ended = format!("{text}\n");
    let Some(tokens) = tokens(&ended) else {
        return match place_of(refused) {
            Some((line, column, _)) => shown(
                text,
                offset(text, line, column),
                "this or what is before it isn't expected here",
            ),
            None => refused.to_owned(),
        };
    };
    let (padded, starts) = padded(&ended, &tokens);
    let Err(words) = parse(&padded) else { return refused.to_owned() };
    let Some((line, column, wanted)) = place_of(&words) else { return words };
    let at = offset(&padded, line, column);
    if at >= padded.len() {
        let end = ended.trim_end().len();
        let why = match (sentence_of(wanted), unclosed(&ended, &tokens)) {
            (Some(reason), _) => reason.to_owned(),
            (None, Some(open)) => {
                let (line, column) = line_column(text, open);
                let bracket = &text[open..=open];
                format!(
                    "the text ends, but {bracket:?} of line {line}, column {column} isn't closed"
                )
            }
            (None, None) => "the text ends too early".to_owned(),
        };
        return shown(text, end, &why);
    }
    let failed = starts.partition_point(|start| *start <= at).saturating_sub(1);
    let Some(token) = tokens.get(failed) else { return words };
    let written = &text[token.at.clone()];
    let why = match unknown_prefix(&ended, &tokens, token) {
        Some(prefix) => format!("the prefix {prefix}: isn't declared"),
        // Without the token no attempt reads farther than the place at which the parser says more.
        None => sentence(&parse, padded[..starts[failed]].trim_end())
            .unwrap_or_else(|| format!("{written:?} isn't expected here")),
    };
    shown(text, token.at.start, &why)
}

/// The tokens with blanks between all that can have them, and where each begins.
fn padded(text: &str, tokens: &[Token]) -> (String, Vec<usize>) {
    let (mut padded, mut starts) = (String::new(), Vec::new());
    let mut end = 0;
    for (at, token) in tokens.iter().enumerate() {
        let next = tokens.get(at + 1).map(|next| &text[next.at.clone()]);
        let written = &text[token.at.clone()];
        let before = at.checked_sub(1).map(|before| &text[tokens[before].at.clone()]);
        let is_alone = |mark: &str, next: Option<&str>| match mark {
            // With a bar it is a mark of its own, and so is a bracket of a triple term.
            "{" => next != Some("|"),
            "(" => before != Some("<"),
            ")" => next != Some(">"),
            "}" | ";" | "," => true,
            _ => false,
        };
        if token.at.start > end
            || before.is_some_and(|before| is_alone(before, Some(written)))
            || is_alone(written, next) && before != Some("|")
        {
            padded.push_str(&" ".repeat(GAP));
        }
        starts.push(padded.len());
        padded.push_str(written);
        end = token.at.end;
    }
    padded.push_str(&" ".repeat(GAP));
    (padded, starts)
}

/// The line and column that the parser names, and what it would have wanted there.
fn place_of(words: &str) -> Option<(usize, usize, &str)> {
    let (place, wanted) = words.strip_prefix("error at ")?.split_once(": expected ")?;
    let (line, column) = place.split_once(':')?;
    let wanted = wanted.strip_prefix("one of ").unwrap_or(wanted);
    Some((line.parse().ok()?, column.parse().ok()?, wanted))
}

/// The sentence with which the parser refuses a text, if it is one.
fn sentence(parse: impl Fn(&str) -> Result<(), String>, text: &str) -> Option<String> {
    let words = parse(text).err()?;
    let (_, _, wanted) = place_of(&words)?;
    sentence_of(wanted).map(str::to_owned)
}

fn sentence_of(wanted: &str) -> Option<&str> {
    wanted.split(", ").find(|item| is_sentence(item))
}

/// Whether something wanted is a sentence of the parser's rather than a token.
fn is_sentence(wanted: &str) -> bool {
    let is_token = wanted.starts_with(['"', '[']) || wanted == "Prefix not found";
    !is_token && wanted.contains(' ') && wanted.bytes().any(|byte| byte.is_ascii_lowercase())
}

/// Where a line and a column in characters are, both counted from 1.
fn offset(text: &str, line: usize, column: usize) -> usize {
    let start: usize = text.split_inclusive('\n').take(line - 1).map(str::len).sum();
    let chars = text[start..].char_indices().map(|(at, _)| start + at);
    chars.chain([text.len()]).nth(column.saturating_sub(1)).unwrap_or(text.len())
}

fn line_column(text: &str, at: usize) -> (usize, usize) {
    let start = text[..at].rfind('\n').map_or(0, |before| before + 1);
    (text[..at].matches('\n').count() + 1, text[start..at].chars().count() + 1)
}

/// The innermost bracket that isn't closed.
fn unclosed(text: &str, tokens: &[Token]) -> Option<usize> {
    let mut open = Vec::new();
    for token in tokens.iter().filter(|token| token.kind == Kind::Mark) {
        match &text[token.at.clone()] {
            "{" | "(" | "[" => open.push(token.at.start),
            "}" | ")" | "]" => drop(open.pop()),
            _ => {}
        }
    }
    open.pop()
}

/// The prefix of a name, if nothing declares it.
fn unknown_prefix<'t>(text: &'t str, tokens: &[Token], token: &Token) -> Option<&'t str> {
    let of = |token: &Token| text[token.at.clone()].split_once(':').map(|(prefix, _)| prefix);
    let prefix = of(token).filter(|prefix| token.kind == Kind::Word && *prefix != "_")?;
    let is_declared = tokens.windows(2).any(|pair| {
        let is_prefix = text[pair[0].at.clone()].eq_ignore_ascii_case("prefix");
        is_prefix && (pair[1].at == token.at || of(&pair[1]) == Some(prefix))
    });
    (!is_declared).then_some(prefix)
}

/// A reason with its place, and the line with a mark below it.
fn shown(text: &str, at: usize, why: &str) -> String {
    let (line, column) = line_column(text, at);
    let all: Vec<char> = text.lines().nth(line - 1).unwrap_or_default().chars().collect();
    let first = (column - 1).saturating_sub(SHOWN_MAX / 2);
    let part = all.iter().skip(first).take(SHOWN_MAX);
    let part: String = part.map(|char| if char.is_control() { ' ' } else { *char }).collect();
    let mark = " ".repeat(column - 1 - first);
    format!("line {line}, column {column}: {why}\n  {}\n  {mark}^", part.trim_end())
}

#[cfg(test)]
mod tests {
    use super::super::{check_query, check_update};

    #[track_caller]
    fn check(text: &str, want: &str) {
        let refused =
            if text.contains("DATA") { check_update(text, None) } else { check_query(text, None) };
        let refused = refused.expect_err("it is refused");
        assert_eq!(refused.to_string(), format!("not SPARQL 1.2: {want}"));
        let place = refused.place().map(|(line, column)| format!("line {line}, column {column}:"));
        assert!(want.starts_with(&place.unwrap_or_default()), "{want}");
    }

    #[test]
    fn the_token_that_is_wrong_is_shown() {
        check(
            "SELEC * { ?s ?p ?o }",
            "line 1, column 1: \"SELEC\" isn't expected here\n  SELEC * { ?s ?p ?o }\n  ^",
        );
        check(
            "SELECT *\nWHERE { ?s ?p ?o . # all\n  FILTER(?o > > 3) }",
            "line 3, column 15: \">\" isn't expected here\n    FILTER(?o > > 3) }\n                ^",
        );
        check(
            "SELECT * { ?s ?p ?o FILTER(?o > 3 3) }",
            "line 1, column 35: \"3\" isn't expected here\n  SELECT * { ?s ?p ?o FILTER(?o > 3 3) }\n                                    ^",
        );
        check(
            "SELECT * { ?s ?p \"ä\" ?q }",
            "line 1, column 22: \"?q\" isn't expected here\n  SELECT * { ?s ?p \"ä\" ?q }\n                       ^",
        );
        check(
            "INSERT DATA { <a:a> <a:b> }",
            "line 1, column 27: \"}\" isn't expected here\n  INSERT DATA { <a:a> <a:b> }\n                            ^",
        );
    }

    #[test]
    fn prefixes_brackets_and_reasons_are_named() {
        check(
            "PREFIX a: <a:> SELECT * { ?s a:b ?o ; foo:c 1 }",
            "line 1, column 39: the prefix foo: isn't declared\n  PREFIX a: <a:> SELECT * { ?s a:b ?o ; foo:c 1 }\n                                        ^",
        );
        check(
            "SELECT * {\n  ?s ?p ?o",
            "line 2, column 11: the text ends, but \"{\" of line 1, column 10 isn't closed\n    ?s ?p ?o\n            ^",
        );
        check("", "line 1, column 1: the text ends too early\n  \n  ^");
        check(
            "SELECT ?x { VALUES ?x { 1 } BIND(2 AS ?x) }",
            "line 1, column 43: BIND is overriding an existing variable\n  SELECT ?x { VALUES ?x { 1 } BIND(2 AS ?x) }\n                                            ^",
        );
    }

    #[test]
    fn of_a_long_line_a_part_is_shown() {
        let text = format!("SELECT * {{ {} ?s ?p }}", "?s ?p ?o . ".repeat(100));
        let error = check_query(&text, None).expect_err("it is refused").to_string();
        let lines: Vec<&str> = error.lines().collect();
        assert!(lines[0].ends_with("column 1119: \"}\" isn't expected here"), "{error}");
        assert!(lines[1].len() < 110 && lines[2].len() == 2 + 50 + 1, "{error}");
    }
}
