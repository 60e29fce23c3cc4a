//! What is no folder: files, their further names, links, pipes and devices.
//!
//! Callers: restore

use manicule_format_restic::OwnedNode;
use manicule_store::InsideNode;

use super::job::Restore;
use super::meta::meta_of;
use super::options::RestoreError;

impl Restore<'_> {
    /// Puts what is no folder.
    pub(super) fn leaf(&mut self, node: &OwnedNode, path: &[u8]) -> Result<(), RestoreError> {
        self.sums.nodes += 1;
        let key = (node.inode, node.device_id);
        let is_link = node.kind == "file" && node.links > 1;
        let is_further_link = is_link && !self.links_met.insert(key);
        if node.kind == "file" && !is_further_link {
            self.sums.bytes += node.size;
        }
        if self.options.is_dry {
            self.sums.restored += 1;
            self.sums.bytes_written += if is_further_link { 0 } else { node.size };
            return Ok(());
        }
        let done = match self.open_folders() {
            Err(error) => Err(error.to_string()),
            Ok(()) => match node.kind.as_str() {
                "file" if is_further_link => self.further_link(node, key),
                "file" => self.file(node, is_link.then_some(key))?,
                _ => self.other(node),
            },
        };
        match done {
            Ok(()) => self.sums.restored += 1,
            Err(why) => self.fail(path, &why),
        }
        Ok(())
    }

    fn further_link(&mut self, node: &OwnedNode, key: (u64, u64)) -> Result<(), String> {
        let Some((names, name)) = self.put.get(&key) else {
            return Err("the file that it is another name of could not be restored".to_owned());
        };
        let (Some(target), Some(folder)) = (&self.target, self.folder()) else { return Ok(()) };
        let linked = target.below(names).and_then(|of| folder.link(&node.name, &of, name));
        linked.map_err(|error| error.to_string())
    }

    fn other(&mut self, node: &OwnedNode) -> Result<(), String> {
        let (meta, device) = (meta_of(node), node.device);
        let Some(folder) = self.folder() else { return Ok(()) };
        let put = match node.kind.as_str() {
            "symlink" => folder.symlink(&node.name, &node.link_target, &meta),
            "fifo" => folder.node(&node.name, InsideNode::Fifo, &meta),
            "dev" => folder.node(&node.name, InsideNode::Blocks(device), &meta),
            "chardev" => folder.node(&node.name, InsideNode::Characters(device), &meta),
            kind => return Err(format!("a {kind:?} can't be restored")),
        };
        put.map_err(|error| error.to_string())
    }
}
