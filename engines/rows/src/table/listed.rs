//! An SSTable as a listing of its folder has it: its files and their versions.

use std::io;
use std::path::PathBuf;
use std::sync::Arc;

use manicule_format_sstable::{Component, Descriptor};
use manicule_store::EntryKind;
use manicule_store::pages::{ByteSource, ReadCounts, SystemCache};
use manicule_store::store::{self, Access, Name, Store, Version, Wanted};

use super::ahead::Files;
use crate::RowsError;

/// Name of the CQL file that snapshots have beside their SSTables.
pub const SNAPSHOT_SCHEMA: &str = "schema.cql";

/// Length in bytes of what is brought of it before it is read.
const SCHEMA_AHEAD_MAX: u64 = 256 << 10;

/// An SSTable that is finished: TOC.txt lies beside it, and all that it names, but for what readers
/// do without.
#[derive(Clone, Debug)]
pub struct Listed {
    /// Its folder as messages have it: of a local store its path.
    pub folder: PathBuf,
    /// Where its files are: in the store's own folder.
    pub(crate) store: Arc<dyn Store>,
    /// What the names of its files share.
    pub descriptor: Descriptor,
    /// Its components, in the order of TOC.txt; where there is none, those that are there.
    pub components: Vec<Component>,
    /// Versions of the files that were there, where a listing of the store has them.
    pub(crate) versions: Vec<(Component, Version)>,
    /// What the listing says of a `schema.cql` beside it.
    pub(crate) schema: SchemaBeside,
}

/// What a listing says of a `schema.cql` beside SSTables.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum SchemaBeside {
    /// Not whether there is one, or not in which version.
    #[default]
    Unknown,
    /// There is none.
    Absent,
    /// There is one, of this version.
    There(Version),
}

impl Listed {
    pub(super) fn of(
        store: &Arc<dyn Store>,
        descriptor: Descriptor,
        mut files: Vec<File>,
        schema: SchemaBeside,
    ) -> Self {
        files.sort_by(|one, other| one.component.cmp(&other.component));
        let version = |file: &File| Some((file.component.clone(), file.version?));
        let versions = files.iter().filter_map(version).collect();
        let components = files.into_iter().map(|file| file.component).collect();
        let folder = store.show(&Name::root());
        Listed { folder, store: Arc::clone(store), descriptor, components, versions, schema }
    }

    /// Versions of the files that were there, in the order of their components, as the listing had
    /// them; there are none where listings have none, as those of local folders.
    pub fn versions(&self) -> &[(Component, Version)] {
        &self.versions
    }

    /// The version that a listing had of a component.
    fn version(&self, component: &Component) -> Option<Version> {
        let found = self.versions.iter().find(|(own, _)| own == component);
        found.map(|(_, version)| *version)
    }

    /// Path of a component.
    pub fn path(&self, component: &Component) -> PathBuf {
        self.folder.join(self.descriptor.file_name(component))
    }

    /// A component's name in the store; a TOC.txt may name what is none.
    fn name(&self, component: &Component) -> Result<Name, RowsError> {
        Name::new(&self.descriptor.file_name(component)).ok_or_else(|| {
            failed(self.path(component), io::Error::from(io::ErrorKind::InvalidFilename))
        })
    }

    /// Its files, as they are brought.
    pub(super) fn files(&self) -> Files<'_> {
        (&self.descriptor, &self.versions)
    }

    /// The `schema.cql` beside it, as it is brought.
    pub(super) fn wanted_schema(&self) -> Option<Wanted> {
        let SchemaBeside::There(version) = self.schema else { return None };
        let range = 0..version.len().min(SCHEMA_AHEAD_MAX);
        Some(Wanted { file: Name::new(SNAPSHOT_SCHEMA)?, version, range })
    }

    /// Whether a component can be looked at now.
    pub fn is_there(&self, component: &Component) -> bool {
        self.name(component).is_ok_and(|name| self.store.look(&name).is_ok())
    }

    /// Opens a component.
    pub(super) fn open(
        &self,
        component: &Component,
        access: Access,
    ) -> Result<Box<dyn ByteSource>, RowsError> {
        let name = self.name(component)?;
        let Some(version) = self.version(component) else {
            return Ok(self.store.open(&name, access)?);
        };
        let (len, kind) = (Some(version.len()), EntryKind::File);
        let listed =
            store::Listed { name: name.as_str().to_owned(), kind, len, version: Some(version) };
        Ok(self.store.open_listed(&Name::root(), &listed, access)?)
    }

    /// The bytes of a short component.
    pub(super) fn read(&self, component: &Component, len_max: u64) -> Result<Vec<u8>, RowsError> {
        let mut bytes = Vec::new();
        match self.version(component) {
            Some(version) if version.len() <= len_max && self.store.is_far() => {
                let source = self.open(component, Access::Positioned(SystemCache::Used))?;
                bytes.resize(version.len() as usize, 0);
                let read = source.read_at(0, &mut bytes, &mut ReadCounts::default());
                read.map_err(|source| failed(self.path(component), source))?;
            }
            _ => self.store.read(&self.name(component)?, len_max, &mut bytes)?,
        }
        Ok(bytes)
    }

    /// Length in bytes of a component.
    pub(super) fn len_of(&self, component: &Component) -> Result<u64, RowsError> {
        if let Some(version) = self.version(component) {
            return Ok(version.len());
        }
        Ok(self.store.look(&self.name(component)?)?.len)
    }
}

impl PartialEq for Listed {
    /// Whether they have the same files of the same folder.
    fn eq(&self, other: &Self) -> bool {
        self.folder == other.folder
            && self.descriptor == other.descriptor
            && self.components == other.components
    }
}

impl Eq for Listed {}

/// A file of an SSTable.
pub(super) struct File {
    pub(super) component: Component,
    /// Where the listing has it.
    pub(super) version: Option<Version>,
}

pub(super) fn failed(file: PathBuf, source: io::Error) -> RowsError {
    RowsError::Io { file, source }
}
