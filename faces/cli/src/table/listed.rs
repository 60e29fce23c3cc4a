//! `--format` and `--output` of the commands that list: what they list is a table of the catalogue,
//! and its writers are the table's.

use std::path::PathBuf;

use anyhow::{Result, bail};
use manicule::answer::{Condition, Format, Test, Value};
use manicule::catalog::{Call, table};
use manicule::context::{Context, ContextOptions};

use super::format::Sheet;
use crate::command::exit;
use crate::print::Print;

/// A table as a command asks for it.
pub(crate) struct Listed {
    table: &'static str,
    call: Call,
    threads: Option<usize>,
    /// The first flag that was given and that the table has nothing for.
    refused: Option<&'static str>,
}

impl Listed {
    /// All of a table.
    pub(crate) fn of(table: &'static str, paths: Vec<PathBuf>) -> Listed {
        let mut call = Call::default();
        call.arguments.paths = paths;
        Listed { table, call, threads: None, refused: None }
    }

    /// With these values of an argument.
    pub(crate) fn with<V: ToString>(
        mut self,
        name: &str,
        values: impl IntoIterator<Item = V>,
    ) -> Listed {
        let named = values.into_iter().map(|value| (name.to_owned(), value.to_string()));
        self.call.arguments.named.extend(named);
        self
    }

    /// Rows with one of these texts in a column; all, where there is none.
    pub(crate) fn among(mut self, column: &str, texts: impl IntoIterator<Item = String>) -> Listed {
        let texts: Vec<Value> = texts.into_iter().map(Value::Text).collect();
        if !texts.is_empty() {
            let (column, test) = (column.to_owned(), Test::In(texts));
            self.call.asked.conditions.push(Condition { column, test });
        }
        self
    }

    /// At most this number of rows.
    pub(crate) fn limit(mut self, limit: Option<u64>) -> Listed {
        self.call.asked.limit = limit;
        self
    }

    /// Read by at most this number of threads.
    pub(crate) fn threads(mut self, threads: Option<usize>) -> Listed {
        self.threads = threads;
        self
    }

    /// Refuses flags that were given and say something of the command's own output alone.
    pub(crate) fn refuse(mut self, flags: &[(&'static str, bool)]) -> Listed {
        let given = flags.iter().find(|(_, is_given)| *is_given);
        self.refused = self.refused.or(given.map(|(flag, _)| *flag));
        self
    }

    /// Prints it.
    pub(crate) fn print(self, sheet: &Sheet, out: &mut Print) -> Result<u8> {
        let Listed { table: name, call, threads, refused } = self;
        if let Some(flag) = refused {
            bail!(
                "with --format or --output the table {name} is printed, which has nothing for {flag}"
            );
        }
        let format = sheet.format()?.unwrap_or(Format::Lined);
        // The answer has a thread of its own, which is one of them.
        let threads = threads.map_or(usize::MAX, |threads| threads.saturating_sub(1));
        let context = Context::new(ContextOptions { threads, ..ContextOptions::NONE });
        let table = table(name).expect("the catalogue has it");
        let mut answer = context.enter(|| table.open(&call))?;
        Ok(exit::if_any(sheet.write(&mut answer, format, out)? > 0))
    }
}
