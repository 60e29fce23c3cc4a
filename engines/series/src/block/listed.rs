//! The blocks that a listing names, each tried; listed again where one is gone.
//!
//! A server removes blocks at any time. Between a listing and the opening of what it names some may
//! go, and others come that hold the same samples: so a listing of which something is missing is
//! made again, once. What is missing then is an error.

use std::path::{Path, PathBuf};

use super::error::BlockError;
use super::folder::block_paths;

/// Results of trying each block of a listing, in its order.
#[derive(Debug)]
pub(crate) struct Tried<T> {
    pub(crate) opened: Vec<T>,
    pub(crate) failed: Vec<(PathBuf, BlockError)>,
}

impl<T> Tried<T> {
    /// What was opened, if nothing failed.
    pub(crate) fn all(self) -> Result<Vec<T>, BlockError> {
        match self.failed.into_iter().next() {
            Some((_, error)) => Err(error),
            None => Ok(self.opened),
        }
    }
}

/// Tries each of the blocks that a path stands for.
pub(crate) fn try_blocks<T>(
    path: &Path,
    open: impl FnMut(&Path) -> Result<T, BlockError>,
) -> Result<Tried<T>, BlockError> {
    try_listed(path, block_paths(path)?, open)
}

/// Tries each of the blocks that a folder was listed with.
pub(crate) fn try_listed<T>(
    folder: &Path,
    listed: Vec<PathBuf>,
    mut open: impl FnMut(&Path) -> Result<T, BlockError>,
) -> Result<Tried<T>, BlockError> {
    let tried = try_each(listed, &mut open);
    if tried.failed.iter().any(|(_, error)| error.is_missing()) {
        Ok(try_each(block_paths(folder)?, &mut open))
    } else {
        Ok(tried)
    }
}

fn try_each<T>(
    paths: Vec<PathBuf>,
    open: &mut dyn FnMut(&Path) -> Result<T, BlockError>,
) -> Tried<T> {
    let mut tried = Tried { opened: Vec::with_capacity(paths.len()), failed: Vec::new() };
    for path in paths {
        match open(&path) {
            Ok(opened) => tried.opened.push(opened),
            Err(error) => tried.failed.push((path, error)),
        }
    }
    tried
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn a_listing_of_which_something_is_gone_is_made_again_once() {
        let folder = tempfile::tempdir().unwrap();
        let [old, new] = ["01M7YV9D4RCH84S6NS9PC6AJ27", "01M7YV9D4RCH84S6NS9PC6AJ28"]
            .map(|n| folder.path().join(n));
        let put = |path: &Path| {
            fs::create_dir(path).unwrap();
            fs::write(path.join("meta.json"), "{}").unwrap();
        };
        put(&old);
        let mut turns = 0;
        let tried = try_blocks(folder.path(), |path| {
            turns += 1;
            // A compaction ends here.
            if turns == 1 {
                put(&new);
                fs::remove_dir_all(&old).unwrap();
            }
            fs::read(path.join("meta.json")).map_err(BlockError::io(path)).map(|_| path.to_owned())
        });
        assert_eq!(tried.unwrap().all().unwrap(), std::slice::from_ref(&new));
        // What is missing the second time is said.
        let tried = try_blocks(folder.path(), |path| {
            Err::<(), _>(BlockError::Missing { path: path.to_owned() })
        });
        assert_eq!(tried.unwrap().failed.len(), 1);
    }
}
