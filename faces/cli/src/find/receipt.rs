//! Cost of a call (`--receipt`), and what its budget has cut (`--budget`).
//!
//! Callers: find

use std::io::{self, Write};

use manicule::code::shards::find as shards;
use manicule::code::tree;
use manicule::series::query::Work;
use serde_json::json;

use super::call::Call;
use super::output::Budget;
use crate::flags::{Find, Mode};
use crate::messages::say;
use crate::print::Print;
use crate::receipt::{self, Form};

/// What is in a receipt: of those kinds of paths that the call has.
pub(crate) struct Receipt<'r> {
    pub(crate) tree: Option<&'r tree::Receipt>,
    pub(crate) shards: Option<&'r shards::Receipt>,
    pub(crate) blocks: Option<&'r Work>,
    pub(crate) budget: Option<&'r Budget>,
}

impl Receipt<'_> {
    /// Prints it.
    pub(crate) fn print(&self, call: &Call, out: &mut Print) -> io::Result<()> {
        let tree = self.tree.into_iter().flat_map(tree::Receipt::fields);
        let shards = self.shards.into_iter().flat_map(shards::Receipt::fields);
        let blocks = self.blocks.into_iter().flat_map(Work::fields);
        let budget = self.budget.into_iter().flat_map(|budget| {
            [("budget_cut", budget.cut.into()), ("budget_left_out_len", budget.bytes_left_out)]
        });
        let fields: Vec<(&str, u64)> = tree.chain(shards).chain(blocks).chain(budget).collect();
        receipt::print(&fields, if is_json(call) { Form::Json } else { Form::Lines }, out)
    }
}

/// Tells how the budget stands: always under `--json`, else only when something was cut.
pub(crate) fn print_budget(call: &Call, budget: &Budget, out: &mut Print) -> io::Result<()> {
    if is_json(call) {
        let data = json!({
            "bytes_max": budget.bytes_max,
            "bytes_printed": budget.bytes_printed,
            "cut": budget.cut,
            "bytes_left_out": budget.bytes_left_out,
        });
        return writeln!(out, "{}", json!({ "type": "budget", "data": data }));
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
