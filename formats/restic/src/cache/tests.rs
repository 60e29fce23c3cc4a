//! Pages of a cache open where they were sealed and nowhere else.

use super::*;
use crate::{Id, IndexForm, Key, Nodes};

const SECTIONS: [CacheSection; 3] = [
    CacheSection { page_len: 10, len: 25 },
    CacheSection { page_len: 7, len: 0 },
    CacheSection { page_len: 10, len: 20 },
];

fn key(first: u8) -> Key {
    Key::from_bytes(&std::array::from_fn(|at| at as u8 + first)).unwrap()
}

fn plain(section: usize, page: u64) -> Vec<u8> {
    let range = SECTIONS[section].page(page);
    range.map(|at| at as u8 * 3 + section as u8).collect()
}

fn file(master: &Key, salt: [u8; 32]) -> Vec<u8> {
    let mut out = Vec::new();
    let frame = CacheFrame::new(CacheKind::Index, master, salt, &SECTIONS, b"contents", &mut out);
    for (number, section) in SECTIONS.iter().enumerate() {
        for page in 0..section.page_count() {
            frame.seal_page(number, page, &plain(number, page), &mut out);
        }
    }
    out
}

/// Whether everything of a file opens, and is what was sealed.
fn is_whole(bytes: &[u8], kind: CacheKind, master: &Key) -> bool {
    let Ok((frame, contents)) = CacheFrame::open(bytes, kind, master) else { return false };
    assert_eq!(contents, b"contents");
    SECTIONS.iter().enumerate().all(|(number, section)| {
        assert_eq!(frame.section(number), Some(*section));
        (0..section.page_count()).all(|page| match frame.open_page(bytes, number, page) {
            Ok(opened) => {
                assert_eq!(opened, plain(number, page));
                true
            }
            Err(_) => false,
        })
    })
}

#[test]
fn what_was_sealed_opens_with_its_key_only() {
    let bytes = file(&key(1), [9; 32]);
    assert!(is_whole(&bytes, CacheKind::Index, &key(1)));
    assert!(!is_whole(&bytes, CacheKind::Index, &key(2)), "another repository's key");
    assert!(!is_whole(&bytes, CacheKind::Trees, &key(1)), "another kind");
    assert_ne!(bytes[48..], file(&key(1), [8; 32])[48..], "each salt has its own key");
}

#[test]
fn a_flipped_bit_and_a_cut_are_found() {
    let sound = file(&key(1), [9; 32]);
    for bit in 0..sound.len() * 8 {
        let mut bytes = sound.clone();
        bytes[bit / 8] ^= 1 << (bit % 8);
        assert!(!is_whole(&bytes, CacheKind::Index, &key(1)), "bit {bit}");
    }
    for len in 0..sound.len() {
        assert!(CacheFrame::open(&sound[..len], CacheKind::Index, &key(1)).is_err(), "{len}");
    }
}

#[test]
fn pages_can_not_be_swapped() {
    let sound = file(&key(1), [9; 32]);
    // The last section has two pages of 26 bytes, which are the file's last.
    let start = sound.len() - 52;
    let mut bytes = sound[..start].to_vec();
    bytes.extend_from_slice(&sound[start + 26..]);
    bytes.extend_from_slice(&sound[start..start + 26]);
    let (frame, _) = CacheFrame::open(&bytes, CacheKind::Index, &key(1)).unwrap();
    assert!((0..2).all(|page| frame.open_page(&bytes, 2, page).is_err()));
    assert!(frame.open_page(&bytes, 0, 2).is_ok());
}

#[test]
fn heads_and_rows_are_read_as_they_were_written() {
    let id = |byte: u8| Id([byte; 32]);
    let file = |byte: u8, form: IndexForm| CachedFile {
        id: id(byte),
        len: 1 << 40,
        pack_count: 3,
        blob_count: 50_000,
        form,
    };
    let contents = IndexContents {
        pack_count: 7,
        entry_counts: [5, 6],
        repeat_count: 2,
        files: vec![file(1, IndexForm::Canonical), file(2, IndexForm::General)],
        marked: vec![(id(3), None), (id(4), Some("2026-01-01T00:00:00Z".to_owned()))],
    };
    let mut bytes = Vec::new();
    contents.encode(&mut bytes);
    assert_eq!(IndexContents::decode(&bytes), Ok(contents));
    for len in 0..bytes.len() {
        assert!(IndexContents::decode(&bytes[..len]).is_err(), "{len}");
    }
    let pack = CachedPack {
        id: id(5),
        blob_count: 1,
        untyped_count: 2,
        len: 3 << 33,
        header_len: 4,
        named: 5,
    };
    let mut row = Vec::new();
    pack.encode(&mut row);
    assert_eq!((row.len(), CachedPack::decode(&row)), (PACK_ROW_LEN, Ok(pack)));
}

