//! The rows of a table while it is read: which columns are wanted, which rows are kept, and when it
//! is enough.

use std::ops::ControlFlow;

use super::column::{Batch, Column};
use super::condition::{Condition, Test};
use super::field::Field;
use crate::failure::Failure;

/// Maximum number of rows of a batch.
const BATCH_ROWS: usize = 8192;
/// Bytes of texts from which on a batch ends, about: its last row may pass it.
const BATCH_LEN: usize = 4 << 20;
/// Number of rows after which the texts of a batch are weighed again.
const WEIGHED_ROWS: usize = 64;

/// What is asked of a table beside its arguments.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Asked {
    /// Names of the columns, in the order in which they come; `None`: all.
    pub columns: Option<Vec<String>>,
    /// Conditions that each row fulfils.
    pub conditions: Vec<Condition>,
    /// Maximum number of rows.
    pub limit: Option<u64>,
}

/// A question to a table, whose columns are found when the table says them.
#[derive(Clone, Debug, Default)]
pub struct Question {
    asked: Asked,
    fields: Vec<Field>,
    /// The columns that come, by their places in the fields.
    shown: Vec<usize>,
    tests: Vec<(usize, Test)>,
    limit: u64,
}

impl Question {
    /// A question to a table of these columns.
    ///
    /// # Errors
    /// As of [`bind`](Self::bind).
    pub(crate) fn new(fields: Vec<Field>, asked: &Asked) -> Result<Question, Failure> {
        let mut question = Question::unbound(asked);
        question.bind(fields)?;
        Ok(question)
    }

    /// A question whose columns aren't known yet.
    pub(crate) fn unbound(asked: &Asked) -> Question {
        Question { asked: asked.clone(), ..Question::default() }
    }

    /// Finds the columns of the question among those of the table.
    ///
    /// # Errors
    /// A name that no column has; the error lists those that there are.
    pub fn bind(&mut self, fields: Vec<Field>) -> Result<(), Failure> {
        let asked = &self.asked;
        let place = |name: &str| {
            let found = fields.iter().position(|field| field.name == name);
            found.ok_or_else(|| {
                let names: Vec<&str> = fields.iter().map(|field| &*field.name).collect();
                Failure::asked(format!("there is no column {name}: there are {}", names.join(", ")))
            })
        };
        self.shown = match &asked.columns {
            None => (0..fields.len()).collect(),
            Some(names) => names.iter().map(|name| place(name)).collect::<Result<_, _>>()?,
        };
        let test = |condition: &Condition| {
            let at = place(&condition.column)?;
            Ok((at, condition.bound(&fields[at])?))
        };
        self.tests = asked.conditions.iter().map(test).collect::<Result<_, Failure>>()?;
        self.limit = asked.limit.unwrap_or(u64::MAX);
        self.fields = fields;
        Ok(())
    }

    /// The fields of the answer.
    pub(crate) fn shown(&self) -> Vec<Field> {
        self.shown.iter().map(|&at| self.fields[at].clone()).collect()
    }

    /// Whether the values of a column are needed: it is shown, or tested.
    pub fn wants(&self, at: usize) -> bool {
        self.shown.contains(&at) || self.tests.iter().any(|(tested, _)| *tested == at)
    }

    /// Hands the tests of a column to whoever can do without reading what fails them: those for
    /// which `takes` is true are not asked again.
    pub fn push(&mut self, at: usize, mut takes: impl FnMut(&Test) -> bool) {
        self.tests.retain(|(tested, test)| *tested != at || !takes(test));
    }
}

/// Rows that are being read.
pub struct Rows<'s> {
    columns: Vec<Option<Column>>,
    fields: Vec<Field>,
    shown: Vec<usize>,
    tests: Vec<(usize, Test)>,
    row_count: usize,
    rows_left: u64,
    /// Takes a batch; whether more are wanted.
    send: &'s mut (dyn FnMut(Batch) -> ControlFlow<()> + Send),
}

