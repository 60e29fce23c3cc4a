//! restic repositories among the paths of a search: names of files and folders in place of lines.
//!
//! Each path is found once, however many snapshots have it:
//!
//! ```text
//! backups: /srv/fleet/anvil/etc/1.conf (5 snapshots, 2026-01-01 90b1ecba to 2026-01-10 de696bad)
//! ```
//!
//! A name is matched; a pattern with `/` in it is looked for in the whole path too, so that a found
//! path finds itself.

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use super::places::{Ask, Gaps, Place, Take};
use super::refusals::{FilesOption, Order, Refusals};
use crate::blobs::paths::{PathRow, PathsCall, PathsCounts};
use crate::blobs::{self, Ahead, OpenCall};
use crate::code::shards::find::Admit;
use crate::failure::Failure;
use crate::find::face::Face;
use crate::find::hit::Item;
use crate::find::search::Search;
use crate::kinds::System;

/// A repository, which is opened when it is searched: that takes a password, which a list of paths
/// doesn't.
pub(crate) struct Repository {
    path: PathBuf,
}

impl Place for Repository {
    type Counts = PathsCounts;

    const FIELDS: fn(&Self::Counts) -> Vec<(&'static str, u64)> = Self::Counts::fields;
    const REFUSALS: Refusals = Refusals {
        has: "a restic repository has names and paths",
        files: &[FilesOption::Depth, FilesOption::Size],
        order: Order::Own("the paths of a restic repository come in their order only"),
    };
    const SYSTEM: System = System::RESTIC;

    fn open(given: &Path, _: &Search, _: &dyn Face) -> Result<Vec<Self>, Failure> {
        Ok(vec![Repository { path: given.to_owned() }])
    }

    fn path(&self) -> &Path {
        &self.path
    }

    fn named_by(&self) -> Option<PathBuf> {
        Some(self.path.clone())
    }

    fn search(
        &self,
        ask: &Ask<'_>,
        counts: &mut PathsCounts,
        take: &mut Take<'_>,
    ) -> Result<Gaps, Failure> {
        let search = ask.search;
        let opened = OpenCall {
            path: self.path.clone(),
            password: search.passwords.of(&self.path)?,
            key_hint: None,
            threads: search.threads,
            index_cache: search.index_cache.clone(),
            ahead: Ahead::Index,
        };
        let caused = |error: blobs::Error| Failure::with_causes(error.class(), &error);
        let opened = blobs::Repository::open(&opened).map_err(caused)?;
        let snapshots = opened.snapshots(ask.watch).map_err(caused)?;
        let is_match = |text: &[u8]| ask.texts.is_match(text);
        let (with_paths, is_inverted) = (search.patterns.has_any(&['/']), ask.is_inverted());
        let call = PathsCall { is_match: &is_match, with_paths, is_inverted };
        let (globs, types) = (search.rules.overrides.clone(), search.rules.types.clone());
        let admit = Admit { globs, types, max_filesize: None };
        let taken = |row: PathRow<'_>| {
            // As of a tree at the root: a glob `/srv/a` means what it says.
            if admit.admits_name(row.path.strip_prefix(b"/").unwrap_or(row.path)) {
                take(Item::Path(&row))
            } else {
                ControlFlow::Continue(())
            }
        };
        opened.paths(&snapshots, &call, counts, ask.watch, taken).map_err(caused)
    }
}
