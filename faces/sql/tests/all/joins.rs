//! Tables of several kinds in one query.

use std::fs;

use crate::yard::{csv, yard};

#[track_caller]
fn check(query: &str, want: &[&str]) {
    assert_eq!(csv(query), want, "{query}");
}

#[test]
fn a_snapshot_beside_the_tree_of_today() {
    // The newest snapshot of a host, restored but for what has changed since.
    let file = "/srv/fleet/anvil/home/anvil.txt";
    let today = yard().join("today").join(&file[1..]);
    fs::create_dir_all(today.parent().unwrap()).unwrap();
    fs::write(&today, "changed\n").unwrap();
    let query = "SELECT DISTINCT b.path, b.size > 0, f.size FROM blobs_files('repo') b \
         JOIN files('today') f ON '/' || substr(f.path, length('today/') + 1) = b.path \
         WHERE b.hostname = 'anvil' AND b.size <> f.size";
    check(query, &[&format!("{file},true,8")]);
}

#[test]
fn labels_of_series_beside_rows_and_a_graph_beside_rows() {
    check(
        "SELECT l.name, count(*) FROM series_labels('data') l \
         LEFT SEMI JOIN rows('ks/hosts') h ON h.host = l.value OR l.value = 'api' \
         WHERE l.name = 'job' GROUP BY 1",
        &["job,1"],
    );
    check(
        "SELECT h.owner, g.n FROM graph_solutions('store', \
         'SELECT (\"anvil\" AS ?host) (count(*) AS ?n) { ?s a ?o }') g \
         JOIN rows('ks/hosts') h ON h.host = g.host WHERE CAST(g.n AS BIGINT) > 0 AND h.owner = 'Ada' \
         LIMIT 1",
        &[&format!(
            "Ada,{}",
            csv("SELECT n FROM graph_solutions('store', 'SELECT (count(*) AS ?n) { ?s a ?o }')")[0]
        )],
    );
    check(
        "SELECT o.id FROM rows('ks/orders') o LEFT ANTI JOIN rows('ks/customers') c \
         ON c.id = o.customer ORDER BY 1",
        &["11", "13"],
    );
    check(
        "SELECT m FROM (SELECT regexp_match(text, '(\\w+)\\{')[1] AS m FROM find('expr:', 'rules')) a \
         LEFT ANTI JOIN series_labels('data') l ON l.name = '__name__' AND l.value = a.m",
        &["gone_total"],
    );
}
