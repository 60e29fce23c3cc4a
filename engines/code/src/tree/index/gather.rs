//! Reads files and gathers their grams: the hot loop of building.
//!
//! Sixteen pieces at a time are marked in one table, a bit a piece for each of 2^18 grams (512 KiB,
//! so it stays in the second-level cache); then one pass over the table appends a mask of 16 bits
//! to the list of each gram that occurs. No gram is looked up twice to find out whether it is new,
//! and nothing is sorted.

use std::fs::File;
use std::io::{self, Read};
use std::os::fd::AsFd;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use manicule_core::postings::{Append, GROUP_LEN};
use manicule_core::watch::Meter;
use manicule_format_tree::grams::{self, GRAM_COUNT};
use manicule_format_tree::manifest::{Draft, FLAG_BINARY, FLAG_MARKED, NONE, UNSURE};
use manicule_store::{EntryKind, Handle, look_at, open_file, open_folder};

use crate::trust::{Stores, read_fingerprint};

/// Number of bytes read at once: larger buffers leave the second-level cache to nothing else.
const WINDOW_LEN: usize = 64 << 10;

/// Files from this size on have no pieces: offsets have 32 bits. They are candidates always.
const FILE_LEN_MAX: u64 = u32::MAX as u64;

/// Result of one thread's share of the files.
pub(super) struct Gathered {
    /// For each gram, the pieces that hold it.
    pub lists: Append,
    /// Offset of each piece in its file.
    pub pieces: Vec<u32>,
    /// Results of reading each file, by its row in the draft.
    pub files: Vec<(u32, Reading)>,
}

/// Result of reading a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Reading {
    pub fingerprint: u64,
    pub size: u64,
    pub flags: u16,
    /// Counted within this thread's pieces; [`NONE`] where the grams are not known.
    pub first_piece: u32,
    pub piece_count: u32,
}

/// Share of a thread.
pub(super) struct Share<'a> {
    pub root: &'a Handle,
    pub draft: &'a Draft,
    /// Rows of files and of the folders they lie in, increasing.
    pub files: &'a [(u32, u32)],
    pub piece_len: usize,
    /// Maximum length of the lists in bytes, after which the thread stops.
    pub lists_len_max: usize,
    /// Set by the first thread whose memory is used up: all stop at their next file.
    pub full: &'a AtomicBool,
    pub now_ns: &'a (dyn Fn() -> u64 + Sync),
    pub stores: Stores,
    /// Counts the bytes of the files.
    pub meter: &'a Meter<'a>,
}

/// Reads the share's files one by one, until there are no more or the memory is used up. Returns
/// what was gathered; its files show how far it came.
pub(super) fn gather(share: &Share<'_>) -> Gathered {
    let mut gatherer = Gatherer {
        table: vec![0; GRAM_COUNT].try_into().expect("a table of all grams"),
        buffer: vec![0; WINDOW_LEN].into_boxed_slice(),
        piece_len: share.piece_len,
        is_marked: false,
        masks: Vec::new(),
        gathered: Gathered {
            lists: Append::new(GRAM_COUNT),
            pieces: Vec::new(),
            files: Vec::with_capacity(share.files.len()),
        },
    };
    let mut open: Option<(u32, Option<Handle>)> = None;
    for &(row, folder) in share.files {
        if open.as_ref().is_none_or(|open| open.0 != folder) {
            let path = share.draft.name_c(share.draft.folders[folder as usize].path);
            open = Some((folder, open_folder(share.root.as_fd(), path).ok()));
        }
        let handle = open.as_ref().and_then(|open| open.1.as_ref());
        let name = share.draft.name_c(share.draft.files[row as usize].name);
        let file = handle.and_then(|handle| open_file(handle.as_fd(), name).ok());
        let reading = match file {
            Some(file) => gatherer.read(file, share),
            None => Reading::unknown(),
        };
        gatherer.gathered.files.push((row, reading));
        let stopped = share.meter.step(reading.size).is_err();
        if gatherer.gathered.lists.arena_len() > share.lists_len_max {
            share.full.store(true, Relaxed);
        }
        if stopped || share.full.load(Relaxed) {
            break;
        }
    }
    gatherer.flush();
    gatherer.gathered
}

impl Reading {
    fn unknown() -> Self {
        Reading { fingerprint: UNSURE, size: 0, flags: 0, first_piece: NONE, piece_count: 0 }
    }
}

struct Gatherer {
    table: Box<[u16; GRAM_COUNT]>,
    buffer: Box<[u8]>,
    piece_len: usize,
    /// Whether the last file read begins with the byte order mark of UTF-8.
    is_marked: bool,
    /// The grams of a group and their masks, increasing.
    masks: Vec<(u32, u16)>,
    gathered: Gathered,
}

/// End of a file: how it came.
enum End {
    Clean,
    /// At a NUL: ripgrep takes the rest for binary.
    Nul,
    /// The text is not what ripgrep would search: it decodes UTF-16 first.
    Encoded,
}

