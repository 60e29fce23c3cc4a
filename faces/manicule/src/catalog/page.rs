//! The page of a table in docs/tables, as Markdown.

use std::fmt::Write as _;

use super::arguments::{Argument, Arguments};
use super::table::{ByData, Table};
use crate::answer::Field;
use crate::failure::Failure;

/// The page of a table.
///
/// # Errors
/// Where its columns can't be told without its files.
pub fn page(table: &Table) -> Result<String, Failure> {
    let here = Arguments { paths: vec![".".into()], named: Vec::new() };
    let fields = if table.is_declared() { table.fields(&here)? } else { Vec::new() };
    let mut page = format!("# {}\n\n{}\n\n", table.name, table.about);
    let mut line = |text: &str| {
        page.push_str(text);
        page.push('\n');
    };
    line("| column | type | what it is |");
    line("|---|---|---|");
    for ByData { name, kind, about } in table.by_data {
        line(&format!("| {name} | {kind} | {about} |"));
    }
    for Field { name, kind, about, may_be_null, is_dear, .. } in &fields {
        let mark = if *may_be_null { "?" } else { "" };
        let dear = if *is_dear { " Dear: it is read where it is asked for." } else { "" };
        line(&format!("| `{name}`{mark} | {} | {about}{dear} |", kind.word()));
    }
    line("\nA column with `?` may lack.\n");
    if !table.arguments.is_empty() {
        line("| argument | type | what it means |");
        line("|---|---|---|");
        for Argument { name, takes, about, .. } in table.arguments {
            line(&format!("| `{name}` | {} | {about} |", takes.word()));
        }
        line("");
    }
    line(&format!("**Order**: {}\n", table.order));
    let mut pushes = String::new();
    for push in table.pushes {
        let comma = if pushes.is_empty() { "" } else { "; " };
        // A String takes everything.
        let _ = write!(pushes, "{comma}`{}` {}", push.column, push.tests);
    }
    if pushes.is_empty() {
        pushes.push_str("nothing but columns and limit");
    }
    line(&format!(
        "**Read less for**: {pushes}. Other conditions are tested row by row; a limit ends the reading.\n"
    ));
    line(&format!("**Partition**: {}\n", table.partition));
    line(&format!("A question:\n\n```sql\n{}\n```", table.question));
    Ok(page)
}
