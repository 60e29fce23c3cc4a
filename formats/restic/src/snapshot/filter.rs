//! Which snapshots a command means: restic's rules for `latest`, `--host`, `--tag` and `--path`.

use super::Snapshot;
use crate::Id;
use crate::time::Moment;

/// Conditions that a snapshot has to meet, all of them; an empty list is none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SnapshotFilter {
    /// It is of one of these hosts. A single empty name is no condition, as in restic: it takes a
    /// default back.
    pub hosts: Vec<String>,
    /// It has all tags of one of these lists. The empty tag in a list is met by a snapshot without
    /// tags.
    pub tags: Vec<Vec<String>>,
    /// All of these paths are among its own, as they stand.
    pub paths: Vec<String>,
}

impl SnapshotFilter {
    /// Without conditions.
    pub fn any() -> Self {
        SnapshotFilter { hosts: Vec::new(), tags: Vec::new(), paths: Vec::new() }
    }

    /// Whether a snapshot meets the conditions.
    pub fn matches(&self, snapshot: &Snapshot) -> bool {
        self.matches_host(&snapshot.hostname)
            && (self.tags.is_empty() || self.tags.iter().any(|list| has_tags(snapshot, list)))
            && self.paths.iter().all(|path| snapshot.paths().contains(path))
    }

    fn matches_host(&self, host: &String) -> bool {
        match self.hosts.as_slice() {
            [] => true,
            [only] if only.is_empty() => true,
            hosts => hosts.contains(host),
        }
    }
}

/// Whether a snapshot has all tags of a list. As in restic, the empty tag ends the comparison where
/// there are no tags.
fn has_tags(snapshot: &Snapshot, list: &[String]) -> bool {
    for tag in list {
        if tag.is_empty() && snapshot.tags.is_empty() {
            return true;
        }
        if !snapshot.tags.contains(tag) {
            return false;
        }
    }
    true
}

/// The list of tags that an option stands for: `a, b` is both.
pub fn read_tags(option: &str) -> Vec<String> {
    option.split(',').map(|tag| tag.trim().to_owned()).collect()
}

/// The snapshot that `latest` means: the newest that meets the conditions, not after `limit`. Of
/// several at the same moment that of the greatest id, where restic takes any.
pub fn newest<'s>(
    snapshots: impl IntoIterator<Item = (Id, &'s Snapshot)>,
    filter: &SnapshotFilter,
    limit: Option<Moment>,
) -> Option<(Id, &'s Snapshot)> {
    let is_in_time = |snapshot: &Snapshot| limit.is_none_or(|limit| snapshot.time.moment <= limit);
    let wanted = |(_, snapshot): &(Id, &Snapshot)| is_in_time(snapshot) && filter.matches(snapshot);
    snapshots.into_iter().filter(wanted).max_by_key(|(id, snapshot)| (snapshot.time.moment, *id))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn snapshot(time: &str, host: &str, tags: &str, paths: &[&str]) -> Snapshot {
        let mut snapshot = Snapshot::empty();
        snapshot.time = crate::time::Time::parse(time.as_bytes()).unwrap();
        snapshot.hostname = host.to_owned();
        snapshot.tags = if tags.is_empty() { Vec::new() } else { read_tags(tags) };
        snapshot.paths = Some(paths.iter().map(|path| (*path).to_owned()).collect());
        snapshot
    }

    fn filter(hosts: &[&str], tags: &[&str], paths: &[&str]) -> SnapshotFilter {
        let owned = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect();
        let tags = tags.iter().map(|list| read_tags(list)).collect();
        SnapshotFilter { hosts: owned(hosts), tags, paths: owned(paths) }
    }

    #[test]
    fn conditions_are_met_as_in_restic() {
        let tagged = snapshot("2025-01-01T00:00:00Z", "atlas", "daily,db", &["/srv", "/var/x"]);
        let bare = snapshot("2025-01-01T00:00:00Z", "", "", &[]);
        for (hosts, tags, paths, is_tagged, is_bare) in [
            (&[][..], &[][..], &[][..], true, true),
            (&["atlas"], &[], &[], true, false),
            (&["other", "atlas"], &[], &[], true, false),
            (&["Atlas"], &[], &[], false, false),
            (&[""], &[], &[], true, true),
            (&["", "other"], &[], &[], false, true),
            (&[], &["daily"], &[], true, false),
            (&[], &["daily, db "], &[], true, false),
            (&[], &["daily,web"], &[], false, false),
            (&[], &["web", "db"], &[], true, false),
            (&[], &[""], &[], false, true),
            (&[], &["daily", ""], &[], true, true),
            (&[], &["web,"], &[], false, false),
            (&[], &[",web"], &[], false, true),
            (&[], &[], &["/srv"], true, false),
            (&[], &[], &["/var/x", "/srv"], true, false),
            (&[], &[], &["/srv/"], false, false),
            (&["atlas"], &["db"], &["/srv"], true, false),
            (&["atlas"], &["web"], &["/srv"], false, false),
        ] {
            let filter = filter(hosts, tags, paths);
            assert_eq!(filter.matches(&tagged), is_tagged, "{filter:?}");
            assert_eq!(filter.matches(&bare), is_bare, "{filter:?}");
        }
    }

    #[test]
    fn the_newest_is_that_of_the_last_moment_then_of_the_greatest_id() {
        let of = |number: u8| Id([number; 32]);
        let first = snapshot("2025-01-01T10:00:00+02:00", "a", "", &[]);
        let second = snapshot("2025-01-01T09:00:00Z", "a", "", &[]);
        let third = snapshot("2025-01-02T00:00:00Z", "b", "", &[]);
        let all = [(of(9), &first), (of(1), &second), (of(2), &second), (of(3), &third)];
        let newest = |hosts: &[&str], limit: Option<&Snapshot>| {
            let limit = limit.map(|snapshot| snapshot.time.moment);
            newest(all, &filter(hosts, &[], &[]), limit).map(|(id, _)| id.0[0])
        };
        assert_eq!(newest(&[], None), Some(3));
        assert_eq!(newest(&["a"], None), Some(2));
        assert_eq!(newest(&[], Some(&second)), Some(2));
        assert_eq!(newest(&[], Some(&first)), Some(9));
        assert_eq!(newest(&["b"], Some(&second)), None);
    }
}
