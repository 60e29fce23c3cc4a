//! zoekt's JSON API: what zoekt-webserver was asked over its golden shards, and what it answered.

mod normal;

use std::fs;
use std::path::{Path, PathBuf};

use manicule_testkit::golden::{golden_file, golden_folder};
use serde_json::{Value, json};
use tempfile::TempDir;

use super::support::{Answer, Server, serve};
use normal::{difference, listed, normal, plain};

/// The golden shards, and those of several folders in one.
struct Shards(TempDir);

impl Shards {
    fn new() -> Shards {
        Shards(golden_folder("code", "shards"))
    }

    fn folder(&self, name: &str) -> PathBuf {
        self.0.path().join("shards").join(name)
    }

    /// `compound` and `git-ctags` together, as the peer had them.
    fn multi(&self) -> PathBuf {
        let multi = self.0.path().join("multi");
        fs::create_dir_all(&multi).unwrap();
        for name in ["compound", "git-ctags"] {
            for entry in fs::read_dir(self.folder(name)).unwrap() {
                let entry = entry.unwrap();
                fs::copy(entry.path(), multi.join(entry.file_name())).unwrap();
            }
        }
        multi
    }

    fn served(&self, name: &str) -> Server {
        let folder = if name == "multi" { self.multi() } else { self.folder(name) };
        serve(&[("shards", &folder)])
    }
}

fn rows(name: &str) -> Vec<Value> {
    let text = golden_file("code", &format!("{name}.jsonl"));
    let rows = text.split(|byte| *byte == b'\n').filter(|row| !row.is_empty());
    rows.map(|row| serde_json::from_slice(row).expect("a row")).collect()
}

fn post(server: &Server, target: &str, body: &Value) -> Answer {
    let headers = [("Content-Type", "application/json")];
    server.send("POST", target, &headers, body.to_string().as_bytes())
}

fn json_of(answer: &Answer) -> Value {
    assert_eq!(answer.header("content-type"), "application/json", "{answer:?}");
    serde_json::from_slice(&answer.body)
        .unwrap_or_else(|error| panic!("{error}: {}", answer.text()))
}

/// Searches that are answered otherwise on purpose, and why.
const EXEMPT: [(&str, &str); 5] = [
    ("(?i)DONG", "zoekt takes the flag off and looks for capitals"),
    ("case:no \u{212a}", "the Kelvin sign is a k where case doesn't count, as for ripgrep"),
    ("istanbul", "no letter's lower case is that of another word's capital I with a dot"),
    ("type:filematch lantern", "zoekt crashes inside; here it is no restriction"),
    (
        "content:lamp content:hall -content:yaml",
        "zoekt counts a word as one that matches if it is negated and nowhere in the shard",
    ),
];

/// Asks the searches of a golden file; `count` are answered as by zoekt.
#[track_caller]
fn check(name: &str, folder: &str, count: usize, exempt_count: usize) {
    let shards = Shards::new();
    let server = shards.served(folder);
    let (mut same, mut exempt, mut wrong) = (0, 0, Vec::new());
    for row in rows(name) {
        let (asked, want) = (&row["request"], &row["result"]);
        let answer = post(&server, "/api/search", asked);
        let differs = if want["Error"].is_null() {
            assert_eq!(answer.status, 200, "{asked}: {}", answer.text());
            difference(&normal(&json_of(&answer), !want["places"].is_null()), want)
        } else {
            let is_refused =
                answer.status == want["Status"] && json_of(&answer)["Error"].is_string();
            (!is_refused).then(|| format!("{} instead of {want}", answer.status))
        };
        let is_exempt = EXEMPT.iter().any(|(query, _)| asked["Q"] == *query);
        match (differs, is_exempt) {
            (None, false) => same += 1,
            (Some(_), true) => exempt += 1,
            (Some(differs), false) => wrong.push(format!("{asked}: {differs}")),
            (None, true) => wrong.push(format!("{asked}: needs no exemption")),
        }
    }
    assert!(wrong.is_empty(), "{} differ:\n{}", wrong.len(), wrong.join("\n"));
    assert_eq!((same, exempt), (count, exempt_count));
}

#[test]
fn searches_of_one_repository_are_answered_as_by_zoekt() {
    check("small", "ctags", 130, 5);
}

#[test]
fn searches_of_several_repositories_are_answered_as_by_zoekt() {
    check("multi", "multi", 31, 0);
}

#[test]
fn searches_of_deltas_are_answered_as_by_zoekt() {
    check("delta", "delta", 31, 0);
}

#[test]
fn searches_beside_tombstones_are_answered_as_by_zoekt() {
    check("tomb", "tomb", 31, 0);
}

