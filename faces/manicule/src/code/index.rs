//! A folder indexed into zoekt shards, with defaults for time, id, name, memory and threads.

use std::ffi::OsString;
use std::fmt;
use std::io;
use std::os::unix::ffi::OsStringExt;
use std::path::{Component, Path, PathBuf};

use manicule_code::shards::{
    IGNORE_DIRS, IgnoreDirs, IndexOptions, LargeFiles, Linguist, Text, is_bare_repository,
};
pub use manicule_code::shards::{
    InCompound, IndexError, IndexReport, Limits, Repository, ShardReport, Skip, Unchanged,
};
use manicule_core::ErrorClass;
use manicule_core::watch::Watch;
use manicule_store::random;

use super::ctags::Symbols;
use crate::cache::{Cache, now_ns};
use crate::times::{is_rfc_3339, rfc_3339};

/// Default memory of indexing in bytes, approximate: shards of 100 MiB in one piece, two at once.
pub const INDEX_MEMORY: u64 = 1 << 30;

/// Smallest memory that is respected: contents, tables and threads take as much even when shards
/// are built in many passes.
pub const INDEX_MEMORY_MIN: u64 = 64 << 20;

/// Arguments of indexing. Options of zoekt-index are in parentheses; its defaults are those of
/// [`IndexCall::new`].
#[derive(Clone, Debug)]
pub struct IndexCall {
    /// The folder, as the user named it.
    pub folder: PathBuf,
    /// Output folder of the shards (`-index`).
    pub output: PathBuf,
    /// A description of the repository, in JSON (`-meta`).
    pub meta: Option<PathBuf>,
    /// Source named in the shards, if not the folder as the user named it.
    pub source: Option<OsString>,
    /// Replacement of the repository's name in the names of files (`-shard_prefix_override`).
    pub shard_prefix: Option<OsString>,
    /// Limits of a document (`-file_limit`, `-max_trigram_count`).
    pub limits: Limits,
    /// Globs of files that are indexed whatever their size (`-large_file`).
    pub large_files: Vec<String>,
    /// Folders that are left out, separated by commas (`-ignore_dirs`).
    pub ignore_dirs: String,
    /// Size of names and contents at which a shard is full (`-shard_limit`).
    pub shard_len_max: u64,
    /// Time of the shards, if not now.
    pub index_time: Option<IndexTime>,
    /// Id of the run, if not a fresh one.
    pub shard_id: Option<ShardId>,
    /// Name of the writer in the shards.
    pub zoekt_version: String,
    /// The program that finds symbols.
    pub symbols: Symbols,
    /// Whether no symbols, of all documents or of one, are an error (`-require_ctags`).
    pub symbols_required: bool,
    /// Threads (`-parallelism`).
    pub threads: usize,
    /// Memory in bytes, approximate.
    pub memory: u64,
    /// Whether an index that already equals the one to be written stays.
    pub unchanged: Unchanged,
    /// Where it is noted what a run has seen, so that an unchanged folder is not read again.
    pub cache: Option<Cache>,
    /// Whether the repository gets a tombstone in compound shards of the output folder
    /// (`-shard_merging`).
    pub in_compound: InCompound,
}

impl IndexCall {
    /// The defaults of zoekt-index, on all cores.
    pub fn new(folder: PathBuf, output: PathBuf) -> Self {
        IndexCall {
            folder,
            output,
            meta: None,
            source: None,
            shard_prefix: None,
            limits: Limits { size_max: 2 << 20, trigrams_max: 20_000 },
            large_files: Vec::new(),
            ignore_dirs: IGNORE_DIRS.to_owned(),
            shard_len_max: 100 << 20,
            index_time: None,
            shard_id: None,
            zoekt_version: String::new(),
            symbols: Symbols::default(),
            symbols_required: false,
            threads: std::thread::available_parallelism().map_or(1, usize::from),
            memory: INDEX_MEMORY,
            unchanged: Unchanged::Stays,
            cache: None,
            in_compound: InCompound::Stays,
        }
    }
}

/// Default folder, where zoekt-index puts shards and zoekt-webserver looks for them by default:
/// `~/.zoekt`.
pub fn default_output() -> Option<PathBuf> {
    let home = std::env::var_os("HOME").filter(|home| !home.is_empty())?;
    Some(PathBuf::from(home).join(".zoekt"))
}

/// Result of an index call.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Indexed {
    /// The repository's name.
    pub repository: String,
    /// Report of the index run.
    pub report: IndexReport,
}

