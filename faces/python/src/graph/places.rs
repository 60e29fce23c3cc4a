//! Where documents come from and go to: values of Python's, files, its own readers and writers.

use std::fs::File;
use std::io::{self, BufWriter, Read, Write};
use std::path::{Path, PathBuf};

use manicule::output::put_whole;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyString};

/// Bytes between two calls of a writer.
const WRITE_LEN: usize = 64 << 10;

/// Where a document comes from.
pub(super) enum Input {
    /// A text, or bytes.
    Bytes(Vec<u8>),
    /// A file.
    File(PathBuf),
    /// An object with the method `read`.
    Reader(Reader),
}

impl Input {
    /// What is given by `input`, or by `path`.
    pub(super) fn of(input: Option<&Bound<'_, PyAny>>, path: Option<PathBuf>) -> PyResult<Input> {
        match (input, path) {
            (Some(input), None) => {
                if let Ok(text) = input.cast::<PyString>() {
                    return Ok(Input::Bytes(text.to_cow()?.into_owned().into_bytes()));
                }
                if let Ok(bytes) = input.cast::<PyBytes>() {
                    return Ok(Input::Bytes(bytes.as_bytes().to_vec()));
                }
                let read = input.getattr("read")?.unbind();
                Ok(Input::Reader(Reader { read, rest: Vec::new(), at: 0 }))
            }
            (None, Some(path)) => Ok(Input::File(path)),
            (None, None) => Err(PyValueError::new_err("either input or path has to be given")),
            (Some(_), Some(_)) => Err(PyValueError::new_err("input and path are both given")),
        }
    }

    /// The file.
    pub(super) fn path(&self) -> Option<&Path> {
        match self {
            Input::File(path) => Some(path),
            Input::Bytes(_) | Input::Reader(_) => None,
        }
    }

    /// A reader of the whole.
    pub(super) fn into_read(self) -> io::Result<Box<dyn Read + Send>> {
        Ok(match self {
            Input::Bytes(bytes) => Box::new(io::Cursor::new(bytes)),
            Input::File(path) => Box::new(File::open(path)?),
            Input::Reader(reader) => Box::new(reader),
        })
    }
}

/// A reader of Python's, of bytes or of text.
pub(super) struct Reader {
    read: Py<PyAny>,
    /// What was read and not taken: a text has more bytes than characters.
    rest: Vec<u8>,
    at: usize,
}

impl Read for Reader {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.at == self.rest.len() {
            let read = |py: Python<'_>| -> PyResult<Vec<u8>> {
                let got = self.read.bind(py).call1((buffer.len(),))?;
                if let Ok(bytes) = got.cast::<PyBytes>() {
                    return Ok(bytes.as_bytes().to_vec());
                }
                Ok(got.cast::<PyString>()?.to_cow()?.into_owned().into_bytes())
            };
            (self.rest, self.at) = (Python::attach(read)?, 0);
        }
        let len = { &self.rest[self.at..] }.read(buffer)?;
        self.at += len;
        Ok(len)
    }
}

/// Where a document goes.
pub(super) enum Target {
    /// To the caller.
    Returned,
    /// Into a file.
    File(PathBuf),
    /// To an object with the method `write`.
    Writer(Py<PyAny>),
}

impl Target {
    pub(super) fn of(output: Option<&Bound<'_, PyAny>>) -> PyResult<Target> {
        let Some(output) = output else { return Ok(Target::Returned) };
        match output.extract() {
            Ok(path) => Ok(Target::File(path)),
            Err(_) => Ok(Target::Writer(output.getattr("write")?.unbind())),
        }
    }

    /// The file.
    pub(super) fn path(&self) -> Option<&Path> {
        match self {
            Target::File(path) => Some(path),
            Target::Returned | Target::Writer(_) => None,
        }
    }

    /// Has `write` write the document; returns it where it has no other place. A file has its name
    /// when it is whole.
    pub(super) fn written<E: From<io::Error>>(
        self,
        write: impl FnOnce(&mut dyn Write) -> Result<(), E>,
    ) -> Result<Option<Vec<u8>>, E> {
        match self {
            Target::Returned => {
                let mut document = Vec::new();
                write(&mut document)?;
                Ok(Some(document))
            }
            Target::File(path) => put_whole(&path, |out| gathered(out, write)).map(|()| None),
            Target::Writer(writer) => gathered(Writer(writer), write).map(|()| None),
        }
    }
}

/// Has small writes gathered.
fn gathered<E: From<io::Error>>(
    out: impl Write,
    write: impl FnOnce(&mut dyn Write) -> Result<(), E>,
) -> Result<(), E> {
    let mut out = BufWriter::with_capacity(WRITE_LEN, out);
    write(&mut out)?;
    Ok(out.flush()?)
}

/// A writer of Python's.
struct Writer(Py<PyAny>);

impl Write for Writer {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        Python::attach(|py| {
            let wrote = self.0.bind(py).call1((PyBytes::new(py, bytes),))?;
            // Some say nothing of how much: all of it.
            Ok(if wrote.is_none() { bytes.len() } else { wrote.extract()? })
        })
        .map_err(|error: PyErr| error.into())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// A document for Python.
pub(super) fn returned(py: Python<'_>, document: Option<Vec<u8>>) -> Option<Bound<'_, PyBytes>> {
    document.map(|document| PyBytes::new(py, &document))
}
