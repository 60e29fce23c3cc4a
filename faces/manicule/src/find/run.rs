//! A search, run: the paths of each kind opened, then searched or listed, kind by kind.

use std::path::PathBuf;

use manicule_core::watch::Watch;

use super::face::Face;
use super::kinds::{Job, Searched, Trees};
use super::search::{Done, Search};
use super::sorted::{Sort, SortKey};
use crate::failure::Failure;
use crate::kinds::{System, row_of};

/// A search whose indexes are open.
pub struct Opened<'s> {
    search: &'s Search,
    kinds: Vec<Box<dyn Searched>>,
}

impl Search {
    /// Opens the paths dealt to each kind. An impossible option is the error of a search of one
    /// kind alone; with others, the search goes on without that kind.
    pub fn open(&self, face: &dyn Face) -> Result<Opened<'_>, Failure> {
        let is_alone = self.deal.paths.len() == 1;
        let runs = runs(self);
        let mut kinds = Vec::with_capacity(runs.len());
        for (system, paths) in runs {
            let mut kind = searched(system);
            match self.deal.lend(&paths, || kind.open(&paths, self, face)) {
                Err(refusal) if is_alone => return Err(refusal),
                Err(refusal) => face.failure(refusal),
                Ok(()) => {}
            }
            kinds.push(kind);
        }
        Ok(Opened { search: self, kinds })
    }
}

impl Opened<'_> {
    /// Searches or lists each kind in turn.
    ///
    /// # Errors
    /// That the watch has ended it; all else is reported to the face.
    pub fn visit(&self, face: &dyn Face, watch: &Watch<'_>) -> Result<Done, Failure> {
        let job = Job { search: self.search, face, watch };
        let mut all = Done::default();
        for kind in &self.kinds {
            watch.check()?;
            let done = kind.visit(&job)?;
            all.add(done);
        }
        Ok(all)
    }

    /// Whether there is a reason why no file was searched: an index has excluded all.
    pub fn explains_none(&self) -> bool {
        self.kinds.iter().any(|kind| kind.explains_none())
    }
}

/// A system's part in a search.
fn searched(system: System) -> Box<dyn Searched> {
    let make = row_of(system).and_then(|row| row.searched);
    make.map_or_else(|| Box::<Trees>::default() as _, |make| make())
}

/// The paths that are searched together, in the order in which results come: kind by kind, or
/// sorted by path as they are given, whatever their kinds.
fn runs(search: &Search) -> Vec<(System, Vec<PathBuf>)> {
    let sort = search.sort.filter(|sort| sort.key == SortKey::Path);
    match sort.filter(|_| search.deal.paths.len() > 1) {
        None => search.deal.paths.iter().map(|(system, paths)| (*system, paths.clone())).collect(),
        Some(Sort { reverse, .. }) => {
            let runs = search.deal.in_order();
            if reverse { backwards(runs) } else { runs }
        }
    }
}

/// All paths in the reverse order of their names; neighbours of one system together.
fn backwards(runs: Vec<(System, Vec<PathBuf>)>) -> Vec<(System, Vec<PathBuf>)> {
    let each =
        |(system, paths): (System, Vec<PathBuf>)| paths.into_iter().map(move |path| (path, system));
    let mut all: Vec<(PathBuf, System)> = runs.into_iter().flat_map(each).collect();
    all.sort_by(|left, right| right.cmp(left));
    let mut runs: Vec<(System, Vec<PathBuf>)> = Vec::new();
    for (path, system) in all {
        match runs.last_mut() {
            Some((last, paths)) if *last == system => paths.push(path),
            _ => runs.push((system, vec![path])),
        }
    }
    runs
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn backwards_is_by_name_however_the_paths_are_given() {
        let run = |system, paths: &[&str]| (system, paths.iter().map(PathBuf::from).collect());
        let given = vec![
            run(System::PLAIN, &["c"]),
            run(System::GRAPH, &["store"]),
            run(System::PLAIN, &["a", "b"]),
        ];
        let want = vec![run(System::GRAPH, &["store"]), run(System::PLAIN, &["c", "b", "a"])];
        assert_eq!(backwards(given), want);
    }
}
