//! A page of what a search has found.

use serde::Serialize;
use serde_json::{Map, Value};

use super::collect::{Collected, File};
use crate::budget;
use crate::cursor::Cursor;

/// The answer of `find`.
#[derive(Debug, Serialize)]
pub(super) struct Answer {
    files: Vec<File>,
    file_count: Option<u64>,
    hit_count: Option<u64>,
    complete: bool,
    next: Option<String>,
    failures: Vec<String>,
    notes: Vec<String>,
    receipt: Map<String, Value>,
}

impl Answer {
    /// The page at a cursor.
    pub(super) fn of(
        collected: Collected<'_>,
        is_ranked: bool,
        cursor: Cursor,
        budget: usize,
        receipt: Map<String, Value>,
    ) -> Answer {
        let Collected { wanted, files, hits, is_over, failures, notes, .. } = collected;
        let is_first = cursor.skipped == 0;
        let whole = (!is_over && (is_ranked || is_first)).then_some((files.len() as u64, hits));
        let mut answer = Answer {
            files: Vec::new(),
            file_count: whole.map(|(files, _)| files),
            hit_count: whole.map(|(_, hits)| hits),
            complete: false,
            next: None,
            failures,
            notes,
            receipt,
        };
        if is_ranked {
            answer.rank(files, cursor, budget);
            if is_over {
                answer.notes.push("not all was searched: narrow it, for a true order".to_owned());
            }
        } else {
            answer.files = files;
            answer.next = is_over.then(|| cursor.next(hits));
        }
        let is_shown = |file: &File| file.lines.len() as u64 == file.hits || wanted.per_file == 0;
        let is_all = answer.files.iter().all(is_shown);
        answer.complete = is_all && !is_over && answer.next.is_none() && is_first;
        answer
    }

    /// Takes the best files that come after the cursor and fit.
    fn rank(&mut self, mut files: Vec<File>, cursor: Cursor, budget: usize) {
        for file in &mut files {
            file.score = Some(file.own.total());
        }
        files.sort_by(|one, other| {
            other.score.cmp(&one.score).then_with(|| one.path.cmp(&other.path))
        });
        let skipped = usize::try_from(cursor.skipped).unwrap_or(usize::MAX);
        let mut left = budget.saturating_sub(budget::len(self) + NEXT_LEN);
        let mut rest = files.into_iter().skip(skipped);
        for mut file in rest.by_ref() {
            let is_first = self.files.is_empty();
            while is_first && file.lines.len() > 1 && budget::len(&file) > left {
                file.lines.pop();
            }
            let len = budget::len(&file) + 1;
            if len > left && !is_first {
                self.next = Some(cursor.next(self.files.len() as u64));
                return;
            }
            left = left.saturating_sub(len);
            self.files.push(file);
        }
    }
}

/// Length of a cursor.
const NEXT_LEN: usize = 40;
