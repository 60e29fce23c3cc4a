//! Documents indexed into shards: read, cut, written, published together. Those of a folder are
//! walked before.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::mpsc;

use manicule_core::go::quote;
use manicule_core::watch::{Meter, Phase, Unit, Watch};
use manicule_format_zoekt::{Repository, Shard, Text};
use manicule_store::context::Context;
use manicule_store::{Disk, Mapped, OutFile, SharedFiles, Spill, threads};

use super::super::family::{Family, Planned, hex_sha1};
use super::super::last_run::{KnownSymbols, LastRun, are_alike};
use super::super::symbols::SymbolSource;
use super::super::tombstones;
use super::document::Document;
use super::error::{BRANCH_COUNT_MAX, IndexError};
use super::intake::{Feed, Intake, Judges};
use super::large_files::LargeFiles;
use super::options::{InCompound, IndexOptions, Unchanged};
use super::order::shard_order;
use super::output::refuse_output_inside;
use super::publish::Lease;
use super::report::{IndexReport, ShardReport, Tally};
use super::source::{Folder, Listed, Source};
use super::tagger::Tagger;
use super::unchanged::{are_about, is_unchanged};
use super::walk::Root;
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
    let _held = Context::current().hold(options.memory).map_err(IndexError::Memory)?;
    let repository = describe(options, options.repository.clone())?;
    let root = Root::open(&options.folder).map_err(IndexError::Walk)?;
    refuse_output_inside(options, &root)?;
    let (place, lease) = Place::take(files, options, &repository)?;
    let found = root.walk(&options.ignore_dirs).map_err(IndexError::Walk)?;
    let branch_count = repository.branches.as_ref().map_or(0, Vec::len);
    let source = Folder::new(root, found, branch_count, options.now_ns);
    let last = LastRun::open(&place.family).filter(|_| options.unchanged == Unchanged::Stays);
    let shards = last.as_ref().map(LastRun::shards).unwrap_or_default();
    let is_alike = are_alike(&shards, &repository, &options.zoekt_version);
    let known = (repository.has_symbols && is_alike).then(|| KnownSymbols::new(&shards));
    let run =
        Run { known: known.as_ref(), ..Run::new(options, &repository, &source, &place, watch) };
    let is_seen = |last: &LastRun| {
        options.cache.as_ref().is_some_and(|cache| {
            let paths: Vec<PathBuf> = last.opened.iter().map(|shard| shard.path.clone()).collect();
            source.seen(&paths, options).is_of_last_run(&place.family, cache)
        })
    };
    let mut report = match &last {
        Some(last) if are_about(&shards, &repository, options) && is_seen(last) => {
            IndexReport { is_unread: true, ..last.report(&shards) }
        }
        _ => run.read(lease, &place.family)?,
    };
    if let Some(cache) = &options.cache
        && !report.is_unread
        && report.without_symbols == 0
    {
        let paths: Vec<PathBuf> = report.shards.iter().map(|shard| shard.path.clone()).collect();
        source.seen(&paths, options).keep(&place.family, cache);
    }
    report.tombstones = set_tombstones(files, options, &repository)?;
    Ok(report)
}

/// Gives the repository tombstones, if they are wanted. After the new shards are there: whoever is
/// killed between leaves the repository twice.
pub(in crate::shards) fn set_tombstones(
    files: &SharedFiles,
    options: &IndexOptions<'_>,
    repository: &Repository,
) -> Result<Vec<PathBuf>, IndexError> {
    match options.in_compound {
        InCompound::Stays => Ok(Vec::new()),
        InCompound::GetsTombstone => {
            tombstones::set(&options.output, repository, files).map_err(IndexError::Tombstone)
        }
    }
}

/// Place of a repository's shards, and what a run has beside it.
pub(in crate::shards) struct Place {
    pub(in crate::shards) family: Family,
    spill: Spill,
    tagger: Option<Tagger>,
}

impl Place {
    /// Makes the output folder if it isn't there, and takes the right to write.
    pub(in crate::shards) fn take(
        files: &SharedFiles,
        options: &IndexOptions<'_>,
        repository: &Repository,
    ) -> Result<(Self, Lease), IndexError> {
        let output = &options.output;
        fs::create_dir_all(output).map_err(IndexError::output(output))?;
        let prefix = options.shard_prefix.as_ref().unwrap_or(&repository.name);
        let family = Family::new(output, &prefix.0);
        let lease = family.lease(files).map_err(IndexError::output(output))?;
        let lease = lease.ok_or_else(|| IndexError::Busy { output: output.clone() })?;
        let spill = lease.spill().map_err(IndexError::output(output))?;
        let tagger = Tagger::open(&options.symbols).map_err(IndexError::Symbols)?;
        Ok((Place { family, spill, tagger }, lease))
    }
}

/// Source of the index that is about to be replaced, if it is another folder. That of a damaged
/// index is unknown.
pub(in crate::shards) fn replaced(family: &Family, source: &Text, folder: &Path) -> Option<Text> {
    let first = family.shards().ok()?.into_iter().next()?;
    let map = Mapped::open(&first).ok()?;
    let before = Shard::open(&map).ok()?.repositories().first()?.source.clone();
    let is_folder = |text: &Text| {
        let named = fs::canonicalize(OsStr::from_bytes(&text.0)).ok();
        named.is_some_and(|named| fs::canonicalize(folder).is_ok_and(|folder| folder == named))
    };
    (before != *source && !before.0.is_empty() && !is_folder(&before)).then_some(before)
}

