//! Markdown tables, numbers in them, and ratios compared with a target.

use std::fmt::Write as _;

use serde::{Deserialize, Serialize};

use crate::measure::median;

/// A Markdown table under a heading.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Table {
    /// Its heading.
    pub title: String,
    /// A sentence below the heading; may be empty.
    pub note: String,
    /// The first row.
    pub head: Vec<String>,
    /// The others, as long as the first.
    pub rows: Vec<Vec<String>>,
}

impl Table {
    /// A table without rows.
    pub(crate) fn new(title: impl Into<String>, note: &str, head: &[&str]) -> Self {
        let head = head.iter().map(|&cell| cell.to_owned()).collect();
        Table { title: title.into(), note: note.to_owned(), head, rows: Vec::new() }
    }

    /// Adds a row.
    pub(crate) fn row(&mut self, cells: Vec<String>) {
        assert_eq!(cells.len(), self.head.len(), "as many cells as the head has: {cells:?}");
        self.rows.push(cells);
    }

    /// The table as Markdown. The first column is text, the others are numbers.
    pub(crate) fn markdown(&self) -> String {
        let mut out = format!("\n### {}\n\n", self.title);
        if !self.note.is_empty() {
            writeln!(out, "{}\n", self.note).expect("a string takes all");
        }
        let line = |cells: &[String]| {
            let cells: Vec<String> = cells.iter().map(|cell| escape(cell)).collect();
            format!("| {} |\n", cells.join(" | "))
        };
        out += &line(&self.head);
        out += "|---|";
        out += &"---:|".repeat(self.head.len().saturating_sub(1));
        out.push('\n');
        for row in &self.rows {
            out += &line(row);
        }
        out
    }
}

/// A bar would end the cell.
fn escape(cell: &str) -> String {
    cell.replace('|', "\\|")
}

/// Milliseconds: as many digits as the noise leaves meaning.
pub(crate) fn ms(value: Option<f64>) -> String {
    match value {
        None => "-".to_owned(),
        Some(value) if value < 10.0 => format!("{value:.1}"),
        Some(value) => format!("{value:.0}"),
    }
}

/// Wall and CPU of one program in one cell.
pub(crate) fn wall_cpu(wall: Option<f64>, cpu: Option<f64>) -> String {
    if wall.is_none() { "-".to_owned() } else { format!("{} / {}", ms(wall), ms(cpu)) }
}

/// Seconds from milliseconds.
pub(crate) fn seconds(value_ms: Option<f64>) -> String {
    value_ms.map_or("-".to_owned(), |value| format!("{:.2}", value / 1e3))
}

/// A figure with one digit after the point.
pub(crate) fn tenth(value: Option<f64>) -> String {
    value.map_or("-".to_owned(), |value| format!("{value:.1}"))
}

/// A ratio.
pub(crate) fn times(value: Option<f64>) -> String {
    value.map_or("-".to_owned(), |value| format!("{value:.2}"))
}

/// The good side of a target.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Sense {
    /// More is better.
    AtLeast,
    /// Less is better.
    AtMost,
}

/// A figure to reach (peers/find, section 10), with the one that we want in the end.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) struct Target {
    /// The good side.
    pub sense: Sense,
    /// Must be reached.
    pub least: f64,
    /// Wanted in the end.
    pub stretch: f64,
}

impl Target {
    /// More is better.
    pub(crate) const fn at_least(least: f64, stretch: f64) -> Self {
        Target { sense: Sense::AtLeast, least, stretch }
    }

    /// Less is better.
    pub(crate) const fn at_most(least: f64, stretch: f64) -> Self {
        Target { sense: Sense::AtMost, least, stretch }
    }

    /// `✗` below the least, `✓` reached, `✓✓` the stretch too.
    pub(crate) fn mark(self, got: f64) -> &'static str {
        let reached = |bound: f64| match self.sense {
            Sense::AtLeast => got >= bound,
            Sense::AtMost => got <= bound,
        };
        match (reached(self.least), reached(self.stretch)) {
            (_, true) => "✓✓",
            (true, false) => "✓",
            (false, false) => "✗",
        }
    }

    /// `4.31 ✓`, or `-` where nothing was measured.
    pub(crate) fn cell(self, got: Option<f64>) -> String {
        got.map_or("-".to_owned(), |got| format!("{got:.2} {}", self.mark(got)))
    }

    fn bound(self, bound: f64) -> String {
        let sign = if self.sense == Sense::AtLeast { "≥" } else { "≤" };
        format!("{sign} {bound}")
    }
}

