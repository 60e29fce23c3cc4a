//! The example in docs/formats/tree.md: the bytes of a tiny index, as the code writes them today.
//! `UPDATE=1 cargo test` rewrites it.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use manicule_format_tree::grams::{CLASSES, gram, is_indexed, show};
use manicule_format_tree::manifest::{
    Draft, FLAG_BINARY, File, Folder, Meta, NONE, OTHER_FILE, Other, SegmentRow, WATCH_CONTENTS,
    Watched,
};
use manicule_format_tree::outline;
use manicule_format_tree::segment::{self, Lists, Segment};
use manicule_testkit::Examples;

/// The text of each piece, and where it begins in its file.
const PIECES: [(&[u8], u32); 5] =
    [(b"abc\n", 0), (b"abc d\n", 0), (b"x\n", 6), (b"y\n", 8), (b"ABC\n", 10)];

const NUMBER: u64 = 7;
const PIECE_LEN: u32 = 4;

fn segment_bytes() -> Vec<u8> {
    let mut grams: BTreeMap<u32, BTreeSet<u32>> = BTreeMap::new();
    for (piece, (text, _)) in PIECES.iter().enumerate() {
        for window in text.windows(3) {
            let [first, second, third] = [0, 1, 2].map(|at| CLASSES[usize::from(window[at])]);
            let gram = gram(first, second, third);
            if is_indexed(gram) {
                grams.entry(gram).or_default().insert(piece as u32);
            }
        }
    }
    let mut lists = Lists::new(PIECES.len() as u32);
    for (gram, pieces) in grams {
        lists.push(gram, pieces.len() as u32, pieces);
    }
    let mut bytes = Vec::new();
    let starts = PIECES.map(|piece| piece.1);
    segment::write(&mut bytes, NUMBER, PIECE_LEN, &starts, [lists]).expect("a vector takes all");
    bytes
}

fn manifest_bytes(segment_len: u64) -> Vec<u8> {
    let mut draft = Draft::default();
    let (root, excludes) = (draft.name(b"/home/me/tree"), draft.name(b""));
    let (top, sub) = (draft.name(b""), draft.name(b"src"));
    let (first, second) = (draft.name(b"a.md"), draft.name(b"b.rs"));
    let rules = draft.name(b".ignore");
    draft.meta = Meta {
        made_at_ns: 1_700_000_000_000_000_000,
        key: 42,
        text_len: 19,
        next_segment: NUMBER + 1,
        piece_len: PIECE_LEN,
        excludes,
        root,
    };
    let folder = |path, parent, first_file, other_count| {
        let (fingerprint, listing) = (0x1111 * u64::from(path + 1), 0x2222 * u64::from(path + 1));
        let first_other = u32::from(first_file > 0);
        Folder {
            path,
            parent,
            first_file,
            file_count: 1,
            first_other,
            other_count,
            fingerprint,
            listing,
        }
    };
    draft.folders = vec![folder(top, NONE, 0, 1), folder(sub, 0, 1, 0)];
    let file = |name, flags, first_piece, piece_count, size| {
        let fingerprint = 0x3333 * u64::from(name);
        File { name, segment: 0, flags, first_piece, piece_count, size, fingerprint }
    };
    draft.files = vec![file(first, 0, 0, 1, 4), file(second, FLAG_BINARY, 1, 4, 15)];
    draft.others = vec![Other { name: rules, kind: OTHER_FILE }];
    draft.watched =
        vec![Watched { path: rules, folder: 0, how: WATCH_CONTENTS, fingerprint: 0x4444 }];
    let (piece_count, live_count) = (5, 5);
    draft.segments =
        vec![SegmentRow { number: NUMBER, file_len: segment_len, piece_count, live_count }];
    let mut bytes = Vec::new();
    draft.write(&mut bytes).expect("a vector takes all");
    bytes
}

/// The parts of a file, then its bytes.
fn shown(bytes: &[u8]) -> String {
    let (_, outline) = outline(bytes).expect("a sound file");
    let mut out = format!("{outline}\n");
    let mut last: Option<&[u8]> = None;
    let mut is_squeezed = false;
    for (row, bytes) in bytes.chunks(16).enumerate() {
        if last == Some(bytes) {
            if !is_squeezed {
                out.push_str("*\n");
            }
            is_squeezed = true;
            continue;
        }
        (last, is_squeezed) = (Some(bytes), false);
        let digits: Vec<String> = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
        let shown = |byte: &u8| if (0x20..0x7f).contains(byte) { char::from(*byte) } else { '.' };
        let text: String = bytes.iter().map(shown).collect();
        let _ = writeln!(out, "{:08x}  {:<47}  |{text}|", row * 16, digits.join(" "));
    }
    out
}

#[test]
fn the_document_shows_what_the_code_writes() {
    let mut page = Examples::of("docs/formats/tree.md");
    let segment = segment_bytes();
    let examples =
        [("manifest", shown(&manifest_bytes(segment.len() as u64))), ("segment", shown(&segment))];
    for (name, now) in examples {
        page.hold(name, &now);
    }
}

#[test]
fn the_example_reads_back() {
    let bytes = segment_bytes();
    let segment = Segment::open(&bytes).expect("a sound segment");
    let statistics = segment.verify().expect("a sound segment");
    let lists: Vec<(String, u32)> =
        statistics.densest.iter().map(|list| (show(list.0), list.1)).collect();
    let list = |gram: &str, count| (gram.to_owned(), count);
    assert_eq!(lists, [list("abc", 3), list("bc ", 1), list("c d", 1)]);
}
