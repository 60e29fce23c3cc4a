//! What commands that write SSTables have in common.
//!
//! Callers: extract, merge, rebuild, salvage

use std::io::{self, Write};
use std::ops::RangeInclusive;

use anyhow::{Result, bail};
use manicule::rows::{Codec, Compress, Written};

use crate::command::spec::{Spec, spec};
use crate::units::{counted, human_len};

pub(super) const GENERATION: Spec = spec("generation", "", "Generation of the new SSTable.")
    .takes("NUM")
    .more("Unsaid, the one after the greatest that a file of DIR has.");

pub(super) const BLOCK: Spec =
    spec("index-block", "", "Length of the blocks of rows in the index.").takes("SIZE").more(
        "Of partitions that are longer. Unsaid, 64 KiB, as Cassandra has it: column_index_size.",
    );

pub(super) const COMPRESS: Spec =
    spec("compress", "", "How the new data is compressed. Unsaid, not at all.")
        .takes("HOW")
        .one_of(&["lz4", "snappy", "deflate", "zstd", "none"]);

/// What the words of [`COMPRESS`] mean.
pub(super) const CODECS: [Option<Codec>; 5] =
    [Some(Codec::Lz4), Some(Codec::Snappy), Some(Codec::Deflate), Some(Codec::Zstd), None];

pub(super) const CHUNK: Spec =
    spec("chunk", "", "Length of a compressed chunk: a power of two. Unsaid, 16 KiB.")
        .takes("SIZE");

/// Length of a chunk in bytes, as Cassandra has it since 4.0, and its limits.
const CHUNK_LEN: u64 = 16 << 10;
const CHUNK_LENS: RangeInclusive<u64> = 1 << 10..=16 << 20;

/// Level of Zstandard, as Cassandra has it.
const ZSTD_LEVEL: i32 = 3;

/// How data is compressed.
pub(super) fn compress(codec: Option<Codec>, chunk_len: Option<u64>) -> Result<Option<Compress>> {
    if chunk_len.is_some() && codec.is_none() {
        bail!("--chunk is for compressed data: say how with --compress");
    }
    let chunk_len = chunk_len.unwrap_or(CHUNK_LEN);
    if !chunk_len.is_power_of_two() || !CHUNK_LENS.contains(&chunk_len) {
        bail!("--chunk is a power of two from 1 KiB to 16 MiB, not {chunk_len} bytes");
    }
    let chunk_len = chunk_len as u32;
    Ok(codec.map(|codec| Compress { codec, chunk_len, level: ZSTD_LEVEL }))
}

/// Prints where an SSTable is and what it has.
pub(super) fn print_written(written: &Written, out: &mut impl Write) -> io::Result<()> {
    let partitions = counted(written.partition_count, "partition");
    let (rows, cells) = (counted(written.row_count, "row"), counted(written.cell_count, "cell"));
    let len = human_len(written.data_len);
    writeln!(out, "{}", written.path.display())?;
    writeln!(out, "{partitions}, {rows}, {cells}, {len} uncompressed")
}
