//! Reading any bytes as a snapshot gives a value or an error; a snapshot that was read is the same
//! when written and read again, and what listings print of it is JSON.
//!
//! Seeds:
//! `tar --zstd -xf ../proof/golden/blobs/v2.tar.zst -C /tmp && mkdir -p corpus/restic_snapshot && cp /tmp/expected/snapshot-* corpus/restic_snapshot`

#![no_main]

use libfuzzer_sys::fuzz_target;
use manicule_core::go::json::Json;
use manicule_format_restic::{Id, Snapshot, SnapshotFilter, Time, newest};

fuzz_target!(|bytes: &[u8]| {
    if let Some(time) = Time::parse(bytes)
        && time.offset_minutes.abs() < 1500
    {
        assert_eq!(Time::parse(time.to_string().as_bytes()), Some(time));
    }
    let Ok(snapshot) = Snapshot::parse(bytes) else { return };
    let summary = snapshot.summary.as_ref();
    let ends = summary.map(|summary| [summary.backup_start, summary.backup_end]);
    let times = ends.into_iter().flatten().chain([snapshot.time]);
    if times.into_iter().all(|time| time.offset_minutes.abs() < 1500) {
        assert_eq!(Snapshot::parse(&snapshot.encode()).as_ref(), Ok(&snapshot));
    }
    let id = Id::of(bytes);
    for put in [Snapshot::put_listed, Snapshot::put_ls_line] {
        let mut out = Vec::new();
        put(&snapshot, id, &mut out);
        let mut json = Json::new(&out);
        json.skip().and_then(|()| json.end()).expect("a listing is JSON");
    }
    let filter = SnapshotFilter {
        hosts: vec![snapshot.hostname.clone()],
        tags: vec![snapshot.tags.clone()],
        paths: snapshot.paths().to_vec(),
    };
    assert_eq!(newest([(id, &snapshot)], &filter, None), Some((id, &snapshot)));
});
