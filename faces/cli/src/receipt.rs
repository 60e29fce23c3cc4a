//! Cost of a call, as `--receipt` shows it.

use std::io::{self, Write};

use serde_json::{Map, Value, json};

use crate::messages::say;
use crate::print::{Form, typed};

/// Prints a receipt: lines on standard error, or an object of type `receipt` on standard output,
/// after what was found.
pub(crate) fn print(
    fields: &[(&'static str, u64)],
    form: Form,
    out: &mut dyn Write,
) -> io::Result<()> {
    if form != Form::Json {
        fields.iter().for_each(|(name, count)| say(&format_args!("receipt: {name} {count}")));
        return Ok(());
    }
    let data: Map<String, Value> =
        fields.iter().map(|(name, count)| ((*name).to_owned(), (*count).into())).collect();
    writeln!(out, "{}", typed("receipt", json!({ "data": data })))
}
