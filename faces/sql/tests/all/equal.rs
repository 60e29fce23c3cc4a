//! Every table as a function has the rows that the catalogue has.

use std::path::PathBuf;

use datafusion::arrow::array::RecordBatch;
use datafusion::arrow::datatypes::DataType;
use datafusion::arrow::ipc::reader::StreamReader;
use datafusion::arrow::util::display::{ArrayFormatter, FormatOptions};
use manicule::catalog::{Arguments, Call, table, tables};

use crate::yard::{PASSWORD, answer, yard};

/// A call in SQL, the table, its paths and arguments.
type Called = (&'static str, &'static str, &'static [&'static str], &'static [Argument]);
type Argument = (&'static str, &'static str);

const CALLS: &[Called] = &[
    ("blobs_blobs('unused')", "blobs.blobs", &["unused"], &[]),
    (
        "blobs_costs('repo', by => ['host', 'tag'])",
        "blobs.costs",
        &["repo"],
        &[("by", "host"), ("by", "tag")],
    ),
    (
        "blobs_files('repo', snapshots => 'latest')",
        "blobs.files",
        &["repo"],
        &[("snapshots", "latest")],
    ),
    ("blobs_files('repo')", "blobs.files", &["repo"], &[]),
    (
        "blobs_packs('unused', max_unused => '1%')",
        "blobs.packs",
        &["unused"],
        &[("max_unused", "1%")],
    ),
    ("blobs_snapshots('repo')", "blobs.snapshots", &["repo"], &[]),
    ("blobs_versions('unused')", "blobs.versions", &["unused"], &[]),
    ("code_documents('shards', 'lamp')", "code.documents", &["shards"], &[("query", "lamp")]),
    ("code_lines('shards', 'la')", "code.lines", &["shards"], &[("query", "la")]),
    ("code_repositories('shards')", "code.repositories", &["shards"], &[]),
    ("code_symbols('shards')", "code.symbols", &["shards"], &[]),
    ("files('tree')", "files", &["tree"], &[]),
    (
        "find('api|up', ['tree', 'shards', 'data', 'ks/t', 'store'], ignore_case => true)",
        "find",
        &["tree", "shards", "data", "ks/t", "store"],
        &[("text", "api|up"), ("ignore_case", "true")],
    ),
    ("graph_predicates('store')", "graph.predicates", &["store"], &[]),
    ("graph_quads('store')", "graph.quads", &["store"], &[]),
    (
        "graph_solutions('store', 'SELECT ?s ?o { ?s a ?o }')",
        "graph.solutions",
        &["store"],
        &[("query", "SELECT ?s ?o { ?s a ?o }")],
    ),
    ("rows_backups('backups')", "rows.backups", &["backups"], &[]),
    ("rows_cells('ks/t', key => 1)", "rows.cells", &["ks/t"], &[("key", "1")]),
    (
        "rows_partitions('ks/t', now => '2030-01-01')",
        "rows.partitions",
        &["ks/t"],
        &[("now", "2030-01-01")],
    ),
    (
        "rows('ks/t', now => 1700000100, extra => ['_token', '_sstables'])",
        "rows.rows",
        &["ks/t"],
        &[("now", "1700000100"), ("extra", "_token"), ("extra", "_sstables")],
    ),
    // All types of CQL, UUIDs among them.
    (
        "rows_rows('types', now => 1700000100, decimals => {'c15': 2})",
        "rows.rows",
        &["types"],
        &[("now", "1700000100"), ("decimals", "c15=2")],
    ),
    ("rows_sstables('ks/t')", "rows.sstables", &["ks/t"], &[]),
    ("series_blocks('data')", "series.blocks", &["data"], &[]),
    ("series_labels('data')", "series.labels", &["data"], &[]),
    (
        "series_samples('data', '{job=\"api\"}', labels => 'instance')",
        "series.samples",
        &["data"],
        &[("selector", "{job=\"api\"}"), ("labels", "instance")],
    ),
    ("series('data', labels => ['job'])", "series.series", &["data"], &[("labels", "job")]),
];

/// The cells of batches as texts, a row each.
fn rows<'b>(batches: impl IntoIterator<Item = &'b RecordBatch>) -> Vec<Vec<String>> {
    let options = FormatOptions::new().with_null("null");
    let mut rows = Vec::new();
    for batch in batches {
        let columns: Vec<_> = (batch.columns().iter())
            .map(|column| ArrayFormatter::try_new(column, &options).expect("a type that is shown"))
            .collect();
        rows.extend((0..batch.num_rows()).map(|row| {
            let own = columns.iter().zip(batch.columns());
            // A UUID is bytes in the catalogue, and a text in SQL.
            let cells = own.map(|(shown, column)| match column.data_type() {
                DataType::FixedSizeBinary(_) => {
                    let digits = shown.value(row).to_string();
                    let parts = [0..8, 8..12, 12..16, 16..20, 20..32].map(|part| digits.get(part));
                    parts.into_iter().flatten().collect::<Vec<_>>().join("-")
                }
                _ => shown.value(row).to_string(),
            });
            cells.map(|cell| if cell.is_empty() { "''".to_owned() } else { cell }).collect()
        }));
    }
    rows
}

