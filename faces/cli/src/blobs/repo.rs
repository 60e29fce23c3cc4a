//! Options shared by the commands on restic repositories: which one, and where its password comes
//! from. They have restic's names, and its variables.

use std::ffi::OsString;
use std::fs;
use std::io::{self, IsTerminal, Read};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

use anyhow::{Context, Error, Result, anyhow, bail};
use manicule::ErrorClass;
use manicule::blobs::environment::{address_of_restic, key_hint, password, variable};
use manicule::blobs::password::of_file;
use manicule::blobs::{Ahead, Error as BlobsError, IdPrefix, IndexCache, OpenCall, Repository};
use manicule::cache::Cache;
use manicule::kinds::{Kind, System, recognise};
use manicule::place::is_address;

use crate::command::cores;
use crate::command::spec::{Spec, spec};
use crate::messages::say;
use crate::print::{Form, Print};
use crate::progress::Show;
use crate::receipt;
use crate::table::listed::Listed;

pub(super) const REPO: Spec = spec("repo", "r", "Repository folder or address.")
    .takes("DIR")
    .more("Default: $RESTIC_REPOSITORY, then the path in $RESTIC_REPOSITORY_FILE, then the current folder.");
pub(super) const PASSWORD_FILE: Spec = spec("password-file", "p", "Read the password from FILE.")
    .takes("FILE")
    .more("Default: $RESTIC_PASSWORD_FILE.");
pub(super) const PASSWORD_COMMAND: Spec = spec(
    "password-command",
    "",
    "Run COMMAND and use its output as the password.",
)
.takes("COMMAND")
.more("Split at blanks outside quotes; run without a shell. Default: $RESTIC_PASSWORD_COMMAND.");
pub(super) const KEY_HINT: Spec = spec("key-hint", "", "Try the key of this id first.")
    .takes("ID")
    .more("A prefix is enough. Default: $RESTIC_KEY_HINT.");
pub(super) const NO_PASSWORD: Spec =
    spec("insecure-no-password", "", "Use an empty password, which is refused without this flag.");
pub(super) const REPOSITORY_FILE: Spec =
    spec("repository-file", "", "Read the path of the repository from FILE.")
        .takes("FILE")
        .more("Default: $RESTIC_REPOSITORY_FILE.");
pub(super) const QUIET: Spec = spec("quiet", "q", "Show no progress, heading or summary.");
pub(super) const VERBOSE: Spec =
    spec("verbose", "v", "Accepted for compatibility with restic; no effect.");
pub(super) const NO_LOCK: Spec =
    spec("no-lock", "", "Accepted for compatibility with restic; reading never locks.");
pub(super) const NO_CACHE: Spec =
    spec("no-cache", "", "Accepted for compatibility with restic; its cache is never used.");
pub(super) const INDEX_CACHE: Spec =
    spec("index-cache", "", "Cache the index, encrypted with the repository's key, and reuse it in later calls with this option.").more(
        "See `manicule cache` for the folder.",
    );
pub(super) const INDEX_CACHE_DIR: Spec =
    spec("index-cache-dir", "", "Cache the index in DIR.").takes("DIR");

/// Which repository, and its password.
#[derive(Default)]
pub(super) struct Repo {
    pub(super) path: Option<PathBuf>,
    pub(super) path_file: Option<PathBuf>,
    pub(super) password_file: Option<PathBuf>,
    pub(super) password_command: Option<OsString>,
    pub(super) key_hint: Option<OsString>,
    pub(super) no_password: bool,
    pub(super) quiet: bool,
    /// Words of restic's that ask for what is so anyway.
    pub(super) is_anyway: bool,
    pub(super) threads: Option<usize>,
    pub(super) is_index_cached: bool,
    pub(super) index_cache_dir: Option<PathBuf>,
    pub(super) receipt: bool,
}

