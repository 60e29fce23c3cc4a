//! Answers as JSON Lines, in the shape of ripgrep's.

use manicule::code::search::{ChunkMatch, FileMatch, LineMatch, Location, Matches};
use manicule::code::shards::ShardError;
use manicule::code::shards::find::Document;
use manicule::json::TextOrBytes;
use serde_json::{Value, json};

use crate::print::{self, typed};

/// Adds an object as a line.
fn put(out: &mut Vec<u8>, value: &Value) {
    // Writing to memory can't fail.
    let _ = serde_json::to_writer(&mut *out, value);
    out.push(b'\n');
}

/// A document that matches, under the path that it is printed by.
pub(super) struct JsonFile<'f> {
    pub(super) document: &'f Document<'f>,
    pub(super) file: &'f FileMatch,
    pub(super) path: &'f [u8],
}

impl JsonFile<'_> {
    /// Adds the object that opens a document.
    pub(super) fn put_begin(&self, out: &mut Vec<u8>) -> Result<(), ShardError> {
        let (document, open) = (self.document, self.document.shard);
        let repository = document.repository();
        let sub_repository = open
            .sub_repository(document.number)?
            .map(|own| json!({ "name": text(&own.repository.name.0), "path": own.path }));
        let branches = repository.iter().flat_map(|own| own.branches.iter().flatten()).enumerate();
        let branches = branches.filter(|(bit, _)| self.file.branches >> bit & 1 == 1);
        let branches: Vec<&str> = branches.map(|(_, branch)| branch.name.as_str()).collect();
        let checksum = open.checksum(document.number)?;
        let fields = json!({
            "data": {
                "path": text(self.path),
                "name": text(document.name),
                "repository": repository.map(|own| text(&own.name.0)),
                "repository_id": repository.map(|own| own.derived_id()),
                "sub_repository": sub_repository,
                "language": document.language(),
                "branches": branches,
                "version": open.version(document.number)?,
                "checksum": format!("{checksum:016x}"),
                "score": self.file.score,
                "name_matches": self.name_matches(),
            },
        });
        put(out, &typed("begin", fields));
        Ok(())
    }

    /// Places in the name, where nothing in the content matches. Where nothing matched that could
    /// be shown, as of `lang:go`, the whole name stands for the answer.
    fn name_matches(&self) -> Value {
        let place = |start: usize, end: usize| json!({ "start": start, "end": end });
        match &self.file.matches {
            _ if self.file.is_unshown => Value::Null,
            Matches::Lines(lines) => lines
                .iter()
                .filter(|line| line.number == 0)
                .flat_map(|line| &line.fragments)
                .map(|part| place(part.range.start, part.range.end))
                .collect(),
            Matches::Chunks(chunks) => chunks
                .iter()
                .filter(|chunk| chunk.is_name)
                .flat_map(|chunk| &chunk.ranges)
                .map(|range| place(range.start.offset, range.end.offset))
                .collect(),
        }
    }

    /// Adds an object for each line or chunk, in their order in the document. Where each ends.
    pub(super) fn put_matches(&self, out: &mut Vec<u8>) -> Result<Vec<usize>, ShardError> {
        let mut ends = Vec::new();
        match &self.file.matches {
            Matches::Lines(lines) => {
                let mut lines: Vec<_> = lines.iter().filter(|line| line.number > 0).collect();
                lines.sort_by_key(|line| line.number);
                for line in lines {
                    put(out, &self.line(line)?);
                    ends.push(out.len());
                }
            }
            Matches::Chunks(chunks) => {
                let mut chunks: Vec<_> = chunks.iter().filter(|chunk| !chunk.is_name).collect();
                chunks.sort_by_key(|chunk| chunk.range.start);
                for chunk in chunks {
                    put(out, &self.chunk(chunk)?);
                    ends.push(out.len());
                }
            }
        }
        Ok(ends)
    }

    /// Adds the object that closes a document.
    pub(super) fn put_end(&self, out: &mut Vec<u8>) {
        put(out, &typed("end", json!({ "data": { "path": text(self.path) } })));
    }

    fn line(&self, line: &LineMatch) -> Result<Value, ShardError> {
        let content = self.document.content;
        let mut submatches = Vec::new();
        for part in &line.fragments {
            let mut submatch = json!({
                "match": text(&content[part.range.clone()]),
                "start": part.range.start - line.range.start,
                "end": part.range.end - line.range.start,
            });
            if let Some(symbol) = part.symbol {
                submatch["symbol"] = self.symbol(symbol)?;
            }
            submatches.push(submatch);
        }
        let fields = json!({
            "data": {
                "path": text(self.path),
                "lines": text(&content[line.range.clone()]),
                "line_number": line.number,
                "absolute_offset": line.range.start,
                "score": line.score,
                "submatches": submatches,
            },
        });
        Ok(typed("match", fields))
    }

    fn chunk(&self, chunk: &ChunkMatch) -> Result<Value, ShardError> {
        let location = |place: &Location| {
            let (offset, line, column) = (place.offset, place.line, place.column);
            json!({ "offset": offset, "line_number": line, "column": column })
        };
        let mut ranges = Vec::new();
        for range in &chunk.ranges {
            let mut own = json!({ "start": location(&range.start), "end": location(&range.end) });
            if let Some(symbol) = range.symbol {
                own["symbol"] = self.symbol(symbol)?;
            }
            ranges.push(own);
        }
        let fields = json!({
            "data": {
                "path": text(self.path),
                "lines": text(&self.document.content[chunk.range.clone()]),
                "line_number": chunk.first_line,
                "absolute_offset": chunk.range.start,
                "score": chunk.score,
                "best_line_number": chunk.best_line,
                "ranges": ranges,
            },
        });
        Ok(typed("chunk", fields))
    }

    fn symbol(&self, index: u32) -> Result<Value, ShardError> {
        let symbol = self.document.shard.symbol(self.document.number, index as usize)?;
        Ok(json!({
            "name": text(symbol.name),
            "kind": text(symbol.info.kind),
            "parent": text(symbol.info.parent),
            "parent_kind": text(symbol.info.parent_kind),
        }))
    }
}

/// As ripgrep has it: text as `text`, what is none as `bytes` in base64.
fn text(bytes: &[u8]) -> Value {
    print::json(TextOrBytes(bytes))
}
