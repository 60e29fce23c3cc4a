//! Snapshots of a host.

use std::io;

use manicule_format_restic::{Id, Moment, Snapshot, Time};

use super::Fleet;
use super::host::{FolderIndex, Host, PathSet, ROOT};
use super::trees;

/// Stores what a set of a host's paths has now, and ends the backup's packs. Whether there is a
/// snapshot of it, or was one that was forgotten, is the caller's to say.
pub(super) fn back_up(
    host: &mut Host,
    fleet: &mut Fleet,
    set: usize,
    is_kept: bool,
) -> io::Result<()> {
    let paths = host.sort.sets[set].paths;
    let targets: Vec<FolderIndex> = paths.iter().map(|path| host.fixed(path)).collect();
    let tree = trees::store_way(host, fleet, ROOT, &targets)?;
    fleet.contents.end_backup(&mut fleet.writer)?;
    fleet.trees.flush(&mut fleet.writer)?;
    if is_kept {
        let json = snapshot(host, set, tree).encode();
        host.last[set] = Some(fleet.writer.put_snapshot(&json)?);
    }
    Ok(())
}

fn snapshot(host: &Host, set: usize, tree: Id) -> Snapshot {
    let moment = Moment { seconds: host.now_s as i64, nanos: 123_000_000 };
    let owned = |texts: &[&str]| texts.iter().map(|&text| text.to_owned()).collect();
    let PathSet { paths, tags, .. } = &host.sort.sets[set];
    let user = if host.sort.user == "root" { 0 } else { 1000 };
    Snapshot {
        time: Time { moment, offset_minutes: 0 },
        parent: host.last[set],
        tree: Some(tree),
        paths: Some(owned(paths)),
        hostname: host.sort.name.to_owned(),
        username: host.sort.user.to_owned(),
        uid: user,
        gid: user,
        excludes: Vec::new(),
        tags: owned(tags),
        original: None,
        program_version: "manicule-repositories".to_owned(),
        summary: None,
    }
}
