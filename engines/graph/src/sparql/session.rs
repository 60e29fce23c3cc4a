//! One evaluation: what it has cost, what it may cost, and the first error that it met.
//!
//! The evaluator swallows errors inside expressions, so the first one is kept here and looked at
//! between rows.

use std::cell::{Cell, RefCell};
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use manicule_core::watch::Watch;
use manicule_store::context::{Context, Held};
use oxrdf::Term;

use super::error::SparqlError;

manicule_core::counts! {
    /// Cost of a query.
    pub struct QueryWork {
        /// Patterns that were looked up in the store.
        scans,
        /// Quads that these lookups gave.
        quads,
        /// Terms whose text was read.
        terms_read,
        /// Constants and computed values that were looked up among the store's terms.
        terms_found,
        /// Bytes of computed values that the store doesn't hold.
        computed_len,
        /// Bytes of rows that were put into a file, where memory was short.
        spilled_len,
        /// Counts that were asked for to put joins in order.
        estimates,
        /// Rows or triples of the answer.
        rows,
    }
}

/// What a query may cost. `u64::MAX` is no limit.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct QueryLimits {
    /// Maximum number of rows or triples of the answer.
    pub rows_max: u64,
    /// Number of rows or triples after which the answer ends: what more there is, is left out.
    pub rows_taken: u64,
    /// Maximum number of quads that the patterns may give, those between joins included: what is
    /// held in memory grows with them.
    pub quads_max: u64,
    /// Maximum number of bytes of computed values.
    pub computed_len_max: u64,
    /// Maximum memory of the tables that an evaluation holds at once, in bytes. The rows of a query
    /// that needs more are made some at a time, as they are read; ORDER BY, GROUP BY and DISTINCT
    /// at its top put rows into a file without a name, in the folder for temporary files. What
    /// needs more even so is an error: a path, one group of many values, one row that is joined
    /// with too many.
    pub memory_max: u64,
    /// The threads that may work on it.
    pub threads: QueryThreads,
}

/// Threads of a query.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct QueryThreads {
    /// Number of threads that may work on an operator at once. Of 1, all is done by the thread that
    /// asks; else that one takes what others make.
    pub count: usize,
    /// Number of rows that an operator has to work on, about, for threads to be started for it.
    pub rows_min: u64,
}

impl QueryThreads {
    /// The thread that asks.
    pub const ONE: QueryThreads = QueryThreads::of(1);

    /// A number of threads, where an operator has enough to do for them.
    pub const fn of(count: usize) -> QueryThreads {
        QueryThreads { count, rows_min: 200_000 }
    }
}

impl QueryLimits {
    /// No limits, but 1 GiB of memory; one thread.
    pub const NONE: QueryLimits = QueryLimits {
        rows_max: u64::MAX,
        rows_taken: u64::MAX,
        quads_max: u64::MAX,
        computed_len_max: u64::MAX,
        memory_max: 1 << 30,
        threads: QueryThreads::ONE,
    };
}

/// The evaluator was told to end. Why is in the session.
#[derive(Debug)]
pub(crate) struct Ended;

impl fmt::Display for Ended {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ended by the store")
    }
}

impl std::error::Error for Ended {}

/// The stored form of the literal that an expression has just looked at, if its value is written
/// otherwise. Functions of ours that are called with a plain variable find there what the evaluator
/// has turned into a value.
pub(crate) type LastRead = Arc<Mutex<Option<Term>>>;

/// State of one evaluation.
pub(crate) struct Session<'v> {
    watch: &'v Watch<'v>,
    limits: QueryLimits,
    work: Cell<QueryWork>,
    error: RefCell<Option<SparqlError>>,
    /// What its tables hold of the memory of all calls, at their most.
    held: RefCell<Held>,
    /// Whether an error was met.
    has_ended: Cell<bool>,
    /// Whether a function of the query asks for what was read last.
    wants_stored: Cell<bool>,
    last_read: LastRead,
}

/// Bytes that are taken at once of the memory of all calls.
const HELD_STEP: u64 = 64 << 10;

/// Number of quads or values after which the watch is asked: few, as the evaluator may go through
/// all of a join's other side for each.
const WATCH_EVERY: u64 = 16;

impl<'v> Session<'v> {
    pub(crate) fn new(watch: &'v Watch<'v>, limits: QueryLimits) -> Self {
        let (work, error) = (Cell::new(QueryWork::default()), RefCell::new(None));
        let held = RefCell::new(Context::current().hold_nothing());
        let (wants_stored, last_read) = (Cell::new(false), LastRead::default());
        Session {
            watch,
            limits,
            work,
            error,
            held,
            has_ended: Cell::new(false),
            wants_stored,
            last_read,
        }
    }

    pub(crate) fn work(&self) -> QueryWork {
        self.work.get()
    }

