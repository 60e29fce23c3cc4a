//! Scylla.db: that its parts can be read, and the checksums that it has of other components.
//!
//! Bytes:   docs/formats/sstable.md, "Scylla.db"

use manicule_format_sstable::{Component, ScyllaFile};
use manicule_store::pages::Reading;

use super::checked::{Checked, each_piece};
use super::notes::Spot;
use crate::RowsError;

/// Components by their numbers in the list of checksums.
const NUMBERS: [(u32, Component); 11] = [
    (0, Component::Index),
    (1, Component::CompressionInfo),
    (2, Component::Data),
    (3, Component::Toc),
    (4, Component::Summary),
    (5, Component::Digest),
    (6, Component::Crc),
    (7, Component::Filter),
    (8, Component::Statistics),
    (12, Component::Rows),
    (13, Component::Partitions),
];

/// Bytes that are summed at a time.
const PIECE_LEN: u64 = 1 << 20;

impl Checked<'_> {
    /// Reads it, if it is there, and compares its checksums.
    pub(super) fn scylla(&mut self, reading: &mut Reading<'_>) -> Result<(), RowsError> {
        let Some(bytes) = self.whole(&Component::Scylla, reading)? else { return Ok(()) };
        let read = ScyllaFile::open(&bytes).map_err(Into::into).and_then(|file| {
            file.schema()?;
            file.large_data()?;
            file.digests()
        });
        let digests = match read {
            Ok(digests) => digests,
            Err(error) => {
                self.notes.text_error(&Component::Scylla, "parts", &error);
                return Ok(());
            }
        };
        for (number, stored) in digests {
            let known = NUMBERS.iter().find(|(known, _)| *known == number);
            let Some((_, component)) = known.filter(|(_, component)| self.has(component)) else {
                continue;
            };
            let mut sum = crc32fast::Hasher::new();
            each_piece(&self.open(component)?, PIECE_LEN, reading, |_, piece| {
                sum.update(piece);
                Ok(())
            })?;
            let computed = sum.finalize();
            self.counts.checksums += 1;
            if stored != computed {
                let spot = Spot::whole(component, "checksum");
                // By the description alone: no file with these checksums has been seen.
                let what = format!("checksum in Scylla.db: wanted {stored}, got {computed}");
                self.notes.odd(spot, what);
            }
        }
        Ok(())
    }
}
