//! Chunks: lines whose matches, with the lines around them, overlap.

use std::ops::Range;

use manicule_format_zoekt::rune_count;

use super::super::query::Found;
use super::lines::{Cursor, Lines};
use super::shape::{ChunkMatch, ChunkRange, Location};

/// The chunks of a content, without scores, with `context` lines before and after.
pub(super) fn chunks(lines: &Lines<'_>, found: &[Found], context: usize) -> Vec<ChunkMatch> {
    let mut chunks: Vec<ChunkMatch> = Vec::new();
    // The lines of the last chunk, without those around them.
    let mut last: Range<usize> = 0..0;
    let mut cursor = Cursor::new(lines);
    for one in found {
        let own = lines_of(lines, &one.range);
        let range = ChunkRange {
            start: cursor.location(one.range.start, own.start),
            end: cursor.location(one.range.end, own.end - 1),
            line_end: lines.end(own.end - 1),
            symbol: one.symbol,
            atom: one.atom,
        };
        let reach = last.end.saturating_add(context);
        match chunks.last_mut() {
            Some(chunk) if own.start.saturating_sub(context) < reach => {
                chunk.ranges.push(range);
                last.end = last.end.max(own.end);
                chunk.range.end = lines.around(last.clone(), context).end;
            }
            _ => {
                chunks.push(ChunkMatch {
                    is_name: false,
                    range: lines.around(own.clone(), context),
                    first_line: own.start.saturating_sub(context) as u32 + 1,
                    score: 0.0,
                    best_line: 0,
                    ranges: vec![range],
                });
                last = own;
            }
        }
    }
    chunks
}

/// The lines of a match. One that ends after a line feed ends in the line of that.
fn lines_of(lines: &Lines<'_>, range: &Range<usize>) -> Range<usize> {
    let first = lines.at(range.start);
    let last = range.end.checked_sub(1).map_or(first, |last| lines.at(last)).max(first);
    first..last + 1
}

/// A document's name as a chunk. Whatever it holds, it is one line.
pub(super) fn name_chunk(name: &[u8], found: &[Found]) -> ChunkMatch {
    let location = |offset: usize| {
        let column = rune_count(&name[..offset]) as u32 + 1;
        Location { offset, column, ..Location::START }
    };
    let range = |one: &Found| ChunkRange {
        start: location(one.range.start),
        end: location(one.range.end),
        line_end: name.len(),
        symbol: one.symbol,
        atom: one.atom,
    };
    ChunkMatch {
        is_name: true,
        range: 0..name.len(),
        first_line: Location::START.line,
        score: 0.0,
        best_line: 0,
        ranges: found.iter().map(range).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(context: usize, found: &[Range<usize>], want: &[(u32, &str, usize)]) {
        const TEXT: &str = "ab\ncd\nef\ngh\nij\n";
        let found: Vec<Found> = found
            .iter()
            .map(|range| Found { range: range.clone(), symbol: None, atom: 0 })
            .collect();
        let got = chunks(&Lines::of(TEXT.as_bytes()), &found, context);
        let got: Vec<(u32, &str, usize)> = got
            .iter()
            .map(|chunk| (chunk.first_line, &TEXT[chunk.range.clone()], chunk.ranges.len()))
            .collect();
        assert_eq!(got, want);
    }

    #[test]
    fn lines_side_by_side_are_chunks_of_their_own() {
        check(0, &[0..1, 1..2, 3..4], &[(1, "ab\n", 2), (2, "cd\n", 1)]);
    }

    #[test]
    fn a_match_over_lines_joins_them() {
        check(0, &[1..4, 4..5], &[(1, "ab\ncd\n", 2)]);
        check(0, &[0..3, 3..4], &[(1, "ab\n", 1), (2, "cd\n", 1)]);
    }

    #[test]
    fn lines_around_that_overlap_join_chunks() {
        check(1, &[0..1, 6..7], &[(1, "ab\ncd\nef\ngh\n", 2)]);
        check(1, &[0..1, 9..10], &[(1, "ab\ncd\n", 1), (3, "ef\ngh\nij\n", 1)]);
    }
}
