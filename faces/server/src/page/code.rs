//! Documents of shards for a query of zoekt, the best first, in chunks of lines.

use manicule::code::document_path;
use manicule::code::search::{
    ChunkMatch, FileMatch, Matches, RankLimits, RankOptions, Scoring, SearchCall, Unit,
};
use manicule::code::shards::find::{Document, OpenShard};
use manicule::watch::Watch;
use manicule::{ErrorClass, Failure};
use serde_json::{Map, Value, json};

use super::params::Params;
use super::shown::{Shown, line};
use super::state::Page;
use crate::served::Handle;

/// Default and greatest number of documents.
const DOCUMENTS: usize = 50;

/// Greatest number of documents.
const DOCUMENTS_MAX: usize = 200;

/// Greatest number of matches in all of them.
const MATCHES_MAX: usize = 1000;

/// Lines before and after each match.
const CONTEXT: usize = 2;

/// Documents. Parameters: `place`; `q`, the query; `limit`.
pub(super) fn search(page: &Page, params: &Params, watch: &Watch<'_>) -> Result<String, Failure> {
    let place = page.place(params)?;
    let Handle::Shards(shards) = &place.handle else {
        return Err(Failure::asked(format!("{} is no folder of shards", place.name)));
    };
    let call = SearchCall::new(params.needed("q")?).map_err(Failure::asked)?;
    let documents = params.number("limit", DOCUMENTS, DOCUMENTS_MAX)?;
    let (moment, mut notes) = (shards.moment(), Vec::new());
    let opened = moment.open(&mut |error| notes.push(error.to_string()));
    let options = RankOptions { scoring: Scoring::Place, unit: Unit::Chunks { context: CONTEXT } };
    let ranking = opened.rank(&call, &options, watch)?;
    let (file_count, match_count) = (ranking.files.len(), ranking.match_count());
    let receipt: Map<String, Value> = ranking
        .receipt
        .fields()
        .iter()
        .map(|(name, count)| ((*name).to_owned(), (*count).into()))
        .collect();
    let limits = RankLimits { documents: Some(documents), matches: Some(MATCHES_MAX) };
    let best = ranking.best(&limits)?;
    let files = best.iter().map(|found| file(found, &opened)).collect::<Result<Vec<_>, _>>()?;
    let json = json!({
        "file_count": file_count, "match_count": match_count, "files": files, "notes": notes,
        "receipt": receipt,
    });
    Ok(json.to_string())
}

fn file(found: &FileMatch, shards: &[OpenShard<'_>]) -> Result<Value, Failure> {
    let document = found.document(shards)?;
    document.check().map_err(|error| Failure::new(ErrorClass::Damaged, error))?;
    let Matches::Chunks(all) = &found.matches else { return Ok(Value::Null) };
    let names = all.iter().filter(|chunk| chunk.is_name).flat_map(|chunk| &chunk.ranges);
    let in_name: Vec<_> = names.map(|range| range.start.offset..range.end.offset).collect();
    let Shown { text: path, matches } = line(document.name, &in_name);
    let chunks = all.iter().filter(|chunk| !chunk.is_name).map(|chunk| lines(&document, chunk));
    let repository = document.repository().map(|own| String::from_utf8_lossy(&own.name.0));
    let mut buffer = Vec::new();
    let shown = document_path(&document, true, &mut buffer);
    Ok(json!({
        "repository": repository, "path": path, "name_matches": matches,
        "shown": String::from_utf8_lossy(shown), "language": document.language(),
        "branches": document.branches().collect::<Vec<_>>(), "match_count": found.matches.count(),
        "chunks": chunks.collect::<Vec<_>>(),
    }))
}

/// The lines of a chunk, each with its parts of matches.
fn lines(document: &Document<'_>, chunk: &ChunkMatch) -> Vec<Value> {
    let text = document.content.get(chunk.range.clone()).unwrap_or_default();
    let text = text.strip_suffix(b"\n").unwrap_or(text);
    let mut at = chunk.range.start;
    let numbered = (u64::from(chunk.first_line)..).zip(text.split(|byte| *byte == b'\n'));
    numbered
        .map(|(number, own)| {
            let (from, to) = (at, at + own.len());
            at = to + 1;
            let within = chunk.ranges.iter().map(|range| {
                let (start, end) = (range.start.offset.max(from), range.end.offset.min(to));
                start.saturating_sub(from)..end.saturating_sub(from)
            });
            let within: Vec<_> = within.filter(|range| range.start < range.end).collect();
            let Shown { text, matches } = line(own, &within);
            json!({ "number": number, "text": text, "matches": matches })
        })
        .collect()
}
