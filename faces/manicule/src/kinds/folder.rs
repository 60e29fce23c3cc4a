//! Contents of a folder by system, and whether it holds anything else.

use std::io;
use std::path::{Path, PathBuf};

use manicule_store::NamedEntry;

use super::kind::Kind;
use super::names::Names;
use super::row::SystemRow;
use super::systems::systems;

/// The kinds of a folder, by its names and the bytes that prove them. Costs one listing; of a
/// folder of sources no file is opened.
#[derive(Clone, Debug)]
pub(super) struct Folder {
    path: PathBuf,
    names: Names,
    /// Kinds that are proven by bytes, in the order of systems.
    pub(super) proven: Vec<Kind>,
}

impl Folder {
    /// Looks at a folder.
    pub(super) fn read(path: &Path) -> io::Result<Self> {
        let names =
            Names::read(path, |name| systems().iter().any(|row| row.signs.takes_name(name)))?;
        let proven = systems().iter().flat_map(|row| row.signs.proven(path, &names)).collect();
        Ok(Folder { path: path.to_owned(), names, proven })
    }

    /// The entries that some system takes.
    pub(super) fn taken(&self) -> &[NamedEntry] {
        &self.names.taken
    }

    /// Whether anything lies in it that isn't read as something else; names that begin with a dot
    /// count if asked.
    pub(super) fn has_text(&self, with_hidden: bool) -> bool {
        let Names { taken, own, hidden, .. } = &self.names;
        let is_text = |entry: &NamedEntry| !owns(&self.path, entry, &self.proven);
        *own > 0 || with_hidden && *hidden > 0 || taken.iter().any(is_text)
    }

    /// Kinds of the folder for a caller that wants it read, the most specific first. Without any it
    /// is a source tree.
    pub(super) fn given_kinds(&self) -> Vec<Kind> {
        let given = |row: &&SystemRow| {
            let proven = self.proven.iter().copied().filter(|kind| kind.system() == row.system);
            row.signs.given(&self.path, &self.names, &proven.collect::<Vec<_>>())
        };
        let mut kinds: Vec<Kind> = systems().iter().flat_map(given).collect();
        kinds.sort_by_key(|kind| kind.rank());
        kinds
    }
}

/// Whether an entry of a folder belongs to a kind proven to be in it.
pub(super) fn owns(folder: &Path, entry: &NamedEntry, proven: &[Kind]) -> bool {
    systems().iter().any(|row| row.signs.owns(folder, entry, proven))
}

#[cfg(test)]
mod tests {
    use std::fs;

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

    /// Kinds of the folder for a reader, and those for a search.
    #[track_caller]
    fn check(names: &[(&str, &[u8])], given: &[Kind], searched: &str) {
        let folder = planted(names);
        let folder = Folder::read(folder.path()).unwrap();
        assert_eq!(folder.given_kinds(), given, "{names:?}");
        let holds = |kind: Kind| folder.proven.contains(&kind);
        let words = [
            (holds(Kind::ZOEKT_SHARDS), "shards"),
            (holds(Kind::PROMETHEUS_BLOCK), "block"),
            (holds(Kind::PROMETHEUS_DATA), "blocks"),
            (holds(Kind::RESTIC_REPOSITORY), "repository"),
            (holds(Kind::SSTABLE_FOLDER), "sstables"),
            (holds(Kind::GRAPH_STORE), "store"),
            (folder.has_text(false), "text"),
        ];
        let words: Vec<&str> = words.iter().filter(|row| row.0).map(|row| row.1).collect();
        assert_eq!(words.join(" "), searched, "{names:?}");
    }

    const ULID: &str = "01M7YV9D4RCH84S6NS9PC6AJ27";

    #[test]
    fn blocks_and_data_folders() {
        const BLOCK: Kind = Kind::PROMETHEUS_BLOCK;
        const DATA: Kind = Kind::PROMETHEUS_DATA;
        check(&[("meta.json", b"{}"), ("index", INDEX), ("chunks/", b"")], &[BLOCK], "block");
        // Blocks that lack a part, or have a damaged one.
        check(&[("index", INDEX), ("chunks/", b"")], &[BLOCK], "block");
        check(&[("meta.json", META), ("index", b"damaged")], &[BLOCK], "block");
        // A reader was given it on purpose; a search finds text only.
        check(&[("meta.json", META), ("chunks/", b"")], &[BLOCK], "text");
        let in_block = |name: &str| format!("{ULID}/{name}");
        let (index, meta) = (&*in_block("index"), &*in_block("meta.json"));
        check(&[(index, INDEX), (meta, META), ("wal/", b"")], &[DATA], "blocks");
        check(&[(index, INDEX), (meta, META), ("a.txt", b"")], &[DATA], "blocks text");
        check(&[(index, b"damaged"), (meta, META), (".x", b"")], &[DATA], "blocks");
        check(&[(index, b"damaged"), (meta, b"{}")], &[DATA], "text");
        let (removed, note) =
            (format!("{ULID}.tmp-for-deletion/index"), "01ARZ3NDEKTSV4RRFFQ69G5FAV/n");
        check(&[(index, INDEX), (meta, META), (&removed, INDEX)], &[DATA], "blocks");
        check(&[(index, INDEX), (meta, META), (note, b"")], &[DATA], "blocks text");
        check(&[(note, b""), ("readme.txt", b"")], &[], "text");
        check(&[("wal/00000000", b""), ("chunks_head/", b"")], &[DATA], "text");
    }

