//! The files of an SSTable while it is written: in a folder of their own beside its place,
//! published with TOC.txt last.

use std::io;
use std::path::{Path, PathBuf};

use manicule_format_sstable::{Component, Descriptor, Layout, Version, put_toc};
use manicule_store::publish::{Draft, DraftNames, Drafts, MadeFolders};
use manicule_store::{SharedFiles, list_names};

use crate::RowsError;

/// Where an SSTable is to be.
#[derive(Clone, Debug)]
pub struct Target {
    /// The file system.
    pub files: SharedFiles,
    /// The folder, made where it is missing.
    pub folder: PathBuf,
    /// Its generation; `None`: the one after the greatest number that a file of the folder has.
    pub generation: Option<u64>,
    /// Whether nothing is written: all is done but that.
    pub is_dry: bool,
}

const NAMES: DraftNames = DraftNames {
    noun: "an SSTable",
    is_name: |name| Descriptor::parse(&format!("{name}-{}", Component::Data)).is_some(),
    creation: ".new",
    deletion: ".old",
    lock: ".lock",
};

/// The folder of a load's sorted runs, beside the SSTable that they become.
pub(super) const RUNS: DraftNames = DraftNames {
    noun: "a folder of sorted runs",
    is_name: |name| name.strip_prefix(RUNS_NAME).is_some_and(|id| id.parse::<u32>().is_ok()),
    creation: ".runs",
    deletion: ".runs-old",
    lock: ".runs-lock",
};

/// What the name of that folder begins with; a process's number follows.
pub(super) const RUNS_NAME: &str = "rows-";

/// Number of generations that are tried where other writers take them.
const TRIES: u64 = 100;

/// Where files are written.
#[derive(Debug)]
pub(super) enum Aside {
    /// A folder beside their place.
    Folder(Draft),
    /// Nowhere.
    Nowhere,
}

/// The files.
#[derive(Debug)]
pub(super) struct TableDraft {
    aside: Aside,
    folder: PathBuf,
    descriptor: Descriptor,
    components: Vec<Component>,
    /// Dropped after the folder aside.
    made: MadeFolders,
}

impl TableDraft {
    /// Begins; what killed runs have left in the folder goes.
    pub(super) fn create(target: &Target, version: Version) -> Result<Self, RowsError> {
        let failed = |source| RowsError::Io { file: target.folder.clone(), source };
        if target.is_dry {
            return TableDraft::create_nowhere(target, version);
        }
        let mut made = MadeFolders::missing(&target.folder);
        let open = |names| Drafts::open(&target.files, &target.folder, names).map_err(failed);
        // Sorted runs of a killed load go too.
        open(RUNS)?;
        let drafts = open(NAMES)?;
        let first = match target.generation {
            Some(generation) => generation,
            None => next_generation(&target.folder).map_err(failed)?,
        };
        let count = if target.generation.is_some() { 1 } else { TRIES };
        let mut tried = None;
        for generation in first..first.saturating_add(count) {
            let descriptor =
                Descriptor { version, generation: generation.to_string(), layout: Layout::Big };
            if let Some(file) = file_of(&target.folder, generation).map_err(failed)? {
                let what = format!("generation {generation} is taken by {file}");
                tried = Some(io::Error::new(io::ErrorKind::AlreadyExists, what));
                continue;
            }
            match drafts.draft(&descriptor.to_string()) {
                Ok(draft) => {
                    let (folder, components) = (target.folder.clone(), Vec::new());
                    return Ok(TableDraft {
                        aside: Aside::Folder(draft),
                        folder,
                        descriptor,
                        components,
                        made: std::mem::take(&mut made),
                    });
                }
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => tried = Some(error),
                Err(error) => return Err(failed(error)),
            }
        }
        Err(failed(tried.unwrap_or_else(|| io::Error::other("no generation is left"))))
    }

