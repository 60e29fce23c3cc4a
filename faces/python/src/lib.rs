//! The native half of the package `manicule`: calls to the façade off Python's lock, tables as
//! streams of Arrow, exceptions by class. What users see is in python/manicule.

mod arguments;
mod calls;
mod catalog;
mod errors;
mod graph;
mod inspect;
mod program;
mod stream;
mod values;

use pyo3::prelude::*;

/// The native half of manicule.
#[pymodule(gil_used = true)]
mod _native {
    #[pymodule_export]
    use super::calls::{after_fork, limit};
    #[pymodule_export]
    use super::catalog::{catalog, fields, open, open_partition, partitions};
    #[pymodule_export]
    use super::graph::{
        BlankNode, Dataset, DefaultGraph, Literal, NamedNode, Quad, QuadIterator, QuadParser,
        QueryBoolean, QueryResultsFormat, QuerySolution, QuerySolutions, QueryTriples, RdfFormat,
        Store, Transaction, Triple, Variable, parse, parse_query_results, serialize,
    };
    #[pymodule_export]
    use super::inspect::{inspect, verify};
    #[pymodule_export]
    use super::program::run_program;
    #[pymodule_export]
    use super::stream::{Batch, Schema, Stream};

    use super::*;

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        super::calls::know_main_thread(module.py())?;
        module.add("version", env!("CARGO_PKG_VERSION"))
    }
}
