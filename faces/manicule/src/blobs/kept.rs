//! Caches of repositories, whatever repositories they are of: they are sealed.

use std::io;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use manicule_blobs::CachePlace;
use manicule_store::Disk;

/// The cache of a repository.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeptCache {
    /// Its folder.
    pub path: PathBuf,
    /// All its bytes.
    pub len: u64,
    /// When it was last written.
    pub written_at: SystemTime,
}

/// The caches of repositories in a folder of caches, last written first.
pub fn kept_caches(folder: &Path) -> io::Result<Vec<KeptCache>> {
    let mut kept = Vec::new();
    for place in CachePlace::all(folder)? {
        // Somebody may be removing it right now.
        let (Ok(len), Ok(written_at)) = (place.all_len(), place.written_at()) else { continue };
        kept.push(KeptCache { path: place.path().to_owned(), len, written_at });
    }
    kept.sort_by(|one, other| {
        other.written_at.cmp(&one.written_at).then(one.path.cmp(&other.path))
    });
    Ok(kept)
}

/// Removes them, but for those that are being written. Returns their number.
pub fn clear_caches(folder: &Path) -> io::Result<usize> {
    let mut removed = 0;
    for place in CachePlace::all(folder)? {
        removed += usize::from(place.clear(&Disk::shared())?);
    }
    Ok(removed)
}
