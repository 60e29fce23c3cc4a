//! Four hosts through time: a whole repository of up to millions of small blobs, with snapshots
//! over folders that change slowly, and with everything that real repositories have beside them.
//!
//! - Each host has its own sets of paths and tags. One set lies within another, so that subtrees
//!   are shared; the two web servers begin with the same files under other inodes, so that they
//!   share blobs and no trees.
//! - Between two snapshots of a host files are changed, added, removed, renamed, copied, touched;
//!   folders come, go and get new names. Only what changed, and the folders above it, has new
//!   trees.
//! - One state in twenty was forgotten: its trees and blobs are there, its snapshot is not.
//! - One blob in a hundred is stored in two packs.

mod changes;
mod contents;
mod host;
mod snapshots;
mod trees;

use std::io;
use std::path::Path;

use manicule_format_restic::BlobKind;

use crate::packer::Packer;
use crate::writer::{Writer, Written};
use contents::Contents;
use host::{Host, SORTS, Twin};

/// Size of a fleet.
#[derive(Clone, Copy, Debug)]
pub struct FleetOptions {
    /// Seed of everything.
    pub seed: u64,
    /// Number of different data blobs, those of forgotten states included.
    pub data_count: u32,
    /// Number of snapshots that exist.
    pub snapshot_count: u32,
    /// Maximum number of blobs in a pack. Each backup ends its packs, so that many have fewer.
    pub blobs_in_pack: usize,
}

/// Part of the data blobs that the first states have, in tenths.
const FIRST_TENTHS: u32 = 4;
/// One state in this many has no snapshot any more.
const FORGOTTEN_ONE_IN: u32 = 20;
/// Time between two states, in seconds, and that of the first: 2024-01-01T00:00:00Z.
const STATE_S: u64 = 2 * 3600 + 61;
const START_S: u64 = 1_704_067_200;

/// What all hosts write to.
struct Fleet {
    writer: Writer,
    contents: Contents,
    trees: Packer,
}

impl Fleet {
    /// A content for a file, see [`Contents::draw`].
    fn content(&mut self, until: u32) -> io::Result<u32> {
        self.contents.draw(&mut self.writer, until)
    }
}

/// Writes a fleet's repository into a new or empty folder. About 0.5 KB of disk a data blob.
///
/// # Errors
/// If a file can't be written.
pub fn write_fleet(folder: &Path, options: &FleetOptions) -> io::Result<Written> {
    let mut fleet = Fleet {
        writer: Writer::create(folder, options.seed)?,
        contents: Contents::new(options.seed, options.blobs_in_pack),
        trees: Packer::new(BlobKind::Tree, options.blobs_in_pack),
    };
    let mut hosts = first_hosts(&mut fleet, options)?;
    let state_count =
        options.snapshot_count + options.snapshot_count.saturating_sub(1) / (FORGOTTEN_ONE_IN - 1);
    for state in 0..state_count {
        let is_first = (state as usize) < SORTS.len();
        let host = &mut hosts[state as usize % SORTS.len()];
        host.now_s = START_S + u64::from(state) * STATE_S;
        let set = host.draw_set(is_first);
        if !is_first {
            let count = fleet.contents.count();
            let share = options.data_count.saturating_sub(count) / (state_count - state);
            changes::change(host, &mut fleet, set, count + share)?;
        }
        let is_kept = state % FORGOTTEN_ONE_IN != FORGOTTEN_ONE_IN - 1;
        snapshots::back_up(host, &mut fleet, set, is_kept)?;
    }
    fleet.contents.end(&mut fleet.writer)?;
    fleet.writer.end()
}

/// The hosts before their first snapshots.
fn first_hosts(fleet: &mut Fleet, options: &FleetOptions) -> io::Result<Vec<Host>> {
    let own_count = SORTS.iter().filter(|sort| sort.twin == Twin::None).count() as u32;
    let share = options.data_count / 10 * FIRST_TENTHS / own_count;
    let mut hosts: Vec<Host> = Vec::new();
    for sort in &SORTS {
        let mut host = Host::new(sort, options.seed, START_S, hosts.len() as u64);
        match (sort.twin, hosts.last()) {
            (Twin::OfLast, Some(last)) => host.take_files_of(last),
            _ => changes::grow(&mut host, fleet, share)?,
        }
        hosts.push(host);
    }
    Ok(hosts)
}
