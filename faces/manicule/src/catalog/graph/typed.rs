//! Solutions in columns of the types of their values.

use std::env;
use std::ops::ControlFlow;

use manicule_core::watch::Watch;

use super::asked::Asked;
use crate::answer::{Field, Receipt, Rows};
use crate::failure::Failure;
use crate::graph::{ColumnTypes, Error, ListedTerm, Stage, StagedKind, Typed, Value, push};

/// An answer that is held, as its last row decides the types of its columns.
pub(super) struct TypedSolutions {
    stage: Stage,
    typed: Typed,
    count: u64,
}

impl TypedSolutions {
    /// Asks a query for these variables: when it returns, the query has ended. A panic is an error,
    /// as it is of what an answer's thread does.
    pub(super) fn of(asked: &Asked, names: &[String]) -> Result<TypedSolutions, Failure> {
        Failure::caught(|| TypedSolutions::ask(asked, names))
    }

    fn ask(asked: &Asked, names: &[String]) -> Result<TypedSolutions, Failure> {
        let mut stage = Stage::new(names.len(), &env::temp_dir());
        let mut failed = None;
        let count = asked.each(&Watch::none(), &mut |terms| match add(&mut stage, terms) {
            Ok(()) => ControlFlow::Continue(()),
            Err(error) => {
                failed = Some(error);
                ControlFlow::Break(())
            }
        })?;
        if let Some(error) = failed {
            return Err(error.into());
        }
        stage.end()?;
        let typed = Typed::new(names, &stage, ColumnTypes::OfValues);
        Ok(TypedSolutions { stage, typed, count })
    }

    pub(super) fn fields(&self) -> Vec<Field> {
        self.typed.fields.clone()
    }

    /// Pushes its rows.
    pub(super) fn list(
        mut self,
        rows: &mut Rows<'_>,
        watch: &Watch<'_>,
    ) -> Result<Receipt, Failure> {
        let receipt = vec![("rows", self.count)];
        while let Some(chunk) = self.stage.next()? {
            watch.check()?;
            let of = |at: usize| chunk.values(at);
            let mut all: Vec<_> = self.typed.of.iter().map(|(at, _)| of(*at)).collect();
            for _ in 0..chunk.row_count() {
                for (at, values) in all.iter_mut().enumerate() {
                    if let (Some(value), Some(column)) = (values.next().flatten(), rows.column(at))
                    {
                        push(column, self.typed.of[at].1, &self.stage, value);
                    }
                }
                if rows.end_row().is_break() {
                    return Ok(receipt);
                }
            }
        }
        Ok(receipt)
    }
}

fn add(stage: &mut Stage, terms: &[Option<ListedTerm>]) -> Result<(), Error> {
    for (at, term) in terms.iter().enumerate() {
        let value = term.as_ref().map(|ListedTerm { text, kind }| {
            let kind = StagedKind::of_text(kind);
            Value { kind, text }
        });
        stage.push(at, value)?;
    }
    stage.end_row()
}
