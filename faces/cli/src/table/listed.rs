//! `--format` and `--output` of the commands that list: what they list is a table of the catalogue,
//! and its writers are the table's. Columns that take reading which the command doesn't do come
//! where one of its flags asks for it.

use std::path::PathBuf;

use anyhow::{Result, bail};
use manicule::answer::{Condition, Format, Test, Value};
use manicule::catalog::{Call, table};
use manicule::context::{Context, ContextOptions};

use super::format::{FORMAT_WORDS, Sheet};
use crate::command::exit;
use crate::print::Print;
use crate::receipt;

/// A command's flags, alone or within another macro such as `with_repo!`, and these two, for
/// options with a field `sheet`.
macro_rules! with_sheet {
    ($($with:ident)::+ ![$($flag:expr),* $(,)?]) => {
        $($with)::+ ![
            $($flag,)*
            crate::table::format::FORMAT.does(|o, value| o.sheet.take_format(&value)),
            crate::command::shared::OUTPUT_FILE
                .does(|o, value| { o.sheet.output = Some(value.path()); Ok(()) }),
        ]
    };
    ($($flag:expr),* $(,)?) => {
        crate::table::listed::with_sheet!(crate::table::listed::slice![$($flag),*])
    };
}
pub(crate) use with_sheet;

macro_rules! slice {
    ($($flag:expr),* $(,)?) => { &[$($flag),*] };
}
pub(crate) use slice;

/// Columns whose values take reading that no other column needs.
enum Dear {
    These(Vec<&'static str>),
    All,
}

/// A table as a command asks for it.
pub(crate) struct Listed {
    table: &'static str,
    call: Call,
    dear: Dear,
    threads: Option<usize>,
    receipt: bool,
    /// The first flag that was given and that the table has nothing for.
    refused: Option<&'static str>,
}

impl Listed {
    /// All rows of a table.
    pub(crate) fn of(table: &'static str, paths: Vec<PathBuf>) -> Listed {
        let mut call = Call::default();
        call.arguments.paths = paths;
        let dear = Dear::These(Vec::new());
        Listed { table, call, dear, threads: None, receipt: false, refused: None }
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

    /// With these of the columns that are dear too.
    pub(crate) fn dear(mut self, names: impl IntoIterator<Item = &'static str>) -> Listed {
        self.dear = Dear::These(names.into_iter().collect());
        self
    }

    /// With all columns that are dear.
    pub(crate) fn all_dear(mut self) -> Listed {
        self.dear = Dear::All;
        self
    }

    /// Rows whose value in a column fulfils a test.
    pub(crate) fn tested(mut self, column: &str, test: Test) -> Listed {
        self.call.asked.conditions.push(Condition { column: column.to_owned(), test });
        self
    }

    /// Rows with one of these texts in a column; all, where there is none.
    pub(crate) fn among(self, column: &str, texts: impl IntoIterator<Item = String>) -> Listed {
        let texts: Vec<Value> = texts.into_iter().map(Value::Text).collect();
        if texts.is_empty() { self } else { self.tested(column, Test::In(texts)) }
    }

    /// Rows with this number in a column, or a greater one.
    pub(crate) fn at_least(self, column: &str, number: u64) -> Listed {
        let number = i64::try_from(number).unwrap_or(i64::MAX);
        self.tested(column, Test::Above(Value::Int(number), true))
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

    /// With its cost on standard error, if that is asked for.
    pub(crate) fn receipt(mut self, receipt: bool) -> Listed {
        self.receipt = receipt;
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
        let Listed { table: name, mut call, dear, threads, receipt, refused } = self;
        if let Some(flag) = refused {
            bail!(
                "with --format or --output the table {name} is printed, which has nothing for {flag}"
            );
        }
        let format = match (sheet.format()?, &sheet.output) {
            (Some(format), _) => format,
            (None, None) => Format::Lined,
            // It may be a word of another program's `-o`.
            (None, Some(path)) => {
                bail!("{}: its name says no format; give --format {FORMAT_WORDS}", path.display())
            }
        };
        // The answer has a thread of its own, which is one of them.
        let threads = threads.map_or(usize::MAX, |threads| threads.saturating_sub(1));
        let context = Context::new(ContextOptions { threads, ..ContextOptions::NONE });
        let table = table(name).expect("the catalogue has it");
        if let Dear::These(names) = dear {
            let all = table.fields(&call.arguments)?.into_iter();
            let shown = all.filter(|field| !field.is_dear || names.contains(&&*field.name));
            call.asked.columns = Some(shown.map(|field| field.name.into_owned()).collect());
        }
        let mut answer = context.enter(|| table.open(&call))?;
        let row_count = sheet.write(&mut answer, format, out)?;
        if receipt {
            receipt::print_of(&answer, out)?;
        }
        Ok(exit::if_any(row_count > 0))
    }
}
