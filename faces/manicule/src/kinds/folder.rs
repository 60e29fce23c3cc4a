//! What a folder holds of other systems, and whether anything lies beside that.
//!
//! Callers: kinds, kinds/deal, inspect

use std::ffi::{OsStr, OsString};
use std::fs;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use manicule_code::{shards, tree};
use manicule_series as series;

use super::{Kind, signs};

/// The kind of a folder, by its names and the bytes that prove them. Costs a reading of its names; of a folder of
/// sources no file is opened.
#[derive(Clone, Debug)]
pub struct Folder {
    path: PathBuf,
    /// What is proven to be in it, but for what can't be read yet.
    holds: Holds,
    /// Which of the systems that can't be read yet wrote it.
    unread: Option<Kind>,
    names: Names,
}

/// What can be read of a folder that isn't text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Holds {
    /// Shards.
    pub(super) shards: bool,
    /// It is a block.
    pub(super) block: bool,
    /// Blocks lie in it.
    pub(super) blocks: bool,
}

/// The names of a folder, by what they may belong to.
#[derive(Clone, Debug, Default)]
struct Names {
    /// `*.zoekt`.
    shards: Vec<OsString>,
    plans: Vec<OsString>,
    /// Called as blocks are.
    blocks: Vec<OsString>,
    /// The data of SSTables.
    tables: Vec<OsString>,
    /// Other names that may be a writer's.
    others: Vec<OsString>,
    /// Nobody's but the user's own; those that begin with a dot are counted by themselves.
    own: usize,
    hidden: usize,
}

/// Maximum number of a folder's SSTables looked at: one that is whole is enough, damaged ones are few.
const TABLES_MAX: usize = 16;

impl Names {
    fn read(path: &Path) -> io::Result<Self> {
        let mut names = Names::default();
        for entry in fs::read_dir(path)? {
            names.add(entry?.file_name());
        }
        Ok(names)
    }

    fn add(&mut self, name: OsString) {
        let bytes = name.as_bytes();
        let may_be_restic = |name: &[u8]| matches!(name, b"manifest" | b"config" | b"keys");
        if bytes.ends_with(b".zoekt") {
            self.shards.push(name);
        } else if bytes.ends_with(b".plan") {
            self.plans.push(name);
        } else if series::is_block_name(bytes) {
            self.blocks.push(name);
        } else if is_a_writers(bytes) || may_be_restic(bytes) {
            self.others.push(name);
        } else {
            match bytes.starts_with(b".") {
                true => self.hidden += 1,
                false => self.own += 1,
            }
            if bytes.ends_with(b"-Data.db") && self.tables.len() < TABLES_MAX {
                self.tables.push(name);
            }
        }
    }

    fn has(&self, name: &str) -> bool {
        self.others.iter().any(|other| other == name)
    }
}

/// Whether a name may be one that belongs to a kind which can be read.
fn is_a_writers(name: &[u8]) -> bool {
    series::is_of_block(name)
        || series::is_of_data(name)
        || name.ends_with(b".zoekt.meta")
        || shards::is_of_shards(name)
}

impl Folder {
    /// Looks at a folder.
    pub fn read(path: &Path) -> io::Result<Self> {
        let names = Names::read(path)?;
        let any = |list: &[OsString], test: &dyn Fn(&Path) -> bool| {
            list.iter().any(|name| test(&path.join(name)))
        };
        let is_shard = |path: &Path| {
            let is_named =
                path.file_name().is_some_and(|name| shards::is_of_shards(name.as_bytes()));
            is_named && path.is_file() || shards::is_sound(path)
        };
        let holds = Holds {
            shards: any(&names.shards, &is_shard) || any(&names.plans, &shards::is_plan),
            block: names.has("index") && series::is_block(path),
            blocks: any(&names.blocks, &series::is_block),
        };
        let unread = if names.has("config") && names.has("keys") && signs::is_restic(path) {
            Some(Kind::ResticRepository)
        } else {
            any(&names.tables, &signs::is_component).then_some(Kind::SstableFolder)
        };
        Ok(Folder { path: path.to_owned(), holds, unread, names })
    }

    /// What it is for a search, which is sure of what it leaves out as text.
    pub(super) fn holds(&self) -> Holds {
        self.holds
    }

    /// Which of the systems that can't be read yet wrote it.
    pub(super) fn unread(&self) -> Option<Kind> {
        self.unread
    }

    /// Whether anything lies in it that isn't read as something else; names that begin with a dot count if asked.
    pub(super) fn has_text(&self, with_hidden: bool) -> bool {
        let names = &self.names;
        let lists = [&names.shards, &names.plans, &names.blocks, &names.others];
        let is_text = |name: &OsString| !self.holds.owns(&self.path, name);
        names.own > 0 || with_hidden && names.hidden > 0 || lists.into_iter().flatten().any(is_text)
    }

