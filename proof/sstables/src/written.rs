//! Random tables as a Cassandra has written them.

use std::fs;
use std::path::{Path, PathBuf};

use manicule_format_sstable::{Component, Descriptor, Layout, Version};
use tempfile::TempDir;

use crate::cassandra::Cassandra;
use crate::random::{RandomTable, random_table};

/// Number of statements of which Cassandra may refuse one: drawn at random, some contradict its
/// rules.
const REFUSED_ONE_IN: usize = 8;

/// The random tables of one version, written.
#[derive(Debug)]
pub struct Written {
    /// The version.
    pub version: Version,
    /// The tables.
    pub tables: Vec<RandomTable>,
    /// Folder with a folder `ks`, in which each has its folder.
    pub folder: TempDir,
    /// Folder that is empty.
    pub scratch: TempDir,
}

impl Written {
    /// Has Cassandra write the tables of some seeds.
    ///
    /// # Panics
    /// If it fails, or refuses too many statements.
    pub fn new(cassandra: &Cassandra, version: Version, first_seed: u64, count: u64) -> Self {
        let seeds = first_seed..first_seed + count;
        let tables: Vec<_> = seeds.map(|seed| random_table(seed, cassandra.major())).collect();
        let folder = tempfile::tempdir().expect("a folder");
        let scratch = tempfile::tempdir().expect("a folder");
        let script: String = tables.iter().map(|table| &table.script[..]).collect();
        let path = folder.path().join("script");
        fs::write(&path, &script).expect("a file");
        let written = Written { version, tables, folder, scratch };
        let refused = cassandra.write(written.folder.path(), written.layout(), &path);
        let refused = refused.expect("tables are written");
        let statement_count = script.lines().count();
        println!("{version}: {statement_count} statements, {} refused", refused.len());
        let is_most = refused.len() * REFUSED_ONE_IN < statement_count;
        assert!(is_most, "{version}: {:#?}", &refused[..refused.len().min(20)]);
        written
    }

    /// Layout of their indexes.
    pub fn layout(&self) -> Layout {
        if self.version.has_trie_index() { Layout::Bti } else { Layout::Big }
    }

    /// Folder of a table.
    pub fn table_folder(&self, table: &RandomTable) -> PathBuf {
        self.folder.path().join("ks").join(&table.name)
    }

    /// Data of all SSTables.
    pub fn files(&self) -> Vec<PathBuf> {
        let folders = self.tables.iter().map(|table| self.table_folder(table));
        folders.flat_map(|folder| data_files(&folder)).collect()
    }
}

/// Data of the SSTables of a folder, in order; none where it is not there.
///
/// # Panics
/// If it can't be read.
pub fn data_files(folder: &Path) -> Vec<PathBuf> {
    // Cassandra may have refused all statements of a table.
    if !folder.exists() {
        return Vec::new();
    }
    let entries =
        fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path());
    let mut files: Vec<_> =
        entries.filter(|path| path.to_string_lossy().ends_with("-Data.db")).collect();
    files.sort();
    files
}

/// Path of another component of an SSTable.
///
/// # Panics
/// If it is no SSTable's.
pub fn sibling(data: &Path, component: &Component) -> PathBuf {
    let name = data.file_name().expect("a name").to_string_lossy();
    let (descriptor, _) = Descriptor::parse(&name).expect("an SSTable");
    data.with_file_name(descriptor.file_name(component))
}
