//! Columns of the types that staged values have, and values pushed into them.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::call::ColumnTypes;
use super::chunk::Staged;
use super::stage::Stage;
use super::values::{boolean, date, date_time, decimal, float, integer};
use crate::answer::{self, Column, Field};

/// Key of a field's note: the kind of all values of its column.
const TYPE: &str = "type";
/// Key of a field's note: the name of the column that has the kind of each value.
const TYPE_COLUMN: &str = "type_column";

/// What a column has of a staged one.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Shows {
    /// Its values.
    Values,
    /// The kinds of its values, as texts.
    Kinds,
}

/// The columns of rows that are all staged.
#[derive(Debug)]
pub(crate) struct Typed {
    pub(crate) fields: Vec<Field>,
    /// The staged column of each, and what of it.
    pub(crate) of: Vec<(usize, Shows)>,
}

impl Typed {
    /// Columns with these names; beside one of several kinds is one that says them.
    pub(crate) fn new(names: &[String], stage: &Stage, types: ColumnTypes) -> Typed {
        let mut taken: BTreeSet<String> = names.iter().cloned().collect();
        let mut typed = Typed { fields: Vec::new(), of: Vec::new() };
        let mut add = |field, at, shows| {
            typed.fields.push(field);
            typed.of.push((at, shows));
        };
        for (at, (name, profile)) in names.iter().zip(&stage.profiles).enumerate() {
            let kind = profile.column_kind(&stage.kinds, types);
            let field = Field::new("", kind, "The variable of this name.").or_null();
            let field = field.named(name.clone());
            if profile.is_mixed() {
                let mut beside = format!("{name}_type");
                while !taken.insert(beside.clone()) {
                    beside.push('_');
                }
                add(field.noted((TYPE_COLUMN, Arc::from(&*beside))), at, Shows::Values);
                let kinds = Field::new("", answer::Kind::Word, "What it is.").or_null();
                add(kinds.named(beside), at, Shows::Kinds);
            } else if let Some(kind) = profile.only_kind() {
                add(field.noted((TYPE, Arc::from(stage.kinds.text(kind)))), at, Shows::Values);
            } else {
                add(field, at, Shows::Values);
            }
        }
        typed
    }
}

/// Pushes what a column has of a staged value.
pub(crate) fn push(column: &mut Column, shows: Shows, stage: &Stage, (kind, text): Staged<'_>) {
    match shows {
        Shows::Values => push_value(column, text).expect("the type is one that has all values"),
        Shows::Kinds => column.text(stage.kinds.text(kind)),
    }
}

/// Pushes a text as a value of the type of a column; none where that doesn't hold it.
fn push_value(column: &mut Column, text: &str) -> Option<()> {
    match *column.kind() {
        answer::Kind::Boolean => column.boolean(boolean(text)?),
        answer::Kind::Int => column.int(integer(text)?),
        answer::Kind::Float => column.float(float(text)?),
        answer::Kind::Float32 => column.single(float(text)?),
        answer::Kind::Decimal(scale) => column.decimal(decimal(text, scale.into())?),
        answer::Kind::Date => column.int(date(text)?.into()),
        answer::Kind::Micros | answer::Kind::LocalMicros => column.int(date_time(text)?.0),
        _ => column.text(text),
    }
    Some(())
}