    /// What it is for somebody who has given it to be read, who says what it is by that: damage to the very bytes that
    /// prove a kind doesn't hide it. Without any it is a source tree.
    pub fn given_kinds(&self) -> Vec<Kind> {
        let (path, names) = (self.path.as_path(), &self.names);
        let is_named_so =
            || path.file_name().is_some_and(|name| series::is_block_name(name.as_bytes()));
        let has_part = |folder: &Path| {
            ["meta.json", "index", "chunks"].iter().any(|name| folder.join(name).exists())
        };
        let block = self.holds.block
            || names.has("meta.json") && series::has_block_meta(path)
            || is_named_so() && has_part(path);
        let has_log = || names.has("wal") && names.has("chunks_head") && path.join("wal").is_dir();
        let blocks = self.holds.blocks
            || names.blocks.iter().any(|name| has_part(&path.join(name)))
            || has_log();
        let index = names.has("manifest") && tree::is_index_folder(path);
        let rows = [
            (block, Kind::PrometheusBlock),
            (index, Kind::TreeIndex),
            (self.holds.shards, Kind::ZoektShards),
            (blocks && !block, Kind::PrometheusData),
        ];
        let kinds = rows.into_iter().filter_map(|(is, kind)| is.then_some(kind));
        kinds.chain(self.unread).collect()
    }
}

impl Holds {
    /// Whether there is anything.
    pub(super) fn any(self) -> bool {
        self != Holds::default()
    }

    /// Whether a name directly in `folder` belongs to what it holds. What a writer of shards is about to make does so
    /// always, since it may come at any time.
    pub(super) fn owns(self, folder: &Path, name: &OsStr) -> bool {
        let bytes = name.as_bytes();
        let path = || folder.join(name);
        if bytes.ends_with(b".plan") {
            let is_plan = |path: &Path| shards::is_plan(path) || is_gone(path);
            return shards::is_of_shards(bytes) && is_plan(&path());
        }
        let is_of_shards = shards::is_of_shards(bytes)
            || self.shards && (bytes.ends_with(b".zoekt") || bytes.ends_with(b".zoekt.meta"));
        if is_of_shards {
            return !path().is_dir();
        }
        let is_block = |path: &Path| path.join("meta.json").exists() || is_gone(path);
        self.block && series::is_of_block(bytes)
            || self.blocks && series::is_of_data(bytes)
            || self.blocks && series::is_block_name(bytes) && is_block(&path())
    }
}

/// Whether nothing has a name any more: a writer was done with what it meant.
fn is_gone(path: &Path) -> bool {
    path.symlink_metadata().is_err_and(|error| error.kind() == io::ErrorKind::NotFound)
}

#[cfg(test)]
mod tests {
    use super::*;

    const META: &[u8] = br#"{"ulid": "01M7YV9D4RCH84S6NS9PC6AJ27", "version": 1}"#;
    const INDEX: &[u8] = &[0xba, 0xaa, 0xd7, 0x00, 2, 0, 0, 0];
    /// Ends in the place of a table of contents.
    const SHARD: &[u8] = b"text\0\0\0\x01\0\0\0\x02";
    const KEY: &str = "keys/0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";

