//! The plan of a query as a tree of operators, with what each was expected to give and what it
//! gave.

use super::super::session::QueryWork;

/// How far a query is explained.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Explain {
    /// Its plan, with estimates. It is not run.
    Plan,
    /// It is run to its end, and each operator measured.
    Analyze,
}

/// An explanation of a query.
#[derive(Clone, PartialEq, Debug)]
pub struct Explained {
    /// The operator that gives the answer, with those that it gets its rows from.
    pub plan: Operator,
    /// The cost: of planning alone where the query was not run.
    pub work: QueryWork,
    /// Times, where the query was run.
    pub times: Option<QueryTimes>,
}

/// How long a query took.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct QueryTimes {
    /// Nanoseconds from the text to the first operator.
    pub planning_ns: u64,
    /// Nanoseconds from the text to the end of the last row, whose terms were read and not written.
    pub total_ns: u64,
}

/// Part of a plan.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Operator {
    /// What it does, such as `join`, `pattern` or `group`.
    pub name: String,
    /// Its pattern, variables or expression.
    pub detail: String,
    /// Number of rows that it was expected to give; none where nothing is known.
    pub estimate: Option<u64>,
    /// The way that is chosen when it runs, such as `2. hash join` of a pattern that is joined as
    /// the second one: the one that is expected, if it was not run.
    pub way: Option<String>,
    /// What it did, if it was run.
    pub done: Option<Done>,
    /// The operators that it gets rows from.
    pub inside: Vec<Operator>,
}

/// What an operator did.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Done {
    /// Number of rows that it gave, over all of its evaluations.
    pub rows: u64,
    /// Number of quads that it looked up, if it looks up any.
    pub quads: Option<u64>,
    /// Bytes of the columns that it made; none where a row is gone when the next one comes.
    pub bytes: Option<u64>,
    /// Nanoseconds, those of the operators inside included.
    pub time_ns: u64,
    /// Number of threads that worked on it at once.
    pub threads: usize,
}

impl Operator {
    /// Nanoseconds that it took without the operators inside.
    pub fn own_ns(&self) -> u64 {
        let time = |operator: &Operator| operator.done.map_or(0, |done| done.time_ns);
        time(self).saturating_sub(self.inside.iter().map(time).sum())
    }
}
