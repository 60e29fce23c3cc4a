//! The fast scanner of index files: it knows the one form that restic writes, and gives up at the
//! first byte that differs.
//!
//! An entry is 96 bytes whose places are fixed, then three numbers. Where [`WINDOW_LEN`] bytes are
//! at hand these are compared and decoded without a branch for each byte; the end of a file goes
//! the plain way, which also judges the fast one.
//!
//! Bytes:   {"packs":[{"id":"<64>","blobs":[{"id":"<64>","type":"data","offset":N,"length":N,"uncompressed_length":N}]}]}

use manicule_core::hex;

use crate::blob::{BlobKind, PackedBlob, Place};
use crate::digits::up_to_eight;
use crate::id::Id;

use super::sink::{IndexSink, ListedPack};

const OPEN: &[u8] = b"{\"packs\":[";
pub(super) const ID: &[u8; 7] = b"{\"id\":\"";
pub(super) const BLOBS: &[u8; 11] = b"\",\"blobs\":[";
pub(super) const KIND: &[u8; 10] = b"\",\"type\":\"";
pub(super) const OFFSET: &[u8; 11] = b"\",\"offset\":";
pub(super) const LEN: &[u8; 10] = b",\"length\":";
pub(super) const RAW_LEN: &[u8; 23] = b",\"uncompressed_length\":";

// Where the parts of an entry begin; kinds have four letters.
const ID_AT: usize = ID.len();
const KIND_NAME_AT: usize = ID_AT + hex::DIGITS + KIND.len();
const OFFSET_NUMBER_AT: usize = KIND_NAME_AT + 4 + OFFSET.len();

/// Longest entry: three numbers of ten digits and the brace; and eight bytes more, which are loaded
/// with the last number.
const WINDOW_LEN: usize = OFFSET_NUMBER_AT + LEN.len() + RAW_LEN.len() + 3 * 10 + 1 + 8;

/// Scans a whole file. `None` if a byte differs from the canonical form: the sink may have got
/// something by then.
pub(super) fn scan<S: IndexSink + ?Sized>(json: &[u8], sink: &mut S) -> Option<()> {
    let mut rest = json.strip_prefix(OPEN)?;
    let mut has_next = !rest.starts_with(b"]");
    while has_next {
        rest = pack(rest, sink)?;
        has_next = rest.starts_with(b",");
        rest = &rest[usize::from(has_next)..];
    }
    matches!(rest, b"]}\n" | b"]}").then_some(())
}

/// Scans a pack and returns what follows it.
fn pack<'a, S: IndexSink + ?Sized>(json: &'a [u8], sink: &mut S) -> Option<&'a [u8]> {
    let (id, rest) = json.strip_prefix(ID)?.split_first_chunk()?;
    sink.pack(ListedPack::new(Id(hex::decode_32(id)?)));
    let mut rest = rest.strip_prefix(BLOBS)?;
    if !rest.starts_with(b"]") {
        loop {
            // Two calls: where both ways end in one, the entry takes a detour over memory, 8 ns.
            let len = if let Some(window) = rest.first_chunk() {
                let (blob, len) = blob(window)?;
                sink.blob(blob);
                len
            } else {
                let (blob, len) = blob_plainly(rest)?;
                sink.blob(blob);
                len
            };
            // A branch that is guessed right, so that the next entry's place doesn't wait for this
            // byte.
            rest = rest.get(len..)?;
            match rest.strip_prefix(b",") {
                Some(next) => rest = next,
                None => break,
            }
        }
    }
    rest.strip_prefix(b"]}")
}

/// The entry at the start of a window, and its length.
#[inline(always)]
fn blob(window: &[u8; WINDOW_LEN]) -> Option<(PackedBlob, usize)> {
    let (id, digits) = window.split_first_chunk::<ID_AT>()?;
    let (digits, rest) = digits.split_first_chunk::<{ hex::DIGITS }>()?;
    let (kind, rest) = rest.split_first_chunk::<{ KIND.len() }>()?;
    let (name, rest) = rest.split_first_chunk::<4>()?;
    let (offset, _) = rest.split_first_chunk::<{ OFFSET.len() }>()?;
    if id != ID || kind != KIND || offset != OFFSET {
        return None;
    }
    let kind = kind_of(name)?;
    let id = Id(hex::decode_32(digits)?);
    let (offset, at) = number(window, OFFSET_NUMBER_AT)?;
    let (len, at) = number(window, after(window, at, LEN)?)?;
    let (raw_len, at) = match window[at] {
        b'}' => (0, at),
        _ => number(window, after(window, at, RAW_LEN)?)?,
    };
    let place = Place { offset, len, raw_len };
    (window[at] == b'}').then_some((PackedBlob { kind: Some(kind), id, place }, at + 1))
}

/// Without a branch for each kind: where they are mixed it would be guessed wrong half of the time.
#[inline(always)]
fn kind_of(name: &[u8; 4]) -> Option<BlobKind> {
    let [name, data, tree] = [name, b"data", b"tree"].map(|name| u32::from_le_bytes(*name));
    let is_tree = name == tree;
    (is_tree | (name == data)).then_some(if is_tree { BlobKind::Tree } else { BlobKind::Data })
}

