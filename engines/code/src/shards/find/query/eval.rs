//! Evaluation of a query on a document: whether it matches, and where its words do.

use std::cell::{Cell, OnceCell};
use std::collections::HashMap;
use std::ops::Range;
use std::sync::Mutex;

use manicule_core::bytes::DecodeError;
use manicule_store::threads::lock;

use super::super::super::open::ShardError;
use super::super::files::OpenShard;
use super::super::run::{Document, Visit};
use super::answer::{Answer, Found, Hear, Leaf};
use super::expr::{Expr, OfRepository, Query, Texts, branch_mask};
use super::text::Text;
use super::windows::{LineHits, WINDOW_LEN, Windows};
use crate::tree::Flow;

/// What all judges of a call share.
pub(super) struct Shared<'s> {
    pub(super) query: &'s Query,
    /// For each shard the atom whose matches all overlap the documents' places.
    pub(super) sources: &'s [Option<usize>],
    /// Documents have their contents: names are not all that is looked at.
    pub(super) has_content: bool,
    /// The first damage that was found in symbols or contents.
    pub(super) failure: &'s Mutex<Option<ShardError>>,
}

/// A visitor that judges documents, and reports those that match.
pub(super) struct Judge<'j> {
    shared: &'j Shared<'j>,
    hearer: Box<dyn Hear + 'j>,
    matches: Vec<Range<usize>>,
    name_matches: Vec<Range<usize>>,
    collected: Collected,
}

impl<'j> Judge<'j> {
    pub(super) fn new(shared: &'j Shared<'j>, hearer: Box<dyn Hear + 'j>) -> Self {
        let (matches, name_matches) = (Vec::new(), Vec::new());
        Judge { shared, hearer, matches, name_matches, collected: Collected::default() }
    }
}

impl Visit for Judge<'_> {
    fn document(&mut self, document: &Document<'_>) -> Flow {
        let source = match document.places {
            [] => None,
            _ => self.shared.sources[document.shard_number],
        };
        let case = Case::new(self.shared, document, source);
        let holds = case.holds(&self.shared.query.expr);
        let collected = &mut self.collected;
        collected.clear();
        if holds {
            case.collect(&self.shared.query.expr, collected);
        }
        if let Err(error) = case.check(holds) {
            lock(self.shared.failure).get_or_insert(error);
            return Flow::Quit;
        }
        if !holds {
            return Flow::Continue;
        }
        settle(&mut collected.content);
        settle(&mut collected.name);
        let ranges = |found: &[Found], ranges: &mut Vec<Range<usize>>| {
            ranges.clear();
            ranges.extend(found.iter().map(|found| found.range.clone()));
        };
        ranges(&collected.content, &mut self.matches);
        ranges(&collected.name, &mut self.name_matches);
        if !self.matches.is_empty() {
            self.name_matches.clear();
        }
        let own = document.shard.shard().branch_mask(document.number);
        self.hearer.answer(&Answer {
            document,
            matches: &self.matches,
            name_matches: &self.name_matches,
            found: &collected.content,
            found_in_name: &collected.name,
            leaves: &collected.leaves,
            branches: collected.branches.unwrap_or(own),
        })
    }

    fn is_done_with(&self, shard: usize) -> bool {
        self.hearer.is_done_with(shard)
    }

    fn range_end(&mut self, number: usize) {
        self.hearer.range_end(number);
    }
}

/// Evidence of a document that matches.
#[derive(Default)]
struct Collected {
    content: Vec<Found>,
    name: Vec<Found>,
    leaves: Vec<Leaf>,
    /// The branches that were asked for.
    branches: Option<u64>,
    /// For shards and properties of repositories whether [`is_constant`] holds; they stay from
    /// document to document. A property goes by its place in memory.
    constants: HashMap<(usize, usize), bool>,
}

impl Collected {
    fn clear(&mut self) {
        self.content.clear();
        self.name.clear();
        self.leaves.clear();
        self.branches = None;
    }
}

/// Puts matches in order, longer ones first; what overlaps one before it is dropped.
fn settle(matches: &mut Vec<Found>) {
    matches.sort_by(|left, right| {
        let (left, right) = (&left.range, &right.range);
        left.start.cmp(&right.start).then(right.end.cmp(&left.end))
    });
    let mut end = 0;
    let mut last_start = None;
    matches.retain(|found| {
        let keeps = found.range.start >= end && last_start != Some(found.range.start);
        if keeps {
            end = found.range.end;
            last_start = Some(found.range.start);
        }
        keeps
    });
}

