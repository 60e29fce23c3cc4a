//! Zip, as restic's dump writes it: headers without lengths, which follow each content, and a
//! directory of all entries at the end.
//!
//! ```text
//! header     | 4 PK\3\4 | 2 version | 2 flags | 2 method | 2 time | 2 date | 12 zeros | 2 name len | 2 extra len | name | extra |
//! lengths    | 4 PK\7\8 | 4 CRC-32 | 4 packed len | 4 len |, the last two 8 bytes long where either needs it; folders have none
//! directory  | 4 PK\1\2 | 2 creator | .. as the header, with the lengths | 8 zeros | 4 attributes | 4 offset | name | extra |
//! end        | 4 PK\5\6 | 4 zeros | 2 × 2 entries | 4 len | 4 offset | 2 zeros |, before it PK\6\6 and PK\6\7 where these don't suffice
//! ```
//!
//! Bytes:   docs/formats/restic.md, section Archives

use crate::mode::Mode;
use crate::time::Time;
use crate::tree::OwnedNode;

/// Maximum length of a path.
const PATH_LEN_MAX: usize = u16::MAX as usize;
/// Versions of the format: what every reader has, and the one with lengths of 64 bits.
const VERSION: u16 = 20;
const VERSION_64: u16 = 45;
/// The attributes are those of Unix.
const CREATOR_UNIX: u16 = 3 << 8;
/// Flags: lengths follow the content; the name is UTF-8, where older readers would guess.
const LENS_FOLLOW: u16 = 0x8;
const NAME_IS_UTF8: u16 = 0x800;
/// Kinds of extra fields: seconds since 1970, and numbers of 64 bits.
const EXTRA_TIME: u16 = 0x5455;
const EXTRA_64: u16 = 1;

/// An entry of an archive.
#[derive(Clone, Debug)]
pub struct ZipEntry {
    name: Vec<u8>,
    flags: u16,
    method: u16,
    version: u16,
    clock: [u16; 2],
    extra: Vec<u8>,
    attributes: u32,
    offset: u64,
    crc: u32,
    packed_len: u64,
    len: u64,
}

impl ZipEntry {
    /// The entry of a node, whose header begins at `offset`. `path` is without a slash in front;
    /// `None` if it is too long for any entry.
    pub fn of(path: &[u8], node: &OwnedNode, offset: u64) -> Option<Self> {
        let is_folder = node.kind == "dir";
        let mut name = path.to_vec();
        name.extend_from_slice(if is_folder { b"/" } else { b"" });
        if name.len() > PATH_LEN_MAX {
            return None;
        }
        let is_listed_folder = name.last() == Some(&b'/');
        let is_deflated = node.kind == "file" && !is_listed_folder;
        let (clock, extra) = time_fields(&node.mtime);
        let follows = if is_listed_folder { 0 } else { LENS_FOLLOW };
        Some(ZipEntry {
            flags: follows | if needs_utf8(&name) { NAME_IS_UTF8 } else { 0 },
            name,
            method: if is_deflated { 8 } else { 0 },
            version: VERSION,
            clock,
            extra,
            attributes: attributes(node.mode),
            offset,
            crc: 0,
            packed_len: 0,
            len: 0,
        })
    }

    /// Whether its content is deflated; else it is stored as it is.
    pub fn is_deflated(&self) -> bool {
        self.method != 0
    }

    /// Appends its header; the content comes next.
    pub fn put_header(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(b"PK\x03\x04");
        self.put_common(self.version, out);
        out.extend_from_slice(&[0; 12]);
        put_u16(self.name.len(), out);
        put_u16(self.extra.len(), out);
        out.extend_from_slice(&self.name);
        out.extend_from_slice(&self.extra);
    }

