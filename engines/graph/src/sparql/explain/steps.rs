//! What a vectorised evaluation has done, as operators.

use super::operator::{Done, Operator};
use super::short::in_short;

/// Operator of a plan. The lines of a plan are a tree in pre-order: an operator is followed by
/// those whose rows it reads, one deeper.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(in crate::sparql) struct PlanLine {
    /// Number of operators that it is inside of.
    pub(in crate::sparql) depth: usize,
    /// What it does.
    pub(in crate::sparql) what: String,
    /// Number of rows that were expected when it was chosen: for scans the count of their pattern,
    /// for joins from samples of a look-up. None of operators that nothing is chosen for.
    pub(in crate::sparql) estimate: Option<u64>,
    /// Number of rows that it gave, over all of its evaluations.
    pub(in crate::sparql) rows: u64,
    /// Time from its begin to its end, with the operators inside of it, in nanoseconds.
    pub(in crate::sparql) time_ns: u64,
    /// Memory of the rows that it gave, in bytes; 0 where they passed by without being kept.
    pub(in crate::sparql) len: u64,
    /// Number of threads that worked on it.
    pub(in crate::sparql) threads: usize,
}

/// The operators that lines of a plan describe.
pub(super) fn of_lines(lines: &[PlanLine]) -> Vec<Operator> {
    let mut operators = Vec::new();
    let mut at = 0;
    while let Some(line) = lines.get(at) {
        let inside = lines[at + 1..].iter().take_while(|other| other.depth > line.depth).count();
        let end = at + 1 + inside;
        operators.push(operator(line, of_lines(&lines[at + 1..end])));
        at = end;
    }
    operators
}

fn operator(line: &PlanLine, inside: Vec<Operator>) -> Operator {
    let (name, detail) = match line.what.split_once(' ') {
        Some(("filter", expression)) => ("filter", expression),
        _ => line.what.split_once(" of ").unwrap_or((&line.what, "")),
    };
    let done = Done {
        rows: line.rows,
        quads: matches!(name, "scan" | "look-up").then_some(line.rows),
        bytes: Some(line.len),
        time_ns: line.time_ns,
        threads: line.threads,
    };
    Operator {
        name: name.to_owned(),
        detail: in_short(detail),
        estimate: line.estimate,
        done: Some(done),
        inside,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(depth: usize, what: &str) -> PlanLine {
        let what = what.to_owned();
        PlanLine { depth, what, estimate: None, rows: 1, time_ns: 5, len: 8, threads: 1 }
    }

    #[test]
    fn lines_are_a_tree() {
        let lines =
            [line(0, "filter ?a of 1"), line(1, "left join"), line(2, "scan of a"), line(0, "b")];
        let all = of_lines(&lines);
        let name = |operator: &Operator| format!("{}|{}", operator.name, operator.detail);
        assert_eq!(all.iter().map(name).collect::<Vec<_>>(), ["filter|?a of 1", "b|"]);
        assert_eq!(name(&all[0].inside[0].inside[0]), "scan|a");
        assert_eq!((all[0].own_ns(), all[1].own_ns()), (0, 5));
    }
}
