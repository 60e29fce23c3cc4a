//! Objects of a git repository: commits, trees and blobs, each compared with its id.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use gix_hash::{ObjectId, oid};
use gix_object::{CommitRef, Find as _, Kind, TagRef, TreeRefIter};
use gix_odb::pack::cache::lru::MemoryCappedHashmap;
use gix_odb::{Header as _, store};
use manicule_core::civil::Date;
use sha1::{Digest, Sha1};

use super::error::GitError;

/// Bytes that a thread keeps of what deltas in packs build on.
const BASES_LEN_MAX: usize = 48 << 20;

/// The largest object that is taken from a pack, whatever the pack says: a document in a shard is
/// smaller.
const OBJECT_LEN_MAX: usize = 1 << 31;

/// Deepest path: more than any system that checks it out can have.
pub(super) const DEPTH_MAX: usize = 1024;

/// The only ids that there are.
pub(super) const IDS: gix_hash::Kind = gix_hash::Kind::Sha1;

/// The modes of entries, as git writes them.
pub(super) const TREE: u16 = 0o040_000;
const PLAIN: u16 = 0o100_644;
const EXECUTABLE: u16 = 0o100_755;
const LINK: u16 = 0o120_000;
pub(super) const SUBMODULE: u16 = 0o160_000;

/// The objects of a repository, for all threads.
#[derive(Clone)]
pub(super) struct Objects {
    path: PathBuf,
    store: Arc<gix_odb::Store>,
}

/// The objects of a repository, for one thread.
pub(super) struct Handle {
    path: PathBuf,
    odb: gix_odb::HandleArc,
}

/// A commit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Commit {
    pub(super) tree: ObjectId,
    pub(super) parents: Vec<ObjectId>,
    /// Seconds since 1970, and those by which the committer's clock is ahead of UTC.
    pub(super) seconds: i64,
    pub(super) offset: i32,
}

impl Objects {
    /// The objects below a folder `objects` and its alternates. `path` names the repository.
    pub(super) fn open(objects: &Path, path: &Path) -> Result<Self, GitError> {
        let options = store::init::Options {
            alloc_limit_bytes: Some(OBJECT_LEN_MAX),
            ..store::init::Options::default()
        };
        let store =
            gix_odb::Store::at_opts(objects.to_owned(), IDS, &mut std::iter::empty(), options);
        let store = Arc::new(store.map_err(GitError::io(objects))?);
        Ok(Objects { path: path.to_owned(), store })
    }

    /// A handle for one thread.
    pub(super) fn handle(&self) -> Handle {
        let mut odb = self.store.to_cache_arc();
        odb.set_pack_cache(|| Box::new(MemoryCappedHashmap::new(BASES_LEN_MAX)));
        Handle { path: self.path.clone(), odb }
    }
}

impl Handle {
    /// Length of a blob; `None` if it is not there, as in a clone without large files.
    pub(super) fn blob_len(&self, id: &oid) -> Result<Option<u64>, GitError> {
        let header = self.odb.try_header(id).map_err(|error| self.damaged(id, error))?;
        let Some(header) = header else { return Ok(None) };
        match header.kind() {
            Kind::Blob => Ok(Some(header.size())),
            kind => Err(self.damaged(id, format!("it is a {kind}, not a blob"))),
        }
    }

    /// Reads a blob into `content`. Tells whether it is there.
    pub(super) fn blob(&self, id: &oid, content: &mut Vec<u8>) -> Result<bool, GitError> {
        Ok(self
            .read(id, content)?
            .map(|kind| self.expect(id, Kind::Blob, kind))
            .transpose()?
            .is_some())
    }

    /// A commit.
    pub(super) fn commit(&self, id: &oid) -> Result<Commit, GitError> {
        let mut data = Vec::new();
        self.object(id, Kind::Commit, &mut data)?;
        let commit = CommitRef::from_bytes(&data, IDS).map_err(|error| self.damaged(id, error))?;
        // A clock that can't be read is that of 1970, as for git.
        let time = commit.time().unwrap_or_default();
        Ok(Commit {
            tree: commit.tree(),
            parents: commit.parents().collect(),
            seconds: time.seconds,
            offset: time.offset,
        })
    }

    /// The commit that an object is, or that a tag leads to.
    pub(super) fn peel(&self, id: ObjectId) -> Result<Option<ObjectId>, GitError> {
        let (mut id, mut data) = (id, Vec::new());
        loop {
            match self.read(&id, &mut data)? {
                Some(Kind::Commit) => return Ok(Some(id)),
                Some(Kind::Tag) => {
                    let tag = TagRef::from_bytes(&data, IDS);
                    id = tag.map_err(|error| self.damaged(&id, error))?.target();
                }
                Some(_) => return Ok(None),
                None => return Err(self.missing(&id)),
            }
        }
    }

    /// The bytes of a tree.
    pub(super) fn tree(&self, id: &oid, data: &mut Vec<u8>) -> Result<(), GitError> {
        if *id == *ObjectId::empty_tree(IDS) {
            data.clear();
            return Ok(());
        }
        self.object(id, Kind::Tree, data)
    }

