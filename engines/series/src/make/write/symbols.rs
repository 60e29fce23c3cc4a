//! Series given as numbers of symbols: what a block says of its own series. No string is looked at.

use std::io::Write;

use manicule_core::idmap::KeyIds;
use manicule_core::sorted::Strings;
use manicule_core::watch::Watch;
use manicule_format_prometheus::{ChunkMeta, SymbolIndex};

use super::rows::{LabelRows, RowPart};
use super::source::{Joined, Rows};
use super::{WriteError, WriteOptions, Written, write_index};

/// Series in the order of their labels, each label a name and a value among some symbols, with
/// their chunks.
///
/// Costs some ten bytes a series and 24 a chunk. A source of one's own ([`Source`](super::Source))
/// costs nothing.
#[derive(Clone, Debug, Default)]
pub struct SymbolSets {
    pairs: KeyIds,
    /// One part: all pairs were numbered together.
    labels: [RowPart; 1],
    chunks: Rows<ChunkMeta>,
}

impl SymbolSets {
    /// Adds a series. Labels that the series before has too are found soonest.
    #[inline]
    pub fn push(
        &mut self,
        labels: impl IntoIterator<Item = (SymbolIndex, SymbolIndex)>,
        chunks: impl IntoIterator<Item = ChunkMeta>,
    ) {
        let SymbolSets { pairs, labels: [part], .. } = self;
        part.rows.push(labels, |before, (name, value)| {
            let key = u64::from(name.0) << 32 | u64::from(value.0);
            match before {
                Some(before) => pairs.id_behind(before, key),
                None => pairs.id(key),
            }
        });
        self.chunks.push(chunks);
    }

    /// Number of series.
    pub fn count(&self) -> u64 {
        self.labels[0].rows.count()
    }

    /// The label pairs as a writer wants them, by their numbers.
    pub fn pairs(&self) -> Vec<(u32, u32)> {
        self.pairs.keys().map(|key| ((key >> 32) as u32, key as u32)).collect()
    }

    /// The series as a writer wants them.
    pub fn source(&self) -> Joined<LabelRows<'_>, &Rows<ChunkMeta>> {
        Joined { labels: LabelRows::new(&self.labels), chunks: &self.chunks }
    }

    /// Writes the index of these series. `symbols` are those that their labels name: an open index,
    /// several tables made one; the empty string should be among them.
    pub fn write(
        &self,
        symbols: impl Strings,
        options: WriteOptions,
        file: &mut dyn Write,
    ) -> Result<Written, WriteError> {
        let watch = Watch::none();
        write_index(symbols, self.pairs(), self.source(), options, file, &watch.silent())
    }

    /// Memory held, in bytes.
    pub fn memory(&self) -> usize {
        self.pairs.memory() + self.labels[0].rows.memory() + self.chunks.memory()
    }
}
