//! Documents with their matches, as zoekt's JSON has them.

use std::ops::Range;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use manicule_code::shards::ShardError;
use manicule_code::shards::find::rank::{
    ChunkMatch, FileMatch, Fragment, LineMatch, Location, Matches,
};
use manicule_code::shards::find::{Document, OpenShard};
use manicule_core::go::json::JsonWriter;

use super::request::SearchOptions;

/// A document that is shown.
pub(super) struct Shown<'s> {
    document: Document<'s>,
    file: &'s FileMatch,
    options: &'s SearchOptions,
}

impl<'s> Shown<'s> {
    pub(super) fn new(
        shards: &'s [OpenShard<'s>],
        file: &'s FileMatch,
        options: &'s SearchOptions,
    ) -> Result<Self, ShardError> {
        Ok(Shown { document: file.document(shards)?, file, options })
    }

    /// Writes it, as the next value.
    pub(super) fn write(&self, out: &mut JsonWriter) -> Result<(), ShardError> {
        out.open_object();
        self.write_names(out)?;
        match &self.file.matches {
            Matches::Lines(lines) => {
                put_list(out, "LineMatches", lines, |line, out| self.write_line(line, out))?;
            }
            Matches::Chunks(chunks) => {
                put_list(out, "ChunkMatches", chunks, |chunk, out| self.write_chunk(chunk, out))?;
            }
        }
        if self.options.whole && !self.document.content.is_empty() {
            put_bytes(out, "Content", self.document.content);
        }
        let checksum = self.document.shard.checksum(self.document.number)?;
        put_bytes(out, "Checksum", &checksum.to_be_bytes());
        let repository = self.document.repository();
        let priority = repository.map_or(0.0, |repository| repository.priority());
        for (name, number) in [("Score", self.file.score), ("RepositoryPriority", priority)] {
            if number != 0.0 {
                out.float(name, number);
            }
        }
        if let Some(id) = repository.map(|own| own.derived_id()).filter(|id| *id != 0) {
            out.number("RepositoryID", id);
        }
        out.close_object();
        Ok(())
    }

    /// Its names, commit, language and branches. What is empty is left out, but for the language.
    fn write_names(&self, out: &mut JsonWriter) -> Result<(), ShardError> {
        let Document { shard, number, name, .. } = self.document;
        let repository = self.document.repository();
        out.text("FileName", name);
        out.text("Repository", repository.map_or(&[][..], |repository| &repository.name.0));
        if let Some(own) = shard.sub_repository(number)? {
            put_unless_empty(out, "SubRepositoryName", &own.repository.name.0);
            put_unless_empty(out, "SubRepositoryPath", own.path.as_bytes());
        }
        put_unless_empty(out, "Version", shard.version(number)?.as_bytes());
        out.text("Language", shard.language(number));
        let branches = repository.iter().flat_map(|own| own.branches.iter().flatten());
        let of_file = |bit: usize| bit < 64 && self.file.branches >> bit & 1 == 1;
        let branches = branches.enumerate().filter(|(bit, _)| of_file(*bit));
        let names: Vec<&str> = branches.map(|(_, branch)| branch.name.as_str()).collect();
        if !names.is_empty() {
            out.key("Branches");
            out.list(names, |out, name| out.string(name));
        }
        Ok(())
    }

    fn write_line(&self, line: &LineMatch, out: &mut JsonWriter) -> Result<(), ShardError> {
        let Document { name, content, .. } = self.document;
        let is_name = line.number == 0;
        out.open_object();
        put_bytes(out, "Line", if is_name { name } else { text(content, &line.range) });
        out.number("LineStart", line.range.start as i64);
        out.number("LineEnd", line.range.end as i64);
        out.number("LineNumber", line.number);
        match self.options.context() {
            0 => ["Before", "After"].into_iter().for_each(|name| out.null(name)),
            _ if is_name => ["Before", "After"].into_iter().for_each(|name| out.null(name)),
            count => {
                put_bytes(out, "Before", text(content, &line.before(content, count)));
                put_bytes(out, "After", text(content, &line.after(content, count)));
            }
        }
        out.word("FileName", is_name);
        out.float("Score", line.score);
        out.text("DebugScore", "");
        put_list(out, "LineFragments", &line.fragments, |part: &Fragment, out| {
            out.open_object();
            out.number("LineOffset", (part.range.start - line.range.start) as i64);
            out.number("Offset", part.range.start as i64);
            out.number("MatchLength", part.range.len() as i64);
            out.key("SymbolInfo");
            self.write_symbol(part.symbol, out)?;
            out.close_object();
            Ok(())
        })?;
        out.close_object();
        Ok(())
    }

    fn write_chunk(&self, chunk: &ChunkMatch, out: &mut JsonWriter) -> Result<(), ShardError> {
        let Document { name, content, .. } = self.document;
        out.open_object();
        out.text("DebugScore", "");
        put_bytes(out, "Content", if chunk.is_name { name } else { text(content, &chunk.range) });
        out.key("Ranges");
        out.list(&chunk.ranges, |out, range| {
            out.object(|out| {
                put_location(out, "Start", &range.start);
                put_location(out, "End", &range.end);
            });
        });
        if chunk.ranges.iter().any(|range| range.symbol.is_some()) {
            put_list(out, "SymbolInfo", &chunk.ranges, |range, out| {
                self.write_symbol(range.symbol, out)
            })?;
        } else {
            out.null("SymbolInfo");
        }
        out.word("FileName", chunk.is_name);
        let start = Location { offset: chunk.range.start, line: chunk.first_line, column: 1 };
        put_location(out, "ContentStart", &start);
        out.float("Score", chunk.score);
        out.number("BestLineMatch", chunk.best_line);
        out.close_object();
        Ok(())
    }

    fn write_symbol(&self, symbol: Option<u32>, out: &mut JsonWriter) -> Result<(), ShardError> {
        let Some(symbol) = symbol else {
            out.raw("null");
            return Ok(());
        };
        let symbol = self.document.shard.symbol(self.document.number, symbol as usize)?;
        out.object(|out| {
            out.text("Sym", symbol.name);
            out.text("Kind", symbol.info.kind);
            out.text("Parent", symbol.info.parent);
            out.text("ParentKind", symbol.info.parent_kind);
        });
        Ok(())
    }
}

/// Writes a list as a field; nothing where it is empty.
fn put_list<T>(
    out: &mut JsonWriter,
    name: &str,
    items: &[T],
    mut write: impl FnMut(&T, &mut JsonWriter) -> Result<(), ShardError>,
) -> Result<(), ShardError> {
    if items.is_empty() {
        return Ok(());
    }
    out.key(name);
    out.open_list();
    for item in items {
        out.next();
        write(item, out)?;
    }
    out.close_list();
    Ok(())
}

fn put_unless_empty(out: &mut JsonWriter, name: &str, text: &[u8]) {
    if !text.is_empty() {
        out.text(name, text);
    }
}

/// Writes bytes as a field, as Go writes them: in base64.
fn put_bytes(out: &mut JsonWriter, name: &str, bytes: &[u8]) {
    out.key(name);
    out.string(STANDARD.encode(bytes));
}

fn put_location(out: &mut JsonWriter, name: &str, location: &Location) {
    out.key(name);
    out.object(|out| {
        out.number("ByteOffset", location.offset as i64);
        out.number("LineNumber", location.line);
        out.number("Column", location.column);
    });
}

/// A part of a content, which its matches were found in.
fn text<'t>(content: &'t [u8], range: &Range<usize>) -> &'t [u8] {
    content.get(range.clone()).unwrap_or_default()
}
