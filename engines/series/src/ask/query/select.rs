//! Matchers into the series that satisfy all of them, by their posting lists.

use std::borrow::Cow;
use std::ops::RangeInclusive;

use manicule_core::bytes::{DecodeError, FileBytes};
use manicule_core::postings::{Found, Increasing, increasing};
use manicule_format_prometheus::{Index, SeriesRef};

use super::ahead::each_series;
use super::terms::Term;
use super::{Check, Work, remote};
use crate::ask::matcher::Matcher;

/// Series of one index, in its order: by their labels, from version 2 on.
#[derive(Clone, Debug)]
pub struct Selection<'i> {
    found: Found<'i>,
}

impl<'i> Selection<'i> {
    /// Number of series.
    pub fn len(&self) -> usize {
        self.found.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.found.is_empty()
    }

    /// Whether a series is among them.
    pub fn contains(&self, series: SeriesRef) -> bool {
        self.found.contains(series.0)
    }

    /// The series.
    #[inline]
    pub fn iter(&self) -> impl Iterator<Item = SeriesRef> + '_ {
        self.found.iter().map(SeriesRef)
    }

    /// Union with `other`.
    #[must_use]
    pub fn unite(self, other: Self) -> Self {
        Selection { found: self.found.or(other.found) }
    }

    /// The series, increasing.
    pub fn into_refs(self) -> Vec<SeriesRef> {
        self.iter().collect()
    }

    /// Their numbers as a set that lists can be compared with.
    pub fn found(&self) -> &Found<'i> {
        &self.found
    }
}

impl<'i> From<Found<'i>> for Selection<'i> {
    fn from(found: Found<'i>) -> Self {
        Selection { found }
    }
}

/// The series that satisfy all matchers; without a matcher none. A single matcher `""=""` selects
/// all series.
pub fn select<'i, B: FileBytes>(
    index: &'i Index<B>,
    matchers: &[Matcher],
    work: &mut Work,
) -> Result<Selection<'i>, DecodeError> {
    let found = match matchers {
        [] => Found::EMPTY,
        [all] if all.name().is_empty() && all.value().is_empty() => all_series(index, work)?,
        _ => Search { index, work }.run(matchers)?,
    };
    Ok(Selection { found })
}

/// References of the series that satisfy all matchers; without a matcher of all series, in the
/// order of their list.
pub(crate) fn refs_of<B: FileBytes>(
    index: &Index<B>,
    matchers: &[Matcher],
) -> Result<Vec<SeriesRef>, DecodeError> {
    match matchers {
        [] => Ok(index.all_postings()?.iter().collect()),
        _ => Ok(select(index, matchers, &mut Work::default())?.into_refs()),
    }
}

fn all_series<'i, B: FileBytes>(
    index: &'i Index<B>,
    work: &mut Work,
) -> Result<Found<'i>, DecodeError> {
    Ok(Found::List(Cow::Borrowed(work.read(index.all_postings()?))))
}

struct Search<'i, 'w, B> {
    index: &'i Index<B>,
    work: &'w mut Work,
}

