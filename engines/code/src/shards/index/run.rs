//! A folder indexed into shards: walked, read, cut, written, published together.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::mpsc;

use manicule_core::go::quote;
use manicule_core::watch::{Meter, Phase, Unit, Watch};
use manicule_format_zoekt::{Repository, Shard, Text};
use manicule_store::{Disk, Mapped, OutFile, SharedFiles, Spill, threads};

use super::super::family::{Family, hex_sha1};
use super::super::symbols::SymbolSource;
use super::super::tombstones;
use super::error::{BRANCH_COUNT_MAX, IndexError};
use super::intake::{Document, Feed, Intake, Judges};
use super::large_files::LargeFiles;
use super::options::{InCompound, IndexOptions, Unchanged};
use super::order::shard_order;
use super::output::refuse_output_inside;
use super::publish::Lease;
use super::report::{IndexReport, ShardReport, Tally};
use super::tagger::Tagger;
use super::unchanged::is_unchanged;
use super::walk::{Found, Root};
use super::write::{About, Repositories, Writer};

/// Indexes a folder. After `Ok` its shards are there, also after a power cut; after `Err` the old
/// ones are, whole.
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
    let tagger = Tagger::open(&options.symbols).map_err(IndexError::Symbols)?;
    let (repository, root, found, spill) = (&repository, &root, &found, &spill);
    let tagger = tagger.as_ref();
    let run = Run { options, repository, root, found, tagger, spill, len, watch };
    let mut report = None;
    if options.unchanged == Unchanged::Stays {
        report = run.unchanged(&family)?;
    }
    let mut report = match report {
        Some(report) => report,
        None => {
            let replaced = replaced(&family, &repository.source, &options.folder);
            IndexReport { replaced, ..run.write(lease)? }
        }
    };
    // After the new shards are there: whoever is killed between leaves the repository twice.
    if options.in_compound == InCompound::GetsTombstone {
        let set = tombstones::set(output, repository, files);
        report.tombstones = set.map_err(IndexError::Tombstone)?;
    }
    Ok(report)
}

/// Source of the index that is about to be replaced, if it is another folder. That of a damaged
/// index is unknown.
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
    repository.has_symbols = matches!(options.symbols, SymbolSource::Ctags { .. });
    Ok(repository)
}

/// Hash that the peer keeps of the options that decide contents, so that it knows when to index
/// again.
fn options_hash(options: &IndexOptions<'_>) -> String {
    let quoted: Vec<String> = options.large_files.iter().map(quote).collect();
    let (program, must_succeed) = match &options.symbols {
        SymbolSource::Off | SymbolSource::Absent => (Path::new(""), false),
        SymbolSource::Ctags { program, must_succeed } => (program.as_path(), *must_succeed),
    };
    let is_disabled = options.symbols == SymbolSource::Off;
    let (size_max, globs) = (options.limits.size_max, quoted.join(" "));
    let mut text = program.as_os_str().as_bytes().to_vec();
    text.extend_from_slice(format!("{must_succeed}{size_max}[{globs}]{is_disabled}").as_bytes());
    hex_sha1(&text)
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
    tagger: Option<&'r Tagger>,
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
        let (limits, classify, tagger) = (options.limits, options.classify, self.tagger);
        let judges = Judges { limits, large_files, classify, tagger };
        let branch_count = self.repository.branches.as_ref().map_or(0, Vec::len);
        let feed = Feed {
            root: self.root,
            found: self.found,
            judges,
            branch_mask: u64::MAX.checked_shr(64 - branch_count as u32).unwrap_or(0),
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
                in_order(documents)
            }))
        })?;
        let Some(lens) = is_same else { return Ok(None) };
        drop(intake);
        comparing.end();
        let mut report = self.report(tally);
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
        let mut report = self.report(tally);
        report.shards = shards;
        Ok(report)
    }

    /// Report of what was counted.
    fn report(&self, tally: Tally) -> IndexReport {
        let failures = self.tagger.map(Tagger::take_failures).unwrap_or_default();
        IndexReport {
            without_symbols: failures.count,
            first_failure: failures.first,
            ..tally.report()
        }
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
                repositories: Repositories::One(self.repository),
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
            let documents = in_order(documents);
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

/// Documents in the order of their shard.
fn in_order(documents: Vec<Document>) -> Vec<Document> {
    let standings: Vec<_> = documents.iter().map(Document::standing).collect();
    let mut documents: Vec<Option<Document>> = documents.into_iter().map(Some).collect();
    let order = shard_order(&standings);
    order.into_iter().map(|place| documents[place as usize].take().expect("once each")).collect()
}
