//! Reading any bytes as Index.db gives entries and blocks or an error, never a panic; offsets of
//! blocks stay inside their promoted index.
//!
//! Seeds:
//! `mkdir -p corpus/sstable_index; tar -xf ../proof/golden/rows/me.tar.zst --wildcards '*-Index.db' --to-command 'cat > corpus/sstable_index/$(echo $TAR_FILENAME | tr / -)'`

#![no_main]

use libfuzzer_sys::fuzz_target;
use manicule_core::bytes::DecodeError;
use manicule_format_sstable::{
    Block, Header, IndexEntry, Prefix, Promoted, RowShape, Type, Version,
};

fuzz_target!(|bytes: &[u8]| {
    for version in [Version::Me, Version::Oa] {
        for clustering in [vec![], vec![Type::Int], vec![Type::Int, Type::Text, Type::Int]] {
            let header = Header {
                version,
                base_timestamp: 0,
                base_deletion_time: 0,
                base_ttl: 0,
                key: Type::Blob,
                clustering,
                statics: Vec::new(),
                regulars: Vec::new(),
            };
            let _ = read(bytes, &header);
        }
    }
});

fn read(bytes: &[u8], header: &Header) -> Result<(), DecodeError> {
    let (shape, mut at) = (RowShape::new(header), 0);
    while at < bytes.len() {
        let window = &bytes[at..];
        let entry = IndexEntry::read(window, at as u64)?.last("entry", at as u64, window)?;
        if entry.promoted_len > 0 {
            let window = &bytes[entry.promoted_at as usize..];
            let promoted = Promoted::read(window, &entry, &shape)?;
            read_blocks(bytes, &promoted.last("index", entry.promoted_at, window)?, header)?;
        }
        assert!(entry.end() > at as u64);
        at = usize::try_from(entry.end()).unwrap_or(usize::MAX);
    }
    Ok(())
}

fn read_blocks(bytes: &[u8], promoted: &Promoted, header: &Header) -> Result<(), DecodeError> {
    let shape = RowShape::new(header);
    for index in 0..promoted.block_count {
        let place = promoted.map_place(index) as usize;
        let Some(offset) = bytes.get(place..).and_then(|rest| rest.first_chunk::<4>()) else {
            return Ok(());
        };
        let at = promoted.block_at(index, *offset)?;
        assert!(at >= promoted.blocks_at && at < promoted.map_at);
        let Some(window) = bytes.get(at as usize..promoted.map_at as usize) else { return Ok(()) };
        let block = Block::read(window, at, &shape)?.last("block", at, window)?;
        assert!(block.len <= window.len());
        let order = Prefix::compare(&header.clustering, &block.first, &block.last);
        let turned = Prefix::compare(&header.clustering, &block.last, &block.first);
        assert_eq!(order, turned.reverse());
    }
    Ok(())
}
