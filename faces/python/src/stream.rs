//! An answer as a stream of Arrow, and as rows of Python's own values.

use std::mem::take;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::Poll;

use arrow_array::ffi::FFI_ArrowArray;
use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_array::{Array, RecordBatch, RecordBatchReader, StructArray};
use arrow_schema::ffi::FFI_ArrowSchema;
use arrow_schema::{ArrowError, SchemaRef};
use manicule::Failure;
use manicule::answer::{Answer, Batches, Field};
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyDict, PyList};

use crate::calls::{LOOK_UP, is_main_thread};
use crate::errors::raised;
use crate::values::rows;

/// Columns of a table: Arrow's schema for other programs, and what each column is.
#[pyclass(frozen, module = "manicule._native")]
pub(crate) struct Schema {
    schema: SchemaRef,
    fields: Vec<Field>,
}

impl Schema {
    pub(crate) fn new(schema: SchemaRef, fields: Vec<Field>) -> Schema {
        Schema { schema, fields }
    }
}

#[pymethods]
impl Schema {
    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        capsule_of_schema(py, &self.schema)
    }

    /// Name, type, whether values may lack, whether it is dear, and what its values are, of each.
    fn columns(&self) -> Vec<(String, String, bool, bool, &'static str)> {
        let of = |field: &Field| {
            let Field { name, kind, may_be_null, is_dear, about, .. } = field;
            (name.to_string(), kind.word(), *may_be_null, *is_dear, *about)
        };
        self.fields.iter().map(of).collect()
    }
}

/// A batch of rows; it can be taken any number of times.
#[pyclass(frozen, module = "manicule._native")]
pub(crate) struct Batch {
    batch: RecordBatch,
}

#[pymethods]
impl Batch {
    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_array__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<(Bound<'py, PyCapsule>, Bound<'py, PyCapsule>)> {
        let _ = requested_schema;
        let array = FFI_ArrowArray::new(&StructArray::from(self.batch.clone()).to_data());
        let array = PyCapsule::new_with_value(py, array, c"arrow_array")?;
        Ok((capsule_of_schema(py, &self.batch.schema())?, array))
    }

    fn __len__(&self) -> usize {
        self.batch.num_rows()
    }
}

fn capsule_of_schema<'py>(py: Python<'py>, schema: &SchemaRef) -> PyResult<Bound<'py, PyCapsule>> {
    let schema = FFI_ArrowSchema::try_from(&**schema).map_err(of_arrow)?;
    PyCapsule::new_with_value(py, schema, c"arrow_schema")
}

/// An error that is none of an answer's: Arrow has no place for what is there.
fn of_arrow(error: ArrowError) -> PyErr {
    Python::attach(|py| raised(py, &failure_of(&error)))
}

/// The failure in an error of Arrow's.
fn failure_of(error: &ArrowError) -> Failure {
    let ArrowError::ExternalError(inner) = error else { return Failure::asked(error) };
    inner.downcast_ref::<Failure>().cloned().unwrap_or_else(|| Failure::asked(error))
}

/// What a reading has come to, once it is over.
#[derive(Default)]
struct End {
    receipt: Option<Vec<(&'static str, u64)>>,
    failure: Option<Failure>,
}

/// Rows that are being read; they are taken once.
#[pyclass(frozen, module = "manicule._native")]
pub(crate) struct Stream {
    schema: SchemaRef,
    batches: Mutex<Option<Watched>>,
    end: Arc<Mutex<End>>,
}

impl Stream {
    pub(crate) fn new(answer: Answer) -> Stream {
        let batches = answer.into_batches();
        let (schema, end) = (batches.schema(), Arc::default());
        let watched = Watched { batches, end: Arc::clone(&end) };
        Stream { schema, batches: Mutex::new(Some(watched)), end }
    }

    fn end(&self) -> MutexGuard<'_, End> {
        locked(&self.end)
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[pymethods]
impl Stream {
    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        capsule_of_schema(py, &self.schema)
    }

