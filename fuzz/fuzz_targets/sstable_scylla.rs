//! Reading any bytes as Scylla.db gives its parts or an error, and so does each part.
//!
//! Seeds: none by the real system were at hand; the fuzzer finds the tags by itself.

#![no_main]

use arbitrary::Arbitrary;
use libfuzzer_sys::fuzz_target;
use manicule_format_sstable::{ScyllaFile, ScyllaTag};

#[derive(Arbitrary, Debug)]
struct Input<'a> {
    parts: Vec<(u8, &'a [u8])>,
    has_sum: bool,
}

fuzz_target!(|bytes: &[u8]| {
    look(bytes);
    let Ok(input) = Input::arbitrary(&mut arbitrary::Unstructured::new(bytes)) else { return };
    let mut file = (input.parts.len() as u32).to_be_bytes().to_vec();
    for (tag, body) in &input.parts {
        file.extend_from_slice(&u32::from(tag % 15).to_be_bytes());
        file.extend_from_slice(&(body.len() as u32).to_be_bytes());
        file.extend_from_slice(body);
    }
    if input.has_sum {
        file.extend_from_slice(&crc32fast::hash(&file).to_be_bytes());
    }
    assert_eq!(look(&file), Some(input.parts.len()));
});

fn look(bytes: &[u8]) -> Option<usize> {
    let file = ScyllaFile::open(bytes).ok()?;
    let _ = (file.features(), file.schema(), file.attributes(), file.large_data(), file.timestamps());
    let _ = (file.uuid(ScyllaTag::RUN_ID), file.text(ScyllaTag::ORIGIN));
    if let Ok(digests) = file.digests() {
        assert!(digests.len() * 5 <= bytes.len());
    }
    assert!(file.parts().all(|(tag, at, part)| tag.name() != Some("") && at as usize + part.len() <= bytes.len()));
    Some(file.parts().count())
}
