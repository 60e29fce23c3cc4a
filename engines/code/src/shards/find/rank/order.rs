//! The order of answers, and where limits cut them.

use std::cmp::Ordering;

use super::shape::{ChunkMatch, FileMatch, LineMatch, Matches};

/// Limits of what is shown, `None` for none. What is shown is the best of all that matches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RankLimits {
    /// Documents.
    pub documents: Option<usize>,
    /// Matches: fragments of lines, or ranges of chunks.
    pub matches: Option<usize>,
}

/// The extension of a name, with its dot.
fn extension(name: &[u8]) -> &[u8] {
    let base = memchr::memrchr(b'/', name).map_or(name, |slash| &name[slash + 1..]);
    memchr::memrchr(b'.', base).map_or(b"", |dot| &base[dot..])
}

/// Share of the third's score from which on another may take its place.
const NOVEL_SHARE: f64 = 0.9;

/// Sorts documents, and the matches in each, by their scores, best first. Where those are equal
/// they stay in the order of shards and documents, and of the document.
///
/// The third place is for a document of another kind: the first after the best two whose
/// extension none of them has takes it, if its score is at least 0.9 of the third's.
pub(super) fn sort<'n>(files: &mut Vec<FileMatch>, name_of: &dyn Fn(&FileMatch) -> &'n [u8]) {
    files.sort_by(|left, right| falling(left.score, right.score));
    for file in files.iter_mut() {
        match &mut file.matches {
            Matches::Lines(lines) => lines.sort_by(|left, right| falling(left.score, right.score)),
            Matches::Chunks(chunks) => {
                chunks.sort_by(|left, right| falling(left.score, right.score));
            }
        }
    }
    let [first, second, third, ..] = files.as_slice() else { return };
    let least = third.score * NOVEL_SHARE;
    let known = [extension(name_of(first)), extension(name_of(second))];
    let is_novel = |file: &FileMatch| !known.contains(&extension(name_of(file)));
    let novel = files.iter().skip(2).position(is_novel).map(|place| place + 2);
    if let Some(place) = novel.filter(|place| files[*place].score >= least) {
        let file = files.remove(place);
        files.insert(2, file);
    }
}

fn falling(left: f64, right: f64) -> Ordering {
    right.total_cmp(&left)
}

/// Cuts documents that were sorted.
pub(super) fn cut(files: &mut Vec<FileMatch>, limits: &RankLimits) {
    if let Some(documents) = limits.documents {
        files.truncate(documents);
    }
    let Some(mut left) = limits.matches else { return };
    let mut kept = 0;
    for file in files.iter_mut() {
        if left == 0 {
            break;
        }
        kept += 1;
        match &mut file.matches {
            Matches::Lines(lines) => cut_lines(lines, &mut left),
            Matches::Chunks(chunks) => cut_chunks(chunks, &mut left),
        }
    }
    files.truncate(kept);
}

fn cut_lines(lines: &mut Vec<LineMatch>, left: &mut usize) {
    lines.retain_mut(|line| {
        line.fragments.truncate(*left);
        *left -= line.fragments.len();
        !line.fragments.is_empty()
    });
}

/// The lines after the last match that is kept go too.
fn cut_chunks(chunks: &mut Vec<ChunkMatch>, left: &mut usize) {
    chunks.retain_mut(|chunk| {
        if chunk.ranges.len() > *left {
            chunk.ranges.truncate(*left);
            chunk.range.end = chunk.ranges.last().map_or(chunk.range.start, |range| range.line_end);
        }
        *left -= chunk.ranges.len();
        !chunk.ranges.is_empty()
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(files: &[(&str, f64)], want: &[&str]) {
        let file = |(index, (_, score)): (usize, &(&str, f64))| FileMatch {
            shard_number: 0,
            document: index,
            score: *score,
            branches: 0,
            is_unshown: true,
            matches: Matches::Lines(Vec::new()),
        };
        let mut sorted: Vec<FileMatch> = files.iter().enumerate().map(file).collect();
        let name_of = |file: &FileMatch| files[file.document].0.as_bytes();
        sort(&mut sorted, &name_of);
        let got: Vec<&str> = sorted.iter().map(|file| files[file.document].0).collect();
        assert_eq!(got, want);
    }

    #[test]
    fn the_best_come_first_and_equal_ones_keep_their_order() {
        check(&[("a.go", 1.0), ("b.go", 2.0), ("c.go", 2.0)], &["b.go", "c.go", "a.go"]);
    }

    #[test]
    fn the_third_place_is_for_another_extension() {
        let names = [("a.go", 9.0), ("b.go", 8.0), ("c.go", 7.0), ("d.go", 6.5), ("e.md", 6.4)];
        check(&names, &["a.go", "b.go", "e.md", "c.go", "d.go"]);
        let names = [("a.go", 9.0), ("b.go", 8.0), ("c.go", 7.0), ("e.md", 6.2)];
        check(&names, &["a.go", "b.go", "c.go", "e.md"]);
    }
}
