//! A git repository opened: its folders, its references, its config.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use gix_config::File as Config;
use gix_hash::ObjectId;
use gix_ref::{PartialNameRef, Reference, Target};
use manicule_core::go::Glob;

use super::error::GitError;
use super::objects::{Handle, IDS, Objects};

/// References that lead to one another, one after the other: as many as git follows.
const LINKS_MAX: usize = 5;

/// A git repository.
pub(super) struct GitRepository {
    /// The folder as given.
    pub(super) path: PathBuf,
    /// The folder that holds what all worktrees share.
    pub(super) common: PathBuf,
    /// Its worktree, or the folder of a bare one.
    pub(super) worktree: PathBuf,
    pub(super) config: Config,
    pub(super) objects: Objects,
    pub(super) handle: Handle,
    references: gix_ref::file::Store,
}

impl GitRepository {
    /// Opens the repository that a folder is, or whose checkout it is.
    pub(super) fn open(path: &Path) -> Result<Self, GitError> {
        let own = own_folder(path)?;
        let common = match fs::read_to_string(own.join("commondir")) {
            Ok(text) => own.join(text.trim()),
            Err(_) => own.clone(),
        };
        GitRepository::at(path, &own, &common, path)
    }

    /// The repository of a submodule that is checked out, `own` being its folder.
    pub(super) fn of_submodule(own: &Path, worktree: &Path) -> Result<Self, GitError> {
        GitRepository::at(own, own, own, worktree)
    }

    fn at(path: &Path, own: &Path, common: &Path, worktree: &Path) -> Result<Self, GitError> {
        let objects = common.join("objects");
        if !own.join("HEAD").is_file() || !objects.is_dir() {
            return Err(GitError::NoRepository { path: path.to_owned() });
        }
        let config = read_config(&common.join("config"))?;
        refuse_extensions(&config, path)?;
        let objects = Objects::open(&objects, path)?;
        let references =
            gix_ref::file::Store::for_linked_worktree(own.to_owned(), common.to_owned(), IDS);
        let handle = objects.handle();
        Ok(GitRepository {
            path: path.to_owned(),
            common: common.to_owned(),
            worktree: worktree.to_owned(),
            config,
            objects,
            handle,
            references,
        })
    }

    /// The commit of a revision: of one that is none by itself, with `prefix` before it.
    pub(super) fn commit(&self, prefix: &str, revision: &str) -> Result<ObjectId, GitError> {
        if let Some(id) = self.resolve(revision)? {
            return Ok(id);
        }
        let prefixed = format!("{}/{revision}", prefix.trim_end_matches('/'));
        self.resolve(&prefixed)?.ok_or_else(|| GitError::NoRevision {
            path: self.path.clone(),
            revision: revision.to_owned(),
        })
    }

    /// The commit of `NAME`, with `~N` and `^N` after it; `None` if there is none.
    fn resolve(&self, revision: &str) -> Result<Option<ObjectId>, GitError> {
        let end = revision.find(['~', '^']).unwrap_or(revision.len());
        let (name, mut steps) = revision.split_at(end);
        let Some(mut id) = self.named(name)? else { return Ok(None) };
        while let Some(sign) = steps.chars().next() {
            steps = &steps[1..];
            if let Some(rest) = ["{commit}", "{}"].iter().find_map(|kind| steps.strip_prefix(kind))
            {
                steps = rest;
                continue;
            }
            let digits = steps.bytes().take_while(u8::is_ascii_digit).count();
            let (number, rest) = steps.split_at(digits);
            let number = if digits == 0 { Ok(1) } else { number.parse::<usize>() };
            let Ok(number) = number else { return Ok(None) };
            let next = match sign {
                '~' => self.ancestor(id, number)?,
                '^' if number == 0 => Some(id),
                '^' => self.handle.commit(&id)?.parents.get(number - 1).copied(),
                _ => None,
            };
            let Some(next) = next else { return Ok(None) };
            (id, steps) = (next, rest);
        }
        Ok(Some(id))
    }

    /// The commit of a reference, of an id, or of the beginning of one.
    fn named(&self, name: &str) -> Result<Option<ObjectId>, GitError> {
        if let Ok(id) = ObjectId::from_hex(name.as_bytes()) {
            return match self.handle.peel(id) {
                Err(GitError::Missing { .. }) => Ok(None),
                peeled => peeled,
            };
        }
        let found = self.referenced(if name == "@" { "HEAD" } else { name })?;
        let is_prefix =
            (4..40).contains(&name.len()) && name.bytes().all(|b| b.is_ascii_hexdigit());
        let found = found.or_else(|| self.handle.with_prefix(name).filter(|_| is_prefix));
        found.map_or(Ok(None), |id| self.handle.peel(id))
    }

