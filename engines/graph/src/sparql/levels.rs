//! How deep a text is: parser, rewrites and evaluator call themselves once for each level, so a
//! stack is made that holds them all. The levels are counted before, in the tokens.

use super::error::SparqlError;
use super::text::{Kind, Token, tokens_up_to_a_fault};
use crate::stack::with_stack;
use crate::term::TRIPLE_LEVELS_MAX;

/// Maximum number of levels of a text.
const LEVELS_MAX: u32 = 20_000;
/// Stack for each level: of a group inside a group, the most costly, a build without optimisations
/// takes about half of it.
const LEVEL_LEN: usize = 96 << 10;
/// Stack for everything else.
const BASE_LEN: usize = 512 << 10;
/// Maximum number of calls inside each other of functions that the parser reads twice, once with
/// each number of arguments: each level doubles its time.
const TWICE_READ_MAX: u32 = 12;
/// Those functions.
const TWICE_READ: [&str; 4] = ["SUBSTR", "REPLACE", "REGEX", "GROUP_CONCAT"];
/// What there are too many of, if a triple term has too many inside.
pub(super) const TRIPLE_LEVELS: &str = "triple terms inside each other";

/// What is bounded beside the levels: calls that are read twice, and triple terms.
#[derive(Clone, Copy, Default)]
struct Most {
    twice_read: u32,
    triples: u32,
}

/// Number of levels of a query or an update: brackets inside each other, and operators that follow
/// each other, since each holds all that is before it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Levels(pub(super) u32);

impl Levels {
    /// Those of what is evaluated where a stack for it is already.
    pub(super) const NONE: Levels = Levels(0);

    /// Those of a text.
    ///
    /// # Errors
    /// If it has too many.
    pub(super) fn of(text: &str) -> Result<Levels, SparqlError> {
        let text = unescaped(text);
        let tokens = tokens_up_to_a_fault(&text).0;
        let (mut scopes, mut before) = (Scopes::default(), None);
        for token in &tokens {
            scopes.pass(&text, token, before);
            before = Some(token);
        }
        let (levels, Most { twice_read, triples }) = scopes.finish();
        if triples > TRIPLE_LEVELS_MAX as u32 {
            let (what, max) = (TRIPLE_LEVELS, TRIPLE_LEVELS_MAX as u32);
            return Err(SparqlError::Deep { what, max, got: triples });
        }
        if twice_read > TWICE_READ_MAX {
            let what = "calls of SUBSTR, REPLACE, REGEX or GROUP_CONCAT inside each other";
            return Err(SparqlError::Deep { what, max: TWICE_READ_MAX, got: twice_read });
        }
        if levels > LEVELS_MAX {
            let what = "levels of groups, brackets and operators";
            return Err(SparqlError::Deep { what, max: LEVELS_MAX, got: levels });
        }
        Ok(Levels(levels))
    }

    /// Runs what calls itself for each level.
    ///
    /// # Errors
    /// If there is no stack for it.
    pub(super) fn run<R>(self, work: impl FnOnce() -> R) -> Result<R, SparqlError> {
        if self.0 == 0 {
            return Ok(work());
        }
        let len = BASE_LEN + self.0 as usize * LEVEL_LEN;
        with_stack(len, work).map_err(|error| {
            SparqlError::Evaluation(format!("no stack of {} MB for its levels: {error}", len >> 20))
        })
    }
}

/// What has as many levels as the query that it is of: it is used and dropped on a stack for them.
pub(super) struct Leveled<T> {
    inner: Option<T>,
    levels: Levels,
}

impl<T> Leveled<T> {
    pub(super) fn new(inner: T, levels: Levels) -> Leveled<T> {
        Leveled { inner: Some(inner), levels }
    }

    /// What it is, for that which doesn't go down the levels.
    pub(super) fn get(&self) -> &T {
        self.inner.as_ref().expect("it is there until it is dropped")
    }

    /// Uses it.
    ///
    /// # Errors
    /// If there is no stack for it.
    pub(super) fn with<R>(&mut self, work: impl FnOnce(&mut T) -> R) -> Result<R, SparqlError> {
        let inner = self.inner.as_mut().expect("it is there until it is dropped");
        self.levels.run(|| work(inner))
    }
}