/// One line of the targets table: every figure that counts for it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Check {
    /// Where: `k8s-full, selective`.
    pub what: String,
    /// The measures compared: `wall of rg / ours`.
    pub measure: String,
    /// The figure to reach.
    pub target: Target,
    /// Label and figure of each row that counts.
    pub figures: Vec<(String, f64)>,
}

impl Check {
    /// The figure farthest on the bad side.
    fn worst(&self) -> Option<&(String, f64)> {
        self.figures.iter().max_by(|(_, left), (_, right)| match self.target.sense {
            Sense::AtLeast => right.total_cmp(left),
            Sense::AtMost => left.total_cmp(right),
        })
    }
}

/// All checks against their targets, by the median and by the worst row.
pub(crate) fn targets_table(checks: &[Check]) -> Table {
    let head = ["what", "measure", "least", "stretch", "median", "worst", "worst row"];
    let note = "✓ the least is reached, ✓✓ the stretch too, ✗ not reached.";
    let mut table = Table::new("Targets", note, &head);
    for check in checks.iter().filter(|check| !check.figures.is_empty()) {
        let middle = median(check.figures.iter().map(|&(_, got)| got).collect());
        let worst = check.worst();
        table.row(vec![
            check.what.clone(),
            check.measure.clone(),
            check.target.bound(check.target.least),
            check.target.bound(check.target.stretch),
            check.target.cell(middle),
            check.target.cell(worst.map(|&(_, got)| got)),
            worst.map_or_else(String::new, |(label, _)| label.clone()),
        ]);
    }
    table
}

/// Each check with a verdict: met where the worst of its rows reaches the target.
pub(crate) fn verdicts_table(checks: &[Check]) -> Table {
    let head = ["what", "measure", "target", "median", "worst", "worst row", "verdict"];
    let mut table = Table::new("Targets", "", &head);
    for check in checks {
        let Some((label, worst)) = check.worst() else { continue };
        let middle = median(check.figures.iter().map(|&(_, got)| got).collect());
        let is_met = check.target.mark(*worst) != "✗";
        table.row(vec![
            check.what.clone(),
            check.measure.clone(),
            check.target.bound(check.target.least),
            times(middle),
            times(Some(*worst)),
            label.clone(),
            if is_met { "met" } else { "**missed**" }.to_owned(),
        ]);
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_is_markdown() {
        let mut table = Table::new("Title", "Note.", &["what", "ms"]);
        table.row(vec!["a|b".to_owned(), "1".to_owned()]);
        let want = "\n### Title\n\nNote.\n\n| what | ms |\n|---|---:|\n| a\\|b | 1 |\n";
        assert_eq!(table.markdown(), want);
    }

    #[test]
    fn numbers_keep_the_digits_that_mean_something() {
        assert_eq!([ms(Some(4.14)), ms(Some(414.1)), ms(None)], ["4.1", "414", "-"]);
        assert_eq!(wall_cpu(Some(40.2), Some(71.8)), "40 / 72");
        assert_eq!(seconds(Some(4_321.0)), "4.32");
    }

    #[test]
    fn a_target_has_two_heights() {
        let more = Target::at_least(3.5, 4.5);
        assert_eq!([3.4, 3.5, 4.5].map(|got| more.mark(got)), ["✗", "✓", "✓✓"]);
        let less = Target::at_most(300.0, 200.0);
        assert_eq!([301.0, 300.0, 150.0].map(|got| less.mark(got)), ["✗", "✓", "✓✓"]);
        assert_eq!(less.cell(None), "-");
    }

    #[test]
    fn the_worst_row_is_named() {
        let figures = vec![("a".to_owned(), 4.0), ("b".to_owned(), 3.0), ("c".to_owned(), 9.0)];
        let check = Check {
            what: "k".to_owned(),
            measure: "wall".to_owned(),
            target: Target::at_least(3.5, 4.5),
            figures,
        };
        let table = targets_table(&[check]);
        assert_eq!(table.rows[0][4..], ["4.00 ✓", "3.00 ✗", "b"].map(str::to_owned));
    }
}
