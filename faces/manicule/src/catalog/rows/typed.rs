//! The columns of a user's table, and the arguments that say which of its rows and in which types.

use std::path::Path;

use serde_json::Value as Json;

use super::opened::opened;
use super::{asked, tokens};
use crate::answer::{Column, Field, Question};
use crate::catalog::arguments::{Argument, Arguments, Concerns, Takes};
use crate::catalog::bounds::Bounds;
use crate::catalog::table::ByData;
use crate::failure::Failure;
use crate::rows::typed::{check_parts, decimal_kind, field_of, push, push_decimal, text_field_of};
use crate::rows::{Shape, Type};

pub(super) const KEY: Argument = Argument {
    name: "key",
    takes: Takes::Texts,
    concerns: Concerns::Question,
    about: "Partitions with these keys, as CQL writes them: `7`, `(7, 'a')` of two columns. Default: all.",
};
pub(super) const SCHEMA: Argument = Argument {
    name: "schema",
    takes: Takes::Text,
    concerns: Concerns::Opening,
    about: "A CQL file with the names of the key's columns, which SSTables don't have. Default: a `schema.cql` beside the SSTables, if it is there.",
};
pub(super) const AS_TEXT: Argument = Argument {
    name: "as_text",
    takes: Takes::Texts,
    concerns: Concerns::Question,
    about: "Columns whose values are text as CQL writes them.",
};
pub(super) const DECIMALS: Argument = Argument {
    name: "decimals",
    takes: Takes::Texts,
    concerns: Concerns::Question,
    about: "Columns of `decimal` or `varint` as decimals, each with its digits behind the point: `price=2`. A value that has others is an error.",
};

/// What the pages say of columns of CQL.
pub(super) const CQL_TYPE: &str = "by its type";
pub(super) static KEY_COLUMNS: ByData = ByData {
    name: "columns of the key",
    kind: CQL_TYPE,
    about: "The partition key and the clustering columns, by their names.",
};
const ABOUT: &str = "A column of the table.";

/// How the values of a column are pushed.
#[derive(Clone, Copy, Debug)]
enum Pushed {
    Typed,
    Decimal(u8),
}

/// Columns of a user's table.
#[derive(Debug)]
pub(super) struct Typed {
    pub(super) fields: Vec<Field>,
    pushed: Vec<Pushed>,
}

/// Opens the table of the path.
pub(super) fn shaped(arguments: &Arguments) -> Result<Shape, Failure> {
    let mut tables = opened(arguments)?;
    let several = || Failure::asked("one path is read, whose columns it has: several were given");
    let table = tables.pop().filter(|_| tables.is_empty()).ok_or_else(several)?;
    Ok(table.into_shape(arguments.text(SCHEMA.name).map(Path::new))?)
}

impl Typed {
    /// Columns with these names and types, in the types that arguments ask for.
    pub(super) fn new(
        columns: &[(String, &Type)],
        arguments: &Arguments,
    ) -> Result<Typed, Failure> {
        let as_text: Vec<&str> = arguments.texts(AS_TEXT.name).collect();
        let decimals = arguments.texts(DECIMALS.name).map(decimals_of);
        let decimals = decimals.collect::<Result<Vec<_>, _>>()?;
        let named = as_text.iter().copied().chain(decimals.iter().map(|(name, _)| *name));
        for name in named {
            if columns.iter().all(|(own, _)| own != name) {
                let all: Vec<&str> = columns.iter().map(|(own, _)| own.as_str()).collect();
                return Err(Failure::asked(format!(
                    "the table has no column {name}: there are {}",
                    all.join(", ")
                )));
            }
        }
        let mut typed = Typed { fields: Vec::new(), pushed: Vec::new() };
        for (name, kind) in columns {
            let wrong = |why: String| Failure::asked(format!("column {name}: {why}"));
            let scale = decimals.iter().find(|(own, _)| own == name).map(|(_, scale)| *scale);
            let (field, pushed) = match scale {
                _ if as_text.contains(&name.as_str()) => {
                    (text_field_of(name, kind, ABOUT), Pushed::Typed)
                }
                Some(scale) => {
                    let field = decimal_kind(name, kind, scale, ABOUT).map_err(wrong)?;
                    (field, Pushed::Decimal(scale))
                }
                None => {
                    check_parts(kind).map_err(|why| wrong(format!("{why}: as_text has none")))?;
                    (field_of(name, kind, ABOUT), Pushed::Typed)
                }
            };
            typed.fields.push(field);
            typed.pushed.push(pushed);
        }
        Ok(typed)
    }

    /// Adds one of our columns, its name with a `_` more where a user's column has it.
    pub(super) fn add(&mut self, field: &Field) {
        let mut name = field.name.to_string();
        while self.fields.iter().any(|own| own.name == name) {
            name.push('_');
        }
        self.fields.push(field.clone().named(name));
    }

    /// Pushes the value of a user's column.
    pub(super) fn push(
        &self,
        at: usize,
        column: &mut Column,
        kind: &Type,
        value: Option<&[u8]>,
    ) -> Result<(), Failure> {
        match self.pushed[at] {
            Pushed::Typed => {
                push(column, kind, value);
                Ok(())
            }
            Pushed::Decimal(scale) => push_decimal(column, kind, scale, value).map_err(|why| {
                Failure::asked(format!("column {}: {why}: as_text has it", self.fields[at].name))
            }),
        }
    }
}

fn decimals_of(text: &str) -> Result<(&str, u8), Failure> {
    let found = text.rsplit_once('=').and_then(|(name, scale)| Some((name, scale.parse().ok()?)));
    found.ok_or_else(|| Failure::asked(format!("argument decimals: {text} is no COLUMN=DIGITS")))
}

/// Which partitions are read.
#[derive(Debug)]
pub(super) struct Partitions {
    pub(super) keys: Option<Vec<Vec<u8>>>,
    pub(super) tokens: Bounds,
}

impl Partitions {
    /// Those of the arguments, of a part, and of the conditions on the columns of the partition
    /// key, which begin at a place; these are tested again.
    pub(super) fn new(
        shape: &Shape,
        arguments: &Arguments,
        part: &Json,
        question: &mut Question,
        first: usize,
    ) -> Result<Partitions, Failure> {
        let own = tokens::given(arguments)?;
        let of_part = tokens::of_part(part)?;
        let tokens = Bounds { low: own.low.max(of_part.low), high: own.high.min(of_part.high) };
        let given: Vec<&str> = arguments.texts(KEY.name).collect();
        let read = |text: &&str| Ok(shape.read_key(text)?);
        let given = given.iter().map(read).collect::<Result<Vec<_>, Failure>>()?;
        let by_conditions = asked::keys(shape, question, first);
        let keys = match (given.is_empty(), by_conditions) {
            (true, asked) => asked,
            (false, None) => Some(given),
            (false, Some(asked)) => {
                Some(given.into_iter().filter(|key| asked.contains(key)).collect())
            }
        };
        if keys.is_some() && !shape.has_tokens() && tokens != Bounds::ALL {
            let why = "keys and tokens exclude each other, where partitions have no tokens";
            return Err(Failure::asked(why));
        }
        Ok(Partitions { keys, tokens })
    }
}
