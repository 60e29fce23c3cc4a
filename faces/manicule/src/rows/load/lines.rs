//! Lines of an input, and what is wrong with one.

use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::path::Path;

use manicule_rows::RowsError;

use crate::rows::error::Error;

/// Length in bytes of a read.
const READ_LEN: usize = 256 << 10;

pub(super) fn lines(path: &Path) -> Result<Box<dyn BufRead>, Error> {
    if path == Path::new("-") {
        return Ok(Box::new(BufReader::with_capacity(READ_LEN, io::stdin())));
    }
    let file = File::open(path).map_err(|source| failed(path, source))?;
    Ok(Box::new(BufReader::with_capacity(READ_LEN, file)))
}

pub(super) fn failed(path: &Path, source: io::Error) -> Error {
    RowsError::Io { file: path.to_owned(), source }.into()
}

/// Length in bytes of the longest line.
const LINE_LEN_MAX: u64 = 1 << 30;

/// Appends the next line with its end; `false` at the end of the input.
pub(super) fn read_line(
    path: &Path,
    input: &mut dyn BufRead,
    line: &mut Vec<u8>,
) -> Result<bool, Error> {
    let left = LINE_LEN_MAX.saturating_sub(line.len() as u64);
    let read = io::Read::take(input, left).read_until(b'\n', line);
    let len = read.map_err(|source| failed(path, source))?;
    if len as u64 == left && line.last() != Some(&b'\n') {
        let why = format!("a line is longer than {LINE_LEN_MAX} bytes");
        return Err(Error::Input { file: path.to_owned(), place: String::new(), why });
    }
    Ok(len > 0)
}

/// An error of a row at a place of a file.
pub(super) fn at_place(path: &Path, place: String, error: RowsError) -> Error {
    match error {
        RowsError::Unwritable { why } => Error::Input { file: path.to_owned(), place, why },
        other => other.into(),
    }
}
