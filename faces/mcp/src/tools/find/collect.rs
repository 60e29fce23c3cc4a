//! Hits of a search, gathered by file.

use std::collections::HashMap;
use std::ops::{ControlFlow, Range};
use std::path::Path;

use manicule::Failure;
use manicule::find::{Hit, Item, Patterns};
use serde::Serialize;

use super::score::{Score, of_hit};
use crate::budget;
use crate::places::Places;
use crate::roots::Roots;

/// Maximum number of hits of a ranked search: one of more is not ranked to its end.
pub(super) const HITS_MAX: u64 = 100_000;
/// Maximum number of failures and of notes that an answer lists.
const SAID_MAX: usize = 20;
/// Bytes of a text that are shown, about.
const SHOWN_LEN: usize = 300;
/// Bytes of it before the match.
const BEFORE_LEN: usize = 100;
/// Bytes of an answer beside its files.
const FRAME_LEN: usize = 400;

/// Whether a search goes on.
type Flow = ControlFlow<()>;

/// Something that matches.
#[derive(Debug, Serialize)]
pub(super) struct Shown {
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    place: Option<String>,
    text: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    cut: Option<bool>,
}

/// A file or index with hits.
#[derive(Debug, Serialize)]
pub(super) struct File {
    pub(super) path: String,
    pub(super) kind: &'static str,
    pub(super) hits: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) score: Option<i64>,
    pub(super) lines: Vec<Shown>,
    #[serde(skip)]
    pub(super) own: Score,
}

/// What is wanted of a search.
pub(super) struct Wanted<'c> {
    pub(super) places: &'c Places,
    pub(super) roots: &'c Roots,
    /// Lines that are kept of each file.
    pub(super) per_file: u64,
    /// Hits that are passed over: those of pages before.
    pub(super) skipped: u64,
    /// Bytes of the answer.
    pub(super) budget: usize,
    /// The patterns that files are ranked by; `None`: hits are taken in order until the budget is
    /// spent.
    pub(super) ranked: Option<Patterns>,
}

/// What a search has found so far.
pub(super) struct Collected<'c> {
    pub(super) wanted: Wanted<'c>,
    pub(super) files: Vec<File>,
    /// Files by paths as they came.
    by_path: HashMap<(Box<Path>, &'static str), usize>,
    /// Hits in the files.
    pub(super) hits: u64,
    /// Whether there may be more than was taken.
    pub(super) is_over: bool,
    pub(super) failures: Vec<String>,
    pub(super) notes: Vec<String>,
    /// Length of the answer as JSON.
    len: usize,
}

impl<'c> Collected<'c> {
    pub(super) fn new(wanted: Wanted<'c>) -> Self {
        Collected {
            wanted,
            files: Vec::new(),
            by_path: HashMap::new(),
            hits: 0,
            is_over: false,
            failures: Vec::new(),
            notes: Vec::new(),
            len: FRAME_LEN,
        }
    }

    pub(super) fn has_hits(&self) -> bool {
        self.hits > 0
    }

    /// Takes a hit. Whether more are wanted.
    pub(super) fn take(&mut self, hit: &Hit<'_>) -> Flow {
        if self.wanted.skipped > 0 {
            self.wanted.skipped -= 1;
            return ControlFlow::Continue(());
        }
        let text = hit.text();
        let matches = hit.matches_in(&text).unwrap_or_default();
        let key = (Box::from(hit.path), hit.system.word());
        let place = self.by_path.get(&key).copied();
        let fresh = if place.is_none() { Some(self.file(hit)) } else { None };
        let line_count = place.map_or(0, |at| self.files[at].lines.len() as u64);
        let line = (line_count < self.wanted.per_file).then(|| shown(hit, &text, &matches));
        self.len += fresh.as_ref().map_or(0, |file| budget::len(file) + 1);
        self.len += line.as_ref().map_or(0, |line| budget::len(line) + 1);
        let is_in_order = self.wanted.ranked.is_none();
        // The first is taken however small the budget is.
        if is_in_order && self.len > self.wanted.budget && self.hits > 0 {
            return self.enough();
        }
        let at = place.unwrap_or(self.files.len());
        if let Some(file) = fresh {
            self.files.push(file);
            self.by_path.insert(key, at);
        }
        let file = &mut self.files[at];
        file.lines.extend(line);
        file.hits += 1;
        self.hits += 1;
        if !is_in_order {
            file.own.add(of_hit(hit, &text, &matches));
        }
        ControlFlow::Continue(())
    }

    fn enough(&mut self) -> Flow {
        self.is_over = true;
        ControlFlow::Break(())
    }

    fn file(&self, hit: &Hit<'_>) -> File {
        let path = self.wanted.places.shown(hit.path, self.wanted.roots);
        let own = match &self.wanted.ranked {
            Some(patterns) => Score::of_path(&path, patterns),
            None => Score::default(),
        };
        let kind = hit.system.word();
        File { path, kind, hits: 0, score: None, lines: Vec::new(), own }
    }

    /// Takes a failure: the search goes on.
    pub(super) fn fail(&mut self, failure: &Failure) -> Flow {
        let said = self.wanted.places.said(&failure.to_string()).into_owned();
        say(&mut self.failures, said);
        ControlFlow::Continue(())
    }

    /// Takes a note.
    pub(super) fn note(&mut self, note: &str) -> Flow {
        let said = self.wanted.places.said(note).into_owned();
        say(&mut self.notes, said);
        ControlFlow::Continue(())
    }

    /// The search was ended by its watch.
    pub(super) fn stopped(&mut self) {
        self.is_over = true;
        say(
            &mut self.notes,
            "the search took longer than calls may: these are the hits until then".to_owned(),
        );
    }
}

fn say(list: &mut Vec<String>, text: String) {
    if list.len() < SAID_MAX {
        list.push(text);
    } else if list.len() == SAID_MAX {
        list.push("and more".to_owned());
    }
}

fn shown(hit: &Hit<'_>, text: &[u8], matches: &[Range<usize>]) -> Shown {
    let line = match hit.item {
        Item::Line(line) => Some(line.number),
        _ => None,
    };
    let place = hit.place().map(|place| place.into_owned());
    let text = match hit.item {
        Item::Document { .. } => "this file is not text, and matches".into(),
        _ => String::from_utf8_lossy(text),
    };
    // Lengths change where bytes are not UTF-8; a match is shown about where it was.
    let first = matches.first().map_or(0, |range| range.start);
    match part(&text, first) {
        Some(part) => Shown { line, place, text: part.to_owned(), cut: Some(true) },
        None => Shown { line, place, text: text.into_owned(), cut: None },
    }
}

/// The part of a long text around a match.
fn part(text: &str, first: usize) -> Option<&str> {
    if text.len() <= SHOWN_LEN {
        return None;
    }
    let start = first.saturating_sub(BEFORE_LEN).min(text.len() - SHOWN_LEN);
    let border = |at: usize| (0..=at).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
    let start = border(start);
    let end = border(start + SHOWN_LEN);
    Some(&text[start..end])
}
