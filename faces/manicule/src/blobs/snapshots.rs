//! Snapshots, listed as restic lists them: in groups, the last ones of each, as JSON.

use std::collections::{BTreeMap, HashMap};

use manicule_blobs::{Kept, Snapshot, SnapshotFilter, Snapshots, put_human_len};
use manicule_core::go::json::put_string;

use super::choose::chosen;
use super::error::Error;

/// What snapshots are grouped by.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct GroupBy {
    /// Their host.
    pub host: bool,
    /// Their paths.
    pub paths: bool,
    /// Their tags.
    pub tags: bool,
}

impl GroupBy {
    /// Whether there is more than one group.
    pub fn is_any(self) -> bool {
        self != GroupBy::default()
    }
}

/// Arguments of listing snapshots.
#[derive(Clone, Debug)]
pub struct SnapshotsCall {
    /// Beginnings of ids, or `latest`; without any, those that the filter admits.
    pub words: Vec<String>,
    /// Conditions on the snapshots.
    pub filter: SnapshotFilter,
    /// What they are grouped by.
    pub group_by: GroupBy,
    /// Number of the newest ones that are listed of each group, or else of each host and set of
    /// paths.
    pub latest: Option<usize>,
}

/// What the snapshots of a group have in common.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct GroupKey {
    /// The host; empty where they are not grouped by it.
    pub hostname: String,
    /// The paths, ordered.
    pub paths: Option<Vec<String>>,
    /// The tags, ordered.
    pub tags: Option<Vec<String>>,
}

/// A group, its snapshots by time.
#[derive(Clone, Debug)]
pub struct Group {
    /// What they have in common.
    pub key: GroupKey,
    /// The snapshots, their paths ordered, and their tags where they are grouped by them.
    pub snapshots: Vec<Kept>,
}

/// Lists snapshots in groups, which are ordered by what they have in common.
pub fn snapshot_groups(snapshots: &Snapshots, call: &SnapshotsCall) -> Result<Vec<Group>, Error> {
    let mut groups: BTreeMap<GroupKey, Vec<Kept>> = BTreeMap::new();
    for at in chosen(snapshots, &call.words, &call.filter)? {
        let mut kept = snapshots.kept[at].clone();
        kept.snapshot.paths.iter_mut().for_each(|paths| paths.sort_unstable());
        if call.group_by.tags {
            kept.snapshot.tags.sort_unstable();
        }
        groups.entry(key_of(&kept.snapshot, call.group_by)).or_default().push(kept);
    }
    if groups.is_empty() && !call.group_by.is_any() {
        groups.insert(GroupKey::default(), Vec::new());
    }
    let group = |(key, snapshots): (GroupKey, Vec<Kept>)| {
        let snapshots = match call.latest {
            None => snapshots,
            Some(count) => last_ones(snapshots, count, call.group_by.is_any()),
        };
        Group { key, snapshots }
    };
    Ok(groups.into_iter().map(group).collect())
}

fn key_of(snapshot: &Snapshot, by: GroupBy) -> GroupKey {
    GroupKey {
        hostname: if by.host { snapshot.hostname.clone() } else { String::new() },
        paths: by.paths.then(|| snapshot.paths().to_vec()),
        tags: by.tags.then(|| snapshot.tags.clone()),
    }
}

/// The newest ones, in the order of time.
fn last_ones(snapshots: Vec<Kept>, count: usize, is_group: bool) -> Vec<Kept> {
    let mut met: HashMap<(String, String), usize> = HashMap::new();
    let mut kept: Vec<Kept> = snapshots
        .into_iter()
        .rev()
        .filter(|kept| {
            let snapshot = &kept.snapshot;
            let own = (snapshot.hostname.clone(), snapshot.paths().join("|"));
            let met = met.entry(if is_group { Default::default() } else { own }).or_default();
            *met += 1;
            *met <= count
        })
        .collect();
    kept.reverse();
    kept
}

/// The list that `restic snapshots --json` prints, with a line end.
pub fn put_groups(groups: &[Group], by: GroupBy, out: &mut Vec<u8>) {
    if !by.is_any() {
        let all: Vec<&Kept> = groups.iter().flat_map(|group| &group.snapshots).collect();
        put_list(&all, out);
        out.push(b'\n');
        return;
    }
    out.push(b'[');
    for (at, group) in groups.iter().enumerate() {
        if at > 0 {
            out.push(b',');
        }
        out.extend_from_slice(b"{\"group_key\":{\"hostname\":");
        put_string(&group.key.hostname, out);
        for (name, texts) in [("paths", &group.key.paths), ("tags", &group.key.tags)] {
            out.extend_from_slice(format!(",\"{name}\":").as_bytes());
            put_texts(texts.as_deref(), out);
        }
        out.extend_from_slice(b"},\"snapshots\":");
        put_list(&group.snapshots.iter().collect::<Vec<_>>(), out);
        out.push(b'}');
    }
    out.extend_from_slice(b"]\n");
}

fn put_texts(texts: Option<&[String]>, out: &mut Vec<u8>) {
    // An empty list of tags is none to restic.
    let Some(texts) = texts.filter(|texts| !texts.is_empty()) else {
        return out.extend_from_slice(b"null");
    };
    out.push(b'[');
    for (at, text) in texts.iter().enumerate() {
        if at > 0 {
            out.push(b',');
        }
        put_string(text, out);
    }
    out.push(b']');
}

fn put_list(snapshots: &[&Kept], out: &mut Vec<u8>) {
    out.push(b'[');
    for (at, kept) in snapshots.iter().enumerate() {
        if at > 0 {
            out.push(b',');
        }
        kept.snapshot.put_listed(kept.id, out);
    }
    out.push(b']');
}

/// A snapshot as restic's texts name it: `snapshot ID of [PATHS] at TIME by USER@HOST`.
pub fn in_words(kept: &Kept) -> String {
    let Snapshot { time, username, hostname, .. } = &kept.snapshot;
    let paths = kept.snapshot.paths().join(" ");
    let (id, time) = (kept.id.short(), time.in_words());
    format!("snapshot {id} of [{paths}] at {time} by {username}@{hostname}")
}

/// A number of bytes as restic's texts have it.
pub fn bytes_in_words(len: u64) -> String {
    let mut text = Vec::new();
    put_human_len(len, &mut text);
    String::from_utf8_lossy(&text).into_owned()
}
