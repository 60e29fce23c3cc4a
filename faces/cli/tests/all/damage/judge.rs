//! What is wrong with an answer of damaged files.

use std::collections::HashSet;
use std::fmt;

use super::call::Seen;
use super::table::{May, Trust};

/// A fault, with a line that shows it.
#[derive(Clone, Debug)]
pub(crate) enum Fault {
    /// Ended by a signal, a panic or its time.
    Died(String),
    /// Another answer than the right one, with the right one's exit code; and whether a warning
    /// names the file.
    Other { line: String, is_warned: bool },
    /// Rows that the right answer doesn't have, before an error.
    Foreign(String),
    /// An exit code other than 1 or 2.
    Code(i32),
    /// An error that doesn't name the file.
    Placeless(String),
    /// Something made out of damaged files; and whether a warning names the file.
    Made { line: String, is_warned: bool },
    /// Files that a failed call left.
    Left(String),
    /// Nothing is found by a command that judges, and another command fails or answers wrongly.
    Blind(String),
    /// A cache's damage changed the answer.
    Lost(String),
}

impl Fault {
    /// The fault in a word.
    pub(crate) fn name(&self) -> &'static str {
        match self {
            Fault::Died(_) => "DIED",
            Fault::Other { .. } => "OTHER ROWS",
            Fault::Foreign(_) => "foreign rows before an error",
            Fault::Code(_) => "exit code",
            Fault::Placeless(_) => "no place",
            Fault::Made { .. } => "MADE OF DAMAGE",
            Fault::Left(_) => "left files",
            Fault::Blind(_) => "blind",
            Fault::Lost(_) => "a cache's damage shows",
        }
    }
}

impl Fault {
    /// Whether it stays a fault where a damage may be answered so.
    pub(crate) fn stays(&self, may: May) -> bool {
        match (may, self) {
            (May::Believe, Fault::Died(_)) => true,
            (May::Believe, _) => false,
            (May::LeaveUnnamed, Fault::Placeless(_)) => false,
            (May::LeaveUnnamed, _) => true,
            (May::Warn, Fault::Other { is_warned, .. } | Fault::Made { is_warned, .. }) => {
                !is_warned
            }
            (May::Warn, _) => true,
        }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Fault::Code(code) => write!(f, "{code}"),
            Fault::Died(line)
            | Fault::Other { line, .. }
            | Fault::Foreign(line)
            | Fault::Placeless(line)
            | Fault::Made { line, .. }
            | Fault::Left(line)
            | Fault::Blind(line)
            | Fault::Lost(line) => f.write_str(line),
        }
    }
}

/// How a call died, if it did.
pub(crate) fn died(got: &Seen) -> Option<Fault> {
    let is_dead = got.code.is_none() || got.code.is_some_and(|code| code > 128) || got.hung();
    let panics = got.err.contains("panicked at") || got.err.contains("overflowed its stack");
    let last = got.err.lines().find(|line| line.contains("panicked")).or(got.err.lines().last());
    (is_dead || panics)
        .then(|| Fault::Died(format!("{:?}: {}", got.code, last.unwrap_or_default())))
}

/// The fault of a reader's answer where one of `right` is the right one, if any.
pub(crate) fn of_reader(
    right: &[&Seen],
    got: &Seen,
    places: &[&str],
    trust: Trust,
) -> Option<Fault> {
    if let Some(died) = died(got) {
        return Some(died);
    }
    let is_right = |want: &&&Seen| want.code == got.code && want.out == got.out;
    if right.iter().any(|want| is_right(&want)) {
        return None;
    }
    if trust == Trust::Cache {
        return Some(Fault::Lost(difference(right[0], got)));
    }
    if got.code == right[0].code {
        let is_warned = names_one(&got.err, places);
        return Some(Fault::Other { line: difference(right[0], got), is_warned });
    }
    of_failure(got, places).or_else(|| of_rows_before(right, got))
}

/// The fault of a call that did not succeed: it says where.
pub(crate) fn of_failure(got: &Seen, places: &[&str]) -> Option<Fault> {
    match got.code {
        Some(1 | 2) => {}
        code => return Some(Fault::Code(code.unwrap_or(-1))),
    }
    let all = format!("{}{}", got.out, got.err);
    (!names_one(&all, places)).then(|| Fault::Placeless(first_line(&got.err, &got.out)))
}

/// Whether a text has one of the names of the place.
pub(crate) fn names_one(text: &str, places: &[&str]) -> bool {
    places.iter().any(|name| text.contains(name))
}

/// Rows are printed as they are read, and those before an error are right. What is no rows, such as
/// an archive, is right up to any byte.
fn of_rows_before(right: &[&Seen], got: &Seen) -> Option<Fault> {
    if right.iter().any(|want| want.out.starts_with(&got.out)) {
        return None;
    }
    let rows: HashSet<&str> = right.iter().flat_map(|want| want.out.lines()).collect();
    let is_sound = |line: &&str| {
        let line = line.trim_end_matches(',');
        rows.contains(line) || rows.contains(format!("{line},").as_str())
    };
    let foreign = got.out.lines().filter(|line| !line.is_empty()).find(|line| !is_sound(line));
    foreign.map(|line| Fault::Foreign(format!("{line:.160} // {}", first_line(&got.err, ""))))
}

fn first_line(first: &str, second: &str) -> String {
    let line = first.lines().chain(second.lines()).next().unwrap_or("(nothing is printed)");
    format!("{line:.200}")
}

/// The first line that differs.
fn difference(want: &Seen, got: &Seen) -> String {
    let mut wanted = want.out.lines();
    let mut line = got.out.lines();
    loop {
        match (wanted.next(), line.next()) {
            (Some(want), Some(got)) if want == got => {}
            (None, None) => {
                return format!(
                    "code {:?} for {:?}: {}",
                    got.code,
                    want.code,
                    first_line(&got.err, "")
                );
            }
            (want, other) => {
                let [want, other] = [want, other].map(|line| line.unwrap_or("(end)"));
                return format!("{other:.120} for {want:.120} // {}", first_line(&got.err, ""));
            }
        }
    }
}
