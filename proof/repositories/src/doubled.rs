//! A snapshot of more paths than anybody can walk: each tree names the next one twice.

use std::io;
use std::path::Path;

use manicule_format_restic::{BlobKind, Id, Mode, Moment, OwnedNode, Snapshot, Time, encode_tree};

use crate::packer::{Packer, Storing};
use crate::writer::{Writer, Written};

/// Names of the two folders of a tree, and of the only file, which lies in the last tree.
pub const DOUBLED_NAMES: [&str; 3] = ["one", "other", "leaf"];

const MOMENT: Time =
    Time { moment: Moment { seconds: 1_700_000_000, nanos: 0 }, offset_minutes: 0 };

/// Writes a repository of one snapshot with `depth` trees above the one that holds an empty file:
/// 2^`depth` paths lead to it.
pub fn write_doubled(folder: &Path, depth: u32) -> io::Result<Written> {
    let mut writer = Writer::create(folder, 1)?;
    let mut trees = Packer::new(BlobKind::Tree, 16);
    let [one, other, leaf] = DOUBLED_NAMES;
    let file = OwnedNode { content: Some(Vec::new()), ..node(leaf, "file", Mode(0o644)) };
    let mut last = trees.add(&mut writer, &encode_tree(&[file]), Storing::Compressed)?;
    for _ in 0..depth {
        let folder = |name| OwnedNode {
            subtree: Some(last),
            ..node(name, "dir", Mode(Mode::DIR.0 | 0o755))
        };
        let tree = encode_tree(&[folder(one), folder(other)]);
        last = trees.add(&mut writer, &tree, Storing::Compressed)?;
    }
    trees.flush(&mut writer)?;
    writer.put_snapshot(&snapshot(last).encode())?;
    writer.end()
}

fn node(name: &str, kind: &str, mode: Mode) -> OwnedNode {
    OwnedNode {
        name: name.as_bytes().to_vec(),
        kind: kind.to_owned(),
        mode,
        mtime: MOMENT,
        atime: MOMENT,
        ctime: MOMENT,
        uid: 0,
        gid: 0,
        user: "root".to_owned(),
        group: "root".to_owned(),
        inode: 1,
        device_id: 1,
        size: 0,
        links: 1,
        link_target: Vec::new(),
        extended_attributes: Vec::new(),
        generic_attributes: Vec::new(),
        device: 0,
        content: None,
        subtree: None,
        error: String::new(),
    }
}

fn snapshot(tree: Id) -> Snapshot {
    Snapshot {
        time: MOMENT,
        parent: None,
        tree: Some(tree),
        paths: Some(vec!["/".to_owned()]),
        hostname: "host".to_owned(),
        username: "root".to_owned(),
        uid: 0,
        gid: 0,
        excludes: Vec::new(),
        tags: Vec::new(),
        original: None,
        program_version: "manicule-repositories".to_owned(),
        summary: None,
    }
}