/// Offset of what follows a word.
#[inline(always)]
fn after<const N: usize>(window: &[u8; WINDOW_LEN], at: usize, word: &[u8; N]) -> Option<usize> {
    (window[at..].first_chunk() == Some(word)).then_some(at + N)
}

/// A number and the offset of what follows it. Up to seven digits, which is what nearly all of them
/// have, are counted and added up together.
#[inline(always)]
fn number(window: &[u8; WINDOW_LEN], at: usize) -> Option<(u32, usize)> {
    let (value, count) = up_to_eight(*window[at..].first_chunk()?);
    if (count == 8) | ((count > 1) & (window[at] == b'0')) {
        let (number, len) = number_plainly(&window[at..])?;
        return Some((number, at + len));
    }
    (count > 0).then_some((value, at + count))
}

/// The twin of [`blob`], for the end of a file and for tests.
fn blob_plainly(json: &[u8]) -> Option<(PackedBlob, usize)> {
    let (id, rest) = json.strip_prefix(ID)?.split_first_chunk()?;
    let id = Id(hex::decode_32(id)?);
    let (name, rest) = rest.strip_prefix(KIND)?.split_first_chunk()?;
    let kind = Some(kind_of(name)?);
    let rest = rest.strip_prefix(OFFSET)?;
    let (offset, len) = number_plainly(rest)?;
    let rest = rest[len..].strip_prefix(LEN)?;
    let (stored_len, len) = number_plainly(rest)?;
    let (mut rest, mut raw_len) = (&rest[len..], 0);
    if let Some(digits) = rest.strip_prefix(RAW_LEN) {
        let (number, len) = number_plainly(digits)?;
        (rest, raw_len) = (&digits[len..], number);
    }
    let rest = rest.strip_prefix(b"}")?;
    let place = Place { offset, len: stored_len, raw_len };
    Some((PackedBlob { kind, id, place }, json.len() - rest.len()))
}

/// A number as JSON has it, of 32 bits, and its length.
fn number_plainly(json: &[u8]) -> Option<(u32, usize)> {
    let count = json.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let digits = str::from_utf8(&json[..count]).ok()?;
    let is_short = count == 1 || !digits.starts_with('0');
    is_short.then(|| digits.parse().ok()).flatten().map(|number| (number, count))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An entry in a window, filled up with what may follow.
    fn windowed(entry: &str, rest: &str) -> [u8; WINDOW_LEN] {
        let mut window = [b'9'; WINDOW_LEN];
        let bytes = [entry.as_bytes(), rest.as_bytes()].concat();
        let len = bytes.len().min(WINDOW_LEN);
        window[..len].copy_from_slice(&bytes[..len]);
        window
    }

    fn entry(kind: &str, numbers: [&str; 3]) -> String {
        let [offset, len, raw_len] = numbers;
        let id = "0123456789abcdef".repeat(4);
        let raw = if raw_len.is_empty() {
            String::new()
        } else {
            format!(",\"uncompressed_length\":{raw_len}")
        };
        format!("{{\"id\":\"{id}\",\"type\":\"{kind}\",\"offset\":{offset},\"length\":{len}{raw}}}")
    }

    #[test]
    fn numbers_of_every_length_are_read_as_by_the_plain_way() {
        let numbers = [
            "0",
            "7",
            "10",
            "99",
            "100",
            "12345",
            "999999",
            "1234567",
            "12345678",
            "123456789",
            "4294967295",
            "4294967296",
            "9999999999",
            "18446744073709551616",
            "00",
            "01",
            "0000000",
            "00000000",
            "",
            "-1",
            "1.0",
            "1e3",
            "/",
            ":",
            "\u{80}1",
        ];
        for number in numbers {
            for rest in ["", ",", "}", "]", " ", "/", ":", "a", "\u{b0}", "\0"] {
                let window = windowed(number, rest);
                for at in [0, 1] {
                    let plain = number_plainly(&window[at..]).map(|(value, len)| (value, at + len));
                    assert_eq!(super::number(&window, at), plain, "{number}{rest} from {at}");
                }
            }
        }
    }

    #[test]
    fn entries_are_read_as_by_the_plain_way() {
        let numbers = ["0", "4294967295", "123", "", "4294967296", "007"];
        let mut read_count = 0;
        for kind in ["data", "tree", "Data", "blob"] {
            for raw_len in numbers {
                for len in numbers {
                    let entry = entry(kind, [numbers[read_count % 3], len, raw_len]);
                    for rest in ["", ",{\"id\":\"", "]},{\"id\":\"", "]}]}\n"] {
                        let window = windowed(&entry, rest);
                        let (fast, plain) = (blob(&window), blob_plainly(&window));
                        assert_eq!(fast, plain, "{entry}{rest}");
                        read_count += usize::from(fast.is_some());
                    }
                }
            }
        }
        assert_eq!(read_count, 2 * 4 * 3 * 4);
    }

    #[test]
    fn every_changed_byte_of_an_entry_is_judged_as_by_the_plain_way() {
        let sound = windowed(&entry("tree", ["12345678", "4294967295", "70"]), "]},");
        for at in 0..WINDOW_LEN {
            for byte in 0..=255 {
                let mut window = sound;
                window[at] = byte;
                assert_eq!(blob(&window), blob_plainly(&window), "{byte:#04x} at {at}");
            }
        }
    }
}
