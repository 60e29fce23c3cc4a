//! The backups by Medusa at a prefix, as its index has them: which nodes of the cluster each has,
//! and how large it is.
//!
//! ```text
//! PREFIX/index/backup_index/BACKUP/tokenmap_NODE.json      nodes of the cluster
//!                                  schema_NODE.cql
//!                                  started_NODE_SECONDS.timestamp
//!                                  differential_NODE       unless it is full
//!                                  manifest_NODE.json      written when the node has finished
//!                                  finished_NODE_SECONDS.timestamp
//! ```
//!
//! Bytes:   docs/formats/sstable.md, Backups

use std::collections::{BTreeMap, BTreeSet};

use manicule_format_sstable::{read_medusa_hosts, read_medusa_manifest};
use manicule_store::EntryKind;
use manicule_store::store::{Listed, Name, Store, StoreError};

use crate::RowsError;

/// The longest manifest that is read: of a million files.
pub(crate) const MANIFEST_LEN_MAX: u64 = 256 << 20;

/// A backup of a cluster.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Backup {
    /// Its name.
    pub name: String,
    /// Whether a node's files lie in a folder that its backups share.
    pub is_differential: bool,
    /// Its nodes, by name.
    pub nodes: Vec<BackupNode>,
    /// Nodes of the cluster that have not begun it.
    pub missing: Vec<String>,
}

/// A node in a backup.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BackupNode {
    /// Its name.
    pub name: String,
    /// When it began, in seconds since 1970.
    pub started: Option<i64>,
    /// When it ended.
    pub finished: Option<i64>,
    /// What its manifest has; `None` until it has finished.
    pub files: Option<BackupFiles>,
}

/// Files of a backup.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BackupFiles {
    /// Their number.
    pub count: u64,
    /// Their length in bytes.
    pub len: u64,
}

impl Backup {
    /// Whether all nodes of the cluster have finished it.
    pub fn is_complete(&self) -> bool {
        self.missing.is_empty() && self.unfinished().next().is_none()
    }

    /// Names of the nodes that have begun it and not finished.
    pub fn unfinished(&self) -> impl Iterator<Item = &str> {
        let nodes = self.nodes.iter().filter(|node| node.files.is_none());
        nodes.map(|node| node.name.as_str())
    }

    /// When its first node began, in seconds since 1970.
    pub fn started(&self) -> Option<i64> {
        self.nodes.iter().filter_map(|node| node.started).min()
    }

    /// When its last node ended; `None` unless it is complete.
    pub fn finished(&self) -> Option<i64> {
        let finished = self.nodes.iter().filter_map(|node| node.finished).max();
        finished.filter(|_| self.is_complete())
    }

    /// The files of the nodes that have finished.
    pub fn files(&self) -> BackupFiles {
        let files = self.nodes.iter().filter_map(|node| node.files);
        files.fold(BackupFiles::default(), |sum, one| BackupFiles {
            count: sum.count + one.count,
            len: sum.len + one.len,
        })
    }
}

/// The backups in a store's own folder, those that began first at first.
///
/// Cost: a listing of the index, one of each backup, and the manifests; at an address three rounds.
///
/// # Errors
/// Where there is no index of backups, and what of it can't be read.
pub fn backups(store: &dyn Store) -> Result<Vec<Backup>, RowsError> {
    let root = Name::new("index/backup_index").expect("a name");
    let is_folder = |entry: &Listed| entry.kind == EntryKind::Folder;
    let entries = match store.list(&root) {
        Err(error) if error.is_missing() => Vec::new(),
        listed => listed?,
    };
    let mut folders: Vec<Name> =
        entries.iter().filter(|it| is_folder(it)).map(|entry| entry.file_in(&root)).collect();
    if folders.is_empty() {
        let why = "no backups by Medusa here: index/backup_index would have their names";
        let place = store.show(&Name::root());
        return Err(RowsError::Missing { place, why: why.to_owned() });
    }
    folders.sort();
    let listed = folders.iter().zip(store.list_all(&folders));
    let files: Vec<IndexFiles> = listed
        .map(|(folder, listed)| Ok(IndexFiles::of(folder, &listed?)))
        .collect::<Result<_, StoreError>>()?;
    let wanted: Vec<Name> = files.iter().flat_map(IndexFiles::wanted).collect();
    let mut read = wanted.iter().zip(store.read_all(&wanted, MANIFEST_LEN_MAX));
    let mut all = Vec::with_capacity(files.len());
    for files in files {
        all.push(files.read(store, &mut read)?);
    }
    all.sort_by(|one, other| (one.started(), &one.name).cmp(&(other.started(), &other.name)));
    Ok(all)
}

