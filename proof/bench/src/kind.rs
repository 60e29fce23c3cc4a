//! The shared parts of the kinds of the bench: the options that all have, the folders of a run, its
//! report.

use std::ffi::OsString;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use lexopt::{Arg, Parser};

use crate::findings::{Findings, Save};
use crate::machine::{self, Machine, Scratch};
use crate::table::verdicts_table;
use crate::{programs, sys};

/// Takes the words after its name.
pub(crate) type Main = fn(Vec<OsString>) -> Result<()>;

/// A kind: rows of one subject, as the bench's first word names it.
pub(crate) struct Kind {
    pub(crate) name: &'static str,
    /// One line of help.
    pub(crate) help: &'static str,
    /// The whole help.
    pub(crate) usage: &'static str,
    /// What else its first word may name, measured processes most of all.
    pub(crate) commands: &'static [(&'static str, Main)],
    /// Measures.
    pub(crate) run: Main,
}

impl Kind {
    /// Runs the kind, or the command that the first word names.
    pub(crate) fn main(&self, mut words: Vec<OsString>) -> Result<()> {
        let first = words.first().and_then(|word| word.to_str()).unwrap_or("-").to_owned();
        if !first.starts_with('-') {
            let command = self.commands.iter().find(|(name, _)| *name == first);
            let unknown = || format!("{} has no command {first}\n\n{}", self.name, self.usage);
            return (command.with_context(unknown)?.1)(words.split_off(1));
        }
        (self.run)(words)
            .or_else(|error| error.downcast::<HelpWanted>().map(|_| println!("{}", self.usage)))
    }
}

/// Help was wanted, and no measurement.
#[derive(Debug)]
pub(crate) struct HelpWanted;

impl std::fmt::Display for HelpWanted {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("help was wanted")
    }
}

impl std::error::Error for HelpWanted {}

/// The options that every kind has.
#[derive(Default)]
pub(crate) struct Common {
    /// Our program as it is; built now if none is given.
    manicule: Option<PathBuf>,
    save: Save,
}

impl Common {
    /// Reads a command line. `own` is asked about the name of each option that not all kinds have,
    /// and returns whether it knows it. [`HelpWanted`] is an error.
    pub(crate) fn parse(
        words: Vec<OsString>,
        own: &mut dyn FnMut(&str, &mut Parser) -> Result<bool>,
    ) -> Result<Common> {
        let mut common = Common::default();
        let mut parser = Parser::from_args(words);
        while let Some(word) = parser.next()? {
            let name = match word {
                Arg::Short('h') | Arg::Long("help") => return Err(HelpWanted.into()),
                Arg::Long(name) => name.to_owned(),
                other => return Err(other.unexpected().into()),
            };
            match name.as_str() {
                "manicule" => common.manicule = Some(parser.value()?.into()),
                "save" => common.save = Save::Runs,
                name if own(name, &mut parser)? => {}
                name => bail!("invalid option '--{name}'"),
            }
        }
        Ok(common)
    }
}

/// The names of a list with commas, in the order of `all`. An error names the option and the
/// possible names.
pub(crate) fn chosen(option: &str, list: &str, all: &[&str]) -> Result<Vec<String>> {
    let asked: Vec<&str> = list.split(',').collect();
    if let Some(unknown) = asked.iter().find(|name| !all.contains(name)) {
        bail!("{option} {unknown}: it takes {}", all.join(", "));
    }
    Ok(all.iter().filter(|name| asked.contains(name)).map(|&name| name.to_owned()).collect())
}

