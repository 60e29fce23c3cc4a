//! Rows in a file: what is given to the caller, where memory is short.

use std::fs::File;
use std::io::{BufReader, BufWriter, Read, Seek, Write};

use super::super::super::error::SparqlError;
use super::super::stop::{Outcome, Stop};
use super::rows::Table;
use super::sink::Sink;

/// Rows of some variables, back to back, each an id of 8 bytes for each of them. The file has no
/// name, and goes with this.
pub(in crate::sparql) struct Spool {
    pub(in crate::sparql) names: Vec<String>,
    file: Way,
    /// Number of rows that are there, or left to be read.
    rows: u64,
}

/// Which way the file is used.
enum Way {
    In(BufWriter<File>),
    Out(BufReader<File>),
}

fn failed(error: std::io::Error) -> Stop {
    Stop::Failed(SparqlError::Spill(error))
}

impl Spool {
    /// No row, of some variables.
    pub(in crate::sparql) fn new(names: Vec<String>) -> Outcome<Spool> {
        let file = Way::In(BufWriter::new(tempfile::tempfile().map_err(failed)?));
        Ok(Spool { names, file, rows: 0 })
    }

    /// Ends the writing: rows are read from the first one on.
    pub(in crate::sparql) fn rewind(&mut self) -> Outcome<()> {
        if let Way::In(writer) = &mut self.file {
            writer.flush().map_err(failed)?;
            let mut file = writer.get_ref().try_clone().map_err(failed)?;
            file.rewind().map_err(failed)?;
            self.file = Way::Out(BufReader::new(file));
        }
        Ok(())
    }

    /// Puts the ids of the next row in place of others. Whether there is one.
    pub(in crate::sparql) fn next_into(&mut self, row: &mut Vec<u64>) -> Outcome<bool> {
        let Way::Out(reader) = &mut self.file else { return Ok(false) };
        let Some(left) = self.rows.checked_sub(1) else { return Ok(false) };
        self.rows = left;
        row.clear();
        for _ in &self.names {
            let mut id = [0; size_of::<u64>()];
            reader.read_exact(&mut id).map_err(failed)?;
            row.push(u64::from_ne_bytes(id));
        }
        Ok(true)
    }
}

impl Sink for Spool {
    fn push(&mut self, rows: &Table) -> Outcome<()> {
        let Way::In(writer) = &mut self.file else { return Ok(()) };
        for row in 0..rows.row_count {
            for column in rows.columns.iter() {
                writer.write_all(&column[row].to_ne_bytes()).map_err(failed)?;
            }
        }
        self.rows += rows.row_count as u64;
        Ok(())
    }

    fn len(&self) -> u64 {
        self.rows * (self.names.len() * size_of::<u64>()) as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_come_as_they_went() {
        let names = ["a", "b"].map(str::to_owned).to_vec();
        let mut spool = Spool::new(names.clone()).expect("a file");
        let mut table = Table::empty(names);
        for part in 0..3_u64 {
            table.columns[0] = (0..10_000).map(|row| (part << 32) | row).collect();
            table.columns[1] = (0..10_000).map(|row| row * 7).collect();
            table.row_count = 10_000;
            spool.push(&table).expect("rows");
        }
        assert_eq!(spool.len(), 480_000);
        spool.rewind().expect("a file");
        let mut row = Vec::new();
        for at in 0..30_000 {
            assert!(spool.next_into(&mut row).expect("a row"));
            assert_eq!(row, [((at / 10_000) << 32) | (at % 10_000), at % 10_000 * 7]);
        }
        assert!(!spool.next_into(&mut row).expect("the end"));
    }
}
