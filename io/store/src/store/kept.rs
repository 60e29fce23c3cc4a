//! The local folder of what was brought from a store: whole files and ranges of files, named by
//! their versions, bounded by bytes.

use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use manicule_core::hex;

use super::error::StoreError;
use super::read::too_long;
use super::version::Version;
use crate::cache_dir::CacheDir;
use crate::files::{SharedFiles, unless_gone};
use crate::map::Mapped;
use crate::names::list_names;
use crate::pages::{ByteSource, Part, ReadCounts};
use crate::publish::{Aside, OWN};
use crate::random::random;

/// Bytes that are asked for in one request.
pub(super) const REQUEST_LEN: usize = 1 << 20;

/// Bytes that are brought in one round, and held in memory meanwhile.
pub(super) const ROUND_LEN: u64 = 16 << 20;

/// End of the name of a file that is being brought.
const ASIDE: &str = ".aside";

/// End of the name of a file that has holes where nothing was brought.
const RANGES: &str = ".ranges";

/// How much is brought and kept.
#[derive(Clone, Copy, Debug)]
pub struct FetchLimits {
    /// Length in bytes of the longest file that is brought whole.
    pub file_bytes_max: u64,
    /// Bytes that the folder has at most, but for a file that is longer by itself.
    pub kept_bytes_max: u64,
}

/// The folder of what was brought.
#[derive(Debug)]
pub(super) struct Kept {
    pub(super) dir: CacheDir,
    pub(super) files: SharedFiles,
    pub(super) limits: FetchLimits,
    taken: Mutex<Option<Taken>>,
}

/// Space that the folder takes.
#[derive(Clone, Copy, Debug)]
struct Taken {
    /// Bytes by the last listing, and those brought since.
    bytes: u64,
    /// Of these the ones brought since.
    since: u64,
}

/// The share of the limit after which the folder is listed again: what others bring is not known.
/// Listed each time, 10,000 files took 10,000 looks for each that came.
const LISTED_EVERY: u64 = 16;

/// A file with holes, open to be filled.
pub(super) struct Holed {
    pub(super) file: fs::File,
    pub(super) name: String,
    pub(super) map: Mapped,
}

impl Kept {
    pub(super) fn new(dir: CacheDir, files: SharedFiles, limits: FetchLimits) -> Self {
        Kept { dir, files, limits, taken: Mutex::default() }
    }

    /// A file that was brought, unless somebody cut it.
    pub(super) fn map(&self, version: &Version) -> Option<Mapped> {
        let kept = self.dir.map(&name_of(version)).ok()?;
        (kept.len() as u64 == version.len()).then_some(kept)
    }

    pub(super) fn bring(
        &self,
        source: &dyn ByteSource,
        shown: &dyn Fn() -> PathBuf,
    ) -> Result<Mapped, StoreError> {
        let failed = |source| StoreError { file: shown(), source };
        let (version, folder) = (source.version(), self.dir.path());
        if version.len() > self.limits.file_bytes_max {
            return Err(failed(too_long(version.len(), self.limits.file_bytes_max)));
        }
        let here = |source| StoreError { file: folder.to_owned(), source };
        self.dir.create().map_err(here)?;
        let name = name_of(&version);
        let mut aside = self.aside(&name).map_err(here)?;
        let mut bytes = vec![0; ROUND_LEN.min(version.len()) as usize];
        for at in (0..version.len()).step_by(ROUND_LEN as usize) {
            let bytes = &mut bytes[..ROUND_LEN.min(version.len() - at) as usize];
            read_side_by_side(source, at, bytes).map_err(failed)?;
            aside.file().write_all(bytes).map_err(here)?;
        }
        self.put(aside, &name).map_err(here)
    }

    /// The file that ranges of a version are brought into, `len` bytes long, of which the first are
    /// those of the version. What other processes have brought is in it.
    pub(super) fn holed(&self, version: &Version, len: u64) -> Result<Holed, StoreError> {
        let name = format!("{}{RANGES}", name_of(version));
        let open = || {
            self.dir.create()?;
            let mut options = OpenOptions::new();
            options.read(true).write(true).create(true).truncate(false).mode(OWN);
            let file = self.files.open(&self.dir.path().join(&name), &options)?;
            let seen = file.metadata()?;
            if seen.uid() != rustix::process::geteuid().as_raw() {
                return Err(io::Error::new(
                    io::ErrorKind::PermissionDenied,
                    "the file is not ours",
                ));
            }
            if seen.len() != len {
                self.files.cut(&file, len)?;
            }
            let map = Mapped::of_filling(&file, version.len() as usize)?;
            Ok((file, map))
        };
        let opened = open();
        let here = |source| StoreError { file: self.dir.path().to_owned(), source };
        opened.map(|(file, map)| Holed { file, name, map }).map_err(here)
    }

    /// A file that gets a name once it is whole.
    pub(super) fn aside(&self, name: &str) -> io::Result<Aside> {
        let own = hex::encode(random::<8>()?);
        Aside::create(&self.files, &self.dir.path().join(format!("{name}-{own}{ASIDE}")), OWN)
    }

    pub(super) fn put(&self, mut aside: Aside, name: &str) -> io::Result<Mapped> {
        // Mapped before it has its name: from then on others may remove it.
        let mapped = aside.file().map()?;
        unless_gone(aside.publish(&self.dir.path().join(name)))?;
        self.evict(name, mapped.len() as u64)?;
        Ok(mapped)
    }

    /// Removes the files that were brought first until the others fit, what killed processes have
    /// left of theirs among them; not the one of which `brought` bytes were just brought. While the
    /// folder has space by the last listing it is not listed again.
    pub(super) fn evict(&self, newest: &str, brought: u64) -> io::Result<()> {
        let limit = self.limits.kept_bytes_max;
        let mut taken = self.taken.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(Taken { bytes, since }) = &mut *taken {
            (*bytes, *since) = (*bytes + brought, *since + brought);
            if *bytes <= limit && *since <= limit / LISTED_EVERY {
                return Ok(());
            }
        }
        let (mut kept, mut sum) = (Vec::new(), 0);
        for entry in list_names(self.dir.path())? {
            // What has gone meanwhile another process has removed.
            let Ok(seen) = fs::metadata(self.dir.path().join(&entry.name)) else { continue };
            let is_holed = entry.name.as_encoded_bytes().ends_with(RANGES.as_bytes());
            let len = if is_holed { seen.len().min(seen.blocks() * BLOCK_LEN) } else { seen.len() };
            sum += len;
            if entry.name != newest {
                kept.push((seen.modified()?, entry.name, len));
            }
        }
        kept.sort();
        for (_, name, len) in kept {
            if sum <= limit {
                break;
            }
            unless_gone(self.files.remove(&self.dir.path().join(name)))?;
            sum -= len;
        }
        *taken = Some(Taken { bytes: sum, since: 0 });
        Ok(())
    }
}

/// Length of what the system counts a file's space in.
const BLOCK_LEN: u64 = 512;

/// Fills `out` in one round.
pub(super) fn read_side_by_side(
    source: &dyn ByteSource,
    at: u64,
    out: &mut [u8],
) -> io::Result<()> {
    let offsets = (at..).step_by(REQUEST_LEN);
    let parts = out.chunks_mut(REQUEST_LEN).zip(offsets).map(|(out, at)| Part { at, out });
    source.read_parts(&mut parts.collect::<Vec<_>>(), &mut ReadCounts::default())
}

fn name_of(version: &Version) -> String {
    hex::encode(version.bytes())
}
