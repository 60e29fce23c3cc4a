//! Matches as they are shown: lines with fragments, or chunks of lines with ranges.

use std::ops::Range;

use manicule_core::bytes::DecodeError;
use memchr::{memchr, memrchr};

use super::super::super::open::ShardError;
use super::super::files::OpenShard;
use super::super::run::Document;

/// A document that matches, scored.
#[derive(Clone, Debug)]
pub struct FileMatch {
    /// Index of its shard among those of the call.
    pub shard_number: usize,
    /// Its number there.
    pub document: usize,
    /// Its score.
    pub score: f64,
    /// Branches: those that the query asked for, else its own. Bit `i` stands for branch `i` of the
    /// repository.
    pub branches: u64,
    /// Nothing in it matches that could be shown: its name stands for it.
    pub is_unshown: bool,
    /// What matches in it.
    pub matches: Matches,
}

/// Matches of a document, in its order until they are sorted by their scores.
#[derive(Clone, Debug)]
pub enum Matches {
    /// Line by line.
    Lines(Vec<LineMatch>),
    /// In chunks of lines.
    Chunks(Vec<ChunkMatch>),
}

/// A line with the parts of matches in it, or the document's name.
#[derive(Clone, Debug, PartialEq)]
pub struct LineMatch {
    /// Counted from 1; 0 stands for the name.
    pub number: u32,
    /// Place of the line with its end, in bytes.
    pub range: Range<usize>,
    /// Its score.
    pub score: f64,
    /// Parts of matches, increasing.
    pub fragments: Vec<Fragment>,
}

/// Part of a match within a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fragment {
    /// Its place, in bytes of the content or of the name.
    pub range: Range<usize>,
    /// Index of the symbol that it is in, where symbols were asked for.
    pub symbol: Option<u32>,
    /// Number of the query's atom.
    pub(super) atom: usize,
}

/// Lines with the matches in them, or the document's name.
#[derive(Clone, Debug, PartialEq)]
pub struct ChunkMatch {
    /// It is the name.
    pub is_name: bool,
    /// Place of its lines with their ends, in bytes.
    pub range: Range<usize>,
    /// Number of its first line, counted from 1.
    pub first_line: u32,
    /// Its score.
    pub score: f64,
    /// Number of the line with the best score; 0 in a name.
    pub best_line: u32,
    /// Matches, increasing.
    pub ranges: Vec<ChunkRange>,
}

/// A match within a chunk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChunkRange {
    /// Its start.
    pub start: Location,
    /// Its end.
    pub end: Location,
    /// Offset of the end of its last line, after the line feed.
    pub(super) line_end: usize,
    /// Index of the symbol that it is in, where symbols were asked for.
    pub symbol: Option<u32>,
    /// Number of the query's atom.
    pub(super) atom: usize,
}

/// A place in a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Location {
    /// In bytes.
    pub offset: usize,
    /// Number of the line, counted from 1.
    pub line: u32,
    /// In runes of the line, counted from 1; a byte that is not valid UTF-8 is one.
    pub column: u32,
}

impl FileMatch {
    /// Bytes of memory that it takes, about.
    pub(super) fn held_bytes(&self) -> u64 {
        let matches = match &self.matches {
            Matches::Lines(lines) => lines.iter().map(LineMatch::held_bytes).sum(),
            Matches::Chunks(chunks) => chunks.iter().map(ChunkMatch::held_bytes).sum::<usize>(),
        };
        (size_of::<Self>() + matches) as u64
    }

    /// The document; `shards` are those of the call.
    pub fn document<'s>(&self, shards: &'s [OpenShard<'s>]) -> Result<Document<'s>, ShardError> {
        let (open, shard_number, number) =
            (&shards[self.shard_number], self.shard_number, self.document);
        let texts = || {
            let shard = open.shard();
            let (name, content) = (shard.names().text(number)?, shard.contents().text(number)?);
            Ok(Document { shard: open, shard_number, number, name, content, places: &[] })
        };
        texts().map_err(|error: DecodeError| open.damaged(error))
    }
}

impl Matches {
    /// Number of lines, or of ranges in all chunks: what zoekt counts.
    pub fn count(&self) -> u64 {
        match self {
            Matches::Lines(lines) => lines.len() as u64,
            Matches::Chunks(chunks) => chunks.iter().map(|chunk| chunk.ranges.len() as u64).sum(),
        }
    }
}

impl ChunkMatch {
    fn held_bytes(&self) -> usize {
        size_of::<Self>() + size_of_val(&*self.ranges)
    }
}

impl LineMatch {
    fn held_bytes(&self) -> usize {
        size_of::<Self>() + size_of_val(&*self.fragments)
    }

    /// Place of the lines before it, at most `count`, in the document's content.
    pub fn before(&self, content: &[u8], count: usize) -> Range<usize> {
        let mut start = self.range.start;
        for _ in 0..count {
            let Some(end) = start.checked_sub(1) else { break };
            start = memrchr(b'\n', &content[..end]).map_or(0, |newline| newline + 1);
        }
        start..self.range.start
    }

    /// Place of the lines after it, likewise.
    pub fn after(&self, content: &[u8], count: usize) -> Range<usize> {
        let mut end = self.range.end;
        for _ in 0..count {
            if end >= content.len() {
                break;
            }
            let newline = memchr(b'\n', &content[end..]);
            end = newline.map_or(content.len(), |newline| end + newline + 1);
        }
        self.range.end..end
    }
}

impl Location {
    /// The front of a text.
    pub(super) const START: Location = Location { offset: 0, line: 1, column: 1 };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_have_neighbours() {
        let text = b"a\nb\n\nc";
        let line = LineMatch { number: 2, range: 2..4, score: 0.0, fragments: Vec::new() };
        assert_eq!((line.before(text, 1), line.after(text, 1)), (0..2, 4..5));
        assert_eq!((line.before(text, 9), line.after(text, 9)), (0..2, 4..6));
        let all = usize::MAX;
        assert_eq!((line.before(text, all), line.after(text, all)), (0..2, 4..6));
        assert_eq!((line.before(text, 0), line.after(text, 0)), (2..2, 4..4));
    }
}
