//! Reading any text as a meta file gives a value or an error; and a meta file that was read is the
//! same when written and read again.
//!
//! Seeds:
//! `mkdir -p corpus/prometheus_meta && cp ../proof/golden/series/tiny/meta.json corpus/prometheus_meta`

#![no_main]

use libfuzzer_sys::fuzz_target;
use manicule_format_prometheus::Meta;

fuzz_target!(|bytes: &[u8]| {
    if let Ok(meta) = Meta::decode(bytes) {
        let written = meta.encode();
        let again = Meta::decode(&written).expect("what was written can be read");
        assert_eq!(again.encode(), written);
        assert_eq!(
            (&again.ulid, again.min_time, again.max_time, again.stats, &again.compaction),
            (&meta.ulid, meta.min_time, meta.max_time, meta.stats, &meta.compaction)
        );
    }
});