    /// Takes note of the content: its CRC-32, its length as it is written, and that before; and
    /// appends them, unless it is a folder.
    pub fn put_lens(&mut self, crc: u32, packed_len: u64, len: u64, out: &mut Vec<u8>) {
        if self.flags & LENS_FOLLOW == 0 {
            return;
        }
        (self.crc, self.packed_len, self.len) = (crc, packed_len, len);
        out.extend_from_slice(b"PK\x07\x08");
        out.extend_from_slice(&crc.to_le_bytes());
        if self.is_long() {
            self.version = VERSION_64;
            [packed_len, len].iter().for_each(|len| out.extend_from_slice(&len.to_le_bytes()));
        } else {
            [packed_len, len].iter().for_each(|len| put_u32(*len, out));
        }
    }

    fn is_long(&self) -> bool {
        self.packed_len.max(self.len) >= u32::MAX.into()
    }

    fn put_common(&self, version: u16, out: &mut Vec<u8>) {
        let [time, date] = self.clock;
        for field in [version, self.flags, self.method, time, date] {
            out.extend_from_slice(&field.to_le_bytes());
        }
    }

    fn put_in_directory(&self, out: &mut Vec<u8>) {
        let mut extra = self.extra.clone();
        let is_long = self.is_long() || self.offset >= u32::MAX.into();
        if is_long {
            extra.extend_from_slice(&EXTRA_64.to_le_bytes());
            put_u16(24, &mut extra);
            for number in [self.len, self.packed_len, self.offset] {
                extra.extend_from_slice(&number.to_le_bytes());
            }
        }
        out.extend_from_slice(b"PK\x01\x02");
        out.extend_from_slice(&(CREATOR_UNIX | VERSION).to_le_bytes());
        self.put_common(self.version, out);
        out.extend_from_slice(&self.crc.to_le_bytes());
        for len in [self.packed_len, self.len] {
            put_u32(if is_long { u64::MAX } else { len }, out);
        }
        put_u16(self.name.len(), out);
        put_u16(extra.len(), out);
        out.extend_from_slice(&[0; 6]);
        out.extend_from_slice(&self.attributes.to_le_bytes());
        put_u32(self.offset, out);
        out.extend_from_slice(&self.name);
        out.extend_from_slice(&extra);
    }
}

/// Appends the end of an archive of these entries, which begins at `offset`.
pub fn put_zip_end(entries: &[ZipEntry], offset: u64, out: &mut Vec<u8>) {
    let from = out.len();
    entries.iter().for_each(|entry| entry.put_in_directory(out));
    let (count, len) = (entries.len() as u64, (out.len() - from) as u64);
    let is_long = count >= u16::MAX.into() || len.max(offset) >= u32::MAX.into();
    if is_long {
        out.extend_from_slice(b"PK\x06\x06");
        out.extend_from_slice(&44u64.to_le_bytes());
        out.extend_from_slice(&VERSION_64.to_le_bytes());
        out.extend_from_slice(&VERSION_64.to_le_bytes());
        out.extend_from_slice(&[0; 8]);
        for number in [count, count, len, offset] {
            out.extend_from_slice(&number.to_le_bytes());
        }
        out.extend_from_slice(b"PK\x06\x07\0\0\0\0");
        out.extend_from_slice(&(offset + len).to_le_bytes());
        out.extend_from_slice(&1u32.to_le_bytes());
    }
    out.extend_from_slice(b"PK\x05\x06\0\0\0\0");
    let short = if is_long { usize::MAX } else { entries.len() };
    put_u16(short, out);
    put_u16(short, out);
    for number in [len, offset] {
        put_u32(if is_long { u64::MAX } else { number }, out);
    }
    out.extend_from_slice(&[0; 2]);
}

/// A number, or the largest there is where it is larger.
fn put_u16(number: usize, out: &mut Vec<u8>) {
    out.extend_from_slice(&u16::try_from(number).unwrap_or(u16::MAX).to_le_bytes());
}

fn put_u32(number: u64, out: &mut Vec<u8>) {
    out.extend_from_slice(&u32::try_from(number).unwrap_or(u32::MAX).to_le_bytes());
}

