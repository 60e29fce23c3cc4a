//! EXPLAIN: the plan of a query after all rewrites, with what each part gave and what the whole cost.
//!
//! Callers: faces/manicule

use std::fmt;

use serde_json::Value;

use super::session::QueryWork;

/// Plan of a query that was run: as a tree where it was evaluated row by row, as steps one after the other where by columns.
#[derive(Clone, Debug)]
pub struct Explained {
    /// Lines of the plan, each with its depth.
    pub lines: Vec<PlanLine>,
    /// The cost.
    pub work: QueryWork,
}

/// Part of a plan.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PlanLine {
    /// Number of parts that it is inside of.
    pub depth: usize,
    /// What it does; row by row in the evaluator's words.
    pub what: String,
    /// Number of solutions that it gave, over all of its evaluations.
    pub rows: u64,
}

impl Explained {
    /// A plan, as the evaluator describes it in JSON.
    pub(super) fn new(json: &[u8], work: QueryWork) -> Explained {
        let mut lines = Vec::new();
        if let Ok(document) = serde_json::from_slice::<Value>(json) {
            push(&document["plan"], 0, &mut lines);
        }
        Explained { lines, work }
    }
}

fn push(part: &Value, depth: usize, lines: &mut Vec<PlanLine>) {
    let Some(what) = part["name"].as_str() else { return };
    let rows = part["number of results"].as_u64().unwrap_or(0);
    lines.push(PlanLine { depth, what: what.to_owned(), rows });
    for child in part["children"].as_array().into_iter().flatten() {
        push(child, depth + 1, lines);
    }
}

impl fmt::Display for Explained {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for line in &self.lines {
            writeln!(f, "{:>10}  {}{}", line.rows, "  ".repeat(line.depth), line.what)?;
        }
        for (name, count) in self.work.fields() {
            writeln!(f, "{count:>10}  {name}")?;
        }
        Ok(())
    }
}
