//! Output folder of an index run: refused where the run would index itself.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::error::IndexError;
use super::options::IndexOptions;
use super::walk::Root;

pub(super) fn refuse_output_inside(
    options: &IndexOptions<'_>,
    root: &Root,
) -> Result<(), IndexError> {
    let whole = |path: &Path| whole(path).map_err(IndexError::output(path));
    let (output, folder) = (whole(&options.output)?, whole(&options.folder)?);
    let is_left_out = match output.strip_prefix(&folder) {
        Err(_) => return Ok(()),
        Ok(within) => root.leaves_out(within, &options.ignore_dirs).map_err(IndexError::Walk)?,
    };
    if is_left_out { Ok(()) } else { Err(IndexError::OutputInside { output, folder }) }
}

/// A path without links, of which the end need not be there yet.
fn whole(path: &Path) -> io::Result<PathBuf> {
    let path = std::path::absolute(path)?;
    let mut there = path.as_path();
    loop {
        match (fs::canonicalize(there), there.parent()) {
            (Err(error), Some(above)) if error.kind() == io::ErrorKind::NotFound => there = above,
            (there_whole, _) => {
                let rest = path.strip_prefix(there).expect("it is above").components();
                return there_whole.map(|whole| whole.components().chain(rest).collect());
            }
        }
    }
}
