//! Packs of the index against those in storage: missing, of another length, in no index file.

use std::collections::HashMap;

use manicule_format_restic::Id;

use super::finding::{Finding, FindingKind};
use crate::index::{Index, PackNo};
use crate::storage::{Listed, Misplaced};

/// The length of each pack's file, by the packs' numbers; `None` where there is no file.
#[derive(Debug)]
pub(super) struct FileLens(Vec<Option<u64>>);

impl FileLens {
    /// The length of a pack's file.
    pub(super) fn of(&self, pack: PackNo) -> Option<u64> {
        self.0[pack.0 as usize]
    }
}

/// Compares the index with a listing. A pack without blobs is none of the index, as with restic. A
/// pack that lies where nobody opens it counts as one without a file.
pub(super) fn compare(
    index: &Index,
    listed: &[Listed],
    misplaced: &[Misplaced],
    findings: &mut Vec<Finding>,
) -> FileLens {
    let misplaced: HashMap<Id, &str> =
        misplaced.iter().map(|pack| (pack.id, pack.place.as_str())).collect();
    let marked: HashMap<Id, Option<&str>> =
        index.marked().iter().map(|pack| (pack.id, pack.time.as_deref())).collect();
    let mut lens = vec![None; index.packs().len()];
    for file in listed {
        let number = index.find_pack(&file.id);
        match number.filter(|&number| index.pack(number).blob_count > 0) {
            Some(_) if misplaced.contains_key(&file.id) => {}
            Some(number) => lens[number.0 as usize] = Some(file.len),
            None => findings.push(unlisted(file, marked.get(&file.id).copied())),
        }
    }
    for (pack, len) in index.packs().iter().zip(&lens) {
        let (kind, what) = match len {
            None if pack.blob_count > 0 => match misplaced.get(&pack.id) {
                None => (FindingKind::PackMissing, "does not exist".to_owned()),
                Some(place) => {
                    let right = &pack.id.to_string()[..2];
                    let what =
                        format!("lies in {place}, where nobody opens it: wanted data/{right}");
                    (FindingKind::PackMisplaced, what)
                }
            },
            Some(len) if *len != pack.len => {
                let want = pack.len;
                let what = format!("unexpected file size: got {len}, expected {want}");
                (FindingKind::PackSize, what)
            }
            _ => continue,
        };
        findings.push(Finding::new(kind, pack.id, what));
    }
    FileLens(lens)
}

fn unlisted(file: &Listed, marked: Option<Option<&str>>) -> Finding {
    let (kind, what) = match marked {
        None => (FindingKind::PackOrphaned, "not referenced in any index".to_owned()),
        Some(time) => {
            let time = time.map_or_else(String::new, |time| format!(" at {time}"));
            (FindingKind::PackMarked, format!("marked for deletion{time}, as rustic does"))
        }
    };
    Finding::new(kind, file.id, what)
}