const TREE: &str = concat!(
    r#"{"nodes":[{"name":"a","type":"file","mtime":"2026-01-02T03:04:05.000000006+01:30","size":300,"#,
    r#""content":["0101010101010101010101010101010101010101010101010101010101010101","#,
    r#""0202020202020202020202020202020202020202020202020202020202020202"]},"#,
    r#"{"name":"d","type":"dir","subtree":"0303030303030303030303030303030303030303030303030303030303030303"},"#,
    r#"{"name":"d","type":"odd"},{"name":"l\\n","type":"symlink","linktarget":"/to"}]}"#,
);

/// Numbers by the first byte of an id.
struct FirstBytes;

impl Numbers for FirstBytes {
    type Error = manicule_core::go::json::JsonError;

    fn tree(&mut self, id: Id) -> Result<u32, Self::Error> {
        Ok(id.0[0].into())
    }

    fn blobs(&mut self, ids: &[Id], out: &mut Vec<u32>) -> Result<(), Self::Error> {
        out.extend(ids.iter().map(|id| u32::from(id.0[0])));
        Ok(())
    }
}

fn record() -> Vec<u8> {
    let mut out = Vec::new();
    put_cached_tree(TREE.as_bytes(), &mut FirstBytes, &mut out).unwrap();
    out
}

#[test]
fn a_cached_tree_has_the_nodes_of_its_text() {
    let record = record();
    let tree = CachedTree::open(&record).unwrap();
    let mut nodes = Nodes::open(TREE.as_bytes()).unwrap();
    for number in 0..tree.len() {
        let node = nodes.next_node().unwrap().unwrap();
        let got = tree.node(number).unwrap();
        assert_eq!(got.name, &*node.name());
        assert_eq!((got.kind, got.kind_word), (node.kind, node.kind_word().as_bytes()));
        assert_eq!((got.size, got.mtime), (node.size, node.mtime));
        assert_eq!(got.link_target, &*node.link_target());
        assert!(got.blobs().eq(node.blobs().iter().map(|id| u32::from(id.0[0]))));
        assert_eq!(got.child, node.child().map(|_| 3));
        let first = if number == 2 { 1 } else { number };
        assert_eq!(tree.find(&node.name()), tree.node(first).map(Some));
    }
    assert!(nodes.next_node().unwrap().is_none() && !tree.is_empty());
    assert_eq!(tree.find(b"other"), Ok(None));
}

#[test]
fn children_and_blobs_get_other_numbers_and_nothing_else_changes() {
    let mut bytes = record();
    renumber(&mut bytes, |child| child + 1, |blob| blob * 10).unwrap();
    let tree = CachedTree::open(&bytes).unwrap();
    let children: Vec<_> = (0..4).map(|number| tree.node(number).unwrap().child).collect();
    assert_eq!(children, [None, Some(4), None, None]);
    assert!(tree.node(0).unwrap().blobs().eq([10, 20]));
    renumber(&mut bytes, |child| child - 1, |blob| blob / 10).unwrap();
    assert_eq!(bytes, record());
}

#[test]
fn a_record_that_was_cut_is_an_error() {
    let whole = record();
    for len in 0..whole.len() {
        let mut bytes = whole[..len].to_vec();
        let is_whole = CachedTree::open(&bytes)
            .is_ok_and(|tree| (0..tree.len()).all(|number| tree.node(number).is_ok()));
        assert!(!is_whole, "{len}");
        let _ = renumber(&mut bytes, |child| child, |blob| blob);
    }
    let contents = TreesContents {
        is_whole: true,
        tree_count: 9,
        blob_count: 10,
        index_files: vec![Id([1; 32])],
        snapshots: vec![Id([2; 32]), Id([3; 32])],
    };
    let mut head = Vec::new();
    contents.encode(&mut head);
    assert_eq!(TreesContents::decode(&head), Ok(contents));
    assert!((0..head.len()).all(|len| TreesContents::decode(&head[..len]).is_err()));
}
