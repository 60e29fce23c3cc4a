//! Expressions of one variable, as they are computed for each of its terms: by the rules of the
//! evaluator, or handed on to it.

use std::borrow::Cow;
use std::cmp::Ordering;

use memchr::memmem::Finder;
use oxrdf::{Term, Triple};
use regex::Regex;

use super::value::{Computed, Open, Value, equal, in_order, part, written};
use crate::sparql::blank_number;
use crate::term::inline::{Fields, fields_of, is_inlined, is_number};
use crate::{Id, Tag};

/// A term of the variable.
pub(in crate::sparql) struct Slot<'t> {
    pub(in crate::sparql) id: u64,
    /// None if the variable is unbound.
    pub(in crate::sparql) value: Option<Value<'t>>,
}

/// Kinds of terms that a query asks for.
#[derive(Clone, Copy, Debug)]
pub(in crate::sparql) enum Kind {
    Iri,
    Blank,
    Literal,
    Numeric,
    Triple,
}

/// Comparisons.
#[derive(Clone, Copy)]
pub(in crate::sparql) enum Compare {
    Equal,
    Order(fn(Ordering) -> bool),
}

/// What is looked for in a text.
#[derive(Clone, Copy, Debug)]
pub(in crate::sparql) enum Search {
    Contains,
    Starts,
    Ends,
    Before,
    After,
}

/// Operations on integers.
#[derive(Clone, Copy, Debug)]
pub(in crate::sparql) enum Arithmetic {
    Add,
    Subtract,
    Multiply,
}

impl Arithmetic {
    /// Of two integers: beyond 64 bits the evaluator goes on.
    fn of(&self, one: i64, other: i64) -> Computed<Value<'static>> {
        let value = match self {
            Arithmetic::Add => one.checked_add(other),
            Arithmetic::Subtract => one.checked_sub(other),
            Arithmetic::Multiply => one.checked_mul(other),
        };
        value.map(Value::Integer).ok_or(Open::Unknown)
    }
}

/// Casts.
#[derive(Clone, Copy, Debug)]
pub(in crate::sparql) enum Cast {
    Text,
    Integer,
}

type Inner = Box<Node>;

