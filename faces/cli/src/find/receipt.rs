//! Cost of a call (`--receipt`), and the output cut by its budget (`--budget`).

use std::io;

use serde_json::json;

use super::call::Call;
use super::output::Budget;
use crate::flags::{Find, Mode};
use crate::messages::say;
use crate::print::{Form, Print};
use crate::receipt;

/// Prints the cost of each kind of a call, then the budget.
pub(crate) fn print(
    call: &Call,
    mut fields: Vec<(&'static str, u64)>,
    budget: Option<&Budget>,
    out: &mut Print,
) -> io::Result<()> {
    if let Some(budget) = budget {
        fields.push(("budget_cut", budget.cut.into()));
        fields.push(("budget_left_out_len", budget.bytes_left_out));
    }
    receipt::print(&fields, if is_json(call) { Form::Json } else { Form::Text }, out)
}

/// Prints the state of the budget: always under `--json`, else only when something was cut.
pub(crate) fn print_budget(call: &Call, budget: &Budget, out: &mut Print) -> io::Result<()> {
    if is_json(call) {
        let data = json!({
            "bytes_max": budget.bytes_max,
            "bytes_printed": budget.bytes_printed,
            "cut": budget.cut,
            "bytes_left_out": budget.bytes_left_out,
        });
        return out.row("budget", json!({ "data": data }));
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