    /// The entries of a tree's bytes.
    pub(super) fn entries<'d>(
        &self,
        id: &oid,
        data: &'d [u8],
    ) -> impl Iterator<Item = Result<gix_object::tree::EntryRef<'d>, GitError>> {
        let id = id.to_owned();
        TreeRefIter::from_bytes(data, IDS).map(move |entry| {
            let entry = entry.map_err(|error| self.damaged(&id, error))?;
            let is_name = !entry.filename.is_empty() && !entry.filename.contains(&b'/');
            let nameless = || self.damaged(&id, "an entry has no name, or one with a slash");
            is_name.then_some(entry).ok_or_else(nameless)
        })
    }

    /// The file, link or submodule at a path below a tree.
    pub(super) fn at_path(
        &self,
        tree: &oid,
        path: &[u8],
    ) -> Result<Option<(u16, ObjectId)>, GitError> {
        let (mut id, mut data) = (tree.to_owned(), Vec::new());
        let mut names = path.split(|byte| *byte == b'/').peekable();
        while let Some(name) = names.next() {
            self.tree(&id, &mut data)?;
            let mut found = None;
            for entry in self.entries(&id, &data) {
                let entry = entry?;
                if entry.filename == name {
                    found = Some((entry.mode.value(), entry.oid.to_owned()));
                    break;
                }
            }
            let Some((mode, found)) = found else { return Ok(None) };
            match (names.peek().is_some(), mode) {
                (true, TREE) => id = found,
                (false, mode) => return Ok(Some((mode, found))),
                (true, _) => return Ok(None),
            }
        }
        Ok(None)
    }

    /// The only object whose id begins with these hexadecimal digits.
    pub(super) fn with_prefix(&self, digits: &str) -> Option<ObjectId> {
        let prefix = gix_hash::Prefix::from_hex_nonempty(digits).ok()?;
        self.odb.lookup_prefix(prefix, None).ok()??.ok()
    }

    fn object(&self, id: &oid, want: Kind, data: &mut Vec<u8>) -> Result<(), GitError> {
        match self.read(id, data)? {
            Some(kind) => self.expect(id, want, kind),
            None => Err(self.missing(id)),
        }
    }

    fn expect(&self, id: &oid, want: Kind, got: Kind) -> Result<(), GitError> {
        if want == got {
            Ok(())
        } else {
            Err(self.damaged(id, format!("it is a {got}, not a {want}")))
        }
    }

    /// Reads an object, and compares it with its id.
    fn read(&self, id: &oid, data: &mut Vec<u8>) -> Result<Option<Kind>, GitError> {
        let found = self.odb.try_find(id, data).map_err(|error| self.damaged(id, error))?;
        let Some(found) = found else { return Ok(None) };
        let (kind, len) = (found.kind, found.data.len());
        data.truncate(len);
        let sum = Sha1::new().chain_update(format!("{kind} {len}\0")).chain_update(&*data);
        if sum.finalize().as_slice() != id.as_bytes() {
            return Err(self.damaged(id, "its content has another id"));
        }
        Ok(Some(kind))
    }

    fn damaged(&self, id: &oid, why: impl ToString) -> GitError {
        GitError::Damaged { path: self.path.clone(), id: id.to_string(), why: why.to_string() }
    }

    /// Refuses trees that lie deeper than anybody's: each is walked within the walk of the one
    /// above.
    pub(super) fn check_depth(&self, depth: usize) -> Result<(), GitError> {
        if depth < DEPTH_MAX {
            return Ok(());
        }
        Err(self.too_much("a commit has folders that lie deeper than 1,024"))
    }

    pub(super) fn too_much(&self, what: &'static str) -> GitError {
        GitError::TooMuch { path: self.path.clone(), what }
    }

    fn missing(&self, id: &oid) -> GitError {
        GitError::Missing { path: self.path.clone(), id: id.to_string() }
    }
}

impl Commit {
    /// Its time as shards have it: RFC 3339 in the committer's own zone.
    pub(super) fn time(&self) -> String {
        let local = self.seconds + i64::from(self.offset);
        let (day, second) = (local.div_euclid(86_400), local.rem_euclid(86_400));
        let Date { year, month, day } = Date::of_day(day);
        let zone = match self.offset {
            0 => "Z".to_owned(),
            offset => {
                let (sign, minutes) = (if offset < 0 { '-' } else { '+' }, offset.abs() / 60);
                format!("{sign}{:02}:{:02}", minutes / 60, minutes % 60)
            }
        };
        let (hour, minute, second) = (second / 3600, second / 60 % 60, second % 60);
        format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}{zone}")
    }
}

/// Whether a mode is that of a file or link, whose content is indexed.
pub(super) fn is_file(mode: u16) -> bool {
    matches!(mode, PLAIN | EXECUTABLE | LINK)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_those_of_the_committers_zone() {
        let time = |seconds, offset| {
            let tree = ObjectId::null(IDS);
            Commit { tree, parents: Vec::new(), seconds, offset }.time()
        };
        assert_eq!(time(0, 0), "1970-01-01T00:00:00Z");
        assert_eq!(time(1_767_765_600, 7200), "2026-01-07T08:00:00+02:00");
        assert_eq!(time(0, -12_600), "1969-12-31T20:30:00-03:30");
    }
}