/// Time and date as MS-DOS numbers them, by the clock of the time's own zone, and the extra field
/// of its seconds; years outside of 1980 to 2107 overflow, as Go lets them. No time at all has
/// neither.
fn time_fields(time: &Time) -> ([u16; 2], Vec<u8>) {
    if time.moment == Time::ZERO.moment {
        return ([0, 0], Vec::new());
    }
    let [year, month, day, hour, minute, second] = time.by_its_clock();
    let date = (year - 1980) << 9 | month << 5 | day;
    let clock = hour << 11 | minute << 5 | (second / 2);
    let mut extra = EXTRA_TIME.to_le_bytes().to_vec();
    put_u16(5, &mut extra);
    extra.push(1);
    extra.extend_from_slice(&(time.moment.seconds as u32).to_le_bytes());
    ([clock as u16, date as u16], extra)
}

/// Kind and mode as Unix numbers them, above the bits of MS-DOS for folders and what can't be
/// written.
fn attributes(mode: Mode) -> u32 {
    let kinds = [
        (Mode::DIR.0, 0o040000),
        (Mode::SYMLINK.0, 0o120000),
        (Mode::FIFO.0, 0o010000),
        (Mode::SOCKET.0, 0o140000),
        (Mode::DEVICE.0, 0o060000),
        (Mode::DEVICE.0 | Mode::CHARACTERS.0, 0o020000),
    ];
    let kind_bits = mode.0 & (kinds.iter().fold(1 << 19, |all, (bits, _)| all | bits));
    let kind = kinds.iter().find(|(bits, _)| *bits == kind_bits).map_or(0o100000, |row| row.1);
    let folder = if mode.0 & Mode::DIR.0 != 0 { 0x10 } else { 0 };
    let read_only = if mode.0 & 0o200 == 0 { 1 } else { 0 };
    (kind | mode.of_system()) << 16 | folder | read_only
}

/// Whether a name is UTF-8 and has letters that old readers take for others: all but ASCII, and of
/// that controls, `\`, `~` and DEL.
fn needs_utf8(name: &[u8]) -> bool {
    let is_plain = |byte: &u8| (0x20..=0x7d).contains(byte) && *byte != b'\\';
    !name.iter().all(is_plain) && std::str::from_utf8(name).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_old_readers_would_misread_are_marked() {
        for (name, want) in [
            (&b"srv/a b.txt"[..], false),
            (b"a~", true),
            (b"a\\b", true),
            (b"a\nb", true),
            ("\u{e4}".as_bytes(), true),
            (b"\xff", false),
        ] {
            assert_eq!(needs_utf8(name), want, "{name:?}");
        }
    }

    #[test]
    fn attributes_are_those_of_unix_and_of_dos() {
        for (mode, want) in [
            (Mode(0o644), 0o100644 << 16),
            (Mode(Mode::DIR.0 | 0o755), 0o040755 << 16 | 0x10),
            (Mode(1 << 23 | 0o444), 0o104444 << 16 | 1),
            (Mode(Mode::SYMLINK.0 | 0o777), 0o120777 << 16),
            (Mode(Mode::DEVICE.0 | Mode::CHARACTERS.0 | 0o600), 0o020600 << 16),
        ] {
            assert_eq!(attributes(mode), want, "{mode}");
        }
    }

    #[test]
    fn times_are_of_their_own_clock() {
        let time = Time::parse(b"2024-02-29T23:59:58+02:00").unwrap();
        let (clock, extra) = time_fields(&time);
        assert_eq!(clock, [23 << 11 | 59 << 5 | 29, 44 << 9 | 2 << 5 | 29]);
        assert_eq!(extra, [b"UT\x05\0\x01", &1_709_243_998u32.to_le_bytes()[..]].concat());
        assert_eq!(time_fields(&Time::ZERO), ([0, 0], Vec::new()));
    }
}
