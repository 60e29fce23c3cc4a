//! Any bytes as a log, and frames of any payload under sums that hold: never a panic; a log ends
//! whole or torn, or with an error.
#![no_main]

use libfuzzer_sys::fuzz_target;
use manicule_format_leaf::log::{LogEnd, LogReader, put_log_head};
use manicule_format_leaf::{LOG_VERSION_TRIPLES, outline};

fuzz_target!(|bytes: &[u8]| {
    read(bytes);
    let mut log = Vec::new();
    put_log_head(LOG_VERSION_TRIPLES, &mut log);
    for (number, payload) in bytes.split(|byte| *byte == 0xff).enumerate() {
        let at = log.len();
        log.extend_from_slice(b"MFRM");
        log.extend_from_slice(&(payload.len() as u32).to_le_bytes());
        log.extend_from_slice(&(number as u64 + 1).to_le_bytes());
        log.extend_from_slice(&(at as u64).to_le_bytes());
        let sum = crc32fast::hash(&log[at..]);
        log.extend_from_slice(&sum.to_le_bytes());
        log.extend_from_slice(payload);
        log.extend_from_slice(&crc32fast::hash(payload).to_le_bytes());
    }
    read(&log);
    log.extend_from_slice(bytes);
    read(&log);
});

fn read(bytes: &[u8]) {
    let _ = outline(bytes);
    let Ok(mut log) = LogReader::open(bytes) else { return };
    let mut has_failed = false;
    while let Some(frame) = log.next() {
        match frame {
            Ok(frame) => {
                let _ = (frame.terms().count(), frame.added().len(), frame.created().len());
            }
            Err(_) => has_failed = true,
        }
    }
    assert_eq!(log.end().is_none(), has_failed);
    if let Some(LogEnd::Torn { len }) = log.end() {
        assert!(len < bytes.len() as u64 || bytes.is_empty());
    }
}
