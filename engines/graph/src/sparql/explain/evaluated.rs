//! The plan of the row-by-row evaluator as operators: its own tree, in the words of the field, with
//! estimates where joins were ordered.

use serde_json::Value as Json;

use super::estimates::Estimates;
use super::operator::{Done, Operator};
use super::short::in_short;

/// Names of the evaluator's operators here.
const NAMES: [(&str, &str); 17] = [
    ("QuadPattern", "look-up"),
    ("Lateral", "nested loop"),
    ("ForLoopLeftJoin", "nested loop left join"),
    ("Join", "hash join"),
    ("LeftJoin", "hash left join"),
    ("AntiJoin", "hash anti-join"),
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
pub(super) fn of_evaluator(json: &[u8], estimates: &Estimates) -> Operator {
    let document: Json = serde_json::from_slice(json).unwrap_or_default();
    operator(&document["plan"], 1.0, estimates).0
}

fn name(kind: &str) -> &str {
    NAMES.iter().find(|(own, _)| *own == kind).map_or(kind, |(_, name)| name)
}

/// An operator that is evaluated a number of times, and the number of rows that it is taken for in
/// what comes after it.
fn operator(part: &Json, times: f64, estimates: &Estimates) -> (Operator, f64) {
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
        let (child, given) = operator(child, for_each, estimates);
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
        name: name(kind).to_owned(),
        detail: detail_of(kind, detail),
        estimate: is_known.then_some(rows as u64),
        way: None,
        done,
        inside,
    };
    (operator, rows)
}

/// What an operator works on, without what its name says already.
fn detail_of(kind: &str, detail: &str) -> String {
    let detail = match kind {
        "Distinct" => "",
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
        let plan = of_evaluator(json, &estimates);
        let (join, leaves) = (&plan.inside[0], &plan.inside[0].inside);
        assert_eq!((plan.name.as_str(), plan.detail.as_str()), ("project", "?a"));
        assert_eq!((plan.estimate, join.estimate), (Some(30), Some(30)));
        assert_eq!((leaves[0].estimate, leaves[1].estimate), (Some(10), Some(30)));
        let done = Done { rows: 9, quads: Some(9), bytes: None, time_ns: 500_000_000, threads: 1 };
        assert_eq!((leaves[0].done, leaves[1].done), (Some(done), None));
    }

    #[test]
    fn nothing_is_expected_of_a_filter() {
        let estimates = Estimates::default();
        estimates.keep("?a <p> ?b", None, 10);
        let json = br#"{"plan":{"name":"Filter((?b > 3))","children":[
            {"name":"QuadPattern(?a <p> ?b)","children":[]}]}}"#;
        let plan = of_evaluator(json, &estimates);
        assert_eq!((plan.estimate, plan.inside[0].estimate), (None, Some(10)));
        assert_eq!(plan.detail, "(?b > 3)");
    }
}
