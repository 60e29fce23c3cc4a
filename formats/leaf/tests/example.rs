//! The examples in docs/formats/leaf.md: the bytes of tiny files, as the code writes them today.
//! `UPDATE=1 cargo test` rewrites them.

use std::fmt::Write;

use manicule_core::findings::Findings;
use manicule_format_leaf::dictionary::DictionaryWriter;
use manicule_format_leaf::leaf::{Leaf, LeafWriter, Rows};
use manicule_format_leaf::log::{Commit, put_frame, put_log_head};
use manicule_format_leaf::manifest::{FileRow, LeafRow, Manifest, TagNumbers, file_sum};
use manicule_format_leaf::statistics::{
    PredicateStatistics, ScopeStatistics, Statistics, TagStatistics,
};
use manicule_format_leaf::synced::Synced;
use manicule_format_leaf::{FileKind, Id, Order, Tag, VERSION, outline, verify};
use manicule_testkit::Examples;

const TEXTS: [&str; 4] = [
    "http://example.org/a",
    "http://example.org/b",
    "http://example.org/name",
    "http://example.org/size",
];

fn iri(number: u64) -> Id {
    Id::new(Tag::IRI, number)
}

/// Two subjects, each with a name and a size.
fn rows() -> [[Id; 4]; 4] {
    let string = |number| Id::new(Tag::STRING, number);
    let value = |value| Id::new(Tag::FIRST_INLINE, value);
    [
        [iri(0), iri(2), string(1), Id::DEFAULT_GRAPH],
        [iri(0), iri(3), value(40), Id::DEFAULT_GRAPH],
        [iri(1), iri(2), string(0), Id::DEFAULT_GRAPH],
        [iri(1), iri(3), value(42), Id::DEFAULT_GRAPH],
    ]
}

fn leaf() -> Vec<u8> {
    let mut writer = LeafWriter::new(Order::Spo);
    rows().into_iter().for_each(|row| writer.push(row));
    writer.finish()
}

fn dictionary() -> Vec<u8> {
    let mut writer = DictionaryWriter::new();
    writer.begin(Tag::IRI, 0);
    TEXTS.iter().for_each(|text| writer.push(text.as_bytes()));
    writer.end(None);
    writer.begin(Tag::STRING, 0);
    writer.push(b"large");
    writer.push(b"small");
    writer.end(Some(&[1, 0]));
    writer.finish()
}

fn log() -> Vec<u8> {
    let mut bytes = Vec::new();
    put_log_head(VERSION, &mut bytes);
    let commit = Commit {
        number: 1,
        next_blank: 0,
        terms: &[(iri(0), TEXTS[0].as_bytes())],
        added: &rows()[..1],
        removed: &[],
        created: &[iri(1)],
        dropped: &[],
    };
    let synced = bytes.len() as u64;
    put_frame(&commit, synced, &mut bytes);
    bytes
}

fn statistics() -> Vec<u8> {
    let tag = TagStatistics { tag: Tag::STRING, row_count: 2, payload_min: 0, payload_max: 1 };
    let predicate = PredicateStatistics {
        predicate: iri(2),
        row_count: 2,
        subject_count: 2,
        object_count: 2,
        subject_rows_max: 1,
        object_rows_max: 1,
        tags: vec![tag],
    };
    let default = ScopeStatistics {
        row_count: 2,
        subject_count: 2,
        object_count: 2,
        predicates: vec![predicate],
        classes: Vec::new(),
    };
    Statistics { default, named: ScopeStatistics::default(), graphs: vec![(iri(1), 0)] }.encode()
}

fn manifest() -> Vec<u8> {
    let file =
        |number, bytes: &[u8]| FileRow { number, len: bytes.len() as u64, sum: file_sum(bytes) };
    let mut next_numbers = TagNumbers::default();
    next_numbers.set(Tag::IRI, 4);
    next_numbers.set(Tag::STRING, 2);
    let leaf = LeafRow {
        file: file(1, &leaf()),
        order: Order::Spo,
        row_count: 4,
        separator: [Id::MIN; 4],
    };
    let manifest = Manifest {
        store_id: *b"sixteen anywhere",
        generation: 1,
        commit: 1,
        log: 2,
        has_log: true,
        next_file: 4,
        next_numbers,
        sorted_below: TagNumbers::default(),
        default_count: 4,
        named_count: 0,
        leaves: vec![leaf],
        dictionaries: vec![file(2, &dictionary())],
        statistics: Some(file(3, &statistics())),
        graphs: vec![iri(1)],
    };
    manifest.encode()
}

