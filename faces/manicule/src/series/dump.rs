//! Series and samples as text.

use std::io::Write;

use manicule_core::watch::Watch;
use manicule_series::dump as engine;
pub use manicule_series::dump::{
    DumpError, DumpFormat, Dumped, HistogramNumbers, histogram_numbers, put_api_labels,
    put_api_string, put_api_value, put_downsampled_json, put_sample_json,
};
use manicule_series::query::Choice;
use manicule_series::{Interval, Selector};

use super::data::Data;
use super::error::Error;

/// Arguments of a dump.
#[derive(Clone, Debug)]
pub struct DumpCall {
    /// Series that one of these selects.
    pub selectors: Vec<Selector>,
    /// Form of the text.
    pub format: DumpFormat,
    /// What is written of raw and downsampled blocks.
    pub choice: Choice,
}

impl DumpCall {
    /// All series as OpenMetrics.
    pub fn new() -> Self {
        let (selectors, choice) = (vec![Selector::everything()], Choice::default());
        DumpCall { selectors, format: DumpFormat::OpenMetrics, choice }
    }
}

impl Default for DumpCall {
    fn default() -> Self {
        DumpCall::new()
    }
}

impl Data {
    /// Writes the samples of the blocks as text, of the times for which they were opened.
    ///
    /// ```
    /// use manicule::series::{Data, DumpCall, OpenCall};
    /// use manicule::watch::Watch;
    ///
    /// # let folder = tempfile::tempdir()?;
    /// # let (text, place) = (folder.path().join("up.txt"), folder.path().join("data"));
    /// # std::fs::write(&text, "up{job=\"a\"} 1 0\nup{job=\"b\"} 1 60\n# EOF\n")?;
    /// # let inputs = vec![manicule::series::build::Input::File(text)];
    /// # let call = manicule::series::BuildCall::new(inputs, place.clone());
    /// # manicule::series::build(&call, &Watch::none())?;
    /// let call = OpenCall { paths: vec![place], ..OpenCall::default() };
    /// let data = Data::open(&call, &mut |_| {})?;
    /// let mut text = Vec::new();
    /// data.dump(&DumpCall::new(), &mut text, &Watch::none())?;
    /// assert!(String::from_utf8(text)?.starts_with("up{job=\"a\"} 1"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn dump(
        &self,
        call: &DumpCall,
        out: &mut dyn Write,
        watch: &Watch<'_>,
    ) -> Result<Dumped, Error> {
        let always = Interval { min_time: i64::MIN, max_time: i64::MAX };
        let (moment, times) = (self.moment(), self.times().unwrap_or(always));
        let blocks = moment.blocks().choose(call.choice)?;
        Ok(engine::dump(&blocks, &call.selectors, times, call.format, out, watch)?)
    }
}