    /// Hands the rows over. The protocol lets a producer leave another schema unheeded.
    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        let _ = requested_schema;
        let stream = FFI_ArrowArrayStream::new(Box::new(self.taken(py)?));
        PyCapsule::new_with_value(py, stream, c"arrow_array_stream")
    }

    /// Names of its columns.
    fn names(&self) -> Vec<String> {
        self.schema.fields().iter().map(|field| field.name().clone()).collect()
    }

    /// The rows of the next batch, as tuples; none after the last.
    fn next_rows<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyList>>> {
        self.next(py)?.map(|batch| rows(py, &batch)).transpose()
    }

    /// The next batch; none after the last.
    fn next_batch(&self, py: Python<'_>) -> PyResult<Option<Batch>> {
        Ok(self.next(py)?.map(|batch| Batch { batch }))
    }

    /// Raises what has ended the reading before its end.
    fn check(&self, py: Python<'_>) -> PyResult<()> {
        match &self.end().failure {
            Some(failure) => Err(raised(py, failure)),
            None => Ok(()),
        }
    }

    /// Counts of the work, once it has come to its end.
    #[getter]
    fn receipt<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyDict>>> {
        let Some(counts) = self.end().receipt.clone() else { return Ok(None) };
        let receipt = PyDict::new(py);
        counts.into_iter().try_for_each(|(name, count)| receipt.set_item(name, count))?;
        Ok(Some(receipt))
    }
}

impl Stream {
    fn next(&self, py: Python<'_>) -> PyResult<Option<RecordBatch>> {
        let next = py.detach(|| locked(&self.batches).as_mut().and_then(Iterator::next));
        // A signal that has ended it raises what it raises.
        py.check_signals()?;
        next.transpose().map_err(|error| raised(py, &failure_of(&error)))
    }

    fn taken(&self, py: Python<'_>) -> PyResult<Watched> {
        let again = || raised(py, &Failure::asked("a stream is read once; its table, any time"));
        take(&mut *locked(&self.batches)).ok_or_else(again)
    }
}

/// Batches, whose reader sees signals: where Python handles them a wait for a batch looks for one,
/// and one that raises ends the reading.
struct Watched {
    batches: Batches,
    end: Arc<Mutex<End>>,
}

impl Iterator for Watched {
    type Item = Result<RecordBatch, ArrowError>;

    fn next(&mut self) -> Option<Self::Item> {
        let looks_up = is_main_thread();
        loop {
            match self.batches.next_within(LOOK_UP) {
                Poll::Ready(next) => {
                    let mut end = locked(&self.end);
                    match &next {
                        Some(Err(error)) => end.failure = Some(failure_of(error)),
                        Some(Ok(_)) => {}
                        None => end.receipt = self.batches.receipt().cloned(),
                    }
                    return next;
                }
                Poll::Pending if looks_up && is_interrupted() => {
                    let stopped = Failure::from(manicule::watch::Stopped);
                    locked(&self.end).failure = Some(stopped.clone());
                    return Some(Err(ArrowError::ExternalError(Box::new(stopped))));
                }
                Poll::Pending => {}
            }
        }
    }
}

impl RecordBatchReader for Watched {
    fn schema(&self) -> SchemaRef {
        self.batches.schema()
    }
}

/// Whether a signal has come that raises. It is raised again where its thread is back in Python:
/// whoever reads the stream has no place for an exception.
fn is_interrupted() -> bool {
    Python::attach(|py| {
        let Err(error) = py.check_signals() else { return false };
        if error.is_instance_of::<pyo3::exceptions::PyKeyboardInterrupt>(py) {
            let again = py.import("_thread").and_then(|it| it.call_method0("interrupt_main"));
            again.map_or_else(|error| error.write_unraisable(py, None), drop);
        } else {
            error.write_unraisable(py, None);
        }
        true
    })
}
