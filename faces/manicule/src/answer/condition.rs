//! Conditions on columns, as SQL has them: what lacks fulfils none but that it lacks.

use std::cmp::Ordering;
use std::fmt;

use super::field::{Field, Kind, UUID_LEN};
use super::literals::{days, nanos_of_day, uuid, uuid_text};
use crate::failure::Failure;
use crate::times::milliseconds;

/// A value that a column is compared with.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// True or false.
    Boolean(bool),
    /// A number, or a time in the column's unit.
    Int(i64),
    /// A double.
    Float(f64),
    /// A text, or bytes that are one.
    Text(String),
}

/// What is asked of a value.
#[derive(Clone, Debug, PartialEq)]
pub enum Test {
    /// It is one of these.
    In(Vec<Value>),
    /// It comes before this, or is equal if that is admitted.
    Below(Value, bool),
    /// It comes after this, or is equal if that is admitted.
    Above(Value, bool),
    /// It matches a pattern of LIKE: `%` is any text, `_` a character.
    Like(String),
    /// It lacks.
    IsNull,
    /// It is there and this is not fulfilled.
    Not(Box<Test>),
}

/// A condition on a column.
#[derive(Clone, Debug, PartialEq)]
pub struct Condition {
    /// Name of the column.
    pub column: String,
    /// What is asked of its values.
    pub test: Test,
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Boolean(value) => value.fmt(f),
            Value::Int(value) => value.fmt(f),
            // With a point: it reads back as a double.
            Value::Float(value) => write!(f, "{value:?}"),
            Value::Text(text) => write!(f, "'{}'", text.replace('\'', "''")),
        }
    }
}

/// As [`conditions`](super::conditions) reads it.
impl fmt::Display for Condition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "\"{}\" ", self.column.replace('"', "\"\""))?;
        let (test, is_not) = match &self.test {
            Test::Not(test) => (&**test, true),
            test => (test, false),
        };
        let not = if is_not { "NOT " } else { "" };
        match test {
            Test::In(values) if values.len() == 1 => {
                write!(f, "{} {}", if is_not { "<>" } else { "=" }, values[0])
            }
            Test::In(values) => {
                let values: Vec<String> = values.iter().map(ToString::to_string).collect();
                write!(f, "{not}IN ({})", values.join(", "))
            }
            Test::Below(limit, or_equal) => {
                write!(f, "<{} {limit}", if *or_equal { "=" } else { "" })
            }
            Test::Above(limit, or_equal) => {
                write!(f, ">{} {limit}", if *or_equal { "=" } else { "" })
            }
            Test::Like(pattern) => write!(f, "{not}LIKE '{}'", pattern.replace('\'', "''")),
            Test::IsNull => write!(f, "IS {not}NULL"),
            Test::Not(_) => unreachable!("the text has one NOT"),
        }
    }
}

impl Condition {
    /// The condition on a column of its type: a literal of a time becomes one.
    ///
    /// # Errors
    /// Where the column has no values that could be compared so.
    pub(super) fn bound(&self, field: &Field) -> Result<Test, Failure> {
        bound(&self.test, field)
    }
}

fn bound(test: &Test, field: &Field) -> Result<Test, Failure> {
    let value = |value: &Value| bound_value(value, field);
    Ok(match test {
        Test::In(values) => Test::In(values.iter().map(value).collect::<Result<_, _>>()?),
        Test::Below(limit, or_equal) => Test::Below(value(limit)?, *or_equal),
        Test::Above(limit, or_equal) => Test::Above(value(limit)?, *or_equal),
        Test::Like(pattern) if matches!(field.kind, Kind::Text | Kind::Word) => {
            Test::Like(pattern.clone())
        }
        Test::Like(_) => {
            let kind = field.kind.word();
            return Err(Failure::asked(format!("column {} is {kind}, no text", field.name)));
        }
        Test::IsNull => Test::IsNull,
        Test::Not(test) => Test::Not(Box::new(bound(test, field)?)),
    })
}