impl<T> Drop for Leveled<T> {
    fn drop(&mut self) {
        let mut inner = self.inner.take();
        if self.levels.run(|| drop(inner.take())).is_err() {
            // Without a stack it is kept for good.
            std::mem::forget(inner);
        }
    }
}

/// A bracket that is open, or the whole text.
#[derive(Default)]
struct Scope {
    /// Operators in it, each of which holds those before it.
    chained: u32,
    /// Groups and conditions in it: the second one holds the first.
    groups: u32,
    /// Most levels of a bracket inside.
    inside: u32,
    /// Whether it is of a function that is read twice.
    is_twice_read: bool,
    /// Whether it is of a triple term.
    is_triple: bool,
    /// Whether it holds nothing but terms: they are lists, however long.
    is_data: bool,
}

#[derive(Default)]
struct Scopes {
    all: Scope,
    open: Vec<Scope>,
    now: Most,
    most: Most,
    /// Whether the next group is one of terms.
    data_follows: bool,
}

impl Scopes {
    fn last(&mut self) -> &mut Scope {
        self.open.last_mut().unwrap_or(&mut self.all)
    }

    fn pass(&mut self, text: &str, token: &Token, before: Option<&Token>) {
        let written = &text[token.at.clone()];
        let before = before.map_or("", |before| &text[before.at.clone()]);
        match (token.kind, written) {
            (Kind::Mark, "{" | "(" | "[") => self.open(written, before),
            (Kind::Mark, "}" | ")" | "]") => self.close(),
            (Kind::Mark, mark) => {
                let is_pair = mark == before && matches!(mark, "|" | "&");
                let is_operator = mark.bytes().all(|byte| b"|&+-*/!<?^".contains(&byte));
                let last = self.last();
                last.chained += u32::from(is_operator && !is_pair);
                match (before, mark) {
                    // Of a datatype.
                    ("^", "^") => last.chained -= 2,
                    ("!" | "<", "=") => last.chained -= 1,
                    _ => {}
                }
            }
            (Kind::Word, word) => {
                let is = |other: &str| word.eq_ignore_ascii_case(other);
                let is_part = is("as") || is("bind") || is("filter");
                self.last().chained += u32::from(is_part) + minus_signs(word);
                self.data_follows |= is("data") || is("values");
            }
            (Kind::Iri, iri) => {
                // After an operand it may be a comparison.
                let count =
                    |marks: &[u8]| iri.bytes().filter(|byte| marks.contains(byte)).count() as u32;
                let last = self.last();
                last.chained += count(b"&");
                last.inside = last.inside.max(count(b"+-*/!(["));
            }
            (Kind::Text | Kind::Variable, _) => {}
        }
    }

    fn open(&mut self, bracket: &str, before: &str) {
        // Conditions of HAVING follow each other as brackets do.
        let is_chained = bracket == "{" || (bracket == "(" && before == ")");
        let outer = self.last();
        let is_data = outer.is_data;
        outer.groups += u32::from(is_chained);
        let is_twice_read =
            bracket == "(" && TWICE_READ.iter().any(|name| name.eq_ignore_ascii_case(before));
        let is_triple = bracket == "(" && before == "<";
        self.now.twice_read += u32::from(is_twice_read);
        self.now.triples += u32::from(is_triple);
        self.most.twice_read = self.most.twice_read.max(self.now.twice_read);
        self.most.triples = self.most.triples.max(self.now.triples);
        let is_data = is_data || (bracket == "{" && std::mem::take(&mut self.data_follows));
        self.open.push(Scope { is_twice_read, is_triple, is_data, ..Scope::default() });
    }

    fn close(&mut self) {
        // A bracket that closes nothing is the parser's to refuse.
        let Some(scope) = self.open.pop() else { return };
        self.now.twice_read -= u32::from(scope.is_twice_read);
        self.now.triples -= u32::from(scope.is_triple);
        let levels = scope.levels();
        let outer = self.last();
        outer.inside = outer.inside.max(levels + 1);
    }

    /// The levels, and what else is bounded.
    fn finish(mut self) -> (u32, Most) {
        while !self.open.is_empty() {
            self.close();
        }
        (self.all.levels(), self.most)
    }
}