/// Reason why a folder was not indexed. An earlier index is still whole.
#[derive(Debug)]
#[non_exhaustive]
pub enum Error {
    /// The folder has no name that its repository could have. Name the repository in a file for
    /// `-meta`.
    NoName(PathBuf),
    /// The description of the repository can't be read.
    Meta {
        /// The file.
        path: PathBuf,
        /// The cause.
        source: io::Error,
    },
    /// Symbols are required, and no universal-ctags is found.
    NoCtags,
    /// This build reads no git repositories.
    NoGit,
    /// The folder is a bare git repository, of which the commits are to be indexed.
    Bare(PathBuf),
    /// The system gave no time or no random bytes for the run's id.
    Id(io::Error),
    /// An error of the engine.
    Index(IndexError),
}

impl Error {
    /// Class of the error.
    pub fn class(&self) -> ErrorClass {
        match self {
            Error::NoName(_) | Error::Bare(_) => ErrorClass::Asked,
            Error::Meta { source, .. } => match source.kind() {
                io::ErrorKind::InvalidData => ErrorClass::Damaged,
                io::ErrorKind::NotFound => ErrorClass::Missing,
                _ => ErrorClass::of_io(source),
            },
            Error::NoCtags => ErrorClass::Missing,
            Error::NoGit => ErrorClass::Unsupported,
            Error::Id(_) => ErrorClass::Failed,
            Error::Index(error) => error.class(),
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::NoName(path) => {
                write!(f, "{} has no name of its own: give it one with -meta", path.display())
            }
            Error::Meta { path, .. } => {
                write!(f, "-meta {} can't be read as a repository's description", path.display())
            }
            Error::NoCtags => f.write_str(
                "there is no universal-ctags to find symbols with: install it (Debian's package: universal-ctags), \
                 or name it with --ctags PATH",
            ),
            Error::NoGit => f.write_str(
                "git repositories are not read by this build of manicule: build it with --features git, or index a checkout \
                 with `manicule code index`",
            ),
            Error::Bare(path) => write!(
                f,
                "{} is a bare git repository, of which this would index git's own files: `manicule code git-index` indexes \
                 its commits",
                path.display()
            ),
            Error::Id(_) => {
                f.write_str("there are no random bytes for an id; give one with --shard-id")
            }
            Error::Index(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Error::NoName(_) | Error::NoCtags | Error::NoGit | Error::Bare(_) => None,
            Error::Meta { source, .. } | Error::Id(source) => Some(source),
            Error::Index(error) => std::error::Error::source(error),
        }
    }
}

/// Indexes a folder.
///
/// ```
/// use manicule::code::{IndexCall, index};
/// use manicule::watch::Watch;
///
/// let folder = tempfile::tempdir()?;
/// let (sources, shards) = (folder.path().join("src"), folder.path().join("shards"));
/// std::fs::create_dir(&sources)?;
/// std::fs::write(sources.join("main.go"), "package main\n")?;
///
/// let indexed = index(&IndexCall::new(sources, shards), &Watch::none())?;
/// assert_eq!((indexed.repository.as_str(), indexed.report.document_count), ("src", 1));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn index(call: &IndexCall, watch: &Watch<'_>) -> Result<Indexed, Error> {
    if is_bare_repository(&call.folder) {
        return Err(Error::Bare(call.folder.clone()));
    }
    let repository = describe(call, || base_name(&call.folder))?;
    let linguist = Linguist::default();
    let source = call.folder.clone().into_os_string();
    let options = options(call, repository, source, &linguist)?;
    let name = options.repository.name.to_string();
    let report = manicule_code::shards::index(&options, watch);
    Ok(Indexed { repository: name, report: report.map_err(Error::Index)? })
}

/// Options of the engine. `source` is what the shards name if the call says nothing else.
pub(super) fn options<'o>(
    call: &IndexCall,
    mut repository: Repository,
    source: OsString,
    linguist: &'o Linguist,
) -> Result<IndexOptions<'o>, Error> {
    repository.source = Text(call.source.clone().unwrap_or(source).into_vec());
    let now_ns = now_ns();
    let index_time = match &call.index_time {
        Some(time) => time.0.clone(),
        None => IndexTime::of(now_ns).0,
    };
    let shard_id = match &call.shard_id {
        Some(id) => id.0.clone(),
        None => ShardId::fresh().map_err(Error::Id)?.0,
    };
    Ok(IndexOptions {
        folder: call.folder.clone(),
        output: call.output.clone(),
        source: repository.source.clone(),
        repository,
        shard_prefix: call.shard_prefix.clone().map(|prefix| Text(prefix.into_vec())),
        limits: call.limits,
        large_files: call.large_files.clone(),
        ignore_dirs: IgnoreDirs::parse(&call.ignore_dirs),
        shard_len_max: call.shard_len_max,
        cache: call.cache.as_ref().map(|cache| cache.folder.clone()),
        now_ns,
        index_time,
        shard_id,
        zoekt_version: call.zoekt_version.clone(),
        classify: linguist,
        symbols: call.symbols.source(call.symbols_required).ok_or(Error::NoCtags)?,
        threads: call.threads,
        memory: call.memory,
        unchanged: call.unchanged,
        in_compound: call.in_compound,
    })
}

