//! zoekt's own answers over its golden shards: the same documents, lines, places, symbols and
//! scores.
//!
//! Where scores are equal zoekt promises no order, so documents are compared by their names, and
//! lines by their places.

use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::path::Path;

use manicule_code::shards::find::query::Query;
use manicule_code::shards::find::rank::{
    ChunkMatch, ChunkRange, FileMatch, LineMatch, Location, Matches, RankLimits, RankOptions,
    Scoring, Unit, rank,
};
use manicule_code::shards::find::{Admit, OpenShard, Order, Request, ShardFiles, Skipped, list};
use manicule_code::tree::Look;
use manicule_core::watch::Watch;
use manicule_format_zoekt::as_valid_utf8;
use manicule_testkit::golden::{golden_file, golden_folder};
use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};

/// Requests that are answered otherwise on purpose, and why.
const EXEMPT: [(&str, &str); 6] = [
    ("(?i)DONG", "zoekt takes the flag off and looks for capitals"),
    ("case:no \u{212a}", "the Kelvin sign is a k where case doesn't count, as for ripgrep"),
    ("istanbul", "no letter's lower case is that of another word's capital I with a dot"),
    ("type:filematch lantern", "zoekt crashes inside; here it is no restriction"),
    (
        "content:lamp content:hall -content:yaml",
        "zoekt counts a word as one that matches if it is negated and nowhere in the shard",
    ),
    ("lamp estimate", "an estimate of the number of documents is not offered"),
];

/// Relative difference below which two scores are the same.
const PRECISION: f64 = 1e-9;

