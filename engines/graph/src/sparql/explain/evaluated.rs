//! The plan of the row-by-row evaluator as operators: its own tree, in the words of the field, with
//! estimates where joins were ordered.

use serde_json::Value as Json;

use super::estimates::Estimates;
use super::operator::{Done, Operator};
use super::short::in_short;

/// The words for operators.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Words {
    /// Row by row: the algorithm of each join is known.
    Rows,
    /// Vectorised: it is chosen when the join runs.
    Columns,
}

/// Names of the evaluator's operators here: row by row, and vectorised.
const JOINS: [(&str, [&str; 2]); 6] = [
    ("QuadPattern", ["look-up", "scan or look-up"]),
    ("Lateral", ["nested loop", "join"]),
    ("ForLoopLeftJoin", ["nested loop left join", "left join"]),
    ("Join", ["hash join", "join"]),
    ("LeftJoin", ["hash left join", "left join"]),
    ("AntiJoin", ["hash anti-join", "minus"]),
];

/// Names of other operators.
const NAMES: [(&str, &str); 11] = [
    ("Aggregate", "group"),
    ("Path", "path"),
    ("Distinct", "distinct"),
    ("Extend", "extend"),
    ("Filter", "filter"),
    ("Graph", "graph"),
    ("Project", "project"),
    ("Reduced", "reduced"),
    ("Slice", "slice"),
    ("Sort", "sort"),
    ("StaticBindings", "values"),
];

/// The operators of a plan that the evaluator describes in JSON.
pub(super) fn of_evaluator(json: &[u8], words: Words, estimates: &Estimates) -> Operator {
    let document: Json = serde_json::from_slice(json).unwrap_or_default();
    let plan = operator(&document["plan"], 1.0, words, estimates).0;
    if words == Words::Columns { by_columns(plan) } else { plan }
}

/// A plan in the vectorised operators: which of the patterns of a join comes next, and
/// whether it is scanned or looked up, is chosen while it runs; and nothing is done for what only
/// names, computes or cuts off columns.
fn by_columns(plan: Operator) -> Operator {
    let Operator { name, detail, mut estimate, done, inside } = plan;
    let mut inside: Vec<Operator> = inside.into_iter().map(by_columns).collect();
    if matches!(&*name, "project" | "extend" | "slice" | "reduced")
        && let Some(only) = inside.pop()
    {
        return only;
    }
    if name == "join" {
        let patterns = |one: Operator| if one.name == "join" { one.inside } else { vec![one] };
        inside = inside.into_iter().flat_map(patterns).collect();
        // They are those of an order that isn't chosen yet.
        estimate = None;
        inside.iter_mut().skip(1).for_each(|pattern| pattern.estimate = None);
    }
    Operator { name, detail, estimate, done, inside }
}

fn name(kind: &str, words: Words) -> &str {
    let join = JOINS.iter().find(|(own, _)| *own == kind);
    let join = join.map(|(_, [rows, columns])| if words == Words::Rows { rows } else { columns });
    let other = || NAMES.iter().find(|(own, _)| *own == kind).map(|(_, name)| name);
    join.or_else(other).copied().unwrap_or(kind)
}

/// An operator that is evaluated a number of times, and the number of rows that it is taken for in
/// what comes after it.
fn operator(part: &Json, times: f64, words: Words, estimates: &Estimates) -> (Operator, f64) {
    let label = part["name"].as_str().unwrap_or_default();
    let (kind, detail) = match label.split_once('(') {
        Some((kind, rest)) => (kind, rest.strip_suffix(')').unwrap_or(rest)),
        None => (label, ""),
    };
    let mut rows = times;
    let mut inside = Vec::new();
    let is_loop = matches!(kind, "Lateral" | "ForLoopLeftJoin");
    let mut known = true;
    for (place, child) in part["children"].as_array().into_iter().flatten().enumerate() {
        // The right side of a loop is evaluated for each row of the left one, and so is an EXISTS
        // for each row of a filter.
        let for_each = if place == 0 || !(is_loop || kind == "Filter") { times } else { rows };
        let (child, given) = operator(child, for_each, words, estimates);
        known &= child.estimate.is_some();
        rows = match (kind, place) {
            (_, 0) => given,
            ("Filter", _) => rows,
            ("ForLoopLeftJoin", _) => rows.max(given),
            ("Union", _) => rows + given,
            ("Join" | "LeftJoin", _) => rows.max(given),
            _ => given,
        };
        inside.push(child);
    }
    let of_pattern = match kind {
        "QuadPattern" | "Path" => estimates.take(detail),
        _ => None,
    };
    if let Some(count) = of_pattern {
        rows *= count as f64;
    }
    let is_known = match kind {
        "QuadPattern" | "Path" => of_pattern.is_some(),
        "Lateral" | "ForLoopLeftJoin" | "Union" | "Project" | "Extend" | "Sort" | "Reduced" => {
            known && !inside.is_empty()
        }
        _ => false,
    };
    let done = part["number of results"].as_u64().map(|rows| Done {
        rows,
        quads: (kind == "QuadPattern").then_some(rows),
        bytes: None,
        time_ns: (part["duration in seconds"].as_f64().unwrap_or(0.0) * 1e9) as u64,
        threads: 1,
    });
    let operator = Operator {
        name: name(kind, words).to_owned(),
        detail: detail_of(kind, detail, words),
        estimate: is_known.then_some(rows as u64),
        done,
        inside,
    };
    (operator, rows)
}

