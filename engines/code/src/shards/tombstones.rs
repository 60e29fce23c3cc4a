//! Tombstones of repositories in compound shards, which hold them from before they were indexed
//! again.
//!
//! A compound shard stays as it is: its sidecar, `SHARD.meta`, says which of its repositories are
//! dead.
//!
//! Bytes:   docs/formats/zoekt.md, section *Compound shards*

use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use manicule_format_zoekt::{COMPOUND_VERSION, Repository, Shard};
use manicule_store::SharedFiles;
use manicule_store::publish::{Aside, SHARED};

use super::family::Family;
use super::listing::shards_of;
use super::open::{FoundShard, ShardError};

/// Prefix of the names of compound shards.
pub(super) const COMPOUND: &str = "compound-";

/// Gives a repository a tombstone in all compound shards of a folder that hold it alive, by its
/// name and, where both have one, its id. Returns these shards.
pub(super) fn set(
    folder: &Path,
    repository: &Repository,
    files: &SharedFiles,
) -> Result<Vec<PathBuf>, ShardError> {
    let mut shards = shards_of(folder).map_err(ShardError::io(folder))?.shards;
    shards.retain(|path| {
        let name = path.file_name().and_then(|name| name.to_str());
        name.is_some_and(|name| name.starts_with(COMPOUND))
    });
    let mut set = Vec::new();
    for path in shards {
        if set_in(&path, repository, files)? {
            set.push(path);
        }
    }
    Ok(set)
}

/// The same in one shard. Whether it is one that holds the repository alive.
fn set_in(path: &Path, repository: &Repository, files: &SharedFiles) -> Result<bool, ShardError> {
    let Some((family, _)) = Family::of(path) else { return Ok(false) };
    if repositories_with(path, repository)?.is_none() {
        return Ok(false);
    }
    let busy = || io::Error::new(io::ErrorKind::ResourceBusy, "another process writes it");
    let lease = family.lease(files).map_err(ShardError::io(path))?;
    let lease = lease.ok_or_else(busy).map_err(ShardError::io(path))?;
    // Once more: it may be another one now, or gone.
    let repositories = match repositories_with(path, repository) {
        Err(ShardError::Io { source, .. }) if source.kind() == io::ErrorKind::NotFound => None,
        repositories => repositories?,
    };
    let is_held = repositories.is_some();
    if let Some(repositories) = repositories {
        put(path, &repositories, files).map_err(ShardError::io(path))?;
    }
    drop(lease);
    Ok(is_held)
}

/// The repositories of a compound shard with a tombstone for one of them; `None` if it is not
/// there, or has one.
fn repositories_with(
    path: &Path,
    repository: &Repository,
) -> Result<Option<Vec<Repository>>, ShardError> {
    let FoundShard { bytes, sidecar, .. } = FoundShard::open(path)?;
    let mut shard = Shard::open(&bytes).map_err(ShardError::damaged(path))?;
    if let Some(sidecar) = sidecar {
        let damaged = ShardError::sidecar(&sidecar.path);
        shard.replace_repositories(&sidecar.bytes).map_err(damaged)?;
    }
    if shard.metadata().index_format_version != COMPOUND_VERSION {
        return Ok(None);
    }
    let mut repositories: Vec<Repository> =
        shard.repositories().iter().map(Repository::as_read).collect();
    let is_it = |one: &&mut Repository| {
        let is_same_id = one.id == repository.id || one.id == 0 || repository.id == 0;
        one.name == repository.name && is_same_id && !one.tombstone
    };
    let mut found = repositories.iter_mut().filter(is_it).peekable();
    if found.peek().is_none() {
        return Ok(None);
    }
    found.for_each(|one| one.tombstone = true);
    Ok(Some(repositories))
}

/// Writes the sidecar of a shard of several repositories.
fn put(shard: &Path, repositories: &[Repository], files: &SharedFiles) -> io::Result<()> {
    let with = |ending: &str| {
        let mut name = shard.as_os_str().to_owned();
        name.push(ending);
        PathBuf::from(name)
    };
    let mut sidecar = Aside::create(files, &with(".meta.tmp"), SHARED)?;
    sidecar.file().write_all(&Repository::encode_all(repositories))?;
    sidecar.publish(&with(".meta"))?;
    files.sync_folder(shard.parent().unwrap_or(Path::new(".")))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use manicule_store::Disk;
    use manicule_testkit::golden_folder;

    use super::*;

    #[test]
    fn a_tombstone_is_the_peers_sidecar() {
        let golden = golden_folder("code", "shards");
        let shards = |name: &str| shards_of(&golden.path().join("shards").join(name)).unwrap();
        let (compound, tomb) = (shards("compound").shards, shards("tomb").shards);
        let folder = compound[0].parent().unwrap();
        let named = |name: &str, id| Repository { name: name.into(), id, ..Repository::default() };
        let set = |repository| set(folder, &repository, &Disk::shared()).unwrap();
        for other in [named("example.org/delta", 0), named("example.org/alpha", 8)] {
            assert!(set(other).is_empty());
        }
        assert_eq!(set(named("example.org/alpha", 7)), compound);
        let meta = |shard: &Path| fs::read(format!("{}.meta", shard.display())).unwrap();
        assert_eq!(meta(&compound[0]), meta(&tomb[0]));
        // It has one already.
        assert!(set(named("example.org/alpha", 0)).is_empty());
        // What is set later is beside what was set before.
        assert_eq!(set(named("example.org/gamma", 0)), compound);
        let repositories: Vec<Repository> = {
            let bytes = fs::read(&compound[0]).unwrap();
            let mut shard = Shard::open(&bytes).unwrap();
            shard.replace_repositories(&meta(&compound[0])).unwrap();
            shard.repositories().to_vec()
        };
        let dead: Vec<_> = repositories.iter().map(|one| one.tombstone).collect();
        assert_eq!(dead, [false, true, true]);
        assert_eq!(fs::read_dir(folder).unwrap().count(), 2, "nothing is left aside");
    }
}
