//! Cost of a call, as `--receipt` shows it.
//!
//! Callers: find/receipt, series

use std::io::{self, Write};

use serde_json::{Map, Value, json};

use crate::messages::say;

/// Where a receipt goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    /// Lines on standard error.
    Lines,
    /// An object of type `receipt` on standard output, after what was found.
    Json,
}

/// Prints a receipt.
pub(crate) fn print(
    fields: &[(&'static str, u64)],
    form: Form,
    out: &mut dyn Write,
) -> io::Result<()> {
    if form == Form::Lines {
        fields.iter().for_each(|(name, count)| say(&format_args!("receipt: {name} {count}")));
        return Ok(());
    }
    let data: Map<String, Value> =
        fields.iter().map(|(name, count)| ((*name).to_owned(), (*count).into())).collect();
    writeln!(out, "{}", json!({ "type": "receipt", "data": data }))
}
