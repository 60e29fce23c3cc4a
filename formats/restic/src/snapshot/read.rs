//! Reads a snapshot, with the verdicts of Go's decoder.
//!
//! Bytes:   docs/formats/restic.md, sections Snapshots and JSON

use manicule_core::go::json::{Json, JsonError};

use super::{Snapshot, Summary};
use crate::Id;
use crate::time::Time;

/// Names of the fields, in the order in which restic writes them.
const FIELDS: [&str; 13] = [
    "time",
    "parent",
    "tree",
    "paths",
    "hostname",
    "username",
    "uid",
    "gid",
    "excludes",
    "tags",
    "original",
    "program_version",
    "summary",
];

impl Snapshot {
    /// Reads the plaintext of a snapshot file.
    pub fn parse(bytes: &[u8]) -> Result<Self, JsonError> {
        let mut json = Json::new(bytes);
        let mut snapshot = Snapshot::empty();
        if json.object()? {
            while let Some(field) = json.field()? {
                match field.among(&FIELDS) {
                    Some(field) => snapshot.read_field(field, &mut json)?,
                    None => json.skip()?,
                }
            }
        }
        json.end()?;
        Ok(snapshot)
    }

    fn read_field(&mut self, field: &'static str, json: &mut Json<'_>) -> Result<(), JsonError> {
        match field {
            "time" => Time::field(json, &mut self.time)?,
            "parent" => self.parent = Id::read_optional(json)?,
            "tree" => self.tree = Id::read_optional(json)?,
            "original" => self.original = Id::read_optional(json)?,
            "paths" => self.paths = texts(json)?,
            "excludes" => self.excludes = texts(json)?.unwrap_or_default(),
            "tags" => self.tags = texts(json)?.unwrap_or_default(),
            "hostname" => text(json, &mut self.hostname)?,
            "username" => text(json, &mut self.username)?,
            "program_version" => text(json, &mut self.program_version)?,
            "uid" => self.uid = json.u32()?.unwrap_or(self.uid),
            "gid" => self.gid = json.u32()?.unwrap_or(self.gid),
            "summary" => Summary::field(json, &mut self.summary)?,
            _ => unreachable!("{field} is none of a snapshot's fields"),
        }
        Ok(())
    }
}

/// A string; `null` leaves what is there.
fn text(json: &mut Json<'_>, place: &mut String) -> Result<(), JsonError> {
    if let Some(text) = json.string()? {
        *place = text.decode().into_owned();
    }
    Ok(())
}

/// A list of strings, in which `null` is an empty one; `None` for `null` in place of the list.
fn texts(json: &mut Json<'_>) -> Result<Option<Vec<String>>, JsonError> {
    if !json.list()? {
        return Ok(None);
    }
    let mut texts = Vec::new();
    while json.element()? {
        texts.push(String::new());
        text(json, texts.last_mut().expect("just pushed"))?;
    }
    Ok(Some(texts))
}
