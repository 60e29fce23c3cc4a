//! What a call has cost (`--receipt`), and what its budget has cut (`--budget`).
//!
//! Callers: find

use std::io::{self, Write};

use manicule::code::shards::find as shards;
use manicule::code::tree;
use manicule::series::query::Work;
use serde_json::json;

use super::call::Call;
use super::output::Out;
use crate::flags::{Find, Mode};
use crate::messages::say;
use crate::receipt::{self, Form};

/// Prints the receipt of those kinds of paths that the call has.
pub(crate) fn print(
    call: &Call,
    tree: Option<&tree::Receipt>,
    shards: Option<&shards::Receipt>,
    blocks: Option<&Work>,
) -> io::Result<()> {
    let tree = tree.into_iter().flat_map(tree::Receipt::fields);
    let shards = shards.into_iter().flat_map(shards::Receipt::fields);
    let blocks = blocks.into_iter().flat_map(Work::fields);
    let fields: Vec<(&str, u64)> = tree.chain(shards).chain(blocks).collect();
    let form = if is_json(call) { Form::Json } else { Form::Lines };
    let mut stdout = io::stdout().lock();
    receipt::print(&fields, form, &mut stdout)?;
    stdout.flush()
}

/// Tells how the budget stands: always under `--json`, else only when something was cut.
pub(crate) fn print_budget(call: &Call, out: &Out) -> io::Result<()> {
    let Some(budget) = out.budget() else { return Ok(()) };
    if is_json(call) {
        let data = json!({
            "bytes_max": budget.bytes_max,
            "bytes_printed": budget.bytes_printed,
            "cut": budget.cut,
            "bytes_left_out": budget.bytes_left_out,
        });
        let mut stdout = io::stdout().lock();
        writeln!(stdout, "{}", json!({ "type": "budget", "data": data }))?;
        return stdout.flush();
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
