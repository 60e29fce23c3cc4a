//! Comparison of an index with its tree: what it says of each file that has not changed since,
//! against the file.
//!
//! A file's grams are computed again, by the plainest code that can be right, and must be those
//! that the lists name for its pieces, no more and no fewer. Each list is decoded once and each
//! file read once: a sum of mixed grams and their count stand for the set of a piece, 64 bits that
//! differ unless the sets are the same; where they differ, both sets are spelled out.

use std::fs::File as OpenFile;
use std::io;
use std::os::fd::AsFd;
use std::os::unix::fs::FileExt;

use manicule_core::bytes::mix;
use manicule_core::findings::FileFinding;
use manicule_core::postings::DocSet;
use manicule_core::watch::{Phase, Stopped, Unit, Watch};
use manicule_format_tree::Listing;
use manicule_format_tree::grams::{CLASSES, GRAM_COUNT, gram, is_indexed, show};
use manicule_format_tree::manifest::{
    FLAG_BINARY, FLAG_MARKED, File, Folder, Manifest, NONE, UNSURE,
};
use manicule_format_tree::segment::Segment;
use manicule_store::threads::{self, Chunks};
use manicule_store::{Handle, list_folder, look_at, open_file, open_folder};

use super::verified::{Verified, append, shown_file, shown_folder};
use crate::tree::listing::listed_kind;
use crate::tree::open::{MANIFEST, segment_name};

/// Maximum number of pieces with wrong grams listed individually.
const SPELLED_PIECES_MAX: usize = 16;

/// Files from this size on have no pieces.
const FILE_LEN_MAX: u64 = u32::MAX as u64;

const WINDOW_LEN: u64 = 64 << 10;

/// Sum over the set of a piece's grams.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Sum {
    count: u32,
    mixed: u64,
}

impl Sum {
    fn add(&mut self, gram: u32) {
        self.count += 1;
        self.mixed = self.mixed.wrapping_add(mix(0x6d61_6e69, u64::from(gram)));
    }
}

/// A piece whose grams are not those of its text.
struct Wrong {
    row: u32,
    segment: usize,
    piece: u32,
    grams: Vec<u32>,
}

/// The comparison of a sound index with its tree.
pub(super) struct Comparison<'a> {
    pub manifest: &'a Manifest<'a>,
    pub segments: &'a [Segment<'a>],
    pub root: &'a Handle,
    pub threads: usize,
    pub watch: &'a Watch<'a>,
}

