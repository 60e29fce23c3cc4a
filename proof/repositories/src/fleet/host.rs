//! A host's folders and files as they are at a moment.

use manicule_format_restic::Id;
use manicule_testkit::Rng;

/// Number of a folder of a host.
pub(super) type FolderIndex = usize;

/// The root, `/`.
pub(super) const ROOT: FolderIndex = 0;

/// A set of paths that snapshots of a host have, and their tags.
pub(super) struct PathSet {
    pub(super) paths: &'static [&'static str],
    pub(super) tags: &'static [&'static str],
    /// One of this many snapshots is of this set.
    pub(super) one_in: usize,
}

/// What is known of a host before it has files.
pub(super) struct Sort {
    pub(super) name: &'static str,
    pub(super) user: &'static str,
    pub(super) twin: Twin,
    /// The first that is drawn is taken; the last always is.
    pub(super) sets: &'static [PathSet],
    /// The set that holds everything.
    pub(super) widest: usize,
}

/// Files that a host begins with.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Twin {
    /// Its own.
    None,
    /// The same as the host before it.
    OfLast,
}

pub(super) const SORTS: [Sort; 4] = [
    Sort {
        name: "web1",
        user: "root",
        twin: Twin::None,
        widest: 1,
        sets: &[
            PathSet { paths: &["/etc"], tags: &["config"], one_in: 9 },
            PathSet { paths: &["/etc", "/srv/www"], tags: &["daily"], one_in: 1 },
        ],
    },
    Sort {
        name: "web2",
        user: "root",
        twin: Twin::OfLast,
        widest: 1,
        sets: &[
            PathSet { paths: &["/etc"], tags: &["config"], one_in: 9 },
            PathSet { paths: &["/etc", "/srv/www"], tags: &["daily"], one_in: 1 },
        ],
    },
    Sort {
        name: "desk",
        user: "ada",
        twin: Twin::None,
        widest: 0,
        sets: &[
            PathSet { paths: &["/users", "/etc"], tags: &["weekly", "whole"], one_in: 7 },
            PathSet { paths: &["/users/ada"], tags: &[], one_in: 1 },
        ],
    },
    Sort {
        name: "store",
        user: "root",
        twin: Twin::None,
        widest: 1,
        sets: &[
            PathSet { paths: &["/var/lib/db"], tags: &["daily", "before upgrade"], one_in: 11 },
            PathSet { paths: &["/var/lib/db", "/var/spool"], tags: &["daily"], one_in: 1 },
        ],
    },
];

/// A file or link.
#[derive(Clone)]
pub(super) struct File {
    pub(super) name: String,
    pub(super) body: Body,
    pub(super) inode: u64,
    pub(super) mtime_s: u64,
}

#[derive(Clone, PartialEq, Eq)]
pub(super) enum Body {
    /// Numbers of contents.
    Contents(Vec<u32>),
    Link(String),
}

/// A folder.
#[derive(Clone)]
pub(super) struct Folder {
    pub(super) name: String,
    pub(super) above: FolderIndex,
    pub(super) depth: u32,
    /// Ordered by name, as files are.
    pub(super) folders: Vec<FolderIndex>,
    pub(super) files: Vec<File>,
    pub(super) inode: u64,
    pub(super) mtime_s: u64,
    /// Its tree, if nothing below changed since that was stored.
    pub(super) stored: Option<Id>,
    pub(super) life: Life,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Life {
    /// A path of snapshots, or above one: it keeps its name.
    Fixed,
    Live,
    Removed,
}

/// A host.
pub(super) struct Host {
    pub(super) sort: &'static Sort,
    pub(super) folders: Vec<Folder>,
    pub(super) rng: Rng,
    /// Its clock, in seconds since 1970.
    pub(super) now_s: u64,
    /// Its last snapshot of each set of paths.
    pub(super) last: Vec<Option<Id>>,
    next_inode: u64,
    next_name: u64,
}

/// Inodes of two hosts are this far apart.
const INODES_OF_HOST: u64 = 1 << 32;

impl Host {
    /// A host that has the folders of its paths, without files.
    pub(super) fn new(sort: &'static Sort, seed: u64, now_s: u64, number: u64) -> Host {
        let mut host = Host {
            sort,
            folders: Vec::new(),
            rng: Rng::new(seed ^ number << 32),
            now_s,
            last: vec![None; sort.sets.len()],
            next_inode: number * INODES_OF_HOST,
            next_name: 0,
        };
        host.add(ROOT, "/".to_owned(), Life::Fixed);
        for path in sort.sets.iter().flat_map(|set| set.paths) {
            names(path).fold(ROOT, |above, name| match host.child(above, name) {
                Some(at) => at,
                None => host.add(above, name.to_owned(), Life::Fixed),
            });
        }
        host
    }

