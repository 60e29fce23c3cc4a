//! Scylla.db: that its parts can be read, and the checksums that it has of other components.
//!
//! Bytes:   docs/formats/sstable.md, "Scylla.db"
//! Callers: verify

use manicule_format_sstable::{Component, ScyllaFile};
use manicule_store::pages::Reading;

use super::checked::{Checked, bytes_of};
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

impl Checked<'_> {
    /// Reads it, if it is there, and compares its checksums.
    pub(super) fn scylla(&mut self, reading: &mut Reading<'_>) -> Result<(), RowsError> {
        let Some(file) = self.open_if_there(&Component::Scylla)? else { return Ok(()) };
        file.whole(self.options.component_bytes_max, reading)?;
        let read = ScyllaFile::open(bytes_of(&file)).map_err(Into::into).and_then(|file| {
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
            let computed = crc32fast::hash(bytes_of(&self.open(component)?));
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
