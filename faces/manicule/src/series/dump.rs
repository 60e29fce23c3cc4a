//! Series and samples as text.

use std::io::Write;

use manicule_core::watch::Watch;
use manicule_series::dump as engine;
pub use manicule_series::dump::{DumpError, DumpFormat, Dumped, put_sample_json};
use manicule_series::{Interval, Selector};

use super::error::Error;
use super::query::Open;

/// Arguments of a dump.
#[derive(Clone, Debug)]
pub struct DumpCall {
    /// Series that one of these selects.
    pub selectors: Vec<Selector>,
    /// Form of the text.
    pub format: DumpFormat,
}

impl DumpCall {
    /// All series as OpenMetrics.
    pub fn new() -> Self {
        DumpCall { selectors: vec![Selector::everything()], format: DumpFormat::OpenMetrics }
    }
}

impl Default for DumpCall {
    fn default() -> Self {
        DumpCall::new()
    }
}

/// Writes the samples of open blocks as text, of the times for which they were opened.
///
/// ```
/// use manicule::series::{DumpCall, OpenCall, dump, open};
/// use manicule::watch::Watch;
///
/// # let folder = tempfile::tempdir()?;
/// # let (text, data) = (folder.path().join("up.txt"), folder.path().join("data"));
/// # std::fs::write(&text, "up{job=\"a\"} 1 0\nup{job=\"b\"} 1 60\n# EOF\n")?;
/// # let inputs = vec![manicule::series::build::Input::File(text)];
/// # let built = manicule::series::build(&manicule::series::BuildCall::new(inputs, data.clone()), &Watch::none())?;
/// # let block = built.blocks[0].path.clone();
/// let call = OpenCall { paths: vec![data], ..OpenCall::default() };
/// let open = open(&call, &mut |_| {})?;
/// let mut text = Vec::new();
/// dump(&open, &DumpCall::new(), &mut text, &Watch::none())?;
/// assert!(String::from_utf8(text)?.starts_with("up{job=\"a\"} 1"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn dump(
    open: &Open,
    call: &DumpCall,
    out: &mut dyn Write,
    watch: &Watch<'_>,
) -> Result<Dumped, Error> {
    let times = open.times().unwrap_or(Interval { min_time: i64::MIN, max_time: i64::MAX });
    Ok(engine::dump(&open.blocks(), &call.selectors, times, call.format, out, watch)?)
}
