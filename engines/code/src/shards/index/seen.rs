//! Proof of an unchanged folder by looks alone: a sum of what a run has seen, kept beside the
//! shards that it wrote.
//!
//! The sum is of the name and the fingerprint of each document, of the shards, and of the options
//! that no shard says. A run whose walk gives the same sum would read the same bytes and write the
//! same shards, so it reads nothing. There is no sum where a document could have changed without
//! another fingerprint (`trust.rs` has the rule), or where ctags failed on one: the next run then
//! reads all of them.
//!
//! The file is `PREFIX_v16.seen`. One that is missing, cut or of other shards proves nothing.

use std::ffi::CString;
use std::fs::File;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use manicule_core::hex;
use manicule_format_tree::manifest::UNSURE;
use manicule_store::{Entry, OutFile, SharedFiles, look};
use rustix::fs::CWD;
use sha1::{Digest, Sha1};

use super::super::family::Family;
use super::options::IndexOptions;
use super::walk::{Found, Root};
use crate::trust::{Stores, settled_fingerprint};

/// The file's first line; after it comes the sum.
const HEAD: &str = "manicule seen 1\n";

/// Whether the documents of a walk can change only so that another walk sees it.
pub(super) struct Witness {
    /// None where that is in doubt already.
    stores: Option<Stores>,
    now_ns: u64,
    has_doubt: AtomicBool,
}

impl Witness {
    /// Of documents that were looked at after the clock stood at `now_ns`.
    pub(super) fn of(root: &Root, found: &[Found], now_ns: u64) -> Self {
        let is_settled = |document: &Found| fingerprint(&document.seen, now_ns) != UNSURE;
        let stores = found.iter().all(is_settled).then(|| stores_of(root, found).ok()?).flatten();
        Witness { has_doubt: AtomicBool::new(stores.is_none()), stores, now_ns }
    }

    /// Asks about a file that is about to be read.
    pub(super) fn ask(&self, file: &File, seen: &Entry) {
        if let Some(stores) = self.stores
            && !self.has_doubt.load(Relaxed)
            && stores.may_be_silent(file, seen, self.now_ns)
        {
            self.has_doubt.store(true, Relaxed);
        }
    }

    fn has_doubt(&self) -> bool {
        self.has_doubt.load(Relaxed)
    }
}

/// Knowledge of the file systems that the documents lie on; `None` if one keeps no times.
fn stores_of(root: &Root, found: &[Found]) -> io::Result<Option<Stores>> {
    let Some(mut stores) = Stores::of(root.handle()).with(root.handle())? else { return Ok(None) };
    let mut devices = Vec::new();
    for document in found {
        if devices.contains(&document.seen.device) {
            continue;
        }
        match stores.with(&root.folder_of(document)?)? {
            Some(with) => stores = with,
            None => return Ok(None),
        }
        devices.push(document.seen.device);
    }
    Ok(Some(stores))
}

fn fingerprint(seen: &Entry, now_ns: u64) -> u64 {
    // Whoever can choose contents chooses no times of change: no key is needed.
    settled_fingerprint(seen, 0, now_ns)
}

/// Sum of what a run has seen; none where something is in doubt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Seen(Option<String>);

impl Seen {
    /// The sum of documents and of the shards at `paths`.
    pub(super) fn of(
        found: &[Found],
        witness: &Witness,
        paths: &[PathBuf],
        options: &IndexOptions<'_>,
    ) -> Self {
        if witness.has_doubt() {
            return Seen(None);
        }
        let mut sum = Sha1::new();
        // Another release may tell languages otherwise.
        let (version, limits) = (env!("CARGO_PKG_VERSION"), options.limits);
        let (trigrams_max, len_max) = (limits.trigrams_max, options.shard_len_max);
        sum.update(format!("{version} {trigrams_max} {len_max} {}\n", found.len()));
        for document in found {
            sum.update((document.name.len() as u64).to_le_bytes());
            sum.update(&document.name);
            sum.update(fingerprint(&document.seen, witness.now_ns).to_le_bytes());
        }
        for path in paths {
            match look_at_path(path) {
                Ok(seen) => sum.update(seen.fingerprint(0).to_le_bytes()),
                Err(_) => return Seen(None),
            }
        }
        Seen(Some(hex::encode(sum.finalize())))
    }

    /// Whether the last run over this family of shards has seen the same.
    pub(super) fn is_of_last_run(&self, family: &Family) -> bool {
        let text = std::fs::read(family.seen());
        self.text().is_some_and(|seen| text.is_ok_and(|text| text == seen.as_bytes()))
    }

    /// Puts it beside the shards. Nothing depends on it: where it can't be written, the next run
    /// reads all documents.
    pub(super) fn put(&self, family: &Family, files: &SharedFiles) {
        let Some(text) = self.text() else { return };
        let mut options = File::options();
        options.create(true).truncate(true).write(true);
        let file = OutFile::open(files, &family.seen(), &options);
        let _ = file.and_then(|file| file.write_all_at(text.as_bytes(), 0));
    }

    fn text(&self) -> Option<String> {
        self.0.as_ref().map(|sum| format!("{HEAD}{sum}\n"))
    }
}

fn look_at_path(path: &Path) -> io::Result<Entry> {
    Ok(look(CWD, &CString::new(path.as_os_str().as_bytes())?)?)
}