/// A command's flags, and those that all commands on repositories have, for options with a field
/// `repo`.
macro_rules! with_repo {
    ($($flag:expr),* $(,)?) => {
        &[
            $($flag,)*
            super::repo::REPO.does(|o, value| { o.repo.path = Some(value.path()); Ok(()) }),
            super::repo::REPOSITORY_FILE
                .does(|o, value| { o.repo.path_file = Some(value.path()); Ok(()) }),
            super::repo::QUIET.sets(|o| &mut o.repo.quiet),
            super::repo::VERBOSE.sets(|o| &mut o.repo.is_anyway),
            super::repo::NO_LOCK.sets(|o| &mut o.repo.is_anyway),
            super::repo::NO_CACHE.sets(|o| &mut o.repo.is_anyway),
            super::repo::PASSWORD_FILE
                .does(|o, value| { o.repo.password_file = Some(value.path()); Ok(()) }),
            super::repo::PASSWORD_COMMAND
                .does(|o, value| { o.repo.password_command = value.value; Ok(()) }),
            super::repo::KEY_HINT.does(|o, value| { o.repo.key_hint = value.value; Ok(()) }),
            super::repo::NO_PASSWORD.sets(|o| &mut o.repo.no_password),
            crate::command::shared::THREADS
                .does(|o, value| { o.repo.threads = Some(value.threads()?); Ok(()) }),
            crate::command::shared::RECEIPT_ASIDE.sets(|o| &mut o.repo.receipt),
        ]
    };
}
pub(super) use with_repo;

/// Those flags, and how commands that ask the index may keep it.
macro_rules! with_index {
    ($($flag:expr),* $(,)?) => {
        super::repo::with_repo![
            $($flag,)*
            super::repo::INDEX_CACHE.sets(|o| &mut o.repo.is_index_cached),
            super::repo::INDEX_CACHE_DIR
                .does(|o, value| { o.repo.index_cache_dir = Some(value.path()); Ok(()) }),
        ]
    };
}
pub(super) use with_index;

impl Repo {
    /// A table of the repository.
    pub(super) fn listed(&self, table: &'static str) -> Result<Listed> {
        let text = |word: &OsString| word.to_string_lossy().into_owned();
        let path = |path: &PathBuf| path.to_string_lossy().into_owned();
        Ok(Listed::of(table, vec![self.place()?])
            .with("password_file", self.password_file.as_ref().map(path))
            .with("password_command", self.password_command.as_ref().map(text))
            .with("key_hint", self.key_hint.as_ref().map(text))
            .with("index_cache", self.is_index_cached.then_some(true))
            .with("index_cache_dir", self.index_cache_dir.as_ref().map(path))
            .threads(self.threads)
            .receipt(self.receipt)
            .refuse(&[("--insecure-no-password", self.no_password)]))
    }

    /// Opens the repository for an answer, with what that is going to ask; what it has cost is
    /// printed after it.
    pub(super) fn ask(
        &self,
        ahead: Ahead,
        out: &mut Print,
        answer: impl FnOnce(&Repository, &mut Print) -> Result<u8>,
    ) -> Result<u8> {
        let open = self.open(ahead)?;
        let code = answer(&open, out)?;
        if self.receipt {
            receipt::print(&open.work().fields(), Form::Text, out)?;
        }
        Ok(code)
    }

    /// Opens the repository. Key files that are broken are named on standard error.
    fn open(&self, ahead: Ahead) -> Result<Repository> {
        let path = self.place()?;
        let key_hint = self.hint()?;
        let threads = self.threads.unwrap_or_else(cores);
        let index_cache = self.index_cache()?;
        let password = self.password(&path)?;
        let call = OpenCall { path, password, key_hint, threads, index_cache, ahead };
        let opened = Repository::open(&call).map_err(|error| of_kind(error, &call.path))?;
        opened.broken_keys.iter().for_each(|why| say(why));
        Ok(opened)
    }

    /// Whether a call shows its progress.
    pub(super) fn show(&self) -> Show {
        if self.quiet { Show::Nothing } else { Show::Progress }
    }

