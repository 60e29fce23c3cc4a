//! What was left out as damaged.

use manicule_series::{Damage, DamagedPart, Salvage};
use serde::ser::SerializeMap;

use crate::json::{Report, list, report};

impl Report for Salvage {
    fn entries<M: SerializeMap>(&self, to: &mut M) -> Result<(), M::Error> {
        let (blocks, series, chunks) = self.counts();
        to.serialize_entry("blocks", &blocks)?;
        to.serialize_entry("series", &series)?;
        to.serialize_entry("chunks", &chunks)?;
        to.serialize_entry("list", &list(&self.list()))
    }
}

report!(of: Damage { block: of.block.to_string_lossy(), error; of.part });

impl Report for DamagedPart {
    fn entries<M: SerializeMap>(&self, to: &mut M) -> Result<(), M::Error> {
        let segment = |number: u64| format!("{number:06}");
        match self {
            DamagedPart::Block => to.serialize_entry("what", "block"),
            DamagedPart::AllSeries => to.serialize_entry("what", "all_series"),
            DamagedPart::Series { at } => {
                to.serialize_entry("what", "series")?;
                to.serialize_entry("index_offset", at)
            }
            DamagedPart::Segment { number, chunk_count } => {
                to.serialize_entry("what", "segment")?;
                to.serialize_entry("segment", &segment(u64::from(*number) + 1))?;
                to.serialize_entry("chunks", chunk_count)
            }
            DamagedPart::Chunk { series, chunk } => {
                to.serialize_entry("what", "chunk")?;
                to.serialize_entry("series", series)?;
                let number = u64::from(chunk.reference.segment()) + 1;
                to.serialize_entry("segment", &segment(number))?;
                to.serialize_entry("offset", &chunk.reference.offset())?;
                to.serialize_entry("min_time", &chunk.min_time)?;
                to.serialize_entry("max_time", &chunk.max_time)
            }
        }
    }
}
