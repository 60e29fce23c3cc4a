//! Pages of a Parquet file: the library's, with their numbers checked before it makes space by
//! them.
//!
//! Bytes:   a header, Thrift: | type | uncompressed len | compressed len | (CRC) | number of values and encodings, by type |, then the page's bytes

use std::fs::File;
use std::io::{self, Read};
use std::ops::Range;
use std::sync::Arc;

use parquet::arrow::arrow_reader::RowGroups;
use parquet::column::page::{Page, PageIterator, PageMetadata, PageReader};
use parquet::errors::{ParquetError, Result};
use parquet::file::metadata::{ParquetMetaData, RowGroupMetaData};
use parquet::file::reader::ChunkReader;
use parquet::file::serialized_reader::SerializedPageReader;

use super::deltas;
use super::thrift::{Compact, Field, kind};

/// Maximum length in bytes of a page. Writers end one at about 1 MiB; fastparquet does at 500 MiB.
const PAGE_LEN_MAX: i64 = 512 << 20;
/// The most bytes that one compressed byte can become: Zstandard repeats a byte for 128 KiB in a
/// block of four.
const RATIO_MAX: i64 = 32 << 10;
/// Maximum number of values of a page; of those that are lists, each takes some bytes although they
/// may have none in the file.
/// A row group of pyarrow, which can be one page, has at most as many rows.
const VALUE_COUNT_MAX: i64 = 64 << 20;
/// Kinds of pages.
const INDEX_PAGE: i64 = 1;
const DICTIONARY_PAGE: i64 = 2;
/// Maximum length in bytes of a header. What is long in it are the bounds of the values.
const HEADER_LEN_MAX: u64 = 16 << 20;

/// The row groups of a file.
pub(super) struct Groups {
    pub(super) file: Arc<File>,
    pub(super) metadata: Arc<ParquetMetaData>,
}

impl RowGroups for Groups {
    fn num_rows(&self) -> usize {
        let counts = self.metadata.row_groups().iter().map(|group| group.num_rows() as usize);
        counts.fold(0, usize::saturating_add)
    }

    fn column_chunks(&self, column: usize) -> Result<Box<dyn PageIterator>> {
        let (file, metadata) = (self.file.clone(), self.metadata.clone());
        let groups = 0..metadata.num_row_groups();
        Ok(Box::new(Chunks { file, metadata, column, groups }))
    }

    fn row_groups(&self) -> Box<dyn Iterator<Item = &RowGroupMetaData> + '_> {
        Box::new(self.metadata.row_groups().iter())
    }

    fn metadata(&self) -> &ParquetMetaData {
        &self.metadata
    }
}

/// The chunks of a column.
struct Chunks {
    file: Arc<File>,
    metadata: Arc<ParquetMetaData>,
    column: usize,
    /// Those that are yet to come.
    groups: Range<usize>,
}

impl Iterator for Chunks {
    type Item = Result<Box<dyn PageReader>>;

    fn next(&mut self) -> Option<Self::Item> {
        let group = self.metadata.row_group(self.groups.next()?);
        let chunk = group.column(self.column);
        let rows = group.num_rows() as usize;
        Some(SerializedPageReader::new(self.file.clone(), chunk, rows, None).map(|pages| {
            let levels = deltas::Levels::of(chunk.column_descr());
            let (at, len) = chunk.byte_range();
            let file = self.file.clone();
            Box::new(Pages { pages, levels, file, at, end: at + len }) as Box<dyn PageReader>
        }))
    }
}

impl PageIterator for Chunks {}

/// The pages of a chunk. What the header of each says is checked before the library decodes it, and
/// what it says inside before that is used.
struct Pages {
    pages: SerializedPageReader<File>,
    levels: deltas::Levels,
    file: Arc<File>,
    /// Where the next header begins, and the chunk ends.
    at: u64,
    end: u64,
}