impl<'s> Rows<'s> {
    pub(super) fn new(
        question: Question,
        send: &'s mut (dyn FnMut(Batch) -> ControlFlow<()> + Send),
    ) -> Rows<'s> {
        let wanted = (0..question.fields.len()).map(|at| question.wants(at));
        let columns = wanted.zip(&question.fields);
        let columns =
            columns.map(|(is, field)| is.then(|| Column::new(field.kind.clone()))).collect();
        let Question { fields, shown, tests, limit, .. } = question;
        Rows { columns, fields, shown, tests, row_count: 0, rows_left: limit, send }
    }

    /// Whether the values of a column are needed.
    pub fn wants(&self, at: usize) -> bool {
        self.columns[at].is_some()
    }

    /// A column, if its values are needed; a row pushes one value at most.
    pub fn column(&mut self, at: usize) -> Option<&mut Column> {
        self.columns[at].as_mut()
    }

    /// Whether no row is wanted from the beginning.
    pub(super) fn is_enough(&self) -> bool {
        self.rows_left == 0
    }

    /// Pushes a number or a time.
    pub fn int(&mut self, at: usize, value: i64) {
        if let Some(column) = &mut self.columns[at] {
            column.int(value);
        }
    }

    /// Pushes a count, which no file has from 2^63 on.
    pub fn count(&mut self, at: usize, value: u64) {
        self.int(at, i64::try_from(value).unwrap_or(i64::MAX));
    }

    /// Pushes a double.
    pub fn float(&mut self, at: usize, value: f64) {
        if let Some(column) = &mut self.columns[at] {
            column.float(value);
        }
    }

    /// Pushes a boolean.
    pub fn boolean(&mut self, at: usize, value: bool) {
        if let Some(column) = &mut self.columns[at] {
            column.boolean(value);
        }
    }

    /// Pushes a text.
    pub fn text(&mut self, at: usize, text: &str) {
        if let Some(column) = &mut self.columns[at] {
            column.text(text);
        }
    }

    /// Pushes bytes that should be a text into two columns: the text, in which each byte that is
    /// not of UTF-8 is U+FFFD, and in the next column the bytes, where the text is not exact.
    pub fn name(&mut self, at: usize, bytes: &[u8]) {
        if let Some(column) = &mut self.columns[at] {
            column.lossy(bytes);
        }
        if str::from_utf8(bytes).is_err()
            && let Some(column) = &mut self.columns[at + 1]
        {
            column.bytes(bytes);
        }
    }

    /// Ends a row: what wasn't pushed lacks. Whether more rows are wanted.
    pub fn end_row(&mut self) -> ControlFlow<()> {
        for column in self.columns.iter_mut().flatten() {
            if column.len() == self.row_count {
                column.null();
            }
        }
        let is_kept = self.tests.iter().all(|(at, test)| {
            let column = self.columns[*at].as_ref().expect("a tested column is built");
            test.fulfils(column.cell(self.row_count)) == Some(true)
        });
        if !is_kept {
            self.columns.iter_mut().flatten().for_each(|column| column.truncate(self.row_count));
            return ControlFlow::Continue(());
        }
        self.row_count += 1;
        self.rows_left -= 1;
        let is_full = self.row_count >= BATCH_ROWS
            || self.row_count.is_multiple_of(WEIGHED_ROWS) && self.text_len() >= BATCH_LEN;
        if is_full || self.rows_left == 0 {
            self.flush()?;
        }
        if self.rows_left == 0 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    fn text_len(&self) -> usize {
        self.columns.iter().flatten().map(Column::text_len).sum()
    }

    /// Sends the rows that have been read; one that was begun and not ended is left out.
    pub(super) fn flush(&mut self) -> ControlFlow<()> {
        if self.row_count == 0 {
            return ControlFlow::Continue(());
        }
        self.columns.iter_mut().flatten().for_each(|column| column.truncate(self.row_count));
        let fresh = self.fields.iter().zip(&mut self.columns).map(|(field, column)| {
            column.as_mut().map(|column| std::mem::replace(column, Column::new(field.kind.clone())))
        });
        let mut full: Vec<Option<Column>> = fresh.collect();
        // A column that is shown twice is copied.
        let take = |(place, &at): (usize, &usize)| {
            let is_last = !self.shown[place + 1..].contains(&at);
            let column = if is_last { full[at].take() } else { full[at].clone() };
            column.expect("a column that is shown was built")
        };
        let columns = self.shown.iter().enumerate().map(take).collect();
        let batch = Batch { columns, row_count: std::mem::take(&mut self.row_count) };
        (self.send)(batch)
    }
}
