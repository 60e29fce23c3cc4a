//! Reading any bytes as CompressionInfo.db of any version gives chunks or an error; each chunk that
//! is given lies in the file and is as long as the length of the data says.
//!
//! Seeds:
//! `mkdir -p corpus/sstable_compression; for name in me cassandra5; do tar -xf ../proof/golden/rows/$name.tar.zst
//! -C corpus/sstable_compression --strip-components=2 --wildcards '*CompressionInfo.db'; done`

#![no_main]

use libfuzzer_sys::fuzz_target;
use manicule_format_sstable::{CompressionInfo, Version};

fuzz_target!(|bytes: &[u8]| {
    let file_len = u64::from(bytes.last().copied().unwrap_or(0)) << 12;
    for version in [Version::Me, Version::Nb, Version::Ea] {
        let Ok(info) = CompressionInfo::open(bytes, version) else { continue };
        let (count, mut len) = (info.chunk_count(), 0);
        assert!(count * 8 < bytes.len() && info.options.len() * 4 < bytes.len());
        for index in 0..=count {
            let Ok(chunk) = info.chunk(index, file_len) else { continue };
            assert!(chunk.stored.start <= chunk.stored.end && chunk.stored.end < file_len);
            assert!(chunk.len > 0 && chunk.len <= info.chunk_len);
            assert_eq!(info.chunk_at(index as u64 * u64::from(info.chunk_len)), index);
            len += u64::from(chunk.len);
        }
        assert!(len <= info.data_len);
    }
});
