//! Reading any bytes as the parts of a cache gives them or an error; what was read is the same when
//! it is written and read again. Two ways in: the bytes as they are, and a file of ours around
//! them, whose seal holds and whose contents don't have to.

#![no_main]

use arbitrary::Arbitrary;
use libfuzzer_sys::fuzz_target;
use manicule_format_restic::{
    CacheFrame, CacheKind, CacheSection, CachedPack, CachedTree, IndexContents, Key, TreesContents,
    renumber,
};

/// Longest section of a file that is made here.
const SECTION_LEN_MAX: u64 = 4096;

#[derive(Arbitrary, Debug)]
struct Input<'a> {
    sections: [(u16, u16); 3],
    salt: [u8; 32],
    contents: &'a [u8],
}

fuzz_target!(|bytes: &[u8]| {
    contents(bytes);
    tree(bytes);
    let key = Key::from_bytes(&[7; 64]).expect("not a key of zeros");
    for kind in [CacheKind::Index, CacheKind::Trees] {
        assert!(CacheFrame::open(bytes, kind, &key).is_err(), "nobody has the key");
    }
    if let Ok(input) = Input::arbitrary(&mut arbitrary::Unstructured::new(bytes)) {
        file(&input, &key);
    }
});

fn contents(bytes: &[u8]) {
    let mut again = Vec::new();
    if let Ok(contents) = IndexContents::decode(bytes) {
        contents.encode(&mut again);
        assert_eq!(IndexContents::decode(&again), Ok(contents));
    }
    again.clear();
    if let Ok(contents) = TreesContents::decode(bytes) {
        contents.encode(&mut again);
        assert_eq!(TreesContents::decode(&again), Ok(contents));
    }
    again.clear();
    if let Ok(pack) = CachedPack::decode(bytes) {
        pack.encode(&mut again);
        assert!(bytes.starts_with(&again));
    }
}

fn tree(bytes: &[u8]) {
    let mut same = bytes.to_vec();
    // After an error the numbers before its place have been given already: the same ones here.
    let is_renumbered = renumber(&mut same, |tree| tree, |blob| blob).is_ok();
    assert_eq!(same, bytes);
    let Ok(tree) = CachedTree::open(bytes) else { return assert!(!is_renumbered) };
    for number in 0..tree.len() {
        if let Ok(node) = tree.node(number) {
            assert!(node.blobs().len() * 4 <= bytes.len());
            if let Ok(Some(found)) = tree.find(node.name) {
                assert_eq!(found.name, node.name);
            }
        }
    }
}

fn file(input: &Input<'_>, key: &Key) {
    let sections = input.sections.map(|(page_len, len)| CacheSection {
        page_len: u32::from(page_len) + 1,
        len: u64::from(len) % SECTION_LEN_MAX,
    });
    let mut out = Vec::new();
    let kind = CacheKind::Index;
    let made = CacheFrame::new(kind, key, input.salt, &sections, input.contents, &mut out);
    for (number, section) in sections.iter().enumerate() {
        for page in 0..section.page_count() {
            let range = section.page(page);
            made.seal_page(number, page, &vec![9; (range.end - range.start) as usize], &mut out);
        }
    }
    let (frame, contents) = CacheFrame::open(&out, kind, key).expect("a file of ours opens");
    assert_eq!(contents, input.contents);
    for (number, section) in sections.iter().enumerate() {
        assert_eq!(frame.section(number), Some(*section));
        for page in 0..section.page_count() {
            let plain = frame.open_page(&out, number, page).expect("a page of ours opens");
            assert!(plain.iter().all(|&byte| byte == 9));
        }
    }
    assert!(CacheFrame::open(&out, CacheKind::Trees, key).is_err());
}
