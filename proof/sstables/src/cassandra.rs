//! Cassandra itself, as proof/bench/peers/cassandra/build installs it.

use std::ffi::OsStr;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use manicule_format_sstable::{Layout, Version};

/// Variable that names the folders of installed Cassandras, separated by colons.
pub const CASSANDRA: &str = "MANICULE_CASSANDRA";

/// An installed Cassandra.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cassandra {
    folder: PathBuf,
    release: String,
}

/// A tool of Cassandra's that prints something of an SSTable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tool {
    /// sstabledump.
    Dump,
    /// sstablemetadata.
    Metadata,
    /// sstablepartitions, of 5.0 and later.
    Partitions,
}

impl Tool {
    /// The class that is started.
    pub fn class(self) -> &'static str {
        match self {
            Tool::Dump => "org.apache.cassandra.tools.SSTableExport",
            Tool::Metadata => "org.apache.cassandra.tools.SSTableMetadataViewer",
            Tool::Partitions => "org.apache.cassandra.tools.SSTablePartitions",
        }
    }
}

impl Cassandra {
    /// The one in a folder `cassandra-RELEASE`.
    pub fn new(folder: impl Into<PathBuf>) -> Self {
        let folder = folder.into();
        let name = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let release = name.strip_prefix("cassandra-").unwrap_or(&name).to_owned();
        Cassandra { folder, release }
    }

    /// Those that [`CASSANDRA`] names. If it names none, a line on standard error says that `what`
    /// is left out.
    pub fn all_for_test(what: &str) -> Vec<Cassandra> {
        let Some(folders) = std::env::var_os(CASSANDRA) else {
            eprintln!("left out: {what}: {CASSANDRA} names no Cassandra");
            return Vec::new();
        };
        std::env::split_paths(&folders).map(Cassandra::new).collect()
    }

    /// Its release: `3.11.17`.
    pub fn release(&self) -> &str {
        &self.release
    }

    /// Its first number.
    ///
    /// # Panics
    /// If its folder is not named by a release.
    pub fn major(&self) -> u32 {
        let first = self.release.split('.').next().and_then(|number| number.parse().ok());
        first.unwrap_or_else(|| panic!("{:?} is not named by a release", self.folder))
    }

