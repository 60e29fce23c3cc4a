//! Explanations of queries: a tree of operators with columns of numbers beside it, bars of time in
//! a terminal, or JSON.

use std::iter;

use manicule::graph::{Explained, Operator};

use crate::picture::bar;
use crate::units::{grouped, human_len};

/// How an explanation is drawn.
#[derive(Clone, Copy, Debug)]
pub(super) struct Picture {
    pub(super) has_bars: bool,
    pub(super) has_colors: bool,
    /// Width of the terminal; longer lines are cut there. None where they go somewhere else.
    pub(super) width: Option<usize>,
}

/// Cells of a bar that is the whole time.
const BAR_WIDTH: u64 = 10;
/// Shares of the time, in percent, from which on a bar is red, and yellow.
const HOT: [u64; 2] = [50, 20];
/// The only column of words.
const WAY: &str = "way";
/// An estimate is off from this factor on.
const OFF_FROM: u64 = 10;

const RED: &str = "\x1b[31m";
const YELLOW: &str = "\x1b[33m";
const GREEN: &str = "\x1b[32m";
const BOLD: &str = "\x1b[1m";
const PLAIN: &str = "\x1b[0m";

/// A line of the table: an operator, and the branches before its name.
struct Row<'e> {
    branches: String,
    operator: &'e Operator,
}

/// Cell of a column for an operator; the number is the time of the whole query, in nanoseconds.
type Cell = fn(&Operator, u64) -> Option<String>;

/// A column of numbers.
struct Column {
    title: &'static str,
    cell: Cell,
}

/// An explanation for people.
pub(super) fn as_text(explained: &Explained, picture: &Picture) -> String {
    let mut out = head(explained);
    let mut rows = Vec::new();
    list(&explained.plan, "", "", &mut rows);
    let total_ns = explained.times.map_or(0, |times| times.total_ns);
    let cells: Vec<Vec<Option<String>>> = COLUMNS
        .iter()
        .map(|column| rows.iter().map(|row| (column.cell)(row.operator, total_ns)).collect())
        .collect();
    // A column without a number is left out.
    let shown: Vec<(&Column, &Vec<Option<String>>, usize)> = COLUMNS
        .iter()
        .zip(&cells)
        .filter(|(_, cells)| cells.iter().any(Option::is_some))
        .map(|(column, cells)| {
            let widths = cells.iter().flatten().map(|cell| cell.chars().count());
            (column, cells, widths.max().unwrap_or(0).max(column.title.len()))
        })
        .collect();
    let bar_cells = if picture.has_bars && total_ns > 0 { BAR_WIDTH as usize + 2 } else { 0 };
    let titles = shown.iter().map(|(column, _, width)| match column.title {
        WAY => format!("{WAY:<width$}  "),
        title => format!("{title:>width$}  "),
    });
    out += titles.collect::<String>().trim_end();
    out.push('\n');
    for (at, row) in rows.iter().enumerate() {
        let mut line = Line { text: String::new(), cells: 0, picture };
        for (column, cells, width) in &shown {
            let cell = cells[at].as_deref().unwrap_or("");
            let is_off = column.title == "estimate" && is_off(row.operator);
            let cell = match column.title {
                WAY => format!("{cell:<width$}  "),
                _ => format!("{cell:>width$}  "),
            };
            line.put(&cell, if is_off { YELLOW } else { "" });
        }
        if bar_cells > 0 {
            let own_ns = row.operator.own_ns();
            let share = 100 * own_ns / total_ns.max(1);
            let color = match share {
                share if share >= HOT[0] => RED,
                share if share >= HOT[1] => YELLOW,
                _ => GREEN,
            };
            let bar = bar(own_ns, total_ns, BAR_WIDTH);
            line.put(&format!("{bar:<bar_cells$}"), color);
        }
        line.put(&row.branches, "");
        line.put(&row.operator.name, BOLD);
        if !row.operator.detail.is_empty() {
            line.put(&format!(" {}", row.operator.detail), "");
        }
        out += line.text.trim_end();
        out.push('\n');
    }
    out.push('\n');
    for (name, count) in explained.work.fields().into_iter().filter(|(_, count)| *count > 0) {
        out += &format!("{name} {}\n", grouped(count));
    }
    out
}

