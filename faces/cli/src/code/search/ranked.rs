//! Answers by their scores: all are found before the first is printed.

use std::ops::Range;

use anyhow::Result;
use manicule::code::search::{FileMatch, Fragment, LineMatch, Matches, RankLimits, Ranking};
use manicule::code::shards::find::OpenShard;

use super::printer::{Printer, Renderer, Seen};

/// Counts of all that matches, printed or not.
#[derive(Clone, Copy, Debug)]
pub(super) struct Totals {
    pub(super) documents: u64,
    pub(super) matches: u64,
}

/// Prints the best documents.
pub(super) fn print(
    shards: &[OpenShard<'_>],
    ranking: Ranking<'_>,
    limits: &RankLimits,
    mut renderer: Renderer,
    printer: &mut Printer<'_>,
) -> Result<Totals> {
    let (documents, matches) = (ranking.files.len() as u64, ranking.match_count());
    for (number, file) in ranking.best(limits)?.iter().enumerate() {
        let document = file.document(shards)?;
        let places = Places::of(file);
        renderer.render(&Seen {
            document: &document,
            matches: &places.content,
            name_matches: &places.name,
            file: Some(file),
        })?;
        if !printer.put(number, renderer.take()) {
            break;
        }
    }
    Ok(Totals { documents, matches })
}

/// Where the matches of a document are, increasing.
struct Places {
    content: Vec<Range<usize>>,
    name: Vec<Range<usize>>,
}

impl Places {
    fn of(file: &FileMatch) -> Places {
        let Matches::Lines(lines) = &file.matches else {
            return Places { content: Vec::new(), name: Vec::new() };
        };
        let mut lines: Vec<&LineMatch> = lines.iter().collect();
        lines.sort_by_key(|line| line.number);
        let (name, content): (Vec<&LineMatch>, Vec<&LineMatch>) =
            lines.into_iter().partition(|line| line.number == 0);
        let places = |lines: Vec<&LineMatch>| {
            let parts = lines.into_iter().flat_map(|line| &line.fragments);
            parts.map(|part: &Fragment| part.range.clone()).collect()
        };
        let name = if file.is_unshown { Vec::new() } else { name };
        Places { content: places(content), name: places(name) }
    }
}