impl Pages {
    /// Checks the header of the next page, and those of the pages that the library passes over on
    /// the way.
    fn check_next(&mut self) -> Result<()> {
        while self.at < self.end {
            let source = self.file.get_read(self.at)?.take(HEADER_LEN_MAX);
            let mut header = Counted { source, len: 0 };
            let checked = check_header(&mut Compact::new(&mut header));
            let checked = checked.map_err(|why| format!("page header at {}: {why}", self.at));
            let page = checked.map_err(ParquetError::General)?;
            self.at += header.len + page.len;
            if !page.is_index {
                break;
            }
        }
        Ok(())
    }
}

impl PageReader for Pages {
    fn get_next_page(&mut self) -> Result<Option<Page>> {
        self.check_next()?;
        let page = self.pages.get_next_page()?;
        if let Some(page) = &page {
            deltas::check(page, self.levels).map_err(ParquetError::General)?;
        }
        Ok(page)
    }

    fn peek_next_page(&mut self) -> Result<Option<PageMetadata>> {
        self.pages.peek_next_page()
    }

    fn skip_next_page(&mut self) -> Result<()> {
        Err(ParquetError::General("pages are read one after the other".to_owned()))
    }
}

impl Iterator for Pages {
    type Item = Result<Page>;

    fn next(&mut self) -> Option<Self::Item> {
        self.get_next_page().transpose()
    }
}

/// What is read, counted.
struct Counted<R> {
    source: R,
    len: u64,
}

impl<R: Read> Read for Counted<R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let len = self.source.read(out)?;
        self.len += len as u64;
        Ok(len)
    }
}

/// A page that comes after a header.
struct PageAfter {
    len: u64,
    is_index: bool,
}

/// Refuses a header whose numbers can't be right. Kinds of fields are checked too: the library
/// takes them for those that it wants.
fn check_header(values: &mut Compact<impl Read>) -> std::result::Result<PageAfter, String> {
    let (mut page_kind, mut len, mut compressed_len, mut count) = (-1, 0, 0, 0);
    values.each_field(|values, Field { id, kind }| {
        match (id, kind) {
            (1, kind::I32) => page_kind = int(values)?,
            (2, kind::I32) => len = int(values)?,
            (3, kind::I32) => compressed_len = int(values)?,
            (4, kind::I32) | (6, kind::STRUCT) | (9.., _) => values.skip(kind)?,
            (5 | 7 | 8, kind::STRUCT) => values.each_field(|values, field| {
                match (id, field.id, field.kind) {
                    (_, 1, kind::I32) => count = count.max(int(values)?),
                    (5, 2..=4, kind::I32)
                    | (7, 2, kind::I32)
                    | (7, 3, kind::TRUE | kind::FALSE)
                    | (8, 2..=6, kind::I32)
                    | (8, 7, kind::TRUE | kind::FALSE)
                    | (5, 5.., _)
                    | (7, 4.., _)
                    | (8, 8.., _) => values.skip(field.kind)?,
                    _ => {
                        return Err(format!(
                            "field {id}.{} is of the kind {}",
                            field.id, field.kind
                        ));
                    }
                }
                Ok(())
            })?,
            _ => return Err(format!("field {id} is of the kind {kind}")),
        }
        Ok(())
    })?;
    let page_len = u64::try_from(compressed_len).map_err(|_| "a negative length".to_owned())?;
    if len > PAGE_LEN_MAX || len > compressed_len.saturating_mul(RATIO_MAX) {
        return Err(format!(
            "wanted at most {PAGE_LEN_MAX} bytes, each {RATIO_MAX} of those it is compressed into, got {len} of {compressed_len}"
        ));
    }
    let is_dictionary = page_kind == DICTIONARY_PAGE;
    let count_max = if is_dictionary { len } else { VALUE_COUNT_MAX };
    if count > count_max.min(VALUE_COUNT_MAX) {
        return Err(format!("wanted at most {count_max} values, got {count}"));
    }
    Ok(PageAfter { len: page_len, is_index: page_kind == INDEX_PAGE })
}

/// A number of 32 bits: the lower ones, as the library takes them.
fn int(values: &mut Compact<impl Read>) -> std::result::Result<i64, String> {
    Ok((values.int()? as i32).into())
}
