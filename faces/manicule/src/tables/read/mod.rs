//! Record batches of a Parquet file whose bytes nobody vouches for.
//!
//! The `parquet` library reads them. It answers most of what is wrong with an error, and two things
//! not: it panics at some numbers that contradict each other (`panics`), and makes space by others
//! that the file has no bytes for, which ends the program where there is none (`footer`, `pages`,
//! `deltas`, by what they can read of `thrift`).

mod deltas;
mod footer;
mod pages;
mod panics;
mod thrift;

use std::fmt::Display;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_schema::SchemaRef;
use parquet::arrow::arrow_reader::{
    ArrowReaderMetadata, ArrowReaderOptions, ParquetRecordBatchReader,
};
use parquet::arrow::{ProjectionMask, parquet_to_arrow_field_levels};

use self::pages::Groups;
pub(super) use self::panics::library_panic;

/// Rows of a Parquet file, batch after batch. After an error there is no next one.
pub(crate) struct ParquetRows {
    path: PathBuf,
    batches: ParquetRecordBatchReader,
    schema: SchemaRef,
    row_count: u64,
}

impl ParquetRows {
    /// Reads the schema of a file, which has been opened.
    ///
    /// # Errors
    /// What is wrong with the file, as a sentence; so are those of its batches.
    pub(crate) fn open(path: &Path, file: File, batch_len: usize) -> Result<ParquetRows, String> {
        let file_len = file.metadata().map_or(0, |it| it.len());
        footer::check_schema(&file, file_len)?;
        let said = library(path, || ArrowReaderMetadata::load(&file, ArrowReaderOptions::new()))?;
        let (metadata, schema) = (said.metadata().clone(), said.schema().clone());
        footer::check_chunks(&metadata, file_len)?;
        let columns = metadata.file_metadata().schema_descr_ptr();
        footer::check_lens(&columns, &schema)?;
        let row_count = u64::try_from(metadata.file_metadata().num_rows()).unwrap_or(0);
        let batches = library(path, || {
            let (all, hint) = (ProjectionMask::all(), Some(schema.fields()));
            let levels = parquet_to_arrow_field_levels(&columns, all, hint)?;
            let groups = Groups { file: Arc::new(file), metadata };
            ParquetRecordBatchReader::try_new_with_row_groups(&levels, &groups, batch_len, None)
        })?;
        Ok(ParquetRows { path: path.to_owned(), batches, schema, row_count })
    }

    /// The columns.
    pub(crate) fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    /// Number of rows that the file says it has.
    pub(crate) fn row_count(&self) -> u64 {
        self.row_count
    }
}

impl Iterator for ParquetRows {
    type Item = Result<RecordBatch, String>;

    fn next(&mut self) -> Option<Self::Item> {
        let ParquetRows { path, batches, .. } = self;
        library(path, || batches.next().transpose()).transpose()
    }
}

/// What the library answers.
fn library<T, E: Display>(path: &Path, call: impl FnOnce() -> Result<T, E>) -> Result<T, String> {
    panics::caught(path, || call().map_err(|error| error.to_string())).and_then(|answer| answer)
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::PathBuf;

    use super::*;

    /// Number of rows of a file, or what is wrong with it.
    fn read(path: &Path) -> Result<usize, String> {
        let rows = ParquetRows::open(path, File::open(path).expect("a file"), 100)?;
        let mut count = 0;
        for batch in rows {
            count += batch?.num_rows();
        }
        Ok(count)
    }

    /// The seeds of the fuzz target, each a file after a byte.
    fn seeds() -> Vec<(PathBuf, Vec<u8>)> {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/seeds/rows_input");
        let entries = fs::read_dir(folder).expect("seeds").map(|entry| entry.expect("one").path());
        let is_parquet = |path: &PathBuf| path.to_string_lossy().contains("parquet_");
        entries
            .filter(is_parquet)
            .map(|path| {
                let bytes = fs::read(&path).expect("a file")[1..].to_vec();
                (path, bytes)
            })
            .collect()
    }

    #[test]
    fn flipped_bytes_are_rows_or_a_sentence() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("rows.parquet");
        let (mut whole, mut refused, mut panicked) = (0, 0, 0);
        for (seed, bytes) in seeds() {
            fs::write(&path, &bytes).expect("a file");
            assert!(read(&path).is_ok_and(|count| count > 0), "{seed:?}");
            for at in 0..bytes.len() {
                for flip in [0x01, 0x80, 0xff] {
                    let mut damaged = bytes.clone();
                    damaged[at] ^= flip;
                    fs::write(&path, &damaged).expect("a file");
                    match read(&path) {
                        Ok(_) => whole += 1,
                        Err(why) if why.contains("library can't read it") => panicked += 1,
                        Err(_) => refused += 1,
                    }
                }
            }
        }
        println!("{whole} read, {refused} refused, {panicked} where the library panics");
        assert!(whole > 0 && refused > 1000 && panicked > 0, "{whole} {refused} {panicked}");
    }
}