    /// Begins files that are written nowhere.
    fn create_nowhere(target: &Target, version: Version) -> Result<Self, RowsError> {
        let folder = target.folder.clone();
        let failed = |source| RowsError::Io { file: target.folder.clone(), source };
        let generation = match target.generation {
            Some(generation) => generation,
            None if !folder.exists() => 1,
            None => next_generation(&folder).map_err(failed)?,
        };
        let generation = generation.to_string();
        let descriptor = Descriptor { version, generation, layout: Layout::Big };
        let (components, made) = (Vec::new(), MadeFolders::default());
        Ok(TableDraft { aside: Aside::Nowhere, folder, descriptor, components, made })
    }

    pub(super) fn aside(&self) -> &Aside {
        &self.aside
    }

    /// Gives a file of elsewhere the name of a component.
    pub(super) fn link(&self, file: &Path, component: &Component) -> io::Result<()> {
        match &self.aside {
            Aside::Folder(draft) => {
                draft.files().link(file, &draft.path().join(self.name(component)))
            }
            Aside::Nowhere => Ok(()),
        }
    }

    pub(super) fn version(&self) -> Version {
        self.descriptor.version
    }

    /// Its generation, which is a number here.
    pub(super) fn generation(&self) -> u64 {
        self.descriptor.generation_number().expect("a number that was taken")
    }

    /// Name of the file of a component.
    pub(super) fn name(&self, component: &Component) -> String {
        self.descriptor.file_name(component)
    }

    /// Notes a component whose file is written.
    pub(super) fn add(&mut self, component: Component) {
        self.components.push(component);
    }

    /// Writes a component.
    pub(super) fn write(&mut self, component: Component, bytes: &[u8]) -> io::Result<()> {
        if let Aside::Folder(draft) = &self.aside {
            draft.write(&self.name(&component), bytes)?;
        }
        self.add(component);
        Ok(())
    }

    /// An error of writing.
    pub(super) fn failed(&self, source: io::Error) -> RowsError {
        RowsError::Io { file: self.folder.join(self.name(&Component::Data)), source }
    }

    /// Publishes the SSTable: TOC.txt gets its name last, Data.db before it. Returns the path of
    /// Data.db.
    pub(super) fn publish(mut self) -> Result<PathBuf, RowsError> {
        let (data, file) = (self.name(&Component::Data), self.folder.clone());
        let toc_name = self.name(&Component::Toc);
        let Aside::Folder(draft) = self.aside else { return Ok(file.join(data)) };
        self.components.push(Component::Toc);
        // The order of the names is the same in every run.
        self.components.sort();
        let mut toc = Vec::new();
        put_toc(&self.components, &mut toc);
        let last = |component: &Component| match component {
            Component::Toc => 2,
            Component::Data => 1,
            _ => 0,
        };
        let written = draft.write(&toc_name, &toc);
        self.components.sort_by_key(last);
        let names: Vec<String> =
            self.components.iter().map(|component| self.descriptor.file_name(component)).collect();
        let published = written.and_then(|()| draft.publish_each(&names));
        published.map_err(|source| RowsError::Io { file, source })?;
        self.made.keep();
        Ok(self.folder.join(data))
    }
}

/// The generation after the greatest that a file of the folder has.
fn next_generation(folder: &Path) -> io::Result<u64> {
    let generations = generations_in(folder)?;
    Ok(generations.into_iter().map(|(generation, _)| generation).max().map_or(1, |last| last + 1))
}

/// A file of the folder that has a generation.
fn file_of(folder: &Path, generation: u64) -> io::Result<Option<String>> {
    let generations = generations_in(folder)?;
    let taken = generations.into_iter().find(|(other, _)| *other == generation);
    Ok(taken.map(|(_, name)| name))
}

fn generations_in(folder: &Path) -> io::Result<Vec<(u64, String)>> {
    let names = list_names(folder)?;
    Ok(generations(names.into_iter().filter_map(|entry| entry.name.into_string().ok())))
}

/// Generations that are numbers, and the names of their files.
pub fn generations(names: impl Iterator<Item = String>) -> Vec<(u64, String)> {
    let generation = |name: String| {
        let (descriptor, _) = Descriptor::parse(&name)?;
        Some((descriptor.generation_number()?, name))
    };
    names.filter_map(generation).collect()
}
