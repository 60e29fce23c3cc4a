//! Rows of a batch as Python's own values.

use arrow_array::cast::AsArray;
use arrow_array::types::{
    Date32Type, Decimal128Type, Float32Type, Float64Type, Int8Type, Int16Type, Int32Type,
    Int64Type, Time64NanosecondType, TimestampMicrosecondType, TimestampMillisecondType,
};
use arrow_array::{Array, ArrowPrimitiveType, RecordBatch};
use arrow_schema::{DataType, TimeUnit};
use pyo3::IntoPyObjectExt;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyBytes, PyDict, PyList, PyTuple};

type Value<'py> = Bound<'py, PyAny>;

/// The rows of a batch, each a tuple.
pub(crate) fn rows<'py>(py: Python<'py>, batch: &RecordBatch) -> PyResult<Bound<'py, PyList>> {
    let columns = batch.columns().iter().map(|column| values(py, column));
    let columns = columns.collect::<PyResult<Vec<_>>>()?;
    let row = |at: usize| PyTuple::new(py, columns.iter().map(|column| &column[at]));
    let rows = (0..batch.num_rows()).map(row).collect::<PyResult<Vec<_>>>()?;
    PyList::new(py, rows)
}

/// The values of an array.
fn values<'py>(py: Python<'py>, array: &dyn Array) -> PyResult<Vec<Value<'py>>> {
    let none = || py.None().into_bound(py);
    let each = |value: &dyn Fn(usize) -> PyResult<Value<'py>>| {
        let at = |at| if array.is_null(at) { Ok(none()) } else { value(at) };
        (0..array.len()).map(at).collect::<PyResult<Vec<_>>>()
    };
    match array.data_type() {
        DataType::Boolean => each(&|at| array.as_boolean().value(at).into_bound_py_any(py)),
        DataType::Int8 => each(&|at| int::<Int8Type>(py, array, at)),
        DataType::Int16 => each(&|at| int::<Int16Type>(py, array, at)),
        DataType::Int32 => each(&|at| int::<Int32Type>(py, array, at)),
        DataType::Int64 => each(&|at| int::<Int64Type>(py, array, at)),
        DataType::Float32 => each(&|at| int::<Float32Type>(py, array, at)),
        DataType::Float64 => each(&|at| int::<Float64Type>(py, array, at)),
        DataType::Decimal128(..) => {
            let decimal = maker(py, &DECIMAL, "decimal", "Decimal")?;
            let decimals = array.as_primitive::<Decimal128Type>();
            each(&|at| decimal.call1((decimals.value_as_string(at),)))
        }
        DataType::Utf8 => each(&|at| array.as_string::<i32>().value(at).into_bound_py_any(py)),
        DataType::Binary => {
            each(&|at| Ok(PyBytes::new(py, array.as_binary::<i32>().value(at)).into_any()))
        }
        DataType::FixedSizeBinary(_) => {
            let uuid = maker(py, &UUID, "uuid", "UUID")?;
            let bytes = array.as_fixed_size_binary();
            each(&|at| uuid.call1((py.None(), PyBytes::new(py, bytes.value(at)))))
        }
        DataType::Dictionary(..) => {
            let words = array.as_dictionary::<Int32Type>();
            let texts = values(py, words.values())?;
            each(&|at| Ok(texts[words.keys().value(at) as usize].clone()))
        }
        DataType::Date32 => {
            let date = maker(py, &DATE, "manicule._values", "date")?;
            each(&|at| date.call1((array.as_primitive::<Date32Type>().value(at),)))
        }
        DataType::Time64(_) => {
            let time = maker(py, &TIME, "manicule._values", "time")?;
            each(&|at| time.call1((array.as_primitive::<Time64NanosecondType>().value(at),)))
        }
        DataType::Timestamp(unit, zone) => {
            let instant = maker(py, &INSTANT, "manicule._values", "instant")?;
            each(&|at| {
                let number = match unit {
                    TimeUnit::Millisecond => {
                        array.as_primitive::<TimestampMillisecondType>().value(at)
                    }
                    _ => array.as_primitive::<TimestampMicrosecondType>().value(at),
                };
                instant.call1((number, *unit == TimeUnit::Millisecond, zone.is_some()))
            })
        }
        DataType::List(_) => {
            let lists = array.as_list::<i32>();
            each(&|at| Ok(PyList::new(py, values(py, &lists.value(at))?)?.into_any()))
        }
        DataType::FixedSizeList(..) => {
            let lists = array.as_fixed_size_list();
            each(&|at| Ok(PyList::new(py, values(py, &lists.value(at))?)?.into_any()))
        }
        DataType::Map(..) => {
            let maps = array.as_map();
            each(&|at| {
                let pairs = maps.value(at);
                let [keys, own] = [pairs.column(0), pairs.column(1)];
                let map = PyDict::new(py);
                for (key, value) in values(py, keys)?.into_iter().zip(values(py, own)?) {
                    map.set_item(key, value)?;
                }
                Ok(map.into_any())
            })
        }
        DataType::Struct(fields) => {
            let parts = array.as_struct();
            let columns = parts.columns().iter().map(|part| values(py, part));
            let columns = columns.collect::<PyResult<Vec<_>>>()?;
            each(&|at| {
                let own = PyDict::new(py);
                for (field, column) in fields.iter().zip(&columns) {
                    own.set_item(field.name(), &column[at])?;
                }
                Ok(own.into_any())
            })
        }
        other => unreachable!("no column of a table is {other}"),
    }
}

fn int<'py, T>(py: Python<'py>, array: &dyn Array, at: usize) -> PyResult<Value<'py>>
where
    T: ArrowPrimitiveType,
    T::Native: IntoPyObject<'py>,
{
    array.as_primitive::<T>().value(at).into_bound_py_any(py)
}

static DECIMAL: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
static UUID: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
static DATE: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
static TIME: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
static INSTANT: PyOnceLock<Py<PyAny>> = PyOnceLock::new();

/// What makes values of a type, imported once.
fn maker<'py>(
    py: Python<'py>,
    kept: &'static PyOnceLock<Py<PyAny>>,
    module: &str,
    name: &str,
) -> PyResult<&'py Bound<'py, PyAny>> {
    kept.import(py, module, name)
}
