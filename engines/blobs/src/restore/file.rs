//! A file, written beside its place and put when it is whole.

use std::fs::File;
use std::io::{self, Seek, SeekFrom, Write};

use manicule_format_restic::OwnedNode;
use manicule_store::{InsideFile, InsideFolder, set_file_attribute, set_file_meta};

use super::failure::Failure;
use super::job::{FileKey, Restore};
use super::meta::meta_of;
use super::options::RestoreError;
use crate::content::ContentError;

impl Restore<'_> {
    /// The inner error is the file's own.
    pub(super) fn file(
        &mut self,
        node: &OwnedNode,
        key: Option<FileKey>,
    ) -> Result<Result<(), Failure>, RestoreError> {
        let Some(folder) = self.folder().and_then(|folder| folder.below(&[]).ok()) else {
            return Ok(Ok(()));
        };
        if let Some(file) = self.same(node, &folder)? {
            self.skip(node, false);
            self.note_put(node, key);
            return Ok(finish(node, &file));
        }
        let whole = match self.put_new(node, &folder)? {
            Ok(whole) => whole,
            Err(failure) => return Ok(Err(failure)),
        };
        self.sums.bytes_written += node.size;
        self.note_put(node, key);
        match whole {
            Ok(()) if self.options.is_verifying => self.read_back(node, &folder),
            whole => Ok(whole),
        }
    }

    /// Writes a file and puts it. The outer of the inner errors is of what isn't put, the other of
    /// what it lacks beside its content.
    fn put_new(
        &mut self,
        node: &OwnedNode,
        folder: &InsideFolder,
    ) -> Result<Result<Result<(), Failure>, Failure>, RestoreError> {
        self.file_count += 1;
        let salt = u64::from(std::process::id()) << 32 | self.file_count;
        let mut file = match folder.file(salt) {
            Ok(file) => file,
            Err(error) => return Ok(Err(error.into())),
        };
        let whole = match self.write(node, &mut file) {
            Err(error) => {
                folder.drop_file(file);
                return Err(error);
            }
            Ok(Err(failure)) => {
                folder.drop_file(file);
                return Ok(Err(failure));
            }
            Ok(Ok(())) => finish(node, file.file()),
        };
        if self.is_deleting {
            clear(node, folder);
        }
        Ok(folder.put(file, &node.name).map(|()| whole).map_err(Failure::from))
    }

    /// Reads a file that was put.
    fn read_back(
        &mut self,
        node: &OwnedNode,
        folder: &InsideFolder,
    ) -> Result<Result<(), Failure>, RestoreError> {
        let file = folder.read(&node.name);
        let is_same = match file {
            Ok(Some(mut file)) => self.has_content(node, &mut file)?,
            Ok(None) => Ok(false),
            Err(error) => Err(error),
        };
        Ok(match is_same {
            Ok(true) => {
                self.sums.verified += 1;
                Ok(())
            }
            Ok(false) => Err(Failure::of_target("it was written, and reads back as other bytes")),
            Err(error) => {
                let why = format!("it was written, and can't be read back: {error}");
                Err(Failure::of_target(why))
            }
        })
    }

    pub(super) fn note_put(&mut self, node: &OwnedNode, key: Option<FileKey>) {
        if let Some(key) = key {
            self.put.insert(key, Ok((self.names(), node.name.clone())));
        }
    }

    fn write(
        &mut self,
        node: &OwnedNode,
        file: &mut InsideFile,
    ) -> Result<Result<(), Failure>, RestoreError> {
        let (content, is_sparse) = (node.content.as_deref(), self.options.is_sparse);
        let Some(content) = content else {
            return Ok(Err(Failure::of_tree("a file without a list of blobs")));
        };
        let next = self.levels.last().map_or(&[][..], |level| level.nodes.as_slice());
        self.contents.bring(std::iter::once(node).chain(next));
        let (mut len, to) = (0, file.file());
        let read = self.contents.read(content, |plain| {
            len += plain.len() as u64;
            put_piece(to, plain, is_sparse)
        });
        match read {
            Ok(()) if len != node.size => {
                let want = node.size;
                let why = format!("its blobs have {len} bytes, and the file had {want}");
                Ok(Err(Failure::of_tree(why)))
            }
            Ok(()) => Ok(file.file().set_len(len).map_err(Failure::from)),
            Err(ContentError::Blob(why)) => Ok(Err(Failure::of_data(why))),
            Err(ContentError::Taker(error)) => Ok(Err(error.into())),
            Err(ContentError::Stopped(error)) => Err(RestoreError::Repo(error)),
        }
    }
}

/// Writes a piece; zeros as a hole, where that is asked for.
fn put_piece(to: &mut File, plain: &[u8], is_sparse: bool) -> io::Result<()> {
    if is_sparse && plain.iter().all(|byte| *byte == 0) {
        to.seek(SeekFrom::Current(plain.len() as i64)).map(drop)
    } else {
        to.write_all(plain)
    }
}

/// Removes a folder with all that is in it, where a file is to be put. What can't be removed keeps
/// the file from being put.
fn clear(node: &OwnedNode, folder: &InsideFolder) {
    let there = folder.state(&node.name).ok().flatten();
    if there.is_some_and(|there| !there.is_file) {
        let _ = folder.remove_all(&node.name, false, &mut |_| {});
    }
}

/// Gives a whole file what it has; all that fails, as a sentence.
fn finish(node: &OwnedNode, file: &File) -> Result<(), Failure> {
    let mut wrong = Vec::new();
    for attribute in &node.extended_attributes {
        if let Err(error) = set_file_attribute(file, &attribute.name, &attribute.value) {
            wrong.push(format!("attribute {}: {error}", attribute.name));
        }
    }
    wrong.extend(set_file_meta(file, &meta_of(node)).err().map(|error| error.to_string()));
    if wrong.is_empty() { Ok(()) } else { Err(Failure::of_target(wrong.join("; "))) }
}