/// The rows of the catalogue.
fn wanted(name: &str, paths: &[&str], named: &[Argument]) -> Vec<Vec<String>> {
    let mut named: Vec<(String, String)> =
        named.iter().map(|(name, text)| ((*name).to_owned(), (*text).to_owned())).collect();
    if name.starts_with("blobs.") {
        named.push(("password_command".to_owned(), format!("echo {PASSWORD}")));
    }
    // The program is in the folder, this one is not: names are those that were given.
    let paths: Vec<PathBuf> = paths.iter().map(|path| yard().join(path)).collect();
    let call = Call { arguments: Arguments { paths, named }, ..Call::default() };
    let answer = table(name).expect(name).open(&call).expect(name);
    let batches: Vec<RecordBatch> = answer.into_batches().map(|batch| batch.expect(name)).collect();
    let here = format!("{}/", yard().display());
    let mut rows = rows(&batches);
    rows.iter_mut().flatten().for_each(|cell| *cell = cell.replace(&here, ""));
    rows
}

fn asked(words: &[&str], query: &str) -> Vec<Vec<String>> {
    let stream = answer(&[words, &["--format", "arrow", query]].concat());
    let batches = StreamReader::try_new(&stream[..], None).expect("a stream");
    rows(&batches.map(|batch| batch.expect("a batch")).collect::<Vec<_>>())
}

#[test]
fn every_table_is_a_function_with_the_same_rows() {
    for (call, name, paths, named) in CALLS {
        let mut want = wanted(name, paths, named);
        assert!(!want.is_empty(), "{name} has no rows");
        let query = format!("SELECT * FROM {call}");
        assert_eq!(asked(&["--threads", "1"], &query), want, "{call}");
        let mut of_parts = asked(&["--threads", "3"], &query);
        of_parts.sort_unstable();
        want.sort_unstable();
        assert_eq!(of_parts, want, "{call} in parts");
    }
    let called: Vec<&str> = CALLS.iter().map(|call| call.1).collect();
    let forgotten: Vec<_> = tables().iter().filter(|table| !called.contains(&table.name)).collect();
    assert!(forgotten.is_empty(), "no call of {forgotten:?}");
}

#[test]
fn conditions_leave_the_same_rows_whoever_tests_them() {
    for (call, condition) in [
        ("blobs_files('repo')", "path LIKE '/srv/fleet/cedar/etc/%' AND size >= 880"),
        ("blobs_files('repo')", "snapshot_time < '2026-01-04T03:30:00Z' AND type = 'dir'"),
        ("blobs_blobs('unused')", "type = 'tree' AND uncompressed_length > 1000"),
        ("code_documents('shards')", "repository LIKE '%b%' AND language IS NULL"),
        ("code_symbols('shards')", "kind NOT IN ('function', 'class') AND parent IS NOT NULL"),
        ("files('tree')", "extension = 'rs' OR extension = 'md'"),
        ("find('api', 'tree')", "line_number BETWEEN 2 AND 9"),
        ("graph_quads('store')", "graph IS NULL AND object_type <> 'iri'"),
        ("rows('ks/t')", "pk IN (3, 1) AND ck = 30"),
        ("rows('ks/t')", "pk = 1 AND ck > 30 AND ck <= 60 AND v LIKE 'v2%'"),
        ("rows('types')", "c4 < DATE '2017-07-16' AND c12 IS NOT NULL"),
        ("rows('types')", "c5 = '00000000-0000-4000-8000-000000000000' AND c10 IS NOT NULL"),
        ("rows('types')", "c13 > TIME '08:12:54' AND c1 < 0"),
        ("rows('types', decimals => {'c15': 2})", "c15 < -3"),
        ("rows_cells('ks/t')", "_is_tombstone AND NOT _static"),
        ("rows_partitions('ks/t')", "_bytes > 7500 AND _blocks < 3"),
        ("series_labels('data')", "name = 'job' OR name = 'code'"),
        ("series_samples('data')", "timestamp > to_timestamp(1700000000)"),
        ("series('data', labels => 'job')", "job <> 'api'"),
        ("series('data')", "first_at < now() - INTERVAL '1 hour'"),
    ] {
        // In a CASE a condition is handed to no table.
        let hidden = format!("CASE WHEN {condition} THEN true ELSE false END");
        let all = |filter: &str| {
            let mut rows = asked(&[], &format!("SELECT * FROM {call} WHERE {filter}"));
            rows.sort_unstable();
            rows
        };
        let (left, want) = (all(condition), all(&hidden));
        assert!(left == want, "{call}: {condition}: {} rows of {}", left.len(), want.len());
        let plan = asked(&[], &format!("EXPLAIN SELECT * FROM {call} WHERE {condition}"));
        let plan = plan.concat().concat();
        assert!(plan.contains("conditions=["), "{call}: {condition}: {plan}");
    }
}
