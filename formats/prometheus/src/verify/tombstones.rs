//! The tombstones: readable, intervals that begin before they end, of series that exist.

use manicule_core::findings::Report;

use crate::SeriesRef;
use crate::sections::TOMBSTONES;
use crate::tombstones::Tombstones;

/// Verifies the bytes of a tombstones file, and returns the number of its entries. `is_series`:
/// whether the block's index has such a series.
pub fn verify_tombstones(
    bytes: &[u8],
    is_series: &dyn Fn(SeriesRef) -> bool,
    report: &mut Report,
) -> u64 {
    let mut count = 0;
    let mut noted = report.part();
    let read = Tombstones::entries(bytes, &mut |entry| {
        count += 1;
        let (at, times) = (entry.at, entry.interval);
        if times.min_time > times.max_time {
            let want = format_args!("{} or more", times.min_time);
            noted.find(TOMBSTONES, at, "last time of a tombstone", want, times.max_time);
        }
        let series = u32::try_from(entry.series).map(SeriesRef);
        if !series.is_ok_and(is_series) {
            let got = format_args!("{}", entry.series);
            noted.warn(TOMBSTONES, at, "series of a tombstone", "one of the index", got);
        }
    });
    report.ok(TOMBSTONES, read);
    report.merge(noted);
    count
}