impl Comparison<'_> {
    pub(super) fn run(&self, verified: &mut Verified) -> Result<(), Stopped> {
        let threads = self.threads;
        let sums: Vec<Vec<Sum>> =
            self.segments.iter().map(|segment| list_sums(segment, threads)).collect();
        let meter = self.watch.phase(Phase::Verifying, Unit::Bytes, self.manifest.meta.text_len);
        let folders = Chunks::new(0..self.manifest.folder_count(), 1);
        let work = || {
            let mut own = Verified::default();
            let mut wrong = Vec::new();
            for row in (&folders).flatten() {
                let before = own.counts.bytes_read;
                self.folder(row as u32, &sums, &mut own, &mut wrong);
                if meter.step(own.counts.bytes_read - before).is_err() {
                    break;
                }
            }
            (own, wrong)
        };
        self.watch.check()?;
        let (compared, mut wrong) = threads::fold(threads, work, |mut all, (own, mut wrong)| {
            append(&mut all.0, own);
            all.1.append(&mut wrong);
            all
        });
        self.watch.check()?;
        append(verified, compared);
        wrong.sort_by_key(|wrong: &Wrong| (wrong.segment, wrong.piece));
        self.spell(&wrong, verified);
        meter.end();
        Ok(())
    }

    fn folder(&self, row: u32, sums: &[Vec<Sum>], verified: &mut Verified, wrong: &mut Vec<Wrong>) {
        let folder = self.manifest.folder(row);
        let files = self.manifest.files_of(&folder);
        let Ok(handle) = open_folder(self.root.as_fd(), self.manifest.name(folder.path)) else {
            verified.counts.folders_changed += 1;
            verified.counts.files_changed += files.len() as u64;
            return;
        };
        self.listing(row, &folder, &handle, verified);
        for row in files {
            let file = self.manifest.file(row);
            self.file(row, &file, &handle, sums, verified, wrong);
        }
    }

    /// A folder that looks as it did has the names that it had.
    fn listing(&self, row: u32, folder: &Folder, handle: &Handle, verified: &mut Verified) {
        let is_same = || {
            let key = self.manifest.meta.key;
            look_at(handle.as_fd()).is_ok_and(|entry| entry.fingerprint(key) == folder.fingerprint)
        };
        let mut listing = Listing::default();
        let compared = is_same()
            && list_folder(handle.as_fd(), |listed| {
                listing.add(listed.name.to_bytes(), listed_kind(listed.kind))
            })
            .is_ok()
            && is_same();
        if !compared {
            verified.counts.folders_changed += 1;
            return;
        }
        verified.counts.folders_compared += 1;
        if listing.sum() != folder.listing {
            verified.verdict.findings.push(FileFinding {
                file: MANIFEST.to_owned(),
                section: Some("folders".to_owned()),
                offset: Some(self.manifest.folder_at(row)),
                what: format!(
                    "{} has not changed, and has other names",
                    shown_folder(self.manifest.name(folder.path).to_bytes())
                ),
            });
        }
    }

    fn file(
        &self,
        row: u32,
        file: &File,
        folder: &Handle,
        sums: &[Vec<Sum>],
        verified: &mut Verified,
        wrong: &mut Vec<Wrong>,
    ) {
        let key = self.manifest.meta.key;
        let opened = open_file(folder.as_fd(), self.manifest.name(file.name)).ok();
        let is_same = |opened: &OpenFile| {
            let entry = look_at(opened.as_fd());
            file.fingerprint != UNSURE
                && entry.is_ok_and(|entry| entry.fingerprint(key) == file.fingerprint)
        };
        let Some(opened) = opened.filter(is_same) else {
            verified.counts.files_changed += 1;
            return;
        };
        if file.first_piece == NONE {
            verified.counts.files_unknown += 1;
            return;
        }
        let mut own = Verified::default();
        let mut own_wrong = Vec::new();
        let read = self.text(row, file, &opened, sums, &mut own, &mut own_wrong);
        verified.counts.bytes_read += std::mem::take(&mut own.counts.bytes_read);
        // What changed meanwhile proves nothing.
        if read.is_err() || !is_same(&opened) {
            verified.counts.files_changed += 1;
            return;
        }
        verified.counts.files_compared += 1;
        append(verified, own);
        wrong.append(&mut own_wrong);
    }

    /// Reads a file by its pieces, and compares each.
    fn text(
        &self,
        row: u32,
        file: &File,
        opened: &OpenFile,
        sums: &[Vec<Sum>],
        verified: &mut Verified,
        wrong: &mut Vec<Wrong>,
    ) -> io::Result<()> {
        let at = usize::from(file.segment);
        let segment = &self.segments[at];
        let find = |verified: &mut Verified, what: &str| {
            verified.verdict.findings.push(FileFinding {
                file: MANIFEST.to_owned(),
                section: Some("files".to_owned()),
                offset: Some(self.manifest.file_at(row)),
                what: format!("{}: {what}", shown_file(self.manifest, row)),
            });
        };
        let size = look_at(opened.as_fd())?.size;
        if size != file.size {
            find(verified, &format!("its size is {size}, not {}", file.size));
            return Ok(());
        }
        let head = read_text(opened, 0, size.min(3))?.bytes;
        if size >= FILE_LEN_MAX || matches!(head[..], [0xff, 0xfe, ..] | [0xfe, 0xff, ..]) {
            find(verified, "it has pieces, and is too large or UTF-16");
            return Ok(());
        }
        if (head == b"\xef\xbb\xbf") != (file.flags & FLAG_MARKED != 0) {
            find(verified, "its byte order mark is not as its flags say");
        }
        let start_of = |piece: u32| segment.piece_start(piece).map_err(io::Error::other);
        let mut text = Text { bytes: Vec::new(), ended_at_nul: false };
        if file.piece_count == 0 {
            // Nothing stands before its first NUL.
            text = read_text(opened, 0, size.min(1))?;
            if !text.bytes.is_empty() {
                find(verified, "it has text, and no pieces");
            }
        }
        for piece in file.first_piece..file.first_piece + file.piece_count {
            let is_last = piece + 1 == file.first_piece + file.piece_count;
            let start = u64::from(start_of(piece)?);
            let end = if is_last { size } else { start_of(piece + 1)?.into() };
            text = read_text(opened, start, end)?;
            verified.counts.bytes_read += text.bytes.len() as u64;
            verified.counts.pieces_compared += 1;
            if text.bytes.is_empty() || (!is_last && text.ended_at_nul) {
                find(verified, &format!("piece {piece} goes past the first NUL"));
            }
            if !is_last && text.bytes.last() != Some(&b'\n') {
                find(verified, &format!("piece {piece} does not end with its line"));
            }
            let grams = plain_grams(&text.bytes);
            let mut sum = Sum::default();
            grams.iter().for_each(|gram| sum.add(*gram));
            if sum != sums[at][piece as usize] {
                wrong.push(Wrong { row, segment: at, piece, grams });
            }
        }
        if text.ended_at_nul != (file.flags & FLAG_BINARY != 0) {
            let word = if text.ended_at_nul { "has" } else { "lacks" };
            find(verified, &format!("it {word} a NUL, against its flags"));
        }
        Ok(())
    }

    /// Says which grams of which pieces are wrong.
    fn spell(&self, wrong: &[Wrong], verified: &mut Verified) {
        for wrong in wrong.iter().take(SPELLED_PIECES_MAX) {
            let segment = &self.segments[wrong.segment];
            let name = self.manifest.segments().nth(wrong.segment).map(|row| row.number);
            let name = name.map(segment_name).unwrap_or_default();
            let path = shown_file(self.manifest, wrong.row);
            for gram in 0..GRAM_COUNT as u32 {
                let mut set = DocSet::empty(segment.piece_count());
                let Ok(list) = segment.list(gram) else { continue };
                if segment.decode(gram, &mut set).is_err() {
                    continue;
                }
                let holds = wrong.grams.binary_search(&gram).is_ok();
                let says = match (holds, set.contains(wrong.piece)) {
                    (true, false) => "holds it and is not listed",
                    (false, true) => "is listed and does not hold it",
                    _ => continue,
                };
                verified.verdict.findings.push(FileFinding {
                    file: name.clone(),
                    section: Some("lists".to_owned()),
                    offset: list.map(|list| list.start),
                    what: format!("gram {:?}: piece {} of {path} {says}", show(gram), wrong.piece),
                });
            }
        }
        verified.verdict.findings.count += wrong.len().saturating_sub(SPELLED_PIECES_MAX) as u64;
    }
}

