//! Nodes as restic's listings print them: `ls --json` and `find --json`.
//!
//! Bytes:   docs/formats/restic.md, section Listings

use std::io::Write as _;

use manicule_core::go::json::put_string;

use super::encode::{put_count, put_key, put_text, put_time};
use super::node::{Node, NodeKind};
use crate::Id;
use crate::blob::BlobKind;
use crate::mode::Mode;
use crate::time::Time;

/// Appends a line of `ls --json`, line end included. `path` is the node's whole path, from `/` on.
///
/// A file has its size even if it is 0, anything else never has one.
pub fn put_listed_node(path: &[u8], node: &Node<'_>, out: &mut Vec<u8>) {
    out.extend_from_slice(b"{\"name\":");
    put_string(node.name(), out);
    put_key("type", out);
    put_string(node.kind_word().as_bytes(), out);
    put_key("path", out);
    put_string(path, out);
    // Writing to memory can't fail.
    let _ = write!(out, ",\"uid\":{},\"gid\":{}", node.uid, node.gid);
    if node.kind == NodeKind::File {
        let _ = write!(out, ",\"size\":{}", node.size);
    }
    put_count("mode", node.mode.0.into(), out);
    put_permissions(node, out);
    put_times(node, out);
    put_count("inode", node.inode, out);
    out.extend_from_slice(b",\"message_type\":\"node\",\"struct_type\":\"node\"}\n");
}

/// Appends a node as `ls --ncdu` prints it: an object of ncdu's export. Sizes on disk are in whole
/// blocks of 512 bytes.
pub fn put_ncdu_node(node: &Node<'_>, out: &mut Vec<u8>) {
    const BLOCK_LEN: u64 = 512;
    let dsize = node.size.div_ceil(BLOCK_LEN).wrapping_mul(BLOCK_LEN);
    let is_plain = matches!(node.kind, NodeKind::Dir | NodeKind::File);
    // ncdu takes no time before 1970.
    let mtime = node.mtime.moment.seconds.max(0);
    out.extend_from_slice(b"{\"name\":");
    put_string(node.name(), out);
    // Writing to memory can't fail.
    let _ = write!(
        out,
        ",\"asize\":{},\"dsize\":{dsize},\"dev\":{},\"ino\":{},\"nlink\":{},\"notreg\":{},\"uid\":{},\"gid\":{},\"mode\":{},\"mtime\":{mtime}}}",
        node.size,
        node.device_id,
        node.inode,
        node.links,
        !is_plain,
        node.uid,
        node.gid,
        node.mode.of_system(),
    );
}

/// Appends the start of a match of `find --json`, an object of the list `matches`. `path` is the
/// node's whole path, from `/` on.
pub fn put_found_path(path: &[u8], out: &mut Vec<u8>) {
    out.extend_from_slice(b"{\"path\":");
    put_string(path, out);
}

/// Appends the rest of such a match, but for the brace that ends it.
pub fn put_found_fields(node: &Node<'_>, out: &mut Vec<u8>) {
    put_permissions(node, out);
    put_key("type", out);
    put_string(node.kind_word().as_bytes(), out);
    put_count("mode", node.mode.0.into(), out);
    put_times(node, out);
    let _ = write!(out, ",\"uid\":{},\"gid\":{}", node.uid, node.gid);
    put_text("user", node.user().as_bytes(), out);
    put_text("group", node.group().as_bytes(), out);
    put_count("inode", node.inode, out);
    put_count("device_id", node.device_id, out);
    put_count("size", node.size, out);
    put_count("links", node.links, out);
    put_text("linktarget", &node.link_target(), out);
    put_text("error", node.error().as_bytes(), out);
}

/// A file that needs a blob, or a folder that is a tree, in a snapshot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FoundObject<'p> {
    /// Which of the two.
    pub kind: BlobKind,
    /// The blob's id.
    pub id: Id,
    /// The path, from `/` on.
    pub path: &'p [u8],
    /// The tree that a file is in.
    pub parent: Option<Id>,
    /// The snapshot.
    pub snapshot: Id,
    /// When that was made.
    pub time: Time,
}

impl FoundObject<'_> {
    /// restic's word for the kind.
    pub fn word(&self) -> &'static str {
        match self.kind {
            BlobKind::Data => "blob",
            BlobKind::Tree => "tree",
        }
    }

    /// Appends an object of the list that `find --json` prints for ids.
    pub fn put(&self, out: &mut Vec<u8>) {
        // Writing to memory can't fail.
        let (word, id) = (self.word(), self.id);
        let _ = write!(out, "{{\"object_type\":\"{word}\",\"id\":\"{id}\"");
        put_key("path", out);
        put_string(self.path, out);
        if let Some(tree) = self.parent {
            let _ = write!(out, ",\"parent_tree\":\"{tree}\"");
        }
        let _ = write!(out, ",\"snapshot\":\"{}\"", self.snapshot);
        put_time("time", self.time, out);
        out.push(b'}');
    }
}

/// Appends what a line of `find --long` has before the path: mode, numbers of owner and group,
/// size, time of the last change in UTC.
pub fn put_long_fields(node: &Node<'_>, is_human: bool, out: &mut Vec<u8>) {
    Mode(node.kind.mode().0 | node.mode.0).put(out);
    let _ = write!(out, " {:5} {:5} ", node.uid, node.gid);
    if is_human {
        put_human_len(node.size, out)
    } else {
        drop(write!(out, "{:6}", node.size))
    }
    out.push(b' ');
    node.mtime.moment.put_clock(out);
    out.push(b' ');
}

/// Appends what such a line has after the path: the target of a link.
pub fn put_long_target(node: &Node<'_>, out: &mut Vec<u8>) {
    if node.kind == NodeKind::Symlink {
        out.extend_from_slice(b" -> ");
        out.extend_from_slice(&node.link_target());
    }
}

/// A number of bytes in the largest unit that it reaches, with three decimals, as restic's texts
/// have it.
pub fn put_human_len(len: u64, out: &mut Vec<u8>) {
    let units = [(40, "TiB"), (30, "GiB"), (20, "MiB"), (10, "KiB")];
    let _ = match units.into_iter().find(|(bits, _)| len >> bits > 0) {
        Some((bits, unit)) => write!(out, "{:.3} {unit}", len as f64 / (1_u64 << bits) as f64),
        None => write!(out, "{len} B"),
    };
}

fn put_permissions(node: &Node<'_>, out: &mut Vec<u8>) {
    put_key("permissions", out);
    out.push(b'"');
    node.mode.put(out);
    out.push(b'"');
}

fn put_times(node: &Node<'_>, out: &mut Vec<u8>) {
    for (name, time) in [("mtime", node.mtime), ("atime", node.atime), ("ctime", node.ctime)] {
        put_time(name, time, out);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_have_the_unit_that_they_reach() {
        for (len, want) in [
            (0, "0 B"),
            (1023, "1023 B"),
            (1024, "1.000 KiB"),
            (1_048_575, "1023.999 KiB"),
            (1_500_000, "1.431 MiB"),
            (5 << 30, "5.000 GiB"),
            (u64::MAX, "16777216.000 TiB"),
        ] {
            let mut text = Vec::new();
            put_human_len(len, &mut text);
            assert_eq!(String::from_utf8(text).unwrap(), want);
        }
    }
}
