//! Proof of an unchanged folder by looks alone: a sum of what the run that wrote its shards has
//! seen, kept in the user's cache.
//!
//! The sum is of the name and the fingerprint of each document, of the shards, and of the options
//! that no shard says. A run whose walk gives the same sum would read the same bytes and write the
//! same shards, so it reads nothing. There is no sum where a document could have changed without
//! another fingerprint (`trust.rs` has the rule), or where ctags failed on one: the next run then
//! reads all of them.
//!
//! The sums of all shards are lines of one file of the cache. One that is missing, cut or of other
//! shards proves nothing. Not beside the shards: whoever searches their folder would find it.

use std::ffi::CString;
use std::fs::{self, File};
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use manicule_core::hex;
use manicule_format_tree::manifest::UNSURE;
use manicule_store::{CacheDir, Disk, Entry, look};
use rustix::fs::CWD;
use sha1::{Digest, Sha1};

use super::super::family::{Family, hex_sha1};
use super::options::IndexOptions;
use super::walk::{Found, Root};
use crate::trust::{Stores, settled_fingerprint};

/// Name of the file in the cache. A line is the sum of a place, a blank, and that of what was seen.
pub const SEEN: &str = "shards-seen";

/// Bytes of the file from which on its older half is forgotten: some 6,000 places.
const LEN_MAX: usize = 512 << 10;

/// Hexadecimal digits of the sum of a place.
const PLACE_LEN: usize = 40;

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
    pub(super) fn is_of_last_run(&self, family: &Family, cache: &Path) -> bool {
        let Some(line) = self.line(family) else { return false };
        let kept = fs::read_to_string(cache.join(SEEN)).unwrap_or_default();
        kept.lines().any(|kept| kept == line)
    }

    /// Keeps it in place of that of the run before. Nothing depends on it: where it can't be kept,
    /// the next run reads all documents.
    pub(super) fn keep(&self, family: &Family, cache: &Path) {
        let Some(line) = self.line(family) else { return };
        let kept = fs::read_to_string(cache.join(SEEN)).unwrap_or_default();
        let place = &line[..=PLACE_LEN];
        let mut lines: Vec<&str> = kept.lines().filter(|kept| !kept.starts_with(place)).collect();
        if kept.len() > LEN_MAX {
            lines.drain(..lines.len() / 2);
        }
        lines.push(&line);
        let text = lines.join("\n") + "\n";
        let _ = fs::create_dir_all(cache).and_then(|()| {
            CacheDir::at(cache).put_unleased(&Disk::shared(), SEEN, text.as_bytes())
        });
    }

    /// Its line in the file.
    fn line(&self, family: &Family) -> Option<String> {
        let sum = self.0.as_ref()?;
        let folder = fs::canonicalize(&family.folder).ok()?;
        let place = folder.join(&family.prefix);
        Some(format!("{} {sum}", hex_sha1(place.as_os_str().as_bytes())))
    }
}

fn look_at_path(path: &Path) -> io::Result<Entry> {
    Ok(look(CWD, &CString::new(path.as_os_str().as_bytes())?)?)
}
