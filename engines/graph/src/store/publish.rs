//! A new generation: its files put and synced, then its manifest, then its name in CURRENT.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use manicule_core::bytes::DecodeError;
use manicule_format_leaf::Order;
use manicule_format_leaf::manifest::{FileRow, FileSum, LeafRow, Manifest};
use manicule_format_leaf::statistics::Statistics;
use manicule_store::publish::{Aside, SHARED, sweep};
use manicule_store::store::{LocalStore, Name, Store, read_text};
use manicule_store::{OutFile, SharedFiles};

use super::pins::{pin_names, pinned};
use crate::base::{LeafSizes, NewLeaf, Part};
use crate::error::GraphError;
use crate::signs::is_manifest_name;
use crate::snapshot::generation::{
    FILE_FOLDERS, dictionary_path, files_of, leaf_path, manifest_name, statistics_path,
};

/// Name of the file that names the manifest.
pub(super) const CURRENT: &str = "CURRENT";

/// A file of a new generation, written from front to back.
#[derive(Debug)]
pub struct NewFile {
    number: u64,
    path: PathBuf,
    out: OutFile,
    len: u64,
    sum: FileSum,
}

impl NewFile {
    /// Adds bytes.
    pub fn append(&mut self, bytes: &[u8]) -> Result<(), GraphError> {
        self.out.write_all(bytes).map_err(NewGeneration::failed(&self.path))?;
        self.len += bytes.len() as u64;
        self.sum.add(bytes);
        Ok(())
    }

    /// Has the file outlive a power cut.
    fn end(self) -> Result<FileRow, GraphError> {
        self.out.sync().map_err(NewGeneration::failed(&self.path))?;
        Ok(FileRow { number: self.number, len: self.len, sum: self.sum.finish() })
    }
}

/// Where a generation is written, and how.
#[derive(Clone, Copy)]
pub(super) struct Place<'p> {
    pub(super) files: &'p SharedFiles,
    pub(super) folder: &'p Path,
    /// Sizes of its leaves.
    pub(super) leaves: LeafSizes,
}

/// A generation that is being written.
#[derive(Debug)]
pub(super) struct NewGeneration {
    files: SharedFiles,
    store: PathBuf,
    manifest: Manifest,
}

impl NewGeneration {
    /// The generation after another one, without any file of it. Its log is made before it is
    /// published.
    pub(super) fn after(files: &SharedFiles, store: &Path, before: &Manifest) -> Self {
        let mut manifest = before.clone();
        manifest.generation += 1;
        manifest.has_log = true;
        manifest.leaves.clear();
        manifest.dictionaries.clear();
        manifest.statistics = None;
        NewGeneration { files: files.clone(), store: store.to_owned(), manifest }
    }

    /// A generation whose files are all there, in a folder that it was copied to.
    pub(super) fn copy(files: &SharedFiles, store: &Path, manifest: &Manifest) -> Self {
        let manifest = Manifest { has_log: true, ..manifest.clone() };
        NewGeneration { files: files.clone(), store: store.to_owned(), manifest }
    }

    fn failed(path: &Path) -> impl Fn(io::Error) -> GraphError {
        move |source| GraphError::Io { file: path.to_owned(), source }
    }

    fn begin(&mut self, path_of: fn(&Path, u64) -> PathBuf) -> Result<NewFile, GraphError> {
        let number = self.manifest.next_file;
        let path = path_of(&self.store, number);
        let out = OutFile::replace(&self.files, &path, SHARED).map_err(Self::failed(&path))?;
        self.manifest.next_file += 1;
        Ok(NewFile { number, path, out, len: 0, sum: FileSum::default() })
    }

    fn put(
        &mut self,
        path_of: fn(&Path, u64) -> PathBuf,
        bytes: &[u8],
    ) -> Result<FileRow, GraphError> {
        let mut file = self.begin(path_of)?;
        file.append(bytes)?;
        file.end()
    }

    /// Adds the leaf of an order that comes next.
    pub(super) fn put_leaf(&mut self, order: Order, leaf: &NewLeaf) -> Result<(), GraphError> {
        let file = self.put(leaf_path, &leaf.bytes)?;
        let (row_count, separator) = (leaf.row_count.into(), leaf.separator);
        self.manifest.leaves.push(LeafRow { file, order, row_count, separator });
        Ok(())
    }

    /// Adds the leaves of an order.
    pub(super) fn put_parts(&mut self, order: Order, parts: &[Part]) -> Result<(), GraphError> {
        parts.iter().try_for_each(|part| match part {
            Part::Kept { leaf, separator } => {
                self.manifest.leaves.push(LeafRow { separator: *separator, ..*leaf.row() });
                Ok(())
            }
            Part::New(leaf) => self.put_leaf(order, leaf),
        })
    }

    /// Adds a dictionary segment that is there.
    pub(super) fn keep_dictionary(&mut self, row: &FileRow) {
        self.manifest.dictionaries.push(*row);
    }

    /// Adds the dictionary segment that comes next.
    pub(super) fn put_dictionary(&mut self, bytes: &[u8]) -> Result<(), GraphError> {
        let row = self.put(dictionary_path, bytes)?;
        self.manifest.dictionaries.push(row);
        Ok(())
    }

    /// Begins the dictionary segment that comes next.
    pub(super) fn begin_dictionary(&mut self) -> Result<NewFile, GraphError> {
        self.begin(dictionary_path)
    }

