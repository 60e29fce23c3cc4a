//! restic repositories: what would be lost with a pack, and what is broken.

use std::collections::{BTreeMap, BTreeSet};

use manicule::Failure;
use manicule::blobs::check::{CheckOptions, ReadPacks};
use manicule::blobs::find::{FindBy, FindForm, FindRow};
use manicule::blobs::json::CheckSummary;
use manicule::blobs::{BlobKind, FindCall, SnapshotFilter};
use manicule::json::Json;
use manicule::watch::Watch;
use serde_json::{Value, json};

use super::params::Params;
use super::state::Page;

/// Paths that are listed.
const PATHS_SHOWN: usize = 300;

/// Paths that are counted: those beyond are not.
const PATHS_MAX: usize = 100_000;

/// What needs a pack. Parameters: `place`; `pack`, its id.
pub(super) fn pack(page: &Page, params: &Params, watch: &Watch<'_>) -> Result<String, Failure> {
    let repository = page.repository(page.place(params)?)?;
    let pack = params.needed("pack")?;
    let call = FindCall {
        words: vec![pack.as_bytes().to_vec()],
        by: FindBy::Pack,
        snapshots: Vec::new(),
        filter: SnapshotFilter::any(),
        oldest_first: false,
        ignores_case: false,
        oldest: None,
        newest: None,
        form: FindForm::Path,
        places: true,
    };
    let snapshots = repository.snapshots(watch)?;
    let mut lost = Lost::default();
    repository.find(&snapshots, &call, watch, |row| {
        lost.take(&row);
        Ok::<(), manicule::blobs::Error>(())
    })?;
    Ok(lost.json(pack).to_string())
}

/// Paths that need something of a pack.
#[derive(Default)]
struct Lost {
    files: BTreeMap<String, Needs>,
    folders: BTreeMap<String, Needs>,
    snapshots: BTreeSet<String>,
    blobs: u64,
    notes: Vec<String>,
}

/// What a path needs.
#[derive(Default)]
struct Needs {
    snapshots: BTreeSet<String>,
    blobs: BTreeSet<String>,
}

impl Lost {
    fn take(&mut self, row: &FindRow<'_>) {
        match row {
            FindRow::Object(found) => {
                let path = String::from_utf8_lossy(found.path).into_owned();
                let paths = match found.kind {
                    BlobKind::Data => &mut self.files,
                    BlobKind::Tree => &mut self.folders,
                };
                if paths.len() >= PATHS_MAX && !paths.contains_key(&path) {
                    return;
                }
                let needs = paths.entry(path).or_default();
                needs.snapshots.insert(found.snapshot.to_string());
                needs.blobs.insert(found.id.to_string());
                self.snapshots.insert(found.snapshot.to_string());
            }
            FindRow::Place { .. } => self.blobs += 1,
            FindRow::Gap(text) | FindRow::Note(text) => self.notes.push((*text).to_owned()),
            FindRow::Path { .. } => {}
        }
    }

    fn json(&self, pack: &str) -> Value {
        let listed = |paths: &BTreeMap<String, Needs>| {
            let row = |(path, needs): (&String, &Needs)| {
                json!({
                    "path": path, "snapshots": needs.snapshots.len(), "blobs": needs.blobs.len(),
                })
            };
            paths.iter().take(PATHS_SHOWN).map(row).collect::<Vec<_>>()
        };
        json!({
            "pack": pack, "blobs": self.blobs, "notes": self.notes,
            "files": listed(&self.files), "file_count": self.files.len(),
            "folders": listed(&self.folders), "folder_count": self.folders.len(),
            "snapshot_count": self.snapshots.len(),
        })
    }
}

/// What is broken now, by index, snapshots and trees. Parameters: `place`.
pub(super) fn check(page: &Page, params: &Params, watch: &Watch<'_>) -> Result<String, Failure> {
    let repository = page.repository(page.place(params)?)?;
    let options = CheckOptions { read: ReadPacks::Trees, paths_max: PATHS_SHOWN };
    let checked = repository.check(&options, watch)?;
    let shown = |error| Failure::asked(format!("a report that is no JSON: {error}"));
    let errors =
        checked.findings.iter().take(PATHS_SHOWN).map(|own| serde_json::to_value(Json(own)));
    let errors = errors.collect::<Result<Vec<_>, _>>().map_err(shown)?;
    let errors: Vec<Value> =
        errors.into_iter().filter(|finding| finding["level"] == "error").collect();
    let broken = checked.broken.iter().take(PATHS_SHOWN);
    let broken = broken.map(|own| serde_json::to_value(Json(own)));
    let broken = broken.collect::<Result<Vec<_>, _>>().map_err(shown)?;
    let counts = serde_json::to_value(Json(CheckSummary(&checked))).map_err(shown)?;
    let json = json!({
        "error_count": checked.error_count(), "errors": errors, "broken": broken,
        "counts": counts,
    });
    Ok(json.to_string())
}
