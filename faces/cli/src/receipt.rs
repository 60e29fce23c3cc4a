//! Cost of a call, as `--receipt` shows it.

use std::io::{self, Write};

use manicule::answer::Answer;
use manicule::place::cost;
use serde_json::{Map, Value, json};

use crate::messages::say;
use crate::print::{Form, typed};

/// Prints a receipt, with what was asked of object stores, if any was: lines on standard error, or
/// an object of type `receipt` on standard output, after what was found.
pub(crate) fn print(
    fields: &[(&'static str, u64)],
    form: Form,
    out: &mut dyn Write,
) -> io::Result<()> {
    let fields = with_buckets(fields);
    if form != Form::Json {
        fields.iter().for_each(|(name, count)| say(&format_args!("receipt: {name} {count}")));
        return Ok(());
    }
    let data: Map<String, Value> =
        fields.iter().map(|(name, count)| ((*name).to_owned(), (*count).into())).collect();
    writeln!(out, "{}", typed("receipt", json!({ "data": data })))
}

/// Prints that of a table whose rows were written.
pub(crate) fn print_of(answer: &Answer, out: &mut dyn Write) -> io::Result<()> {
    answer.receipt().map_or(Ok(()), |counts| print(counts, Form::Text, out))
}

/// The fields of a receipt, and what was asked of object stores, if anything was.
pub(crate) fn with_buckets(fields: &[(&'static str, u64)]) -> Vec<(&'static str, u64)> {
    let of_buckets = cost().map(|cost| cost.fields());
    [fields, of_buckets.as_deref().unwrap_or_default()].concat()
}
