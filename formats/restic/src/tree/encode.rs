//! Trees as restic writes them, byte for byte: fields in its order, those of zero left out, Go's
//! escapes.
//!
//! Bytes:   docs/formats/restic.md, section Trees

use std::io::Write as _;

use manicule_core::go::json::put_string;
use manicule_core::go::quote;

use super::node::{ExtendedAttribute, Node};
use crate::mode::Mode;
use crate::time::Time;
use crate::{Id, base64};

/// A node with everything in it decoded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OwnedNode {
    /// The real name: any bytes.
    pub name: Vec<u8>,
    /// The word for what it is, such as `file`.
    pub kind: String,
    /// Its mode.
    pub mode: Mode,
    /// When its contents were last changed.
    pub mtime: Time,
    /// When it was last read.
    pub atime: Time,
    /// When it itself was last changed.
    pub ctime: Time,
    /// Number of its owner.
    pub uid: u32,
    /// Number of its group.
    pub gid: u32,
    /// Name of its owner.
    pub user: String,
    /// Name of its group.
    pub group: String,
    /// Number of its inode.
    pub inode: u64,
    /// Number of the device that it lies on.
    pub device_id: u64,
    /// Size of a file, in bytes.
    pub size: u64,
    /// Number of hard links to it.
    pub links: u64,
    /// Target of a link: any bytes.
    pub link_target: Vec<u8>,
    /// Extended attributes, written in this order.
    pub extended_attributes: Vec<ExtendedAttribute>,
    /// Generic attributes, written in this order, each with a value in compact JSON. Restic orders
    /// them by name.
    pub generic_attributes: Vec<(String, Vec<u8>)>,
    /// Number of the device that it is.
    pub device: u64,
    /// Data blobs of a file; `None` for anything else.
    pub content: Option<Vec<Id>>,
    /// The tree of a folder.
    pub subtree: Option<Id>,
    /// An error that the writer met.
    pub error: String,
}

impl Node<'_> {
    /// The node with everything in it decoded.
    pub fn to_owned(&self) -> OwnedNode {
        let values = self.generic_attributes().into_iter();
        OwnedNode {
            name: self.name().into_owned(),
            kind: self.kind_word().into_owned(),
            mode: self.mode,
            mtime: self.mtime,
            atime: self.atime,
            ctime: self.ctime,
            uid: self.uid,
            gid: self.gid,
            user: self.user().into_owned(),
            group: self.group().into_owned(),
            inode: self.inode,
            device_id: self.device_id,
            size: self.size,
            links: self.links,
            link_target: self.link_target().into_owned(),
            extended_attributes: self.extended_attributes(),
            generic_attributes: values.map(|(name, value)| (name, value.to_vec())).collect(),
            device: self.device,
            content: self.content().map(<[Id]>::to_vec),
            subtree: self.subtree,
            error: self.error().into_owned(),
        }
    }
}

/// The bytes of a tree, whose SHA-256 is its id.
///
/// # Panics
/// If the names don't increase strictly by their bytes: readers rely on it.
pub fn encode_tree(nodes: &[OwnedNode]) -> Vec<u8> {
    assert!(nodes.is_sorted_by(|a, b| a.name < b.name), "names increase, by their bytes");
    let mut out = b"{\"nodes\":[".to_vec();
    for (at, node) in nodes.iter().enumerate() {
        if at > 0 {
            out.push(b',');
        }
        put_node(node, &mut out);
    }
    out.extend_from_slice(b"]}\n");
    out
}

/// Appends a node as it stands in a tree.
pub fn put_node(node: &OwnedNode, out: &mut Vec<u8>) {
    let quoted = quote(&node.name);
    out.extend_from_slice(b"{\"name\":");
    put_string(&quoted.as_bytes()[1..quoted.len() - 1], out);
    out.extend_from_slice(b",\"type\":");
    put_string(&node.kind, out);
    put_count("mode", node.mode.0.into(), out);
    for (name, time) in [("mtime", node.mtime), ("atime", node.atime), ("ctime", node.ctime)] {
        put_time(name, time, out);
    }
    // Writing to memory can't fail.
    let _ = write!(out, ",\"uid\":{},\"gid\":{}", node.uid, node.gid);
    put_text("user", node.user.as_bytes(), out);
    put_text("group", node.group.as_bytes(), out);
    put_count("inode", node.inode, out);
    put_count("device_id", node.device_id, out);
    put_count("size", node.size, out);
    put_count("links", node.links, out);
    put_link_target(&node.link_target, out);
    put_extended_attributes(&node.extended_attributes, out);
    put_generic_attributes(&node.generic_attributes, out);
    put_count("device", node.device, out);
    put_content(node.content.as_deref(), out);
    if let Some(id) = node.subtree {
        put_key("subtree", out);
        put_id(id, out);
    }
    put_text("error", node.error.as_bytes(), out);
    out.push(b'}');
}

/// The name of any field but the first.
pub(super) fn put_key(name: &str, out: &mut Vec<u8>) {
    // Writing to memory can't fail.
    let _ = write!(out, ",\"{name}\":");
}

/// A number, unless it is 0.
pub(super) fn put_count(name: &str, count: u64, out: &mut Vec<u8>) {
    if count != 0 {
        let _ = write!(out, ",\"{name}\":{count}");
    }
}

/// A string, unless it is empty.
pub(super) fn put_text(name: &str, text: &[u8], out: &mut Vec<u8>) {
    if !text.is_empty() {
        put_key(name, out);
        put_string(text, out);
    }
}

pub(super) fn put_time(name: &str, time: Time, out: &mut Vec<u8>) {
    put_key(name, out);
    out.push(b'"');
    time.put(out);
    out.push(b'"');
}

/// The target as a text and, where that loses something, its bytes.
fn put_link_target(target: &[u8], out: &mut Vec<u8>) {
    put_text("linktarget", target, out);
    if str::from_utf8(target).is_err() {
        put_key("linktarget_raw", out);
        put_base64(target, out);
    }
}

fn put_extended_attributes(attributes: &[ExtendedAttribute], out: &mut Vec<u8>) {
    let mut open: &[u8] = b",\"extended_attributes\":[";
    for attribute in attributes {
        out.extend_from_slice(open);
        open = b",";
        out.extend_from_slice(b"{\"name\":");
        put_string(&attribute.name, out);
        put_key("value", out);
        put_base64(&attribute.value, out);
        out.push(b'}');
    }
    if !attributes.is_empty() {
        out.push(b']');
    }
}

fn put_generic_attributes(attributes: &[(String, Vec<u8>)], out: &mut Vec<u8>) {
    let mut open: &[u8] = b",\"generic_attributes\":{";
    for (name, value) in attributes {
        out.extend_from_slice(open);
        open = b",";
        put_string(name, out);
        out.push(b':');
        out.extend_from_slice(value);
    }
    if !attributes.is_empty() {
        out.push(b'}');
    }
}

fn put_content(content: Option<&[Id]>, out: &mut Vec<u8>) {
    let Some(ids) = content else { return out.extend_from_slice(b",\"content\":null") };
    out.extend_from_slice(b",\"content\":[");
    for (at, id) in ids.iter().enumerate() {
        if at > 0 {
            out.push(b',');
        }
        put_id(*id, out);
    }
    out.push(b']');
}

fn put_id(id: Id, out: &mut Vec<u8>) {
    out.push(b'"');
    out.extend_from_slice(&id.digits());
    out.push(b'"');
}

fn put_base64(bytes: &[u8], out: &mut Vec<u8>) {
    out.push(b'"');
    base64::put(bytes, out);
    out.push(b'"');
}
