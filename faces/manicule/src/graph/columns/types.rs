//! Kinds of terms, and which column holds the values of a variable.

use std::collections::HashMap;

use super::call::ColumnTypes;
use super::values::{DIGITS_MAX, boolean, date, date_time, decimal_digits, float, integer};
use crate::answer;

/// A value of a row.
pub(crate) struct Value<'v> {
    pub(crate) kind: Kind<'v>,
    pub(crate) text: &'v str,
}

/// Kind of a term: an IRI, a blank node, a triple term, or the datatype or language of a literal.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Kind<'k> {
    Iri,
    Blank,
    Triple,
    Datatype(&'k str),
    /// With its base direction after two hyphens, if it has one.
    Language(&'k str),
}

const IRI: &str = "iri";
const BLANK: &str = "blank";
const TRIPLE: &str = "triple";

impl<'k> Kind<'k> {
    /// That of its text.
    pub(crate) fn of_text(text: &'k str) -> Kind<'k> {
        match (text, text.strip_prefix('@')) {
            (IRI, _) => Kind::Iri,
            (BLANK, _) => Kind::Blank,
            (TRIPLE, _) => Kind::Triple,
            (_, Some(tag)) => Kind::Language(tag),
            (datatype, None) => Kind::Datatype(datatype),
        }
    }

    /// It as text: the IRI of a datatype, a language after `@`.
    fn text(self) -> String {
        match self {
            Kind::Iri => IRI.to_owned(),
            Kind::Blank => BLANK.to_owned(),
            Kind::Triple => TRIPLE.to_owned(),
            Kind::Datatype(iri) => iri.to_owned(),
            Kind::Language(tag) => format!("@{tag}"),
        }
    }

    /// The family of its values.
    fn family(self) -> Family {
        let Kind::Datatype(iri) = self else { return Family::Text };
        match iri.strip_prefix("http://www.w3.org/2001/XMLSchema#").unwrap_or("") {
            "boolean" => Family::Boolean,
            "integer" | "long" | "int" | "short" | "byte" | "nonNegativeInteger"
            | "positiveInteger" | "nonPositiveInteger" | "negativeInteger" | "unsignedLong"
            | "unsignedInt" | "unsignedShort" | "unsignedByte" => Family::Integer,
            "decimal" => Family::Decimal,
            "double" => Family::Double,
            "float" => Family::Float,
            "date" => Family::Date,
            "dateTime" | "dateTimeStamp" => Family::DateTime,
            _ => Family::Text,
        }
    }
}

/// Values that have a column of their own type.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Family {
    Text,
    Boolean,
    Integer,
    Decimal,
    Double,
    Float,
    Date,
    DateTime,
}

/// The kinds that occurred, numbered.
#[derive(Debug, Default)]
pub(super) struct Kinds {
    /// Text and family of each.
    all: Vec<(String, Family)>,
    iri: Option<u32>,
    blank: Option<u32>,
    triple: Option<u32>,
    datatypes: HashMap<String, u32>,
    languages: HashMap<String, u32>,
}

impl Kinds {
    /// The number of a kind.
    pub(super) fn number(&mut self, kind: Kind<'_>) -> u32 {
        let known = match kind {
            Kind::Iri => self.iri,
            Kind::Blank => self.blank,
            Kind::Triple => self.triple,
            Kind::Datatype(iri) => self.datatypes.get(iri).copied(),
            Kind::Language(tag) => self.languages.get(tag).copied(),
        };
        known.unwrap_or_else(|| self.add(kind))
    }

    #[cold]
    fn add(&mut self, kind: Kind<'_>) -> u32 {
        let number = self.all.len() as u32;
        self.all.push((kind.text(), kind.family()));
        match kind {
            Kind::Iri => self.iri = Some(number),
            Kind::Blank => self.blank = Some(number),
            Kind::Triple => self.triple = Some(number),
            Kind::Datatype(iri) => drop(self.datatypes.insert(iri.to_owned(), number)),
            Kind::Language(tag) => drop(self.languages.insert(tag.to_owned(), number)),
        }
        number
    }

    /// A kind as text: `iri`, `blank`, `triple`, the IRI of a datatype, or a language after `@`.
    pub(super) fn text(&self, number: u32) -> &str {
        &self.all[number as usize].0
    }

    fn family(&self, number: u32) -> Family {
        self.all[number as usize].1
    }
}

/// What the values of a column have been so far.
#[derive(Clone, Debug, Default)]
pub(super) struct Profile {
    /// Number of the kind of all; none while there is no value.
    kind: Option<u32>,
    is_mixed: bool,
    /// Whether some value is not one that the type of the column holds.
    is_text: bool,
    /// Maximum numbers of digits of decimals, before the point and after it.
    digits: (usize, usize),
    /// Whether times have a zone; none while there is no time.
    is_zoned: Option<bool>,
}

impl Profile {
    /// Takes note of a value.
    pub(super) fn see(&mut self, kind: u32, kinds: &Kinds, text: &str) {
        match self.kind {
            None => self.kind = Some(kind),
            Some(own) if own == kind => {}
            Some(_) => self.is_mixed = true,
        }
        if self.is_mixed || self.is_text {
            return;
        }
        let fits = match kinds.family(kind) {
            Family::Text => false,
            Family::Boolean => boolean(text).is_some(),
            Family::Integer => integer(text).is_some(),
            Family::Double => float::<f64>(text).is_some(),
            Family::Float => float::<f32>(text).is_some(),
            Family::Date => date(text).is_some(),
            Family::Decimal => decimal_digits(text).is_some_and(|(whole, fraction)| {
                self.digits = (self.digits.0.max(whole), self.digits.1.max(fraction));
                self.digits.0 + self.digits.1 <= DIGITS_MAX
            }),
            Family::DateTime => date_time(text)
                .is_some_and(|(_, is_zoned)| *self.is_zoned.get_or_insert(is_zoned) == is_zoned),
        };
        self.is_text = !fits;
    }

    /// The kind of all values, if they have one.
    pub(super) fn only_kind(&self) -> Option<u32> {
        self.kind.filter(|_| !self.is_mixed)
    }

    /// Whether the values are of several kinds.
    pub(super) fn is_mixed(&self) -> bool {
        self.is_mixed
    }

    /// The type of the column.
    pub(super) fn column_kind(&self, kinds: &Kinds, types: ColumnTypes) -> answer::Kind {
        let kind = self.only_kind().filter(|_| types == ColumnTypes::OfValues && !self.is_text);
        match kind.map_or(Family::Text, |kind| kinds.family(kind)) {
            Family::Text => answer::Kind::Text,
            Family::Boolean => answer::Kind::Boolean,
            Family::Integer => answer::Kind::Int,
            Family::Decimal => answer::Kind::Decimal(self.digits.1 as u8),
            Family::Double => answer::Kind::Float,
            Family::Float => answer::Kind::Float32,
            Family::Date => answer::Kind::Date,
            Family::DateTime if self.is_zoned == Some(true) => answer::Kind::Micros,
            Family::DateTime => answer::Kind::LocalMicros,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const XSD: &str = "http://www.w3.org/2001/XMLSchema#";

    /// The type of a column of values of a datatype each.
    #[track_caller]
    fn check(values: &[(&str, &str)], want: answer::Kind) {
        let (mut kinds, mut profile) = (Kinds::default(), Profile::default());
        for (text, datatype) in values {
            let kind = kinds.number(Kind::Datatype(&format!("{XSD}{datatype}")));
            profile.see(kind, &kinds, text);
        }
        assert_eq!(profile.column_kind(&kinds, ColumnTypes::OfValues), want, "{values:?}");
        assert_eq!(profile.column_kind(&kinds, ColumnTypes::Text), answer::Kind::Text);
    }

    #[test]
    fn a_column_has_the_type_of_all_its_values() {
        check(&[], answer::Kind::Text);
        check(&[("1", "integer"), ("-07", "integer")], answer::Kind::Int);
        check(&[("1", "integer"), ("1", "int")], answer::Kind::Text);
        check(&[("1", "int")], answer::Kind::Int);
        check(&[("1", "integer"), ("x", "integer"), ("2", "integer")], answer::Kind::Text);
        check(&[("1.5", "decimal"), ("20.25", "decimal")], answer::Kind::Decimal(2));
        check(&[("1.5", "decimal"), (&"9".repeat(38), "decimal")], answer::Kind::Text);
        check(&[("1e0", "double")], answer::Kind::Float);
        check(&[("1e0", "float")], answer::Kind::Float32);
        check(&[("true", "boolean")], answer::Kind::Boolean);
        check(&[("2024-02-29", "date")], answer::Kind::Date);
        check(&[("a", "string")], answer::Kind::Text);
    }

    #[test]
    fn a_kind_is_that_of_its_text() {
        let integer = format!("{XSD}integer");
        let nodes = [Kind::Iri, Kind::Blank, Kind::Triple];
        for kind in nodes.into_iter().chain([Kind::Language("en-gb"), Kind::Datatype(&integer)]) {
            assert_eq!(Kind::of_text(&kind.text()), kind);
        }
    }

    #[test]
    fn times_are_all_of_a_zone_or_none() {
        let (local, zoned) = ("2024-02-29T12:00:00", "2024-02-29T12:00:00Z");
        check(&[(local, "dateTime")], answer::Kind::LocalMicros);
        check(&[(zoned, "dateTime"), (zoned, "dateTime")], answer::Kind::Micros);
        check(&[(zoned, "dateTime"), (local, "dateTime")], answer::Kind::Text);
    }
}