    /// The object that a reference leads to. A HEAD without commits leads nowhere.
    fn referenced(&self, name: &str) -> Result<Option<ObjectId>, GitError> {
        let unreadable = |error: String| GitError::Unreadable {
            path: self.common.join("refs"),
            source: io::Error::other(error),
        };
        // What can't be the name of a reference is the name of none.
        let Ok(partial) = <&PartialNameRef>::try_from(name) else { return Ok(None) };
        let mut found = self.references.try_find(partial);
        for _ in 0..LINKS_MAX {
            match found.map_err(|error| unreadable(error.to_string()))? {
                None => return Ok(None),
                Some(Reference { target: Target::Object(id), .. }) => return Ok(Some(id)),
                Some(Reference { target: Target::Symbolic(next), .. }) => {
                    found = self.references.try_find(next.as_ref().as_partial_name());
                }
            }
        }
        Err(unreadable(format!("{name} leads from one reference to the next without end")))
    }

    fn ancestor(&self, mut id: ObjectId, count: usize) -> Result<Option<ObjectId>, GitError> {
        for _ in 0..count {
            match self.handle.commit(&id)?.parents.first() {
                Some(parent) => id = *parent,
                None => return Ok(None),
            }
        }
        Ok(Some(id))
    }

    /// The names of branches as they are asked for: globs stand for those that they match.
    pub(super) fn expanded(&self, asked: &[String]) -> Result<Vec<String>, GitError> {
        let mut names: Vec<String> = Vec::new();
        for one in asked {
            if !one.contains('*') {
                names.push(one.clone());
                continue;
            }
            let glob = Glob::parse(one.as_bytes())
                .map_err(|error| GitError::Glob { glob: one.clone(), why: error.to_string() })?;
            let matching =
                self.branches()?.into_iter().filter(|name| glob.matches(name.as_bytes()));
            names.extend(matching);
        }
        let mut seen = std::collections::HashSet::new();
        names.retain(|name| seen.insert(name.clone()));
        Ok(names)
    }

    /// The names of all branches, in their order.
    fn branches(&self) -> Result<Vec<String>, GitError> {
        let unreadable = |error: String| GitError::Unreadable {
            path: self.common.join("refs"),
            source: io::Error::other(error),
        };
        let listed = self.references.iter().map_err(|error| unreadable(error.to_string()))?;
        let heads = "refs/heads/".try_into().expect("a relative path");
        let mut names = Vec::new();
        for reference in listed.prefixed(heads).map_err(GitError::io(&self.common))? {
            let reference = reference.map_err(|error| unreadable(error.to_string()))?;
            names.push(reference.name.shorten().to_string());
        }
        Ok(names)
    }
}

/// The folder of a repository's own: that of a bare one, `.git`, or the one that a file `.git`
/// leads to.
fn own_folder(path: &Path) -> Result<PathBuf, GitError> {
    let dot_git = path.join(".git");
    match fs::metadata(&dot_git) {
        Ok(meta) if meta.is_dir() => Ok(dot_git),
        Ok(_) => {
            let text = fs::read_to_string(&dot_git).map_err(GitError::io(&dot_git))?;
            let leads = text.strip_prefix("gitdir:").map(|rest| path.join(rest.trim()));
            leads.ok_or_else(|| GitError::NoRepository { path: path.to_owned() })
        }
        Err(_) => Ok(path.to_owned()),
    }
}

/// The config at a path, empty if there is none. What it includes is not looked at.
fn read_config(path: &Path) -> Result<Config, GitError> {
    match fs::read(path) {
        Ok(bytes) => parse_config(&bytes, path),
        Err(error) if error.kind() == io::ErrorKind::NotFound => parse_config(b"", path),
        Err(error) => Err(GitError::io(path)(error)),
    }
}

/// A config of these bytes. `path` is where they are from.
pub(super) fn parse_config(bytes: &[u8], path: &Path) -> Result<Config, GitError> {
    let meta = gix_config::file::Metadata::from(gix_config::Source::Local);
    Config::from_bytes_no_includes(bytes, meta, gix_config::file::init::Options::default())
        .map_err(|error| GitError::Config { path: path.to_owned(), why: error.to_string() })
}

/// Refuses repositories whose ids or references are of a newer kind.
fn refuse_extensions(config: &Config, path: &Path) -> Result<(), GitError> {
    for (key, known) in [("objectFormat", "sha1"), ("refStorage", "files")] {
        let value = config.string(format!("extensions.{key}").as_str());
        if let Some(value) = value.filter(|value| !value.eq_ignore_ascii_case(known.as_bytes())) {
            let what = format!("extensions.{key} is {value}");
            return Err(GitError::Unsupported { path: path.to_owned(), what });
        }
    }
    Ok(())
}