    /// The versions that it writes.
    pub fn writes(&self) -> &'static [Version] {
        match (self.major(), &self.release[..]) {
            (3, "3.11.3") => &[Version::Mc],
            (3, "3.11.10") => &[Version::Md],
            (3, _) => &[Version::Me],
            (4, _) => &[Version::Nb],
            (5, _) => &[Version::Oa, Version::Da],
            _ => &[Version::Pa, Version::Ea],
        }
    }

    /// Of several, the one whose sstabledump judges a version: of the release line that wrote it,
    /// the last.
    pub fn judge(all: &[Cassandra], version: Version) -> Option<&Cassandra> {
        let major = match version {
            Version::Ma | Version::Mb | Version::Mc | Version::Md | Version::Me => 3,
            Version::Na | Version::Nb => 4,
            Version::Oa | Version::Da => 5,
            Version::Pa | Version::Ea => 6,
            Version::Ms | Version::Mt => return None,
        };
        let patch = |one: &&Cassandra| -> u32 {
            one.release.rsplit('.').next().and_then(|number| number.parse().ok()).unwrap_or(0)
        };
        all.iter().filter(|one| one.major() == major).max_by_key(patch)
    }

    /// Of several, the one whose reader judges the slices of what `writer` wrote: itself, or of a
    /// release before 4.0 the last 4.x, which decides between cells of one time as all have done
    /// since, and as ours does.
    pub fn reader<'a>(all: &'a [Cassandra], writer: &'a Cassandra) -> &'a Cassandra {
        let later = || Cassandra::judge(all, Version::Nb);
        if writer.major() < 4 { later().unwrap_or(writer) } else { writer }
    }

    /// The program that starts a class of it.
    pub fn program(&self) -> PathBuf {
        self.folder.join("run")
    }

    /// The call of a class with words.
    pub fn command<S: AsRef<OsStr>>(
        &self,
        class: &str,
        words: impl IntoIterator<Item = S>,
    ) -> Command {
        let mut command = Command::new(self.program());
        command.arg(class).args(words).stdin(Stdio::null());
        command
    }

    /// Standard output of a class that ends well.
    ///
    /// # Errors
    /// If it can't be started or fails; with its first exception, and the first cause of it.
    pub fn answer<S: AsRef<OsStr>>(
        &self,
        class: &str,
        words: impl IntoIterator<Item = S>,
    ) -> io::Result<String> {
        let output = self.command(class, words).output()?;
        if !output.status.success() {
            let errors = String::from_utf8_lossy(&output.stderr);
            // What ended it, rather than what it has noted and gone past.
            let is_end = |line: &&str| line.starts_with("Exception in thread");
            let is_error = |line: &&str| line.contains("xception") || line.contains("Error");
            let line = errors.lines().find(is_end).or_else(|| errors.lines().find(is_error));
            let why = line.or(errors.lines().last()).unwrap_or("it said nothing");
            let cause = errors.lines().rfind(|line| line.starts_with("Caused by")).unwrap_or("");
            let said = format!("{class} of Cassandra {}: {why} {cause}", self.release);
            return Err(io::Error::other(said));
        }
        Ok(String::from_utf8_lossy(&output.stdout).into_owned())
    }

    /// What a tool prints of each of the `Data.db` files, or why it failed; one process does them
    /// all. `scratch` is a folder that is empty.
    ///
    /// A tool takes the names of keyspace and table from the two folders above the file.
    ///
    /// # Errors
    /// If the process can't be started or ends early.
    pub fn tool(
        &self,
        tool: Tool,
        files: &[PathBuf],
        scratch: &Path,
    ) -> io::Result<Vec<Result<String, String>>> {
        let output = |number: usize| scratch.join(format!("{number}.out"));
        let calls: String = (0..).zip(files).fold(String::new(), |calls, (number, file)| {
            let (output, class) = (output(number), tool.class());
            calls + &format!("{}\t{class}\t{}\n", output.display(), file.display())
        });
        let list = scratch.join("calls");
        fs::write(&list, calls)?;
        let failed = self.answer("Tools", [&list])?;
        let mut said = Vec::new();
        for number in 0..files.len() {
            let path = output(number);
            let prefix = format!("{}\t", path.display());
            let reason = failed.lines().find_map(|line| line.strip_prefix(&prefix));
            let text = String::from_utf8_lossy(&fs::read(&path)?).into_owned();
            fs::remove_file(path)?;
            // Some exceptions are printed, and the tool ends as if there were none.
            let reason = reason.or(text.is_empty().then_some("it printed nothing"));
            said.push(reason.map_or(Ok(text), |reason| Err(reason.to_owned())));
        }
        Ok(said)
    }

    /// Writes the tables of a script of `Write` below `folder/ks`; the answer is the statements
    /// that it refused.
    ///
    /// # Errors
    /// If it fails.
    pub fn write(&self, folder: &Path, layout: Layout, script: &Path) -> io::Result<Vec<String>> {
        let words = [folder.as_os_str(), layout.word().as_ref(), script.as_os_str()];
        let said = self.answer("Write", words)?;
        Ok(said
            .lines()
            .filter_map(|line| line.strip_prefix("refused: "))
            .map(str::to_owned)
            .collect())
    }

    /// What its reader answers to the questions of a script of `Ask`, each without the line that
    /// begins it.
    ///
    /// # Errors
    /// If it fails.
    pub fn ask(&self, layout: Layout, script: &Path) -> io::Result<Vec<String>> {
        let said = self.answer("Ask", [layout.word().as_ref(), script.as_os_str()])?;
        let answers = said.split("?\n").skip(1);
        Ok(answers.map(str::to_owned).collect())
    }
}
