//! Blocks built from text files or a stream.
//!
//! Callers: the command line

use std::fmt;
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::PathBuf;
use std::time::SystemTime;

use manicule_core::watch::{Meter, Phase, Unit, Watch};
use manicule_series::build::{BuildError, BuildOptions, BuildReport, Builder};
use manicule_series::openmetrics::Dialect;
use manicule_series::{Target, Ulid};

/// Arguments of a build.
#[derive(Clone, Debug)]
pub struct BuildCall {
    /// The texts, one after the other.
    pub inputs: Vec<Input>,
    /// Dialect of the texts.
    pub dialect: Dialect,
    /// Output folder of the blocks.
    pub output: PathBuf,
    /// Options of the build.
    pub options: BuildOptions,
}

/// Source of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Input {
    /// Standard input.
    Stdin,
    /// A file.
    File(PathBuf),
}

impl fmt::Display for Input {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Input::Stdin => f.write_str("standard input"),
            Input::File(path) => path.display().fmt(f),
        }
    }
}

impl Input {
    /// Number of bytes of text, if it is a file that waits for nobody.
    pub fn text_len(&self) -> Option<u64> {
        match self {
            Input::Stdin => None,
            Input::File(path) => {
                fs::metadata(path).ok().filter(fs::Metadata::is_file).map(|meta| meta.len())
            }
        }
    }
}

/// Why nothing, or no more, was built.
#[derive(Debug)]
#[non_exhaustive]
pub enum Error {
    /// A text can't be opened or read, or its samples not be kept.
    Input {
        /// Which.
        input: Input,
        /// Why not.
        source: BuildError,
    },
    /// A block can't be written. Those before it are there.
    Output {
        /// The folder for blocks.
        path: PathBuf,
        /// Why not.
        source: BuildError,
    },
    /// The system gave no random bytes for the names of blocks.
    Random(io::Error),
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Input { input, source } => write!(f, "{input}: {source}"),
            Error::Output { path, source } => write!(f, "{}: {source}", path.display()),
            Error::Random(_) => f.write_str("there are no random bytes for the names of blocks"),
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            // Their words are part of the error's own.
            Error::Input { .. } | Error::Output { .. } => None,
            Error::Random(source) => Some(source),
        }
    }
}

/// Builds blocks.
pub fn build(call: &BuildCall, watch: &Watch<'_>) -> Result<BuildReport, Error> {
    let output = |source: BuildError| Error::Output { path: call.output.clone(), source };
    let target = Target::open(&call.output).map_err(|error| output(error.into()))?;
    let names = fresh_names().map_err(Error::Random)?;
    let mut builder = Builder::new(target, call.options, names);
    let reading = match call.inputs.iter().map(Input::text_len).sum() {
        Some(all) => watch.phase(Phase::Reading, Unit::Bytes, all),
        None => watch.endless(Phase::Reading, Unit::Bytes),
    };
    for input in &call.inputs {
        let text: Box<dyn Read> = match input {
            Input::Stdin => Box::new(io::stdin().lock()),
            Input::File(path) => Box::new(
                File::open(path)
                    .map_err(|error| Error::Input { input: input.clone(), source: error.into() })?,
            ),
        };
        let read = builder.read(Counted { text, meter: &reading }, call.dialect);
        read.map_err(|source| Error::Input {
            input: input.clone(),
            source: if watch.is_over() { BuildError::Stopped } else { source },
        })?;
    }
    reading.end();
    builder.finish(watch).map_err(output)
}

/// Names for blocks that no other run gives: the time, random bits, and one more for each.
pub fn fresh_names() -> io::Result<impl FnMut() -> Ulid> {
    let mut random = [0; 10];
    File::open("/dev/urandom")?.read_exact(&mut random)?;
    let since_1970 = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    let [a, b, rest @ ..] = random;
    let mut number = u64::from_be_bytes(rest);
    Ok(move || {
        number = number.wrapping_add(1);
        let mut random = [a, b, 0, 0, 0, 0, 0, 0, 0, 0];
        random[2..].copy_from_slice(&number.to_be_bytes());
        Ulid::new(since_1970.as_millis() as u64, random)
    })
}

/// Counts what is read, and fails when the call shall end.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_differ_and_rise_in_a_run() {
        let mut names = fresh_names().unwrap();
        let (first, second) = (names(), names());
        assert_ne!(first, second);
        assert_eq!(first.time_ms(), second.time_ms());
        assert_ne!(fresh_names().unwrap()(), fresh_names().unwrap()());
    }
}