/// The repository of its description; `name` names one that has no name.
pub(super) fn describe(
    call: &IndexCall,
    name: impl FnOnce() -> Option<Vec<u8>>,
) -> Result<Repository, Error> {
    let mut repository = match &call.meta {
        None => Repository::from_json(b"{}").expect("an empty description"),
        Some(path) => {
            read_meta(path).map_err(|source| Error::Meta { path: path.clone(), source })?
        }
    };
    if repository.name.0.is_empty() {
        let name = name().ok_or_else(|| Error::NoName(call.folder.clone()))?;
        repository.name = Text(name);
    }
    Ok(repository)
}

/// Prefix of the shards' names; folders for which it is the same replace each other.
pub fn shards_name(call: &IndexCall) -> Result<OsString, Error> {
    let name = || Ok(OsString::from_vec(describe(call, || base_name(&call.folder))?.name.0));
    call.shard_prefix.clone().map_or_else(name, Ok)
}

/// Warnings about likely mistakes in a call, one sentence each.
pub fn warnings(call: &IndexCall) -> Vec<String> {
    let mut warnings = Vec::new();
    for (glob, fault) in LargeFiles::new(call.large_files.iter().map(String::as_str)).faults() {
        let glob = glob.chars().take(80).collect::<String>();
        warnings.push(format!("-large_file {glob:?} matches nothing: {fault}"));
    }
    let meta = call.meta.as_ref().and_then(|path| Some((path, std::fs::read(path).ok()?)));
    if let Some((path, json)) = meta {
        for key in Repository::unknown_keys(&json) {
            warnings.push(format!("-meta {}: the key {key:?} means nothing", path.display()));
        }
    }
    warnings
}

fn read_meta(path: &Path) -> io::Result<Repository> {
    let json = std::fs::read(path)?;
    Repository::from_json(&json).map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error))
}

/// The last name of a path, made absolute lexically: `.` is the current folder, `a/..` too.
pub(super) fn base_name(path: &Path) -> Option<Vec<u8>> {
    let mut names = Vec::new();
    for component in std::path::absolute(path).ok()?.components() {
        match component {
            Component::Normal(name) => names.push(name.to_owned()),
            Component::ParentDir => drop(names.pop()),
            _ => {}
        }
    }
    names.pop().map(OsStringExt::into_vec)
}

/// A time as shards hold it: RFC 3339, up to nine digits after the second.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IndexTime(String);

impl IndexTime {
    /// A time as the user wrote it; `None` if it is none.
    pub fn parse(text: &str) -> Option<Self> {
        // The library reads more forms than readers of shards do.
        let shape: String =
            text.chars().map(|c| if c.is_ascii_digit() { '0' } else { c }).collect();
        let rest = shape.strip_prefix("0000-00-00T00:00:00")?;
        let zone = match rest.strip_prefix('.') {
            None => rest,
            Some(fraction) => {
                let zone = fraction.trim_start_matches('0');
                (1..=9).contains(&(fraction.len() - zone.len())).then_some(zone)?
            }
        };
        let is_shaped = matches!(zone, "Z" | "+00:00" | "-00:00");
        // The library reads a leap second as the one before it, and allows zones up to 25 hours
        // away. Go refuses both.
        let is_leap = text.get(17..19) == Some("60");
        let is_far = zone != "Z" && text.get(text.len() - 5..text.len() - 3) > Some("23");
        let is_time = is_shaped && !is_leap && !is_far && is_rfc_3339(text);
        is_time.then(|| IndexTime(text.to_owned()))
    }

    /// The time as shards hold it.
    pub(super) fn into_text(self) -> String {
        self.0
    }

    /// A time in nanoseconds since 1970. In UTC, so that a shard doesn't reveal the machine's time
    /// zone.
    pub fn of(ns: u64) -> Self {
        IndexTime(rfc_3339(ns.into()).expect("64 bits end before the year 2600"))
    }
}

/// Id of a run in its shards: 12 bytes as 20 digits of base 32.
/// | 4 seconds since 1970 | 3 machine | 2 process | 3 counter |
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShardId(String);

const ID_DIGITS: &[u8; 32] = b"0123456789abcdefghijklmnopqrstuv";
const ID_LEN: usize = 20;

