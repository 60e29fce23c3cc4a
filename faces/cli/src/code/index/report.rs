//! Reports of `manicule code index` and `manicule code git-index`.

use std::fmt::Write as _;
use std::io::Write;
use std::time::Duration;

use anyhow::Result;
use manicule::code::IndexCall;
use manicule::code::git::GitReport;
use manicule::code::index::Skip;
use manicule::code::json::{Indexed, IndexedShard, OfCommits};
use serde_json::json;

use crate::messages::say;
use crate::print::{self, Form, Print};
use crate::units::{counted, human_len};

/// A run that is done.
pub(super) struct Done {
    pub(super) repository: String,
    pub(super) report: GitReport,
    pub(super) of: Of,
}

/// What was indexed.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Of {
    Folder,
    Repository,
}

impl Done {
    /// Says what is likely not what was meant.
    pub(super) fn warn(&self, call: &IndexCall) {
        for note in &self.report.notes {
            say(note);
        }
        let report = &self.report.index;
        if report.document_count == 0 && !self.report.is_delta {
            say(&format_args!(
                "{}: no file is indexed: {} has none, or rules leave all out",
                call.folder.display(),
                if self.of == Of::Folder { "the folder" } else { "its commit" }
            ));
        }
        if let Some(first) = &report.first_failure {
            let count = counted(report.without_symbols, "document");
            say(&format_args!("{count} without symbols: {first}"));
        }
    }

    pub(super) fn tell(
        &self,
        call: &IndexCall,
        took: Duration,
        form: Form,
        out: &mut Print,
    ) -> Result<()> {
        match form {
            Form::Nothing => Ok(()),
            Form::Text => Ok(out.write_all(self.as_text(call, took)?.as_bytes())?),
            Form::Json => self.print_json(call, took, out),
        }
    }

    fn as_text(&self, call: &IndexCall, took: Duration) -> Result<String> {
        let mut out = String::new();
        let (name, report) = (&self.repository, &self.report.index);
        let took = format!("{:.1} s", took.as_secs_f64());
        match (report.is_unchanged, self.report.is_delta) {
            (true, _) => write!(out, "unchanged: {name}, ")?,
            (_, true) => write!(out, "added what has changed in {name}: ")?,
            _ => write!(out, "indexed {name}: ")?,
        }
        write!(out, "{}", counted(report.document_count, "document"))?;
        if self.report.kept > 0 {
            write!(out, ", {} of them as they were", self.report.kept)?;
        }
        if report.symbol_count > 0 {
            write!(out, ", {}", counted(report.symbol_count, "symbol"))?;
        }
        write!(out, ", {} of text, {}", human_len(report.text_len), took)?;
        writeln!(out, "{}", if report.is_unchanged { "; --force writes it again" } else { "" })?;
        if let Some(before) = &report.replaced {
            writeln!(out, "replaces {name}, which was made from {before}")?;
        }
        for shard in &report.shards {
            let documents = counted(shard.document_count, "document");
            let path = shard.path.display();
            writeln!(out, "{:>9}  {documents:>16}  {path}", human_len(shard.len))?;
        }
        for path in &report.tombstones {
            writeln!(out, "tombstone of {name} in {}", path.display())?;
        }
        for (skip, count) in &report.skipped {
            writeln!(out, "{count} without contents: {}", reason(*skip, call))?;
        }
        Ok(out)
    }

    fn print_json(&self, call: &IndexCall, took: Duration, out: &mut Print) -> Result<()> {
        let (repository, report) = (&*self.repository, &self.report.index);
        for shard in &report.shards {
            out.report("shard", IndexedShard { repository, shard })?;
        }
        let mut run = match self.of {
            Of::Folder => json!({ "unread": report.is_unread }),
            Of::Repository => print::json(OfCommits(&self.report)),
        };
        run["took_ms"] = (took.as_millis() as u64).into();
        let indexed = Indexed { repository, call, report };
        Ok(out.row("summary", print::json_with(indexed, run))?)
    }
}

/// Why documents are stored without contents, and what would take them in.
fn reason(skip: Skip, call: &IndexCall) -> String {
    let limits = &call.limits;
    match skip {
        Skip::TooLarge => format!(
            "longer than {} bytes; -large_file GLOB or -file_limit takes them in",
            limits.size_max
        ),
        Skip::TooManyTrigrams => format!(
            "more than {} distinct trigrams; -large_file GLOB or -max_trigram_count takes them in",
            limits.trigrams_max
        ),
        Skip::Binary => "they hold a NUL".to_owned(),
        Skip::TooSmall => "shorter than three bytes".to_owned(),
    }
}
