//! Nodes in any form that restic accepts: fields in any order and case, unknown ones, white space,
//! repetitions.
//!
//! Bytes:   docs/formats/restic.md, sections Trees and JSON

use manicule_core::go::json::{Json, JsonError, Text};

use super::node::{Node, NodeKind, read_extended_attributes, read_generic_attributes, read_name};
use crate::mode::Mode;
use crate::time::Time;
use crate::{Id, base64};

/// Names of a node's fields, in the order in which restic writes them.
const FIELDS: [&str; 22] = [
    "name",
    "type",
    "mode",
    "mtime",
    "atime",
    "ctime",
    "uid",
    "gid",
    "user",
    "group",
    "inode",
    "device_id",
    "size",
    "links",
    "linktarget",
    "linktarget_raw",
    "extended_attributes",
    "generic_attributes",
    "device",
    "content",
    "subtree",
    "error",
];

/// Reads the next value as a node. `null` is one without fields.
pub(super) fn node<'t>(json: &mut Json<'t>, node: &mut Node<'t>) -> Result<(), JsonError> {
    json.kind()?;
    node.clear(json.at());
    let mut name_at = node.at;
    if json.object()? {
        while let Some(field) = json.field()? {
            match field.among(&FIELDS) {
                Some("name") => {
                    json.kind()?;
                    name_at = json.at();
                    text(json, &mut node.texts.name)?;
                }
                Some(field) => value(field, json, node)?,
                None => json.skip()?,
            }
        }
    }
    let wrong = |_| JsonError::new(name_at, "a name in Go's quotes", short(node.texts.name));
    read_name(node.texts.name).map_err(wrong)?;
    node.kind = NodeKind::of_raw(node.texts.kind);
    Ok(())
}

/// Reads the value of any field but the name.
fn value<'t>(
    field: &'static str,
    json: &mut Json<'t>,
    node: &mut Node<'t>,
) -> Result<(), JsonError> {
    let texts = &mut node.texts;
    match field {
        "type" => text(json, &mut texts.kind),
        "user" => text(json, &mut texts.user),
        "group" => text(json, &mut texts.group),
        "linktarget" => text(json, &mut texts.link_target),
        "error" => text(json, &mut texts.error),
        "linktarget_raw" => {
            texts.link_target_raw = base64_text(json)?.map(|text| text.raw());
            Ok(())
        }
        "extended_attributes" => raw(json, &mut texts.extended_attributes, |json| {
            read_extended_attributes(json).map(drop)
        }),
        "generic_attributes" => {
            raw(json, &mut texts.generic_attributes, |json| read_generic_attributes(json).map(drop))
        }
        "content" => {
            node.is_listed = content(json, &mut node.ids)?;
            Ok(())
        }
        "subtree" => {
            node.subtree = Id::read_optional(json)?;
            Ok(())
        }
        _ => number_or_time(field, json, node),
    }
}

fn number_or_time(
    field: &'static str,
    json: &mut Json<'_>,
    node: &mut Node<'_>,
) -> Result<(), JsonError> {
    match field {
        "mtime" => Time::field(json, &mut node.mtime)?,
        "atime" => Time::field(json, &mut node.atime)?,
        "ctime" => Time::field(json, &mut node.ctime)?,
        "mode" => node.mode = json.u32()?.map_or(node.mode, Mode),
        "uid" => node.uid = json.u32()?.unwrap_or(node.uid),
        "gid" => node.gid = json.u32()?.unwrap_or(node.gid),
        "inode" => node.inode = json.u64()?.unwrap_or(node.inode),
        "device_id" => node.device_id = json.u64()?.unwrap_or(node.device_id),
        "size" => node.size = json.u64()?.unwrap_or(node.size),
        "links" => node.links = json.u64()?.unwrap_or(node.links),
        "device" => node.device = json.u64()?.unwrap_or(node.device),
        _ => unreachable!("{field} is none of a node's fields"),
    }
    Ok(())
}

/// A string; `null` leaves what is there.
fn text<'t>(json: &mut Json<'t>, place: &mut &'t [u8]) -> Result<(), JsonError> {
    *place = json.string()?.map_or(*place, |text| text.raw());
    Ok(())
}

/// A string that is base64; `None` for `null`.
fn base64_text<'t>(json: &mut Json<'t>) -> Result<Option<Text<'t>>, JsonError> {
    base64::field(&mut json.clone())?;
    json.string()
}

/// A value that is kept as it stands, once `check` has read it; `null` leaves nothing.
fn raw<'t>(
    json: &mut Json<'t>,
    place: &mut Option<&'t [u8]>,
    check: impl FnOnce(&mut Json<'t>) -> Result<(), JsonError>,
) -> Result<(), JsonError> {
    let raw = json.clone().raw()?;
    check(json)?;
    *place = (raw != b"null").then_some(raw);
    Ok(())
}

/// A list of ids; `false` for `null`.
fn content(json: &mut Json<'_>, ids: &mut Vec<Id>) -> Result<bool, JsonError> {
    ids.clear();
    let is_listed = json.list()?;
    while is_listed && json.element()? {
        ids.push(Id::read(json)?);
    }
    Ok(is_listed)
}

/// The start of a text for a message.
fn short(raw: &[u8]) -> String {
    String::from_utf8_lossy(&raw[..raw.len().min(80)]).into_owned()
}