/// Opens the golden folders of shards together.
fn with_shards(folders: &[&str], call: impl FnOnce(&[OpenShard<'_>])) {
    let archive = golden_folder("code", "shards");
    let inner = archive.path().join("shards");
    let root = if inner.is_dir() { inner } else { archive.path().to_owned() };
    let open = |name: &&str| {
        ShardFiles::open(&root.join(name), &mut |error| panic!("{error}")).expect("shards")
    };
    let files: Vec<ShardFiles> = folders.iter().map(open).collect();
    let shards = files.iter().flat_map(|files| files.shards(&mut |error| panic!("{error}")));
    call(&shards.collect::<Vec<_>>());
}

fn rows(name: &str) -> Vec<Value> {
    let text = golden_file("code", &format!("{name}.jsonl"));
    let rows = text.split(|byte| *byte == b'\n').filter(|row| !row.is_empty());
    rows.map(|row| serde_json::from_slice(row).expect("a row")).collect()
}

fn request<'r>(look: &'r Look, admit: &'r Admit, watch: &'r Watch<'r>) -> Request<'r> {
    Request { look, admit, order: Order::Any, skipped: Skipped::Kept, threads: 2, watch }
}

/// What a request asks for besides the query.
struct Options<'o>(&'o Value);

impl Options<'_> {
    fn number(&self, name: &str) -> Option<usize> {
        self.0[name].as_u64().map(|number| number as usize).filter(|number| *number > 0)
    }

    fn is_set(&self, name: &str) -> bool {
        self.0[name] == true
    }

    fn rank(&self) -> RankOptions {
        let context = self.number("NumContextLines").unwrap_or(0);
        RankOptions {
            scoring: if self.is_set("UseBM25Scoring") {
                Scoring::Frequency
            } else {
                Scoring::Place
            },
            unit: if self.is_set("ChunkMatches") { Unit::Chunks { context } } else { Unit::Lines },
        }
    }

    /// Leaves out what zoekt doesn't look at, since it stops early: within a shard after so many
    /// matches, and within a repository of it.
    fn stop_early(&self, shards: &[OpenShard<'_>], files: &mut Vec<FileMatch>) {
        let all: usize = shards.iter().map(|open| open.shard().document_count()).sum();
        let shown = self.number("MaxDocDisplayCount");
        let of_shard = self.number("ShardMaxMatchCount");
        let shard_max = of_shard.or(shown.map(|shown| all + 100 * shown)).unwrap_or(100_000);
        let repository_max = self.number("ShardRepoMaxMatchCount").unwrap_or(usize::MAX);
        let (mut in_shard, mut in_repository) = (BTreeMap::new(), BTreeMap::new());
        files.retain(|file| {
            let open = &shards[file.shard_number];
            let repository = open.shard().repository_of(file.document);
            let of_shard = in_shard.entry(file.shard_number).or_insert(0);
            let of_repository = in_repository.entry((file.shard_number, repository)).or_insert(0);
            let is_seen = *of_shard < shard_max && *of_repository < repository_max;
            if is_seen {
                *of_shard += file.matches.count() as usize;
                *of_repository += file.matches.count() as usize;
            }
            is_seen
        });
    }
}

/// The answer to a request as zoekt's server gives it.
fn answer(shards: &[OpenShard<'_>], asked: &Value, is_digest: bool) -> Option<Value> {
    let mut query = Query::parse(asked["Q"].as_str().expect("a query")).ok()?;
    if let Some(ids) = asked["RepoIDs"].as_array() {
        let ids: Vec<u32> = ids.iter().map(|id| id.as_u64().expect("an id") as u32).collect();
        query = query.of_repositories(&ids);
    }
    let options = Options(&asked["Opts"]);
    let (look, admit, watch) = (Look::Contents, Admit::all(), Watch::none());
    let request = request(&look, &admit, &watch);
    let mut ranking = rank(shards, &query, &request, &options.rank()).expect("sound shards");
    options.stop_early(shards, &mut ranking.files);
    let counts = (ranking.files.len(), ranking.match_count());
    let limits = RankLimits {
        documents: options.number("MaxDocDisplayCount"),
        matches: options.number("MaxMatchDisplayCount"),
    };
    let files = ranking.best(&limits).expect("sound shards");
    let mut files: Vec<Shown> = files.iter().map(|file| Shown::new(shards, file)).collect();
    let mut result = json!({ "FileCount": counts.0, "MatchCount": counts.1, "Crashes": 0 });
    if is_digest {
        digest(&mut files, &mut result);
    } else {
        let files: Vec<Value> = files.iter().map(|file| file.json(&options)).collect();
        result["Files"] = files.into();
    }
    Some(result)
}

/// A document that is shown, with its texts.
struct Shown<'s> {
    open: &'s OpenShard<'s>,
    file: &'s FileMatch,
    name: String,
    repository: String,
    version: &'s str,
    content: &'s [u8],
}

impl<'s> Shown<'s> {
    fn new(shards: &'s [OpenShard<'s>], file: &'s FileMatch) -> Self {
        let open = &shards[file.shard_number];
        let text = |bytes: &[u8]| String::from_utf8_lossy(&as_valid_utf8(bytes)).into_owned();
        let name = text(open.shard().names().text(file.document).expect("a name"));
        let repository = text(&open.repository(file.document).expect("a repository").name.0);
        let version = open.version(file.document).expect("a version");
        let content = open.shard().contents().text(file.document).expect("a document");
        Shown { open, file, name, repository, version, content }
    }

    /// What documents are sorted by where their scores say nothing.
    fn key(&self) -> [&str; 3] {
        [&self.repository, &self.name, self.version]
    }

    fn json(&self, options: &Options<'_>) -> Value {
        let (open, number) = (self.open, self.file.document);
        let repository = open.repository(number).expect("a repository");
        let mut all = Map::new();
        let mut put = |name: &str, value: Value| {
            let is_empty = value.is_null() || value == "" || value == 0 || value == 0.0;
            if name == "Language" || !(is_empty || value.as_array().is_some_and(Vec::is_empty)) {
                all.insert(name.to_owned(), value);
            }
        };
        put("FileName", self.name.clone().into());
        put("Repository", self.repository.clone().into());
        if let Some(own) = open.sub_repository(number).expect("sound shards") {
            put("SubRepositoryName", own.repository.name.to_string().into());
            put("SubRepositoryPath", own.path.into());
        }
        put("Version", self.version.into());
        put("Language", open.language(number).into());
        let branches = repository.branches.iter().flatten().enumerate();
        let branches = branches.filter(|(bit, _)| self.file.branches >> bit & 1 == 1);
        put("Branches", branches.map(|(_, branch)| branch.name.as_str()).collect());
        match &self.file.matches {
            Matches::Lines(lines) => {
                let context = options.number("NumContextLines");
                put("LineMatches", lines.iter().map(|line| self.line(line, context)).collect());
            }
            Matches::Chunks(chunks) => {
                put("ChunkMatches", chunks.iter().map(|chunk| self.chunk(chunk)).collect());
            }
        }
        if options.is_set("Whole") {
            put("Content", base64(self.content).into());
        }
        let checksum = open.checksum(number).expect("a checksum");
        put("Checksum", base64(&checksum.to_be_bytes()).into());
        put("Score", self.file.score.into());
        put("RepositoryPriority", repository.priority().into());
        put("RepositoryID", repository.derived_id().into());
        all.into()
    }

    fn symbol(&self, symbol: Option<u32>) -> Value {
        let Some(symbol) = symbol else { return Value::Null };
        let symbol = self.open.symbol(self.file.document, symbol as usize).expect("a symbol");
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        json!({
            "Sym": text(symbol.name),
            "Kind": text(symbol.info.kind),
            "Parent": text(symbol.info.parent),
            "ParentKind": text(symbol.info.parent_kind),
        })
    }

    fn line(&self, line: &LineMatch, context: Option<usize>) -> Value {
        let is_name = line.number == 0;
        let around = context.filter(|_| !is_name);
        let neighbours = |place: std::ops::Range<usize>| base64(&self.content[place]);
        let before = around.map(|count| neighbours(line.before(self.content, count)));
        let after = around.map(|count| neighbours(line.after(self.content, count)));
        let name = self.open.shard().names().text(self.file.document).expect("a name");
        let text = if is_name { name } else { &self.content[line.range.clone()] };
        let fragments: Vec<Value> = line
            .fragments
            .iter()
            .map(|fragment| {
                json!({
                    "LineOffset": fragment.range.start - line.range.start,
                    "Offset": fragment.range.start,
                    "MatchLength": fragment.range.len(),
                    "SymbolInfo": self.symbol(fragment.symbol),
                })
            })
            .collect();
        json!({
            "Line": base64(text),
            "LineStart": line.range.start,
            "LineEnd": line.range.end,
            "LineNumber": line.number,
            "Before": before,
            "After": after,
            "FileName": is_name,
            "Score": line.score,
            "DebugScore": "",
            "LineFragments": fragments,
        })
    }

    fn chunk(&self, chunk: &ChunkMatch) -> Value {
        let location = |place: &Location| {
            let (offset, line, column) = (place.offset, place.line, place.column);
            json!({ "ByteOffset": offset, "LineNumber": line, "Column": column })
        };
        let range = |range: &ChunkRange| json!({ "Start": location(&range.start), "End": location(&range.end) });
        let symbols: Vec<Value> =
            chunk.ranges.iter().map(|range| self.symbol(range.symbol)).collect();
        let has_symbols = symbols.iter().any(|symbol| !symbol.is_null());
        let name = self.open.shard().names().text(self.file.document).expect("a name");
        let text = if chunk.is_name { name } else { &self.content[chunk.range.clone()] };
        let start = Location { offset: chunk.range.start, line: chunk.first_line, column: 1 };
        json!({
            "DebugScore": "",
            "Content": base64(text),
            "Ranges": chunk.ranges.iter().map(range).collect::<Vec<_>>(),
            "SymbolInfo": has_symbols.then_some(symbols),
            "FileName": chunk.is_name,
            "ContentStart": location(&start),
            "Score": chunk.score,
            "BestLineMatch": chunk.best_line,
        })
    }
}

