//! From the text of a query to what it asks.
//!
//! Bytes:   docs/guide/search-zoekt-shards.md, section *Queries*

use super::super::super::dialect;
use super::atom::{Case, Source, Word};
use super::expr::{Expr, Query, QueryError, tidy};

/// Reads a query.
pub(super) fn parse(text: &str) -> Result<Query, QueryError> {
    let mut parser = Parser { text, at: 0, words: Vec::new() };
    let list = parser.list(0)?;
    if parser.at < text.len() {
        let what = match text.as_bytes()[parser.at] {
            b')' => "this parenthesis closes nothing",
            _ => "the query is one line; this begins another",
        };
        return Err(QueryError { at: parser.at, what: what.to_owned() });
    }
    let Some(list) = list else {
        return Err(QueryError { at: 0, what: "it asks for nothing".to_owned() });
    };
    let words = parser.words;
    let mut atoms = Vec::with_capacity(words.len());
    let mut is_true = Vec::with_capacity(words.len());
    for word in &words {
        let (atom, is_empty) = word.atom()?;
        atoms.push(atom);
        is_true.push(is_empty);
    }
    Ok(Query { expr: tidy(list, &is_true), atoms })
}

struct Parser<'t> {
    text: &'t str,
    at: usize,
    words: Vec<Word>,
}

/// One word of a query.
struct Token {
    at: usize,
    /// Without quotes.
    text: String,
    /// For each byte of the text its place in the query.
    places: Vec<usize>,
    /// Number of bytes at its front that are outside of quotes.
    bare_len: usize,
}

/// Maximum depth of nested parentheses and minus signs. All that walks over an expression, and its
/// drop, recurse as deep.
const DEPTH_MAX: usize = 100;

