//! Files that are there already, beside what the snapshot has: whether they stay, and whether they
//! have its content.

use std::fs::File;
use std::io::{self, Read};

use manicule_format_restic::{BlobKind, Id, OwnedNode};
use manicule_store::{InsideFolder, InsideState};

use super::job::Restore;
use super::options::{Overwrite, RestoreError};
use crate::packs::BLOB_LEN_MAX;

impl Restore<'_> {
    /// Whether what has the node's name stays, whatever it is.
    pub(super) fn stays(&self, node: &OwnedNode, folder: &InsideFolder) -> io::Result<bool> {
        Ok(match self.options.overwrite {
            Overwrite::Always | Overwrite::IfChanged => false,
            Overwrite::IfNewer => {
                folder.state(&node.name)?.is_some_and(|there| mtime(node) <= there.mtime)
            }
            Overwrite::Never => folder.state(&node.name)?.is_some(),
        })
    }

    /// The file that is there, if it has the node's content: it need not be written. One that can't
    /// be read has another.
    pub(super) fn same(
        &mut self,
        node: &OwnedNode,
        folder: &InsideFolder,
    ) -> Result<Option<File>, RestoreError> {
        let there = folder.state(&node.name).ok().flatten();
        let is_like = |there: &InsideState| there.is_file && there.len == node.size;
        let Some(there) = there.filter(is_like) else { return Ok(None) };
        let Ok(Some(mut file)) = folder.read(&node.name) else { return Ok(None) };
        let is_trusted =
            self.options.overwrite == Overwrite::IfChanged && there.mtime == mtime(node);
        let is_same = is_trusted || self.has_content(node, &mut file)?.unwrap_or(false);
        Ok(is_same.then_some(file))
    }

    /// Whether a file has a node's content, by the hashes of its blobs. The inner error is of its
    /// reading.
    pub(super) fn has_content(
        &mut self,
        node: &OwnedNode,
        file: &mut File,
    ) -> Result<io::Result<bool>, RestoreError> {
        let mut left = node.size;
        for id in node.content.as_deref().unwrap_or_default() {
            self.watch.check()?;
            let place = self.index.places(BlobKind::Data, id).next().map(|found| found.place);
            let len = place.map(|place| place.plain_len()).filter(|len| *len <= BLOB_LEN_MAX);
            let Some((len, rest)) = len.and_then(|len| Some((len, left.checked_sub(len.into())?)))
            else {
                return Ok(Ok(false));
            };
            self.buffer.resize(len as usize, 0);
            match file.read_exact(&mut self.buffer) {
                Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(Ok(false)),
                Err(error) => return Ok(Err(error)),
                Ok(()) if Id::of(&self.buffer) != *id => return Ok(Ok(false)),
                Ok(()) => left = rest,
            }
        }
        Ok(file.metadata().map(|meta| left == 0 && meta.len() == node.size))
    }
}

fn mtime(node: &OwnedNode) -> [i64; 2] {
    let moment = node.mtime.moment;
    [moment.seconds, i64::from(moment.nanos)]
}
