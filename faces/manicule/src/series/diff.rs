//! Differences between blocks, or data folders.

use manicule_series::diff as engine;
pub use manicule_series::diff::{DiffSums, Difference, LabelList};

use super::data::Data;
use super::error::Error;

impl Data {
    /// Lists the series in which its blocks and others differ, until `each` returns false. Samples
    /// of all times of the blocks are compared.
    ///
    /// ```
    /// use manicule::series::{Data, OpenCall};
    /// # use manicule::watch::Watch;
    ///
    /// # let folder = tempfile::tempdir()?;
    /// # let (text, place) = (folder.path().join("up.txt"), folder.path().join("data"));
    /// # std::fs::write(&text, "up{job=\"a\"} 1 0\nup{job=\"b\"} 1 60\n# EOF\n")?;
    /// # let inputs = vec![manicule::series::build::Input::File(text)];
    /// # let call = manicule::series::BuildCall::new(inputs, place.clone());
    /// # let built = manicule::series::build(&call, &Watch::none())?;
    /// # let block = built.blocks[0].path.clone();
    /// let open = |path| {
    ///     let call = OpenCall { paths: vec![path], ..OpenCall::default() };
    ///     Data::open(&call, &mut |_| {})
    /// };
    /// let sums = open(block)?.diff(&open(place)?, &mut |_, _| true)?;
    /// assert!(!sums.differ());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn diff(
        &self,
        right: &Data,
        each: &mut dyn FnMut(&LabelList<'_>, Difference) -> bool,
    ) -> Result<DiffSums, Error> {
        let (left, right) = (self.moment(), right.moment());
        Ok(match (left.all(), right.all()) {
            ([left], [right]) => engine::diff(left, right, each)?,
            (left, right) => engine::diff_all(left, right, each)?,
        })
    }
}