impl Parser<'_> {
    fn error<T>(&self, at: usize, what: impl Into<String>) -> Result<T, QueryError> {
        Err(QueryError { at, what: what.into() })
    }

    fn rest(&self) -> &[u8] {
        &self.text.as_bytes()[self.at..]
    }

    fn skip_blanks(&mut self) {
        self.at += self.rest().iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
    }

    /// Reads up to the end or a closing parenthesis; `None` where nothing is asked.
    fn list(&mut self, depth: usize) -> Result<Option<Expr>, QueryError> {
        let first_word = self.words.len();
        let mut case = None;
        let mut is_empty = true;
        let mut groups: Vec<Vec<Expr>> = vec![Vec::new()];
        let mut wants_operand = None;
        loop {
            self.skip_blanks();
            let at = self.at;
            if matches!(self.rest().first(), None | Some(b')' | b'\n')) {
                break;
            }
            is_empty = false;
            match self.item(depth, &mut case)? {
                Item::Or if groups.last().is_none_or(Vec::is_empty) => {
                    return self.error(at, "`or` needs something before it");
                }
                Item::Or => {
                    wants_operand = Some(at);
                    groups.push(Vec::new());
                }
                Item::Expr(expr) => {
                    wants_operand = None;
                    groups.last_mut().expect("one at least").push(expr);
                }
                Item::Nothing => {}
            }
        }
        if let Some(at) = wants_operand {
            return self.error(at, "`or` needs something behind it");
        }
        if let Some(case) = case {
            for word in &mut self.words[first_word..] {
                word.case.get_or_insert(case);
            }
        }
        let list = Expr::Any(groups.into_iter().map(Expr::All).collect());
        Ok((!is_empty).then_some(list))
    }

    fn item(&mut self, depth: usize, case: &mut Option<Case>) -> Result<Item, QueryError> {
        let at = self.at;
        if depth > DEPTH_MAX {
            let what = format!("parentheses and minus signs nest deeper than {DEPTH_MAX}");
            return self.error(at, what);
        }
        if self.rest().starts_with(b"-") {
            self.at += 1;
            self.skip_blanks();
            if matches!(self.rest().first(), None | Some(b')' | b'\n')) {
                return self.error(at, "`-` needs something behind it");
            }
            return match self.item(depth + 1, case)? {
                Item::Expr(expr) => Ok(Item::Expr(Expr::Not(Box::new(expr)))),
                _ => self.error(at, "`-` needs something that can be there or not"),
            };
        }
        if self.is_group()? {
            self.at += 1;
            let list = self.list(depth + 1)?;
            if !self.rest().starts_with(b")") {
                return self.error(at, "this parenthesis is not closed");
            }
            self.at += 1;
            return Ok(Item::Expr(list.unwrap_or(Expr::Const(true))));
        }
        let token = self.token()?;
        if token.text == "or" && token.bare_len == 2 {
            return Ok(Item::Or);
        }
        self.meaning(token, case)
    }

    /// Whether a group begins here, rather than a regex that begins with a parenthesis: blanks
    /// within make it one.
    fn is_group(&self) -> Result<bool, QueryError> {
        let rest = self.rest();
        if !rest.starts_with(b"(") {
            return Ok(false);
        }
        let (mut depth, mut at, mut has_blank) = (0usize, 0, false);
        while let Some(byte) = rest.get(at) {
            match byte {
                b'(' => depth += 1,
                b')' => depth -= 1,
                b'\\' => at += 1,
                b'"' => at += self.quoted(self.at + at)?.1 - 1,
                b' ' | b'\t' | b'\n' => has_blank = true,
                _ => {}
            }
            if depth == 0 {
                return Ok(has_blank);
            }
            at += 1;
        }
        self.error(self.at, "this parenthesis is not closed")
    }

    /// The characters of a quotation that begins at `at` with their places, and its length with the
    /// quotes.
    fn quoted(&self, at: usize) -> Result<(Vec<(usize, char)>, usize), QueryError> {
        let mut text = Vec::new();
        let mut chars = self.text[at + 1..].char_indices();
        while let Some((offset, char)) = chars.next() {
            let place = at + 1 + offset;
            match char {
                '"' => return Ok((text, offset + 2)),
                '\\' => match chars.next() {
                    Some((_, char)) => text.push((place, char)),
                    None => break,
                },
                _ => text.push((place, char)),
            }
        }
        self.error(at, "this quotation is not closed")
    }

    fn token(&mut self) -> Result<Token, QueryError> {
        let start = self.at;
        let mut token = Token { at: start, text: String::new(), places: Vec::new(), bare_len: 0 };
        let (mut open, mut is_bare) = (Vec::new(), true);
        while let Some(char) = self.text[self.at..].chars().next() {
            match char {
                ' ' | '\t' | '\n' | ')' if open.is_empty() => break,
                '"' => {
                    let (text, len) = self.quoted(self.at)?;
                    text.into_iter().for_each(|(place, char)| token.push(place, char));
                    self.at += len;
                    is_bare = false;
                    continue;
                }
                '\\' => {
                    let Some(next) = self.text[self.at + 1..].chars().next() else {
                        return self.error(self.at, "a backslash needs something behind it");
                    };
                    token.push(self.at, char);
                    token.push(self.at + 1, next);
                    self.at += 1 + next.len_utf8();
                    token.bare_len += if is_bare { 1 + next.len_utf8() } else { 0 };
                    continue;
                }
                '(' => open.push(self.at),
                ')' => drop(open.pop()),
                _ => {}
            }
            token.push(self.at, char);
            self.at += char.len_utf8();
            token.bare_len += if is_bare { char.len_utf8() } else { 0 };
        }
        if let Some(at) = open.pop() {
            return self.error(at, "this parenthesis is not closed");
        }
        Ok(token)
    }

    fn meaning(&mut self, token: Token, case: &mut Option<Case>) -> Result<Item, QueryError> {
        let bare = &token.text[..token.bare_len];
        let (prefix, argument_at) = match bare.find(':') {
            Some(colon) => (&bare[..colon], colon + 1),
            None => ("", 0),
        };
        let (at, argument) = (token.at, &token.text[argument_at..]);
        let expr = match prefix {
            "content" | "c" => self.word(&token, argument_at, Scope::Content)?,
            "file" | "f" => self.word(&token, argument_at, Scope::Name)?,
            "regex" => self.word(&token, argument_at, Scope::Either)?,
            "repo" | "r" => {
                let source = self.source(&token, argument_at)?;
                Expr::Repository(source.compile(false)?)
            }
            "lang" if argument.is_empty() => Expr::Const(false),
            "lang" => Expr::Language(argument.to_lowercase()),
            "case" => {
                *case = Some(match argument {
                    "yes" => Case::Yes,
                    "no" => Case::No,
                    "auto" => Case::Auto,
                    _ => return self.error(at, "case: takes yes, no or auto"),
                });
                return Ok(Item::Nothing);
            }
            "sym" | "s" | "branch" | "b" | "type" | "t" | "archived" | "fork" | "public" => {
                return self.error(at, format!("{prefix}: is not supported yet"));
            }
            field if field.starts_with("meta.") => {
                return self.error(at, "meta.FIELD: is not supported yet");
            }
            _ => self.word(&token, 0, Scope::Either)?,
        };
        Ok(Item::Expr(expr))
    }

    /// The regex that a token holds from a byte on.
    fn source(&self, token: &Token, from: usize) -> Result<Source, QueryError> {
        let mut places = token.places[from..].to_vec();
        places.push(self.at);
        let translated = dialect::translate(&token.text[from..])
            .map_err(|fault| QueryError { at: places[fault.at], what: fault.what })?;
        Ok(Source { translated, places })
    }

    fn word(&mut self, token: &Token, from: usize, scope: Scope) -> Result<Expr, QueryError> {
        if token.text.len() == from {
            return Ok(Expr::Const(true));
        }
        let regex = self.source(token, from)?;
        let number = self.words.len();
        self.words.push(Word { regex, case: None });
        Ok(match scope {
            Scope::Content => Expr::Content(number),
            Scope::Name => Expr::Name(number),
            Scope::Either => Expr::Any(vec![Expr::Name(number), Expr::Content(number)]),
        })
    }
}