/// What the golden answers keep of long ones: hashes of all places and scores, the ten best.
fn digest(files: &mut [Shown<'_>], result: &mut Value) {
    files.sort_by(|left, right| left.key().cmp(&right.key()));
    let (mut places, mut scores, mut count) = (Sha256::new(), Sha256::new(), 0);
    for shown in files.iter() {
        let head = format!("{}\0{}\0", shown.repository, shown.name);
        let mut own = head.clone();
        match &shown.file.matches {
            Matches::Lines(lines) => {
                let mut lines: Vec<&LineMatch> = lines.iter().collect();
                lines.sort_by_key(|line| (line.number, line.range.start));
                count += lines.len();
                for line in lines {
                    for part in &line.fragments {
                        let (at, len) = (part.range.start, part.range.len());
                        let in_line = at - line.range.start;
                        own += &format!("{}:{in_line}:{at}:{len},", line.number);
                    }
                }
            }
            Matches::Chunks(chunks) => {
                let mut chunks: Vec<&ChunkMatch> = chunks.iter().collect();
                chunks.sort_by_key(|chunk| (chunk.range.start, chunk.ranges[0].start.offset));
                count += chunks.len();
                for chunk in chunks {
                    own += &format!("chunk {}:{}:", chunk.range.start, chunk.range.len());
                    for range in &chunk.ranges {
                        own += &format!("{}:{},", range.start.offset, range.end.offset);
                    }
                }
            }
        }
        places.update(own + "\n");
        scores.update(format!("{head}{:.3}\n", shown.file.score));
    }
    files.sort_by(|left, right| {
        let by_score = right.file.score.total_cmp(&left.file.score);
        let key = |shown: &Shown<'_>| {
            (shown.repository.clone(), shown.version.to_owned(), shown.name.clone())
        };
        by_score.then_with(|| key(left).cmp(&key(right)))
    });
    let best = files.iter().take(10);
    let best = best.map(|shown| json!([shown.repository, shown.name, shown.file.score]));
    result["lines"] = count.into();
    result["best"] = best.collect();
    for (name, hash) in [("places", places), ("scores", scores)] {
        result[name] = manicule_core::hex::encode(hash.finalize()).into();
    }
}

