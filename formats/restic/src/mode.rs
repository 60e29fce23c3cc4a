//! Modes of files: Go's numbering of their bits, and its text of them.
//!
//! Bytes:   docs/formats/restic.md, section Modes

use std::fmt;

/// A file's mode as Go numbers it: permissions in the lowest nine bits, kind and the rest from the
/// top.
///
/// ```text
/// 31 folder | 30 append | 29 exclusive | 28 temporary | 27 symlink | 26 device | 25 fifo | 24 socket | 23 setuid
/// 22 setgid | 21 character device | 20 sticky | 19 irregular | 8..0 rwxrwxrwx
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Mode(pub u32);

impl Mode {
    /// A folder.
    pub const DIR: Mode = Mode(1 << 31);
    /// A symbolic link.
    pub const SYMLINK: Mode = Mode(1 << 27);
    /// A device of blocks; of characters with [`Mode::CHARACTERS`] beside it.
    pub const DEVICE: Mode = Mode(1 << 26);
    /// A named pipe.
    pub const FIFO: Mode = Mode(1 << 25);
    /// A socket.
    pub const SOCKET: Mode = Mode(1 << 24);
    /// A device of characters; only beside [`Mode::DEVICE`].
    pub const CHARACTERS: Mode = Mode(1 << 21);

    /// The lower twelve bits as systems number them: setuid, setgid, sticky, and the permissions.
    pub fn of_system(self) -> u32 {
        let upper = [(23, 0o4000), (22, 0o2000), (20, 0o1000)];
        let set = upper.iter().filter(|(bit, _)| self.0 >> bit & 1 == 1);
        set.fold(self.0 & 0o777, |mode, (_, bit)| mode | bit)
    }

    /// Appends the text of the mode, such as `drwxr-xr-x`: the field `permissions` of listings.
    pub fn put(self, out: &mut Vec<u8>) {
        let from = out.len();
        put_bits(b"dalTLDpSugct?", 31, self.0, None, out);
        if out.len() == from {
            out.push(b'-');
        }
        put_bits(b"rwxrwxrwx", 8, self.0, Some(b'-'), out);
    }
}

/// The letters of those bits that are set, from the bit `top` downwards; for the others `unset`.
fn put_bits(letters: &[u8], top: u32, bits: u32, unset: Option<u8>, out: &mut Vec<u8>) {
    for (letter, bit) in letters.iter().zip((0..=top).rev()) {
        match bits >> bit & 1 {
            1 => out.push(*letter),
            _ => out.extend(unset),
        }
    }
}

impl fmt::Display for Mode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = Vec::new();
        self.put(&mut text);
        f.write_str(&String::from_utf8_lossy(&text))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modes_are_shown_as_go_does() {
        for (mode, text) in [
            (0, "----------"),
            (420, "-rw-r--r--"),
            (511, "-rwxrwxrwx"),
            (2_147_484_141, "drwxr-xr-x"),
            (134_218_239, "Lrwxrwxrwx"),
            (8_389_101, "urwxr-xr-x"),
            (4_194_797, "grwxr-xr-x"),
            (2_148_532_735, "dtrwxrwxrwx"),
            (33_554_852, "prw-r--r--"),
            (69_206_436, "Dcrw-r--r--"),
            (67_109_280, "Drw-r-----"),
            (0x0100_01ed, "Srwxr-xr-x"),
            (0x0008_0000, "?---------"),
            (u32::MAX, "dalTLDpSugct?rwxrwxrwx"),
        ] {
            assert_eq!(Mode(mode).to_string(), text, "{mode}");
        }
    }
}
