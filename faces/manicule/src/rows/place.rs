//! Where new SSTables are written: a folder, or an address. For an address they are written into a
//! local folder that goes afterwards, and put there file by file, TOC.txt last.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use manicule_core::watch::{Meter, Phase, Stopped, Unit, Watch};
use manicule_rows::RowsError;
use manicule_rows::table::SNAPSHOT_SCHEMA;
use manicule_rows::write::{Target, Written, generations};
use manicule_store::Disk;
use manicule_store::publish::{Draft, Upload};
use manicule_store::store::{Name, StoreError};

use super::error::Error;
use crate::place::{Remote, remote, scratch_of_call};

/// Where an SSTable is written.
#[derive(Clone, Debug)]
pub struct Place {
    /// The folder, made where it is missing; or an address of one.
    pub folder: PathBuf,
    /// The generation; `None`: the one after the greatest that a file of the folder has.
    pub generation: Option<u64>,
    /// Whether nothing is written: all is done but that.
    pub is_dry: bool,
}

/// A place that was opened: what is written there begins as files of a local folder.
#[derive(Debug)]
pub(super) struct Destination {
    target: Target,
    /// Where they go from there, and the local folder that goes then.
    elsewhere: Option<(Upload, Draft)>,
}

impl Destination {
    /// Opens a place. An address is listed, for its generations.
    ///
    /// # Errors
    /// Among others an address where nothing can be put, or what would be put is no part of
    /// anything; a generation that is taken.
    pub(super) fn open(place: &Place) -> Result<Self, Error> {
        let Place { folder, generation, is_dry } = place.clone();
        let files = Disk::shared();
        let Some(remote) = remote(&folder).map_err(RowsError::from)? else {
            let target = Target { files, folder, generation, is_dry };
            return Ok(Destination { target, elsewhere: None });
        };
        let upload = remote.upload().map_err(RowsError::from)?;
        if let Some(why) = owner_of(&remote).map_err(RowsError::from)? {
            return Err(Error::Untaken { place: folder, why });
        }
        let generation = Some(free_generation(&upload, generation).map_err(RowsError::from)?);
        let draft = scratch_of_call(&folder).map_err(RowsError::from)?;
        // Keyspace and table are those of the address.
        let folder = draft.path().join(upload.path());
        let target = Target { files, folder, generation, is_dry };
        Ok(Destination { target, elsewhere: Some((upload, draft)) })
    }

    /// Where the engine writes.
    pub(super) fn target(&self) -> &Target {
        &self.target
    }

    /// Puts what was written where it is to be, and the schema that lies beside it.
    pub(super) fn publish(&self, written: Written, watch: &Watch<'_>) -> Result<Written, Error> {
        let Some((upload, _)) = &self.elsewhere else { return Ok(written) };
        let folder = &self.target.folder;
        let data = written.path.file_name().map(|name| name.display().to_string());
        let data = data.expect("a file of the folder");
        let path = upload.path().join(&data);
        if !self.target.is_dry {
            let meter = watch.endless(Phase::Writing, Unit::Bytes);
            self.put(upload, &data, &meter).map_err(|error| match error {
                error if error.is_stopped() => RowsError::Stopped(Stopped),
                error => error.into(),
            })?;
            meter.end();
            let schema = folder.join(SNAPSHOT_SCHEMA);
            if schema.exists() {
                let cql = fs::read(&schema).map_err(failed(&schema))?;
                upload.put_small(SNAPSHOT_SCHEMA, &cql).map_err(RowsError::from)?;
            }
        }
        Ok(Written { path, ..written })
    }

    /// Puts the components of the SSTable with this data.
    fn put(&self, upload: &Upload, data: &str, meter: &Meter<'_>) -> Result<(), StoreError> {
        let folder = &self.target.folder;
        let unread = |source| StoreError { file: folder.clone(), source };
        let (prefix, _) = data.rsplit_once('-').expect("a name of a component");
        let (prefix, mut names) = (format!("{prefix}-"), Vec::new());
        for entry in fs::read_dir(folder).map_err(unread)? {
            let name = entry.map_err(unread)?.file_name().display().to_string();
            names.extend(name.starts_with(&prefix).then_some(name));
        }
        names.sort_by_key(|name| (name.ends_with("-TOC.txt"), name.clone()));
        upload.put_all(folder, &names, meter)
    }
}

/// The generation of a new SSTable at an address.
fn free_generation(upload: &Upload, wanted: Option<u64>) -> Result<u64, StoreError> {
    let taken = generations(upload.list()?.into_iter().map(|listed| listed.name));
    let Some(wanted) = wanted else {
        return Ok(taken.iter().map(|(generation, _)| generation + 1).max().unwrap_or(1));
    };
    match taken.into_iter().find(|(generation, _)| *generation == wanted) {
        None => Ok(wanted),
        Some((_, file)) => {
            let what = format!("generation {wanted} is taken by {file}");
            let source = io::Error::new(io::ErrorKind::AlreadyExists, what);
            Err(StoreError { file: upload.path(), source })
        }
    }
}

fn failed(file: &Path) -> impl Fn(io::Error) -> RowsError {
    |source| RowsError::Io { file: file.to_owned(), source }
}

/// Whose SSTables lie there, if that system restores those alone that it has put there itself.
fn owner_of(remote: &Remote) -> Result<Option<&'static str>, StoreError> {
    const MEDUSA: &str = "it is in backups of Medusa, which restores what its manifests name: a new \
                          SSTable would be in none of them";
    const MANAGER: &str = "it is in backups of ScyllaDB Manager, which restores what its manifests \
                           name: a new SSTable would be in none of them";
    let names = remote.names();
    if names.windows(3).any(|names| names == ["backup", "sst", "cluster"]) {
        return Ok(Some(MANAGER));
    }
    // PREFIX/NODE/BACKUP/data beside meta, or PREFIX/NODE/data with PREFIX/index.
    let Some(data) = names.iter().rposition(|name| *name == "data") else { return Ok(None) };
    let folder = |names: &[&str]| Name::new(&names.join("/")).unwrap_or_default();
    let index = data.saturating_sub(1);
    let index = [&names[..index], &["index"]].concat();
    let folders = [folder(&names[..data]), folder(&index)];
    let mut listed = remote.store().list_all(&folders).into_iter();
    let mut has = |name: &str| match listed.next().expect("one for each") {
        Err(error) if error.is_missing() => Ok(false),
        listed => Ok(listed?.iter().any(|entry| entry.name == name)),
    };
    let (meta, backups) = (has("meta")?, has("backup_index")?);
    Ok((meta || backups).then_some(MEDUSA))
}