fn base64(bytes: &[u8]) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut out = String::new();
    for three in bytes.chunks(3) {
        let bits = three.iter().fold(0u32, |bits, byte| bits << 8 | u32::from(*byte));
        let bits = bits << (8 * (3 - three.len()));
        for place in 0..4 {
            let letter = LETTERS[(bits >> (18 - 6 * place) & 63) as usize];
            out.push(if place > three.len() { '=' } else { char::from(letter) });
        }
    }
    out
}

/// Puts what has no order into one: documents by name, lines and chunks by place.
fn ordered(mut result: Value) -> Value {
    let text = |value: &Value, name: &str| value[name].as_str().unwrap_or_default().to_owned();
    let key = |file: &Value| {
        ["Repository", "FileName", "Version", "Checksum"].map(|name| text(file, name))
    };
    let place = |part: &Value| {
        let number = |value: &Value| value.as_u64().unwrap_or_default();
        let start = &part["ContentStart"]["ByteOffset"];
        [&part["LineNumber"], &part["LineStart"], start].map(number)
    };
    if let Some(files) = result["Files"].as_array_mut() {
        files.sort_by_key(key);
        for file in files {
            for name in ["LineMatches", "ChunkMatches"] {
                if let Some(parts) = file.get_mut(name).and_then(Value::as_array_mut) {
                    parts.sort_by_key(place);
                }
            }
        }
    }
    result
}

/// The first difference of two answers, as the path to it and both.
fn difference(got: &Value, want: &Value) -> Option<String> {
    match (got, want) {
        (Value::Object(own), Value::Object(other)) => {
            let names = own.keys().chain(other.keys());
            let differs = |name: &String| {
                let (got, want) = (own.get(name), other.get(name));
                let null = Value::Null;
                let what = difference(got.unwrap_or(&null), want.unwrap_or(&null))?;
                Some(format!("{name} {what}"))
            };
            names.into_iter().find_map(differs)
        }
        (Value::Array(own), Value::Array(other)) if own.len() == other.len() => {
            let pairs = own.iter().zip(other).enumerate();
            pairs.into_iter().find_map(|(index, (got, want))| {
                Some(format!("{index} {}", difference(got, want)?))
            })
        }
        (Value::Number(own), Value::Number(other)) => {
            let (own, other) = (own.as_f64()?, other.as_f64()?);
            let gap = (own - other).abs();
            let is_same = gap.partial_cmp(&(PRECISION * other.abs())) != Some(Ordering::Greater);
            (!is_same).then(|| format!("{own} instead of {other}"))
        }
        _ => (got != want).then(|| format!("{got} instead of {want}")),
    }
}

/// What a request is called in the table of those that are exempt.
fn called(asked: &Value) -> String {
    let query = asked["Q"].as_str().expect("a query");
    let estimate = if asked["Opts"]["EstimateDocCount"] == true { " estimate" } else { "" };
    format!("{query}{estimate}")
}

#[track_caller]
fn check(name: &str, folders: &[&str], count: usize, exempt_count: usize) {
    with_shards(folders, |shards| {
        let (mut same, mut exempt, mut wrong) = (0, 0, Vec::new());
        for row in rows(name) {
            let (asked, want) = (&row["request"], &row["result"]);
            let got = answer(shards, asked, !want["places"].is_null());
            let differs = match (got, want["Error"].is_null()) {
                (None, false) => None,
                (None, true) => Some("a refusal".to_owned()),
                (Some(_), false) => Some("an answer instead of a refusal".to_owned()),
                (Some(got), true) => difference(&ordered(got), &ordered(want.clone())),
            };
            let is_exempt = EXEMPT.iter().any(|(query, _)| *query == called(asked));
            match (differs, is_exempt) {
                (None, false) => same += 1,
                (Some(_), true) => exempt += 1,
                (Some(differs), false) => wrong.push(format!("{asked}: {differs}")),
                (None, true) => wrong.push(format!("{asked}: needs no exemption")),
            }
        }
        assert!(wrong.is_empty(), "{} differ:\n{}", wrong.len(), wrong.join("\n"));
        assert_eq!((same, exempt), (count, exempt_count));
    });
}

