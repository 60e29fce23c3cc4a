//! Contents of files: the data blobs, by their numbers.

use std::io;

use manicule_format_restic::{BlobKind, Id};
use manicule_testkit::Rng;

use crate::packer::{Packer, Storing};
use crate::writer::Writer;

/// One new content in this many is one that some host had lately.
const KNOWN_ONE_IN: usize = 16;
/// Number of contents that count as late.
const LATE_COUNT: usize = 4000;
/// One data blob in this many is stored a second time, in another pack.
const TWICE_ONE_IN: u32 = 100;
/// One data blob in this many is stored without compression.
const PLAIN_ONE_IN: u32 = 16;
/// Least length of a data blob, and number of different lengths.
const LEN_LEAST: u32 = 64;
const LEN_COUNT: u32 = 97;

/// All contents so far.
pub(super) struct Contents {
    ids: Vec<Id>,
    rng: Rng,
    data: Packer,
    /// Blobs that are stored a second time.
    again: Packer,
}

impl Contents {
    pub(super) fn new(seed: u64, blobs_in_pack: usize) -> Contents {
        let packer = || Packer::new(BlobKind::Data, blobs_in_pack);
        Contents { ids: Vec::new(), rng: Rng::new(seed), data: packer(), again: packer() }
    }

    pub(super) fn count(&self) -> u32 {
        self.ids.len() as u32
    }

    pub(super) fn id(&self, number: u32) -> Id {
        self.ids[number as usize]
    }

    /// A content for a file: mostly a new one, whose blob is stored, as long as there are fewer
    /// than `until`.
    pub(super) fn draw(&mut self, writer: &mut Writer, until: u32) -> io::Result<u32> {
        let count = self.ids.len();
        if count > 0 && (count >= until as usize || self.rng.one_in(KNOWN_ONE_IN)) {
            return Ok((count - 1 - self.rng.below(count.min(LATE_COUNT))) as u32);
        }
        let number = count as u32;
        let hash = writer.tagged().bytes("content", u64::from(number));
        let plain: Vec<u8> = hash.into_iter().cycle().take(plain_len(number) as usize).collect();
        let storing = match number % PLAIN_ONE_IN {
            7 => Storing::Plain,
            _ => Storing::Compressed,
        };
        self.ids.push(self.data.add(writer, &plain, storing)?);
        if number % TWICE_ONE_IN == TWICE_ONE_IN - 1 {
            self.again.add(writer, &plain, storing)?;
        }
        Ok(number)
    }

    /// Ends the packs of a backup. Second copies wait until they fill one.
    pub(super) fn end_backup(&mut self, writer: &mut Writer) -> io::Result<()> {
        self.data.flush(writer)
    }

    /// Ends all packs.
    pub(super) fn end(&mut self, writer: &mut Writer) -> io::Result<()> {
        self.data.flush(writer)?;
        self.again.flush(writer)
    }
}

/// Length of a content.
pub(super) fn plain_len(number: u32) -> u32 {
    LEN_LEAST + (u64::from(number) * 37 % u64::from(LEN_COUNT)) as u32
}
