//! A case for each table: golden data, and conditions with what they mean.

use std::path::{Path, PathBuf};

use manicule_testkit::{golden_file, golden_folder, golden_repository};
use serde_json::Value as Json;
use tempfile::TempDir;

use super::repositories;

/// A condition of SQL, and whether a row fulfils it.
pub(super) struct Condition {
    pub(super) text: &'static str,
    pub(super) holds: fn(&Json) -> bool,
}

/// A table over golden data.
pub(super) struct Case {
    pub(super) table: &'static str,
    /// The archive, by kind and name, and the folder in it where the call is made.
    pub(super) golden: (&'static str, &'static str, &'static str),
    pub(super) paths: &'static [&'static str],
    pub(super) arguments: &'static [&'static str],
    pub(super) conditions: Vec<Condition>,
    /// A count of the receipt that a limit of a row makes less.
    pub(super) counted: Option<&'static str>,
}

/// A golden folder that was unpacked.
pub(super) struct Golden {
    _whole: TempDir,
    path: PathBuf,
}

impl Golden {
    pub(super) fn path(&self) -> &Path {
        &self.path
    }
}

impl Case {
    pub(super) fn folder(&self) -> Golden {
        let (kind, name, below) = self.golden;
        let whole = match kind {
            "graph" => return store(name),
            "find" => return everything(),
            "blobs" => golden_repository(name),
            _ => golden_folder(kind, name),
        };
        Golden { path: whole.path().join(below), _whole: whole }
    }
}

/// A store of a golden document.
fn store(document: &str) -> Golden {
    let whole = tempfile::tempdir().expect("a folder");
    std::fs::write(whole.path().join(document), golden_file("graph", document)).expect("a file");
    super::manicule(whole.path(), &["graph", "load", "-q", "store", document]);
    Golden { path: whole.path().to_owned(), _whole: whole }
}

/// Something of each kind without a password, in folders of their own.
fn everything() -> Golden {
    let Golden { _whole: whole, path } = store("shop200.nq");
    for (kind, name, from, to) in [
        ("code", "shards", "shards/git-ctags", "shards"),
        ("series", "golden", "blocks/api", "data"),
        ("rows", "me", "me/multi", "sstables"),
    ] {
        let golden = golden_folder(kind, name);
        std::fs::rename(golden.path().join(from), path.join(to)).expect("a folder");
    }
    for (name, text) in
        [("a.txt", "an api\n\nup, api api\n"), ("b.rs", "// Api\n"), ("c/d.md", "up\n")]
    {
        let file = path.join("tree").join(name);
        std::fs::create_dir_all(file.parent().expect("a folder")).expect("a folder");
        std::fs::write(file, text).expect("a file");
    }
    Golden { _whole: whole, path }
}

pub(super) fn condition(text: &'static str, holds: fn(&Json) -> bool) -> Condition {
    Condition { text, holds }
}

const API: (&str, &str, &str) = ("series", "golden", "blocks");

const SHARDS: (&str, &str, &str) = ("code", "shards", "shards");

pub(super) fn cases() -> Vec<Case> {
    let kinds = [repositories::cases(), code(), find(), graph(), rows(), series()];
    kinds.into_iter().flatten().collect()
}