/// A part of an expression.
pub(in crate::sparql) enum Node {
    Variable,
    /// A constant, as it is written too.
    Constant(Value<'static>, Term),
    /// An error whatever the term.
    Error,
    Bound,
    Is(Kind, Inner),
    /// Subject, predicate or object of a triple term, by its place.
    Part(usize, Inner),
    Str(Inner),
    Lang(Inner),
    LangMatches(Inner, Inner),
    Datatype(Inner),
    StrLen(Inner),
    Upper(Inner),
    Lower(Inner),
    /// The text that is looked for, if it is a constant.
    Search(Search, Inner, Inner, Option<Finder<'static>>),
    Substring(Inner, Inner, Option<Inner>),
    Concat(Vec<Node>),
    Regex(Inner, Regex),
    Replace(Inner, Regex, Inner),
    /// Year, month, day, hours and minutes by their places; and whether a date is cast to one with
    /// a time before.
    Field(usize, Inner, bool),
    Cast(Cast, Inner),
    Arithmetic(Arithmetic, Inner, Inner),
    Compare(Compare, Inner, Inner),
    In(Inner, Vec<Node>),
    And(Inner, Inner),
    Or(Inner, Inner),
    Not(Inner),
    If(Inner, Inner, Inner),
    Coalesce(Vec<Node>),
}

impl Node {
    /// Whether what it computes may be a term as it is written, and not only a value.
    pub(in crate::sparql) fn gives_term(&self) -> bool {
        match self {
            Node::Variable | Node::Constant(..) | Node::Part(..) => true,
            Node::If(_, yes, no) => yes.gives_term() || no.gives_term(),
            Node::Coalesce(list) => list.iter().any(Node::gives_term),
            _ => false,
        }
    }

    /// Whether texts of terms are looked at, and not only what their ids say.
    pub(in crate::sparql) fn needs_text(&self) -> bool {
        let any = |nodes: &[&Node]| nodes.iter().any(|node| node.needs_text());
        match self {
            Node::Variable => true,
            Node::Constant(..) | Node::Error | Node::Bound => false,
            Node::Is(_, inner) | Node::Field(_, inner, _) => {
                !matches!(**inner, Node::Variable) && inner.needs_text()
            }
            Node::Part(_, inner)
            | Node::Str(inner)
            | Node::Lang(inner)
            | Node::Datatype(inner)
            | Node::StrLen(inner)
            | Node::Upper(inner)
            | Node::Lower(inner)
            | Node::Regex(inner, _)
            | Node::Cast(_, inner)
            | Node::Not(inner) => inner.needs_text(),
            Node::LangMatches(one, other)
            | Node::Search(_, one, other, _)
            | Node::Replace(one, _, other)
            | Node::Arithmetic(_, one, other)
            | Node::Compare(_, one, other)
            | Node::And(one, other)
            | Node::Or(one, other) => any(&[one, other]),
            Node::Substring(text, start, len) => {
                any(&[text, start]) || len.as_ref().is_some_and(|len| len.needs_text())
            }
            Node::If(test, yes, no) => any(&[test, yes, no]),
            Node::In(inner, list) => inner.needs_text() || list.iter().any(Node::needs_text),
            Node::Concat(list) | Node::Coalesce(list) => list.iter().any(Node::needs_text),
        }
    }

    /// The term that the whole expression gives, or its value: IF and COALESCE hand terms on as
    /// they are written.
    pub(in crate::sparql) fn term<'t>(&'t self, of: &Slot<'t>) -> Computed<Given<'t>> {
        match self {
            Node::Variable if of.value.is_some() => Ok(Given::Own),
            Node::Constant(_, term) => Ok(Given::Term(Cow::Borrowed(term))),
            Node::Part(place, inner) => {
                Ok(Given::Term(Cow::Owned(part_of(inner.value(of)?, *place)?)))
            }
            Node::If(test, yes, no) => {
                if test.truth(of)? {
                    yes.term(of)
                } else {
                    no.term(of)
                }
            }
            Node::Coalesce(list) => first(list, |node| node.term(of)),
            other => other.value(of).map(Given::Value),
        }
    }

    /// The effective boolean value.
    pub(in crate::sparql) fn truth(&self, of: &Slot<'_>) -> Computed<bool> {
        match self {
            Node::And(one, other) => joined(one.truth(of), || other.truth(of), false),
            Node::Or(one, other) => joined(one.truth(of), || other.truth(of), true),
            Node::Not(inner) => inner.truth(of).map(|truth| !truth),
            other => other.value(of)?.truth(),
        }
    }

    /// The value.
    fn value<'t>(&'t self, of: &Slot<'t>) -> Computed<Value<'t>> {
        Ok(match self {
            Node::Variable => of.value.clone().ok_or(Open::Error)?,
            Node::Constant(value, _) => value.clone(),
            Node::Error => return Err(Open::Error),
            Node::Bound => Value::Boolean(of.value.is_some()),
            Node::Is(kind, inner) => Value::Boolean(is(*kind, &inner.value(of)?)?),
            Node::Part(place, inner) => value_of(&part_of(inner.value(of)?, *place)?)?,
            Node::Str(inner) => Value::Text(inner.text(of)?),
            Node::Lang(inner) => Value::Text(language(inner.value(of)?)?),
            Node::LangMatches(tag, range) => {
                let (tag, range) = (tag.value(of)?.simple()?, range.value(of)?.simple()?);
                Value::Boolean(lang_matches(&tag, &range))
            }
            Node::Datatype(inner) => Value::Iri(self.datatype(inner, of)?),
            Node::StrLen(inner) => {
                Value::Integer(inner.value(of)?.string()?.0.chars().count() as i64)
            }
            Node::Upper(inner) => cased(inner.value(of)?.string()?, str::to_uppercase),
            Node::Lower(inner) => cased(inner.value(of)?.string()?, str::to_lowercase),
            Node::Search(search, text, wanted, finder) => {
                let (text, wanted) = (text.value(of)?.string()?, wanted.value(of)?.string()?);
                found(*search, text, wanted, finder.as_ref())?
            }
            Node::Substring(text, start, len) => {
                let (text, tag) = text.value(of)?.string()?;
                let start = start.value(of)?.integer()?;
                let len = len.as_ref().map(|len| len.value(of)?.integer()).transpose()?;
                Value::of_string(substring(text, start, len)?, tag)
            }
            Node::Concat(list) => concat(list, of)?,
            Node::Regex(text, regex) => {
                Value::Boolean(regex.is_match(&text.value(of)?.string()?.0))
            }
            Node::Replace(text, regex, with) => {
                replaced(text.value(of)?.string()?, regex, &with.value(of)?.simple()?)
            }
            Node::Field(place, inner, is_cast) => field(*place, inner.value(of)?, *is_cast)?,
            Node::Cast(cast, inner) => casted(*cast, inner.value(of)?)?,
            Node::Arithmetic(by, one, other) => {
                by.of(one.value(of)?.integer()?, other.value(of)?.integer()?)?
            }
            Node::Compare(Compare::Equal, one, other) => {
                Value::Boolean(equal(&one.value(of)?, &other.value(of)?)?)
            }
            Node::Compare(Compare::Order(is), one, other) => {
                Value::Boolean(is(in_order(&one.value(of)?, &other.value(of)?)?))
            }
            Node::In(inner, list) => Value::Boolean(is_in(&inner.value(of)?, list, of)?),
            Node::And(..) | Node::Or(..) | Node::Not(_) => Value::Boolean(self.truth(of)?),
            Node::If(test, yes, no) => {
                let chosen = if test.truth(of)? { yes } else { no };
                chosen.value(of)?
            }
            Node::Coalesce(list) => first(list, |node| node.value(of))?,
        })
    }

    /// Its text, as STR has it: of a term as it is written.
    fn text<'t>(&'t self, of: &Slot<'t>) -> Computed<Cow<'t, str>> {
        match (self, self.value(of)?) {
            (Node::Variable | Node::Part(..), Value::Typed(text, _)) => Ok(text),
            (Node::Part(..), Value::Inlined(id)) => Ok(written(id)?.0),
            (Node::Variable, _) if is_inlined_id(of.id) => Ok(written(Id(of.id))?.0),
            (_, value) => value.lexical(),
        }
    }

    fn datatype<'t>(&'t self, inner: &'t Node, of: &Slot<'t>) -> Computed<Cow<'t, str>> {
        let value = inner.value(of)?;
        let is_own = matches!(inner, Node::Variable);
        Ok(match value {
            Value::Iri(_) | Value::Blank(_) | Value::Triple(_) => return Err(Open::Error),
            Value::Directional(..) => oxrdf::vocab::rdf::DIR_LANG_STRING.as_str().into(),
            // Its datatype may be another one of integers.
            Value::Integer(_) if matches!(inner, Node::Part(..)) => return Err(Open::Unknown),
            Value::Text(_) => oxrdf::vocab::xsd::STRING.as_str().into(),
            Value::Tagged(..) => oxrdf::vocab::rdf::LANG_STRING.as_str().into(),
            Value::Typed(_, datatype) if is_own => datatype,
            _ if is_own && is_inlined_id(of.id) => written(Id(of.id))?.1.into(),
            Value::Boolean(_) => oxrdf::vocab::xsd::BOOLEAN.as_str().into(),
            Value::Integer(_) => oxrdf::vocab::xsd::INTEGER.as_str().into(),
            Value::Inlined(_) | Value::Typed(..) => return Err(Open::Unknown),
        })
    }
}

