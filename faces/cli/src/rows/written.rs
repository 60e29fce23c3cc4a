//! What commands that write SSTables have in common.

use std::io::{self, Write};
use std::path::PathBuf;

use anyhow::{Context, Result, bail};
use manicule::rows::{Codec, Compress, INDEX_BLOCK_LEN, Place, Version, Written};

use crate::command::spec::{Spec, spec};
use crate::units::{counted, human_len};

pub(super) const GENERATION: Spec = spec("generation", "", "Generation of the new SSTable.")
    .takes("NUM")
    .more("Default: one more than the greatest in DIR.");

pub(super) const BLOCK: Spec =
    spec("index-block", "", "Block length in the row index of large partitions.")
        .takes("SIZE")
        .more("Default: 64 KiB, as Cassandra's column_index_size.");

pub(super) const COMPRESS: Spec = spec("compress", "", "Compression of the new data.")
    .takes("HOW")
    .more("Default: not compressed.")
    .one_of(&["lz4", "snappy", "deflate", "zstd", "none"]);

/// What the words of [`COMPRESS`] mean.
pub(super) const CODECS: [Option<Codec>; 5] =
    [Some(Codec::Lz4), Some(Codec::Snappy), Some(Codec::Deflate), Some(Codec::Zstd), None];

pub(super) const CHANCE: Spec =
    spec("fp-chance", "", "False-positive rate of the Bloom filter; 1 writes none.").takes("NUM");

pub(super) const AS: Spec = spec("as", "", "Version of the new SSTable.")
    .takes("VERSION")
    .one_of(&["mc", "md", "me", "na", "nb"]);

/// What the words of [`AS`] mean.
pub(super) const VERSIONS: [Version; 5] =
    [Version::Mc, Version::Md, Version::Me, Version::Na, Version::Nb];

pub(super) const CHUNK: Spec =
    spec("chunk", "", "Length of a compressed chunk: a power of two. Default: 16 KiB.")
        .takes("SIZE");

/// What options say of a new SSTable.
#[derive(Debug, Default)]
pub(super) struct NewTable {
    pub(super) output: Option<PathBuf>,
    pub(super) generation: Option<u64>,
    pub(super) codec: Option<Codec>,
    pub(super) chunk_len: Option<u64>,
    pub(super) block_len: Option<u64>,
    pub(super) is_dry: bool,
}

impl NewTable {
    /// Where it is written.
    pub(super) fn place(&self) -> Result<Place> {
        let folder =
            self.output.clone().context("missing -o DIR, the folder of the new SSTable")?;
        Ok(Place { folder, generation: self.generation, is_dry: self.is_dry })
    }

    /// Length in bytes from which on a block of rows ends in its index.
    pub(super) fn block_len(&self) -> u64 {
        self.block_len.unwrap_or(INDEX_BLOCK_LEN)
    }

    /// How its data is compressed.
    pub(super) fn compress(&self) -> Result<Option<Compress>> {
        if self.chunk_len.is_some() && self.codec.is_none() {
            bail!("--chunk is for compressed data: say how with --compress");
        }
        let chunk_len = self.chunk_len.unwrap_or(Compress::CHUNK_LEN.into());
        if !Compress::is_chunk_len(chunk_len) {
            bail!("--chunk is a power of two from 1 KiB to 16 MiB, not {chunk_len} bytes");
        }
        let chunk_len = chunk_len as u32;
        Ok(self.codec.map(|codec| Compress { codec, chunk_len, level: Compress::LEVEL }))
    }
}

/// Prints where an SSTable is and what it has.
pub(super) fn print_written(
    written: &Written,
    place: &Place,
    out: &mut impl Write,
) -> io::Result<()> {
    let partitions = counted(written.partition_count, "partition");
    let (rows, cells) = (counted(written.row_count, "row"), counted(written.cell_count, "cell"));
    let len = human_len(written.data_len);
    let path = written.path.display();
    if place.is_dry {
        writeln!(out, "{path} would be written")?
    } else {
        writeln!(out, "{path}")?
    }
    writeln!(out, "{partitions}, {rows}, {cells}, {len} uncompressed")
}