#[test]
fn lists_are_answered_as_by_zoekt_but_for_its_memory() {
    let (shards, rows) = (Shards::new(), rows("list"));
    for folder in ["multi", "delta", "tomb"] {
        let server = shards.served(folder);
        let own: Vec<&Value> = rows.iter().filter(|row| row["index"] == folder).collect();
        assert_eq!(own.len(), 6);
        for row in own {
            let got = json_of(&post(&server, "/api/list", &row["request"]));
            let [got, want] = [&got, &row["result"]].map(|list| without_memory(listed(list)));
            assert_eq!(difference(&got, &want), None, "{folder} {}", row["request"]);
        }
    }
}

/// Without `IndexBytes`: at zoekt memory that it takes for a shard, here bytes of its file.
fn without_memory(mut list: Value) -> Value {
    let list_of = &mut list["List"];
    let entries = list_of["Repos"].as_array_mut().into_iter().flatten();
    let stats = entries.map(|entry| &mut entry["Stats"]);
    for stats in stats {
        stats["IndexBytes"] = json!(0);
    }
    list["List"]["Stats"]["IndexBytes"] = json!(0);
    list
}

/// Exchanges that are answered otherwise on purpose, and why.
const OTHERWISE: [(&str, u16, &str); 6] = [
    ("list by field 1", 400, "zoekt's 500 says that the request is wrong"),
    ("other origin", 403, "a page of another site may not ask, unless --allow-origin lets it"),
    ("healthz", 200, "is of the whole server: `ok`, where zoekt has a search answer"),
    ("ready", 404, "the peer's search page"),
    ("gzip asked for", 200, "zoekt compresses nothing; here an answer is, for who asks"),
    ("api", 404, "the peer's way to /api/, where nothing is"),
];

#[test]
fn exchanges_are_zoekts_but_for_those_in_a_table() {
    let shards = Shards::new();
    let server = shards.served("multi");
    let (mut same, mut wrong) = (0, Vec::new());
    for row in rows("http") {
        let (what, asked, want) = (&row["what"], &row["request"], &row["answer"]);
        let text = |value: &Value| value.as_str().expect("a text").to_owned();
        let headers: Vec<(String, String)> = asked["headers"]
            .as_object()
            .expect("headers")
            .iter()
            .map(|(name, value)| (name.clone(), text(value)))
            .collect();
        let headers: Vec<(&str, &str)> =
            headers.iter().map(|(name, value)| (&**name, &**value)).collect();
        let body = asked["body"].as_str().unwrap_or_default();
        let (method, target) = (text(&asked["method"]), text(&asked["target"]));
        let got = server.send(&method, &target, &headers, body.as_bytes());
        if let Some((_, status, _)) = OTHERWISE.iter().find(|(own, ..)| what == *own) {
            assert_eq!(got.status, *status, "{what}");
            continue;
        }
        match exchange_difference(&got, want) {
            None => same += 1,
            Some(differs) => wrong.push(format!("{what}: {differs}")),
        }
    }
    assert!(wrong.is_empty(), "{} differ:\n{}", wrong.len(), wrong.join("\n"));
    assert_eq!(same, 47 - OTHERWISE.len());
}

fn exchange_difference(got: &Answer, want: &Value) -> Option<String> {
    if got.status != want["status"] {
        return Some(format!("{} instead of {}", got.status, want["status"]));
    }
    let media = want["headers"]["content-type"].as_str().unwrap_or_default();
    if matches!(got.status, 200 | 400) && got.header("content-type") != media {
        return Some(format!("{} instead of {media}", got.header("content-type")));
    }
    match &want["json"] {
        Value::Null => None,
        _ if got.header("content-encoding") == "gzip" => Some("gzip".to_owned()),
        json if got.status == 200 => difference(&plain(json_of(got)), json),
        json => (!json["Error"].is_null() && !json_of(got)["Error"].is_string())
            .then(|| "no Error".to_owned()),
    }
}

#[test]
fn an_estimate_counts_the_documents_of_shards_that_are_not_ruled_out() {
    let shards = Shards::new();
    let server = shards.served("multi");
    let count = |query: &str| {
        let asked = json!({ "Q": query, "Opts": { "EstimateDocCount": true } });
        let answer = json_of(&post(&server, "/api/search", &asked));
        assert!(answer["Result"]["Files"].is_null() && answer["Result"]["FileCount"] == 0);
        answer["Result"]["ShardFilesConsidered"].as_u64().unwrap()
    };
    // Of the shard with three repositories all documents count if one of them may match.
    let (all, alpha, lamps) = (count("lamp"), count("r:alpha lamp"), count("r:lamps lamp"));
    assert!(all == alpha + lamps && alpha > 0 && lamps > 0, "{all} {alpha} {lamps}");
    assert_eq!([count("r:nosuch"), count("lang:nosuch"), count("-r:example")], [0; 3]);
    assert_eq!(count("type:repo r:alpha"), alpha);
}