/// What a whole expression gives.
pub(in crate::sparql) enum Given<'t> {
    /// The variable's term.
    Own,
    /// A constant, or a part of a triple term.
    Term(Cow<'t, Term>),
    Value(Value<'t>),
}

/// A part of a triple term, as it is written.
fn part_of(value: Value<'_>, place: usize) -> Computed<Term> {
    let Value::Triple(triple) = value else { return Err(Open::Error) };
    let Triple { subject, predicate, object } = *triple;
    Ok(match place {
        0 => subject.into(),
        1 => predicate.into(),
        _ => object,
    })
}

/// The value of such a part.
fn value_of(term: &Term) -> Computed<Value<'static>> {
    let id = match term {
        Term::BlankNode(node) => {
            let number = blank_number(node.as_str()).ok_or(Open::Unknown)?;
            Id::new(Tag::BLANK, number)
        }
        // Looked at of blank nodes alone.
        _ => Id::MIN,
    };
    Ok(Value::of_term(id.0, term))
}

/// Whether an id of the view is a value.
fn is_inlined_id(id: u64) -> bool {
    super::super::super::table::ids::is_literal(id) && is_inlined(Id(id).tag())
}

/// AND, of which `false` decides, or OR, of which `true` decides: an error of one side is none if
/// the other side decides.
fn joined(
    one: Computed<bool>,
    other: impl FnOnce() -> Computed<bool>,
    decides: bool,
) -> Computed<bool> {
    match one {
        Ok(value) if value == decides => Ok(decides),
        Err(Open::Unknown) => Err(Open::Unknown),
        one => match other() {
            Ok(value) if value == decides => Ok(decides),
            Err(Open::Unknown) => Err(Open::Unknown),
            other => one.and(other),
        },
    }
}

