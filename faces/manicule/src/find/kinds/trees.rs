//! Source trees, plain files and standard input in a search: their files, and objects of stores.

use std::path::PathBuf;

use super::joint::{Job, Searched};
use super::objects;
use crate::code::tree::{Order, Request, visit};
use crate::failure::Failure;
use crate::find::face::Face;
use crate::find::look::look;
use crate::find::search::{Done, Search};
use crate::find::sorted::{Sort, SortKey, visit_sorted};

/// The trees of a search.
#[derive(Default)]
pub(in crate::find) struct Trees {
    paths: Vec<PathBuf>,
    addresses: Vec<PathBuf>,
}

impl Searched for Trees {
    /// The engine opens them during its walk, and the visitors report failures.
    fn open(&mut self, paths: &[PathBuf], search: &Search, _: &dyn Face) -> Result<(), Failure> {
        let is_remote = |path: &PathBuf| search.deal.lies_at(path).is_some();
        (self.addresses, self.paths) = paths.iter().cloned().partition(is_remote);
        if self.addresses.is_empty() { Ok(()) } else { objects::refusal(search) }
    }

    fn visit(&self, job: &Job<'_>) -> Result<Done, Failure> {
        let mut done = Done::default();
        if !self.paths.is_empty() {
            done.add(self.visit_files(job)?);
        }
        if !self.addresses.is_empty() && !job.face.is_over() {
            done.add(objects::visit(&self.addresses, job)?);
        }
        Ok(done)
    }

    /// Files that an index excludes count as searched.
    fn explains_none(&self) -> bool {
        false
    }
}

impl Trees {
    fn visit_files(&self, job: &Job<'_>) -> Result<Done, Failure> {
        let (search, face) = (job.search, job.face);
        let request = request(search, &self.paths);
        let outcome = match late_sort(search) {
            Some(sort) => visit_sorted(&request, sort, search.ties, job.watch, &|| face.visitor()),
            None => visit(&request, job.watch, &|| face.visitor()),
        };
        job.watch.check()?;
        let (upkeep, noticed) = (outcome.upkeep, outcome.noticed);
        Ok(Done { receipt: outcome.receipt.fields(), upkeep, noticed })
    }
}

/// The engine's request. **The one place where a [`Request`] is made**.
fn request(search: &Search, paths: &[PathBuf]) -> Request {
    let sorts_by_path = search.sort == Some(Sort { key: SortKey::Path, reverse: false });
    Request {
        paths: paths.to_vec(),
        rules: search.rules.clone(),
        order: if sorts_by_path { Order::Path } else { Order::Any },
        threads: search.threads,
        look: look(search),
        index: search.index.clone(),
        notice: search.notice,
    }
}

/// The order that the engine's walk doesn't give, so that files are collected and sorted first.
fn late_sort(search: &Search) -> Option<Sort> {
    search.sort.filter(|sort| sort.reverse || sort.key != SortKey::Path)
}
