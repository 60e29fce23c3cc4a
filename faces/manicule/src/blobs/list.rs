//! Names of a repository's files, and of its blobs.

use manicule_blobs::{
    BlobKind, FileKind, Id, IndexSink, Listed, ListedPack, PackedBlob, RepoError, read_files,
};
use manicule_core::watch::Watch;

use super::error::Error;
use super::open::Repository;

impl Repository {
    /// The files of a kind, ordered by id.
    pub fn files(&self, kind: FileKind) -> Result<Vec<Listed>, Error> {
        Ok(self.engine.storage().list(kind).map_err(manicule_blobs::RepoError::from)?)
    }
}

impl Repository {
    /// Lists the blobs that index files list, one for each entry: a blob of two places twice, and
    /// one of two index files twice. `take` receives lines of `TYPE ID`, those of one index file
    /// after the other, in the order of the files' ids.
    ///
    /// Nothing is kept: about 15 MiB for each thread, whatever the size of the index.
    pub fn blobs(
        &self,
        watch: &Watch<'_>,
        mut take: impl FnMut(&[u8]) -> std::io::Result<()>,
    ) -> Result<std::io::Result<()>, Error> {
        let mut printed = Ok(());
        read_files(&self.engine, self.threads(), watch, Lines::default, |_, _, read| {
            let (_, lines) = read?;
            if printed.is_ok() {
                printed = take(&lines.text);
            }
            Ok::<_, RepoError>(())
        })?;
        Ok(printed)
    }
}

/// Lines of an index file's blobs.
#[derive(Default)]
struct Lines {
    text: Vec<u8>,
    is_marked: bool,
}

impl IndexSink for Lines {
    fn pack(&mut self, pack: ListedPack<'_>) {
        self.is_marked = pack.is_marked;
    }

    fn blob(&mut self, blob: PackedBlob) {
        if self.is_marked {
            return;
        }
        let word: &[u8] = match blob.kind {
            Some(BlobKind::Data) => b"data ",
            Some(BlobKind::Tree) => b"tree ",
            None => b"invalid ",
        };
        self.text.extend_from_slice(word);
        self.text.extend_from_slice(&Id::digits(&blob.id));
        self.text.push(b'\n');
    }

    fn restart(&mut self) {
        *self = Lines::default();
    }
}
