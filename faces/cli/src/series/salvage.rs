//! `--skip-damaged`: what was left out, in words; and who could use it.

use anyhow::anyhow;
use manicule::series::{BlockError, Damage, DamagedPart, Error, Salvage};

use crate::messages::say;
use crate::units::counted;

const OPTION: &str = "--skip-damaged";

/// Names on standard error what was left out.
pub(super) fn tell(salvage: &Salvage) {
    let list = salvage.list();
    for Damage { block, part, error } in &list {
        let block = block.display();
        match part {
            DamagedPart::Block => say(&format_args!("left out the block {error}")),
            DamagedPart::AllSeries => say(&format_args!(
                "{block}: left out series that only the damaged list of all series names: {error}"
            )),
            DamagedPart::Series { at } => say(&format_args!(
                "{block}: left out the series at offset {at} of the index: {error}"
            )),
            DamagedPart::Segment { number, chunk_count } => say(&format_args!(
                "{block}: left out {} of chunks/{:06}, which is missing",
                counted(*chunk_count, "chunk"),
                u64::from(*number) + 1
            )),
            DamagedPart::Chunk { series, chunk } => {
                let (segment, at) = (chunk.reference.segment() + 1, chunk.reference.offset());
                say(&format_args!(
                    "{block}: left out a chunk of {series}, chunks/{segment:06} at offset {at}, \
                     times {} to {}: {error}",
                    chunk.min_time, chunk.max_time
                ));
            }
        }
    }
    let (blocks, series, chunks) = salvage.counts();
    if blocks + series + chunks > 0 {
        let (blocks, chunks) = (counted(blocks, "block"), counted(chunks, "chunk"));
        say(&format_args!("left out as damaged: {blocks}, {series} series, {chunks}"));
    }
}

/// Adds to an error about damage that the option leaves it out, unless it was given.
pub(super) fn hinted(is_given: bool, answered: anyhow::Result<u8>) -> anyhow::Result<u8> {
    answered.map_err(|error| {
        if is_damage(&error) && !is_given {
            anyhow!("{error}; {OPTION} leaves such parts out, and lists them")
        } else {
            error
        }
    })
}

fn is_damage(error: &anyhow::Error) -> bool {
    let reading = error.downcast_ref::<BlockError>();
    error.downcast_ref::<Error>().is_some_and(Error::is_damage)
        || reading.is_some_and(BlockError::is_damage)
}