enum Item {
    Expr(Expr),
    Or,
    /// It says something of others.
    Nothing,
}

enum Scope {
    Content,
    Name,
    Either,
}

impl Token {
    fn push(&mut self, place: usize, char: char) {
        self.text.push(char);
        self.places.extend(std::iter::repeat_n(place, char.len_utf8()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A query as it was understood: atoms as their regexes, with `(?i)` before those that fold.
    fn shown(query: &Query) -> String {
        fn list(parts: &[Expr], between: &str, query: &Query) -> String {
            let parts: Vec<String> = parts.iter().map(|part| show(part, query)).collect();
            format!("({})", parts.join(between))
        }
        fn show(expr: &Expr, query: &Query) -> String {
            let atom = |number: &usize| query.atoms[*number].regex.as_str();
            match expr {
                Expr::Const(value) => value.to_string(),
                Expr::All(parts) => list(parts, " & ", query),
                Expr::Any(parts) => list(parts, " | ", query),
                Expr::Not(inner) => format!("!{}", show(inner, query)),
                Expr::Content(number) => format!("c:{}", atom(number)),
                Expr::Name(number) => format!("f:{}", atom(number)),
                Expr::Language(name) => format!("lang:{name}"),
                Expr::Repository(regex) => format!("repo:{}", regex.as_str()),
            }
        }
        show(&query.expr, query)
    }

    #[track_caller]
    fn check(text: &str, want: &str) {
        assert_eq!(shown(&parse(text).expect(text)), want, "{text}");
    }

    #[track_caller]
    fn check_error(text: &str, at: usize, what: &str) {
        let error = parse(text).expect_err(text);
        assert!(error.at == at && error.what.contains(what), "{text}: {error}");
    }

    #[test]
    fn words_side_by_side_are_all_wanted() {
        check("c:a c:b", "(c:a & c:b)");
        check("c:a c:b or c:c c:d", "((c:a & c:b) | (c:c & c:d))");
        check("c:a (c:b or c:c)", "(c:a & (c:b | c:c))");
        check("c:a and", "(c:a & (f:and | c:and))");
    }

    #[test]
    fn a_word_without_a_prefix_may_be_in_the_name() {
        check("ab", "(f:ab | c:ab)");
        check("regex:ab", "(f:ab | c:ab)");
        check("x:ab", "(f:x:ab | c:x:ab)");
    }

    #[test]
    fn minus_negates_what_follows() {
        check("-c:a", "!c:a");
        check("c:a -(c:b or c:c)", "(c:a & !(c:b | c:c))");
        check("c:a-b", "c:a\\-b");
    }

    #[test]
    fn parentheses_without_blanks_belong_to_the_regex() {
        check("c:(a|b)c", "c:(?:a|b)c");
        check("(a|b)", "(f:(?:a|b) | c:(?:a|b))");
        check("(c:a c:b)", "(c:a & c:b)");
        check("c:x(a b)", "c:x(?:a b)");
        check("()", "true");
        check("( )", "true");
    }

    #[test]
    fn quotes_keep_blanks_and_take_backslashes() {
        check("c:\"a b\"", "c:a b");
        check("c:\"a\\\\.b\"", "c:a\\.b");
        check("c:a\\ b", "c:a b");
        check("\"c:a\"", "(f:c:a | c:c:a)");
        check("\"or\" c:a", "((f:or | c:or) & c:a)");
    }

    #[test]
    fn case_holds_for_its_list() {
        let folds = |text: &str| -> Vec<bool> {
            let query = parse(text).expect(text);
            query.atoms.iter().map(|atom| atom.regex.is_match(b"AB")).collect()
        };
        assert_eq!(folds("c:ab"), [true]);
        assert_eq!(folds("c:Ab"), [false]);
        assert_eq!(folds("c:ab case:yes"), [false]);
        assert_eq!(folds("c:Ab case:no"), [true]);
        assert_eq!(folds("case:yes (case:no c:ab) c:ab"), [true, false]);
        assert_eq!(folds("case:yes (c:ab c:ab)"), [false, false]);
        assert_eq!(folds("c:ab case:no case:yes"), [false]);
    }

    #[test]
    fn filters_and_constants() {
        check("lang:Go c:a", "(lang:go & c:a)");
        check("lang: c:a", "false");
        check("r:^k c:a", "(repo:^k & c:a)");
        check("file:", "true");
        check("-file:", "false");
        check("c:a or file:", "true");
    }

    #[test]
    fn errors_say_where() {
        check_error("", 0, "asks for nothing");
        check_error("a or", 2, "behind");
        check_error("or", 0, "before");
        check_error("a -", 2, "behind");
        check_error("a (b c", 2, "not closed");
        check_error("(a", 0, "not closed");
        check_error("a)", 1, "closes nothing");
        check_error("a \"b", 2, "not closed");
        check_error("a\nb", 1, "one line");
        check_error("a case:maybe", 2, "yes, no or auto");
        check_error("a sym:b", 2, "sym: is not supported yet");
        check_error("a meta.x:b", 2, "is not supported yet");
        check_error("a x{1001}", 3, "1000");
        check_error("a b[", 3, "not closed");
        check_error("a b\\", 3, "backslash");
    }

    #[test]
    fn nesting_has_a_limit() {
        let minus = |count: usize| format!("{}a", "-".repeat(count));
        let groups = |count: usize| format!("{}a b{}", "(".repeat(count), ")".repeat(count));
        assert!(parse(&minus(DEPTH_MAX)).is_ok() && parse(&groups(DEPTH_MAX)).is_ok());
        for deep in [minus(101), minus(65_000), groups(101), groups(30_000)] {
            check_error(&deep, 101, "nest deeper than 100");
        }
        check_error(&"-(".repeat(30_000), 1, "not closed");
        let mixed = format!("{}a b{}", "-(".repeat(30_000), ")".repeat(30_000));
        check_error(&mixed, 101, "nest deeper than 100");
    }

    #[test]
    fn a_wrong_regex_is_shown_as_it_was_written() {
        let whole = |text: &str| parse(text).expect_err(text).to_string();
        for (text, want) in [
            ("a c:x\\p{Nosuch}y", "query, at byte 5: `\\p{Nosuch}`: Unicode property not found"),
            (
                "c:\"a b\"[z-a]",
                "query, at byte 8: `z-a`: invalid character class range, the start must be <= the end",
            ),
            ("c:é\\d(a*", "query, at byte 6: this parenthesis is not closed"),
            ("r:a\\pX", "query, at byte 3: `\\pX`: Unicode property not found"),
            ("c:a(?P<n", "query, at byte 3: this parenthesis is not closed"),
            ("c:a**", "query, at byte 4: `*` repeats a repeat; put it in parentheses"),
            ("c:ab|+", "query, at byte 5: `+` has nothing to repeat"),
            (
                "c:(\\pL{1000}){1000}",
                "query, at byte 2: this regex takes more than 10485760 bytes of memory",
            ),
        ] {
            assert_eq!(whole(text), want, "{text}");
        }
        let deep = format!("c:x{}a{}", "(".repeat(300), ")".repeat(300));
        assert_eq!(whole(&deep), "query, at byte 252: groups and repeats nest deeper than 250");
        let long = format!("c:a{{{}}}", "7".repeat(60_000));
        assert!(whole(&long).len() < 200, "{}", whole(&long));
    }

    #[test]
    fn nothing_is_needed_of_what_stands_for_bad_bytes() {
        let need = |text: &str| parse(text).expect(text).atoms[0].need.to_string();
        assert_eq!(need("case:yes c:caf\u{fffd}xyz"), "\"caf\" & \"xyz\"");
        assert_eq!(need("case:yes c:日本"), "\"日本\"");
        assert_eq!(need("case:yes c:[^a]xyz"), "\"xyz\"");
    }
}
