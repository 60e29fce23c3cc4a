//! Names in backups by ScyllaDB Manager: of manifests, of the folders of SSTables, and of objects
//! that a later backup has replaced.
//!
//! ```text
//! backup/meta/cluster/CLUSTER/dc/DC/node/NODE/task_TASK_tag_TAG_manifest.json.gz
//! backup/sst/cluster/CLUSTER/dc/DC/node/NODE/keyspace/KEYSPACE/table/TABLE/VERSION/FILE
//! ```
//!
//! `TAG` is `sm_YYYYMMDDhhmmssUTC`. A manifest has `.tmp` at its end until all nodes have put their
//! files.
//!
//! Bytes:   docs/formats/sstable.md, Backups

use std::collections::BTreeMap;
use std::ops::Bound;

/// Folder of the manifests of all nodes.
pub(crate) const MANIFESTS: &str = "backup/meta/cluster";

/// What is at the end of a manifest's name once the backup has finished.
const FINISHED: &str = "_manifest.json.gz";

/// What follows it before.
pub(crate) const UNFINISHED: &str = ".tmp";

/// What a manifest's name says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ManifestName<'n> {
    pub(crate) cluster: &'n str,
    pub(crate) dc: &'n str,
    pub(crate) node: &'n str,
    pub(crate) task: &'n str,
    pub(crate) tag: Tag<'n>,
    pub(crate) is_finished: bool,
}

impl<'n> ManifestName<'n> {
    /// By the names below [`MANIFESTS`].
    pub(crate) fn parse(names: &[&'n str]) -> Option<Self> {
        let [cluster, "dc", dc, "node", node, file] = *names else { return None };
        let (file, is_finished) = match file.strip_suffix(UNFINISHED) {
            Some(file) => (file, false),
            None => (file, true),
        };
        let named = file.strip_prefix("task_")?.strip_suffix(FINISHED)?;
        let (task, tag) = named.split_once("_tag_")?;
        Some(ManifestName { cluster, dc, node, task, tag: Tag::of(tag)?, is_finished })
    }

    /// The folder of a table's files, of all its versions.
    pub(crate) fn table(&self, keyspace: &str, table: &str) -> String {
        let ManifestName { cluster, dc, node, .. } = self;
        format!(
            "backup/sst/cluster/{cluster}/dc/{dc}/node/{node}/keyspace/{keyspace}/table/{table}"
        )
    }
}

/// The time at which a backup was begun. Tags are in the order of their texts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Tag<'n>(pub(crate) &'n str);

impl<'n> Tag<'n> {
    pub(crate) fn of(text: &'n str) -> Option<Self> {
        let digits = text.strip_prefix("sm_")?.strip_suffix("UTC")?;
        let is_tag = digits.len() == 14 && digits.bytes().all(|byte| byte.is_ascii_digit());
        is_tag.then_some(Tag(text))
    }

    /// Seconds since 1970; `None` where there is no such time.
    pub(crate) fn seconds(self) -> Option<i64> {
        let number = |from: usize, len: usize| self.0.get(from..from + len)?.parse::<i64>().ok();
        let (year, month, day) = (number(3, 4)?, number(7, 2)?, number(9, 2)?);
        let (hour, minute, second) = (number(11, 2)?, number(13, 2)?, number(15, 2)?);
        let is_time = (1..=12).contains(&month) && (1..=31).contains(&day);
        if !is_time || hour > 23 || minute > 59 || second > 59 {
            return None;
        }
        // Years that begin in March, so that leap days are their last.
        let (year, month) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
        let of_year = (153 * month + 2) / 5 + day - 1;
        let days = 365 * year + year / 4 - year / 100 + year / 400 + of_year - 719_468;
        Some(((days * 24 + hour) * 60 + minute) * 60 + second)
    }
}

/// Objects of a folder by the names of their files: those that later backups have replaced have the
/// tag at their end of the backup that put the next one of that name.
#[derive(Debug)]
pub(crate) struct Objects<'n, T> {
    replaced: BTreeMap<(&'n str, Tag<'n>), T>,
    newest: BTreeMap<&'n str, T>,
}

impl<'n, T> Objects<'n, T> {
    pub(crate) fn of(all: impl IntoIterator<Item = (&'n str, T)>) -> Self {
        let (mut replaced, mut newest) = (BTreeMap::new(), BTreeMap::new());
        for (name, object) in all {
            let tagged = name.rsplit_once('.').and_then(|(file, tag)| Some((file, Tag::of(tag)?)));
            match tagged {
                Some(tagged) => _ = replaced.insert(tagged, object),
                None => _ = newest.insert(name, object),
            }
        }
        Objects { replaced, newest }
    }

    /// The object that a file is in a backup: the first that one after it has replaced, else the
    /// newest.
    pub(crate) fn get(&self, file: &'n str, tag: Tag<'n>) -> Option<&T> {
        let mut after = self.replaced.range((Bound::Excluded((file, tag)), Bound::Unbounded));
        match after.next() {
            Some(((name, _), object)) if *name == file => Some(object),
            _ => self.newest.get(file),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_manifests() {
        let names =
            ["c", "dc", "d", "node", "n", "task_t_tag_sm_20231116080000UTC_manifest.json.gz"];
        let name = ManifestName::parse(&names).expect("a manifest");
        assert_eq!((name.task, name.tag.0, name.is_finished), ("t", "sm_20231116080000UTC", true));
        assert_eq!(name.table("ks", "t"), "backup/sst/cluster/c/dc/d/node/n/keyspace/ks/table/t");
        let of = |file: &str| ManifestName::parse(&["c", "dc", "d", "node", "n", file]).is_some();
        assert!(of("task_t_tag_sm_20231116080000UTC_manifest.json.gz.tmp"));
        assert!(!of("task_t_tag_sm_2023111608000UTC_manifest.json.gz"));
        assert!(!of("task_t_tag_sm_20231116080000UTC_schema.tar.gz"));
        assert!(ManifestName::parse(&names[1..]).is_none());
    }

    #[test]
    fn tags_are_times() {
        let seconds = |text: &'static str| Tag::of(text).and_then(Tag::seconds);
        assert_eq!(seconds("sm_19700101000000UTC"), Some(0));
        assert_eq!(seconds("sm_20231116080000UTC"), Some(1_700_121_600));
        assert_eq!(seconds("sm_20240229235959UTC"), Some(1_709_251_199));
        assert_eq!(seconds("sm_20001301000000UTC"), None);
        assert!(Tag::of("sm_+9700101000000UTC").is_none() && Tag::of("sm_1970UTC").is_none());
    }

    #[test]
    fn a_file_is_the_object_that_the_next_backup_after_has_replaced() {
        let names = [
            "a.sm_20230102000000UTC",
            "a",
            "a.sm_20230104000000UTC",
            "b",
            "c.sm_20230102000000UTC",
        ];
        let objects = Objects::of(names.into_iter().zip(0..));
        let of = |file, tag: &'static str| objects.get(file, Tag::of(tag).expect("a tag")).copied();
        assert_eq!(of("a", "sm_20230101000000UTC"), Some(0));
        assert_eq!(of("a", "sm_20230102000000UTC"), Some(2));
        assert_eq!(of("a", "sm_20230103000000UTC"), Some(2));
        assert_eq!(of("a", "sm_20230104000000UTC"), Some(1));
        assert_eq!(of("b", "sm_20230101000000UTC"), Some(3));
        assert_eq!(
            (of("c", "sm_20230103000000UTC"), of("d", "sm_20230103000000UTC")),
            (None, None)
        );
    }
}
