//! The example in docs/formats/labels.md, and what becomes of it when bytes change.
//! `UPDATE=1 cargo test` rewrites it.

use std::borrow::Cow;
use std::fmt::Write;

use manicule_format_labels::{Ids, LabelFile, Part, decode, encode, outline, put_row};
use manicule_testkit::Examples;

fn part(first: u32, series: &[(&'static [u8], &'static [u8])]) -> Part<'static> {
    let mut rows = Vec::new();
    let names = vec![&b"__name__"[..], b"job"];
    let mut values = vec![Vec::new(), Vec::new()];
    for (place, (name, job)) in series.iter().enumerate() {
        values[0].push(*name);
        values[1].push(*job);
        put_row(0, [place as u32, place as u32].into_iter(), &mut rows);
    }
    let (row_count, rows) = (series.len() as u32, Cow::Owned(rows));
    Part { ids: Ids::From(first), names, values, sets: vec![vec![0, 1]], row_count, rows }
}

fn example() -> LabelFile<'static> {
    LabelFile {
        is_fixed: true,
        boundary: 2,
        alive: vec![0b110],
        hidden: vec![0b001],
        parts: vec![part(0, &[(b"up", b"node"), (b"down", b"api")]), part(2, &[(b"up", b"db")])],
    }
}

fn bytes() -> Vec<u8> {
    let mut bytes = Vec::new();
    encode(&example(), &mut bytes);
    bytes
}

/// The parts of the file, then its bytes.
fn shown(bytes: &[u8]) -> String {
    let mut out = format!("{}\n", outline(bytes).expect("a sound file"));
    for (row, bytes) in bytes.chunks(16).enumerate() {
        let digits: Vec<String> = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
        let shown = |byte: &u8| if (0x20..0x7f).contains(byte) { char::from(*byte) } else { '.' };
        let text: String = bytes.iter().map(shown).collect();
        let _ = writeln!(out, "{:08x}  {:<47}  |{text}|", row * 16, digits.join(" "));
    }
    out
}

#[test]
fn the_document_shows_what_the_code_writes() {
    Examples::of("docs/formats/labels.md").hold("labels", &shown(&bytes()));
}

#[test]
fn a_file_reads_back() {
    assert_eq!(decode(&bytes()), Ok(example()));
    let mut kept = example();
    kept.parts[0].ids = Ids::Kept(vec![1 << 63, 2]);
    let mut bytes = Vec::new();
    encode(&kept, &mut bytes);
    assert_eq!(decode(&bytes), Ok(kept));
}

#[test]
fn every_cut_and_every_flipped_bit_is_found() {
    let bytes = bytes();
    for len in 0..bytes.len() {
        assert!(decode(&bytes[..len]).is_err(), "cut at {len}");
    }
    for at in 0..bytes.len() {
        for bit in 0..8 {
            let mut flipped = bytes.clone();
            flipped[at] ^= 1 << bit;
            assert!(decode(&flipped).is_err(), "bit {bit} at {at}");
        }
    }
    assert!(decode(&[&bytes[..], b"\0"].concat()).is_err(), "a byte more");
}

/// Where the sums are made to hold, numbers are what is checked.
#[test]
fn changed_bytes_whose_sums_hold_never_panic() {
    let bytes = bytes();
    let sections: Vec<_> =
        outline(&bytes).unwrap().rows.iter().skip(1).map(|row| row.bytes.clone()).collect();
    let mut taken = 0;
    for section in sections {
        let (start, sum) = (section.start as usize, section.end as usize - 4);
        for at in start..sum {
            for value in [0, 1, 2, 3, 0x7f, 0x80, 0xff] {
                let mut changed = bytes.clone();
                changed[at] = value;
                let crc = crc32c::crc32c(&changed[start..sum]);
                changed[sum..sum + 4].copy_from_slice(&crc.to_le_bytes());
                taken += usize::from(decode(&changed).is_ok());
            }
        }
    }
    assert!(taken > 0, "some of these are other sound files");
}
