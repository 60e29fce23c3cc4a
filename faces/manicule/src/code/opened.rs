//! Shards that are open to be searched, of any number of threads at once.

use std::ops::Deref;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError, RwLock};

use manicule_code::shards::ShardError;
use manicule_code::shards::find::{Foreseen, OpenShard, ShardFiles};

use super::inspect::files_of;
use crate::place::remote;

/// The shards of folders, and single ones, open to be searched beside who indexes.
///
/// It shows the moment at which each path was added, or at which it last
/// [looked again](Shards::look_again). Shards stay mapped from call to call; at an address ranges
/// of them are brought as calls want them, and a shard that is replaced meanwhile is an error of
/// the next call that lacks one, until it looks again.
#[derive(Debug, Default)]
pub struct Shards {
    seen: RwLock<Arc<Moment>>,
    /// Held by who lists the folders: what is seen never goes back.
    looking: Mutex<()>,
}

/// Shards as they were at a moment.
#[derive(Debug, Default)]
pub struct Moment {
    /// The paths, and the shards of each.
    paths: Vec<(PathBuf, Arc<ShardFiles>)>,
}

/// Shards whose contents have been opened, at first some 100 microseconds for 10,000 documents:
/// what searches them is a method.
#[derive(Debug)]
pub struct OpenShards<'m>(Vec<OpenShard<'m>>);

impl Shards {
    /// Adds a shard, or all shards of a folder or an address. Those of a folder that can't be read
    /// are handed to `failed`.
    pub fn add(
        &mut self,
        path: &Path,
        failed: &mut dyn FnMut(ShardError),
    ) -> Result<(), ShardError> {
        let files = Arc::new(open(path, None, failed)?);
        let mut paths = self.moment().paths.clone();
        paths.push((path.to_owned(), files));
        self.show(Moment { paths });
        Ok(())
    }

    /// Shows the shards as they are now from here on: those that are new or have another sidecar,
    /// without those that are gone. Calls that have begun go on with what they have. Shards that
    /// are still the same stay mapped. Those that can't be read are handed to `failed`; a path that
    /// can't be read at all keeps what was last seen of it.
    pub fn look_again(&self, failed: &mut dyn FnMut(ShardError)) {
        let _looking = self.looking.lock().unwrap_or_else(PoisonError::into_inner);
        let mut paths = self.moment().paths.clone();
        for (path, files) in &mut paths {
            match open(path, Some(files), failed) {
                Ok(now) => *files = Arc::new(now),
                Err(error) => failed(error),
            }
        }
        self.show(Moment { paths });
    }

    /// The shards as they were last seen.
    pub fn moment(&self) -> Arc<Moment> {
        Arc::clone(&self.seen.read().unwrap_or_else(PoisonError::into_inner))
    }

    fn show(&self, moment: Moment) {
        *self.seen.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(moment);
    }
}

/// The shards of a path or an address; those of `before` that are still the same stay mapped.
pub(super) fn open(
    path: &Path,
    before: Option<&ShardFiles>,
    failed: &mut dyn FnMut(ShardError),
) -> Result<ShardFiles, ShardError> {
    let Some(remote) = remote(path)? else {
        return match before {
            None => ShardFiles::open(path, failed),
            Some(before) => before.open_again(path, failed),
        };
    };
    let (files, only) = files_of(&remote)?;
    ShardFiles::open_in(&files, only, before, failed)
}

impl Moment {
    /// Opens the contents of each shard for any search. Those that are damaged are handed to
    /// `failed`.
    pub fn open(&self, failed: &mut dyn FnMut(ShardError)) -> OpenShards<'_> {
        self.open_for(Foreseen::Texts, failed)
    }

    /// The same for what is foreseen: at an address it is brought together with what opening reads.
    /// Everything else can be asked all the same, and costs rounds of its own.
    pub fn open_for(
        &self,
        foreseen: Foreseen,
        failed: &mut dyn FnMut(ShardError),
    ) -> OpenShards<'_> {
        let shards = self.paths.iter().flat_map(|(_, files)| files.shards(foreseen, failed));
        OpenShards(shards.collect())
    }
}

impl<'m> OpenShards<'m> {
    /// Shards to be searched together.
    pub(crate) fn of(list: Vec<OpenShard<'m>>) -> Self {
        OpenShards(list)
    }

    /// The shards.
    pub(crate) fn into_list(self) -> Vec<OpenShard<'m>> {
        self.0
    }
}

impl<'m> Deref for OpenShards<'m> {
    type Target = [OpenShard<'m>];

    fn deref(&self) -> &Self::Target {
        &self.0
    }
}