    /// Asks whether the query shall end; any thread may.
    pub(crate) fn watch(&self) -> &'v Watch<'v> {
        self.watch
    }

    /// The threads that may work on the query.
    pub(crate) fn threads(&self) -> QueryThreads {
        self.limits.threads
    }

    /// Maximum memory of tables, in bytes.
    pub(crate) fn memory_max(&self) -> u64 {
        self.limits.memory_max
    }

    /// Takes memory for tables that are `bytes` long together. It is given back with the session.
    pub(crate) fn hold(&self, bytes: u64) -> Result<(), SparqlError> {
        let max = self.limits.memory_max;
        if bytes > max {
            return Err(SparqlError::Limit { what: "bytes of memory", max });
        }
        let wanted = bytes.next_multiple_of(HELD_STEP);
        self.held.borrow_mut().raise(wanted).map_err(SparqlError::Memory)
    }

    pub(crate) fn count(&self, change: impl FnOnce(&mut QueryWork)) {
        let mut work = self.work.get();
        change(&mut work);
        self.work.set(work);
    }

    /// Keeps the first error.
    pub(crate) fn end(&self, error: impl Into<SparqlError>) -> Ended {
        self.error.borrow_mut().get_or_insert_with(|| error.into());
        self.has_ended.set(true);
        Ended
    }

    /// Whether an error was met.
    pub(crate) fn is_ended(&self) -> bool {
        self.has_ended.get()
    }

    /// The first error, once.
    pub(crate) fn take_error(&self) -> Option<SparqlError> {
        self.error.borrow_mut().take()
    }

    /// Counts a quad of a query that reads one after the other, and asks now and then whether it
    /// shall end.
    pub(crate) fn pass_quad(&self) -> Result<(), Ended> {
        self.count(|work| work.quads += 1);
        let quads = self.work.get().quads;
        let max = self.limits.quads_max;
        if quads > max {
            return Err(self.end(SparqlError::Limit { what: "quads looked up", max }));
        }
        self.look_up_every(quads)
    }

    /// Counts a term whose text is read.
    pub(crate) fn pass_term(&self) -> Result<(), Ended> {
        self.count(|work| work.terms_read += 1);
        self.look_up_every(self.work.get().terms_read)
    }

    /// Counts a computed value.
    pub(crate) fn pass_computed(&self, len: usize) -> Result<(), Ended> {
        self.count(|work| work.computed_len += len as u64);
        if self.work.get().computed_len > self.limits.computed_len_max {
            let max = self.limits.computed_len_max;
            return Err(self.end(SparqlError::Limit { what: "bytes of computed values", max }));
        }
        Ok(())
    }

    /// Whether the answer has all triples that are taken of it: a SELECT is cut in its plan.
    pub(crate) fn has_all_rows(&self) -> bool {
        self.work.get().rows >= self.limits.rows_taken
    }

    /// Counts a row of the answer.
    pub(crate) fn pass_row(&self) -> Result<(), SparqlError> {
        self.count(|work| work.rows += 1);
        if self.work.get().rows > self.limits.rows_max {
            return Err(SparqlError::Limit { what: "rows", max: self.limits.rows_max });
        }
        Ok(())
    }

    /// Counts quads that a scan gave, and asks whether the query shall end.
    pub(crate) fn pass_quads(&self, quads: u64) -> Result<(), Ended> {
        self.admit_quads(quads)?;
        self.count(|work| work.quads += quads);
        Ok(())
    }

    /// Asks whether the query shall end, of the time and of the limit if there were some more
    /// quads.
    pub(crate) fn admit_quads(&self, quads: u64) -> Result<(), Ended> {
        let max = self.limits.quads_max;
        if self.work.get().quads.saturating_add(quads) > max {
            return Err(self.end(SparqlError::Limit { what: "quads looked up", max }));
        }
        self.watch.check().map_err(|stopped| self.end(stopped))
    }

    fn look_up_every(&self, count: u64) -> Result<(), Ended> {
        // Inside an expression the evaluator takes the error for the expression's, and goes on.
        if self.is_ended() {
            return Err(Ended);
        }
        if count.is_multiple_of(WATCH_EVERY) {
            self.watch.check().map_err(|stopped| self.end(stopped))?;
        }
        Ok(())
    }

    /// Begins to keep stored forms for the functions that ask for them.
    pub(crate) fn want_stored(&self) {
        self.wants_stored.set(true);
    }

    /// Whether a function of the query wants to see stored forms.
    pub(crate) fn wants_stored(&self) -> bool {
        self.wants_stored.get()
    }

    /// Where stored forms are left.
    pub(crate) fn last_read(&self) -> &LastRead {
        &self.last_read
    }

    /// Leaves the stored form of what an expression has just read.
    pub(crate) fn leave_stored(&self, term: Option<Term>) {
        *self.last_read.lock().unwrap_or_else(PoisonError::into_inner) = term;
    }
}