/// For each piece what the lists name it for. Each list is decoded once.
fn list_sums(segment: &Segment<'_>, threads: usize) -> Vec<Sum> {
    const CHUNK_LEN: usize = 1024;
    let chunks = Chunks::new(0..GRAM_COUNT, CHUNK_LEN);
    let sum_some = || {
        let mut sums = vec![Sum::default(); segment.piece_count() as usize];
        for gram in (&chunks).flatten() {
            let gram = gram as u32;
            let mut set = DocSet::empty(segment.piece_count());
            // Every list was decoded before: none fails now.
            if matches!(segment.list(gram), Ok(Some(_))) && segment.decode(gram, &mut set).is_ok() {
                set.iter().for_each(|piece| sums[piece as usize].add(gram));
            }
        }
        sums
    };
    threads::fold(threads, sum_some, |mut sums: Vec<Sum>, more| {
        for (sum, more) in sums.iter_mut().zip(more) {
            sum.count += more.count;
            sum.mixed = sum.mixed.wrapping_add(more.mixed);
        }
        sums
    })
}

/// A part of a file up to its first NUL.
struct Text {
    bytes: Vec<u8>,
    ended_at_nul: bool,
}

fn read_text(opened: &OpenFile, start: u64, end: u64) -> io::Result<Text> {
    let mut text = Text { bytes: Vec::new(), ended_at_nul: false };
    let mut at = start;
    while at < end {
        let filled = text.bytes.len();
        text.bytes.resize(filled + (end - at).min(WINDOW_LEN) as usize, 0);
        opened.read_exact_at(&mut text.bytes[filled..], at)?;
        if let Some(nul) = memchr::memchr(0, &text.bytes[filled..]) {
            text.bytes.truncate(filled + nul);
            text.ended_at_nul = true;
            break;
        }
        at += WINDOW_LEN;
    }
    Ok(text)
}

/// The grams of a text, increasing: three neighbours at a time, each folded into its class.
fn plain_grams(text: &[u8]) -> Vec<u32> {
    let class = |byte: u8| CLASSES[usize::from(byte)];
    let windows = text.windows(3);
    let all = windows.map(|window| gram(class(window[0]), class(window[1]), class(window[2])));
    let mut grams: Vec<u32> = all.filter(|gram| is_indexed(*gram)).collect();
    grams.sort_unstable();
    grams.dedup();
    grams
}
