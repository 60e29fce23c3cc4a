//! Results of the row groups of a kind, and the files kept of a run.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result};
use serde::Serialize;

use crate::machine::Machine;
use crate::measure::Series;
use crate::page;
use crate::table::{Check, Table, Target};

/// Results of the row groups.
#[derive(Default, Serialize)]
pub(crate) struct Findings {
    pub(crate) tables: Vec<Table>,
    pub(crate) checks: Vec<Check>,
    /// Every sample, by `corpus/group/row`.
    pub(crate) raw: Vec<(String, Vec<Series>)>,
    pub(crate) left_out: Vec<String>,
    /// Rows whose answers were not the judge's.
    pub(crate) different: Vec<String>,
}

/// Whether a run is kept in the repository.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum Save {
    #[default]
    Nowhere,
    Runs,
}

/// Contents of `raw.json`.
#[derive(Serialize)]
struct Kept<'a> {
    machine: &'a Machine,
    findings: &'a Findings,
}

impl Findings {
    /// Records a measurement that was left out, and why.
    pub(crate) fn left_out(&mut self, what: impl Into<String>) {
        let what = what.into();
        eprintln!("left out: {what}");
        self.left_out.push(what);
    }

    /// Adds a figure to the check of that name, made if it doesn't exist.
    pub(crate) fn check(
        &mut self,
        what: &str,
        measure: &str,
        target: Target,
        label: &str,
        figure: Option<f64>,
    ) {
        let Some(figure) = figure else { return };
        let figure = (label.to_owned(), figure);
        let known =
            self.checks.iter_mut().find(|check| check.what == what && check.measure == measure);
        match known {
            Some(check) => check.figures.push(figure),
            None => self.checks.push(Check {
                what: what.to_owned(),
                measure: measure.to_owned(),
                target,
                figures: vec![figure],
            }),
        }
    }

    /// Prints the report, and keeps the run if that is wanted.
    pub(crate) fn report(
        &self,
        kind: &str,
        repository: &Path,
        machine: &Machine,
        summary: &str,
        save: Save,
    ) -> Result<()> {
        println!("{summary}");
        match save {
            Save::Nowhere => Ok(()),
            Save::Runs => self.save(kind, repository, machine, summary),
        }
    }

    /// Writes `README.md` and `raw.json` into a new folder of `proof/runs`.
    fn save(&self, kind: &str, repository: &Path, machine: &Machine, summary: &str) -> Result<()> {
        let runs = repository.join("proof/runs");
        let letters = ('b'..='z').map(|letter| format!("-{letter}"));
        let folder = std::iter::once(String::new())
            .chain(letters)
            .map(|suffix| runs.join(format!("{}-{kind}{suffix}", machine.date)))
            .find(|folder| !folder.exists())
            .context("26 runs of one day are enough")?;
        fs::create_dir_all(&folder)?;
        fs::write(folder.join("README.md"), summary)?;
        let raw = serde_json::to_string(&Kept { machine, findings: self })?;
        // One series a line: a diff of two runs stays readable.
        fs::write(folder.join("raw.json"), raw.replace("[\"", "\n[\"") + "\n")?;
        let name = folder.file_name().unwrap_or_default().to_string_lossy();
        eprintln!("saved in proof/runs/{name}");
        page::write(repository)
    }
}
