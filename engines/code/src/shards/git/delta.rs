//! Files that have changed since the last run, on any branch: what a delta build adds, and what it
//! takes from the shards that are there.

use std::collections::{BTreeMap, BTreeSet};

use gix_hash::ObjectId;
use manicule_format_zoekt::{Nothing, Repository, Shard};

use super::super::index::{Ignore, IndexError};
use super::error::GitError;
use super::gather::{Gathered, GitFile, IGNORE_FILE, Tip, ignore};
use super::kept::repository_of;
use super::objects::{Handle, TREE, is_file};
use super::repository::GitRepository;

/// A change between two commits.
struct Change {
    path: Vec<u8>,
    old: Option<Entry>,
    new: Option<Entry>,
}

/// Mode and id of an entry.
type Entry = (u16, ObjectId);

/// What a delta build does.
pub(super) struct Changes {
    /// The files that it adds.
    pub(super) gathered: Gathered,
    /// The new sidecars of the shards that are there.
    pub(super) sidecars: Vec<Vec<u8>>,
}

/// The changes since the commits that `shards` are of, unless there are more shards than
/// `shards_max`; or the reason why a delta build can't be. 0 is any number.
pub(super) fn changes(
    repository: &GitRepository,
    described: &Repository,
    tips: &[Tip],
    shards: &[Shard<'_>],
    shards_max: u64,
) -> Result<Result<Changes, String>, IndexError> {
    let before = match before(described, shards, shards_max) {
        Ok(before) => before,
        Err(why) => return Ok(Err(why)),
    };
    let ignores = tips.iter().map(|tip| ignore(&repository.handle, tip.tree, ""));
    let ignores = ignores.collect::<Result<Vec<_>, _>>()?;
    let (changed, list) = (BTreeSet::new(), Vec::new());
    let mut files = Files { repository, tips, ignores, files: list, changed };
    for (tip, branch) in tips.iter().zip(before.branches.iter().flatten()) {
        let id = ObjectId::from_hex(branch.version.as_bytes());
        let commit = id.ok().map(|id| repository.handle.commit(&id));
        let Some(Ok(commit)) = commit else {
            let version = &branch.version;
            return Ok(Err(format!("the commit {version} of branch {} is gone", branch.name)));
        };
        let mut diff = Diff { handle: &repository.handle, path: Vec::new(), changes: Vec::new() };
        diff.trees(Some(commit.tree), Some(tip.tree), 0).map_err(IndexError::Git)?;
        let changes = diff.changes;
        if changes.iter().any(|change| change.path == IGNORE_FILE.as_bytes()) {
            return Ok(Err(format!("{IGNORE_FILE} has changed")));
        }
        if changes.iter().any(|change| std::str::from_utf8(&change.path).is_err()) {
            return Ok(Err(
                "a path that has changed is no UTF-8, and no sidecar can name it".into()
            ));
        }
        files.add(tip, changes)?;
    }
    let Files { files, changed, .. } = files;
    let sidecars = shards.iter().map(|shard| sidecar(shard, described, &changed)).collect();
    let gathered = Gathered::of(repository, &described.url, files);
    Ok(Ok(Changes { gathered, sidecars }))
}

/// The repository of the last run, if a delta build can follow it.
fn before(
    described: &Repository,
    shards: &[Shard<'_>],
    shards_max: u64,
) -> Result<Repository, String> {
    let before = repository_of(shards).ok_or("there is no index of it yet")?;
    if shards_max > 0 && shards.len() as u64 > shards_max {
        return Err(format!("it has {} shards, more than -delta_threshold", shards.len()));
    }
    let names = |repository: &Repository| -> Vec<String> {
        repository.branches.iter().flatten().map(|branch| branch.name.clone()).collect()
    };
    let of_one = |shard: &Shard<'_>| {
        let [one] = shard.repositories() else { return false };
        let one = one.as_read();
        one.id == described.id
            && names(&one) == names(described)
            && one.index_options == described.index_options
    };
    if names(&before) != names(described) {
        return Err(format!("its branches were {}", names(&before).join(", ")));
    }
    if !shards.iter().all(of_one) {
        return Err("its index was made with other options, or another id".into());
    }
    Ok(before)
}

/// The sidecar of a shard that stays: with what is new of its repository, and the files that are no
/// longer those of the shard.
fn sidecar(shard: &Shard<'_>, described: &Repository, changed: &BTreeSet<Vec<u8>>) -> Vec<u8> {
    let mut repository = shard.repositories()[0].as_read();
    if !changed.is_empty() {
        let gone = repository.file_tombstones.get_or_insert_default();
        let names = changed.iter().map(|name| String::from_utf8_lossy(name).into_owned());
        gone.extend(names.map(|name| (name, Nothing::default())));
    }
    repository.branches.clone_from(&described.branches);
    repository.latest_commit_date.clone_from(&described.latest_commit_date);
    repository.metadata.clone_from(&described.metadata);
    repository.encode()
}

/// Files that are added.
struct Files<'f> {
    repository: &'f GitRepository,
    tips: &'f [Tip],
    /// The ignore file of each branch.
    ignores: Vec<Ignore>,
    files: Vec<GitFile>,
    /// Paths that have changed, or are gone.
    changed: BTreeSet<Vec<u8>>,
}

