//! Segments of an index: written of what threads have gathered, and merged.
//!
//! **The merge rule.** Pieces that no file refers to any more are dead. More than a tenth dead: all
//! segments become one. Else more than [`SEGMENTS_MAX`] segments: all but the largest become one,
//! or all, where those hold more than a quarter of the largest's pieces. So the largest is
//! rewritten only after a tenth of the tree has changed.

use std::io::{self, Write};

use manicule_core::bytes::DecodeError;
use manicule_core::postings::{DocSet, GROUP_LEN};
use manicule_core::watch::{Meter, Phase, Unit};
use manicule_format_tree::grams::GRAM_COUNT;
use manicule_format_tree::manifest::{Draft, File, NONE, SegmentRow};
use manicule_format_tree::segment::{self, Lists, Segment};
use manicule_store::threads::{self, InOrder};

use super::gather::{Gathered, Reading};
use super::options::{BuildError, BuildReport, Building};
use crate::tree::open::segment_name;

/// Maximum number of segments of an index before they are merged.
const SEGMENTS_MAX: usize = 4;

/// Grams are encoded in shares of this many, so that few lists wait for their turn to be written.
const SHARE_LEN: u32 = 2048;

/// Puts what the threads have gathered as one segment, and notes in the draft where each file's
/// pieces are.
pub(super) fn put_segment(
    at: &Building<'_>,
    draft: &mut Draft,
    parts: Vec<Gathered>,
) -> Result<(), BuildError> {
    let segment = u16::try_from(draft.segments.len())
        .map_err(|_| io::Error::other("more than 65,536 segments: give the build more memory"))?;
    let mut bases = Vec::with_capacity(parts.len());
    let mut pieces = Vec::new();
    for part in &parts {
        let base = pieces.len() as u32;
        bases.push(base);
        pieces.extend_from_slice(&part.pieces);
        for &(row, Reading { fingerprint, size, flags, first_piece, piece_count }) in &part.files {
            let first_piece = if first_piece == NONE { NONE } else { first_piece + base };
            let name = draft.files[row as usize].name;
            draft.files[row as usize] =
                File { name, segment, flags, first_piece, piece_count, size, fingerprint };
        }
    }
    let fill = |gram: u32, scratch: &mut Vec<u8>, into: &mut Vec<u32>| {
        for (part, base) in parts.iter().zip(&bases) {
            if part.lists.count(gram) == 0 {
                continue;
            }
            for (group, mut mask) in part.lists.groups(gram, scratch) {
                while mask != 0 {
                    into.push(base + group * GROUP_LEN + mask.trailing_zeros());
                    mask &= mask - 1;
                }
            }
        }
        Ok(())
    };
    put_lists(at, draft, &pieces, &fill, &at.watch.silent())
}

/// Gives the pieces that hold a gram, increasing, through a vector that is lent empty.
type Fill<'a> = dyn Fn(u32, &mut Vec<u8>, &mut Vec<u32>) -> Result<(), DecodeError> + Sync + 'a;

/// Encodes the lists of all grams side by side, and puts them as the draft's next segment as they
/// come; `meter` counts the grams.
fn put_lists(
    at: &Building<'_>,
    draft: &mut Draft,
    pieces: &[u32],
    fill: &Fill<'_>,
    meter: &Meter<'_>,
) -> Result<(), BuildError> {
    let number = draft.meta.next_segment;
    let piece_count = pieces.len() as u32;
    let piece_len = draft.meta.piece_len;
    let encoding = Encoding { threads: at.options.threads, number, piece_len, pieces, fill, meter };
    let put = at.lease.put(&segment_name(number), |out| encoding.write(out));
    // A file that ends early because it was stopped isn't put either.
    at.watch.check()?;
    let file_len = put?;
    draft.meta.next_segment += 1;
    draft.segments.push(SegmentRow { number, file_len, piece_count, live_count: 0 });
    Ok(())
}

/// A segment on its way into its file.
struct Encoding<'e> {
    threads: usize,
    number: u64,
    piece_len: u32,
    pieces: &'e [u32],
    fill: &'e Fill<'e>,
    meter: &'e Meter<'e>,
}

impl Encoding<'_> {
    fn write(&self, out: impl Write) -> io::Result<u64> {
        let share_count = GRAM_COUNT / SHARE_LEN as usize;
        let mut failed = None;
        let make = |share| encode_share(share as u32, self.pieces.len() as u32, self.fill);
        let take = |shares: InOrder<Result<Lists, DecodeError>>| {
            let sound = shares.map_while(|lists| {
                let stepped = self.meter.step(SHARE_LEN.into()).map_err(io::Error::other);
                let lists = stepped.and_then(|()| lists.map_err(io::Error::other));
                lists.map_err(|error| failed = Some(error)).ok()
            });
            segment::write(out, self.number, self.piece_len, self.pieces, sound)
        };
        let written = threads::in_order(self.threads, share_count, make, take);
        failed.map_or(written, Err)
    }
}

