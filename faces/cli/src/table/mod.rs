//! `manicule table`: any table of the catalogue, in any format.

pub(crate) mod format;
pub(crate) mod listed;

use std::ffi::OsString;
use std::io::Write;

use anyhow::{Result, anyhow, bail};
use manicule::answer::{Format, conditions};
use manicule::catalog::{Call, open_partition, page, table, tables};

use crate::command::flag::set;
use crate::command::near::nearest;
use crate::command::spec::spec;
use crate::command::{Command, Declared, Does, Flag, Help, Operand, Usage, exit, shared};
use crate::print::{Print, Reader};
use crate::receipt;
use crate::units::joined;
use format::{FORMAT, Sheet};

pub(crate) static COMMAND: Command = Command {
    name: "table",
    operands: "[TABLE] [PATH...]",
    summary: "print what an index lists as text, CSV, JSON lines, Parquet or Arrow",
    help: Help {
        calls: &[
            Usage { words: "", about: "Lists the tables." },
            Usage { words: "TABLE", about: "Prints the page of a table: its columns, arguments, order." },
            Usage {
                words: "[OPTIONS] TABLE PATH...",
                about: "Prints the rows of a table, such as series.labels or series.samples, of the indexes at PATH.",
            },
            Usage {
                words: "[OPTIONS] --partition TEXT",
                about: "Prints the rows of one of the parts that --partitions has printed.",
            },
        ],
        notes: "\
CONDITION is as in SQL: column = 'text', <>, <, <=, >, >=, BETWEEN, IN (..), LIKE 'a%', IS NULL, with NOT, joined by AND; a time is
a text such as '2024-04-05T10:00:00Z'. What a table can read less for is in its page, as are its ARGUMENTS. In CSV a field without
anything is null, \"\" an empty text; lists, maps and structs are JSON. Times are RFC 3339, in UTC. Arrow is a file with -o, a stream
without.",
        exit: "0 when there are rows, 1 when there are none, 2 when something failed.",
    },
    does: Does::Job(&JOB),
};

static JOB: Declared<Options> =
    Declared::of(FLAGS, Ok, Reader::Needed, answer).at_addresses().taking(&[
        Operand::Word(set!(|o, word| o.table = Some(word))),
        Operand::Paths(|o| &mut o.call.arguments.paths),
    ]);

static FLAGS: &[Flag<Options>] = &[
    spec("argument", "a", "Give an argument of the table, such as -a selector=up.")
        .takes("NAME=VALUE")
        .more("May be repeated.")
        .does(|o, value| o.take_argument(value.text()?)),
    spec("columns", "", "Print these columns, in this order; what others need isn't read.")
        .takes("NAMES")
        .does(set!(|o, value| {
            let names = value.text()?.split(',').map(|name| name.trim().to_owned());
            o.call.asked.columns.get_or_insert_default().extend(names)
        })),
    spec("where", "", "Print rows that fulfil this condition.")
        .takes("CONDITION")
        .more("May be repeated.")
        .does(set!(|o, value| o.call.asked.conditions.extend(conditions(value.text()?)?))),
    shared::LIMIT
        .here("Print at most NUM rows.")
        .does(set!(|o, value| o.call.asked.limit = Some(value.number()?))),
    spec("partitions", "", "Print how to read it in about NUM parts, a JSON object each.")
        .takes("NUM")
        .does(set!(|o, value| o.partitions = Some(value.number()?))),
    spec("partition", "", "Read the part that this object describes.")
        .takes("TEXT")
        .does(set!(|o, value| o.partition = Some(value.string()?))),
    FORMAT
        .more("Default: by the extension of the output file, else text.")
        .does(|o, value| o.sheet.take_format(&value)),
    shared::OUTPUT_FILE.does(set!(|o, value| o.sheet.output = Some(value.path()))),
    shared::RECEIPT_ASIDE.sets(|o| &mut o.receipt),
];

#[derive(Default)]
struct Options {
    table: Option<OsString>,
    call: Call,
    partitions: Option<usize>,
    partition: Option<String>,
    sheet: Sheet,
    receipt: bool,
}

impl Options {
    /// Whether something is said that only rows have.
    fn asks_rows(&self) -> bool {
        self.call != Call::default()
            || self.partitions.is_some()
            || self.receipt
            || !self.sheet.is_plain()
    }

    fn take_argument(&mut self, text: &str) -> Result<()> {
        let Some((name, value)) = text.split_once('=') else {
            bail!("-a {text}: NAME=VALUE is expected")
        };
        self.call.arguments.named.push((name.to_owned(), value.to_owned()));
        Ok(())
    }
}

fn answer(options: &Options, out: &mut Print) -> Result<u8> {
    let format = options.sheet.format()?.unwrap_or(Format::Lined);
    let mut answer = match (&options.partition, &options.table) {
        (Some(text), None) if options.call == Call::default() && options.partitions.is_none() => {
            open_partition(text)?
        }
        (Some(_), _) => bail!("a partition says its table, paths, columns and conditions itself"),
        (None, None) if options.asks_rows() => bail!("missing TABLE; `manicule table` lists them"),
        (None, None) => return list(out),
        (None, Some(name)) => {
            let name = name.to_string_lossy();
            let table = table(&name).ok_or_else(|| unknown(&name))?;
            if options.call.arguments.paths.is_empty() && !options.asks_rows() {
                write!(out, "{}", page(table)?)?;
                return Ok(exit::DONE);
            }
            if let Some(count) = options.partitions {
                if !options.sheet.is_plain() || options.receipt {
                    bail!(
                        "--partitions prints JSON lines: give a format, a file or --receipt with --partition"
                    );
                }
                for text in table.partitions(&options.call, count)? {
                    writeln!(out, "{text}")?;
                }
                return Ok(exit::DONE);
            }
            table.open(&options.call)?
        }
    };
    let row_count = options.sheet.write(&mut answer, format, out)?;
    if options.receipt {
        receipt::print_of(&answer, out)?;
    }
    Ok(exit::if_any(row_count > 0))
}

/// A line a table.
fn list(out: &mut Print) -> Result<u8> {
    for table in tables() {
        writeln!(out, "{:<18} {}", table.name, table.about)?;
    }
    Ok(exit::DONE)
}

fn unknown(name: &str) -> anyhow::Error {
    let names: Vec<&str> = tables().iter().map(|table| table.name).collect();
    match nearest(name, names.iter().copied()) {
        Some(near) => anyhow!("there is no table {name}: did you mean {near}?"),
        None => anyhow!("there is no table {name}: there are {}", joined(&names, "and")),
    }
}