fn bound_value(value: &Value, field: &Field) -> Result<Value, Failure> {
    let time =
        |text: &str, in_millis: i64| Some(Value::Int(milliseconds(text)?.checked_mul(in_millis)?));
    let bound = match (&field.kind, value) {
        (Kind::Boolean, Value::Boolean(_))
        | (
            Kind::Int8
            | Kind::Int16
            | Kind::Int32
            | Kind::Int
            | Kind::Decimal(_)
            | Kind::Date
            | Kind::Time
            | Kind::Millis
            | Kind::Micros
            | Kind::LocalMicros,
            Value::Int(_),
        )
        | (Kind::Float32 | Kind::Float | Kind::Decimal(_), Value::Float(_))
        | (Kind::Text | Kind::Word, Value::Text(_)) => Some(value.clone()),
        (Kind::Float32 | Kind::Float, Value::Int(number)) => Some(Value::Float(*number as f64)),
        (Kind::Millis, Value::Text(text)) => time(text, 1),
        (Kind::Micros | Kind::LocalMicros, Value::Text(text)) => time(text, 1000),
        (Kind::Date, Value::Text(text)) => days(text).map(Value::Int),
        (Kind::Time, Value::Text(text)) => nanos_of_day(text).map(Value::Int),
        (Kind::Uuid, Value::Text(text)) => uuid(text).map(|uuid| Value::Text(uuid_text(&uuid))),
        _ => None,
    };
    bound.ok_or_else(|| {
        let (name, kind) = (&field.name, field.kind.word());
        Failure::asked(format!("column {name} is {kind}, which {value} can't be compared with"))
    })
}