impl Files<'_> {
    /// Adds what has changed on a branch; of what has changed or is gone, the files at its path on
    /// all branches.
    fn add(&mut self, tip: &Tip, changes: Vec<Change>) -> Result<(), IndexError> {
        let handle = &self.repository.handle;
        let mut push = |path: &[u8], id: ObjectId, branch: usize| {
            if !self.ignores[branch].holds(path) {
                let name = path.to_vec();
                self.files.push(GitFile { name, id, branches: 1 << branch, sub: 0 });
            }
        };
        for Change { path, old, new } in changes {
            if let Some((_, id)) = new {
                push(&path, id, tip.branch);
            }
            if old.is_none() {
                continue;
            }
            for Tip { branch, tree, .. } in self.tips {
                let found = handle.at_path(tree, &path).map_err(IndexError::Git)?;
                if let Some((_, id)) = found.filter(|(mode, _)| is_file(*mode)) {
                    push(&path, id, *branch);
                }
            }
            self.changed.insert(path);
        }
        Ok(())
    }
}

/// Changes between two commits, found by walking their trees together.
struct Diff<'d> {
    handle: &'d Handle,
    /// Path of the trees at hand.
    path: Vec<u8>,
    changes: Vec<Change>,
}

impl Diff<'_> {
    /// Adds the changes between two trees. What is the same in both is not read.
    fn trees(
        &mut self,
        old: Option<ObjectId>,
        new: Option<ObjectId>,
        depth: usize,
    ) -> Result<(), GitError> {
        let handle = self.handle;
        handle.check_depth(depth)?;
        let mut entries: BTreeMap<Vec<u8>, [Option<Entry>; 2]> = BTreeMap::new();
        for (side, tree) in [old, new].into_iter().enumerate() {
            let Some(tree) = tree else { continue };
            let mut data = Vec::new();
            handle.tree(&tree, &mut data)?;
            for entry in handle.entries(&tree, &data) {
                let entry = entry?;
                let found = (entry.mode.value(), entry.oid.to_owned());
                entries.entry(entry.filename.to_vec()).or_default()[side] = Some(found);
            }
        }
        let len = self.path.len();
        for (name, [old, new]) in entries.into_iter().filter(|(_, [old, new])| old != new) {
            if len > 0 {
                self.path.push(b'/');
            }
            self.path.extend_from_slice(&name);
            let tree =
                |entry: Option<Entry>| entry.filter(|(mode, _)| *mode == TREE).map(|(_, id)| id);
            if tree(old).is_some() || tree(new).is_some() {
                self.trees(tree(old), tree(new), depth + 1)?;
            }
            let file = |entry: Option<Entry>| entry.filter(|(mode, _)| is_file(*mode));
            if file(old).is_some() || file(new).is_some() {
                let (path, old, new) = (self.path.clone(), file(old), file(new));
                self.changes.push(Change { path, old, new });
            }
            self.path.truncate(len);
        }
        Ok(())
    }
}
