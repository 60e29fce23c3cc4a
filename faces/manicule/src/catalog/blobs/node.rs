//! Columns of a path in a snapshot.

use super::columns::{micros, push_id, push_ids, push_text};
use crate::answer::{Field, Kind, Rows};
use crate::blobs::{Id, Kept, Node, NodeKind, Time};

pub(super) const SNAPSHOT: usize = 0;
pub(super) const SNAPSHOT_TIME: usize = 1;
pub(super) const HOSTNAME: usize = 2;
pub(super) const PATH: usize = 3;
const NAME: usize = 5;
const TYPE: usize = 6;
const SIZE: usize = 7;
const MODE: usize = 8;
const PERMISSIONS: usize = 9;
/// The first of three times.
const MTIME: usize = 10;
const UID: usize = 13;
const GID: usize = 14;
const USER_NAME: usize = 15;
const GROUP_NAME: usize = 16;
/// The first of three numbers.
const INODE: usize = 17;
const LINK_TARGET: usize = 20;
const SUBTREE: usize = 21;
pub(super) const CONTENT: usize = 22;

pub(super) static FIELDS: &[Field] = &[
    Field::new("snapshot", Kind::Word, "Id of the snapshot."),
    Field::new("snapshot_time", Kind::Micros, "When the snapshot was made."),
    Field::new("hostname", Kind::Word, "Where the snapshot was made."),
    Field::new("path", Kind::Text, "From `/` on; U+FFFD stands for bytes that are not UTF-8."),
    Field::new("path_bytes", Kind::Bytes, "The path, where it is not UTF-8.").or_null(),
    Field::new("name", Kind::Text, "The last name of the path."),
    Field::new(
        "type",
        Kind::Word,
        "`file`, `dir`, `symlink`, `dev`, `chardev`, `fifo`, `socket`, `irregular`.",
    ),
    Field::new("size", Kind::Int, "Bytes of a file.").or_null(),
    Field::new("mode", Kind::Int, "Its mode as Go numbers it."),
    Field::new("permissions", Kind::Word, "Its mode as text: `drwxr-xr-x`."),
    Field::new("mtime", Kind::Micros, "When its contents were last changed, rounded down."),
    Field::new("atime", Kind::Micros, "When it was last read, rounded down."),
    Field::new("ctime", Kind::Micros, "When it itself was last changed, rounded down."),
    Field::new("uid", Kind::Int, "Number of its owner."),
    Field::new("gid", Kind::Int, "Number of its group."),
    Field::new("user_name", Kind::Word, "Name of its owner.").or_null(),
    Field::new("group_name", Kind::Word, "Name of its group.").or_null(),
    Field::new("inode", Kind::Int, "Number of its inode, its 64 bits as they are.").or_null(),
    Field::new(
        "device_id",
        Kind::Int,
        "Number of the device that it lay on, its 64 bits as they are.",
    )
    .or_null(),
    Field::new("links", Kind::Int, "Number of hard links to it.").or_null(),
    Field::new(
        "link_target",
        Kind::Text,
        "Target of a link; U+FFFD stands for bytes that are not UTF-8.",
    )
    .or_null(),
    Field::new("subtree", Kind::Text, "Id of the tree of a folder.").or_null(),
    Field::new("content", Kind::TEXTS, "Ids of the blobs of a file, in its order.").or_null(),
];

/// What is kept of a node until it is its turn.
pub(super) struct Found {
    path: Vec<u8>,
    name_len: usize,
    kind: String,
    size: Option<u64>,
    mode: u32,
    permissions: String,
    times: [Time; 3],
    owner: [u32; 2],
    names: [String; 2],
    /// Inode, device and links; restic leaves out those that are 0.
    numbers: [u64; 3],
    link_target: Vec<u8>,
    subtree: Option<Id>,
    content: Option<Vec<Id>>,
}

impl Found {
    pub(super) fn of(path: &[u8], node: &Node<'_>, has_content: bool) -> Found {
        Found {
            path: path.to_vec(),
            name_len: node.name().len(),
            kind: node.kind_word().into_owned(),
            size: (node.kind == NodeKind::File).then_some(node.size),
            mode: node.mode.0,
            permissions: node.mode.to_string(),
            times: [node.mtime, node.atime, node.ctime],
            owner: [node.uid, node.gid],
            names: [node.user().into_owned(), node.group().into_owned()],
            numbers: [node.inode, node.device_id, node.links],
            link_target: node.link_target().into_owned(),
            subtree: node.subtree,
            content: node.content().filter(|_| has_content).map(<[Id]>::to_vec),
        }
    }
}

/// Pushes all columns of a path.
pub(super) fn push(rows: &mut Rows<'_>, kept: &Kept, found: &Found) {
    push_id(rows, SNAPSHOT, &kept.id);
    rows.int(SNAPSHOT_TIME, micros(kept.snapshot.time));
    rows.text(HOSTNAME, &kept.snapshot.hostname);
    rows.name(PATH, &found.path);
    if let Some(column) = rows.column(NAME) {
        column.lossy(&found.path[found.path.len() - found.name_len..]);
    }
    rows.text(TYPE, &found.kind);
    if let Some(size) = found.size {
        rows.count(SIZE, size);
    }
    rows.int(MODE, found.mode.into());
    rows.text(PERMISSIONS, &found.permissions);
    (MTIME..).zip(found.times).for_each(|(at, time)| rows.int(at, micros(time)));
    (UID..=GID).zip(found.owner).for_each(|(at, number)| rows.int(at, number.into()));
    (USER_NAME..=GROUP_NAME).zip(&found.names).for_each(|(at, name)| push_text(rows, at, name));
    for (at, number) in (INODE..).zip(found.numbers).filter(|(_, number)| *number != 0) {
        rows.int(at, number.cast_signed());
    }
    if let Some(column) = rows.column(LINK_TARGET).filter(|_| !found.link_target.is_empty()) {
        column.lossy(&found.link_target);
    }
    if let Some(tree) = &found.subtree {
        push_id(rows, SUBTREE, tree);
    }
    if let Some(content) = &found.content {
        push_ids(rows, CONTENT, content);
    }
}