/// A value that is tested.
#[derive(Clone, Copy, Debug)]
pub enum Cell<'c> {
    /// It lacks.
    Null,
    /// Yes or no.
    Boolean(bool),
    /// A number, or a time in the column's unit.
    Int(i64),
    /// A double.
    Float(f64),
    /// Digits, and how many of them are behind the point.
    Decimal(i128, u8),
    /// A UUID.
    Uuid(&'c [u8; UUID_LEN]),
    /// A text.
    Text(&'c str),
    /// What conditions don't compare.
    Other,
}

impl Test {
    /// Whether a value fulfils it; `None` if the value lacks.
    pub fn fulfils(&self, cell: Cell<'_>) -> Option<bool> {
        match (self, cell) {
            (Test::IsNull, cell) => return Some(matches!(cell, Cell::Null)),
            (Test::Not(test), cell) => return test.fulfils(cell).map(|is| !is),
            (_, Cell::Null) => return None,
            _ => {}
        }
        let compare = |value: &Value| compare(cell, value);
        Some(match self {
            Test::In(values) => {
                values.iter().any(|value| compare(value).is_some_and(Ordering::is_eq))
            }
            Test::Below(limit, or_equal) => {
                compare(limit).is_some_and(|it| it.is_lt() || *or_equal && it.is_eq())
            }
            Test::Above(limit, or_equal) => {
                compare(limit).is_some_and(|it| it.is_gt() || *or_equal && it.is_eq())
            }
            Test::Like(pattern) => match cell {
                Cell::Text(text) => is_like(text, pattern),
                _ => false,
            },
            Test::IsNull | Test::Not(_) => unreachable!("handled above"),
        })
    }
}

fn compare(cell: Cell<'_>, with: &Value) -> Option<Ordering> {
    match (cell, with) {
        (Cell::Boolean(own), Value::Boolean(with)) => Some(own.cmp(with)),
        (Cell::Int(own), Value::Int(with)) => Some(own.cmp(with)),
        (Cell::Float(own), Value::Float(with)) => Some(float_order(own, *with)),
        (Cell::Decimal(own, scale), Value::Int(with)) => {
            let scaled = 10_i128.checked_pow(scale.into())?.checked_mul((*with).into());
            // What has more digits than any decimal is beyond all of them.
            Some(scaled.map_or_else(|| 0.cmp(with), |scaled| own.cmp(&scaled)))
        }
        (Cell::Decimal(own, scale), Value::Float(with)) => {
            Some(float_order(own as f64 / 10_f64.powi(scale.into()), *with))
        }
        (Cell::Uuid(own), Value::Text(with)) => Some(uuid_text(own).as_str().cmp(with)),
        (Cell::Text(own), Value::Text(with)) => Some(own.cmp(with)),
        _ => None,
    }
}

/// The order of doubles that SQL has in DuckDB, polars, Spark and DataFusion: NaN is itself, and
/// greater than all others.
fn float_order(own: f64, with: f64) -> Ordering {
    own.partial_cmp(&with).unwrap_or_else(|| own.is_nan().cmp(&with.is_nan()))
}

/// Whether a text matches a pattern of LIKE: by going back to the last `%`, never further.
fn is_like(text: &str, pattern: &str) -> bool {
    let (text, pattern): (Vec<char>, Vec<char>) =
        (text.chars().collect(), pattern.chars().collect());
    let (mut at, mut in_pattern, mut back) = (0, 0, None);
    while at < text.len() {
        match pattern.get(in_pattern) {
            Some('%') => {
                in_pattern += 1;
                back = Some((at, in_pattern));
            }
            Some(&char) if char == '_' || char == text[at] => {
                at += 1;
                in_pattern += 1;
            }
            _ => {
                let Some((start, after)) = back else { return false };
                (at, in_pattern) = (start + 1, after);
                back = Some((start + 1, after));
            }
        }
    }
    pattern[in_pattern..].iter().all(|char| *char == '%')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_match_whole_texts() {
        for (text, pattern, want) in [
            ("api", "api", true),
            ("api", "a%", true),
            ("api", "%i", true),
            ("api", "a_i", true),
            ("api", "ap", false),
            ("apia", "%a", true),
            ("aab", "%ab", true),
            ("abcabd", "%ab_", true),
            ("", "%", true),
            ("", "_", false),
            ("é", "_", true),
        ] {
            assert_eq!(is_like(text, pattern), want, "{text} LIKE {pattern}");
        }
    }

    #[test]
    fn what_lacks_fulfils_nothing_but_that_it_lacks() {
        let three = Test::In(vec![Value::Int(3)]);
        let not_three = Test::Not(Box::new(three.clone()));
        let not_null = Test::Not(Box::new(Test::IsNull));
        let both = |test: &Test| [Cell::Int(3), Cell::Null].map(|cell| test.fulfils(cell));
        assert_eq!(both(&three), [Some(true), None]);
        assert_eq!(both(&not_three), [Some(false), None]);
        assert_eq!(both(&Test::IsNull), [Some(false), Some(true)]);
        assert_eq!(both(&not_null), [Some(true), Some(false)]);
    }

    #[test]
    fn what_is_no_number_is_greater_than_all_numbers() {
        let nan = Cell::Float(f64::NAN);
        for (text, want) in [
            ("\"a\" > 1.5", true),
            ("\"a\" >= 1.5", true),
            ("\"a\" < 1.5", false),
            ("\"a\" = 1.5", false),
            ("\"a\" <> 1.5", true),
        ] {
            let read = super::super::conditions(text).unwrap();
            assert_eq!(read[0].test.fulfils(nan), Some(want), "{text}");
        }
    }

    #[test]
    fn a_condition_reads_back_as_it_is_shown() {
        for text in [
            "\"a\" = 'it''s'",
            "\"a\" <> 3",
            "\"a \"\"b\" IN (1, 2.5)",
            "\"a\" NOT IN (true, false)",
            "\"a\" < 1.0",
            "\"a\" >= -7",
            "\"a\" LIKE 'x%'",
            "\"a\" NOT LIKE '_'",
            "\"a\" IS NULL",
            "\"a\" IS NOT NULL",
        ] {
            let read = super::super::conditions(text).unwrap();
            assert_eq!(read[0].to_string(), text);
        }
    }

    #[test]
    fn a_text_of_a_time_is_compared_as_one() {
        let field = Field::new("at", Kind::Micros, "");
        let bound = Condition {
            column: "at".to_owned(),
            test: Test::Above(Value::Text("1970-01-01T00:00:01Z".to_owned()), true),
        }
        .bound(&field);
        assert_eq!(bound, Ok(Test::Above(Value::Int(1_000_000), true)));
        let of_text = Condition {
            column: "at".to_owned(),
            test: Test::In(vec![Value::Text("soon".to_owned())]),
        };
        let error = of_text.bound(&field).unwrap_err().to_string();
        assert_eq!(error, "column at is timestamp (us, UTC), which 'soon' can't be compared with");
    }
}