impl Gatherer {
    fn read(&mut self, mut file: File, share: &Share<'_>) -> Reading {
        let now_ns = (share.now_ns)();
        let Ok(before) = look_at(file.as_fd()) else { return Reading::unknown() };
        if before.kind != EntryKind::File || before.size >= FILE_LEN_MAX {
            return Reading::unknown();
        }
        let may_be_silent = share.stores.may_be_silent(&file, &before, now_ns);
        let first_piece = self.gathered.pieces.len() as u32;
        let end = self.read_pieces(&mut file);
        let piece_count = self.gathered.pieces.len() as u32 - first_piece;
        let (Ok(end), Ok(after)) = (end, look_at(file.as_fd())) else { return Reading::unknown() };
        let key = share.draft.meta.key;
        let marked = if self.is_marked { FLAG_MARKED } else { 0 };
        let (flags, first_piece, piece_count) = match end {
            End::Clean => (marked, first_piece, piece_count),
            End::Nul => (marked | FLAG_BINARY, first_piece, piece_count),
            End::Encoded => (0, NONE, 0),
        };
        let fingerprint =
            if may_be_silent { UNSURE } else { read_fingerprint(&before, &after, key, now_ns) };
        Reading { fingerprint, size: before.size, flags, first_piece, piece_count }
    }

    /// Marks a file's grams, piece by piece. Memory: one window, however long its lines are.
    fn read_pieces(&mut self, file: &mut File) -> io::Result<End> {
        let mut at = 0u64;
        let mut filled = 0;
        // Whether the last piece begun goes on in the next window: a line longer than one.
        let mut goes_on = false;
        loop {
            let fresh = read_full(file, &mut self.buffer[filled..])?;
            let is_last = filled + fresh < self.buffer.len();
            if at == 0 && filled == 0 {
                if is_utf16(&self.buffer[..fresh.min(2)]) {
                    return Ok(End::Encoded);
                }
                self.is_marked = self.buffer[..fresh].starts_with(b"\xef\xbb\xbf");
            }
            let nul = memchr::memchr(0, &self.buffer[filled..filled + fresh]);
            let end = nul.map_or(filled + fresh, |nul| filled + nul);
            let is_last = is_last || nul.is_some();
            let mut start = 0;
            while start < end {
                let piece = cut(&self.buffer[start..end], self.piece_len, is_last);
                let Some(len) = piece else { break };
                if !goes_on {
                    self.begin_piece(at + start as u64);
                }
                goes_on = false;
                self.mark(start, start + len);
                start += len;
            }
            if is_last {
                return Ok(if nul.is_some() { End::Nul } else { End::Clean });
            }
            if start == 0 && end == self.buffer.len() {
                // One line fills the window: mark it, and keep two bytes, since a gram may lie over
                // the edge.
                if !goes_on {
                    self.begin_piece(at);
                }
                goes_on = true;
                self.mark(0, end);
                start = end - 2;
            }
            self.buffer.copy_within(start..end, 0);
            at += start as u64;
            filled = end - start;
        }
    }

    fn begin_piece(&mut self, at: u64) {
        if !self.gathered.pieces.is_empty()
            && self.gathered.pieces.len().is_multiple_of(GROUP_LEN as usize)
        {
            self.flush();
        }
        let at = u32::try_from(at).unwrap_or(u32::MAX);
        self.gathered.pieces.push(at);
    }

    #[inline]
    fn mark(&mut self, start: usize, end: usize) {
        let piece = self.gathered.pieces.len() as u32 - 1;
        grams::mark(&self.buffer[start..end], 1 << (piece % GROUP_LEN), &mut self.table);
    }

    /// Appends the masks of the group that the last piece belongs to, and clears the table.
    fn flush(&mut self) {
        let Some(last) = self.gathered.pieces.len().checked_sub(1) else { return };
        let group = last as u32 / GROUP_LEN;
        const STEP: usize = 32;
        self.masks.clear();
        for (step, masks) in self.table.chunks_exact_mut(STEP).enumerate() {
            if masks.iter().fold(0, |any, mask| any | mask) == 0 {
                continue;
            }
            for (index, mask) in masks.iter_mut().enumerate() {
                let gram = (step * STEP + index) as u32;
                if *mask != 0 && grams::is_indexed(gram) {
                    self.masks.push((gram, *mask));
                }
                *mask = 0;
            }
        }
        self.gathered.lists.push_all(group, &self.masks);
    }
}

