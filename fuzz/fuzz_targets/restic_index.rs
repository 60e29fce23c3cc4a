//! Reading any text as an index file gives a list or an error; what was read is the same when it is
//! written and read again, and by the fast scanner as by the general reader, which a blank in front
//! makes sure of. The same for a plaintext, which has to be unpacked first.
//!
//! Three ways in: the bytes as they are; an index made of them; and the same with a few bytes
//! changed.
//!
//! Seeds:
//! `mkdir -p corpus/restic_index; for name in v2 rustic; do tar -xf ../proof/golden/blobs/$name.tar.zst
//! -C corpus/restic_index --strip-components=3 --wildcards './expected/index/*'; done`

#![no_main]

use arbitrary::Arbitrary;
use libfuzzer_sys::fuzz_target;
use manicule_format_restic::{
    BlobKind, Decompressor, Id, IndexForm, IndexSink, IndexWriter, ListedPack, PackedBlob, Place,
    Version, read_index, unpack,
};

/// Longest JSON.
const LIMIT: usize = 1 << 20;

#[derive(Arbitrary, Debug)]
struct Input<'a> {
    packs: Vec<([u8; 32], Vec<Blob>)>,
    changes: Vec<(u16, u8)>,
    more: &'a [u8],
}

#[derive(Arbitrary, Debug)]
struct Blob {
    id: [u8; 32],
    is_tree: bool,
    offset: u32,
    len: u16,
    raw_len: u32,
}

#[derive(Debug, Default, PartialEq)]
struct Listed {
    packs: Vec<(Id, bool, Vec<PackedBlob>)>,
}

impl IndexSink for Listed {
    fn pack(&mut self, pack: ListedPack<'_>) {
        self.packs.push((pack.id, pack.is_marked, Vec::new()));
    }

    fn blob(&mut self, blob: PackedBlob) {
        self.packs.last_mut().expect("a blob lies in a pack").2.push(blob);
    }

    fn restart(&mut self) {
        self.packs.clear();
    }
}

fuzz_target!(|bytes: &[u8]| {
    look(bytes);
    let mut decompressor = Decompressor::new();
    for version in [Version::V1, Version::V2] {
        if let Ok(json) = unpack(version, bytes, LIMIT, &mut decompressor) {
            assert!(json.len() <= LIMIT);
            look(json);
        }
    }
    let Ok(input) = Input::arbitrary(&mut arbitrary::Unstructured::new(bytes)) else { return };
    let mut json = write(&input);
    assert_eq!(look(&json), Some(IndexForm::Canonical));
    for (at, byte) in input.changes {
        let at = usize::from(at) % json.len();
        json[at] = byte;
    }
    look(&json);
    json.splice(json.len() / 2..json.len() / 2, input.more.iter().copied());
    look(&json);
});

fn write(input: &Input<'_>) -> Vec<u8> {
    let mut writer = IndexWriter::new();
    for (id, blobs) in &input.packs {
        writer.pack(&Id(*id));
        for Blob { id, is_tree, offset, len, raw_len } in blobs {
            let kind = Some(if *is_tree { BlobKind::Tree } else { BlobKind::Data });
            let place = Place { offset: *offset, len: u32::from(*len), raw_len: *raw_len };
            writer.blob(&PackedBlob { kind, id: Id(*id), place });
        }
    }
    writer.finish()
}

fn look(json: &[u8]) -> Option<IndexForm> {
    let (mut listed, mut general) = (Listed::default(), Listed::default());
    let read = read_index(json, &mut listed);
    let spaced = [b" ", json].concat();
    let read_generally = read_index(&spaced, &mut general);
    assert_eq!(read.is_ok(), read_generally.is_ok());
    assert_eq!(listed, general);
    let form = read.ok()?;
    let mut writer = IndexWriter::new();
    let live = listed.packs.iter().filter(|(_, is_marked, _)| !is_marked);
    for (id, _, blobs) in live.clone() {
        writer.pack(id);
        blobs.iter().for_each(|blob| writer.blob(blob));
    }
    let mut again = Listed::default();
    read_index(&writer.finish(), &mut again).expect("what was written can be read");
    assert!(again.packs.iter().eq(live));
    Some(form)
}