impl<'i, B: FileBytes> Search<'i, '_, B> {
    fn run(&mut self, matchers: &[Matcher]) -> Result<Found<'i>, DecodeError> {
        let mut terms = Vec::with_capacity(matchers.len());
        for matcher in matchers {
            let term = Term::new(self.index, matcher);
            match (term.wants, term.pairs_max()) {
                (true, 0) => return Ok(Found::EMPTY),
                // Nothing to take away.
                (false, 0) => {}
                _ => terms.push(term),
            }
        }
        if !self.index.file().is_whole() {
            remote::plan(self.index, &mut terms)?;
        }
        let mut found = self.single_lists(&mut terms)?;
        // First what is wanted, then what is taken away; of each the cheap ones first.
        terms.sort_by_key(|term| (term.unread_len, !term.wants, term.pairs_max()));
        let mut late = Vec::new();
        for term in &terms {
            found = Some(match found {
                Some(found) if found.is_empty() => return Ok(found),
                Some(found) if is_small(&found, term) || is_dear(&found, term) => {
                    late.push(term);
                    found
                }
                Some(found) => {
                    remote::bring(self.index, term)?;
                    self.apply(found, term)?
                }
                None if term.wants => self.unite(term, None)?,
                None => {
                    let all = all_series(self.index, self.work)?;
                    self.apply(all, term)?
                }
            });
        }
        let found = found.map_or_else(|| all_series(self.index, self.work), Ok)?;
        match &late[..] {
            [] => Ok(found),
            late => self.ask_series(&found, late),
        }
    }

    /// The intersection of the terms that want one list, which are taken out; `None` if there is no
    /// such term.
    fn single_lists(
        &mut self,
        terms: &mut Vec<Term<'_>>,
    ) -> Result<Option<Found<'i>>, DecodeError> {
        let mut lists: Vec<&'i Increasing> = Vec::new();
        let mut error = None;
        terms.retain(|term| {
            match term.only_pair().filter(|_| term.wants && term.unread_len.is_none()) {
                None => true,
                Some(pair) => {
                    match self.index.postings(pair) {
                        Ok(list) => lists.push(self.work.read(list)),
                        Err(failed) => error = Some(failed),
                    }
                    false
                }
            }
        });
        if let Some(error) = error {
            return Err(error);
        }
        lists.sort_unstable_by_key(|list| list.len());
        let (Some(first), rest) = (lists.first(), lists.get(1..).unwrap_or_default()) else {
            return Ok(None);
        };
        let found = Found::List(Cow::Borrowed(*first));
        let and = |found: Found<'i>, list: &&'i Increasing| {
            found.intersect(&Found::List(Cow::Borrowed(*list)))
        };
        Ok(Some(rest.iter().fold(found, and)))
    }

    fn apply(&mut self, found: Found<'i>, term: &Term<'_>) -> Result<Found<'i>, DecodeError> {
        let Some((first, last)) = found.ends() else { return Ok(found) };
        let lists = self.unite(term, Some(first..=last))?;
        Ok(if term.wants { found.intersect(&lists) } else { found.subtract(&lists) })
    }

    /// The series of the term's pairs, of a range or all.
    fn unite(
        &mut self,
        term: &Term<'_>,
        range: Option<RangeInclusive<u32>>,
    ) -> Result<Found<'i>, DecodeError> {
        let mut lists: Vec<&'i Increasing> = Vec::new();
        let index = self.index;
        term.each_pair(index, self.work, &mut |pair, work| {
            let list = work.read(index.postings(pair)?);
            lists.push(match &range {
                Some(range) => increasing::narrow(list, *range.start(), *range.end()),
                None => list,
            });
            Ok::<_, DecodeError>(())
        })?;
        Ok(Found::unite(&lists))
    }

    /// Those of a few series whose labels satisfy the terms' matchers.
    fn ask_series(
        &mut self,
        found: &Found<'i>,
        terms: &[&Term<'_>],
    ) -> Result<Found<'i>, DecodeError> {
        let mut check = Check::new(self.index, terms.iter().map(|term| term.matcher));
        let (index, mut kept) = (self.index, Vec::new());
        let mut ask = |series: SeriesRef| {
            if check.satisfies(index, series)? {
                kept.push(series.0.to_be_bytes());
            }
            Ok(())
        };
        self.work.series_decoded += found.len() as u64;
        if index.file().is_whole() {
            found.iter().try_for_each(|series| ask(SeriesRef(series)))?;
        } else {
            let series: Vec<_> = found.iter().map(SeriesRef).collect();
            each_series(index, &series, &mut ask)?;
        }
        Ok(Found::List(Cow::Owned(kept)))
    }
}

/// Whether lists that were not brought are longer than the entries of the series that are left.
fn is_dear(found: &Found<'_>, term: &Term<'_>) -> bool {
    term.unread_len.is_some_and(|len| remote::is_longer(len, found.len() as u64))
}

/// Whether so few series are left that asking them costs less than reading the term's lists.
fn is_small(found: &Found<'_>, term: &Term<'_>) -> bool {
    match found {
        Found::List(list) => term.is_asked_of(list.len() as u64),
        Found::Bits(_) => false,
    }
}
