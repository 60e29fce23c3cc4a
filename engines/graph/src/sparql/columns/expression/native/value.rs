//! Values of expressions that are vectorised, their texts borrowed from the dictionary
//! where that is possible.

use std::borrow::Cow;
use std::cmp::Ordering;
use std::ops::Range;

use oxrdf::{BaseDirection, Literal, NamedNode, Term, Triple};

use crate::sparql::to_term;
use crate::term::TermRef;
use crate::term::inline::{compare_inlined, inlined, integer_of, is_inlined, literal_of, tags};
use crate::{Id, Tag};

/// Why an expression has no value here.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::sparql) enum Open {
    /// It is an error of the query language.
    Error,
    /// It isn't known here: the evaluator is asked.
    Unknown,
}

/// What is computed, or why nothing is.
pub(in crate::sparql) type Computed<T> = Result<T, Open>;

/// A value.
#[derive(Clone, Debug)]
pub(in crate::sparql) enum Value<'t> {
    Iri(Cow<'t, str>),
    /// A blank node, by its id.
    Blank(u64),
    /// A string without a tag.
    Text(Cow<'t, str>),
    /// A string, and its language.
    Tagged(Cow<'t, str>, Cow<'t, str>),
    /// A string, its language and its base direction.
    Directional(Cow<'t, str>, Cow<'t, str>, BaseDirection),
    Triple(Box<Triple>),
    Boolean(bool),
    Integer(i64),
    /// An inlined number or date of another datatype.
    Inlined(Id),
    /// Any other literal: lexical form and datatype.
    Typed(Cow<'t, str>, Cow<'t, str>),
}

impl<'t> Value<'t> {
    /// The value of a term that an id of the view names.
    pub(in crate::sparql) fn of_stored(id: u64, term: TermRef<'t>) -> Value<'t> {
        match term {
            TermRef::Blank(_) => Value::Blank(id),
            TermRef::Iri(text) => Value::Iri(text.into()),
            TermRef::Simple(text) => Value::Text(text.into()),
            TermRef::Tagged(text, tag) => Value::Tagged(text.into(), tag.into()),
            TermRef::Typed(text, datatype) => Value::Typed(text.into(), datatype.into()),
            TermRef::Directional(..) | TermRef::Triple(_) => Value::of_term(id, &to_term(term)),
        }
    }

    /// The value of an id of the view as far as its tag says it: texts are left empty.
    pub(in crate::sparql) fn of_tag(id: u64) -> Value<'t> {
        let nothing = Cow::Borrowed("");
        match Id(id).tag() {
            Tag::BLANK => Value::Blank(id),
            Tag::IRI => Value::Iri(nothing),
            Tag::STRING => Value::Text(nothing),
            Tag::TAGGED => Value::Tagged(nothing.clone(), nothing),
            Tag::TRIPLE => {
                let nothing = || NamedNode::new_unchecked("");
                Value::Triple(Box::new(Triple::new(nothing(), nothing(), nothing())))
            }
            tag if is_inlined(tag) => Value::of_inlined(Id(id)),
            _ => Value::Typed(nothing.clone(), nothing),
        }
    }

    fn of_inlined(id: Id) -> Value<'t> {
        match integer_of(id) {
            Some(value) => Value::Integer(value),
            None if id.tag() == tags::BOOLEAN => Value::Boolean(id.payload() == 1),
            None => Value::Inlined(id),
        }
    }

    /// The value of a constant or of a term that was computed before.
    pub(in crate::sparql) fn of_term(id: u64, term: &Term) -> Value<'static> {
        match term {
            Term::NamedNode(node) => Value::Iri(node.as_str().to_owned().into()),
            Term::BlankNode(_) => Value::Blank(id),
            Term::Literal(literal) => Value::of_literal(literal),
            Term::Triple(triple) => Value::Triple(triple.clone()),
        }
    }

    /// The value of a literal.
    pub(in crate::sparql) fn of_literal(literal: &Literal) -> Value<'static> {
        let (text, datatype) = (literal.value(), literal.datatype());
        let own = || Cow::Owned(text.to_owned());
        match literal.language() {
            Some(tag) => match literal.direction() {
                Some(direction) => Value::Directional(own(), tag.to_owned().into(), direction),
                None => Value::Tagged(own(), tag.to_owned().into()),
            },
            None if datatype == oxrdf::vocab::xsd::STRING => Value::Text(own()),
            None => match inlined(text, datatype.as_str()) {
                Some(id) => Value::of_inlined(id),
                None => Value::Typed(own(), datatype.as_str().to_owned().into()),
            },
        }
    }

    /// A string and its language, if it has one: what functions of strings take.
    pub(in crate::sparql) fn string(self) -> Computed<(Cow<'t, str>, Option<Cow<'t, str>>)> {
        match self {
            Value::Text(text) => Ok((text, None)),
            Value::Tagged(text, tag) => Ok((text, Some(tag))),
            // Whether directions agree is the evaluator's to say.
            Value::Directional(..) => Err(Open::Unknown),
            _ => Err(Open::Error),
        }
    }

    /// A string of some language or of none.
    pub(in crate::sparql) fn of_string(text: Cow<'t, str>, tag: Option<Cow<'t, str>>) -> Value<'t> {
        match tag {
            Some(tag) => Value::Tagged(text, tag),
            None => Value::Text(text),
        }
    }

    /// A string without a tag.
    pub(in crate::sparql) fn simple(self) -> Computed<Cow<'t, str>> {
        match self {
            Value::Text(text) => Ok(text),
            _ => Err(Open::Error),
        }
    }

    /// An integer.
    pub(in crate::sparql) fn integer(self) -> Computed<i64> {
        match self {
            Value::Integer(value) => Ok(value),
            Value::Typed(..) => Err(Open::Unknown),
            _ => Err(Open::Error),
        }
    }

    /// What STR gives of a value.
    pub(in crate::sparql) fn lexical(self) -> Computed<Cow<'t, str>> {
        match self {
            Value::Iri(text)
            | Value::Text(text)
            | Value::Tagged(text, _)
            | Value::Directional(text, ..) => Ok(text),
            Value::Blank(_) | Value::Triple(_) => Err(Open::Error),
            Value::Boolean(value) => Ok(Cow::Borrowed(if value { "true" } else { "false" })),
            Value::Integer(value) => Ok(value.to_string().into()),
            // A value, which the evaluator may write otherwise than it is written here.
            Value::Inlined(_) | Value::Typed(..) => Err(Open::Unknown),
        }
    }

    /// The effective boolean value.
    pub(in crate::sparql) fn truth(&self) -> Computed<bool> {
        match self {
            Value::Boolean(value) => Ok(*value),
            Value::Text(text) => Ok(!text.is_empty()),
            Value::Integer(value) => Ok(*value != 0),
            Value::Iri(_) | Value::Blank(_) | Value::Tagged(..) | Value::Triple(_) => {
                Err(Open::Error)
            }
            Value::Directional(..) => Err(Open::Unknown),
            Value::Inlined(_) | Value::Typed(..) => Err(Open::Unknown),
        }
    }

    /// The id of a value that an id holds.
    pub(in crate::sparql) fn inlined(&self) -> Option<Id> {
        match self {
            Value::Boolean(value) => Some(Id::new(tags::BOOLEAN, u64::from(*value))),
            Value::Integer(value) => crate::term::inline::inlined_integer(*value),
            Value::Inlined(id) => Some(*id),
            _ => None,
        }
    }
}

