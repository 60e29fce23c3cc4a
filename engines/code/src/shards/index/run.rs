//! A folder indexed into shards: walked, read, cut, written, published together.
//!
//! Callers: faces/manicule

use std::ffi::OsStr;
use std::fmt;
use std::fs;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::mpsc;

use manicule_core::watch::{Meter, Phase, Unit, Watch};
use manicule_format_zoekt::{Repository, Shard, Skip, Text, TooLong};
use manicule_store::{Disk, Mapped, OutFile, SharedFiles, Spill, threads};

use super::super::family::{Family, hex_sha1};
use super::classify::Classify;
use super::intake::{Document, Feed, Intake, IntakeError, Judges};
use super::large_files::LargeFiles;
use super::order::shard_order;
use super::publish::Lease;
use super::skip::Limits;
use super::unchanged::is_unchanged;
use super::walk::{Found, IgnoreDirs, Root, WalkError};
use super::write::{About, WriteError, Writer};

/// The most branches that a repository can have: a bit each in a mask of 64.
const BRANCH_COUNT_MAX: usize = 64;

/// Options of indexing. Names of zoekt-index's options are in parentheses.
pub struct IndexOptions<'o> {
    /// The folder.
    pub folder: PathBuf,
    /// Output folder of the shards (`-index`). Made if it isn't there.
    pub output: PathBuf,
    /// About the repository (`-meta`); name and source are filled in where they are empty.
    pub repository: Repository,
    /// The folder as the user named it: the shard's `Source`.
    pub source: Text,
    /// Takes the place of the repository's name in the names of files (`-shard_prefix_override`).
    pub shard_prefix: Option<Text>,
    /// Limits of a document (`-file_limit`, `-max_trigram_count`).
    pub limits: Limits,
    /// Globs of files that are indexed however large they are (`-large_file`).
    pub large_files: Vec<String>,
    /// Folders that are left out (`-ignore_dirs`).
    pub ignore_dirs: IgnoreDirs,
    /// Names and contents up to which a shard takes documents (`-shard_limit`).
    pub shard_len_max: u64,
    /// When the shards are made, as their metadata says it.
    pub index_time: String,
    /// Names the run in the metadata of its shards: 20 characters.
    pub shard_id: String,
    /// Name of the writer in the metadata.
    pub zoekt_version: String,
    /// Tells languages and categories.
    pub classify: &'o dyn Classify,
    /// Threads (`-parallelism`).
    pub threads: usize,
    /// Bytes of memory to keep to, about.
    pub memory: u64,
    /// Whether an index that already is what would be written stays.
    pub unchanged: Unchanged,
}

/// Treatment of an index that already is the one that would be written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unchanged {
    /// It stays; time and id of the run are not counted as changes.
    Stays,
    /// It is written again.
    IsWrittenAgain,
}

/// Report of an index run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct IndexReport {
    /// The index already was what would have been written, and stays.
    pub is_unchanged: bool,
    /// What the index that was replaced says where it comes from, if that is another folder.
    pub replaced: Option<Text>,
    /// The shards of the index.
    pub shards: Vec<ShardReport>,
    /// All documents, skipped ones too.
    pub document_count: u64,
    /// Bytes of contents that are indexed.
    pub text_len: u64,
    /// Number of documents stored without content, by reason.
    pub skipped: Vec<(Skip, u64)>,
}

/// A shard of the index.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ShardReport {
    /// Path of the shard.
    pub path: PathBuf,
    /// Its bytes.
    pub len: u64,
    /// Its documents.
    pub document_count: u64,
    /// Its postings: places where a trigram of a document stands.
    pub posting_count: u64,
    /// In how many windows its posting lists were built: more than one where memory was short.
    pub window_count: usize,
}

