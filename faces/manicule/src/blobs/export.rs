//! The index as a table: every entry with its place.

use std::io::{self, Write};

use manicule_blobs::{BlobKind, IndexSink, ListedPack, PackedBlob, RepoError, read_files};
pub use manicule_blobs::{Duplicate, duplicates};
use manicule_core::watch::Watch;

use super::error::Error;
use super::open::Repository;

/// How an entry is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TableForm {
    /// Comma-separated values, with a line of names first.
    Csv,
    /// A JSON object a line.
    JsonLines,
}

/// Names of the columns, which are the fields of the objects: lengths are those as stored, and of
/// the plaintext of compressed blobs (0 where it isn't compressed); `index` is the index file.
pub const COLUMNS: [&str; 7] =
    ["type", "id", "pack", "offset", "length", "uncompressed_length", "index"];

impl Repository {
    /// Writes every entry of every index file, in the order of the files' ids and as they come in
    /// them: a pack that two files list, twice. Packs that are marked for deletion have no
    /// entries. Comes back with the number of entries.
    ///
    /// Nothing is kept: an index file and its entries for each thread, whatever the size of the
    /// index.
    pub fn export(
        &self,
        form: TableForm,
        watch: &Watch<'_>,
        out: &mut dyn Write,
    ) -> Result<u64, ExportError> {
        if form == TableForm::Csv {
            writeln!(out, "{}", COLUMNS.join(","))?;
        }
        let (mut count, mut text) = (0, Vec::new());
        read_files(&self.engine, self.threads(), watch, Entries::default, |file, _, read| {
            let (_, entries) = read.map_err(Error::Repo)?;
            let index = file.id.to_string();
            for (pack, blob) in &entries.blobs {
                text.clear();
                put(form, &entries.packs[*pack], blob, &index, &mut text);
                out.write_all(&text)?;
            }
            count += entries.blobs.len() as u64;
            Ok::<_, ExportError>(())
        })?;
        Ok(count)
    }
}

/// Reason why an index was not written as a table to its end.
#[derive(Debug)]
pub enum ExportError {
    /// The repository can't be read.
    Read(Error),
    /// The table can't be written.
    Write(io::Error),
}

impl std::fmt::Display for ExportError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            ExportError::Read(error) => error.fmt(f),
            ExportError::Write(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for ExportError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            ExportError::Read(error) => error.source(),
            // A program asks it whether a reader has left.
            ExportError::Write(error) => Some(error),
        }
    }
}

impl From<Error> for ExportError {
    fn from(error: Error) -> Self {
        ExportError::Read(error)
    }
}

impl From<RepoError> for ExportError {
    fn from(error: RepoError) -> Self {
        ExportError::Read(Error::Repo(error))
    }
}

impl From<manicule_core::watch::Stopped> for ExportError {
    fn from(stopped: manicule_core::watch::Stopped) -> Self {
        RepoError::from(stopped).into()
    }
}

impl From<io::Error> for ExportError {
    fn from(error: io::Error) -> Self {
        ExportError::Write(error)
    }
}

fn put(form: TableForm, pack: &str, blob: &PackedBlob, index: &str, out: &mut Vec<u8>) {
    let kind = blob.kind.map_or("invalid", BlobKind::name);
    let (id, place) = (blob.id, blob.place);
    let (offset, len, raw_len) = (place.offset, place.len, place.raw_len);
    // Writing to memory can't fail.
    let _ = match form {
        TableForm::Csv => writeln!(out, "{kind},{id},{pack},{offset},{len},{raw_len},{index}"),
        TableForm::JsonLines => writeln!(
            out,
            "{{\"type\":\"{kind}\",\"id\":\"{id}\",\"pack\":\"{pack}\",\"offset\":{offset},\"length\":{len},\"uncompressed_length\":{raw_len},\"index\":\"{index}\"}}"
        ),
    };
}

/// The entries of an index file.
#[derive(Default)]
struct Entries {
    packs: Vec<String>,
    blobs: Vec<(usize, PackedBlob)>,
    is_marked: bool,
}

impl IndexSink for Entries {
    fn pack(&mut self, pack: ListedPack<'_>) {
        self.is_marked = pack.is_marked;
        self.packs.push(pack.id.to_string());
    }

    fn blob(&mut self, blob: PackedBlob) {
        if !self.is_marked {
            self.blobs.push((self.packs.len() - 1, blob));
        }
    }

    fn restart(&mut self) {
        *self = Entries::default();
    }
}