/// Where an atom matches in one document, as far as that was asked.
#[derive(Clone, Default)]
struct Known {
    in_content: OnceCell<bool>,
    in_name: OnceCell<bool>,
    in_symbols: OnceCell<bool>,
}

/// Facts known so far of one document.
struct Case<'c> {
    query: &'c Query,
    document: &'c Document<'c>,
    source: Option<usize>,
    has_content: bool,
    /// Its content was read.
    is_read: Cell<bool>,
    content: Text<'c>,
    name: Text<'c>,
    /// What is known of each atom.
    atoms: Vec<Known>,
    symbols: OnceCell<Result<Vec<Range<u32>>, DecodeError>>,
}

impl<'c> Case<'c> {
    fn new(shared: &'c Shared<'c>, document: &'c Document<'c>, source: Option<usize>) -> Self {
        let Shared { query, has_content, .. } = *shared;
        Case {
            query,
            document,
            source,
            has_content,
            is_read: Cell::new(false),
            content: Text::new(document.content),
            name: Text::new(document.name),
            atoms: vec![Known::default(); query.atoms.len()],
            symbols: OnceCell::new(),
        }
    }

    /// Whether what was read is right: the symbols, and the content by its checksum, also where
    /// only the receiver of an answer will read it. Compared after the search, a content is read
    /// from memory once, while the search computes.
    fn check(&self, is_answer: bool) -> Result<(), ShardError> {
        if let Some(Err(error)) = self.symbols.get() {
            return Err(self.document.shard.damaged(error.clone()));
        }
        let reads = self.has_content && (is_answer || self.is_read.get());
        if reads { self.document.check() } else { Ok(()) }
    }