/// What the index has of a backup.
struct IndexFiles {
    backup: Backup,
    /// The nodes of the cluster, as one of the backup's saw them.
    tokenmap: Option<Name>,
    /// Manifests, by the place of their nodes.
    manifests: Vec<(usize, Name)>,
}

impl IndexFiles {
    fn of(folder: &Name, listed: &[Listed]) -> Self {
        let name = folder.as_str().rsplit('/').next().unwrap_or_default().to_owned();
        let (mut nodes, mut manifests) = (BTreeMap::<&str, BackupNode>::new(), BTreeMap::new());
        let (mut tokenmap, mut is_differential) = (None, false);
        for entry in listed {
            let Some((kind, rest)) = entry.name.split_once('_') else { continue };
            let timed = || {
                let (node, at) = rest.strip_suffix(".timestamp")?.rsplit_once('_')?;
                Some((node, at.parse::<i64>().ok()))
            };
            let (node, at) = match kind {
                "tokenmap" | "manifest" => (rest.strip_suffix(".json"), None),
                "schema" => (rest.strip_suffix(".cql"), None),
                // Older versions have the other word.
                "differential" | "incremental" => (Some(rest), None),
                "started" | "finished" => {
                    timed().map_or((None, None), |(node, at)| (Some(node), at))
                }
                _ => (None, None),
            };
            let Some(node) = node.filter(|node| !node.is_empty()) else { continue };
            let known = nodes.entry(node).or_default();
            match kind {
                "tokenmap" => tokenmap = tokenmap.or_else(|| Some(entry.file_in(folder))),
                "manifest" => drop(manifests.insert(node, entry.file_in(folder))),
                "differential" | "incremental" => is_differential = true,
                "started" => known.started = at,
                "finished" => known.finished = at,
                _ => {}
            }
        }
        let places = nodes.keys().enumerate();
        let manifests = places.filter_map(|(place, node)| Some((place, manifests.remove(node)?)));
        let manifests = manifests.collect();
        let named = |(name, node): (&str, BackupNode)| BackupNode { name: name.to_owned(), ..node };
        let nodes = nodes.into_iter().map(named).collect();
        let backup = Backup { name, is_differential, nodes, missing: Vec::new() };
        IndexFiles { backup, tokenmap, manifests }
    }

    /// The files that are read whole, in order.
    fn wanted(&self) -> impl Iterator<Item = Name> {
        self.tokenmap.iter().chain(self.manifests.iter().map(|(_, name)| name)).cloned()
    }

    /// The backup, with what its files say.
    fn read(
        self,
        store: &dyn Store,
        read: &mut dyn Iterator<Item = (&Name, Result<Vec<u8>, StoreError>)>,
    ) -> Result<Backup, RowsError> {
        let IndexFiles { mut backup, tokenmap, manifests } = self;
        let mut next = || read.next().expect("an answer for each file");
        let contradicted =
            |file: &Name, what: String| RowsError::Contradicted { file: store.show(file), what };
        if tokenmap.is_some() {
            let (name, bytes) = next();
            let hosts = read_medusa_hosts(&bytes?);
            let hosts = hosts.map_err(|error| contradicted(name, error.to_string()))?;
            let there: BTreeSet<&str> = backup.nodes.iter().map(|node| &*node.name).collect();
            let missing = hosts.into_iter().filter(|host| !there.contains(host.as_str()));
            backup.missing = missing.collect();
        }
        for (place, _) in manifests {
            let (name, bytes) = next();
            let tables = read_medusa_manifest(&bytes?);
            let tables = tables.map_err(|error| contradicted(name, error.to_string()))?;
            let objects = tables.iter().flat_map(|table| &table.objects);
            let files = objects.fold(BackupFiles::default(), |sum, object| BackupFiles {
                count: sum.count + 1,
                len: sum.len.saturating_add(object.size),
            });
            backup.nodes[place].files = Some(files);
        }
        Ok(backup)
    }
}