#[test]
fn a_search_ends_early_where_it_is_told_to() {
    let shards = Shards::new();
    let server = shards.served("multi");
    let count = |options: Value| {
        let asked = json!({ "Q": "lamp", "Opts": options });
        json_of(&post(&server, "/api/search", &asked))["Result"]["FileCount"].as_u64().unwrap()
    };
    assert_eq!(count(json!({})), 13);
    assert_eq!(count(json!({ "ShardMaxMatchCount": 1 })), 2);
    assert_eq!(count(json!({ "ShardRepoMaxMatchCount": 1 })), 4);
    assert!(count(json!({ "TotalMaxMatchCount": 1 })) < 13);
    assert_eq!(count(json!({ "MaxWallTime": -1 })), 0);
    assert_eq!(count(json!({ "NumContextLines": u64::MAX >> 1, "MaxDocDisplayCount": 1 })), 13);
}

#[test]
fn what_is_shown_can_be_much() {
    let folder = tempfile::tempdir().unwrap();
    let sources = folder.path().join("src");
    fs::create_dir(&sources).unwrap();
    for number in 0..40 {
        let line = format!("a lamp of number {number}, and more words on its line\n");
        fs::write(sources.join(format!("{number}.txt")), line.repeat(200)).unwrap();
    }
    let shards = folder.path().join("shards");
    index(&sources, &shards);
    let server = serve(&[("lamps", &shards)]);
    let asked = json!({ "Q": "lamp", "Opts": { "Whole": true, "NumContextLines": 3 } });
    let answer = post(&server, "/at/lamps/api/search", &asked);
    assert!(answer.is_whole && answer.body.len() > 4 << 20, "{}", answer.body.len());
    assert_eq!(json_of(&answer)["Result"]["MatchCount"], 8000);
}

/// Bodies that no client sends: each has an answer below 500, or 503, and the server goes on.
#[test]
fn hostile_bodies_have_an_answer() {
    let shards = Shards::new();
    let server = shards.served("ctags");
    let ids = (0..300_000).map(|id| id.to_string()).collect::<Vec<_>>().join(",");
    let deep = "[".repeat(100_000);
    for (body, want) in [
        (format!("{{\"Q\":\"lamp\",\"RepoIDs\":[{ids}]}}"), 200),
        (format!("{{\"Q\":\"lamp\",\"x\":{deep}}}"), 400),
        (format!("{{\"Q\":\"{}\"}}", "a".repeat(20_000)), 400),
        (format!("{{\"Q\":\"{}\"}}", "(".repeat(5000)), 400),
        (format!("{{\"Q\":\"lamp\",\"x\":\"{}\"}}", "y".repeat(5 << 20)), 413),
        ("\u{feff}{\"Q\":\"lamp\"}".to_owned(), 400),
        ("{\"Q\":\"\\ud800 \\u0000\"}".to_owned(), 200),
    ] {
        let answer = server.send("POST", "/api/search", &[], body.as_bytes());
        assert_eq!(answer.status, want, "{:.60}: {}", body, answer.text());
    }
    assert_eq!(post(&server, "/api/search", &json!({ "Q": "lamp" })).status, 200);
}

fn index(sources: &Path, shards: &Path) {
    let call = manicule::code::IndexCall::new(sources.to_owned(), shards.to_owned());
    manicule::code::index(&call, &manicule::watch::Watch::none()).expect("shards");
}

#[test]
fn shards_that_are_new_answer_without_a_start() {
    let folder = tempfile::tempdir().unwrap();
    let (sources, shards) = (folder.path().join("src"), folder.path().join("shards"));
    fs::create_dir(&sources).unwrap();
    fs::write(sources.join("a.txt"), "a lamp\n").unwrap();
    index(&sources, &shards);
    let server = serve(&[("shards", &shards)]);
    let count = || {
        let answer = post(&server, "/api/search", &json!({ "Q": "lamp" }));
        json_of(&answer)["Result"]["FileCount"].as_u64().unwrap()
    };
    assert_eq!(count(), 1);
    fs::write(sources.join("b.txt"), "another lamp\n").unwrap();
    index(&sources, &shards);
    let patience = std::time::Instant::now() + std::time::Duration::from_secs(20);
    while count() != 2 {
        assert!(std::time::Instant::now() < patience, "it is never seen");
    }
}