    /// The content of the document, about to be read.
    fn content(&self) -> &'c [u8] {
        self.is_read.set(true);
        self.document.content
    }

    fn holds(&self, expr: &Expr) -> bool {
        match expr {
            Expr::Const(value) => *value,
            // Content is dear: what can be decided without it is asked first.
            Expr::All(parts) => {
                let (dear, cheap) = split(parts);
                cheap.into_iter().chain(dear).all(|part| self.holds(part))
            }
            Expr::Any(parts) => {
                let (dear, cheap) = split(parts);
                cheap.into_iter().chain(dear).any(|part| self.holds(part))
            }
            Expr::Not(inner) => !self.holds(inner),
            Expr::Unshown(inner) => self.holds(inner),
            Expr::Language(language) => language.is(self.document.language()),
            Expr::Repository(property) => {
                self.document.repository().is_some_and(|own| property.holds(own))
            }
            Expr::Branch(text) => {
                let own = self.document.shard.shard().branch_mask(self.document.number);
                self.asked_branches(text) & own != 0
            }
            Expr::InRepository(_) => unreachable!("it was answered before documents are looked at"),
            Expr::Content(number) => {
                *self.atoms[*number].in_content.get_or_init(|| self.content_holds(*number))
            }
            Expr::Name(number) => {
                let holds = || self.name.is_match(&self.query.atoms[*number]);
                *self.atoms[*number].in_name.get_or_init(holds)
            }
            Expr::Symbol(number) => {
                *self.atoms[*number].in_symbols.get_or_init(|| self.symbols_hold(*number))
            }
        }
    }

    fn asked_branches(&self, text: &str) -> u64 {
        self.document.repository().map_or(0, |own| branch_mask(own, text))
    }

    /// The lines to look at: those that hold a place, or what each match holds; where that is
    /// enough.
    fn windows(&self, number: usize) -> Option<Windows<'c>> {
        let atom = &self.query.atoms[number];
        let content = self.content();
        let knows_places = self.source == Some(number)
            && atom.by_line
            && self.document.places.len() * WINDOW_LEN < content.len();
        let hits = match (&atom.rare, knows_places) {
            (_, true) => LineHits::Places(self.document.places),
            (Some(rare), false) => LineHits::Text(rare),
            (None, false) => return None,
        };
        Some(Windows::new(content, hits))
    }

    fn content_holds(&self, number: usize) -> bool {
        let atom = &self.query.atoms[number];
        match self.windows(number) {
            Some(mut windows) => {
                windows.any(|line| Text::new(&self.content()[line]).is_match(atom))
            }
            None => self.content.is_match(atom),
        }
    }

    fn content_matches(&self, number: usize, matches: &mut Vec<Found>) {
        let atom = &self.query.atoms[number];
        let mut take = |start: usize, found: Range<usize>| {
            let range = start + found.start..start + found.end;
            matches.push(Found { range, atom: number, symbol: None });
        };
        match self.windows(number) {
            None => self.content.matches(atom, |found| take(0, found)),
            Some(windows) => {
                for line in windows {
                    let start = line.start;
                    Text::new(&self.content()[line]).matches(atom, |found| take(start, found));
                }
            }
        }
    }

    /// The document's symbols; none where they can't be read, which the judge reports.
    fn symbols(&self) -> &[Range<u32>] {
        let read = || self.document.shard.shard().symbol_ranges(self.document.number);
        self.symbols.get_or_init(read).as_deref().unwrap_or_default()
    }

    fn symbols_hold(&self, number: usize) -> bool {
        let atom = &self.query.atoms[number];
        self.symbols().iter().any(|symbol| atom.matches(&self.content()[place(symbol)]))
    }

    /// The matches in symbols: of a text each, of a pattern the first in each symbol.
    fn symbol_matches(&self, number: usize, matches: &mut Vec<Found>) {
        let atom = &self.query.atoms[number];
        for (index, symbol) in self.symbols().iter().enumerate() {
            let text = Text::new(&self.content()[place(symbol)]);
            let start = symbol.start as usize;
            let mut take = |found: Range<usize>| {
                // What matches the empty text means the symbol.
                let range = if found.is_empty() {
                    place(symbol)
                } else {
                    start + found.start..start + found.end
                };
                matches.push(Found { range, atom: number, symbol: Some(index as u32) });
            };
            match atom.texts {
                Texts::One(_) => text.matches(atom, take),
                Texts::Several | Texts::Pattern => text.first(atom).into_iter().for_each(&mut take),
            }
        }
    }

    /// The matches of all atoms that made the query true.
    fn collect(&self, expr: &Expr, collected: &mut Collected) {
        match expr {
            Expr::All(parts) | Expr::Any(parts) => {
                for part in parts.iter().filter(|part| self.holds(part)) {
                    self.collect(part, collected);
                }
            }
            Expr::Content(number) => {
                collected.leaves.push(Leaf::Content(*number));
                self.content_matches(*number, &mut collected.content);
            }
            Expr::Name(number) => {
                collected.leaves.push(Leaf::Name(*number));
                self.name.matches(&self.query.atoms[*number], |range| {
                    collected.name.push(Found { range, atom: *number, symbol: None });
                });
            }
            Expr::Symbol(number) => {
                collected.leaves.push(Leaf::Symbol(*number));
                self.symbol_matches(*number, &mut collected.content);
            }
            Expr::Branch(text) => {
                collected.leaves.push(Leaf::Filter);
                *collected.branches.get_or_insert(0) |= self.asked_branches(text);
            }
            Expr::Language(_) => collected.leaves.push(Leaf::Filter),
            Expr::Repository(property) => {
                let shard_number = self.document.shard_number;
                let key = (shard_number, std::ptr::from_ref(property).addr());
                let own = || is_constant(self.document.shard, property);
                if !*collected.constants.entry(key).or_insert_with(own) {
                    collected.leaves.push(Leaf::Filter);
                }
            }
            Expr::Const(_) | Expr::Not(_) | Expr::Unshown(_) | Expr::InRepository(_) => {}
        }
    }
}

/// Whether a property that holds for a repository of a shard holds for all of them: then nothing is
/// asked of its documents.
fn is_constant(open: &OpenShard<'_>, property: &OfRepository) -> bool {
    let repositories = open.shard().repositories();
    let mut live = repositories.iter().filter(|repository| !repository.tombstone);
    repositories.len() == 1 || live.all(|repository| property.holds(repository))
}

fn place(symbol: &Range<u32>) -> Range<usize> {
    symbol.start as usize..symbol.end as usize
}

/// Splits parts into those that need the content and those that don't.
fn split(parts: &[Expr]) -> (Vec<&Expr>, Vec<&Expr>) {
    fn is_dear(part: &Expr) -> bool {
        match part {
            Expr::Content(_) | Expr::Symbol(_) => true,
            Expr::All(parts) | Expr::Any(parts) => parts.iter().any(is_dear),
            Expr::Not(inner) | Expr::Unshown(inner) => is_dear(inner),
            _ => false,
        }
    }
    parts.iter().partition(|part| is_dear(part))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn overlaps_are_dropped_from_the_left_longer_ones_first() {
        let found = |range: Range<usize>| Found { range, atom: 0, symbol: None };
        let mut matches = [4..6, 0..2, 1..3, 0..3, 3..3, 6..6].map(found).to_vec();
        settle(&mut matches);
        assert_eq!(matches, [0..3, 3..3, 4..6, 6..6].map(found));
    }
}