/// Why a folder was not indexed. The index that was there before is whole.
#[derive(Debug)]
#[non_exhaustive]
pub enum IndexError {
    /// The folder, or something in it, can't be read.
    Walk(WalkError),
    /// The output can't be written.
    Output {
        /// The file or folder.
        path: PathBuf,
        /// Why it can't be.
        source: io::Error,
    },
    /// The output lies in the folder, which isn't set to leave it out: it would index itself.
    OutputInside {
        /// The output.
        output: PathBuf,
        /// The folder.
        folder: PathBuf,
    },
    /// A shard would be longer than the format can express.
    TooLong {
        /// Which shard.
        number: usize,
        /// How long.
        source: TooLong,
    },
    /// A document is longer than a whole shard can be.
    DocumentTooLong {
        /// Its name.
        name: Text,
        /// Its bytes.
        len: u64,
    },
    /// More languages in a shard than a code of 16 bits can express.
    Languages {
        /// Which shard.
        number: usize,
    },
    /// More branches than a mask has bits.
    Branches {
        /// Number of branches.
        count: usize,
    },
    /// Another process writes the shards of this repository.
    Busy {
        /// Where.
        output: PathBuf,
    },
    /// It was stopped.
    Stopped,
}

impl fmt::Display for IndexError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            IndexError::Walk(error) => error.fmt(f),
            IndexError::Output { path, source } => {
                write!(f, "can't write {}: {source}", path.display())?;
                match source.kind() {
                    io::ErrorKind::StorageFull
                    | io::ErrorKind::QuotaExceeded
                    | io::ErrorKind::FileTooLarge => {
                        f.write_str("; make room, or choose another folder with -index")
                    }
                    io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => {
                        f.write_str("; make it writable, or choose another folder with -index")
                    }
                    _ => Ok(()),
                }
            }
            IndexError::OutputInside { output, folder } => write!(
                f,
                "the output folder {} lies in the folder to index, {}: it would index itself; \
                 choose another with -index, or leave it out with -ignore_dirs or .sourcegraph/ignore",
                output.display(),
                folder.display()
            ),
            IndexError::TooLong { number, source } => {
                write!(f, "shard {number}: {source}; lower -shard_limit")
            }
            IndexError::DocumentTooLong { name, len } => write!(
                f,
                "{name} has {len} bytes, more than a whole shard can have; narrow -large_file"
            ),
            IndexError::Languages { number } => write!(
                f,
                "shard {number} has more than 65,535 languages, which is all that codes can tell; \
                 lower -shard_limit"
            ),
            IndexError::Branches { count } => write!(
                f,
                "the repository has {count} branches, and a shard can tell {BRANCH_COUNT_MAX}; \
                 leave some out of -meta"
            ),
            IndexError::Busy { output } => write!(
                f,
                "another process writes this repository's shards in {}; wait for it",
                output.display()
            ),
            IndexError::Stopped => f.write_str("stopped; the index is as it was before"),
        }
    }
}

impl std::error::Error for IndexError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            // These speak with the words of what they hold.
            IndexError::Walk(error) => error.source(),
            IndexError::TooLong { source, .. } => source.source(),
            _ => None,
        }
    }
}

impl IndexError {
    fn output(path: &Path) -> impl FnOnce(io::Error) -> Self + '_ {
        move |source| IndexError::Output { path: path.to_owned(), source }
    }

    fn intake(spill: &Path) -> impl FnOnce(IntakeError) -> Self + '_ {
        move |error| match error {
            IntakeError::Walk(error) => IndexError::Walk(error),
            IntakeError::Spill(source) => IndexError::Output { path: spill.to_owned(), source },
            IntakeError::TooLong { name, len } => {
                IndexError::DocumentTooLong { name: Text(name), len }
            }
            IntakeError::Stopped => IndexError::Stopped,
        }
    }

    fn write(number: usize, path: &Path) -> impl FnOnce(WriteError) -> Self + '_ {
        move |error| match error {
            WriteError::Io(source) => IndexError::Output { path: path.to_owned(), source },
            WriteError::TooLong(source) => IndexError::TooLong { number, source },
            WriteError::Languages => IndexError::Languages { number },
            WriteError::Stopped => IndexError::Stopped,
        }
    }
}

/// Indexes a folder. After `Ok` its shards are there, also after a power cut; after `Err` the old ones are, whole.
pub fn index(options: &IndexOptions<'_>, watch: &Watch<'_>) -> Result<IndexReport, IndexError> {
    index_through(&Disk::shared(), options, watch)
}

