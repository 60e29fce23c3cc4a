//! What is no folder: files, their further names, links, pipes and devices.

use manicule_format_restic::OwnedNode;
use manicule_store::InsideNode;

use super::failure::{Failure, Fault};
use super::job::{FileKey, Restore};
use super::meta::meta_of;
use super::options::RestoreError;

impl Restore<'_> {
    /// Puts what is no folder.
    pub(super) fn leaf(&mut self, node: &OwnedNode, path: &[u8]) -> Result<(), RestoreError> {
        self.sums.nodes += 1;
        let key = FileKey { inode: node.inode, device: node.device_id };
        let is_link = node.kind == "file" && node.links > 1;
        let is_further_link = is_link && !self.links_met.insert(key);
        if node.kind == "file" && !is_further_link {
            self.sums.bytes += node.size;
        }
        if self.options.is_dry {
            return self.dry_leaf(node, is_further_link);
        }
        let stays = self.open_folders().and_then(|()| match self.folder() {
            Some(folder) => self.stays(node, folder),
            None => Ok(false),
        });
        let done = match stays {
            Err(error) => Err(error.into()),
            Ok(true) => {
                self.skip(node, is_further_link);
                self.note_put(node, is_link.then_some(key).filter(|_| !is_further_link));
                Ok(())
            }
            Ok(false) => match node.kind.as_str() {
                "file" if is_further_link => self.further_link(node, key),
                "file" => self.file(node, is_link.then_some(key))?,
                _ => self.other(node),
            },
        };
        match done {
            Ok(()) => self.sums.restored += 1,
            Err(failure) => {
                if is_link {
                    self.put.entry(key).or_insert(Err(failure.fault));
                }
                self.fail(path, failure);
            }
        }
        Ok(())
    }

    /// Counts what would be put.
    fn dry_leaf(&mut self, node: &OwnedNode, is_further_link: bool) -> Result<(), RestoreError> {
        self.sums.restored += 1;
        let is_first = is_first_of_file(node, is_further_link);
        if let Some(folder) = self.dry_folder()
            && (self.stays(node, &folder).unwrap_or(false)
                || is_first && self.same(node, &folder)?.is_some())
        {
            self.skip(node, is_further_link);
        } else if !is_further_link {
            self.sums.bytes_written += node.size;
        }
        Ok(())
    }

    /// Takes note of something that stays, or has its content already.
    pub(super) fn skip(&mut self, node: &OwnedNode, is_further_link: bool) {
        self.sums.skipped += 1;
        if is_first_of_file(node, is_further_link) {
            self.sums.bytes_skipped += node.size;
            self.sums.bytes -= node.size;
        }
    }

    fn further_link(&mut self, node: &OwnedNode, key: FileKey) -> Result<(), Failure> {
        let (names, name) = match self.put.get(&key).unwrap_or(&Err(Fault::Tree)) {
            Ok(put) => put,
            Err(fault) => {
                let why = "the file that it is another name of could not be restored".to_owned();
                return Err(Failure { fault: *fault, why });
            }
        };
        let (Some(target), Some(folder)) = (&self.target, self.folder()) else { return Ok(()) };
        Ok(folder.link(&node.name, &target.below(names)?, name)?)
    }

    fn other(&mut self, node: &OwnedNode) -> Result<(), Failure> {
        let (meta, device) = (meta_of(node), node.device);
        let Some(folder) = self.folder() else { return Ok(()) };
        let put = match node.kind.as_str() {
            "symlink" => folder.symlink(&node.name, &node.link_target, &meta),
            "fifo" => folder.node(&node.name, InsideNode::Fifo, &meta),
            "dev" => folder.node(&node.name, InsideNode::Blocks(device), &meta),
            "chardev" => folder.node(&node.name, InsideNode::Characters(device), &meta),
            kind => return Err(Failure::of_tree(format!("a {kind:?} can't be restored"))),
        };
        Ok(put?)
    }
}

fn is_first_of_file(node: &OwnedNode, is_further_link: bool) -> bool {
    node.kind == "file" && !is_further_link
}
