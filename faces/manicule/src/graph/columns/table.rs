//! A table of rows of terms for other programs: columns of the types that their values have, and
//! columns that say what mixed values are.

use std::io::Write;

use arrow_array::{RecordBatch, RecordBatchOptions};
use arrow_schema::{ArrowError, SchemaRef};
use oxrdf::Term;

use super::call::TableCall;
use super::chunk::Chunk;
use super::stage::Stage;
use super::typed::{Typed, push};
use super::types::{Kind, Value};
use crate::answer::{Column, Words, array, schema};
use crate::graph::Error;
use crate::tables::{TableError, TableFile};

/// Writes a table of rows. They are held until the last one has come, 32 MiB of them in memory, the
/// rest in a file: the types of the columns are those of all values.
pub(in crate::graph) fn write_table<R>(
    names: &[String],
    rows: impl Iterator<Item = Result<R, Error>>,
    values: impl Fn(&R) -> &[Option<Term>],
    call: &TableCall,
    out: &mut dyn Write,
) -> Result<(), Error> {
    let mut stage = Stage::new(names.len(), &call.scratch);
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
                    let directed = literal.language().zip(literal.direction());
                    let directed = directed.map(|(tag, direction)| format!("{tag}--{direction}"));
                    let kind = match directed.as_deref().or(literal.language()) {
                        Some(tag) => Kind::Language(tag),
                        None => Kind::Datatype(literal.datatype().as_str()),
                    };
                    stage.push(at, Some(Value { kind, text: literal.value() }))?;
                }
                Some(term @ Term::Triple(_)) => {
                    stage.push(at, Some(Value { kind: Kind::Triple, text: &term.to_string() }))?;
                }
            }
        }
        stage.end_row()?;
    }
    write_staged(names, stage, call, out)
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

/// Writes staged rows.
fn write_staged(
    names: &[String],
    mut stage: Stage,
    call: &TableCall,
    out: &mut dyn Write,
) -> Result<(), Error> {
    stage.end()?;
    let typed = Typed::new(names, &stage, call.types);
    let schema = schema(&typed.fields, Words::AsTexts);
    let mut file = TableFile::begin(call.format, &schema)?;
    while let Some(chunk) = stage.next()? {
        let batch = batch(&typed, &stage, &chunk, &schema).map_err(TableError::from)?;
        file.write(&batch, out)?;
    }
    Ok(file.end(out)?)
}

/// The rows of a chunk as a batch.
fn batch(
    typed: &Typed,
    stage: &Stage,
    chunk: &Chunk,
    schema: &SchemaRef,
) -> Result<RecordBatch, ArrowError> {
    let mut arrays = Vec::new();
    for ((at, shows), (own, field)) in typed.of.iter().zip(typed.fields.iter().zip(schema.fields()))
    {
        let mut column = Column::new(own.kind.clone());
        for value in chunk.values(*at) {
            match value {
                None => column.null(),
                Some(value) => push(&mut column, *shows, stage, value),
            }
        }
        arrays.push(array(column, field.data_type())?);
    }
    let options = RecordBatchOptions::new().with_row_count(Some(chunk.row_count()));
    RecordBatch::try_new_with_options(schema.clone(), arrays, &options)
}