#[test]
fn one_repository_is_answered_as_zoekt_answers() {
    check("small", &["ctags"], 129, 6);
}

#[test]
fn several_repositories_are_answered_as_zoekt_answers() {
    check("multi", &["compound", "git-ctags"], 31, 0);
}

#[test]
fn deltas_are_answered_as_zoekt_answers() {
    check("delta", &["delta"], 31, 0);
}

#[test]
fn tombstones_are_left_out_as_zoekt_leaves_them_out() {
    check("tomb", &["tomb"], 31, 0);
}

/// What is compared of a repository in a list. Bytes of an index are memory of zoekt's own.
fn repository(entry: &Value) -> Value {
    let (own, stats) = (&entry["Repository"], &entry["Stats"]);
    json!({
        "name": own["Name"],
        "branches": own["Branches"],
        "id": own["ID"],
        "rank": own["Rank"],
        "has_symbols": own["HasSymbols"],
        "index_time": entry["IndexMetadata"]["IndexTime"],
        "shards": stats["Shards"],
        "documents": stats["Documents"],
        "content_len": stats["ContentBytes"],
        "lines": stats["NewLinesCount"],
    })
}

#[test]
fn lists_hold_what_zoekts_hold() {
    let mut count = 0;
    for row in rows("list") {
        // Field 2 has the same repositories under their ids.
        if !row["request"]["Opts"]["Field"].is_null() {
            continue;
        }
        let folders: &[&str] = match row["index"].as_str().expect("a folder") {
            "multi" => &["compound", "git-ctags"],
            "delta" => &["delta"],
            _ => &["tomb"],
        };
        with_shards(folders, |shards| {
            let text = row["request"]["Q"].as_str().expect("a query");
            let query = (!text.is_empty()).then(|| Query::parse(text).expect("a query"));
            let entries = list(shards, query.as_ref(), 1, &Watch::none()).expect("sound shards");
            let got: Vec<Value> = entries
                .iter()
                .map(|entry| {
                    let own = &entry.repository;
                    let branches = own.branches.iter().flatten();
                    let branches = branches
                        .map(|branch| json!({ "Name": branch.name, "Version": branch.version }));
                    json!({
                        "name": own.name.to_string(),
                        "branches": branches.collect::<Vec<_>>(),
                        "id": own.derived_id(),
                        "rank": own.derived_rank(),
                        "has_symbols": own.has_symbols,
                        "index_time": entry.index_time,
                        "shards": entry.shards,
                        "documents": entry.documents,
                        "content_len": entry.content_len,
                        "lines": entry.lines,
                    })
                })
                .collect();
            let repositories = row["result"]["List"]["Repos"].as_array().expect("repositories");
            let want: Vec<Value> = repositories.iter().map(repository).collect();
            let differs = difference(&got.into(), &want.into());
            assert_eq!(differs, None, "{}", row["request"]);
            count += 1;
        });
    }
    assert_eq!(count, 15);
}

/// The folder is not a part of the repository; its requests take minutes.
#[test]
fn large_shards_are_answered_as_zoekt_answers() {
    let names = ["MANICULE_GOLDEN", "MANICULE_CORPORA"];
    let [Some(golden), Some(corpora)] = names.map(std::env::var_os) else {
        eprintln!(
            "left out: answers over large shards ({} and {} name no folder)",
            names[0], names[1]
        );
        return;
    };
    for name in ["k8s-full", "kubernetes-ctags"] {
        let folder = Path::new(&corpora).join("idx").join(name);
        let rows = Path::new(&golden).join("code/queries").join(format!("{name}.jsonl"));
        let (true, Ok(rows)) = (folder.is_dir(), std::fs::read_to_string(&rows)) else {
            eprintln!("left out: answers over {} (it is not there)", folder.display());
            continue;
        };
        let files = ShardFiles::open(&folder, &mut |error| panic!("{error}")).expect("shards");
        let shards = files.shards(&mut |error| panic!("{error}"));
        for row in rows.lines() {
            let row: Value = serde_json::from_str(row).expect("a row");
            let want = &row["result"];
            let got = answer(&shards, &row["request"], true).expect("an answer");
            let differs = difference(&got, want);
            assert_eq!(differs, None, "{}", row["request"]);
        }
    }
}