fn code() -> Vec<Case> {
    vec![
        Case {
            table: "code.documents",
            golden: SHARDS,
            paths: &["git-ctags", "ctags", "delta", "tomb"],
            arguments: &[],
            conditions: vec![
                condition("repository = 'small'", |row| row["repository"] == "small"),
                condition("repository LIKE '%b%' AND language IS NULL", |row| {
                    row["repository"].as_str().is_some_and(|name| name.contains('b'))
                        && row["language"].is_null()
                }),
                condition("skip_reason IS NOT NULL", |row| row["skip_reason"].is_string()),
                condition("symbols > 3 AND size < 2000", |row| {
                    row["symbols"].as_i64() > Some(3)
                        && row["size"].as_i64().is_some_and(|size| size < 2000)
                }),
            ],
            counted: Some("documents_visited"),
        },
        Case {
            table: "code.lines",
            golden: SHARDS,
            paths: &["git-ctags", "ctags", "compound"],
            arguments: &["query=la"],
            conditions: vec![
                condition("repository <> 'small'", |row| row["repository"] != "small"),
                condition("is_name_match = true", |row| row["is_name_match"] == true),
                condition("line_number BETWEEN 2 AND 9", |row| {
                    row["line_number"].as_i64().is_some_and(|line| (2..=9).contains(&line))
                }),
                condition("text LIKE '%lamp%'", |row| {
                    row["text"].as_str().is_some_and(|text| text.contains("lamp"))
                }),
            ],
            counted: Some("documents_visited"),
        },
        Case {
            table: "code.repositories",
            golden: SHARDS,
            paths: &["git-ctags", "delta", "tomb", "meta"],
            arguments: &[],
            conditions: vec![
                condition("repository LIKE '%lamps'", |row| {
                    row["repository"].as_str().is_some_and(|name| name.ends_with("lamps"))
                }),
                condition("is_tombstoned = true", |row| row["is_tombstoned"] == true),
                condition("documents > 4 AND format_version = 16", |row| {
                    row["documents"].as_i64() > Some(4) && row["format_version"] == 16
                }),
                condition("indexed_at >= '2026-11-21T11:05:00Z'", |row| {
                    row["indexed_at"].as_str() >= Some("2026-11-21T11:05:00Z")
                }),
            ],
            counted: Some("shards"),
        },
        Case {
            table: "code.symbols",
            golden: SHARDS,
            paths: &["git-ctags", "ctags"],
            arguments: &[],
            conditions: vec![
                condition("kind = 'function'", |row| row["kind"] == "function"),
                condition("kind NOT IN ('function', 'class') AND parent IS NOT NULL", |row| {
                    row["kind"] != "function" && row["kind"] != "class" && row["parent"].is_string()
                }),
                condition("repository = 'small' AND name LIKE 'a%'", |row| {
                    row["repository"] == "small"
                        && row["name"].as_str().is_some_and(|name| name.starts_with('a'))
                }),
            ],
            counted: Some("documents_visited"),
        },
    ]
}

const EVERYTHING: (&str, &str, &str) = ("find", "", "");

fn find() -> Vec<Case> {
    vec![
        Case {
            table: "files",
            golden: EVERYTHING,
            paths: &["tree", "shop200.nq"],
            arguments: &[],
            conditions: vec![
                condition("extension = 'rs'", |row| row["extension"] == "rs"),
                condition("path LIKE 'tree/%' AND size > 5", |row| {
                    row["path"].as_str().is_some_and(|path| path.starts_with("tree/"))
                        && row["size"].as_i64() > Some(5)
                }),
                condition("mtime > '2026-01-01' AND name <> 'd.md'", |row| row["name"] != "d.md"),
            ],
            counted: Some("files"),
        },
        Case {
            table: "find",
            golden: EVERYTHING,
            paths: &["tree", "shards", "data", "sstables", "store"],
            arguments: &["text=api|\\bup\\b|ProductType1$|^'k1", "text=la", "ignore_case=true"],
            conditions: vec![
                condition("kind = 'series'", |row| row["kind"] == "series"),
                condition("kind NOT IN ('graph', 'rows')", |row| {
                    row["kind"] != "graph" && row["kind"] != "rows"
                }),
                condition("item = 'line' AND line_number > 1", |row| {
                    row["item"] == "line" && row["line_number"].as_i64() > Some(1)
                }),
                condition("place = 'job'", |row| row["place"] == "job"),
                condition("text LIKE '%api%'", |row| {
                    row["text"].as_str().is_some_and(|text| text.contains("api"))
                }),
            ],
            counted: Some("visited"),
        },
    ]
}

const SHOP: (&str, &str, &str) = ("graph", "shop200.nq", "");