    /// Takes the folders and files of another host, whose paths are the same, with inodes of its
    /// own.
    pub(super) fn take_files_of(&mut self, other: &Host) {
        self.folders = other.folders.clone();
        let mut inode = self.next_inode;
        for folder in &mut self.folders {
            folder.stored = None;
            let files = folder.files.iter_mut().map(|file| &mut file.inode);
            for own in files.chain([&mut folder.inode]) {
                inode += 1;
                *own = inode;
            }
        }
        (self.next_inode, self.next_name) = (inode, other.next_name);
    }

    /// Number of the set of paths that the next snapshot has.
    pub(super) fn draw_set(&mut self, is_first: bool) -> usize {
        let sets = self.sort.sets;
        if is_first {
            self.sort.widest
        } else {
            (0..sets.len()).find(|&at| self.rng.one_in(sets[at].one_in)).unwrap_or(0)
        }
    }

    /// The folder of a path that snapshots have.
    pub(super) fn fixed(&self, path: &str) -> FolderIndex {
        names(path).fold(ROOT, |above, name| self.child(above, name).expect("made with the host"))
    }

    /// Whether a folder is another one or above it.
    pub(super) fn leads_to(&self, folder: FolderIndex, target: FolderIndex) -> bool {
        let mut at = target;
        while at != folder && at != ROOT {
            at = self.folders[at].above;
        }
        at == folder
    }

    /// Whether a folder lies below one of a set's paths.
    pub(super) fn is_below(&self, folder: FolderIndex, set: usize) -> bool {
        let paths = self.sort.sets[set].paths;
        paths.iter().any(|path| self.leads_to(self.fixed(path), folder))
    }

    /// The folder of that name in a folder.
    pub(super) fn child(&self, above: FolderIndex, name: &str) -> Option<FolderIndex> {
        self.folders[above].folders.iter().copied().find(|&at| self.folders[at].name == name)
    }

    /// Adds a folder.
    pub(super) fn add(&mut self, above: FolderIndex, name: String, life: Life) -> FolderIndex {
        let at = self.folders.len();
        let depth = if at == ROOT { 0 } else { self.folders[above].depth + 1 };
        let (inode, mtime_s) = (self.inode(), self.now_s);
        let (folders, files) = (Vec::new(), Vec::new());
        let stored = None;
        self.folders.push(Folder {
            name,
            above,
            depth,
            folders,
            files,
            inode,
            mtime_s,
            stored,
            life,
        });
        if at != ROOT {
            self.put_in_order(above, at);
            self.touch(above);
        }
        at
    }

    /// Enters a folder in the list of the one above it.
    pub(super) fn put_in_order(&mut self, above: FolderIndex, at: FolderIndex) {
        let name = &self.folders[at].name;
        let place =
            self.folders[above].folders.partition_point(|&one| self.folders[one].name < *name);
        self.folders[above].folders.insert(place, at);
    }

    /// Adds a file, or replaces the one of its name.
    pub(super) fn put(&mut self, folder: FolderIndex, file: File) {
        let files = &mut self.folders[folder].files;
        match files.binary_search_by(|one| one.name.cmp(&file.name)) {
            Ok(at) => files[at] = file,
            Err(at) => files.insert(at, file),
        }
        self.touch(folder);
    }

    /// Notes that a folder and those above it need new trees.
    pub(super) fn touch(&mut self, folder: FolderIndex) {
        self.folders[folder].mtime_s = self.now_s;
        let mut at = folder;
        loop {
            self.folders[at].stored = None;
            if at == ROOT {
                return;
            }
            at = self.folders[at].above;
        }
    }

    /// Removes a folder with everything below it.
    pub(super) fn remove(&mut self, folder: FolderIndex) {
        let above = self.folders[folder].above;
        self.folders[above].folders.retain(|&at| at != folder);
        self.touch(above);
        let mut gone = vec![folder];
        while let Some(at) = gone.pop() {
            self.folders[at].life = Life::Removed;
            self.folders[at].files.clear();
            gone.append(&mut self.folders[at].folders);
        }
    }

    /// A number that no other file of the host has.
    pub(super) fn inode(&mut self) -> u64 {
        self.next_inode += 1;
        self.next_inode
    }

    /// A name that no other file of the host has; some of them need care when they are written as
    /// JSON.
    pub(super) fn name(&mut self, kind: &str) -> String {
        self.next_name += 1;
        let number = self.next_name;
        match number % 400 {
            0 => format!("{kind} größe {number}"),
            100 => format!("{kind}\\{number}"),
            200 => format!("{kind}<&>{number}"),
            300 => format!("{kind}\u{feff}\n{number}"),
            // Names come in no order, as those of users do.
            _ => format!("{:02x}{kind}{number}", number * 157 % 256),
        }
    }
}

/// The names of a path from the root on.
fn names(path: &str) -> impl Iterator<Item = &str> {
    path.split('/').filter(|name| !name.is_empty())
}
