//! Tables in Python and in SQL, beside what users pick today: what the wheel's readings take, its
//! weight, and SQL beside DuckDB. A script measures, in an environment with the wheel.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};
use lexopt::ValueExt;
use serde::Deserialize;

use crate::findings::Findings;
use crate::kind::{Common, Kind, Run, whole};
use crate::programs;
use crate::table::{Sense, Table, Target};

/// The kind, for the bench's table.
pub(crate) const KIND: Kind = Kind {
    name: "tables",
    help: "tables into pyarrow, polars, DuckDB and pandas, and SQL, beside dumps and DuckDB",
    usage: USAGE,
    commands: &[],
    run,
};

const USAGE: &str = "\
usage: manicule-bench tables [OPTION...]

Reads tables into libraries of Python by the wheel, beside the dumps that users parse today, and
asks 10 M samples in SQL, beside DuckDB over Parquet.

  --manicule PROGRAM  our program; built now if it isn't given
  --sql PROGRAM       manicule-sql; SQL is left out without it
  --corpora FOLDER    where data are kept between runs
  --turns N           runs of each row (3)
  --save              keep the run in proof/runs";

/// Cassandra whose dumps are read.
const CASSANDRA: &str = "5.0.3";

/// What the script has found.
#[derive(Deserialize)]
struct Found {
    tables: Vec<FoundTable>,
    checks: Vec<FoundCheck>,
    left_out: Vec<String>,
}

#[derive(Deserialize)]
struct FoundTable {
    title: String,
    note: String,
    head: Vec<String>,
    rows: Vec<Vec<String>>,
}

#[derive(Deserialize)]
struct FoundCheck {
    what: String,
    measure: String,
    sense: String,
    least: f64,
    label: String,
    figure: f64,
}

fn run(words: Vec<OsString>) -> Result<()> {
    let (mut sql, mut corpora, mut turns) = (None::<PathBuf>, None::<PathBuf>, 3_u64);
    let common = Common::parse(words, &mut |name, parser| {
        match name {
            "sql" => sql = Some(parser.value()?.into()),
            "corpora" => corpora = Some(parser.value()?.into()),
            "turns" => turns = parser.value()?.parse()?,
            _ => return Ok(false),
        }
        Ok(true)
    })?;
    let run = Run::begin(common)?;
    let mut findings = Findings::default();
    let python = programs::built(&run.repository, "tables", &[])?.join("bin/python");
    let folder = run.corpora(corpora.as_deref())?.join("tables");
    let mut measure = Command::new(python);
    measure.arg(run.repository.join("proof/bench/peers/tables/speed.py"));
    measure.arg("--manicule").arg(run.manicule()?).arg("--folder").arg(folder);
    measure.arg("--turns").arg(turns.to_string());
    if let Some(sql) = sql {
        measure.arg("--sql").arg(whole(&sql)?);
    }
    for (option, peers, words, program) in [
        ("--promtool", "series", &["promtool"][..], "promtool"),
        ("--restic", "restic", &["0.19.1", "restic"], "restic"),
        ("--cassandra", "cassandra", &[CASSANDRA], ""),
    ] {
        match programs::built(&run.repository, peers, words) {
            Ok(folder) => drop(measure.arg(option).arg(joined(&folder, program))),
            Err(error) => findings.left_out(format!("{peers}: {error:#}")),
        }
    }
    let output = measure.stdin(Stdio::null()).stderr(Stdio::inherit()).output()?;
    if !output.status.success() {
        bail!("speed.py ended with {}", output.status);
    }
    take(serde_json::from_slice(&output.stdout).context("what speed.py prints")?, &mut findings)?;
    run.end_in_cache("tables", "tables in Python and SQL", &[], &findings)
}

fn joined(folder: &Path, program: &str) -> PathBuf {
    if program.is_empty() { folder.to_owned() } else { folder.join(program) }
}

/// Takes over what the script has found.
fn take(found: Found, findings: &mut Findings) -> Result<()> {
    let Found { tables, checks, left_out } = found;
    left_out.into_iter().for_each(|what| findings.left_out(what));
    for FoundTable { title, note, head, rows } in tables {
        let head: Vec<&str> = head.iter().map(String::as_str).collect();
        let mut table = Table::new(title, &note, &head);
        rows.into_iter().for_each(|row| table.row(row));
        findings.tables.push(table);
    }
    for FoundCheck { what, measure, sense, least, label, figure } in checks {
        let sense = match sense.as_str() {
            "at least" => Sense::AtLeast,
            "at most" => Sense::AtMost,
            other => bail!("{what}: the target is {other:?}"),
        };
        let target = Target { sense, least, stretch: least };
        findings.check(&what, &measure, target, &label, Some(figure));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_script_prints_becomes_tables_and_checks() {
        let printed = r#"{"tables": [{"title": "t", "note": "", "head": ["a", "b"], "rows": [["x", "1"]]}],
            "checks": [{"what": "w", "measure": "m", "sense": "at most", "least": 2, "label": "l", "figure": 1.5}],
            "left_out": ["nothing"]}"#;
        let mut findings = Findings::default();
        take(serde_json::from_str(printed).unwrap(), &mut findings).unwrap();
        assert_eq!(findings.tables[0].rows, [["x", "1"]]);
        assert_eq!(findings.checks[0].figures, [("l".to_owned(), 1.5)]);
        assert_eq!(findings.left_out, ["nothing"]);
        let strange = printed.replace("at most", "about");
        let error = take(serde_json::from_str(&strange).unwrap(), &mut findings).unwrap_err();
        assert_eq!(error.to_string(), "w: the target is \"about\"");
    }
}
