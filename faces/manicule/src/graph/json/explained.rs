//! Explanations of queries.

use manicule_graph::sparql::{Explained, Operator};

use crate::json::{Counts, Json, list, report};

report!(of: Explained {
    planning_ns: of.times.map(|times| times.planning_ns),
    total_ns: of.times.map(|times| times.total_ns), plan: Json(&of.plan),
    work: Json(Counts(&of.work.fields())),
});

report!(of: Operator {
    name, detail, estimate, way, rows: of.done.map(|done| done.rows),
    quads: of.done.and_then(|done| done.quads), bytes: of.done.and_then(|done| done.bytes),
    threads: of.done.map(|done| done.threads), time_ns: of.done.map(|done| done.time_ns),
    own_ns: of.done.map(|_| of.own_ns()), inside: list(&of.inside),
});
