//! The formats in which a command that lists can answer, and an answer written in one of them.

use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use manicule::answer::{Answer, Format, WriteError, write};
use manicule::output::put_whole;
use manicule::tables::{TableFormat, check_built};

use crate::command::FlagValue;
use crate::command::spec::{Spec, spec};
use crate::named::format_of;
use crate::print::{Print, not_for_terminal};

/// Which columns a table has is in its page: `manicule table NAME`.
pub(crate) const FORMAT: Spec =
    spec("format", "", "Print a table as text, csv, jsonl, parquet or arrow.")
        .takes("FORMAT")
        .one_of(FORMAT_NAMES)
        .more(
            "Default: by the extension of the output file; without either, the command's own text.",
        );

pub(crate) const FORMAT_NAMES: &[&str] = &["text", "csv", "jsonl", "parquet", "arrow"];
/// What to write for one, where a name says none.
pub(super) const FORMAT_WORDS: &str = "csv, jsonl, parquet or arrow";
const FORMATS: &[Format] = &[
    Format::Lined,
    Format::Csv,
    Format::JsonLines,
    Format::Table(TableFormat::Parquet),
    Format::Table(TableFormat::ArrowFile),
];

/// Where a table goes, and as what.
#[derive(Clone, Debug, Default)]
pub(crate) struct Sheet {
    format: Option<Format>,
    pub(crate) output: Option<PathBuf>,
}

impl Sheet {
    pub(crate) fn take_format(&mut self, value: &FlagValue) -> Result<()> {
        self.format = Some(value.choice_or(FORMATS, of_ending)?);
        Ok(())
    }

    /// Whether neither format nor file was asked for.
    pub(crate) fn is_plain(&self) -> bool {
        self.format.is_none() && self.output.is_none()
    }

    /// Whether a format was asked for by its name.
    pub(crate) fn is_format_given(&self) -> bool {
        self.format.is_some()
    }

    /// The format that was asked for, by its name or by that of the file; `None`: neither was.
    pub(crate) fn format(&self) -> Result<Option<Format>> {
        let named = || format_of(self.output.as_deref(), FORMAT_WORDS, of_path);
        let format = match self.format {
            Some(format) => Some(format),
            None => named()?,
        };
        if let Some(Format::Table(_)) = format {
            check_built()?;
            not_for_terminal(self.output.as_deref())?;
        }
        Ok(format.map(|format| of_place(format, self.output.is_some())))
    }

    /// Writes an answer; returns the number of its rows.
    pub(crate) fn write(
        &self,
        answer: &mut Answer,
        format: Format,
        out: &mut Print,
    ) -> Result<u64> {
        let mut put = |out: &mut dyn Write| write(answer, format, out);
        match &self.output {
            Some(path) => put_whole::<_, WriteError>(path, |file| put(file))
                .with_context(|| path.display().to_string()),
            None => {
                out.in_pages();
                Ok(put(out)?)
            }
        }
    }
}

/// What the ending of a name says.
fn of_path(path: &Path) -> Option<Format> {
    of_ending(path.extension()?.to_str()?)
}

fn of_ending(ending: &str) -> Option<Format> {
    let ending = ending.to_ascii_lowercase();
    let ending = match &*ending {
        "json" | "ndjson" => "jsonl",
        "txt" => "text",
        ending => ending,
    };
    let at = FORMAT_NAMES.iter().position(|name| *name == ending)?;
    Some(FORMATS[at])
}

/// Arrow is a file where there is a file, otherwise a stream.
fn of_place(format: Format, is_file: bool) -> Format {
    match format {
        Format::Table(TableFormat::ArrowFile) if !is_file => {
            Format::Table(TableFormat::ArrowStream)
        }
        format => format,
    }
}
