//! Source trees, plain files and standard input in a call: their files.

use std::path::PathBuf;
use std::time::Duration;

use anyhow::Result;
use manicule::cache::Cache;
use manicule::code::tree::{IndexUse, Order, Request, Rules, visit};
use manicule::kinds::notice;

use super::joint::{Done, Job, Searched};
use crate::find::call::Call;
use crate::find::sorted::{Ties, visit_sorted};
use crate::flags::{Mode, Sort, SortKey};
use crate::messages::{InvokedAs, Messages};

/// The trees of a call.
#[derive(Default)]
pub(super) struct Trees {
    paths: Vec<PathBuf>,
}

impl Searched for Trees {
    /// The engine opens them during its walk, and the visitors report failures.
    fn open(&mut self, paths: &[PathBuf], _: &Call, _: &Messages) -> Result<()> {
        self.paths = paths.to_vec();
        Ok(())
    }

    fn visit(&self, job: &Job<'_>) -> Result<Done> {
        let (call, request) = (job.call, request(job.call, &self.paths));
        let outcome = match late_sort(call) {
            Some(sort) => visit_sorted(&request, sort, ties(call), job.visitor),
            None => visit(&request, &|| (job.visitor)()),
        };
        let (upkeep, noticed) = (outcome.upkeep, outcome.noticed);
        Ok(Done { receipt: outcome.receipt.fields(), upkeep, noticed })
    }

    /// Files that an index excludes count as searched.
    fn explains_none(&self) -> bool {
        false
    }
}

/// The engine's request. **The one place where a [`Request`] is made**.
fn request(call: &Call, paths: &[PathBuf]) -> Request {
    let sorts_by_path = call.options.sort == Some(Sort { key: SortKey::Path, reverse: false });
    Request {
        paths: paths.to_vec(),
        rules: rules(call),
        order: if sorts_by_path { Order::Path } else { Order::Any },
        threads: call.threads,
        look: call.look(),
        index: index_use(call),
        notice: (call.invoked_as == InvokedAs::Manicule).then(notice),
    }
}

/// The order that the engine's walk doesn't give, so that files are collected and sorted first.
fn late_sort(call: &Call) -> Option<Sort> {
    call.options.sort.filter(|sort| sort.reverse || sort.key != SortKey::Path)
}

/// The order of files of one time: a call as `rg` gets ripgrep's.
fn ties(call: &Call) -> Ties {
    match call.invoked_as {
        InvokedAs::Manicule => Ties::ByName,
        InvokedAs::Ripgrep => Ties::AsWalked,
    }
}

fn index_use(call: &Call) -> Option<IndexUse> {
    // Only the walk knows for each file why it is left out, and a call that asks for that may take
    // longer.
    let is_explained = call.options.logging.is_some();
    let sorts_by_time = call.options.sort.is_some_and(|sort| sort.key != SortKey::Path);
    let wants_walk = is_explained || (sorts_by_time && ties(call) == Ties::AsWalked);
    let cache = Cache::of_user().filter(|_| !call.options.no_index && !wants_walk)?;
    Some(cache.index_use(call.options.max_age_seconds.map(Duration::from_secs)))
}

fn rules(call: &Call) -> Rules {
    let options = &call.options;
    Rules {
        current_dir: call.current_dir.clone(),
        skip_hidden: !options.hidden,
        dot_ignore: !options.no_ignore_dot,
        git_ignore: !options.no_ignore_vcs,
        git_exclude: !options.no_ignore_vcs && !options.no_ignore_exclude,
        git_global: !options.no_ignore_vcs && !options.no_ignore_global,
        require_git: !options.no_require_git,
        parents: !options.no_ignore_parent,
        ignore_case_insensitive: options.ignore_file_case_insensitive,
        ignore_files: if options.no_ignore_files {
            Vec::new()
        } else {
            options.ignore_files.clone()
        },
        overrides: call.globs.clone(),
        types: call.types.clone(),
        follow: options.follow,
        max_depth: options.max_depth,
        max_filesize: options.max_filesize,
        one_file_system: options.one_file_system,
        skip_stdout: matches!(call.mode, Mode::Search(_)),
        left_out: call.deal.left_out(),
    }
}