/// The first that isn't an error.
fn first<'n, T>(list: &'n [Node], get: impl Fn(&'n Node) -> Computed<T>) -> Computed<T> {
    let mut all = list.iter().map(get);
    all.find(|one| !matches!(one, Err(Open::Error))).unwrap_or(Err(Open::Error))
}

fn is(kind: Kind, value: &Value<'_>) -> Computed<bool> {
    let is_literal = !matches!(value, Value::Iri(_) | Value::Blank(_) | Value::Triple(_));
    Ok(match kind {
        Kind::Iri => matches!(value, Value::Iri(_)),
        Kind::Blank => matches!(value, Value::Blank(_)),
        Kind::Literal => is_literal,
        Kind::Triple => matches!(value, Value::Triple(_)),
        Kind::Numeric => match value {
            Value::Integer(_) => true,
            Value::Inlined(id) => is_number(id.tag()),
            // A number that isn't written as its value is printed, or none.
            Value::Typed(..) => return Err(Open::Unknown),
            _ => false,
        },
    })
}

fn lang_matches(tag: &str, range: &str) -> bool {
    if range == "*" {
        return !tag.is_empty();
    }
    let mut subtags = tag.split('-');
    range
        .split('-')
        .all(|wanted| subtags.next().is_some_and(|own| own.eq_ignore_ascii_case(wanted)))
}

type Text<'t> = (Cow<'t, str>, Option<Cow<'t, str>>);

fn found<'t>(
    search: Search,
    (text, tag): Text<'t>,
    (wanted, wanted_tag): Text<'_>,
    finder: Option<&Finder<'_>>,
) -> Computed<Value<'t>> {
    if wanted_tag.is_some() && wanted_tag != tag {
        return Err(Open::Error);
    }
    let place = || match finder {
        Some(finder) => finder.find(text.as_bytes()),
        None => text.find(&*wanted),
    };
    let range = match search {
        Search::Contains => return Ok(Value::Boolean(place().is_some())),
        Search::Starts => return Ok(Value::Boolean(text.starts_with(&*wanted))),
        Search::Ends => return Ok(Value::Boolean(text.ends_with(&*wanted))),
        Search::Before => place().map(|at| 0..at),
        Search::After => place().map(|at| at + wanted.len()..text.len()),
    };
    Ok(match range {
        Some(range) => Value::of_string(part(text, range), tag),
        None => Value::Text(Cow::Borrowed("")),
    })
}

