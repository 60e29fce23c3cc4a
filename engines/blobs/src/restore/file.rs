//! A file, written beside its place and put when it is whole.
//!
//! Callers: restore

use std::fs::File;
use std::io::{self, Seek, SeekFrom, Write};

use manicule_format_restic::OwnedNode;
use manicule_store::{InsideFile, InsideState};

use super::job::Restore;
use super::meta::meta_of;
use super::options::{Overwrite, RestoreError};
use crate::content::ContentError;

impl Restore<'_> {
    /// The inner error is the file's own.
    pub(super) fn file(
        &mut self,
        node: &OwnedNode,
        key: Option<(u64, u64)>,
    ) -> Result<Result<(), String>, RestoreError> {
        let Some(folder) = self.folder() else { return Ok(Ok(())) };
        let there = match folder.state(&node.name) {
            Ok(there) => there,
            Err(error) => return Ok(Err(error.to_string())),
        };
        if there.is_some_and(|there| self.stays(node, &there)) {
            self.sums.skipped += 1;
            self.sums.bytes_skipped += node.size;
            self.sums.bytes -= node.size;
            self.note_put(node, key);
            return Ok(Ok(()));
        }
        self.file_count += 1;
        let salt = u64::from(std::process::id()) << 32 | self.file_count;
        let Some(folder) = self.folder() else { return Ok(Ok(())) };
        let mut file = match folder.file(salt) {
            Ok(file) => file,
            Err(error) => return Ok(Err(error.to_string())),
        };
        let written = self.write(node, &mut file);
        let Some(folder) = self.folder() else { return Ok(Ok(())) };
        let whole = match written {
            Err(error) => {
                folder.drop_file(file);
                return Err(error);
            }
            Ok(Err(why)) => {
                folder.drop_file(file);
                return Ok(Err(why));
            }
            Ok(Ok(())) => finish(node, &file),
        };
        if let Err(error) = folder.put(file, &node.name) {
            return Ok(Err(error.to_string()));
        }
        self.sums.bytes_written += node.size;
        self.note_put(node, key);
        Ok(whole)
    }

    fn note_put(&mut self, node: &OwnedNode, key: Option<(u64, u64)>) {
        if let Some(key) = key {
            self.put.insert(key, (self.names(), node.name.clone()));
        }
    }

    /// Whether a file that is there stays.
    fn stays(&self, node: &OwnedNode, there: &InsideState) -> bool {
        let moment = node.mtime.moment;
        let mtime = [moment.seconds, i64::from(moment.nanos)];
        match self.options.overwrite {
            Overwrite::Always => false,
            Overwrite::IfChanged => there.len == node.size && there.mtime == mtime,
            Overwrite::IfNewer => mtime <= there.mtime,
            Overwrite::Never => true,
        }
    }

    fn write(
        &mut self,
        node: &OwnedNode,
        file: &mut InsideFile,
    ) -> Result<Result<(), String>, RestoreError> {
        let (content, is_sparse) = (node.content.as_deref(), self.options.is_sparse);
        let Some(content) = content else {
            return Ok(Err("a file without a list of blobs".into()));
        };
        let (mut len, to) = (0, file.file());
        let read = self.contents.read(content, |plain| {
            len += plain.len() as u64;
            put_piece(to, plain, is_sparse)
        });
        match read {
            Ok(()) if len != node.size => {
                let want = node.size;
                Ok(Err(format!("its blobs have {len} bytes, and the file had {want}")))
            }
            Ok(()) => Ok(file.file().set_len(len).map_err(|error| error.to_string())),
            Err(ContentError::Blob(why)) => Ok(Err(why)),
            Err(ContentError::Taker(error)) => Ok(Err(error.to_string())),
            Err(ContentError::Stopped(error)) => Err(RestoreError::Repo(error)),
        }
    }
}

/// Writes a piece; zeros as a hole, where that is asked for.
fn put_piece(to: &mut File, plain: &[u8], is_sparse: bool) -> io::Result<()> {
    match is_sparse && plain.iter().all(|byte| *byte == 0) {
        true => to.seek(SeekFrom::Current(plain.len() as i64)).map(drop),
        false => to.write_all(plain),
    }
}

/// Gives a whole file what it has; all that fails, as a sentence.
fn finish(node: &OwnedNode, file: &InsideFile) -> Result<(), String> {
    let mut wrong = Vec::new();
    for attribute in &node.extended_attributes {
        if let Err(error) = file.set_attribute(&attribute.name, &attribute.value) {
            wrong.push(format!("attribute {}: {error}", attribute.name));
        }
    }
    wrong.extend(file.set_meta(&meta_of(node)).err().map(|error| error.to_string()));
    if wrong.is_empty() { Ok(()) } else { Err(wrong.join("; ")) }
}