/// Variables of a datatype each, and one of several.
const TYPED: &str = "query=PREFIX xsd: <http://www.w3.org/2001/XMLSchema#> SELECT * { VALUES (?n ?d ?f ?g ?b ?day ?at ?local ?large ?mixed ?s) {
    (1 1.5 1e3 'INF'^^xsd:float true '2024-02-29'^^xsd:date '2024-02-29T12:00:00+02:00'^^xsd:dateTime
     '2024-02-29T12:00:00.25'^^xsd:dateTime 9223372036854775808 7 <http://a/1>)
    (-7 20.25 'NaN'^^xsd:double '0.1'^^xsd:float false '1969-12-31'^^xsd:date '1970-01-01T00:00:00Z'^^xsd:dateTime
     '0900-01-01T00:00:00'^^xsd:dateTime 1 'a'@en UNDEF)
    (UNDEF UNDEF UNDEF UNDEF UNDEF UNDEF UNDEF UNDEF UNDEF UNDEF <http://a/2>) } }";

fn graph() -> Vec<Case> {
    vec![
        Case {
            table: "graph.predicates",
            golden: SHOP,
            paths: &["store"],
            arguments: &[],
            conditions: vec![
                condition("scope = 'default'", |row| row["scope"] == "default"),
                condition("predicate LIKE '%#type'", |row| {
                    row["predicate"].as_str().is_some_and(|iri| iri.ends_with("#type"))
                }),
                condition("quads > 1000 AND subjects < 5000", |row| {
                    row["quads"].as_i64() > Some(1000) && row["subjects"].as_i64() < Some(5000)
                }),
            ],
            counted: Some("predicates"),
        },
        Case {
            table: "graph.quads",
            golden: SHOP,
            paths: &["store"],
            arguments: &[],
            conditions: vec![
                condition("graph IS NULL", |row| row["graph"].is_null()),
                condition("graph IS NOT NULL AND object_type = 'iri'", |row| {
                    row["graph"].is_string() && row["object_type"] == "iri"
                }),
                condition("predicate = 'http://www.w3.org/1999/02/22-rdf-syntax-ns#type'", |row| {
                    row["predicate"] == "http://www.w3.org/1999/02/22-rdf-syntax-ns#type"
                }),
                condition(
                    "object = 'http://bsbm.example.org/v/Product' AND object_type = 'iri'",
                    |row| row["object"] == "http://bsbm.example.org/v/Product",
                ),
            ],
            counted: Some("quads"),
        },
        Case {
            table: "graph.solutions",
            golden: SHOP,
            paths: &["store"],
            arguments: &["query=SELECT ?s ?p ?o { ?s ?p ?o FILTER(?p != <x:absent>) }"],
            conditions: vec![
                condition("o_type = 'iri'", |row| row["o_type"] == "iri"),
                condition("p LIKE '%#type' AND s_type = 'iri'", |row| {
                    row["p"].as_str().is_some_and(|iri| iri.ends_with("#type"))
                        && row["s_type"] == "iri"
                }),
            ],
            counted: Some("rows"),
        },
        Case {
            table: "graph.solutions",
            golden: SHOP,
            paths: &["store"],
            arguments: &[TYPED, "types=of_values"],
            conditions: vec![
                condition("n > -7 AND d < 20.25", |row| row["n"] == 1 && row["d"] == "1.50"),
                condition("f = 1000 AND b = true", |row| {
                    row["f"].as_f64() == Some(1000.0) && row["b"] == true
                }),
                condition("g < 1", |row| row["g"].as_f64() == Some(0.1)),
                condition("day = '1969-12-31'", |row| row["day"] == "1969-12-31"),
                condition("at >= '2024-02-29T10:00:00Z'", |row| {
                    row["at"] == "2024-02-29T10:00:00Z"
                }),
                condition("local > '2024-02-29T12:00:00'", |row| {
                    row["local"] == "2024-02-29T12:00:00.25"
                }),
                condition("mixed_type = '@en' AND large = '1'", |row| row["mixed"] == "a"),
                condition("s IS NULL", |row| row["s"].is_null()),
            ],
            counted: None,
        },
        Case {
            table: "graph.solutions",
            golden: SHOP,
            paths: &["store"],
            arguments: &["query=DESCRIBE ?s { ?s a <http://bsbm.example.org/v/Product> }"],
            conditions: vec![condition("object_type <> 'iri'", |row| row["object_type"] != "iri")],
            counted: Some("rows"),
        },
    ]
}

const ME: (&str, &str, &str) = ("rows", "me", "me");

fn rows() -> Vec<Case> {
    vec![
        Case {
            table: "rows.backups",
            golden: ("rows", "medusa", "."),
            paths: &["prod-eu", "stage"],
            arguments: &[],
            conditions: vec![
                condition("is_complete = true", |row| row["is_complete"] == true),
                condition("kind = 'full'", |row| row["kind"] == "full"),
                condition("files > 30", |row| row["files"].as_i64() > Some(30)),
            ],
            counted: Some("backups"),
        },
        Case {
            table: "rows.cells",
            golden: ME,
            paths: &["multi"],
            arguments: &[],
            conditions: vec![
                condition("pk = 3 AND _fact = 'cell'", |row| {
                    row["pk"] == 3 && row["_fact"] == "cell"
                }),
                condition("_sstable IN ('me-1-big', 'me-3-big') AND _column <> 'v'", |row| {
                    row["_sstable"] != "me-2-big"
                        && row["_column"].is_string()
                        && row["_column"] != "v"
                }),
                condition("_is_tombstone = true AND _static = false", |row| {
                    row["_is_tombstone"] == true && row["_static"] == false
                }),
                condition("_written > 1600000000000050 AND ck < 100", |row| {
                    row["_written"].as_i64() > Some(1_600_000_000_000_050)
                        && row["ck"].as_i64().is_some_and(|ck| ck < 100)
                }),
            ],
            counted: Some("facts"),
        },
        Case {
            table: "rows.cells",
            golden: ME,
            paths: &["mixed"],
            arguments: &["as_text=a"],
            conditions: vec![condition("_path IS NOT NULL", |row| row["_path"].is_string())],
            counted: Some("facts"),
        },
        Case {
            table: "rows.partitions",
            golden: ME,
            paths: &["multi"],
            arguments: &["now=2030-01-01"],
            conditions: vec![
                condition("_token > 0", |row| row["_token"].as_i64() > Some(0)),
                condition("_token BETWEEN -4000000000000000000 AND 4000000000000000000", |row| {
                    let token = row["_token"].as_i64().expect("a token");
                    token.unsigned_abs() <= 4_000_000_000_000_000_000
                }),
                condition("_bytes > 7500 AND _blocks < 3", |row| {
                    row["_bytes"].as_i64() > Some(7500) && row["_blocks"].as_i64() < Some(3)
                }),
                condition("_rows > 350 AND _tombstones < 16", |row| {
                    row["_rows"].as_i64() > Some(350) && row["_tombstones"].as_i64() < Some(16)
                }),
            ],
            counted: Some("partitions"),
        },
        Case {
            table: "rows.rows",
            golden: ME,
            paths: &["multi"],
            arguments: &[
                "now=1700000100",
                "extra=_token",
                "extra=_written_at",
                "extra=_expires_at",
                "extra=_sstables",
            ],
            conditions: vec![
                condition("pk = 1", |row| row["pk"] == 1),
                condition("pk IN (3, 1, 3) AND ck = 30", |row| {
                    (row["pk"] == 1 || row["pk"] == 3) && row["ck"] == 30
                }),
                condition("pk = 1 AND ck > 30 AND ck <= 60 AND v LIKE 'v2%'", |row| {
                    row["pk"] == 1
                        && row["ck"].as_i64().is_some_and(|ck| 30 < ck && ck <= 60)
                        && row["v"].as_str().is_some_and(|text| text.starts_with("v2"))
                }),
                condition("_token > 0 AND ck < 100", |row| {
                    row["_token"].as_i64() > Some(0)
                        && row["ck"].as_i64().is_some_and(|ck| ck < 100)
                }),
                condition("v IS NULL", |row| row["v"].is_null()),
            ],
            counted: Some("rows"),
        },
        Case {
            table: "rows.rows",
            golden: ME,
            paths: &["types"],
            arguments: &["now=1700000100", "decimals=c15=2"],
            conditions: vec![
                condition("pk = 'k1' AND c1 = -3 AND c2 <= -3000", |row| {
                    row["pk"] == "k1"
                        && row["c1"] == -3
                        && row["c2"].as_i64().is_some_and(|long| long <= -3000)
                }),
                condition("c4 < '2017-07-16' AND c12 >= '2020-01-02'", |row| {
                    row["c4"].as_str() < Some("2017-07-16")
                        && row["c12"].as_str() >= Some("2020-01-02")
                }),
                condition("c5 = '00000000-0000-1000-8000-000000000001'", |row| {
                    row["c5"] == "00000000-0000-1000-8000-000000000001"
                }),
                condition("c13 = '08:12:54.001' AND c16 < 0", |row| {
                    row["c13"] == "08:12:54.001" && row["c16"].as_f64() < Some(0.0)
                }),
                condition("c15 < -3 AND c15 > -3.2", |row| {
                    let price = row["c15"].as_str().and_then(|text| text.parse::<f64>().ok());
                    price.is_some_and(|price| -3.2 < price && price < -3.0)
                }),
            ],
            counted: Some("rows"),
        },
        Case {
            table: "rows.rows",
            golden: ME,
            paths: &["udt"],
            arguments: &["now=1700000100", "decimals=de=6"],
            conditions: vec![
                condition("pk = '00000000-0000-4000-8000-000000000000'", |row| {
                    row["pk"] == "00000000-0000-4000-8000-000000000000"
                }),
                condition("p IS NOT NULL AND ti > '12:00:00'", |row| {
                    row["p"].is_object() && row["ti"].as_str() > Some("12:00:00")
                }),
            ],
            counted: Some("rows"),
        },
        Case {
            table: "rows.rows",
            golden: ME,
            paths: &["mixed"],
            arguments: &["now=1700000100", "as_text=m", "as_text=du"],
            conditions: vec![condition("pk = 5 AND a = 0 AND b >= 'b1'", |row| {
                row["pk"] == 5 && row["a"] == 0 && row["b"].as_str() >= Some("b1")
            })],
            counted: Some("rows"),
        },
        Case {
            table: "rows.rows",
            golden: ME,
            paths: &["edge"],
            arguments: &["now=1700000100"],
            conditions: vec![condition("\"Mixed Case\" = 1", |row| row["Mixed Case"] == 1)],
            counted: Some("rows"),
        },
        Case {
            table: "rows.rows",
            golden: ME,
            paths: &["counters"],
            arguments: &["now=1700000100"],
            conditions: vec![condition("c1 < 0", |row| row["c1"].as_i64() < Some(0))],
            counted: Some("rows"),
        },
        Case {
            table: "rows.rows",
            golden: ("rows", "tries", "ea"),
            paths: &["vec"],
            arguments: &["now=1700000100"],
            conditions: vec![condition("pk = 1 AND ck < 5", |row| {
                row["pk"] == 1 && row["ck"].as_i64() < Some(5)
            })],
            counted: Some("rows"),
        },
        Case {
            table: "rows.sstables",
            golden: ME,
            paths: &["multi", "mixed"],
            arguments: &["now=2030-01-01", "gc_grace=60"],
            conditions: vec![
                condition("compression IS NULL", |row| row["compression"].is_null()),
                condition("sstable LIKE '%-2-big'", |row| row["sstable"] == "me-2-big"),
                condition("rows > 300", |row| row["rows"].as_i64() > Some(300)),
            ],
            counted: None,
        },
    ]
}

fn series() -> Vec<Case> {
    vec![
        Case {
            table: "series.blocks",
            golden: API,
            paths: &["api"],
            arguments: &[],
            conditions: vec![condition("min_time > '2023-11-14T23:00:00Z'", |row| {
                row["min_time"].as_str() > Some("2023-11-14T23:00:00Z")
            })],
            counted: None,
        },
        Case {
            table: "series.labels",
            golden: API,
            paths: &["api"],
            arguments: &[],
            conditions: vec![
                condition("name = 'job'", |row| row["name"] == "job"),
                condition("name LIKE 'i%'", |row| {
                    row["name"].as_str().is_some_and(|name| name.starts_with('i'))
                }),
                condition("name <> 'job' AND series >= 10", |row| {
                    row["name"] != "job" && row["series"].as_i64() >= Some(10)
                }),
            ],
            counted: None,
        },
        Case {
            table: "series.samples",
            golden: API,
            paths: &["native", "api"],
            arguments: &["labels=job"],
            conditions: vec![
                condition("metric = 'up'", |row| row["metric"] == "up"),
                condition("job <> 'api'", |row| row["job"].is_string() && row["job"] != "api"),
                condition("job IS NULL", |row| row["job"].is_null()),
                condition("timestamp > '2023-11-14T23:00:20Z' AND value < 3", |row| {
                    row["timestamp"].as_str() > Some("2023-11-14T23:00:20Z")
                        && row["value"].as_f64().is_some_and(|value| value < 3.0)
                }),
            ],
            counted: Some("series_decoded"),
        },
        Case {
            table: "series.series",
            golden: API,
            paths: &["api"],
            arguments: &["labels=job", "labels=instance", "per_block=true"],
            conditions: vec![
                condition("metric IN ('up', 'http.size')", |row| {
                    row["metric"] == "up" || row["metric"] == "http.size"
                }),
                condition("instance LIKE '%1:80'", |row| {
                    row["instance"].as_str().is_some_and(|text| text.ends_with("1:80"))
                }),
                condition("job NOT IN ('api', 'db')", |row| {
                    row["job"].is_string() && row["job"] != "api" && row["job"] != "db"
                }),
            ],
            counted: Some("series_decoded"),
        },
    ]
}
