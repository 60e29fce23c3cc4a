//! Documents as zoekt's server shows them.

use manicule_code::shards::find::OpenShard;
use manicule_code::shards::find::rank::{
    ChunkMatch, ChunkRange, FileMatch, LineMatch, Location, Matches,
};
use manicule_format_zoekt::as_valid_utf8;
use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};

use super::options::Options;

/// A document that is shown, with its texts.
pub(super) struct Shown<'s> {
    open: &'s OpenShard<'s>,
    file: &'s FileMatch,
    name: String,
    repository: String,
    version: &'s str,
    content: &'s [u8],
}

impl<'s> Shown<'s> {
    pub(super) fn new(shards: &'s [OpenShard<'s>], file: &'s FileMatch) -> Self {
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

    pub(super) fn json(&self, options: &Options<'_>) -> Value {
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
        let range = |range: &ChunkRange| {
            let (start, end) = (location(&range.start), location(&range.end));
            json!({ "Start": start, "End": end })
        };
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
pub(super) fn digest(files: &mut [Shown<'_>], result: &mut Value) {
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
