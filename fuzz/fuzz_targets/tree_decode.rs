//! Opening and reading any bytes as a tree's index gives a value or an error.
//!
//! Three ways in: the bytes as they are; the bytes as sections of a frame whose checksums are
//! right, so that all that lies beyond those is reached; and rows of a manifest, written by its own
//! writer.

#![no_main]

use arbitrary::Arbitrary;
use libfuzzer_sys::fuzz_target;
use manicule_core::postings::DocSet;
use manicule_format_tree::grams::GRAM_COUNT;
use manicule_format_tree::manifest::{Draft, File, Folder, Manifest, Meta, NONE, SegmentRow};
use manicule_format_tree::manifest::{Other, Watched};
use manicule_format_tree::segment::Segment;
use manicule_format_tree::{Kind, outline};

#[derive(Arbitrary, Debug)]
enum Input<'a> {
    Bytes(&'a [u8]),
    Sections { is_segment: bool, sections: Vec<(u8, &'a [u8])> },
    Lists(Lists<'a>),
    Rows(Rows<'a>),
}

/// A segment that has all its sections, in the right lengths where they are fixed.
#[derive(Arbitrary, Debug)]
struct Lists<'a> {
    lists: &'a [u8],
    present: Vec<u32>,
    /// Correct ranks, or these.
    ranks: Option<Vec<(u16, u32)>>,
    offsets: Vec<u32>,
    pieces: Vec<u32>,
    piece_len: u32,
    piece_count: Option<u32>,
}

#[derive(Arbitrary, Debug)]
struct Rows<'a> {
    names: Vec<&'a [u8]>,
    /// Whether rows refer to others correctly, so that some manifests are whole.
    tidy: bool,
    folders: Vec<[u32; 6]>,
    files: Vec<(u32, u16, u16, u32, u32, u64)>,
    others: Vec<(u32, u32)>,
    watched: Vec<(u32, u32, u32, u64)>,
    segments: Vec<(u64, u64, u32, u32)>,
    meta: (u64, u32, u32),
}

fuzz_target!(|input: Input| match &input {
    Input::Bytes(bytes) => read(bytes),
    Input::Sections { is_segment, sections } => {
        let sections: Vec<(u32, Vec<u8>)> =
            sections.iter().map(|section| (section.0.into(), section.1.to_vec())).collect();
        read(&frame(if *is_segment { b"GRAM" } else { b"MANI" }, &sections));
    }
    Input::Lists(lists) => read_lists(lists),
    Input::Rows(rows) => read(&manifest(rows)),
});

/// Reads all there is, as manifest and as segment.
fn read(bytes: &[u8]) {
    if let Ok((kind, outline)) = outline(bytes) {
        assert!(outline.rows.iter().all(|row| row.bytes.end <= bytes.len() as u64));
        assert!(!outline.to_string().is_empty());
        assert!(kind == Kind::Manifest || kind == Kind::Segment);
    }
    if let Ok(manifest) = Manifest::open(bytes) {
        read_manifest(&manifest);
    }
    if let Ok(segment) = Segment::open(bytes) {
        read_segment(&segment, &mut (0..GRAM_COUNT as u32));
        let _ = segment.verify();
    }
}

/// Reads a segment's own grams and a few more. All of them are read only now and then: that takes
/// 10 ms.
fn read_lists(input: &Lists) {
    let bytes = segment(input);
    if input.piece_len % 64 == 7 {
        read(&bytes);
    }
    let Ok(segment) = Segment::open(&bytes) else { return };
    let own = input.present.iter().map(|gram| gram % GRAM_COUNT as u32);
    read_segment(&segment, &mut own.chain([0, 1, 4161, GRAM_COUNT as u32 - 1]));
    assert!(!segment.outline().to_string().is_empty());
}

fn read_manifest(manifest: &Manifest) {
    let mut seen = 0;
    for row in 0..manifest.folder_count() as u32 {
        let folder = manifest.folder(row);
        // The chain of parents ends.
        let mut way = row;
        while way != 0 {
            let parent = manifest.folder(way).parent;
            assert!(parent < way);
            way = parent;
        }
        assert_eq!(manifest.folder(way).parent, NONE);
        seen += manifest.name(folder.path).count_bytes();
        for row in manifest.files_of(&folder) {
            let file = manifest.file(row);
            seen += manifest.name(file.name).count_bytes();
            if file.first_piece != NONE {
                let segment = manifest.segments().nth(file.segment.into()).expect("it is checked");
                assert!(file.first_piece + file.piece_count <= segment.piece_count);
            }
        }
        let others = manifest.others_of(&folder);
        seen += others.map(|other| manifest.name(other.name).count_bytes()).sum::<usize>();
    }
    for watched in manifest.watched() {
        seen += manifest.name(watched.path).count_bytes();
        manifest.folder(watched.folder);
    }
    seen += manifest.name(manifest.meta.root).count_bytes();
    seen += manifest.name(manifest.meta.excludes).count_bytes();
    std::hint::black_box(seen);
}

fn read_segment(segment: &Segment, grams: &mut dyn Iterator<Item = u32>) {
    for piece in 0..segment.piece_count() {
        let _ = segment.piece_start(piece);
    }
    let mut set = DocSet::empty(segment.piece_count());
    for gram in grams {
        let Ok(1..) = segment.list_len(gram) else { continue };
        if let Ok(count) = segment.decode(gram, &mut set) {
            assert!(count <= segment.piece_count() && set.iter().all(|p| p < set.universe()));
        }
    }
}

fn segment(input: &Lists) -> Vec<u8> {
    let mut present = vec![0u64; GRAM_COUNT / 64];
    for gram in &input.present {
        let gram = *gram as usize % GRAM_COUNT;
        present[gram / 64] |= 1 << (gram % 64);
    }
    let mut ranks = Vec::new();
    let mut rank = 0;
    for word in &present {
        ranks.push(rank);
        rank += word.count_ones();
    }
    for (word, rank) in input.ranks.iter().flatten() {
        let word = usize::from(*word) % ranks.len();
        ranks[word] = *rank;
    }
    let numbers = |numbers: &[u32]| numbers.iter().flat_map(|n| n.to_le_bytes()).collect();
    let piece_count = input.piece_count.unwrap_or(input.pieces.len() as u32);
    let sections = [
        (1, input.lists.to_vec()),
        (2, present.iter().flat_map(|word| word.to_le_bytes()).collect()),
        (3, numbers(&ranks)),
        (4, numbers(&input.offsets)),
        (5, numbers(&input.pieces)),
        (6, numbers(&[7, 0, input.piece_len, piece_count])),
    ];
    frame(b"GRAM", &sections)
}

fn manifest(input: &Rows) -> Vec<u8> {
    let mut draft = Draft::default();
    let named = [&b""[..]].into_iter().chain(input.names.iter().copied());
    let names: Vec<u32> = named.map(|name| draft.name(name)).collect();
    let name = |at: u32| if input.tidy { names[at as usize % names.len()] } else { at };
    let below = |at: u32, count: usize| {
        if input.tidy && count > 0 { at % count as u32 } else { at }
    };
    draft.meta = Meta {
        made_at_ns: input.meta.0,
        root: name(input.meta.1),
        excludes: name(input.meta.2),
        ..Meta::default()
    };
    let (mut first_file, mut first_other) = (0, 0);
    for (row, folder) in input.folders.iter().enumerate() {
        let [path, parent, own_first_file, file_count, own_first_other, other_count] = *folder;
        let is_last = row + 1 == input.folders.len();
        let rest = |all: usize, first: u32, count: u32| {
            let left = all as u32 - first;
            if is_last { left } else { count % (left + 1) }
        };
        let mut folder = Folder {
            path: name(path),
            parent: if row == 0 && input.tidy { NONE } else { below(parent, row) },
            first_file: own_first_file,
            file_count,
            first_other: own_first_other,
            other_count,
            fingerprint: 2,
            listing: 3,
        };
        if input.tidy {
            (folder.first_file, folder.first_other) = (first_file, first_other);
            folder.file_count = rest(input.files.len(), first_file, file_count);
            folder.other_count = rest(input.others.len(), first_other, other_count);
            first_file += folder.file_count;
            first_other += folder.other_count;
        }
        draft.folders.push(folder);
    }
    let files = input.files.iter().map(|&(at, segment, flags, first_piece, piece_count, size)| {
        File { name: name(at), segment, flags, first_piece, piece_count, size, fingerprint: 2 }
    });
    draft.files = files.collect();
    let others = input.others.iter().map(|&(at, kind)| Other { name: name(at), kind });
    draft.others = others.collect();
    let watched = input.watched.iter().map(|&(at, folder, how, fingerprint)| Watched {
        path: name(at),
        folder: below(folder, input.folders.len()),
        how,
        fingerprint,
    });
    draft.watched = watched.collect();
    let segments = input.segments.iter().map(|&(number, file_len, piece_count, live_count)| {
        SegmentRow { number, file_len, piece_count, live_count }
    });
    draft.segments = segments.collect();
    let mut bytes = Vec::new();
    draft.write(&mut bytes).expect("a vector takes all");
    bytes
}

/// A frame around sections, as docs/formats/tree.md has it: its checksums are right, whatever its
/// contents.
fn frame(kind: &[u8; 4], sections: &[(u32, Vec<u8>)]) -> Vec<u8> {
    let mut file = [&b"MANT"[..], kind, &1u32.to_le_bytes(), &[0; 4]].concat();
    let mut table = Vec::new();
    for (id, bytes) in sections {
        table.extend_from_slice(&id.to_le_bytes());
        table.extend_from_slice(&[0; 4]);
        table.extend_from_slice(&(file.len() as u64).to_le_bytes());
        table.extend_from_slice(&(bytes.len() as u64).to_le_bytes());
        file.extend_from_slice(bytes);
        file.resize(file.len().next_multiple_of(8), 0);
    }
    let table_at = file.len() as u64;
    file.extend_from_slice(&table);
    let sums_at = file.len() as u64;
    let mut tail: Vec<u8> =
        file.chunks(4096).flat_map(|page| crc32fast::hash(page).to_le_bytes()).collect();
    tail.extend_from_slice(&table_at.to_le_bytes());
    tail.extend_from_slice(&sums_at.to_le_bytes());
    tail.extend_from_slice(&(sections.len() as u32).to_le_bytes());
    let sum = crc32fast::hash(&tail);
    tail.extend_from_slice(&sum.to_le_bytes());
    file.extend_from_slice(&tail);
    file
}