/// As [`index`], with every file beside the shards and of them written through `files`.
pub fn index_through(
    files: &SharedFiles,
    options: &IndexOptions<'_>,
    watch: &Watch<'_>,
) -> Result<IndexReport, IndexError> {
    let repository = describe(options)?;
    let root = Root::open(&options.folder).map_err(IndexError::Walk)?;
    let output = &options.output;
    refuse_output_inside(options, &root)?;
    fs::create_dir_all(output).map_err(IndexError::output(output))?;
    let prefix = options.shard_prefix.as_ref().unwrap_or(&repository.name);
    let family = Family::new(output, &prefix.0);
    let lease = family.lease(files).map_err(IndexError::output(output))?;
    let lease = lease.ok_or_else(|| IndexError::Busy { output: output.clone() })?;
    let found = root.walk(&options.ignore_dirs).map_err(IndexError::Walk)?;
    let len = expected_len(options, &found);
    let spill = lease.spill().map_err(IndexError::output(output))?;
    let (repository, root, found, spill) = (&repository, &root, &found, &spill);
    let run = Run { options, repository, root, found, spill, len, watch };
    if options.unchanged == Unchanged::Stays
        && let Some(report) = run.unchanged(&family)?
    {
        return Ok(report);
    }
    let replaced = replaced(&family, &repository.source, &options.folder);
    let mut report = run.write(lease)?;
    report.replaced = replaced;
    Ok(report)
}

/// Where the index comes from that is about to be replaced, if from elsewhere. Of one that can't be read nobody knows.
fn replaced(family: &Family, source: &Text, folder: &Path) -> Option<Text> {
    let first = family.shards().ok()?.into_iter().next()?;
    let map = Mapped::open(&first).ok()?;
    let before = Shard::open(&map).ok()?.repositories().first()?.source.clone();
    let is_folder = |text: &Text| {
        let named = fs::canonicalize(OsStr::from_bytes(&text.0)).ok();
        named.is_some_and(|named| fs::canonicalize(folder).is_ok_and(|folder| folder == named))
    };
    (before != *source && !before.0.is_empty() && !is_folder(&before)).then_some(before)
}

/// The repository's description, with what the run says of itself.
fn describe(options: &IndexOptions<'_>) -> Result<Repository, IndexError> {
    let mut repository = options.repository.clone();
    let count = repository.branches.as_ref().map_or(0, Vec::len);
    if count > BRANCH_COUNT_MAX {
        return Err(IndexError::Branches { count });
    }
    if repository.source.0.is_empty() {
        repository.source = options.source.clone();
    }
    repository.sub_repo_map.get_or_insert_default();
    repository.index_options = options_hash(options);
    repository.has_symbols = false;
    Ok(repository)
}

/// What the peer keeps of the options that decide contents, so that it knows when to index again.
fn options_hash(options: &IndexOptions<'_>) -> String {
    let quoted: Vec<String> = options.large_files.iter().map(|glob| quote(glob)).collect();
    let (ctags, must_succeed, is_disabled) = ("", false, true);
    let size_max = options.limits.size_max;
    let globs = quoted.join(" ");
    hex_sha1(format!("{ctags}{must_succeed}{size_max}[{globs}]{is_disabled}").as_bytes())
}

/// Text in quotes, as Go's `%q` has it.
fn quote(text: &str) -> String {
    let mut quoted = String::from('"');
    for c in text.chars() {
        match c {
            '"' | '\\' => quoted.extend(['\\', c]),
            '\x07' => quoted.push_str("\\a"),
            '\x08' => quoted.push_str("\\b"),
            '\x0c' => quoted.push_str("\\f"),
            '\n' => quoted.push_str("\\n"),
            '\r' => quoted.push_str("\\r"),
            '\t' => quoted.push_str("\\t"),
            '\x0b' => quoted.push_str("\\v"),
            '\0'..' ' | '\x7f' => quoted.push_str(&format!("\\x{:02x}", u32::from(c))),
            c => quoted.push(c),
        }
    }
    quoted.push('"');
    quoted
}

