//! restic repositories among the paths of a call: names of files and folders in place of lines.
//!
//! Each path is printed once, however many snapshots have it:
//!
//! ```text
//! backups: /srv/fleet/anvil/etc/1.conf (5 snapshots, 2026-01-01 90b1ecba to 2026-01-10 de696bad)
//! ```
//!
//! A name is matched; a pattern with `/` in it is looked for in the whole path too, so that a
//! printed path finds itself.

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use anyhow::{Result, anyhow};
use manicule::blobs::environment::password_of_variables;
use manicule::blobs::paths::{PathRow, PathsCall, PathsCounts};
use manicule::blobs::{self, Kept, OpenCall};
use manicule::code::shards::find::Admit;
use serde_json::{Value as Json, json};

use super::page::Rows;
use super::places::{Ask, Gaps, Hit, Place, Ranges, Take, own_or_whole};
use super::refusals::{FilesFlag, Order, Refusals};
use crate::find::call::Call;
use crate::find::matcher::Matcher;
use crate::messages::Messages;
use crate::units::counted;

/// A repository, which is opened when it is searched: that takes a password, which a list of paths
/// doesn't.
pub(super) struct Repository {
    path: PathBuf,
}

impl Place for Repository {
    type Counts = PathsCounts;

    const FIELDS: fn(&Self::Counts) -> Vec<(&'static str, u64)> = Self::Counts::fields;
    const REFUSALS: Refusals = Refusals {
        has: "a restic repository has names and paths",
        files: &[FilesFlag::Depth, FilesFlag::Size],
        order: Order::Own("the paths of a restic repository come in their order only"),
    };
    const ROWS: Rows = Rows::Together;
    const TYPE: &'static str = "snapshot_path";

    fn open(given: &Path, _: &Call, _: &Messages) -> Result<Vec<Self>> {
        Ok(vec![Repository { path: given.to_owned() }])
    }

    fn path(&self) -> &Path {
        &self.path
    }

    fn named_by(&self) -> Option<PathBuf> {
        Some(self.path.clone())
    }

    fn search(&self, ask: &Ask<'_>, counts: &mut PathsCounts, take: &mut Take<'_>) -> Result<Gaps> {
        let password = password_of_variables()?.ok_or_else(|| {
            anyhow!(
                "a restic repository, which needs its password: set RESTIC_PASSWORD_FILE, RESTIC_PASSWORD_COMMAND or RESTIC_PASSWORD to search it"
            )
        })?;
        let (path, threads) = (self.path.clone(), ask.call.threads);
        let opened = OpenCall { path, password, key_hint: None, threads, index_cache: None };
        let opened = blobs::Repository::open(&opened)?;
        let snapshots = opened.snapshots(ask.watch)?;
        let is_match = |text: &[u8]| ask.texts.is_match(text);
        let (with_paths, is_inverted) = (ask.has_any(&['/']), ask.is_inverted());
        let call = PathsCall { is_match: &is_match, with_paths, is_inverted };
        let (globs, types) = (ask.call.globs.clone(), ask.call.types.clone());
        let admit = Admit { globs, types, max_filesize: None };
        let gaps = opened.paths(&snapshots, &call, counts, ask.watch, |row| {
            // As of a tree at the root: `-g /srv/a` means what it says.
            if admit.admits_name(row.path.strip_prefix(b"/").unwrap_or(row.path)) {
                take(&row)
            } else {
                ControlFlow::Continue(())
            }
        })?;
        Ok(gaps)
    }
}

impl Hit for PathRow<'_> {
    fn text(&self) -> Vec<u8> {
        self.path.to_vec()
    }

    /// `1 snapshot, 2026-01-01 90b1ecba`; of several, the first and the last.
    fn uses(&self) -> Option<String> {
        let count = counted(self.snapshot_count as u64, "snapshot");
        Some(match self.snapshot_count {
            1 => format!("{count}, {}", day_and_id(self.first)),
            _ => format!("{count}, {} to {}", day_and_id(self.first), day_and_id(self.last)),
        })
    }

    /// In its name, or in the whole path.
    fn matches_in(&self, text: &[u8], matcher: &Matcher) -> Ranges {
        let start = text.iter().rposition(|byte| *byte == b'/').map_or(0, |slash| slash + 1);
        own_or_whole(text, &text[start..], start, matcher)
    }

    fn json(&self) -> Json {
        let snapshot = |kept: &Kept| {
            let (id, time) = (kept.id.to_string(), kept.snapshot.time.to_string());
            json!({ "id": id, "time": time })
        };
        json!({
            "name": String::from_utf8_lossy(self.path),
            "snapshots": self.snapshot_count,
            "first": snapshot(self.first),
            "last": snapshot(self.last),
        })
    }
}

fn day_and_id(kept: &Kept) -> String {
    let time = kept.snapshot.time.to_string();
    let day = time.split('T').next().unwrap_or_default();
    format!("{day} {}", kept.id.short())
}