    fn index_cache(&self) -> Result<Option<IndexCache>> {
        let folder = match (&self.index_cache_dir, self.is_index_cached) {
            (Some(folder), _) => folder.clone(),
            (None, false) => return Ok(None),
            (None, true) => match Cache::of_user() {
                Some(cache) => cache.folder,
                None => bail!("there is no cache folder: --index-cache-dir names one"),
            },
        };
        Ok(Some(IndexCache { folder, failed: |error| say(error) }))
    }

    fn place(&self) -> Result<PathBuf> {
        if let Some(path) = &self.path {
            return local(path.clone().into_os_string());
        }
        if let Some(file) = &self.path_file {
            return place_in(file);
        }
        if let Some(path) = variable("RESTIC_REPOSITORY") {
            return local(path);
        }
        match variable("RESTIC_REPOSITORY_FILE") {
            Some(file) => place_in(&PathBuf::from(file)),
            None => Ok(PathBuf::from(".")),
        }
    }

    fn hint(&self) -> Result<Option<IdPrefix>> {
        key_hint(self.key_hint.as_deref()).map_err(|failure| anyhow!("--key-hint: {failure}"))
    }

    /// The password of the repository at a path. Where there is none nobody is asked: opening it
    /// says what is missing.
    fn password(&self, path: &Path) -> Result<Vec<u8>> {
        if self.no_password {
            return Ok(Vec::new());
        }
        let (file, command) = (self.password_file.as_deref(), self.password_command.as_deref());
        let password = match password(file, command)? {
            Some(password) => password,
            None if !is_repository(path) => return Ok(Vec::new()),
            None => asked_password()?,
        };
        if password.is_empty() {
            bail!("an empty password is refused; --insecure-no-password asks for it")
        } else {
            Ok(password)
        }
    }
}

/// Whether a repository is at a path; of an address that is believed.
fn is_repository(path: &Path) -> bool {
    is_address(path) || recognise(path).ok() == Some(Kind::RESTIC_REPOSITORY)
}

/// The error of a path that is no repository says which kind of another system it is.
fn of_kind(error: BlobsError, path: &Path) -> Error {
    let other = recognise(path)
        .ok()
        .filter(|kind| kind.system() != System::RESTIC && !kind.system().is_anybodys());
    match other {
        Some(kind) if error.class() == ErrorClass::Missing => {
            anyhow!("{} is {kind}, not a restic repository", path.display())
        }
        _ => error.into(),
    }
}

/// The place that a file names.
fn place_in(file: &PathBuf) -> Result<PathBuf> {
    let bytes = fs::read(file).with_context(|| format!("repository file {}", file.display()))?;
    local(OsString::from_vec(bytes.trim_ascii().to_vec()))
}

/// A repository's place as restic has it, which may be of a kind that can't be read.
fn local(place: OsString) -> Result<PathBuf> {
    let bytes = place.as_bytes();
    if let Some(path) = bytes.strip_prefix(b"local:") {
        return Ok(OsString::from_vec(path.to_vec()).into());
    }
    let text = place.to_str().unwrap_or_default();
    if let Some(address) = address_of_restic(text) {
        return Ok(address);
    }
    for scheme in ["sftp", "rest", "b2", "swift", "rclone"] {
        if text.strip_prefix(scheme).is_some_and(|rest| rest.starts_with(':')) {
            bail!(
                "{text}: repositories are read in local folders and object stores, not by {scheme}: \
                 mount it, or copy it here"
            );
        }
    }
    Ok(place.into())
}

/// From the terminal, unseen; else from standard input.
fn asked_password() -> Result<Vec<u8>> {
    if io::stdin().is_terminal() {
        let asked = rpassword::prompt_password("enter password for repository: ");
        return Ok(asked.context("no password can be asked for on the terminal")?.into_bytes());
    }
    let mut bytes = Vec::new();
    io::stdin().lock().take(64 << 10).read_to_end(&mut bytes).context("standard input")?;
    if bytes.is_empty() {
        bail!(
            "no password: use --password-file or --password-command, set RESTIC_PASSWORD, or pipe it in"
        );
    }
    Ok(of_file(&bytes))
}