fn refuse_output_inside(options: &IndexOptions<'_>, root: &Root) -> Result<(), IndexError> {
    let whole = |path: &Path| whole(path).map_err(IndexError::output(path));
    let (output, folder) = (whole(&options.output)?, whole(&options.folder)?);
    let is_left_out = match output.strip_prefix(&folder) {
        Err(_) => return Ok(()),
        Ok(within) => root.leaves_out(within, &options.ignore_dirs).map_err(IndexError::Walk)?,
    };
    match is_left_out {
        true => Ok(()),
        false => Err(IndexError::OutputInside { output, folder }),
    }
}

/// A path without links, of which the end need not be there yet.
fn whole(path: &Path) -> io::Result<PathBuf> {
    let path = std::path::absolute(path)?;
    let mut there = path.as_path();
    loop {
        match (fs::canonicalize(there), there.parent()) {
            (Err(error), Some(above)) if error.kind() == io::ErrorKind::NotFound => there = above,
            (there_whole, _) => {
                let rest = path.strip_prefix(there).expect("it is above").components();
                return there_whole.map(|whole| whole.components().chain(rest).collect());
            }
        }
    }
}

/// Number of bytes that will be read, as far as lengths show.
fn expected_len(options: &IndexOptions<'_>, found: &[Found]) -> u64 {
    let large_files = LargeFiles::new(options.large_files.iter().map(String::as_str));
    let is_read = |found: &&Found| {
        options.limits.skip_unread(found.len, large_files.allowance(&found.name)).is_none()
    };
    found.iter().filter(is_read).map(|found| found.len).sum()
}

/// A run, once it is known what there is.
struct Run<'r> {
    options: &'r IndexOptions<'r>,
    repository: &'r Repository,
    root: &'r Root,
    found: &'r [Found],
    spill: &'r Spill,
    /// The bytes that will be read, about.
    len: u64,
    watch: &'r Watch<'r>,
}