/// Lexical form and datatype of an inlined literal.
pub(in crate::sparql) fn written(id: Id) -> Computed<(Cow<'static, str>, &'static str)> {
    let (lexical, datatype) = literal_of(id).ok_or(Open::Unknown)?;
    Ok((lexical.as_str().to_owned().into(), datatype))
}

/// A part of a text.
pub(in crate::sparql) fn part(text: Cow<'_, str>, range: Range<usize>) -> Cow<'_, str> {
    match text {
        Cow::Borrowed(text) => Cow::Borrowed(&text[range]),
        Cow::Owned(text) => Cow::Owned(text[range].to_owned()),
    }
}

/// Equality by `=`.
pub(in crate::sparql) fn equal(one: &Value<'_>, other: &Value<'_>) -> Computed<bool> {
    use Value as V;
    match (one, other) {
        (V::Iri(one), V::Iri(other)) | (V::Text(one), V::Text(other)) => Ok(one == other),
        (V::Blank(one), V::Blank(other)) => Ok(one == other),
        (V::Tagged(one, tag), V::Tagged(other, other_tag)) => Ok(one == other && tag == other_tag),
        (V::Boolean(one), V::Boolean(other)) => Ok(one == other),
        (V::Integer(one), V::Integer(other)) => Ok(one == other),
        (V::Triple(_), V::Triple(_)) | (V::Directional(..), V::Directional(..)) => {
            Err(Open::Unknown)
        }
        (V::Iri(_) | V::Blank(_) | V::Triple(_), _)
        | (_, V::Iri(_) | V::Blank(_) | V::Triple(_)) => Ok(false),
        (V::Typed(..) | V::Inlined(_), _) | (_, V::Typed(..) | V::Inlined(_)) => {
            Ok(in_order(one, other)?.is_eq())
        }
        // Literals of different kinds.
        _ => Ok(false),
    }
}

/// The order of two values by `<`.
pub(in crate::sparql) fn in_order(one: &Value<'_>, other: &Value<'_>) -> Computed<Ordering> {
    use Value as V;
    match (one, other) {
        (V::Text(one), V::Text(other)) => Ok(one.cmp(other)),
        (V::Integer(one), V::Integer(other)) => Ok(one.cmp(other)),
        _ => {
            let is_float = |id: &Id| matches!(id.tag(), tags::DOUBLE | tags::FLOAT);
            let id = |value: &V| value.inlined().filter(|id| !is_float(id)).ok_or(Open::Unknown);
            compare_inlined(id(one)?, id(other)?).ok_or(Open::Unknown)
        }
    }
}
