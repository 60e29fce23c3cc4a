//! Any bytes as a manifest and as statistics, and bytes whose sum was put right: never a panic;
//! what is read is written as it was.
#![no_main]

use libfuzzer_sys::fuzz_target;
use manicule_format_leaf::manifest::Manifest;
use manicule_format_leaf::outline;
use manicule_format_leaf::statistics::Statistics;

fuzz_target!(|bytes: &[u8]| {
    for kind in [b"ROOT", b"STAT"] {
        let mut bytes = [b"MANL", kind, b"\x01\0\0\0".as_slice(), bytes].concat();
        let _ = outline(&bytes);
        let sum = crc32fast::hash(&bytes);
        bytes.extend_from_slice(&sum.to_le_bytes());
        let _ = outline(&bytes);
        if let Ok(manifest) = Manifest::decode(&bytes) {
            assert_eq!(manifest.encode(), bytes);
        }
        if let Ok(statistics) = Statistics::decode(&bytes) {
            assert_eq!(statistics.encode(), bytes);
        }
    }
});
