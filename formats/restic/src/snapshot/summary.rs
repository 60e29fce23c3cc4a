//! Counts of a backup, which a snapshot carries since restic 0.17.
//!
//! Bytes:   docs/formats/restic.md, section Snapshots

use std::io::Write as _;

use manicule_core::go::json::{Json, JsonError};

use crate::time::Time;

/// What a backup has read and stored. Rustic writes more fields, which are skipped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names of the fields say it; sizes are in bytes")]
pub struct Summary {
    pub backup_start: Time,
    pub backup_end: Time,
    pub files_new: u64,
    pub files_changed: u64,
    pub files_unmodified: u64,
    pub dirs_new: u64,
    pub dirs_changed: u64,
    pub dirs_unmodified: u64,
    pub data_blobs: i64,
    pub tree_blobs: i64,
    pub data_added: u64,
    pub data_added_packed: u64,
    pub total_files_processed: u64,
    pub total_bytes_processed: u64,
}

/// Names of the fields, in the order in which restic writes them.
const FIELDS: [&str; 14] = [
    "backup_start",
    "backup_end",
    "files_new",
    "files_changed",
    "files_unmodified",
    "dirs_new",
    "dirs_changed",
    "dirs_unmodified",
    "data_blobs",
    "tree_blobs",
    "data_added",
    "data_added_packed",
    "total_files_processed",
    "total_bytes_processed",
];

impl Summary {
    const EMPTY: Summary = Summary {
        backup_start: Time::ZERO,
        backup_end: Time::ZERO,
        files_new: 0,
        files_changed: 0,
        files_unmodified: 0,
        dirs_new: 0,
        dirs_changed: 0,
        dirs_unmodified: 0,
        data_blobs: 0,
        tree_blobs: 0,
        data_added: 0,
        data_added_packed: 0,
        total_files_processed: 0,
        total_bytes_processed: 0,
    };

    /// Reads a summary into its place; `null` leaves none. As in Go a second one only replaces the
    /// fields that it has.
    pub(super) fn field(json: &mut Json<'_>, place: &mut Option<Summary>) -> Result<(), JsonError> {
        if !json.object()? {
            *place = None;
            return Ok(());
        }
        let summary = place.get_or_insert(Summary::EMPTY);
        while let Some(field) = json.field()? {
            match field.among(&FIELDS) {
                Some("backup_start") => Time::field(json, &mut summary.backup_start)?,
                Some("backup_end") => Time::field(json, &mut summary.backup_end)?,
                Some("data_blobs") => signed(json, &mut summary.data_blobs)?,
                Some("tree_blobs") => signed(json, &mut summary.tree_blobs)?,
                Some(field) => {
                    let place = summary.count_mut(field);
                    *place = json.u64()?.unwrap_or(*place);
                }
                None => json.skip()?,
            }
        }
        Ok(())
    }

    fn count_mut(&mut self, field: &'static str) -> &mut u64 {
        match field {
            "files_new" => &mut self.files_new,
            "files_changed" => &mut self.files_changed,
            "files_unmodified" => &mut self.files_unmodified,
            "dirs_new" => &mut self.dirs_new,
            "dirs_changed" => &mut self.dirs_changed,
            "dirs_unmodified" => &mut self.dirs_unmodified,
            "data_added" => &mut self.data_added,
            "data_added_packed" => &mut self.data_added_packed,
            "total_files_processed" => &mut self.total_files_processed,
            "total_bytes_processed" => &mut self.total_bytes_processed,
            _ => unreachable!("{field} is no count without sign"),
        }
    }

    /// Appends the object.
    pub(super) fn put(mut self, out: &mut Vec<u8>) {
        for (name, open) in FIELDS.iter().zip(std::iter::once('{').chain(std::iter::repeat(','))) {
            // Writing to memory can't fail.
            let _ = match *name {
                "backup_start" => write!(out, "{open}\"{name}\":\"{}\"", self.backup_start),
                "backup_end" => write!(out, "{open}\"{name}\":\"{}\"", self.backup_end),
                "data_blobs" => write!(out, "{open}\"{name}\":{}", self.data_blobs),
                "tree_blobs" => write!(out, "{open}\"{name}\":{}", self.tree_blobs),
                count => write!(out, "{open}\"{name}\":{}", self.count_mut(count)),
            };
        }
        out.push(b'}');
    }
}

/// An integer with a sign; `null` leaves what is there.
fn signed(json: &mut Json<'_>, place: &mut i64) -> Result<(), JsonError> {
    *place = json.i64()?.unwrap_or(*place);
    Ok(())
}