impl ShardId {
    /// An id as the user wrote it; `None` if it is none.
    pub fn parse(text: &str) -> Option<Self> {
        // 96 bits: the last digit has only one of them.
        let is_id = text.len() == ID_LEN
            && text.bytes().all(|digit| ID_DIGITS.contains(&digit))
            && text.ends_with(['0', 'g']);
        is_id.then(|| ShardId(text.to_owned()))
    }

    /// A unique id of a run. Machine and counter are random: it identifies no machine.
    fn fresh() -> io::Result<Self> {
        let random: [u8; 6] = random()?;
        let seconds = (now_ns() / 1_000_000_000) as u32;
        let process = std::process::id() as u16;
        let mut bytes = [0; 12];
        bytes[..4].copy_from_slice(&seconds.to_be_bytes());
        bytes[4..7].copy_from_slice(&random[..3]);
        bytes[7..9].copy_from_slice(&process.to_be_bytes());
        bytes[9..].copy_from_slice(&random[3..]);
        Ok(ShardId::of(bytes))
    }

    /// The id of a shard that has none, as zoekt makes it of a checksum of its first repository's
    /// name: no time, and no machine.
    pub(super) fn of_checksum(checksum: [u8; 8]) -> Self {
        let mut bytes = [0; 12];
        bytes[4..].copy_from_slice(&checksum);
        ShardId::of(bytes)
    }

    /// Its digits.
    pub(super) fn text(&self) -> &str {
        &self.0
    }

    fn of(bytes: [u8; 12]) -> Self {
        let bits = bytes.iter().fold(0u128, |bits, byte| bits << 8 | u128::from(*byte)) << 4;
        let digit = |place: usize| ID_DIGITS[(bits >> (95 - 5 * place)) as usize & 31];
        ShardId((0..ID_LEN).map(|place| char::from(digit(place))).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_written_as_go_does() {
        for (ns, want) in [
            (0, "1970-01-01T00:00:00Z"),
            (951_782_400_500_000_000, "2000-02-29T00:00:00.5Z"),
            (1_704_067_199_123_456_780, "2023-12-31T23:59:59.12345678Z"),
            (4_107_542_400_000_000_001, "2100-03-01T00:00:00.000000001Z"),
        ] {
            assert_eq!(IndexTime::of(ns).0, want);
            assert!(IndexTime::parse(want).is_some(), "{want}");
        }
    }

    #[test]
    fn what_is_no_time_is_refused() {
        for right in
            ["2024-02-29T01:02:03Z", "2024-01-01T00:00:00.25+05:30", "0001-01-01T00:00:00Z"]
        {
            assert!(IndexTime::parse(right).is_some(), "{right}");
        }
        for wrong in [
            "",
            "now",
            "2024-01-01",
            "2024-01-01T00:00:00",
            "2024-01-01 00:00:00Z",
            "2023-02-29T00:00:00Z",
            "2024-13-01T00:00:00Z",
            "2024-01-01T24:00:00Z",
            "2024-01-01T00:00:60Z",
            "2024-01-01T00:00:00.Z",
            "2024-01-01T00:00:00.1234567890Z",
            "2024-01-01T00:00:00+5:30",
            "2024-01-01T00:00:00+25:00",
            "2024-01-01T00:00:00Zé",
            "+024-01-01T00:00:00Z",
        ] {
            assert!(IndexTime::parse(wrong).is_none(), "{wrong}");
        }
    }

    #[test]
    fn ids_are_base_32_of_twelve_bytes() {
        // The example in the description of the scheme.
        let bytes = [0x4d, 0x88, 0xe1, 0x5b, 0x60, 0xf4, 0x86, 0xe4, 0x28, 0x41, 0x2d, 0xc9];
        assert_eq!(ShardId::of(bytes).0, "9m4e2mr0ui3e8a215n4g");
        assert_eq!(ShardId::of([255; 12]).0, "vvvvvvvvvvvvvvvvvvvg");
        let (one, two) = (ShardId::fresh().unwrap(), ShardId::fresh().unwrap());
        assert_ne!(one, two);
        assert_eq!(ShardId::parse(&one.0), Some(one));
        for wrong in ["", "9m4e2mr0ui3e8a215n4", "9m4e2mr0ui3e8a215n4z", "9M4E2MR0UI3E8A215N4G"] {
            assert!(ShardId::parse(wrong).is_none(), "{wrong}");
        }
    }

    #[test]
    fn a_repository_has_the_last_name_of_its_path() {
        let check = |path: &str, want: Option<&str>| {
            assert_eq!(base_name(Path::new(path)).as_deref(), want.map(str::as_bytes), "{path}");
        };
        check("/a/b", Some("b"));
        check("/a/b/", Some("b"));
        check("/a/./b/.", Some("b"));
        check("/a/b/..", Some("a"));
        check("/a/../..", None);
        check("/", None);
    }
}