/// What the ways of a join are, or how long it took.
fn head(explained: &Explained) -> String {
    match explained.times {
        None => "a plan; the ways of joins are those expected: they are chosen while it runs\n\n"
            .to_owned(),
        Some(times) => {
            let (total, planning) = (ms(times.total_ns), ms(times.planning_ns));
            format!("{total} ms, {planning} of them before the plan\n\n")
        }
    }
}

/// Lists operators in the order in which they are shown.
fn list<'e>(operator: &'e Operator, own: &str, below: &str, rows: &mut Vec<Row<'e>>) {
    rows.push(Row { branches: own.to_owned(), operator });
    let count = operator.inside.len();
    for (at, inside) in operator.inside.iter().enumerate() {
        let (branch, rest) = if at + 1 == count { ("└ ", "  ") } else { ("├ ", "│ ") };
        list(inside, &format!("{below}{branch}"), &format!("{below}{rest}"), rows);
    }
}

const COLUMNS: [Column; 8] = [
    Column { title: "rows", cell: |one, _| one.done.map(|done| grouped(done.rows)) },
    Column { title: "estimate", cell: |one, _| one.estimate.map(grouped) },
    Column { title: "quads", cell: |one, _| one.done?.quads.map(grouped) },
    Column { title: "bytes", cell: |one, _| one.done?.bytes.map(human_len) },
    Column { title: "threads", cell: threads },
    Column { title: "ms", cell: |one, _| one.done.map(|_| ms(one.own_ns())) },
    Column { title: "time", cell: share },
    Column { title: WAY, cell: |one, _| one.way.clone() },
];

/// Number of threads, where one wasn't all.
fn threads(operator: &Operator, _: u64) -> Option<String> {
    let threads = operator.done?.threads;
    (threads > 1).then(|| threads.to_string())
}

/// The part of the time that an operator took without those inside.
fn share(operator: &Operator, total_ns: u64) -> Option<String> {
    operator.done?;
    Some(format!("{} %", 100 * operator.own_ns() / total_ns.max(1)))
}

/// Whether an estimate is far from what came.
fn is_off(operator: &Operator) -> bool {
    let (Some(estimate), Some(done)) = (operator.estimate, operator.done) else { return false };
    let (low, high) = (estimate.min(done.rows), estimate.max(done.rows));
    high >= low.max(1).saturating_mul(OFF_FROM)
}

/// Nanoseconds as milliseconds.
fn ms(time_ns: u64) -> String {
    format!("{:.2}", time_ns as f64 / 1e6)
}

/// A line as it is drawn, which ends where the terminal does.
struct Line<'p> {
    text: String,
    /// Number of characters so far.
    cells: usize,
    picture: &'p Picture,
}

impl Line<'_> {
    fn put(&mut self, text: &str, color: &str) {
        let room = self.picture.width.map_or(usize::MAX, |width| width.saturating_sub(self.cells));
        let count = text.chars().count();
        if room == 0 {
            return;
        }
        let shown: String = if count <= room {
            text.to_owned()
        } else {
            text.chars().take(room - 1).chain(iter::once('…')).collect()
        };
        self.cells += count.min(room);
        if self.picture.has_colors && !color.is_empty() && !shown.trim().is_empty() {
            self.text.extend([color, &shown, PLAIN])
        } else {
            self.text += &shown
        }
    }
}

#[cfg(test)]
mod tests {
    use manicule::graph::{Done, QueryTimes, QueryWork};

    use super::*;