/// The characters from the first one, counted from 1, as many as are asked for.
fn substring(text: Cow<'_, str>, start: i64, len: Option<i64>) -> Computed<Cow<'_, str>> {
    let start = start.checked_sub(1).ok_or(Open::Error)?;
    let end = match len {
        Some(len) => start.checked_add(len).ok_or(Open::Error)?,
        None => i64::MAX,
    };
    let place = |at: i64| match usize::try_from(at) {
        Ok(at) => text.char_indices().nth(at).map_or(text.len(), |(place, _)| place),
        Err(_) => 0,
    };
    if end <= start {
        return Ok(Cow::Borrowed(""));
    }
    let range = place(start)..if end == i64::MAX { text.len() } else { place(end) };
    Ok(part(text, range))
}

fn language(value: Value<'_>) -> Computed<Cow<'_, str>> {
    match value {
        Value::Tagged(_, tag) | Value::Directional(_, tag, _) => Ok(tag),
        Value::Iri(_) | Value::Blank(_) | Value::Triple(_) => Err(Open::Error),
        _ => Ok(Cow::Borrowed("")),
    }
}

fn cased<'t>((text, tag): Text<'t>, cased: fn(&str) -> String) -> Value<'t> {
    Value::of_string(cased(&text).into(), tag)
}

fn is_in<'t>(value: &Value<'_>, list: &'t [Node], of: &Slot<'t>) -> Computed<bool> {
    let is_it = |node: &'t Node| equal(value, &node.value(of)?);
    // An error is none where a later one is equal.
    let or = |truth, node| joined(truth, || is_it(node), true);
    list.iter().fold(Ok(false), or)
}

fn replaced<'t>((text, tag): Text<'t>, regex: &Regex, with: &str) -> Value<'t> {
    let replaced = match regex.replace_all(&text, with) {
        Cow::Owned(replaced) => Some(replaced),
        Cow::Borrowed(_) => None,
    };
    Value::of_string(replaced.map_or(text, Cow::Owned), tag)
}

/// A field of a date and time, by its place among them.
fn field(place: usize, value: Value<'_>, is_cast: bool) -> Computed<Value<'static>> {
    let fields = fields(value, is_cast)?;
    let time = || fields.time.or(is_cast.then_some([0; 3])).ok_or(Open::Error);
    Ok(Value::Integer(match place {
        at @ 0..3 => fields.date[at],
        at => time()?[at - 3],
    }))
}

fn concat<'t>(list: &'t [Node], of: &Slot<'t>) -> Computed<Value<'t>> {
    let (mut out, mut language) = (String::new(), None);
    for node in list {
        let (text, tag) = node.value(of)?.string()?;
        out.push_str(&text);
        language = match language {
            None => Some(tag),
            Some(same) if same == tag => Some(same),
            Some(_) => Some(None),
        };
    }
    Ok(Value::of_string(out.into(), language.flatten()))
}

fn fields(value: Value<'_>, is_cast: bool) -> Computed<Fields> {
    match value {
        Value::Inlined(id) => fields_of(id).ok_or(Open::Error),
        Value::Typed(..) => Err(Open::Unknown),
        Value::Text(_) if is_cast => Err(Open::Unknown),
        _ => Err(Open::Error),
    }
}

fn casted(cast: Cast, value: Value<'_>) -> Computed<Value<'_>> {
    match (cast, value) {
        (_, Value::Typed(..)) => Err(Open::Unknown),
        (Cast::Text, value) => Ok(Value::Text(value.lexical()?)),
        (Cast::Integer, Value::Integer(value)) => Ok(Value::Integer(value)),
        (Cast::Integer, Value::Boolean(value)) => Ok(Value::Integer(value.into())),
        (Cast::Integer, Value::Text(text)) => {
            // More digits than an integer of 64 bits has are the evaluator's.
            let is_long = text.len() > 18;
            let open = if is_long { Open::Unknown } else { Open::Error };
            text.parse().map(Value::Integer).map_err(|_| open)
        }
        (Cast::Integer, Value::Inlined(_)) => Err(Open::Unknown),
        _ => Err(Open::Error),
    }
}
