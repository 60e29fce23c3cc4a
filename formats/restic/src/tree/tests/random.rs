//! Random nodes, and random changes of the texts of trees.

use std::collections::BTreeSet;

use manicule_testkit::Rng;

use super::super::encode::OwnedNode;
use super::super::node::ExtendedAttribute;
use crate::Id;
use crate::mode::Mode;
use crate::time::{Moment, Time};

const TEXTS: [&str; 14] = [
    "",
    "root",
    "archivist",
    "user with blanks",
    "größe",
    "日本語",
    "emoji 😀",
    "a\"b",
    "back\\slash",
    "<&>",
    "\u{2028}\u{feff}\u{a0}",
    "\u{7f}\u{80}\u{301}",
    "line\nbreak\ttab\u{1}",
    "../up",
];

fn text(rng: &mut Rng) -> String {
    rng.pick(&TEXTS).to_owned()
}

fn bytes(rng: &mut Rng) -> Vec<u8> {
    match rng.below(3) {
        0 => text(rng).into_bytes(),
        1 => (0..rng.below(40)).map(|_| rng.bits() as u8).collect(),
        _ => (0..rng.below(20)).map(|_| b'a' + rng.below(26) as u8).collect(),
    }
}

fn id(rng: &mut Rng) -> Id {
    Id(std::array::from_fn(|_| rng.bits() as u8))
}

/// Any number of decimal digits, zero too, but not more than the scanner takes.
fn number(rng: &mut Rng) -> u64 {
    let bits = rng.below(64);
    rng.bits() % (1 << bits)
}

/// A time that comes back as it was.
fn time(rng: &mut Rng) -> Time {
    let seconds = (rng.bits() % 253_402_214_400) as i64 - rng.below(2) as i64 * 62_000_000_000;
    let any = (rng.bits() % 1_000_000_000) as u32;
    let nanos = rng.pick(&[0, 0, 1, 120_000_000, 999_999_999, any]);
    let offset_minutes = rng.pick(&[0, 0, 0, 60, -300, 345, 1439]);
    Time { moment: Moment { seconds: seconds.min(253_402_214_399), nanos }, offset_minutes }
}

fn node(rng: &mut Rng, name: Vec<u8>) -> OwnedNode {
    let kinds = ["file", "file", "dir", "symlink", "dev", "chardev", "fifo", "socket", "irregular"];
    let kind = if rng.one_in(40) { text(rng) } else { rng.pick(&kinds).to_owned() };
    let attribute = |rng: &mut Rng| ExtendedAttribute { name: text(rng), value: bytes(rng) };
    let values =
        ["null", "5", "[1,{\"a\":\"}]\\\"\"}]", "\"AAA=\"", "{\"content\":[],\"type\":\"file\"}"];
    let generic = |rng: &mut Rng| (text(rng), rng.pick(&values).as_bytes().to_vec());
    OwnedNode {
        name,
        mode: Mode(rng.bits() as u32 >> rng.below(32)),
        mtime: time(rng),
        atime: time(rng),
        ctime: time(rng),
        uid: rng.bits() as u32 >> rng.below(32),
        gid: rng.below(1000) as u32,
        user: text(rng),
        group: text(rng),
        inode: number(rng),
        device_id: number(rng),
        size: number(rng),
        links: rng.below(3) as u64,
        link_target: if kind == "symlink" { bytes(rng) } else { Vec::new() },
        extended_attributes: (0..rng.below(12) / 9).map(|_| attribute(rng)).collect(),
        generic_attributes: (0..rng.below(12) / 9).map(|_| generic(rng)).collect(),
        device: if rng.one_in(5) { number(rng) } else { 0 },
        content: (kind == "file").then(|| (0..rng.below(5)).map(|_| id(rng)).collect()),
        subtree: (kind == "dir").then(|| id(rng)),
        error: if rng.one_in(20) { text(rng) } else { String::new() },
        kind,
    }
}

/// Up to a dozen nodes with increasing names.
pub(super) fn tree(rng: &mut Rng) -> Vec<OwnedNode> {
    let names: BTreeSet<Vec<u8>> = (0..rng.below(12)).map(|_| bytes(rng)).collect();
    names.into_iter().map(|name| node(rng, name)).collect()
}

/// Bytes that mean something to JSON, or to a node.
const PIECES: [&[u8]; 20] = [
    b"\"",
    b"\\",
    b"{",
    b"}",
    b"[",
    b"]",
    b",",
    b":",
    b" ",
    b"0",
    b"9",
    b"-",
    b".5",
    b"null",
    b"\\u0041",
    b"\xff",
    b"\x01",
    b",\"size\":1",
    b",\"Mode\":7",
    b",\"content\":null",
];

/// Makes one small change of a text.
pub(super) fn change(rng: &mut Rng, text: &mut Vec<u8>) {
    let at = rng.below(text.len() + 1);
    let end = (at + rng.below(12)).min(text.len());
    match rng.below(7) {
        0 if at < text.len() => text[at] ^= 1 << rng.below(8),
        1 if at < text.len() => text[at] = b'0' + rng.below(10) as u8,
        2 => drop(text.drain(at..end)),
        3 if rng.one_in(4) => text.truncate(at),
        4 => {
            let copy = text[at..end].to_vec();
            drop(text.splice(at..at, copy));
        }
        5 => {
            // Before a comma between fields, where many a piece is right.
            let commas: Vec<usize> = (0..text.len()).filter(|at| text[*at] == b',').collect();
            let at = if commas.is_empty() { at } else { rng.pick(&commas) };
            drop(text.splice(at..at, rng.pick(&PIECES).iter().copied()));
        }
        _ => drop(text.splice(at..at, rng.pick(&PIECES).iter().copied())),
    }
}

/// The same text with white space between its tokens here and there.
pub(super) fn respelled(rng: &mut Rng, text: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    let (mut is_string, mut is_escape) = (false, false);
    for byte in text {
        let was_string = is_string;
        if !is_escape && *byte == b'"' {
            is_string = !is_string;
        }
        is_escape = is_string && !is_escape && *byte == b'\\';
        if !was_string && b"{}[]:,\"".contains(byte) && rng.one_in(6) {
            out.push(rng.pick(b" \t\r\n"));
        }
        out.push(*byte);
    }
    out
}
