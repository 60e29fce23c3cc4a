//! What a call has cost (`--receipt`), and what its budget has cut (`--budget`).
//!
//! Callers: find

use std::io::{self, Write};

use manicule::code::shards::find as shards;
use manicule::code::tree;
use serde_json::{Map, Value, json};

use super::call::Call;
use super::output::Out;
use crate::flags::{Find, Mode};
use crate::messages::say;

/// Prints the receipt: an object on standard output under `--json`, else lines on standard error.
pub(crate) fn print(
    call: &Call,
    tree: Option<&tree::Receipt>,
    shards: Option<&shards::Receipt>,
) -> io::Result<()> {
    let tree = tree.into_iter().flat_map(tree::Receipt::fields);
    let shards = shards.into_iter().flat_map(shards::Receipt::fields);
    let fields: Vec<(&str, u64)> = tree.chain(shards).collect();
    if is_json(call) {
        let data: Map<String, Value> =
            fields.into_iter().map(|(name, number)| (name.to_owned(), number.into())).collect();
        return object("receipt", data.into());
    }
    for (name, number) in fields {
        say(&format_args!("receipt: {name} {number}"));
    }
    Ok(())
}

/// Tells how the budget stands: always under `--json`, else only when something was cut.
pub(crate) fn print_budget(call: &Call, out: &Out) -> io::Result<()> {
    let Some(budget) = out.budget() else { return Ok(()) };
    if is_json(call) {
        return object(
            "budget",
            json!({
                "bytes_max": budget.bytes_max,
                "bytes_printed": budget.bytes_printed,
                "cut": budget.cut,
                "bytes_left_out": budget.bytes_left_out,
            }),
        );
    }
    if budget.cut {
        say(&format_args!(
            "output cut at --budget {}: {} bytes printed, at least {} left out, and the other files not looked into; \
             narrow the pattern or the paths, or raise the budget",
            budget.bytes_max, budget.bytes_printed, budget.bytes_left_out
        ));
    }
    Ok(())
}

fn is_json(call: &Call) -> bool {
    call.mode == Mode::Search(Find::Json)
}

fn object(kind: &str, data: Value) -> io::Result<()> {
    let mut stdout = io::stdout().lock();
    writeln!(stdout, "{}", json!({ "type": kind, "data": data }))?;
    stdout.flush()
}
