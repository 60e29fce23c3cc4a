//! Statements, asked one after the other.

use std::collections::VecDeque;
use std::io::{self, IsTerminal, Write};
use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Result, anyhow, bail};
use datafusion::execution::SendableRecordBatchStream;
use datafusion::physical_plan::stream::RecordBatchReceiverStreamBuilder;
use datafusion::prelude::SessionContext;
use datafusion::sql::parser::{DFParserBuilder, Statement};
use futures::StreamExt;
use manicule::output::put_whole;
use tokio::runtime::Runtime;
use tokio::task::JoinSet;

use crate::result::{Format, write};

/// Where rows go, and how.
pub(crate) struct Sheet {
    pub(crate) format: Format,
    pub(crate) output: Option<PathBuf>,
    /// Time after which a statement is ended.
    pub(crate) timeout: Option<Duration>,
}

/// Asks statements, and writes the rows of each.
pub(crate) struct Asker {
    pub(crate) session: SessionContext,
    /// The threads that queries are planned and run by.
    pub(crate) queries: Runtime,
    /// What waits for them, for signals and for the time: a step of a query may keep all of their
    /// threads busy for longer than whoever waits wants to.
    pub(crate) waiting: Runtime,
    pub(crate) sheet: Sheet,
}

impl Asker {
    /// Asks the statements of a text. What each answers is there before the next is asked.
    pub(crate) fn ask(&self, text: &str) -> Result<()> {
        let statements = statements(text)?;
        if self.sheet.output.is_some() && statements.len() != 1 {
            bail!("a file takes the rows of one statement, and there are {}", statements.len());
        }
        statements.into_iter().try_for_each(|statement| self.answer(statement))
    }

    fn answer(&self, statement: Statement) -> Result<()> {
        let Sheet { format, output, .. } = &self.sheet;
        let Some(path) = output else {
            let mut out = io::BufWriter::new(io::stdout().lock());
            self.wait(async {
                let rows = self.rows(statement).await?;
                // A definition has no columns.
                if !rows.schema().fields().is_empty() {
                    write(rows, *format, false, &mut out).await?;
                }
                Ok(())
            })?;
            return Ok(out.flush()?);
        };
        put_whole(path, |out| {
            self.wait(async {
                let rows = self.rows(statement).await?;
                write(rows, *format, true, out).await
            })
            .map_err(|error| io::Error::other(Told(error)))
        })
        .map_err(|error: io::Error| match error.downcast::<Told>() {
            Ok(Told(error)) => error,
            Err(error) => anyhow!("{}: {error}", path.display()),
        })
    }

    /// The rows of a statement, made by the threads for queries.
    async fn rows(&self, statement: Statement) -> Result<SendableRecordBatchStream> {
        let session = self.session.clone();
        let plan = async move {
            let plan = session.state().statement_to_plan(statement).await?;
            session.execute_logical_plan(plan).await?.execute_stream().await
        };
        let mut planning = JoinSet::new();
        planning.spawn_on(plan, self.queries.handle());
        let mut rows = planning.join_next().await.expect("it was spawned")??;
        let mut builder = RecordBatchReceiverStreamBuilder::new(rows.schema(), 1);
        let sender = builder.tx();
        let send = async move {
            while let Some(batch) = rows.next().await {
                if sender.send(batch).await.is_err() {
                    break;
                }
            }
            Ok(())
        };
        builder.spawn_on(send, self.queries.handle());
        Ok(builder.build())
    }

    /// Waits for an answer until it is there, takes too long, or Ctrl-C ends it.
    fn wait<T>(&self, answer: impl Future<Output = Result<T>>) -> Result<T> {
        let in_time = async {
            let Some(timeout) = self.sheet.timeout else { return answer.await };
            let late = |_| anyhow!("the query has taken longer than {} s", timeout.as_secs_f64());
            tokio::time::timeout(timeout, answer).await.map_err(late)?
        };
        self.waiting.block_on(async {
            tokio::select! {
                answered = in_time => answered,
                _ = tokio::signal::ctrl_c() => Err(Interrupted.into()),
            }
        })
    }
}

/// A query that Ctrl-C has ended.
#[derive(Debug)]
pub(crate) struct Interrupted;

impl std::fmt::Display for Interrupted {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("interrupted")
    }
}

impl std::error::Error for Interrupted {}

/// An error on its way through a writer of files.
#[derive(Debug)]
struct Told(anyhow::Error);

impl std::fmt::Display for Told {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.fmt(f)
    }
}

impl std::error::Error for Told {}

/// The statements of a text, as DataFusion's dialect has them.
fn statements(text: &str) -> Result<VecDeque<Statement>> {
    let statements = DFParserBuilder::new(text).build()?.parse_statements()?;
    if statements.is_empty() {
        bail!("there is no statement");
    }
    Ok(statements)
}

/// Whether standard output goes to a terminal.
pub(crate) fn is_shown() -> bool {
    io::stdout().is_terminal()
}
