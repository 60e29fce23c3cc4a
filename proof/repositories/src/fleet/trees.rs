//! Trees of a host's folders.

use std::io;

use manicule_format_restic::{Id, Mode, Moment, OwnedNode, Time, encode_tree};

use super::Fleet;
use super::contents::plain_len;
use super::host::{Body, File, FolderIndex, Host};
use crate::packer::Storing;

const FILE_MODE: u32 = 0o644;
const FOLDER_MODE: u32 = 0o755;
const LINK_MODE: u32 = 0o777;
/// Number of the device that all files lie on.
const DEVICE_ID: u64 = 2049;

/// Stores the tree of a folder with all that is below it, where it isn't stored yet.
pub(super) fn store(host: &mut Host, fleet: &mut Fleet, top: FolderIndex) -> io::Result<Id> {
    // Those above come first here, and are encoded last.
    let mut open = vec![top];
    let mut at = 0;
    while let Some(&folder) = open.get(at) {
        let below = host.folders[folder].folders.iter().copied();
        open.extend(below.filter(|&one| host.folders[one].stored.is_none()));
        at += 1;
    }
    for &folder in open.iter().rev() {
        if host.folders[folder].stored.is_none() {
            let id = put(fleet, nodes(host, fleet, folder))?;
            host.folders[folder].stored = Some(id);
        }
    }
    Ok(host.folders[top].stored.expect("stored just now"))
}

/// Stores the tree of a folder that shows only the way to some folders below it.
pub(super) fn store_way(
    host: &mut Host,
    fleet: &mut Fleet,
    folder: FolderIndex,
    targets: &[FolderIndex],
) -> io::Result<Id> {
    if targets.contains(&folder) {
        return store(host, fleet, folder);
    }
    let mut nodes = Vec::new();
    for below in host.folders[folder].folders.clone() {
        if targets.iter().any(|&target| host.leads_to(below, target)) {
            let id = store_way(host, fleet, below, targets)?;
            nodes.push(folder_node(host, below, id));
        }
    }
    put(fleet, nodes)
}

fn put(fleet: &mut Fleet, nodes: Vec<OwnedNode>) -> io::Result<Id> {
    fleet.trees.add(&mut fleet.writer, &encode_tree(&nodes), Storing::Compressed)
}

/// The nodes of a folder, whose folders are stored.
fn nodes(host: &Host, fleet: &Fleet, folder: FolderIndex) -> Vec<OwnedNode> {
    let folder = &host.folders[folder];
    let files = folder.files.iter().map(|file| file_node(host, fleet, file));
    let folders = folder.folders.iter().map(|&at| {
        let id = host.folders[at].stored.expect("those below are stored first");
        folder_node(host, at, id)
    });
    let mut nodes: Vec<OwnedNode> = files.chain(folders).collect();
    nodes.sort_by(|left, right| left.name.cmp(&right.name));
    nodes
}

fn folder_node(host: &Host, at: FolderIndex, id: Id) -> OwnedNode {
    let folder = &host.folders[at];
    let mode = Mode(Mode::DIR.0 | FOLDER_MODE);
    let subtree = Some(id);
    OwnedNode { subtree, ..node(host, &folder.name, "dir", mode, folder.inode, folder.mtime_s) }
}

fn file_node(host: &Host, fleet: &Fleet, file: &File) -> OwnedNode {
    match &file.body {
        Body::Contents(contents) => OwnedNode {
            size: contents.iter().map(|&number| u64::from(plain_len(number))).sum(),
            content: Some(contents.iter().map(|&number| fleet.contents.id(number)).collect()),
            ..node(host, &file.name, "file", Mode(FILE_MODE), file.inode, file.mtime_s)
        },
        Body::Link(target) => OwnedNode {
            link_target: target.clone().into_bytes(),
            ..node(
                host,
                &file.name,
                "symlink",
                Mode(Mode::SYMLINK.0 | LINK_MODE),
                file.inode,
                file.mtime_s,
            )
        },
    }
}

/// A node of a host without contents.
fn node(host: &Host, name: &str, kind: &str, mode: Mode, inode: u64, mtime_s: u64) -> OwnedNode {
    let time = Time {
        moment: Moment { seconds: mtime_s as i64, nanos: (inode % 1000 * 1_000_000) as u32 },
        offset_minutes: 0,
    };
    let id = if host.sort.user == "root" { 0 } else { 1000 };
    OwnedNode {
        name: name.as_bytes().to_vec(),
        kind: kind.to_owned(),
        mode,
        mtime: time,
        atime: time,
        ctime: time,
        uid: id,
        gid: id,
        user: host.sort.user.to_owned(),
        group: host.sort.user.to_owned(),
        inode,
        device_id: DEVICE_ID,
        size: 0,
        links: if kind == "file" { 1 } else { 0 },
        link_target: Vec::new(),
        extended_attributes: Vec::new(),
        generic_attributes: Vec::new(),
        device: 0,
        content: None,
        subtree: None,
        error: String::new(),
    }
}
