//! A table of the catalogue, and how it is opened.

use std::fmt;

use serde_json::Value as Json;

use super::arguments::{Argument, Arguments};
use super::call::Call;
use super::partition::{Partition, seen};
use crate::answer::{Answer, Field, Job, Question, produce};
use crate::failure::Failure;

/// What a table can be asked to read less for.
#[derive(Clone, Copy, Debug)]
pub struct Push {
    /// The column, or what stands for several.
    pub column: &'static str,
    /// Its conditions.
    pub tests: &'static str,
}

/// Columns that come from files or a query, in the words of a page.
#[derive(Clone, Copy, Debug)]
pub struct ByData {
    /// The column, or what stands for several.
    pub name: &'static str,
    /// Type of its values.
    pub kind: &'static str,
    /// What its values are.
    pub about: &'static str,
}

/// A table: what a verb lists.
pub struct Table {
    /// Its name: the word of the system, a dot, what a row is of.
    pub name: &'static str,
    /// What a row is, and where it is read.
    pub about: &'static str,
    /// What may be said beside the paths.
    pub arguments: &'static [Argument],
    /// Order of the rows of a partition; whether partitions follow each other in it.
    pub order: &'static str,
    /// What it can be asked to read less for; all else is tested row by row.
    pub pushes: &'static [Push],
    /// What a partition is.
    pub partition: &'static str,
    /// A question that takes a script without it, in SQL.
    pub question: &'static str,
    /// What pages say of its columns, where these come from its files or a query; of columns that
    /// it has of its own, none.
    pub by_data: &'static [ByData],
    /// Its columns, of arguments that were checked.
    pub fields: fn(&Arguments) -> Result<Vec<Field>, Failure>,
    /// Divides the table into about this number of parts, each described for `open`; null is all.
    pub split: fn(&Arguments, usize) -> Result<Vec<Json>, Failure>,
    /// Opens a part of it.
    pub open: Open,
}

/// Opens a part of a table, null for all of it: takes of the question what it can read less for.
/// Where the columns come from data, it binds the question to them: what says them is opened once.
pub type Open = fn(&Arguments, &Json, &mut Question) -> Result<Job, Failure>;

impl fmt::Debug for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

impl Table {
    /// Whether its columns are known without its files.
    pub(super) fn is_declared(&self) -> bool {
        self.by_data.is_empty()
    }

    /// Its columns: those that all calls have, and those that arguments add.
    ///
    /// # Errors
    /// An argument that the table doesn't have, or that is wrong.
    pub fn fields(&self, arguments: &Arguments) -> Result<Vec<Field>, Failure> {
        arguments.check(self.name, self.arguments)?;
        (self.fields)(arguments)
    }

    /// Those of its columns that a call asks for.
    ///
    /// # Errors
    /// Arguments, columns and conditions that are wrong.
    pub fn shown_fields(&self, call: &Call) -> Result<Vec<Field>, Failure> {
        Ok(Question::new(self.fields(&call.arguments)?, &call.asked)?.shown())
    }

    /// Opens it. What is read is read by the answer's thread.
    ///
    /// # Errors
    /// Paths that can't be opened, arguments, columns and conditions that are wrong.
    pub fn open(&self, call: &Call) -> Result<Answer, Failure> {
        self.open_part(call, &Json::Null)
    }

    pub(super) fn open_part(&self, call: &Call, part: &Json) -> Result<Answer, Failure> {
        call.arguments.check(self.name, self.arguments)?;
        let mut question = Question::unbound(&call.asked);
        if self.is_declared() {
            question.bind((self.fields)(&call.arguments)?)?;
        }
        let job = (self.open)(&call.arguments, part, &mut question)?;
        produce(question, job)
    }

    /// Divides it into about `wanted` partitions, each described by a text that `open_partition`
    /// takes, in this process or in another one that has the files.
    ///
    /// # Errors
    /// As of [`open`](Self::open).
    pub fn partitions(&self, call: &Call, wanted: usize) -> Result<Vec<String>, Failure> {
        // Columns and conditions are checked here, not by whoever gets a part.
        Question::new(self.fields(&call.arguments)?, &call.asked)?;
        let seen = seen(&call.arguments.paths)?;
        let parts = (self.split)(&call.arguments, wanted.max(1))?.into_iter();
        let text = |part| Partition { table: self.name, call, part, seen }.to_text();
        Ok(parts.map(text).collect())
    }
}
