//! Nodes in the form that restic writes: keys in its order, no white space, numbers without signs.
//!
//! Each key is compared as a whole, each value checked while it is passed, so that a node costs one
//! pass over its bytes.
//!
//! Bytes:   docs/formats/restic.md, section Trees

use super::cursor::Cursor;
use super::node::{Node, NodeKind, read_name};
use crate::Id;
use crate::mode::Mode;

/// Generic attributes beyond this length are left to the general parser, since they might nest as
/// deep as it allows.
const GENERIC_LEN_MAX: usize = 16 << 10;

/// Reads the node at an offset, and returns the offset after it. `None` where it differs from
/// restic's form in anything; then `node` may have some of its fields.
#[inline]
pub(super) fn node<'t>(bytes: &'t [u8], at: usize, node: &mut Node<'t>) -> Option<usize> {
    node.clear(at as u64);
    let mut cursor = Cursor::new(&bytes[at..]);
    names(&mut cursor, node)?;
    times(&mut cursor, node)?;
    owners(&mut cursor, node)?;
    counts(&mut cursor, node)?;
    attributes(&mut cursor, node)?;
    node.is_listed = content(&mut cursor, &mut node.ids)?;
    if cursor.take(b",\"subtree\":\"") {
        node.subtree = Some(cursor.id()?);
    }
    if cursor.take(b",\"error\":\"") {
        node.texts.error = cursor.string()?;
    }
    cursor.expect(b"}")?;
    Some(bytes.len() - cursor.rest().len())
}

#[inline]
fn names<'t>(cursor: &mut Cursor<'t>, node: &mut Node<'t>) -> Option<()> {
    cursor.expect(b"{\"name\":\"")?;
    let (name, is_escaped) = cursor.string_and_escapes()?;
    if is_escaped {
        read_name(name).ok()?;
    }
    node.texts.name = name;
    cursor.expect(b",\"type\":\"")?;
    (node.kind, node.texts.kind) = kind(cursor)?;
    Some(())
}

/// The rest of the field `type` after its opening quote.
#[inline]
fn kind<'t>(cursor: &mut Cursor<'t>) -> Option<(NodeKind, &'t [u8])> {
    if cursor.take(b"file\"") {
        return Some((NodeKind::File, b"file"));
    }
    if cursor.take(b"dir\"") {
        return Some((NodeKind::Dir, b"dir"));
    }
    let word = cursor.string()?;
    Some((NodeKind::of_raw(word), word))
}

#[inline]
fn times<'t>(cursor: &mut Cursor<'t>, node: &mut Node<'t>) -> Option<()> {
    if cursor.take(b",\"mode\":") {
        node.mode = Mode(cursor.u32()?);
    }
    cursor.expect(b",\"mtime\":\"")?;
    let from = cursor.rest();
    node.mtime = cursor.time()?;
    let mtime = cursor.since(from);
    cursor.expect(b",\"atime\":\"")?;
    // restic writes the same time twice, unless `--with-atime` asks for the other.
    node.atime = if cursor.take_same(mtime) { node.mtime } else { cursor.time()? };
    cursor.expect(b",\"ctime\":\"")?;
    node.ctime = cursor.time()?;
    Some(())
}

#[inline]
fn owners<'t>(cursor: &mut Cursor<'t>, node: &mut Node<'t>) -> Option<()> {
    cursor.expect(b",\"uid\":")?;
    node.uid = cursor.u32()?;
    cursor.expect(b",\"gid\":")?;
    node.gid = cursor.u32()?;
    if cursor.take(b",\"user\":\"") {
        node.texts.user = cursor.string()?;
    }
    if cursor.take(b",\"group\":\"") {
        node.texts.group = cursor.string()?;
    }
    Some(())
}

#[inline]
fn counts<'t>(cursor: &mut Cursor<'t>, node: &mut Node<'t>) -> Option<()> {
    if cursor.take(b",\"inode\":") {
        node.inode = cursor.u64()?;
    }
    if cursor.take(b",\"device_id\":") {
        node.device_id = cursor.u64()?;
    }
    if cursor.take(b",\"size\":") {
        node.size = cursor.u64()?;
    }
    if cursor.take(b",\"links\":") {
        node.links = cursor.u64()?;
    }
    Some(())
}

#[inline]
fn attributes<'t>(cursor: &mut Cursor<'t>, node: &mut Node<'t>) -> Option<()> {
    if cursor.take(b",\"linktarget\":\"") {
        node.texts.link_target = cursor.string()?;
        if cursor.take(b",\"linktarget_raw\":\"") {
            node.texts.link_target_raw = Some(cursor.base64()?);
        }
    }
    if cursor.take(b",\"extended_attributes\":") {
        node.texts.extended_attributes = Some(extended_attributes(cursor)?);
    }
    if cursor.take(b",\"generic_attributes\":") {
        node.texts.generic_attributes = Some(cursor.object(GENERIC_LEN_MAX)?);
    }
    if cursor.take(b",\"device\":") {
        node.device = cursor.u64()?;
    }
    Some(())
}

fn extended_attributes<'t>(cursor: &mut Cursor<'t>) -> Option<&'t [u8]> {
    let from = cursor.rest();
    cursor.expect(b"[")?;
    cursor.list(|cursor| {
        cursor.expect(b"{\"name\":\"")?;
        cursor.string()?;
        cursor.expect(b",\"value\":\"")?;
        cursor.base64()?;
        cursor.expect(b"}")
    })?;
    Some(cursor.since(from))
}

#[inline]
fn content(cursor: &mut Cursor<'_>, ids: &mut Vec<Id>) -> Option<bool> {
    cursor.expect(b",\"content\":")?;
    if cursor.take(b"null") {
        return Some(false);
    }
    cursor.expect(b"[")?;
    cursor.list(|cursor| {
        cursor.expect(b"\"")?;
        ids.push(cursor.id()?);
        Some(())
    })?;
    Some(true)
}
