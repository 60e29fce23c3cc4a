//! How a host's files change from state to state.

use std::io;

use super::Fleet;
use super::host::{Body, File, FolderIndex, Host, Life};

/// Folders are no deeper than this.
const DEPTH_MAX: u32 = 9;
/// Files of a new folder, about.
const FILES_IN_FOLDER: usize = 12;
/// A folder that has more files than this loses some.
const FILES_MANY: usize = 30;
/// A folder that has more folders than this gets no further ones.
const FOLDERS_MANY: usize = 14;
/// Contents of a file are one to this many, mostly few.
const CONTENTS_MAX: usize = 12;
/// Changes in a folder, at most, before another one is taken.
const CHANGES_IN_FOLDER: usize = 40;

/// Gives a host its first folders and files, with about that many new contents.
pub(super) fn grow(host: &mut Host, fleet: &mut Fleet, count: u32) -> io::Result<()> {
    let until = fleet.contents.count() + count;
    let widest = host.sort.widest;
    while fleet.contents.count() < until {
        let folder = add_folder(host, widest);
        for _ in 0..1 + host.rng.below(2 * FILES_IN_FOLDER) {
            if fleet.contents.count() < until {
                add_file(host, fleet, folder, until)?;
            }
        }
    }
    Ok(())
}

/// Changes files below the paths of a set until there are `until` contents in the fleet; at least a
/// little.
pub(super) fn change(host: &mut Host, fleet: &mut Fleet, set: usize, until: u32) -> io::Result<()> {
    loop {
        let folder = some_folder(host, set);
        match host.rng.below(60) {
            0 => drop(add_folder(host, set)),
            1 => rename_folder(host, folder),
            2 => remove_folder(host, folder),
            _ => {
                let count = 1 + host.rng.below(CHANGES_IN_FOLDER);
                (0..count).try_for_each(|_| change_file(host, fleet, folder, until))?;
            }
        }
        if fleet.contents.count() >= until {
            return Ok(());
        }
    }
}

/// A folder below the paths of a set; every second time one of the oldest tenth, where most
/// happens.
fn some_folder(host: &mut Host, set: usize) -> FolderIndex {
    let count = host.folders.len();
    for _ in 0..64 {
        let most = if host.rng.one_in(2) { count.div_ceil(10) } else { count };
        let at = host.rng.below(most);
        if host.folders[at].life == Life::Live && host.is_below(at, set) {
            return at;
        }
    }
    add_folder(host, set)
}

/// A new folder in one of the paths of a set, or further down.
fn add_folder(host: &mut Host, set: usize) -> FolderIndex {
    let path = host.rng.pick(host.sort.sets[set].paths);
    let mut above = host.fixed(path);
    loop {
        let folders = &host.folders[above].folders;
        let is_deep = host.folders[above].depth >= DEPTH_MAX;
        if folders.is_empty() || is_deep || folders.len() < FOLDERS_MANY && host.rng.one_in(3) {
            break;
        }
        above = folders[host.rng.below(folders.len())];
    }
    let name = host.name("d");
    host.add(above, name, Life::Live)
}

fn add_file(host: &mut Host, fleet: &mut Fleet, folder: FolderIndex, until: u32) -> io::Result<()> {
    let count = match host.rng.below(24) {
        0 => 0,
        1..=12 => 1,
        _ => 1 + host.rng.below(CONTENTS_MAX),
    };
    let contents = (0..count).map(|_| fleet.content(until)).collect::<io::Result<_>>()?;
    put_file(host, folder, "f", Body::Contents(contents));
    Ok(())
}

fn put_file(host: &mut Host, folder: FolderIndex, kind: &str, body: Body) {
    let (name, inode, mtime_s) = (host.name(kind), host.inode(), host.now_s);
    host.put(folder, File { name, body, inode, mtime_s });
}

fn rename_folder(host: &mut Host, folder: FolderIndex) {
    let above = host.folders[folder].above;
    let name = host.name("d");
    host.folders[above].folders.retain(|&at| at != folder);
    host.folders[folder].name = name;
    host.put_in_order(above, folder);
    host.touch(above);
}

/// Removes a folder that has none below it: what lies in larger ones would take too much with it.
fn remove_folder(host: &mut Host, folder: FolderIndex) {
    if host.folders[folder].folders.is_empty() {
        host.remove(folder);
    }
}

/// The change that removes a file.
const REMOVE: usize = 17;

/// Changes one file of a folder, removes it, or adds one.
fn change_file(
    host: &mut Host,
    fleet: &mut Fleet,
    folder: FolderIndex,
    until: u32,
) -> io::Result<()> {
    let count = host.folders[folder].files.len();
    if count == 0 {
        return add_file(host, fleet, folder, until);
    }
    let at = host.rng.below(count);
    let file = host.folders[folder].files[at].clone();
    let what = if count > FILES_MANY && host.rng.one_in(3) { REMOVE } else { host.rng.below(20) };
    match what {
        0..=4 => add_file(host, fleet, folder, until)?,
        15 => put_file(host, folder, "copy", file.body),
        16 => put_file(host, folder, "link", Body::Link(format!("../{}", file.name))),
        REMOVE if count > 1 => {
            host.folders[folder].files.remove(at);
            host.touch(folder);
        }
        _ => {
            let file = edited(host, fleet, file, what, until)?;
            host.folders[folder].files.remove(at);
            host.put(folder, file);
        }
    }
    Ok(())
}

/// A file with another name, other contents, or only another time.
fn edited(
    host: &mut Host,
    fleet: &mut Fleet,
    mut file: File,
    what: usize,
    until: u32,
) -> io::Result<File> {
    file.mtime_s = host.now_s;
    match (what, &mut file.body) {
        (13, _) => {}
        (14, _) => file.name = host.name("renamed"),
        (_, Body::Link(target)) => target.push('~'),
        (5..=12, Body::Contents(contents)) => rewrite(host, fleet, contents, until)?,
        (_, Body::Contents(contents)) => contents.push(fleet.content(until)?),
    }
    Ok(file)
}

/// New contents for one place of a file or all, or the contents that it began with.
fn rewrite(
    host: &mut Host,
    fleet: &mut Fleet,
    contents: &mut Vec<u32>,
    until: u32,
) -> io::Result<()> {
    if contents.is_empty() || host.rng.one_in(10) {
        contents.push(fleet.content(until)?);
    } else if host.rng.one_in(12) {
        contents.truncate(1);
    } else {
        let at = host.rng.below(contents.len());
        contents[at] = fleet.content(until)?;
    }
    Ok(())
}