impl Scope {
    fn levels(&self) -> u32 {
        let chained = self.chained + self.groups.saturating_sub(1);
        self.inside + if self.is_data { 0 } else { chained }
    }
}

/// Number of operators in what was read as one word: `1-1` is a difference, and `a:b-c` a name.
fn minus_signs(word: &str) -> u32 {
    let begin = word.split(':').next().unwrap_or_default();
    let is_name = begin.len() < word.len() && !begin.contains('-') || word.starts_with('@');
    if is_name { 0 } else { word.matches('-').count() as u32 }
}

/// A text whose escapes of characters are those characters, as the parser reads it: brackets and
/// operators can be written so.
fn unescaped(text: &str) -> std::borrow::Cow<'_, str> {
    let mut out = String::new();
    let mut copied = 0;
    for (at, _) in text.match_indices('\\') {
        let len = match text.as_bytes().get(at + 1) {
            Some(b'u') => 4,
            Some(b'U') => 8,
            _ => continue,
        };
        let digits = text.get(at + 2..at + 2 + len);
        let code = digits.and_then(|digits| u32::from_str_radix(digits, 16).ok());
        let Some(char) = code.and_then(char::from_u32) else { continue };
        out.push_str(&text[copied..at]);
        out.push(char);
        copied = at + 2 + len;
    }
    if copied == 0 {
        return text.into();
    }
    out.push_str(&text[copied..]);
    out.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, want: u32) {
        assert_eq!(Levels::of(text).expect("not too many").0, want, "{text}");
    }

    #[test]
    fn brackets_and_chains_are_levels() {
        check("", 0);
        check("ASK {}", 1);
        check("ASK { {} {} }", 3);
        check("ASK {{{{}}}}", 4);
        check("ASK { { ?s ?p ?o } UNION { ?s ?p ?o FILTER(1 + 1 + 1 = 3) } }", 7);
        check("ASK { FILTER(true || true || true) }", 5);
        check("SELECT (1 AS ?a) (2 AS ?b) { ?s (^:p|:q)/!:r* ?o }", 8);
        check("ASK { BIND(1 AS ?a) BIND(2 AS ?b) BIND(3 AS ?c) }", 6);
        check("ASK { \\u007b \\U0000007D }", 2);
    }

    #[test]
    fn lists_are_none() {
        check("ASK { VALUES (?a ?b) { (1 -5) (2 -6) (3 -7) } }", 3);
        check("INSERT DATA { GRAPH <a:g> { <a:s> <a:p> -5 } GRAPH <a:h> { <a:s> <a:p> -5 } }", 2);
        check("ASK { ?s ?p \"1\"^^<a:t>, \"2\"^^<a:t>, '((((' # (((\n }", 1);
        check("ASK { ?a-b:c ?p <http://a/b-c+d> }", 7);
        check("ASK { FILTER(?x IN (1, 2, 3, 4)) }", 4);
        check("ASK { FILTER(?x != 1 && ?x <= 2) }", 4);
    }

    #[test]
    fn too_many_are_refused_with_their_number() {
        let error = |text: &str| Levels::of(text).expect_err("too many").to_string();
        let braces = format!("ASK {}", "{".repeat(30_000));
        assert_eq!(
            error(&braces),
            "30000 levels of groups, brackets and operators: the maximum is 20000; ask in several parts"
        );
        let calls = format!("ASK {{ FILTER({}", "Substr(".repeat(13));
        assert!(error(&calls).starts_with("13 calls of SUBSTR"), "{}", error(&calls));
        assert!(Levels::of(&"SUBSTR(1)".repeat(13)).is_ok());
    }

    #[test]
    fn what_has_levels_is_dropped_on_a_stack_for_them() {
        struct Nested(Option<Box<Nested>>);
        let mut nested = Nested(None);
        for _ in 0..1_000_000 {
            nested = Nested(Some(Box::new(nested)));
        }
        let levels = Levels(LEVELS_MAX);
        let mut leveled = Leveled::new(nested, levels);
        assert!(leveled.with(|nested| nested.0.is_some()).expect("a stack"));
    }
}
