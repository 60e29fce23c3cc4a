//! The example in docs/formats/restic.md: the smallest pack, as the code shows it today.
//! `UPDATE=1 cargo test` rewrites it.

use std::fmt::Write as _;
use std::fs;

use manicule_format_restic::{
    Decompressor, FileKind, IndexWriter, PackedBlob, open_blob, open_header, outline_pack,
};
use manicule_testkit::Examples;

use crate::repositories::support::{LIMIT, Repository};

const PACK: &str = "13fd666a";

/// Bytes in rows of 16, from an offset on.
fn hex(bytes: &[u8], at: u64, out: &mut String) {
    for (row, bytes) in bytes.chunks(16).enumerate() {
        let digits: Vec<String> = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
        let shown = |byte: &u8| if (0x20..0x7f).contains(byte) { char::from(*byte) } else { '.' };
        let text: String = bytes.iter().map(shown).collect();
        let _ = writeln!(out, "  {:08x}  {:<47}  |{text}|", at + row as u64 * 16, digits.join(" "));
    }
}

/// The plaintext of an envelope within the pack.
fn opened(repository: &Repository, sealed: &[u8]) -> Vec<u8> {
    repository.key.open_in_place(&mut sealed.to_vec()).expect("an envelope").to_vec()
}

fn blob(repository: &Repository, pack: &[u8], blob: &PackedBlob, out: &mut String) {
    let mut stored = pack[blob.place.offset as usize..blob.place.end() as usize].to_vec();
    let _ = writeln!(out, "\nin the envelope of the blob, a frame of Zstandard:");
    hex(&opened(repository, &stored), 0, out);
    let mut decompressor = Decompressor::new();
    let opened = open_blob(&repository.key, &mut stored, blob, LIMIT, &mut decompressor);
    let plain = opened.expect("a sound blob").plain;
    let _ = writeln!(out, "decompressed:");
    hex(plain, 0, out);
}

#[test]
fn the_document_shows_what_the_code_reads() {
    let repository = Repository::of_archive("small");
    let packs = repository.files(FileKind::Pack);
    let (id, path) = packs.into_iter().find(|(id, _)| id.short() == PACK).expect("the pack");
    let pack = fs::read(path).expect("the pack");
    let len = pack.len() as u64;
    let header = open_header(&repository.key, &mut pack.clone(), len).expect("a header");

    let mut now = format!("data/13/{id}\n");
    for row in outline_pack(&pack, Some(&header)).expect("a pack").rows {
        let _ = writeln!(now, "{}..{} {}: {}", row.bytes.start, row.bytes.end, row.name, row.value);
        hex(&pack[row.bytes.start as usize..row.bytes.end as usize], row.bytes.start, &mut now);
    }
    blob(&repository, &pack, &header.blobs[0], &mut now);
    let end = pack.len() - 4;
    let _ = writeln!(now, "\nin the envelope of the header, one entry:");
    hex(&opened(&repository, &pack[header.blobs_end() as usize..end]), 0, &mut now);
    let mut index = IndexWriter::new();
    index.pack(&id);
    index.blob(&header.blobs[0]);
    let index = String::from_utf8(index.finish()).expect("JSON");
    let _ = write!(now, "\nin an index file:\n{index}");

    Examples::of("docs/formats/restic.md").hold("smallest pack", &now);
}