    /// Plants files, or folders where a name ends in `/`.
    fn planted(names: &[(&str, &[u8])]) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        for (name, bytes) in names {
            let path = folder.path().join(name);
            if name.ends_with('/') {
                fs::create_dir_all(path).unwrap();
                continue;
            }
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, bytes).unwrap();
        }
        folder
    }

    /// What the folder is to those who give it, and what a search takes it for.
    #[track_caller]
    fn check(names: &[(&str, &[u8])], given: &[Kind], searched: &str) {
        let folder = planted(names);
        let folder = Folder::read(folder.path()).unwrap();
        assert_eq!(folder.given_kinds(), given, "{names:?}");
        let Holds { shards, block, blocks } = folder.holds();
        let has_text = folder.has_text(false);
        let words = [(shards, "shards"), (block, "block"), (blocks, "blocks"), (has_text, "text")];
        let words: Vec<&str> = words.iter().filter(|row| row.0).map(|row| row.1).collect();
        assert_eq!(words.join(" "), searched, "{names:?}");
    }

    const ULID: &str = "01M7YV9D4RCH84S6NS9PC6AJ27";

    #[test]
    fn blocks_and_data_folders() {
        use Kind::{PrometheusBlock as Block, PrometheusData as Data};
        check(&[("meta.json", b"{}"), ("index", INDEX), ("chunks/", b"")], &[Block], "block");
        // Blocks that lack a part, or have a damaged one.
        check(&[("index", INDEX), ("chunks/", b"")], &[Block], "block");
        check(&[("meta.json", META), ("index", b"damaged")], &[Block], "block");
        // Whoever gives it knows; a search finds text only.
        check(&[("meta.json", META), ("chunks/", b"")], &[Block], "text");
        let in_block = |name: &str| format!("{ULID}/{name}");
        let (index, meta) = (&*in_block("index"), &*in_block("meta.json"));
        check(&[(index, INDEX), (meta, META), ("wal/", b"")], &[Data], "blocks");
        check(&[(index, INDEX), (meta, META), ("a.txt", b"")], &[Data], "blocks text");
        check(&[(index, b"damaged"), (meta, META), (".x", b"")], &[Data], "blocks");
        check(&[(index, b"damaged"), (meta, b"{}")], &[Data], "text");
        let (removed, note) =
            (format!("{ULID}.tmp-for-deletion/index"), "01ARZ3NDEKTSV4RRFFQ69G5FAV/n");
        check(&[(index, INDEX), (meta, META), (&removed, INDEX)], &[Data], "blocks");
        check(&[(index, INDEX), (meta, META), (note, b"")], &[Data], "blocks text");
        check(&[(note, b""), ("readme.txt", b"")], &[], "text");
        check(&[("wal/00000000", b""), ("chunks_head/", b"")], &[Data], "text");
    }

    #[test]
    fn folders_of_shards() {
        let (shards, a) = (&[Kind::ZoektShards][..], "a_v16.00000.zoekt");
        check(&[("x.zoekt", SHARD)], shards, "shards");
        check(&[("x.zoekt", SHARD), ("x.zoekt.meta", b"{}")], shards, "shards");
        check(&[("x.zoekt", SHARD), ("y.zoekt", b"damaged")], shards, "shards");
        check(&[(a, b"damaged")], shards, "shards");
        let tmp = "b_v16.00000.zoekt.tmp";
        check(&[(a, SHARD), (tmp, b""), ("a_v16.plan.zoekt.tmp", b"")], shards, "shards");
        check(&[(tmp, SHARD), ("b_v16.plan", b"manicule plan 1\n1\n")], shards, "shards");
        check(&[(a, SHARD), ("README", b""), (".gitignore", b"")], shards, "shards text");
        check(&[(a, SHARD), (".gitignore", b"")], shards, "shards");
        // The first index of a folder, half written.
        check(&[(tmp, SHARD)], &[], "");
        check(&[("x.zoekt", b"some text"), ("a.txt", b"")], &[], "text");
        check(&[("b_v16.plan", b"to get rich")], &[], "text");
        check(&[("a_v16.00000.zoekt/", b"")], &[], "text");
    }

    #[test]
    fn several_kinds_in_one_folder() {
        let (index, meta) = (format!("{ULID}/index"), format!("{ULID}/meta.json"));
        let names = [("x.zoekt", SHARD), (&*index, INDEX), (&*meta, META), ("a.txt", b"")];
        let kinds = [Kind::ZoektShards, Kind::PrometheusData];
        check(&names, &kinds, "shards blocks text");
    }

    #[test]
    fn systems_that_cannot_be_read_yet() {
        let table = [("me-1-big-Data.db", &b""[..]), ("me-1-big-Statistics.db", b"")];
        let toc = ("me-1-big-TOC.txt", &b"Data.db\nStatistics.db\nTOC.txt\n"[..]);
        check(&[table[0], table[1], toc], &[Kind::SstableFolder], "text");
        check(&[table[0], ("a.txt", b"")], &[], "text");
        check(&[table[0], toc], &[], "text");
        let restic = [("config", &b"\0"[..]), (KEY, b""), ("data/", b"")];
        check(&restic, &[Kind::ResticRepository], "text");
        check(&[("manifest", b"MANTMANI"), ("lock", b"")], &[Kind::TreeIndex], "text");
    }

    #[test]
    fn folders_of_sources() {
        check(&[], &[], "");
        check(&[("src/main.rs", b""), ("README.md", b"")], &[], "text");
        // Each of these has a part of what another kind has.
        check(&[("meta.json", b"{}"), ("index", b"text")], &[], "text");
        check(&[("meta.json", b"{}"), ("chunks/", b"")], &[], "text");
        check(&[("config/", b""), ("keys/", b""), ("data/", b""), ("src/", b"")], &[], "text");
        check(&[("config", b""), ("keys/readme", b""), ("data/", b"")], &[], "text");
        check(&[("config/", b""), (KEY, b""), ("data/", b"")], &[], "text");
        check(&[("wal/", b""), ("wal.go", b"")], &[], "text");
        check(&[("manifest", b"text")], &[], "text");
        check(&[("a.zoekt", b""), ("a.go", b""), ("b.go", b"")], &[], "text");
        // Deeper ones don't count.
        check(&[("testdata/me-1-big-Data.db", b"")], &[], "text");
        check(&[("blocks/meta.json", b""), ("blocks/index", INDEX)], &[], "text");
    }
}