    fn operator(name: &str, estimate: u64, time_ns: u64, inside: Vec<Operator>) -> Operator {
        let done = Done { rows: 1500, quads: None, bytes: Some(12_000), time_ns, threads: 1 };
        let (name, detail) = (name.to_owned(), "?a".to_owned());
        Operator { name, detail, estimate: Some(estimate), way: None, done: Some(done), inside }
    }

    fn explained() -> Explained {
        let scan = operator("scan", 9, 6_000_000, Vec::new());
        let sort = operator("sort", 1500, 1_000_000, Vec::new());
        Explained {
            plan: operator("join", 1500, 8_000_000, vec![scan, sort]),
            work: QueryWork { quads: 4000, ..QueryWork::default() },
            times: Some(QueryTimes { planning_ns: 2_000_000, total_ns: 10_000_000 }),
        }
    }

    /// The lines of the tree.
    fn tree(explained: &Explained, picture: &Picture) -> Vec<String> {
        let text = as_text(explained, picture);
        let lines = text.lines().skip_while(|line| !line.is_empty()).skip(1);
        lines.take_while(|line| !line.is_empty()).map(str::to_owned).collect()
    }

    const PICTURE: Picture = Picture { has_bars: false, has_colors: false, width: None };

    #[test]
    fn numbers_are_beside_the_tree() {
        let want = [
            " rows  estimate    bytes    ms  time",
            "1,500     1,500  12.0 KB  1.00  10 %  join ?a",
            "1,500         9  12.0 KB  6.00  60 %  ├ scan ?a",
            "1,500     1,500  12.0 KB  1.00  10 %  └ sort ?a",
        ];
        assert_eq!(tree(&explained(), &PICTURE), want);
        let text = as_text(&explained(), &PICTURE);
        assert!(text.starts_with("10.00 ms, 2.00 of them before the plan\n\n"));
        assert!(text.contains("\nquads 4,000\n"), "{text}");
    }

    #[test]
    fn threads_are_shown_where_there_are_several() {
        let mut explained = explained();
        explained.plan.done.as_mut().unwrap().threads = 2;
        let lines = tree(&explained, &PICTURE);
        assert_eq!(lines[0], " rows  estimate    bytes  threads    ms  time");
        assert_eq!(lines[1], "1,500     1,500  12.0 KB        2  1.00  10 %  join ?a");
        assert_eq!(lines[2], "1,500         9  12.0 KB           6.00  60 %  ├ scan ?a");
    }

    #[test]
    fn a_plan_that_was_not_run_has_estimates_alone() {
        let mut explained = explained();
        explained.times = None;
        explained.plan = Operator { done: None, inside: Vec::new(), ..explained.plan };
        assert_eq!(tree(&explained, &PICTURE), ["estimate", "   1,500  join ?a"]);
        assert!(as_text(&explained, &PICTURE).starts_with("a plan; "));
    }

    #[test]
    fn bars_are_shares_of_the_time() {
        let picture = Picture { has_bars: true, ..PICTURE };
        let lines = tree(&explained(), &picture);
        assert_eq!(lines[2], "1,500         9  12.0 KB  6.00  60 %  ██████      ├ scan ?a");
        let picture = Picture { has_colors: true, ..picture };
        let lines = tree(&explained(), &picture);
        assert_eq!(
            lines[2],
            "1,500  \x1b[33m       9  \x1b[0m12.0 KB  6.00  60 %  \x1b[31m██████      \x1b[0m├ \x1b[1mscan\x1b[0m ?a"
        );
    }

    #[test]
    fn lines_end_where_the_terminal_does() {
        let picture = Picture { width: Some(41), ..PICTURE };
        let lines = tree(&explained(), &picture);
        assert_eq!(lines[2], "1,500         9  12.0 KB  6.00  60 %  ├ …");
        assert!(lines.iter().all(|line| line.chars().count() <= 41), "{lines:?}");
    }
}
