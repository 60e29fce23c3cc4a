//! What a check has found, kept for calls that believe one of the last seconds (`--max-age`).
//!
//! Written only by calls that were given `--max-age`, and only if they compared every file. The
//! file holds what differs from the manifest:
//! ```text
//! | 8 made_at_ns of the manifest | 8 checked_at_ns | 4 first row | 4 row after the last |
//! | 4 folder_count | folder_count times: 4 row, 4 state | 4 file_count | file_count times: 4 row | 4 CRC-32 |
//! ```

use std::ops::Range;
use std::time::Duration;

use manicule_core::bytes::{Reader, page_sums};
use manicule_store::Disk;

use super::check::{Checked, State};
use crate::tree::open::{CHECKED, Index, IndexFiles};

/// Differences from the manifest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct RecentCheck {
    /// Folders that are not the same.
    pub folders: Vec<(u32, State)>,
    /// Files that have changed, increasing.
    pub files: Vec<u32>,
}

/// Keeps what a check has found. Nothing is lost if that fails: the next call checks.
pub(super) fn store(
    files: &IndexFiles,
    index: &Index<'_>,
    checked_at_ns: u64,
    checked: &Checked,
    recent: RecentCheck,
) {
    let mut bytes = Vec::new();
    bytes.extend_from_slice(&index.manifest.meta.made_at_ns.to_le_bytes());
    bytes.extend_from_slice(&checked_at_ns.to_le_bytes());
    let mut put = |number: u32| bytes.extend_from_slice(&number.to_le_bytes());
    put(checked.rows.start);
    put(checked.rows.end);
    put(recent.folders.len() as u32);
    for (row, state) in recent.folders {
        put(row);
        put(state.number());
    }
    put(recent.files.len() as u32);
    recent.files.into_iter().for_each(&mut put);
    let sum = sum(&bytes);
    bytes.extend_from_slice(&sum.to_le_bytes());
    let _ = files.dir.put_unleased(&Disk::shared(), CHECKED, &bytes);
}

/// Result of a check that covers `rows` and is at most `max_age` old.
pub(super) fn load(
    files: &IndexFiles,
    index: &Index<'_>,
    now_ns: u64,
    max_age: Duration,
    rows: Range<u32>,
) -> Option<RecentCheck> {
    let bytes = files.dir.map(CHECKED).ok()?;
    let (body, stored_sum) = bytes.split_last_chunk::<4>()?;
    if u32::from_le_bytes(*stored_sum) != sum(body) {
        return None;
    }
    let mut reader = Reader::new(body, 0);
    let made_at_ns = reader.u64_le("made at").ok()?;
    let checked_at_ns = reader.u64_le("checked at").ok()?;
    let mut number = || reader.u32_le("number").ok();
    let covered = number()?..number()?;
    let age_ns = u128::from(now_ns.checked_sub(checked_at_ns)?);
    let is_of_this = made_at_ns == index.manifest.meta.made_at_ns;
    let covers = covered.start <= rows.start && rows.end <= covered.end;
    if !is_of_this || !covers || age_ns > max_age.as_nanos() {
        return None;
    }
    let folder_count = number()?;
    let folders = (0..folder_count).map(|_| Some((number()?, State::of_number(number()?)?)));
    let folders = folders.collect::<Option<Vec<_>>>()?;
    let file_count = number()?;
    let files = (0..file_count).map(|_| number()).collect::<Option<Vec<_>>>()?;
    Some(RecentCheck { folders, files })
}

fn sum(bytes: &[u8]) -> u32 {
    page_sums(bytes).into_iter().fold(0, |all, page| all.rotate_left(5) ^ page)
}
