//! Nodes as restic's listings print them: `ls --json` and `find --json`.
//!
//! Bytes:   docs/formats/restic.md, section Listings
//! Callers: faces/cli, by way of engines/blobs

use std::io::Write as _;

use manicule_core::go::json::put_string;

use super::encode::{put_count, put_key, put_text, put_time};
use super::node::{Node, NodeKind};

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

/// Appends a match of `find --json`, an object of the list `matches`. `path` is the node's whole path, from `/` on.
pub fn put_found_node(path: &[u8], node: &Node<'_>, out: &mut Vec<u8>) {
    out.extend_from_slice(b"{\"path\":");
    put_string(path, out);
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
    out.push(b'}');
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
