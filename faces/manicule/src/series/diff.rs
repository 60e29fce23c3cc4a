//! Differences between blocks, or data folders.

use std::path::Path;

use manicule_series::diff as engine;
pub use manicule_series::diff::{DiffSums, Difference, LabelList};
use manicule_series::open_all;

use super::error::Error;

/// Lists the series in which two blocks, or the blocks of two data folders, differ, until `each`
/// returns false.
///
/// ```
/// use manicule::series::diff;
/// # use manicule::watch::Watch;
///
/// # let folder = tempfile::tempdir()?;
/// # let (text, data) = (folder.path().join("up.txt"), folder.path().join("data"));
/// # std::fs::write(&text, "up{job=\"a\"} 1 0\nup{job=\"b\"} 1 60\n# EOF\n")?;
/// # let inputs = vec![manicule::series::build::Input::File(text)];
/// # let built = manicule::series::build(&manicule::series::BuildCall::new(inputs, data.clone()), &Watch::none())?;
/// # let block = built.blocks[0].path.clone();
/// let sums = diff(&block, &data, &mut |_, _| true)?;
/// assert!(!sums.differ());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn diff(
    left: &Path,
    right: &Path,
    each: &mut dyn FnMut(&LabelList<'_>, Difference) -> bool,
) -> Result<DiffSums, Error> {
    let (left, right) = (open_all(left)?, open_all(right)?);
    Ok(match (&left[..], &right[..]) {
        ([left], [right]) => engine::diff(left, right, each)?,
        _ => engine::diff_all(&left, &right, each)?,
    })
}
