//! Candidate selection, of pieces that may hold a match: a need turned into grams, grams into
//! lists, lists into sets.

use std::ops::Range;

use manicule_core::bytes::DecodeError;
use manicule_core::pattern::{ByteSet, Need};
use manicule_core::postings::DocSet;
use manicule_format_tree::grams::{CLASSES, NO_CLASS, gram};
use manicule_format_tree::segment::Segment;

/// Maximum number of grams that a window of three byte sets stands for. `[0-9]{3}` makes 1000: too
/// many lists to unite for what they rule out; with a mark or a letter in the window it is a
/// hundred, and worth it.
const WINDOW_GRAMS_MAX: usize = 256;

/// A list is left out if reading it costs more than looking into the candidates that are left:
/// about 3 ns a byte against 10 microseconds a candidate.
const LIST_BYTES_A_CANDIDATE: u64 = 3000;

/// Above this share of all pieces, in percent, the look-up did not pay: everything is a candidate.
const USELESS_PERCENT: u64 = 60;

/// Reach of a match.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reach {
    /// Within one line, so within one piece.
    Line,
    /// Over lines: the grams it needs may lie in different pieces of a file.
    Lines,
}

/// The pieces of a segment that may hold a match; `None` where any may.
///
/// `files` are the pieces of each file; only asked for where a match may lie over lines.
pub(super) fn select(
    segment: &Segment<'_>,
    need: &Need,
    reach: Reach,
    files: impl FnOnce() -> Vec<Range<u32>>,
) -> Result<Option<DocSet>, DecodeError> {
    let files = match reach {
        Reach::Line => Vec::new(),
        Reach::Lines => files(),
    };
    let found = Selection { segment, files }.of(need)?;
    let useful = |set: &DocSet| {
        u64::from(set.count()) * 100 <= u64::from(segment.piece_count()) * USELESS_PERCENT
    };
    Ok(found.filter(useful))
}

struct Selection<'s, 'a> {
    segment: &'s Segment<'a>,
    /// The pieces of each file, where a gram counts for its whole file.
    files: Vec<Range<u32>>,
}

/// Three places that follow each other: the grams they may be, and how long the lists of those are.
struct Window {
    cost: u64,
    grams: Vec<u32>,
}

impl Selection<'_, '_> {
    fn of(&self, need: &Need) -> Result<Option<DocSet>, DecodeError> {
        match need {
            Need::Anything => Ok(None),
            Need::Seq(_) => self.all(std::slice::from_ref(need)),
            Need::All(parts) => self.all(parts),
            Need::Any(parts) => self.any(parts),
        }
    }

    /// Pieces that satisfy all parts: the windows of all sequences first, the cheapest to read
    /// first.
    fn all(&self, parts: &[Need]) -> Result<Option<DocSet>, DecodeError> {
        let mut windows = Vec::new();
        for part in parts {
            if let Need::Seq(sets) = part {
                self.windows(sets, &mut windows)?;
            }
        }
        windows
            .sort_by(|left, right| left.cost.cmp(&right.cost).then(left.grams.cmp(&right.grams)));
        windows.dedup_by(|left, right| left.grams == right.grams);
        let mut found: Option<DocSet> = None;
        for window in &windows {
            if let Some(found) = &found
                && window.cost > u64::from(found.count()) * LIST_BYTES_A_CANDIDATE
            {
                break;
            }
            narrow(&mut found, self.window(window)?);
        }
        for part in parts.iter().filter(|part| !matches!(part, Need::Seq(_))) {
            if found.as_ref().is_some_and(|found| found.count() == 0) {
                break;
            }
            if let Some(set) = self.of(part)? {
                narrow(&mut found, set);
            }
        }
        Ok(found)
    }

    fn any(&self, parts: &[Need]) -> Result<Option<DocSet>, DecodeError> {
        let mut found = DocSet::empty(self.segment.piece_count());
        for part in parts {
            match self.of(part)? {
                Some(set) => found.unite(&set),
                None => return Ok(None),
            }
        }
        Ok(Some(found))
    }

    fn windows(&self, sets: &[ByteSet], out: &mut Vec<Window>) -> Result<(), DecodeError> {
        let classes: Vec<Vec<u8>> = sets.iter().map(classes_of).collect();
        for window in classes.windows(3) {
            let count: usize = window.iter().map(Vec::len).product();
            // A character that no gram holds may stand there: then no gram needs to be there.
            let may_be_left_out = window.iter().any(|classes| classes.contains(&NO_CLASS));
            if count == 0 || count > WINDOW_GRAMS_MAX || may_be_left_out {
                continue;
            }
            let mut window_grams = Vec::with_capacity(count);
            for &first in &window[0] {
                for &second in &window[1] {
                    window_grams.extend(window[2].iter().map(|&third| gram(first, second, third)));
                }
            }
            let mut cost = 0;
            for &gram in &window_grams {
                cost += self.segment.list_len(gram)?;
            }
            out.push(Window { cost, grams: window_grams });
        }
        Ok(())
    }

    fn window(&self, window: &Window) -> Result<DocSet, DecodeError> {
        let mut set = DocSet::empty(self.segment.piece_count());
        for &gram in &window.grams {
            self.segment.decode(gram, &mut set)?;
        }
        for pieces in &self.files {
            if set.any_in(pieces.clone()) {
                set.insert_range(pieces.clone());
            }
        }
        Ok(set)
    }
}

fn narrow(found: &mut Option<DocSet>, set: DocSet) {
    match found {
        Some(found) => found.intersect(&set),
        None => *found = Some(set),
    }
}

/// The classes of a set's bytes, increasing.
fn classes_of(set: &ByteSet) -> Vec<u8> {
    let mut classes: Vec<u8> = set.iter().map(|byte| CLASSES[byte as usize]).collect();
    classes.sort_unstable();
    classes.dedup();
    classes
}