/// The groups of rows that a list names, of all with their functions.
pub(crate) fn groups<F: Copy>(
    option: &str,
    list: &str,
    all: &[(&'static str, F)],
) -> Result<Vec<(&'static str, F)>> {
    let names: Vec<&str> = all.iter().map(|(name, _)| *name).collect();
    let chosen = chosen(option, list, &names)?;
    Ok(all.iter().filter(|(name, _)| chosen.iter().any(|one| one == name)).copied().collect())
}

/// Measures groups of rows. What others measured isn't lost for an error of one.
pub(crate) fn measure<B>(
    bench: &B,
    groups: &[(&str, impl Fn(&B, &mut Findings) -> Result<()>)],
    findings: &mut Findings,
) {
    for (name, rows) in groups {
        eprintln!("{name}");
        if let Err(error) = rows(bench, findings) {
            findings.left_out(format!("the rest of {name}: {error:#}"));
        }
    }
}

/// A path that is valid wherever a process runs.
pub(crate) fn whole(path: &Path) -> Result<PathBuf> {
    path.canonicalize().with_context(|| path.display().to_string())
}

/// A run of a kind on this machine.
pub(crate) struct Run {
    pub(crate) repository: PathBuf,
    /// Folder where trees and peers are kept between runs.
    pub(crate) cache: PathBuf,
    scratch: Scratch,
    common: Common,
}

impl Run {
    /// Begins a run: from here on processes that lose their parent become ours.
    pub(crate) fn begin(common: Common) -> Result<Run> {
        sys::adopt_orphans();
        let cache = machine::cache_folder()?;
        let scratch = Scratch::below(&cache)?;
        Ok(Run { repository: machine::repository()?, cache, scratch, common })
    }

    /// Our program: the one that was given, or built now.
    pub(crate) fn manicule(&self) -> Result<PathBuf> {
        match &self.common.manicule {
            Some(path) => whole(path),
            None => programs::build_manicule(&self.repository),
        }
    }

    /// Scratch folder, which goes with the run.
    pub(crate) fn scratch(&self) -> &Path {
        self.scratch.path()
    }

    /// Folder of the trees: the given one, or one that is kept between runs.
    pub(crate) fn corpora(&self, given: Option<&Path>) -> Result<PathBuf> {
        let folder = given.map_or_else(|| self.cache.join("corpora"), Path::to_owned);
        std::fs::create_dir_all(&folder).with_context(|| folder.display().to_string())?;
        Ok(folder)
    }

    /// Ends a run: prints its report, and keeps it if that is wanted. `disk` is a folder on the
    /// disk that was measured.
    pub(crate) fn end(
        self,
        name: &str,
        disk: &Path,
        findings: &Findings,
        summary: &dyn Fn(&Machine) -> String,
    ) -> Result<()> {
        drop(self.scratch);
        let machine = Machine::look(&self.repository, disk);
        findings.report(name, &self.repository, &machine, &summary(&machine), self.common.save)
    }

    /// Ends a run whose data lie in the cache folder, with the report that most kinds have.
    pub(crate) fn end_in_cache(
        self,
        name: &str,
        title: &str,
        lines: &[String],
        findings: &Findings,
    ) -> Result<()> {
        let disk = self.cache.clone();
        self.end(name, &disk, findings, &|machine| summary(title, machine, lines, findings))
    }
}

/// The report of a kind as Markdown: title, machine, lines of its own, omissions and differences,
/// tables.
pub(crate) fn summary(
    title: &str,
    machine: &Machine,
    lines: &[String],
    findings: &Findings,
) -> String {
    let mut out = format!("# {title}\n\n");
    let mut line = |text: &str| writeln!(out, "* {text}").expect("a string takes all");
    line(&machine.line());
    lines.iter().for_each(|text| line(text));
    findings.left_out.iter().for_each(|what| line(&format!("left out: {what}")));
    findings.different.iter().for_each(|what| line(&format!("**different:** {what}")));
    if !findings.checks.is_empty() {
        out += &verdicts_table(&findings.checks).markdown();
    }
    findings.tables.iter().for_each(|table| out += &table.markdown());
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_come_in_their_own_order() {
        let all = ["build", "files", "changed"];
        assert_eq!(chosen("--rows", "changed,build", &all).unwrap(), ["build", "changed"]);
        let error = chosen("--rows", "speed", &all).unwrap_err().to_string();
        assert_eq!(error, "--rows speed: it takes build, files, changed");
    }

    #[test]
    fn a_kind_knows_its_own_options_and_those_of_all() {
        let mut turns = 3;
        let mut parse = |words: &[&str]| {
            Common::parse(words.iter().map(OsString::from).collect(), &mut |name, parser| {
                match name {
                    "turns" => turns = parser.value()?.parse()?,
                    _ => return Ok(false),
                }
                Ok(true)
            })
        };
        use lexopt::ValueExt as _;
        let common = parse(&["--turns=5", "--save", "--manicule", "m"]).unwrap();
        assert!(common.save == Save::Runs && common.manicule == Some("m".into()));
        assert!(parse(&["--turns", "5", "-h"]).is_err_and(|error| error.is::<HelpWanted>()));
        for wrong in [&["--fast"][..], &["--turns"], &["--turns", "many"], &["file"]] {
            assert!(parse(wrong).is_err(), "{wrong:?}");
        }
        assert_eq!(turns, 5);
    }
}