/// Reads until the buffer is full or the file ends.
fn read_full(file: &mut File, buffer: &mut [u8]) -> io::Result<usize> {
    let mut filled = 0;
    while filled < buffer.len() {
        match file.read(&mut buffer[filled..]) {
            Ok(0) => break,
            Ok(len) => filled += len,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(filled)
}

/// Length of the next piece of `text`: up to the last line end within `piece_len`, or the first
/// after it. `None` where that isn't known before more is read.
fn cut(text: &[u8], piece_len: usize, is_last: bool) -> Option<usize> {
    if text.len() <= piece_len + piece_len / 2 {
        return is_last.then_some(text.len());
    }
    if let Some(newline) = memchr::memrchr(b'\n', &text[..piece_len]) {
        return Some(newline + 1);
    }
    match memchr::memchr(b'\n', &text[piece_len..]) {
        Some(newline) => Some(piece_len + newline + 1),
        None => is_last.then_some(text.len()),
    }
}

fn is_utf16(head: &[u8]) -> bool {
    matches!(head, [0xff, 0xfe] | [0xfe, 0xff])
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{Seek, Write};

    fn gather_text(text: &[u8], piece_len: usize) -> (Gathered, End) {
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(text).unwrap();
        file.rewind().unwrap();
        let mut gatherer = Gatherer {
            table: vec![0; GRAM_COUNT].try_into().unwrap(),
            buffer: vec![0; 256].into_boxed_slice(),
            piece_len,
            is_marked: false,
            masks: Vec::new(),
            gathered: Gathered {
                lists: Append::new(GRAM_COUNT),
                pieces: Vec::new(),
                files: Vec::new(),
            },
        };
        let end = gatherer.read_pieces(&mut file).unwrap();
        gatherer.flush();
        (gatherer.gathered, end)
    }

    /// Every gram of every line must be listed for a piece that holds the line's bytes.
    fn check(text: &[u8], piece_len: usize) {
        let (gathered, _) = gather_text(text, piece_len);
        let text = &text[..memchr::memchr(0, text).unwrap_or(text.len())];
        let starts = &gathered.pieces;
        assert!(starts.is_sorted() && starts.first().is_none_or(|first| *first == 0));
        for (index, window) in text.windows(3).enumerate() {
            let classes = [0, 1, 2].map(|at| grams::CLASSES[window[at] as usize]);
            let gram = grams::gram(classes[0], classes[1], classes[2]);
            if !grams::is_indexed(gram) {
                continue;
            }
            let piece = starts.partition_point(|start| *start as usize <= index) as u32 - 1;
            let mut scratch = Vec::new();
            let mut groups = gathered.lists.groups(gram, &mut scratch);
            let listed = groups.any(|(group, mask)| {
                group == piece / GROUP_LEN && mask >> (piece % GROUP_LEN) & 1 == 1
            });
            assert!(listed, "{:?} at {index} in piece {piece}", window.escape_ascii().to_string());
        }
    }

    #[test]
    fn a_short_file_is_one_piece() {
        check(b"hello world\nsecond line\n", 64);
        assert_eq!(gather_text(b"abc", 64).0.pieces, [0]);
        assert!(gather_text(b"", 64).0.pieces.is_empty());
    }

    #[test]
    fn pieces_end_at_line_ends() {
        let text = b"0123456789\n".repeat(100);
        let (gathered, _) = gather_text(&text, 64);
        assert!(gathered.pieces.len() > 10);
        assert!(gathered.pieces.iter().all(|start| start % 11 == 0), "{:?}", gathered.pieces);
        check(&text, 64);
    }

    #[test]
    fn a_line_longer_than_the_window_is_one_piece() {
        let mut text = b"first\n".to_vec();
        text.extend((0..2000u32).map(|at| b'a' + (at * at % 26) as u8));
        text.extend_from_slice(b"\nlast line\n");
        check(&text, 64);
        assert!(gather_text(&text, 64).0.pieces.len() <= 3);
    }

    #[test]
    fn random_texts() {
        let mut state = 5u64;
        for round in 0..200 {
            let len = (state >> 40) as usize % 3000;
            let line_len = 1 + (state >> 20) % 400;
            let text: Vec<u8> = (0..len)
                .map(|_| {
                    state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                    match (state >> 33) % (line_len + 1) {
                        0 => b'\n',
                        _ => b'a' + (state >> 50) as u8 % 26,
                    }
                })
                .collect();
            check(&text, 32 + round % 64);
        }
    }

    #[test]
    fn pieces_end_at_a_nul() {
        let (gathered, end) = gather_text(b"abc\ndef\0ghi\n", 64);
        assert!(matches!(end, End::Nul));
        let gram = |text: &[u8; 3]| {
            grams::gram(
                grams::CLASSES[text[0] as usize],
                grams::CLASSES[text[1] as usize],
                grams::CLASSES[text[2] as usize],
            )
        };
        assert_eq!(gathered.lists.count(gram(b"def")), 1);
        assert_eq!(gathered.lists.count(gram(b"ghi")), 0);
    }

    #[test]
    fn utf16_has_no_pieces() {
        assert!(matches!(gather_text(b"\xff\xfea\0b\0", 64).1, End::Encoded));
    }
}
