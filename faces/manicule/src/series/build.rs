//! Blocks built from text files or a stream.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use manicule_core::watch::{Meter, Phase, Unit, Watch};
use manicule_series::ExternalLabels;
use manicule_series::build::Builder;
pub use manicule_series::build::{
    BLOCK_RANGE, BuildError, BuildOptions, BuildReport, Built, block_range,
};
pub use manicule_series::openmetrics::Dialect;
use manicule_store::context::Context;

use super::BUILD_MEMORY;
use super::error::Error;
pub use super::input::Input;
use super::names::fresh_names;
use super::target::Output;
use crate::place::local;

/// Arguments of a build.
#[derive(Clone, Debug)]
pub struct BuildCall {
    /// The texts, in their order.
    pub inputs: Vec<Input>,
    /// Dialect of the texts.
    pub dialect: Dialect,
    /// Output folder of the blocks, or an address of one.
    pub output: PathBuf,
    /// External labels for the meta files, as Thanos has them; there may be none.
    pub external_labels: ExternalLabels,
    /// Options of the build.
    pub options: BuildOptions,
}

impl BuildCall {
    /// A build of blocks of two hours from OpenMetrics.
    pub fn new(inputs: Vec<Input>, output: PathBuf) -> Self {
        let options = BuildOptions { range: BLOCK_RANGE, memory: BUILD_MEMORY };
        let (dialect, external_labels) = (Dialect::OpenMetrics, ExternalLabels::new());
        BuildCall { inputs, dialect, output, external_labels, options }
    }
}

/// Builds blocks.
///
/// ```
/// use manicule::series::build::{BuildCall, Input, build};
/// use manicule::watch::Watch;
///
/// let folder = tempfile::tempdir()?;
/// let (text, data) = (folder.path().join("up.txt"), folder.path().join("data"));
/// std::fs::write(&text, "up{job=\"a\"} 1 0\nup{job=\"a\"} 1 60\n# EOF\n")?;
///
/// let report = build(&BuildCall::new(vec![Input::File(text)], data), &Watch::none())?;
/// assert_eq!((report.blocks.len(), report.series, report.samples), (1, 1, 2));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn build(call: &BuildCall, watch: &Watch<'_>) -> Result<BuildReport, Error> {
    let _held = Context::current().hold(call.options.memory).map_err(Error::Memory)?;
    let target = Output::at(&call.output, &call.external_labels)?.open(&[])?;
    let names = fresh_names()?;
    let mut builder = Builder::new(target, call.options, names);
    let reading = match call.inputs.iter().map(Input::text_len).sum() {
        Some(all) => watch.phase(Phase::Reading, Unit::Bytes, all),
        None => watch.endless(Phase::Reading, Unit::Bytes),
    };
    for input in &call.inputs {
        let text: Box<dyn Read> = match input {
            Input::Stdin => Box::new(io::stdin().lock()),
            Input::File(path) => Box::new(
                open_text(path).map_err(|source| Error::Input { input: input.clone(), source })?,
            ),
        };
        let read = builder.read(Counted { text, meter: &reading }, call.dialect);
        read.map_err(|source| Error::Input {
            input: input.clone(),
            source: if watch.is_over() { BuildError::Stopped } else { source },
        })?;
    }
    reading.end();
    builder.finish(watch).map_err(|source| Error::Build { path: call.output.clone(), source })
}

/// Opens a text, which is no address.
fn open_text(path: &Path) -> Result<File, BuildError> {
    local(path)?;
    Ok(File::open(path)?)
}

/// Counts the bytes read, and fails when the call is stopped.
struct Counted<'c, R> {
    text: R,
    meter: &'c Meter<'c>,
}

impl<R: Read> Read for Counted<'_, R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let len = self.text.read(out)?;
        self.meter.step(len as u64).map_err(io::Error::other)?;
        Ok(len)
    }
}