/// What an operator works on, without what its name says already.
fn detail_of(kind: &str, detail: &str, words: Words) -> String {
    let detail = match kind {
        "Distinct" => "",
        "Join" | "LeftJoin" | "AntiJoin" if words == Words::Columns => "",
        "Join" | "LeftJoin" | "AntiJoin" => detail.split_once(", ").map_or("", |(_, rest)| rest),
        "ForLoopLeftJoin" => match detail.strip_prefix("expression = ") {
            Some("true") | None => "",
            Some(expression) => expression,
        },
        _ => detail,
    };
    in_short(detail)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn estimates_multiply_along_loops() {
        let estimates = Estimates::default();
        estimates.keep("?a <p> ?b", None, 10);
        estimates.keep("?b <q> ?c", None, 3);
        let json = br#"{"plan":{"name":"Project(?a)","children":[{"name":"Lateral","children":[
            {"name":"QuadPattern(?a <p> ?b)","number of results":9,"duration in seconds":0.5,"children":[]},
            {"name":"QuadPattern(?b <q> ?c)","children":[]}]}]}}"#;
        let plan = of_evaluator(json, Words::Rows, &estimates);
        let (join, leaves) = (&plan.inside[0], &plan.inside[0].inside);
        assert_eq!((plan.name.as_str(), plan.detail.as_str()), ("project", "?a"));
        assert_eq!((plan.estimate, join.estimate), (Some(30), Some(30)));
        assert_eq!((leaves[0].estimate, leaves[1].estimate), (Some(10), Some(30)));
        let done = Done { rows: 9, quads: Some(9), bytes: None, time_ns: 500_000_000, threads: 1 };
        assert_eq!((leaves[0].done, leaves[1].done), (Some(done), None));
    }

    #[test]
    fn by_columns_the_order_of_patterns_is_left_open() {
        let estimates = Estimates::default();
        estimates.keep("?a <p> ?b", None, 10);
        estimates.keep("?b <q> ?c", None, 3);
        let json = br#"{"plan":{"name":"Slice(1)","children":[{"name":"Project(?a)","children":[
            {"name":"Lateral","children":[{"name":"Lateral","children":[
            {"name":"QuadPattern(?a <p> ?b)","children":[]},
            {"name":"QuadPattern(?b <q> ?c)","children":[]}]},
            {"name":"QuadPattern(?c <r> ?d)","children":[]}]}]}]}}"#;
        let plan = of_evaluator(json, Words::Columns, &estimates);
        assert_eq!((plan.name.as_str(), plan.estimate, plan.inside.len()), ("join", None, 3));
        let leaf = |at: usize| (plan.inside[at].name.as_str(), plan.inside[at].estimate);
        assert_eq!((leaf(0), leaf(1)), (("scan or look-up", Some(10)), ("scan or look-up", None)));
    }

    #[test]
    fn nothing_is_expected_of_a_filter() {
        let estimates = Estimates::default();
        estimates.keep("?a <p> ?b", None, 10);
        let json = br#"{"plan":{"name":"Filter((?b > 3))","children":[
            {"name":"QuadPattern(?a <p> ?b)","children":[]}]}}"#;
        let plan = of_evaluator(json, Words::Rows, &estimates);
        assert_eq!((plan.estimate, plan.inside[0].estimate), (None, Some(10)));
        assert_eq!(plan.detail, "(?b > 3)");
    }
}
