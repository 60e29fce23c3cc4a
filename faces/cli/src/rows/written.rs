//! What commands that write SSTables have in common.
//!
//! Callers: extract, rebuild

use std::io::{self, Write};

use manicule::rows::Written;

use crate::command::spec::{Spec, spec};
use crate::units::{counted, human_len};

pub(super) const GENERATION: Spec = spec("generation", "", "Generation of the new SSTable.")
    .takes("NUM")
    .more("Unsaid, the one after the greatest that a file of DIR has.");

pub(super) const BLOCK: Spec =
    spec("index-block", "", "Length of the blocks of rows in the index.").takes("SIZE").more(
        "Of partitions that are longer. Unsaid, 64 KiB, as Cassandra has it: column_index_size.",
    );

/// Prints where an SSTable is and what it has.
pub(super) fn print_written(written: &Written, out: &mut impl Write) -> io::Result<()> {
    let partitions = counted(written.partition_count, "partition");
    let (rows, cells) = (counted(written.row_count, "row"), counted(written.cell_count, "cell"));
    let len = human_len(written.data_len);
    writeln!(out, "{}", written.path.display())?;
    writeln!(out, "{partitions}, {rows}, {cells}, {len} uncompressed")
}