impl Run<'_> {
    fn intake<'i>(
        &'i self,
        large_files: &'i LargeFiles,
        meter: &'i Meter<'i>,
        share: u64,
    ) -> Intake<'i> {
        let options = self.options;
        let judges = Judges { limits: options.limits, large_files, classify: options.classify };
        let feed = Feed {
            root: self.root,
            found: self.found,
            judges,
            spill: self.spill,
            // A quarter for contents leaves what their posting lists take, and then some.
            held_max: options.memory / 4,
            threads: options.threads,
            meter,
            share,
        };
        Intake::new(feed, options.shard_len_max)
    }

    /// The report of the index that is there, if it is what would be written.
    fn unchanged(&self, family: &Family) -> Result<Option<IndexReport>, IndexError> {
        let options = self.options;
        let large_files = LargeFiles::new(options.large_files.iter().map(String::as_str));
        let paths = family.shards().map_err(IndexError::output(&options.output))?;
        let comparing = self.watch.phase(Phase::Comparing, Unit::Bytes, self.len);
        let mut intake = self.intake(&large_files, &comparing, 1);
        let mut tally = Tally::default();
        let is_same = is_unchanged(&paths, self.found, self.repository, options, || {
            let documents = intake.next_shard().map_err(IndexError::intake(&options.output))?;
            Ok(documents.map(|documents| {
                tally.add(&documents);
                self.in_order(documents)
            }))
        })?;
        let Some(lens) = is_same else { return Ok(None) };
        drop(intake);
        comparing.end();
        let mut report = tally.report();
        report.is_unchanged = true;
        report.shards = paths
            .into_iter()
            .zip(lens)
            .map(|(path, (len, document_count, posting_count))| ShardReport {
                path,
                len,
                document_count,
                posting_count,
                window_count: 0,
            })
            .collect();
        Ok(Some(report))
    }

    /// Documents in the order of their shard.
    fn in_order(&self, documents: Vec<Document>) -> Vec<Document> {
        let branch_count = self.repository.branches.as_ref().map_or(0, Vec::len);
        let standings: Vec<_> =
            documents.iter().map(|document| document.standing(branch_count)).collect();
        let mut documents: Vec<Option<Document>> = documents.into_iter().map(Some).collect();
        let order = shard_order(&standings);
        order
            .into_iter()
            .map(|place| documents[place as usize].take().expect("once each"))
            .collect()
    }

    /// Writes all shards and publishes them.
    fn write(&self, mut lease: Lease) -> Result<IndexReport, IndexError> {
        let mut tally = Tally::default();
        let (to_sync, synced) = mpsc::channel::<(PathBuf, OutFile)>();
        // Shards are synced while the next ones are built.
        let sync = || {
            synced
                .into_iter()
                .try_for_each(|(path, file)| file.sync().map_err(IndexError::output(&path)))
        };
        let (synced, written) = threads::beside(sync, || {
            let written = self.write_shards(&mut lease, to_sync, &mut tally)?;
            Ok((written, self.watch.endless(Phase::Syncing, Unit::Bytes)))
        });
        let (mut shards, syncing) = written?;
        synced?;
        syncing.add(shards.iter().map(|shard| shard.len).sum());
        syncing.end();
        self.watch.check().map_err(|_| IndexError::Stopped)?;
        let output = IndexError::output(&self.options.output);
        let paths = lease.publish(shards.len()).map_err(output)?;
        for (shard, path) in shards.iter_mut().zip(paths) {
            shard.path = path;
        }
        let mut report = tally.report();
        report.shards = shards;
        Ok(report)
    }

    /// Writes all shards, one after the other, and hands each on to be synced.
    fn write_shards(
        &self,
        lease: &mut Lease,
        to_sync: mpsc::Sender<(PathBuf, OutFile)>,
        tally: &mut Tally,
    ) -> Result<Vec<ShardReport>, IndexError> {
        let options = self.options;
        let large_files = LargeFiles::new(options.large_files.iter().map(String::as_str));
        // What is read is half done.
        let meter = self.watch.phase(Phase::Indexing, Unit::Bytes, self.len);
        let mut intake = self.intake(&large_files, &meter, 2);
        let mut writer = Writer {
            about: About {
                repository: self.repository,
                index_time: &options.index_time,
                id: &options.shard_id,
                zoekt_version: &options.zoekt_version,
            },
            spill: self.spill,
            threads: options.threads,
            memory: options.memory,
            meter: &meter,
            grams: Vec::new(),
        };
        let mut shards: Vec<ShardReport> = Vec::new();
        while let Some(documents) = self.next_shard(&mut intake, tally, shards.len())? {
            let number = shards.len();
            let documents = self.in_order(documents);
            let documents: Vec<&Document> = documents.iter().collect();
            let (path, file) = lease.file(number).map_err(IndexError::output(&options.output))?;
            let written =
                writer.write(&file, &documents).map_err(IndexError::write(number, &path))?;
            shards.push(ShardReport {
                path: path.clone(),
                len: written.len,
                document_count: documents.len() as u64,
                posting_count: written.posting_count,
                window_count: written.window_count,
            });
            // Whoever syncs and failed has reported why.
            let _ = to_sync.send((path, file));
        }
        drop((intake, writer));
        meter.end();
        Ok(shards)
    }

    /// The next shard's documents. An empty folder still has one shard.
    fn next_shard(
        &self,
        intake: &mut Intake<'_>,
        tally: &mut Tally,
        number: usize,
    ) -> Result<Option<Vec<Document>>, IndexError> {
        let documents = intake.next_shard().map_err(IndexError::intake(&self.options.output))?;
        let documents = documents.or_else(|| (number == 0).then(Vec::new));
        if let Some(documents) = &documents {
            tally.add(documents);
        }
        Ok(documents)
    }
}

/// Counts of a run.
#[derive(Default)]
struct Tally {
    document_count: u64,
    text_len: u64,
    skipped: std::collections::BTreeMap<Skip, u64>,
}

impl Tally {
    fn add(&mut self, documents: &[Document]) {
        self.document_count += documents.len() as u64;
        for document in documents {
            match document.skip {
                Some(skip) => *self.skipped.entry(skip).or_default() += 1,
                None => self.text_len += u64::from(document.len),
            }
        }
    }

    fn report(self) -> IndexReport {
        IndexReport {
            document_count: self.document_count,
            text_len: self.text_len,
            skipped: self.skipped.into_iter().collect(),
            ..IndexReport::default()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::quote;

    #[test]
    fn globs_are_quoted_as_go_does() {
        assert_eq!(quote("a\"b\\c\n\u{1}é"), "\"a\\\"b\\\\c\\n\\x01é\"");
    }
}