fn encode_share(share: u32, piece_count: u32, fill: &Fill<'_>) -> Result<Lists, DecodeError> {
    let mut lists = Lists::new(piece_count);
    let (mut scratch, mut pieces) = (Vec::new(), Vec::new());
    for gram in share * SHARE_LEN..(share + 1) * SHARE_LEN {
        pieces.clear();
        fill(gram, &mut scratch, &mut pieces)?;
        lists.push(gram, pieces.len() as u32, pieces.iter().copied());
    }
    Ok(lists)
}

/// Segments that become one: see the rule at the head of this file.
fn to_merge(segments: &[SegmentRow]) -> Vec<usize> {
    let sum = |rows: &mut dyn Iterator<Item = u32>| rows.map(u64::from).sum::<u64>();
    let all: u64 = sum(&mut segments.iter().map(|row| row.piece_count));
    let live: u64 = sum(&mut segments.iter().map(|row| row.live_count));
    if (all - live) * 10 > all {
        return (0..segments.len()).collect();
    }
    if segments.len() <= SEGMENTS_MAX {
        return Vec::new();
    }
    let largest = (0..segments.len()).max_by_key(|row| segments[*row].piece_count).unwrap_or(0);
    let largest_count = u64::from(segments[largest].piece_count);
    let spare_largest = (all - largest_count) * 4 <= largest_count;
    (0..segments.len()).filter(|row| !(spare_largest && *row == largest)).collect()
}

/// Merges the segments that the rule names, if it names some.
pub(super) fn merge(
    at: &Building<'_>,
    draft: &mut Draft,
    report: &mut BuildReport,
) -> Result<(), BuildError> {
    let rows = to_merge(&draft.segments);
    if rows.is_empty() {
        return Ok(());
    }
    let dir = at.lease.dir();
    let maps = rows
        .iter()
        .map(|row| dir.map(&segment_name(draft.segments[*row].number)))
        .collect::<io::Result<Vec<_>>>()?;
    let open = |map| Segment::open(map).map_err(io::Error::other);
    let segments = maps.iter().map(|map| open(map)).collect::<io::Result<Vec<_>>>()?;
    let (targets, pieces) = renumber(draft, &rows, &segments).map_err(io::Error::other)?;
    let fill = |gram: u32, _: &mut Vec<u8>, into: &mut Vec<u32>| {
        for (segment, targets) in segments.iter().zip(&targets) {
            if segment.list_len(gram)? == 0 {
                continue;
            }
            let mut set = DocSet::empty(segment.piece_count());
            segment.decode(gram, &mut set)?;
            into.extend(
                set.iter().map(|piece| targets[piece as usize]).filter(|target| *target != NONE),
            );
        }
        Ok(())
    };
    let merging = at.watch.phase(Phase::Merging, Unit::Grams, GRAM_COUNT as u64);
    put_lists(at, draft, &pieces, &fill, &merging)?;
    merging.end();
    report.merged_count = rows.len() as u64;
    drop_merged(draft, &rows);
    Ok(())
}

/// Numbers the live pieces of some segments through, in their order: for each segment the new
/// number of each piece, [`NONE`] for the dead; and where each begins in its file. The draft's
/// files follow.
fn renumber(
    draft: &mut Draft,
    rows: &[usize],
    segments: &[Segment<'_>],
) -> Result<(Vec<Vec<u32>>, Vec<u32>), DecodeError> {
    let mut targets: Vec<Vec<u32>> =
        segments.iter().map(|segment| vec![NONE; segment.piece_count() as usize]).collect();
    let merged = draft.segments.len() as u16;
    let place = |segment: u16| rows.iter().position(|row| *row == usize::from(segment));
    let mut files: Vec<(usize, u32, usize)> = draft
        .files
        .iter()
        .enumerate()
        .filter(|(_, file)| file.first_piece != NONE)
        .filter_map(|(row, file)| Some((place(file.segment)?, file.first_piece, row)))
        .collect();
    files.sort_unstable();
    let mut pieces = Vec::new();
    for (place, first_piece, row) in files {
        let file = &mut draft.files[row];
        file.segment = merged;
        file.first_piece = pieces.len() as u32;
        for piece in first_piece..first_piece + file.piece_count {
            targets[place][piece as usize] = pieces.len() as u32;
            pieces.push(segments[place].piece_start(piece)?);
        }
    }
    Ok((targets, pieces))
}

/// Drops merged segments' rows from the draft; the new one is its last.
fn drop_merged(draft: &mut Draft, rows: &[usize]) {
    let is_kept = |row: usize| !rows.contains(&row);
    let mut numbers = vec![0u16; draft.segments.len()];
    let mut next = 0;
    for (row, number) in numbers.iter_mut().enumerate() {
        *number = next;
        next += u16::from(is_kept(row));
    }
    let mut row = 0;
    draft.segments.retain(|_| {
        row += 1;
        is_kept(row - 1)
    });
    for file in draft.files.iter_mut().filter(|file| file.first_piece != NONE) {
        file.segment = numbers[usize::from(file.segment)];
    }
    if let Some(last) = draft.segments.last_mut() {
        last.live_count = last.piece_count;
    }
}
