//! From the text of a query to what it asks.
//!
//! Bytes:   docs/guide/search-zoekt-shards.md, section *Queries*

use super::super::super::{classify, dialect};
use super::atom::{Case, Source, Word};
use super::expr::{Expr, Language, OfRepository, Query, QueryError, alias_key, tidy};

/// Reads a query.
pub(super) fn parse(text: &str) -> Result<Query, QueryError> {
    let mut parser = Parser { text, at: 0, words: Vec::new(), states_left: STATES_MAX };
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
    /// What further regexes may take.
    states_left: u64,
}

/// Maximum number of states of all regexes of a query together, about: `\pL{200}` has as many.
/// Without it 1800 times `\pL{60}`, a query of 14 KB, take minutes and more than 5 GB.
const STATES_MAX: u64 = 600_000;

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
        let mut settings = Settings { case: None, kind: None };
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
            match self.item(depth, &mut settings)? {
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
        if let Some(case) = settings.case {
            for word in &mut self.words[first_word..] {
                word.case.get_or_insert(case);
            }
        }
        let list = Expr::Any(groups.into_iter().map(Expr::All).collect());
        let list = match settings.kind {
            None | Some(Kind::Match) => list,
            Some(Kind::Name) => Expr::Unshown(Box::new(list)),
            Some(Kind::Repository) => Expr::InRepository(Box::new(list)),
        };
        Ok((!is_empty).then_some(list))
    }

    fn item(&mut self, depth: usize, settings: &mut Settings) -> Result<Item, QueryError> {
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
            return match self.item(depth + 1, settings)? {
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
        self.meaning(&token, settings)
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

    fn meaning(&mut self, token: &Token, settings: &mut Settings) -> Result<Item, QueryError> {
        let bare = &token.text[..token.bare_len];
        let (prefix, argument_at) = match bare.find(':') {
            Some(colon) => (&bare[..colon], colon + 1),
            None => ("", 0),
        };
        let (at, argument) = (token.at, &token.text[argument_at..]);
        let expr = match prefix {
            "content" | "c" => self.word(token, argument_at, Scope::Content)?,
            "file" | "f" => self.word(token, argument_at, Scope::Name)?,
            "regex" => self.word(token, argument_at, Scope::Either)?,
            "sym" if argument.is_empty() => {
                return self.error(at, "sym: needs the name of a symbol, or a part of it");
            }
            "sym" => self.word(token, argument_at, Scope::Symbol)?,
            "repo" | "r" => {
                let source = self.source(token, argument_at)?;
                Expr::Repository(OfRepository::Name(source.compile(false)?))
            }
            "branch" | "b" => Expr::Branch(argument.to_owned()),
            "lang" if argument.is_empty() => Expr::Const(false),
            "lang" => Expr::Language(match classify::language_of_alias(argument) {
                Some(name) => Language::Known(name),
                None => Language::Other(alias_key(argument)),
            }),
            "case" => {
                settings.case = Some(match argument {
                    "yes" => Case::Yes,
                    "no" => Case::No,
                    "auto" => Case::Auto,
                    _ => return self.error(at, "case: takes yes, no or auto"),
                });
                return Ok(Item::Nothing);
            }
            "type" | "t" => {
                let kind = match argument {
                    "filematch" => Kind::Match,
                    "filename" | "file" => Kind::Name,
                    "repo" => Kind::Repository,
                    _ => return self.error(at, "type: takes filename, file, filematch or repo"),
                };
                settings.kind = Some(settings.kind.map_or(kind, |other| other.min(kind)));
                return Ok(Item::Nothing);
            }
            "archived" | "fork" | "public" => Expr::Repository(self.flag(prefix, at, argument)?),
            field => match field.strip_prefix("meta.") {
                Some(name) => {
                    let regex = self.source(token, argument_at)?.compile(false)?;
                    Expr::Repository(OfRepository::Field { name: name.to_owned(), regex })
                }
                None => self.word(token, 0, Scope::Either)?,
            },
        };
        Ok(Item::Expr(expr))
    }

    fn flag(&self, prefix: &str, at: usize, argument: &str) -> Result<OfRepository, QueryError> {
        let key = ["archived", "fork", "public"].into_iter().find(|key| *key == prefix);
        let is_set = match argument {
            "yes" => true,
            "no" => false,
            _ => return self.error(at, format!("{prefix}: takes yes or no")),
        };
        Ok(OfRepository::Flag { key: key.expect("one of them"), is_set })
    }

    /// The regex that a token holds from a byte on.
    fn source(&mut self, token: &Token, from: usize) -> Result<Source, QueryError> {
        let mut places = token.places[from..].to_vec();
        places.push(self.at);
        let translated = dialect::translate(&token.text[from..])
            .map_err(|fault| QueryError { at: places[fault.at], what: fault.what })?;
        let source = Source { translated, places };
        match self.states_left.checked_sub(source.states()) {
            Some(left) => self.states_left = left,
            None => {
                let what = format!("with this regex the query takes more than {STATES_MAX} states");
                return self.error(source.places[0], what);
            }
        }
        Ok(source)
    }

    fn word(&mut self, token: &Token, from: usize, scope: Scope) -> Result<Expr, QueryError> {
        if token.text.len() == from {
            return Ok(Expr::Const(true));
        }
        let regex = self.source(token, from)?;
        let number = self.words.len();
        self.words.push(Word { regex, case: None });
        Ok(match scope {
            Scope::Symbol => Expr::Symbol(number),
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
    Symbol,
}

/// Settings of a list: they hold for all of it, wherever they are in it.
struct Settings {
    case: Option<Case>,
    kind: Option<Kind>,
}

/// What is asked for. Of several the lowest counts.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    /// Documents with their matches.
    Match,
    /// Names of documents.
    Name,
    /// Repositories: all their documents.
    Repository,
}

impl Token {
    fn push(&mut self, place: usize, char: char) {
        self.text.push(char);
        self.places.extend(std::iter::repeat_n(place, char.len_utf8()));
    }
}

#[cfg(test)]
mod tests;
