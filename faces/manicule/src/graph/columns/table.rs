//! A table of rows of terms: columns of the types that their values have, and columns that say what
//! mixed values are.

use std::collections::BTreeSet;
use std::collections::HashMap;
use std::io::Write;
use std::sync::Arc;

use arrow_array::builder::StringBuilder;
use arrow_array::cast::AsArray;
use arrow_array::types::UInt32Type;
use arrow_array::{
    ArrayRef, BooleanArray, Date32Array, Decimal128Array, Float32Array, Float64Array, Int64Array,
    RecordBatch, RecordBatchOptions, StringArray, TimestampMicrosecondArray,
};
use arrow_schema::{DataType, Field, Schema};
use oxrdf::Term;

use super::call::TableCall;
use super::stage::{Stage, Value};
use super::types::{Kind, Kinds};
use super::values::{boolean, date, date_time, decimal, float, integer};
use crate::graph::Error;
use crate::tables::{TableError, TableFile};

/// Key of a field's metadata: the kind of all values of its column.
const TYPE: &str = "type";
/// Key of a field's metadata: the name of the column that has the kind of each value.
const TYPE_COLUMN: &str = "type_column";

/// Writes a table of rows. They are held until the last one has come, 32 MiB of them in memory, the
/// rest in a file: the types of the columns are those of all values.
pub(in crate::graph) fn write_table<R>(
    names: &[String],
    rows: impl Iterator<Item = Result<R, Error>>,
    values: impl Fn(&R) -> &[Option<Term>],
    call: &TableCall,
    out: &mut dyn Write,
) -> Result<(), Error> {
    let path = call.scratch.join(format!(".manicule-rows.{}.tmp", std::process::id()));
    let mut stage = Stage::new(names.len(), path);
    for row in rows {
        let row = row?;
        for (at, value) in values(&row).iter().enumerate() {
            match value {
                None => stage.push(at, None)?,
                Some(Term::NamedNode(node)) => {
                    stage.push(at, Some(Value { kind: Kind::Iri, text: node.as_str() }))?;
                }
                Some(Term::BlankNode(node)) => {
                    stage.push(at, Some(Value { kind: Kind::Blank, text: &node.to_string() }))?;
                }
                Some(Term::Literal(literal)) => {
                    let kind = match literal.language() {
                        Some(tag) => Kind::Language(tag),
                        None => Kind::Datatype(literal.datatype().as_str()),
                    };
                    stage.push(at, Some(Value { kind, text: literal.value() }))?;
                }
            }
        }
        stage.end_row()?;
    }
    Ok(write_staged(names, stage, call, out)?)
}

/// Writes a table of one boolean, which is an answer.
pub(in crate::graph) fn write_boolean(
    answer: bool,
    call: &TableCall,
    out: &mut dyn Write,
) -> Result<(), Error> {
    let literal = Term::from(oxrdf::Literal::from(answer));
    let rows = [Ok([Some(literal)])].into_iter();
    write_table(&["answer".to_owned()], rows, |row| row, call, out)
}

fn write_staged(
    names: &[String],
    mut stage: Stage,
    call: &TableCall,
    out: &mut dyn Write,
) -> Result<(), TableError> {
    let profiles = stage.end()?;
    let mut taken: BTreeSet<String> = names.iter().cloned().collect();
    let mut fields = Vec::new();
    for (name, profile) in names.iter().zip(&profiles) {
        let data_type = profile.data_type(&stage.kinds, call.types);
        let field = Field::new(name, data_type, true);
        if profile.is_mixed() {
            let mut beside = format!("{name}_type");
            while !taken.insert(beside.clone()) {
                beside.push('_');
            }
            fields.push(with_note(field, TYPE_COLUMN, &beside));
            fields.push(Field::new(beside, DataType::Utf8, true));
        } else if let Some(kind) = profile.only_kind() {
            fields.push(with_note(field, TYPE, stage.kinds.text(kind)));
        } else {
            fields.push(field);
        }
    }
    let schema = Arc::new(Schema::new(fields));
    let mut file = TableFile::begin(call.format, &schema)?;
    while let Some(staged) = stage.next()? {
        let mut arrays = Vec::new();
        for (at, profile) in profiles.iter().enumerate() {
            let texts = staged.column(2 * at).as_string::<i32>();
            let data_type = profile.data_type(&stage.kinds, call.types);
            arrays.push(typed(texts, &data_type)?);
            if profile.is_mixed() {
                arrays.push(kinds_of(staged.column(2 * at + 1), &stage.kinds));
            }
        }
        let options = RecordBatchOptions::new().with_row_count(Some(staged.num_rows()));
        let batch = RecordBatch::try_new_with_options(schema.clone(), arrays, &options)?;
        file.write(&batch, out)?;
    }
    file.end(out)
}

fn with_note(field: Field, key: &str, note: &str) -> Field {
    field.with_metadata(HashMap::from([(key.to_owned(), note.to_owned())]))
}

/// Texts as values of a type, which all of them are.
fn typed(texts: &StringArray, data_type: &DataType) -> Result<ArrayRef, TableError> {
    let all = texts.iter();
    Ok(match data_type {
        DataType::Boolean => Arc::new(all.map(|text| boolean(text?)).collect::<BooleanArray>()),
        DataType::Int64 => Arc::new(all.map(|text| integer(text?)).collect::<Int64Array>()),
        DataType::Float64 => Arc::new(all.map(|text| float(text?)).collect::<Float64Array>()),
        DataType::Float32 => Arc::new(all.map(|text| float(text?)).collect::<Float32Array>()),
        DataType::Date32 => Arc::new(all.map(|text| date(text?)).collect::<Date32Array>()),
        DataType::Decimal128(digits, scale) => {
            let decimals = all.map(|text| decimal(text?, *scale as usize));
            let decimals = decimals.collect::<Decimal128Array>();
            Arc::new(decimals.with_precision_and_scale(*digits, *scale)?)
        }
        DataType::Timestamp(_, zone) => {
            let time = |text: Option<&str>| date_time(text?).map(|(micros, _)| micros);
            let times = all.map(time).collect::<TimestampMicrosecondArray>();
            Arc::new(times.with_timezone_opt(zone.clone()))
        }
        _ => Arc::new(texts.clone()),
    })
}

/// The kinds of values as texts.
fn kinds_of(numbers: &ArrayRef, kinds: &Kinds) -> ArrayRef {
    let mut texts = StringBuilder::new();
    for number in numbers.as_primitive::<UInt32Type>() {
        texts.append_option(number.map(|number| kinds.text(number)));
    }
    Arc::new(texts.finish())
}
