//! The backups at a prefix: which nodes of the cluster each has, and how large it is. Those by
//! Medusa are what its index says, those by ScyllaDB Manager what their manifests say
//! (`manager.rs`).
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

use manicule_format_sstable::{read_manager_manifest, read_medusa_hosts, read_medusa_manifest};
use manicule_store::EntryKind;
use manicule_store::store::{Answer, Ask, Listed, Name, Store, StoreError};

use crate::RowsError;
use crate::manager::{MANIFESTS, ManifestName};

/// The longest manifest that is read: of a million files.
pub(crate) const MANIFEST_LEN_MAX: u64 = 256 << 20;

/// A backup of a cluster.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Backup {
    /// Its name; the tag of a snapshot by ScyllaDB Manager.
    pub name: String,
    /// Whether a node's files lie in a folder that its backups share.
    pub is_differential: bool,
    /// Its nodes, by name.
    pub nodes: Vec<BackupNode>,
    /// Nodes of the cluster that have not begun it; none of a snapshot by ScyllaDB Manager, which
    /// finishes none before all nodes have put their files.
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
/// Cost: a listing of Medusa's index, one of each of its backups, a listing of all manifests by
///       ScyllaDB Manager, and all manifests; at an address three rounds, two without Medusa.
///
/// # Errors
/// Where there are no backups, and what of them can't be read.
pub fn backups(store: &dyn Store) -> Result<Vec<Backup>, RowsError> {
    let name = |text: &str| Name::new(text).expect("a name");
    let (root, below) = (name("index/backup_index"), name(MANIFESTS));
    let asked = [Ask::Entries(root.clone()), Ask::Below(below.clone())];
    let mut answers = store.ask_all(&asked).into_iter();
    let mut next = || answers.next().expect("an answer to each question");
    let is_folder = |entry: &Listed| entry.kind == EntryKind::Folder;
    let entries = next().map(Answer::into_entries);
    let mut folders: Vec<Name> =
        there(entries)?.iter().filter(|it| is_folder(it)).map(|it| it.file_in(&root)).collect();
    let manifests = match next() {
        Ok(Answer::Below { files, is_whole: true }) => files,
        other => there(other.and_then(|_| files_below(store, &below)))?,
    };
    let snapshots = Snapshots::of(&manifests);
    if folders.is_empty() && snapshots.0.is_empty() {
        let why = format!(
            "no backups here: index/backup_index would have the names of those by Medusa, \
             {MANIFESTS} the manifests of those by ScyllaDB Manager"
        );
        return Err(RowsError::Missing { place: store.show(&Name::root()), why });
    }
    folders.sort();
    let listed = if folders.is_empty() { Vec::new() } else { store.list_all(&folders) };
    let files: Vec<IndexFiles> = folders
        .iter()
        .zip(listed)
        .map(|(folder, listed)| Ok(IndexFiles::of(folder, &listed?)))
        .collect::<Result<_, StoreError>>()?;
    let wanted = files.iter().flat_map(IndexFiles::wanted).chain(snapshots.wanted(&below));
    let wanted: Vec<Name> = wanted.collect();
    let mut read = wanted.iter().zip(store.read_all(&wanted, MANIFEST_LEN_MAX));
    let mut all = Vec::with_capacity(files.len());
    for files in files {
        all.push(files.read(store, &mut read)?);
    }
    all.extend(snapshots.read(store, &mut read)?);
    all.sort_by(|one, other| (one.started(), &one.name).cmp(&(other.started(), &other.name)));
    Ok(all)
}

/// What was listed; nothing where it is missing.
fn there(listed: Result<Vec<Listed>, StoreError>) -> Result<Vec<Listed>, StoreError> {
    match listed {
        Err(error) if error.is_missing() => Ok(Vec::new()),
        listed => listed,
    }
}

