//! Opening, reading, verifying and showing any bytes as a shard give a value or an error; and a
//! shard in which verifying finds nothing wrong can be opened, and all its lists read.
//!
//! Four ways in: the bytes as they are (seeds are real shards, see below); real shards with a few
//! bytes changed, or with whole sections replaced, under a table of contents that is right; and
//! sidecars.
//!
//! Seeds:
//! `mkdir -p corpus/zoekt_decode && cp ../proof/golden/code/shards/*/*.zoekt corpus/zoekt_decode`

#![no_main]

use arbitrary::Arbitrary;
use libfuzzer_sys::fuzz_target;
use manicule_core::watch::Watch;
use manicule_format_zoekt::{
    Corpus, Extent, FILE_ORDER, SECTION_COUNT, Section, Shape, Shard, Toc, VerifyOptions, outline,
    verify, verify_sidecar,
};

const SHARDS: [&[u8]; 2] = [
    include_bytes!(
        "../../proof/golden/code/shards/git-ctags/example.org%2Flamps_v16.00000.zoekt"
    ),
    include_bytes!(
        "../../proof/golden/code/shards/compound/compound-21230309bdd3babbe8782bb2918494219244ab5e_v17.00000.zoekt"
    ),
];

#[derive(Arbitrary, Debug)]
enum Input<'a> {
    Bytes(&'a [u8]),
    /// Offsets, and the bytes put there.
    Changed { is_compound: bool, changes: Vec<(u16, u8)> },
    /// Sections of a real shard, and the bytes that replace them.
    Replaced { is_compound: bool, sections: Vec<(u8, &'a [u8])> },
    Sidecar(&'a [u8]),
}

fuzz_target!(|bytes: &[u8]| {
    // A seed that is a shard is read as one; libFuzzer changes it from there.
    read(bytes);
    let Ok(input) = Input::arbitrary(&mut arbitrary::Unstructured::new(bytes)) else { return };
    match input {
        Input::Bytes(bytes) => read(bytes),
        Input::Changed { is_compound, changes } => {
            let mut bytes = SHARDS[usize::from(is_compound)].to_vec();
            let len = bytes.len();
            changes.iter().for_each(|(at, byte)| bytes[usize::from(*at) % len] = *byte);
            read(&bytes);
        }
        Input::Replaced { is_compound, sections } => {
            read(&replaced(SHARDS[usize::from(is_compound)], &sections));
        }
        Input::Sidecar(bytes) => {
            assert!(verify_sidecar(bytes, 1, 5).list.len() <= 5);
            let mut shard = Shard::open(SHARDS[0]).expect("a golden shard");
            let _ = shard.replace_repositories(bytes);
        }
    }
});

/// Opens, reads everything, verifies and shows.
fn read(bytes: &[u8]) {
    let opened = Shard::open(bytes);
    if let Ok(shard) = &opened {
        read_shard(shard);
    }
    if let Ok(outline) = outline(bytes) {
        assert!(outline.rows.iter().all(|row| row.bytes.end <= bytes.len() as u64));
        assert!(!outline.to_string().is_empty());
    }
    let spread = |count: usize, task: &(dyn Fn(usize) + Sync)| (0..count).for_each(task);
    let (watch, findings_max) = (Watch::none(), 5);
    let options = VerifyOptions { findings_max, spread: &spread, meter: &watch.silent() };
    let (_, findings) = verify(bytes, &options);
    assert!(findings.list.len() <= 5 && findings.list.len() as u64 <= findings.count);
    assert!(opened.is_ok() || findings.count > 0);
    if let (Ok(shard), 0) = (&opened, findings.count) {
        for corpus in [shard.contents(), shard.names()] {
            let ngrams = corpus.ngrams().expect("trigrams");
            (0..corpus.ngram_count()).for_each(|list| {
                assert_eq!(ngrams.find(ngrams.at(list)), Some(list));
                let mut positions = corpus.positions(list).expect("a list");
                positions.by_ref().for_each(drop);
                positions.finish().expect("a whole list");
            });
        }
    }
}

fn read_shard(shard: &Shard<'_>) {
    let mut sum = 0u64;
    for document in 0..shard.document_count() {
        sum ^= shard.repositories()[shard.repository_of(document)].name.0.len() as u64;
        sum ^= u64::from(shard.language(document)) ^ u64::from(shard.category(document).is_ok());
        sum ^= shard.branch_mask(document);
        let _ = (shard.newlines(document), shard.symbol_sections(document));
    }
    for section in Section::ALL {
        let items = shard.items(section);
        sum ^= (0..items.len()).filter_map(|item| items.get(item).ok()).count() as u64;
        let _ = (shard.section(section), shard.numbers(section));
    }
    read_corpus(shard.contents());
    read_corpus(shard.names());
    std::hint::black_box(sum);
}

fn read_corpus(corpus: &Corpus<'_>) {
    for text in 0..corpus.texts().len() {
        let _ = corpus.text(text);
        assert!(corpus.rune_range(text).start <= corpus.rune_range(text).end);
    }
    let ngrams = corpus.ngrams().expect("trigrams");
    for list in 0..corpus.ngram_count() {
        let _ = ngrams.find(ngrams.at(list));
        let Ok(positions) = corpus.positions(list) else { continue };
        let mut last = 0;
        positions.for_each(|position| {
            assert!(position >= last);
            last = position;
        });
    }
}

/// A real shard with other bytes in some sections: of compound ones, each byte is an item.
fn replaced(shard: &[u8], sections: &[(u8, &[u8])]) -> Vec<u8> {
    let toc = Toc::open(shard).expect("a golden shard");
    let mut bytes = Vec::new();
    let mut extents = [Extent::default(); SECTION_COUNT];
    for section in FILE_ORDER {
        let other = sections.iter().find(|row| usize::from(row.0) % SECTION_COUNT == section as usize);
        let extent = toc.extent(section);
        let range = extent.data().start as usize..extent.data().end as usize;
        let data = other.map_or(&shard[range], |row| row.1);
        let at = bytes.len() as u32;
        bytes.extend_from_slice(data);
        let mut new = Extent { at, len: data.len() as u32, ..Extent::default() };
        if section.shape() != Shape::Simple {
            new.index_at = bytes.len() as u32;
            match other {
                Some(_) => (0..data.len() as u32).for_each(|item| {
                    bytes.extend_from_slice(&(at + item).to_be_bytes());
                }),
                None => {
                    let range = extent.index().start as usize..extent.index().end as usize;
                    for start in shard[range].as_chunks::<4>().0 {
                        let start = u32::from_be_bytes(*start) - extent.at + at;
                        bytes.extend_from_slice(&start.to_be_bytes());
                    }
                }
            }
            new.index_len = bytes.len() as u32 - new.index_at;
        }
        extents[section as usize] = new;
    }
    let table_at = bytes.len() as u32;
    let table = Toc::encode(&extents);
    bytes.extend_from_slice(&table);
    bytes.extend_from_slice(&table_at.to_be_bytes());
    bytes.extend_from_slice(&(table.len() as u32).to_be_bytes());
    bytes
}