fn synced() -> Vec<u8> {
    Synced { commit: 1, log: 1, len: log().len() as u64 }.encode()
}

/// The parts of a file, then its bytes.
fn shown(bytes: &[u8]) -> String {
    let (_, outline) = outline(bytes).expect("a sound file");
    let mut out = format!("{outline}\n");
    for (row, bytes) in bytes.chunks(16).enumerate() {
        let digits: Vec<String> = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
        let shown = |byte: &u8| if (0x20..0x7f).contains(byte) { char::from(*byte) } else { '.' };
        let text: String = bytes.iter().map(shown).collect();
        let _ = writeln!(out, "{:08x}  {:<47}  |{text}|", row * 16, digits.join(" "));
    }
    out
}

fn examples() -> [(&'static str, FileKind, Vec<u8>); 6] {
    [
        ("leaf", FileKind::Leaf, leaf()),
        ("dictionary", FileKind::Dictionary, dictionary()),
        ("log", FileKind::Log, log()),
        ("manifest", FileKind::Manifest, manifest()),
        ("statistics", FileKind::Statistics, statistics()),
        ("synced", FileKind::Synced, synced()),
    ]
}

#[test]
fn the_document_shows_what_the_code_writes() {
    let mut page = Examples::of("docs/formats/leaf.md");
    for (name, _, bytes) in examples() {
        page.hold(name, &shown(&bytes));
    }
}

#[test]
fn the_parts_of_each_file_are_all_of_it_and_sound() {
    for (name, kind, bytes) in examples() {
        let (got, outline) = outline(&bytes).expect("a sound file");
        assert_eq!(got, kind);
        let mut end = 0;
        for row in outline.rows {
            assert_eq!(row.bytes.start, end, "{name}: {}", row.name);
            end = row.bytes.end;
        }
        assert_eq!(end, bytes.len() as u64, "{name}");
        let mut findings = Findings::default();
        verify(&bytes, &mut findings);
        assert_eq!(findings.list, [], "{name}");
    }
}

#[test]
fn whatever_byte_of_a_file_changes_is_found() {
    for (name, _, bytes) in examples() {
        // What is wrong at the end of a log may be a write that never finished.
        let end = if name == "log" { 16 } else { bytes.len() };
        for at in 0..end {
            let mut changed = bytes.clone();
            changed[at] ^= 1;
            let mut findings = Findings::default();
            verify(&changed, &mut findings);
            assert!(findings.count > 0, "{name}, offset {at}");
        }
    }
}

#[test]
fn rows_out_of_order_are_found_under_a_sum_that_holds() {
    let bytes = leaf();
    let block = Leaf::open(&bytes).expect("a sound leaf").bytes_of(0);
    let mut found = 0;
    for at in block.clone() {
        let mut changed = bytes.clone();
        changed[at] ^= 2;
        let sum = file_sum(&changed[block.clone()]);
        let entry_end = block.end + 3 * 8 + 12;
        changed[entry_end - 4..entry_end].copy_from_slice(&sum.to_le_bytes());
        let end = changed.len() - 4;
        let covered = [&changed[..16], &changed[block.end..end]].concat();
        changed[end..].copy_from_slice(&file_sum(&covered).to_le_bytes());
        let mut findings = Findings::default();
        verify(&changed, &mut findings);
        let leaf = Leaf::open(&changed).expect("directory and footer are whole");
        let read: Option<Vec<_>> = Rows::new(leaf, 0..leaf.row_count()).map(Result::ok).collect();
        let is_other = read.as_deref() != Some(&rows());
        found += u64::from(findings.count > 0);
        let is_sorted = read.is_some_and(|read| read.is_sorted_by(|left, right| left < right));
        assert!(findings.count > 0 || !is_other || is_sorted, "offset {at}");
    }
    assert!(found > 20, "{found}");
}
