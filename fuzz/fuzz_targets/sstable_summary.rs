//! Reading any bytes as one of the small components gives it or an error: Summary.db, Filter.db,
//! CRC.db, Digest.crc32, TOC.txt. Samples lie in the file, and a search among them ends.
//!
//! Seeds:
//! `mkdir -p corpus/sstable_summary && tar -xf ../proof/golden/rows/me.tar.zst -C corpus/sstable_summary
//! --strip-components=2 --wildcards '*Summary.db' '*Filter.db'`

#![no_main]

use libfuzzer_sys::fuzz_target;
use manicule_format_sstable::{
    ChunkSums, Descriptor, Filter, KeyHash, Partitioner, Summary, Version, read_digest, read_toc,
};

fuzz_target!(|bytes: &[u8]| {
    let key = &bytes[..bytes.len().min(12)];
    if let Ok(summary) = Summary::open(bytes) {
        for index in 0..summary.count() {
            if let Ok(sample) = summary.sample(index) {
                assert!(sample.key.len() < bytes.len());
            }
        }
        let is_after =
            |sample: &[u8]| Partitioner::Murmur3.compare(sample, key).is_some_and(|order| order.is_gt());
        if let Ok(Some(index)) = summary.last_before(is_after) {
            assert!(index < summary.count());
        }
    }
    for version in [Version::Me, Version::Nb] {
        if let Ok(filter) = Filter::open(bytes, version) {
            let _ = filter.may_contain(KeyHash::of(key));
            assert!(filter.set_bit_count() <= filter.bit_count());
        }
    }
    if let Ok(sums) = ChunkSums::open(bytes) {
        assert!(sums.check(sums.count(), key).is_err());
        let _ = sums.check(0, key);
    }
    let _ = read_digest(bytes);
    let _ = read_toc(bytes);
    if let Ok(name) = std::str::from_utf8(bytes)
        && let Some((descriptor, component)) = Descriptor::parse(name)
    {
        assert_eq!(descriptor.file_name(&component), name);
    }
});
