//! Golden SSTables by their folders.

use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

use flate2::read::GzDecoder;
use manicule_format_sstable::{Component, Descriptor, Header, StatisticsFile};
use manicule_testkit::golden_folder;
use tempfile::TempDir;

/// Archives of proof/golden/rows.
const ARCHIVES: [&str; 5] = ["me", "old", "cassandra4", "cassandra5", "tries"];

/// One golden SSTable.
pub(crate) struct Table {
    /// `me/mixed`, below the golden folder.
    pub(crate) name: String,
    pub(crate) folder: PathBuf,
    pub(crate) descriptor: Descriptor,
}

/// All golden SSTables there are, and the folders that go with the value.
pub(crate) struct Tables {
    pub(crate) list: Vec<Table>,
    _unpacked: Vec<TempDir>,
}

impl Tables {
    /// # Panics
    /// If one can't be read, or there is none.
    pub(crate) fn all() -> Tables {
        let mut tables = Tables { list: Vec::new(), _unpacked: Vec::new() };
        match std::env::var_os("MANICULE_GOLDEN") {
            Some(golden) => tables.add(&PathBuf::from(golden).join("rows")),
            None => {
                println!(
                    "left out: tables that proof/golden has not, as MANICULE_GOLDEN is not set"
                );
                for archive in ARCHIVES {
                    let folder = golden_folder("rows", archive);
                    tables.add(folder.path());
                    tables._unpacked.push(folder);
                }
            }
        }
        assert!(tables.list.len() > 20, "{} tables", tables.list.len());
        tables
    }

    /// Calls with each table's title, header and uncompressed Data.db, where it is there.
    pub(crate) fn each_with_data(&self, mut each: impl FnMut(&str, &Header, &[u8])) {
        for table in &self.list {
            if let Some(data) = table.data() {
                each(&table.title(), &table.header(), &data);
            }
        }
    }

    fn add(&mut self, top: &Path) {
        let mut folders = vec![top.to_owned()];
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(&folder).expect("a folder") {
                let path = entry.expect("an entry").path();
                if path.is_dir() {
                    folders.push(path);
                    continue;
                }
                let name = path.file_name().expect("a name").to_string_lossy().into_owned();
                let Some((descriptor, Component::Statistics)) = Descriptor::parse(&name) else {
                    continue;
                };
                let name = folder.strip_prefix(top).expect("below").display().to_string();
                self.list.push(Table { name, folder: folder.clone(), descriptor });
            }
        }
        let order = |table: &Table| (table.name.clone(), table.descriptor.to_string());
        self.list.sort_by_key(order);
    }
}

impl Table {
    /// `me/mixed me-1-big`.
    pub(crate) fn title(&self) -> String {
        format!("{} {}", self.name, self.descriptor)
    }

    /// An answer of the writer's tools: `dump.json`, `metadata-5.txt.gz`.
    pub(crate) fn answer(&self, name: &str, ending: &str) -> Option<String> {
        let generation = &self.descriptor.generation;
        [format!("{name}-{generation}.{ending}"), format!("{name}.{ending}")].iter().find_map(
            |name| {
                let path = self.folder.join(name);
                if let Ok(text) = fs::read_to_string(&path) {
                    return Some(text);
                }
                let packed = fs::File::open(path.with_extension(format!("{ending}.gz"))).ok()?;
                let mut text = String::new();
                GzDecoder::new(packed).read_to_string(&mut text).expect("gzip");
                Some(text)
            },
        )
    }

    /// Bytes of a component, if it is there.
    pub(crate) fn read(&self, component: &Component) -> Option<Vec<u8>> {
        fs::read(self.folder.join(self.descriptor.file_name(component))).ok()
    }

    /// The header of its rows.
    pub(crate) fn header(&self) -> Header {
        let bytes = self.component(&Component::Statistics);
        let file = StatisticsFile::open(&bytes, self.descriptor.version).expect("statistics");
        file.header().expect("a header")
    }

    /// Data.db, if it is there and isn't compressed.
    pub(crate) fn data(&self) -> Option<Vec<u8>> {
        let is_compressed = self.read(&Component::CompressionInfo).is_some();
        self.read(&Component::Data).filter(|_| !is_compressed)
    }

    /// Bytes of a component.
    ///
    /// # Panics
    /// If it isn't there.
    pub(crate) fn component(&self, component: &Component) -> Vec<u8> {
        self.read(component).unwrap_or_else(|| panic!("{}: {component}", self.title()))
    }
}