/// The files below a folder of which one request doesn't list all: a round for each level.
fn files_below(store: &dyn Store, folder: &Name) -> Result<Vec<Listed>, StoreError> {
    let (mut files, mut level) = (Vec::new(), vec![String::new()]);
    while !level.is_empty() {
        let folders: Vec<Name> = level
            .iter()
            .map(|below| folder.join(below.trim_end_matches('/')).unwrap_or_else(|| folder.clone()))
            .collect();
        let mut next = Vec::new();
        for (below, listed) in level.iter().zip(store.list_all(&folders)) {
            for entry in listed? {
                let name = format!("{below}{}", entry.name);
                match entry.kind {
                    EntryKind::Folder => next.push(format!("{name}/")),
                    _ => files.push(Listed { name, ..entry }),
                }
            }
        }
        level = next;
    }
    Ok(files)
}

/// A result of reading a file, and its name.
type Read<'r> = (&'r Name, Result<Vec<u8>, StoreError>);

/// The snapshots by ScyllaDB Manager, by cluster, task and tag: names of their manifests, by nodes.
struct Snapshots<'l>(BTreeMap<[&'l str; 3], BTreeMap<&'l str, Manifest<'l>>>);

/// The manifest of a node.
#[derive(Clone, Copy)]
struct Manifest<'l> {
    path: &'l str,
    name: ManifestName<'l>,
}

impl<'l> Snapshots<'l> {
    fn of(listed: &'l [Listed]) -> Self {
        let mut all = BTreeMap::<_, BTreeMap<_, _>>::new();
        for entry in listed {
            let names: Vec<&str> = entry.name.split('/').collect();
            let Some(name) = ManifestName::parse(&names) else { continue };
            let nodes = all.entry([name.cluster, name.task, name.tag.0]).or_default();
            let manifest = Manifest { path: &entry.name, name };
            // One that is being moved is there twice for a moment.
            if name.is_finished || !nodes.contains_key(name.node) {
                nodes.insert(name.node, manifest);
            }
        }
        Snapshots(all)
    }

    fn manifests(&self) -> impl Iterator<Item = &Manifest<'l>> {
        self.0.values().flat_map(BTreeMap::values).filter(|manifest| manifest.name.is_finished)
    }

    /// The files that are read whole, in order.
    fn wanted(&self, below: &Name) -> impl Iterator<Item = Name> {
        self.manifests().filter_map(|manifest| below.join(manifest.path))
    }

    /// The backups, with what their manifests say.
    fn read(
        &self,
        store: &dyn Store,
        read: &mut dyn Iterator<Item = Read<'_>>,
    ) -> Result<Vec<Backup>, RowsError> {
        let mut all = Vec::with_capacity(self.0.len());
        for ([_, _, tag], manifests) in &self.0 {
            let mut nodes = Vec::with_capacity(manifests.len());
            for (node, Manifest { name, .. }) in manifests {
                let mut files = None;
                if name.is_finished {
                    let answer = read.next().expect("an answer for each file");
                    files = Some(files_of(store, answer)?);
                }
                let (name, started) = ((*node).to_owned(), name.tag.seconds());
                nodes.push(BackupNode { name, started, finished: None, files });
            }
            let (name, missing) = ((*tag).to_owned(), Vec::new());
            all.push(Backup { name, is_differential: true, nodes, missing });
        }
        Ok(all)
    }
}

/// The files of a manifest by ScyllaDB Manager.
fn files_of(store: &dyn Store, (name, bytes): Read<'_>) -> Result<BackupFiles, RowsError> {
    let tables = read_manager_manifest(&bytes?, MANIFEST_LEN_MAX).map_err(|error| {
        RowsError::Contradicted { file: store.show(name), what: error.to_string() }
    })?;
    Ok(tables.iter().fold(BackupFiles::default(), |sum, table| BackupFiles {
        count: sum.count + table.files.len() as u64,
        len: sum.len.saturating_add(table.size),
    }))
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
        read: &mut dyn Iterator<Item = Read<'_>>,
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