/// A repository's description, with what the run says of itself.
pub(in crate::shards) fn describe(
    options: &IndexOptions<'_>,
    mut repository: Repository,
) -> Result<Repository, IndexError> {
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
fn expected_len(options: &IndexOptions<'_>, source: &dyn Source) -> u64 {
    let large_files = LargeFiles::new(options.large_files.iter().map(String::as_str));
    let is_read = |listed: &Listed<'_>| {
        options.limits.skip_unread(listed.len, large_files.allowance(listed.name)).is_none()
    };
    let listed = (0..source.document_count()).map(|index| source.document(index));
    listed.filter(is_read).map(|listed| listed.len).sum()
}

/// A run, once it is known what there is.
pub(in crate::shards) struct Run<'r> {
    options: &'r IndexOptions<'r>,
    repository: &'r Repository,
    source: &'r dyn Source,
    known: Option<&'r KnownSymbols<'r>>,
    tagger: Option<&'r Tagger>,
    spill: &'r Spill,
    /// The bytes that will be read, about.
    len: u64,
    watch: &'r Watch<'r>,
}

/// What becomes of the shards that are there.
#[derive(Clone, Debug)]
pub(in crate::shards) enum Shards {
    /// New ones take their place.
    Replaced,
    /// They stay, each with a new sidecar, and new ones are added.
    #[cfg_attr(not(feature = "git"), expect(dead_code, reason = "commits alone are indexed so"))]
    Kept(Vec<Vec<u8>>),
}

impl<'r> Run<'r> {
    pub(in crate::shards) fn new(
        options: &'r IndexOptions<'r>,
        repository: &'r Repository,
        source: &'r dyn Source,
        place: &'r Place,
        watch: &'r Watch<'r>,
    ) -> Self {
        let (tagger, len) = (place.tagger.as_ref(), expected_len(options, source));
        let spill = &place.spill;
        Run { options, repository, source, known: None, tagger, spill, len, watch }
    }

    fn intake<'i>(
        &'i self,
        large_files: &'i LargeFiles,
        meter: &'i Meter<'i>,
        share: u64,
    ) -> Intake<'i> {
        let options = self.options;
        let (limits, classify) = (options.limits, options.classify);
        let (known, tagger) = (self.known, self.tagger);
        let judges = Judges { limits, large_files, classify, known, tagger };
        let feed = Feed {
            source: self.source,
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

    /// Reads all documents. Shards that are what would be written of them stay, others are
    /// replaced.
    fn read(&self, lease: Lease, family: &Family) -> Result<IndexReport, IndexError> {
        let options = self.options;
        if options.unchanged == Unchanged::Stays
            && let Some(report) = self.unchanged(family)?
        {
            return Ok(report);
        }
        let replaced = replaced(family, &self.repository.source, &options.folder);
        Ok(IndexReport { replaced, ..self.write(lease, Shards::Replaced)? })
    }

    /// The report of the index that is there, if it is what would be written.
    fn unchanged(&self, family: &Family) -> Result<Option<IndexReport>, IndexError> {
        let options = self.options;
        let large_files = LargeFiles::new(options.large_files.iter().map(String::as_str));
        let paths = family.shards().map_err(IndexError::output(&options.output))?;
        let comparing = self.watch.phase(Phase::Comparing, Unit::Bytes, self.len);
        let mut intake = self.intake(&large_files, &comparing, 1);
        let mut tally = Tally::default();
        let is_same = is_unchanged(&paths, self.source, self.repository, options, || {
            let documents = intake.next_shard().map_err(IndexError::intake(&options.output))?;
            Ok(documents.map(|documents| {
                tally.add_all(&documents);
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
    pub(in crate::shards) fn write(
        &self,
        lease: Lease,
        before: Shards,
    ) -> Result<IndexReport, IndexError> {
        let output = &self.options.output;
        let sidecars = match before {
            Shards::Replaced => Vec::new(),
            Shards::Kept(sidecars) => sidecars,
        };
        let kept = sidecars.len();
        let mut tally = Tally::default();
        let (to_sync, synced) = mpsc::channel::<(PathBuf, OutFile)>();
        // Shards are synced while the next ones are built.
        let sync = || {
            synced
                .into_iter()
                .try_for_each(|(path, file)| file.sync().map_err(IndexError::output(&path)))
        };
        let (synced, written) = threads::beside(sync, || {
            let written = self.write_shards(&lease, kept, to_sync, &mut tally)?;
            Ok((written, self.watch.endless(Phase::Syncing, Unit::Bytes)))
        });
        let (mut shards, syncing) = written?;
        synced?;
        for (number, sidecar) in sidecars.iter().enumerate() {
            lease.put_sidecar(number, sidecar).map_err(IndexError::output(output))?;
        }
        syncing.add(shards.iter().map(|shard| shard.len).sum());
        syncing.end();
        self.watch.check().map_err(|_| IndexError::Stopped)?;
        let planned = Planned { kept, count: kept + shards.len() };
        let paths = lease.publish(planned).map_err(IndexError::output(output))?;
        for (shard, path) in shards.iter_mut().zip(paths.into_iter().skip(kept)) {
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

    /// Writes all shards from number `first` on, one after the other, and hands each on to be
    /// synced.
    fn write_shards(
        &self,
        lease: &Lease,
        first: usize,
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
        loop {
            let number = first + shards.len();
            let Some(documents) = self.next_shard(&mut intake, tally, number)? else { break };
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

    /// The documents of the shard of a number. An index without documents still has one shard.
    fn next_shard(
        &self,
        intake: &mut Intake<'_>,
        tally: &mut Tally,
        number: usize,
    ) -> Result<Option<Vec<Document>>, IndexError> {
        let documents = intake.next_shard().map_err(IndexError::intake(&self.options.output))?;
        let documents = documents.or_else(|| (number == 0).then(Vec::new));
        if let Some(documents) = &documents {
            tally.add_all(documents);
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