    #[test]
    fn folders_of_shards() {
        let (shards, a) = (&[Kind::ZOEKT_SHARDS][..], "a_v16.00000.zoekt");
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
        let kinds = [Kind::ZOEKT_SHARDS, Kind::PROMETHEUS_DATA];
        check(&names, &kinds, "shards blocks text");
    }

    #[test]
    fn repositories() {
        let [config, key, data] = [("config", &b"\0"[..]), (KEY, b""), ("data/", b"")];
        let repository = &[Kind::RESTIC_REPOSITORY][..];
        check(&[config, key, data], repository, "repository");
        check(&[config, key, data, ("locks/", b""), (".x", b"")], repository, "repository");
        check(&[config, key, data, ("README", b"")], repository, "repository text");
        check(&[config, data, ("snapshots/", b"")], &[], "text");
        // Its config is hidden by a folder: opening it says so.
        check(&[("config/", b""), key, data], repository, "repository");
    }

    #[test]
    fn sstables() {
        let [data, statistics] = [("me-1-big-Data.db", &b""[..]), ("me-1-big-Statistics.db", b"")];
        let toc = ("me-1-big-TOC.txt", &b"Data.db\nStatistics.db\nTOC.txt\n"[..]);
        let table = &[Kind::SSTABLE_FOLDER][..];
        check(&[data, statistics, toc], table, "sstables");
        check(&[data, statistics, toc, ("me-2-big-Data.db", b"")], table, "sstables");
        check(&[data, statistics, toc, ("schema.cql", b"")], table, "sstables text");
        check(&[data, ("a.txt", b"")], &[], "text");
        // What is damaged or not finished is no text: its reader says what is wrong.
        check(&[data, toc], table, "sstables");
        check(&[data, statistics], table, "sstables");
        let old = "keyspace-table-ka-1";
        let names = ["Data.db", "Statistics.db", "TOC.txt"].map(|name| format!("{old}-{name}"));
        let old = [(&*names[0], &b""[..]), (&*names[1], b""), (&*names[2], toc.1)];
        check(&old, table, "sstables");
    }

    #[test]
    fn graph_stores() {
        let store = &[Kind::GRAPH_STORE][..];
        let [current, root] =
            [("CURRENT", &b"manifest-0000000007\n"[..]), ("manifest-0000000007", b"MANLROOT")];
        check(&[current, root, ("log/", b""), ("leaf/", b"")], store, "store");
        check(&[current, root, ("notes.md", b"")], store, "store text");
        // What is damaged is read and not searched.
        check(&[current, ("manifest-0000000007", b"MANL")], store, "text");
        check(&[current, ("leaf/", b"")], store, "text");
        check(&[("CURRENT", b"MANIFEST-000007\n"), ("MANIFEST-000007", b"")], &[], "text");
        check(&[("leaf/", b""), ("log/", b"")], &[], "text");
    }

    #[test]
    fn indexes_of_trees() {
        check(&[("manifest", b"MANTMANI"), ("lock", b"")], &[Kind::TREE_INDEX], "text");
    }

    #[test]
    fn folders_of_sources() {
        check(&[], &[], "");
        check(&[("src/main.rs", b""), ("README.md", b"")], &[], "text");
        // Each of these has a part of another kind's signs.
        check(&[("meta.json", b"{}"), ("index", b"text")], &[], "text");
        check(&[("meta.json", b"{}"), ("chunks/", b"")], &[], "text");
        check(&[("config/", b""), ("keys/", b""), ("data/", b""), ("src/", b"")], &[], "text");
        check(&[("config", b""), ("keys/readme", b""), ("data/", b"")], &[], "text");
        check(&[("wal/", b""), ("wal.go", b"")], &[], "text");
        check(&[("manifest", b"text")], &[], "text");
        check(&[("a.zoekt", b""), ("a.go", b""), ("b.go", b"")], &[], "text");
        // Deeper ones don't count.
        check(&[("testdata/me-1-big-Data.db", b"")], &[], "text");
        check(&[("blocks/meta.json", b""), ("blocks/index", INDEX)], &[], "text");
    }
}