    /// Adds a dictionary segment, whose bytes are all written.
    pub(super) fn end_dictionary(&mut self, file: NewFile) -> Result<(), GraphError> {
        self.manifest.dictionaries.push(file.end()?);
        Ok(())
    }

    /// Adds the statistics.
    pub(super) fn put_statistics(&mut self, statistics: &Statistics) -> Result<(), GraphError> {
        self.manifest.statistics = Some(self.put(statistics_path, &statistics.encode())?);
        Ok(())
    }

    /// What else the manifest says.
    pub(super) fn manifest(&mut self) -> &mut Manifest {
        &mut self.manifest
    }

    /// Puts the manifest: all is on the disk, and nothing of it seen.
    pub(super) fn put_manifest(&mut self) -> Result<&Manifest, GraphError> {
        // Leaves of one order were added one after the other, orders perhaps not in theirs.
        self.manifest.leaves.sort_by_key(|leaf| (leaf.order, leaf.separator));
        let rows_of =
            |order| self.manifest.leaves_of(order).iter().map(|leaf| leaf.row_count).sum();
        let (default_count, named_count) = (rows_of(Order::Spo), rows_of(Order::Spog));
        (self.manifest.default_count, self.manifest.named_count) = (default_count, named_count);
        for folder in FILE_FOLDERS {
            let folder = self.store.join(folder);
            self.files.sync_folder(&folder).map_err(Self::failed(&folder))?;
        }
        let name = manifest_name(self.manifest.generation);
        self.put_small(&name, &self.manifest.encode())?;
        Ok(&self.manifest)
    }

    /// Makes it the current generation. After `Ok` also after a power cut; after an error the old
    /// one or the new one, whole: then nothing may be written before the store is opened again.
    pub(super) fn make_current(self) -> Result<(), GraphError> {
        let name = manifest_name(self.manifest.generation);
        self.put_small(CURRENT, format!("{name}\n").as_bytes())
    }

    /// Puts a file whole, and its name.
    fn put_small(&self, name: &str, bytes: &[u8]) -> Result<(), GraphError> {
        let path = self.store.join(name);
        let put = || {
            let mut aside = Aside::create(&self.files, &path.with_extension("aside"), SHARED)?;
            aside.file().write_all(bytes)?;
            aside.publish(&path)?;
            self.files.sync_folder(&self.store)
        };
        put().map_err(Self::failed(&path))
    }
}

fn name(text: &str) -> Name {
    Name::new(text).expect("CURRENT and manifests have names")
}

/// The text of CURRENT; none where there is no store.
pub(super) fn current_text(store: &dyn Store) -> Result<Option<String>, GraphError> {
    Ok(read_text(store, &name(CURRENT))?)
}

/// The manifest that CURRENT names; none where there is no store.
pub(super) fn current(store: &dyn Store) -> Result<Option<Manifest>, GraphError> {
    current_text(store)?.map(|current| manifest_of(store, &current)).transpose()
}

/// Whether a generation is the current one of a local store, for all that can be read.
pub(super) fn is_current(folder: &Path, generation: u64) -> bool {
    let now = current(&LocalStore::at(folder));
    now.is_ok_and(|now| now.is_some_and(|now| now.generation == generation))
}

/// The manifest that a text of CURRENT names.
pub(super) fn manifest_of(store: &dyn Store, current: &str) -> Result<Manifest, GraphError> {
    let Some(manifest) =
        current.strip_suffix('\n').filter(|name| is_manifest_name(name.as_bytes()))
    else {
        let (what, want) = ("name of a manifest, in a line", 1);
        let source = DecodeError::Corrupt { what, at: 0, want, got: 0 };
        return Err(GraphError::Damaged { file: store.show(&name(CURRENT)), source });
    };
    let (file, mut bytes) = (name(manifest), Vec::new());
    store.read(&file, u64::MAX, &mut bytes)?;
    let manifest = Manifest::decode(&bytes);
    manifest.map_err(|source| GraphError::Damaged { file: store.show(&file), source })
}

/// Removes the files that neither a manifest nor a named snapshot names: of older generations, and
/// of those that were never published.
///
/// Who reads them has them mapped, and keeps them; who was about to map them looks at CURRENT
/// again.
pub(super) fn sweep_others(
    files: &SharedFiles,
    store: &Path,
    manifest: &Manifest,
) -> Result<(), GraphError> {
    let mut named = std::collections::HashSet::new();
    let mut keep = |manifest: &Manifest| {
        let names = files_of(store, manifest).filter_map(|(_, path)| {
            path.file_name().map(|name| name.to_string_lossy().into_owned())
        });
        named.extend(names);
    };
    keep(manifest);
    let local = LocalStore::at(store);
    for name in pin_names(&local)? {
        if let Some(manifest) = pinned(&local, &name)? {
            keep(&manifest);
        }
    }
    for folder in FILE_FOLDERS {
        let folder = store.join(folder);
        let swept = sweep(&**files, &folder, |name| !named.contains(name));
        swept.map_err(NewGeneration::failed(&folder))?;
    }
    let own = manifest_name(manifest.generation);
    let is_old =
        |name: &str| (name.starts_with("manifest-") && name != own) || name.ends_with(".aside");
    sweep(&**files, store, is_old).map_err(NewGeneration::failed(store))
}
