//! Submodules: what `.gitmodules` says of them, and where their repositories are.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use manicule_core::go::Url;

use super::error::GitError;
use super::repository::{GitRepository, parse_config};

/// A submodule as `.gitmodules` has it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Module {
    pub(super) name: String,
    pub(super) path: String,
    pub(super) url: String,
}

/// The submodules of a file `.gitmodules`, which is at `path`.
pub(super) fn parse(bytes: &[u8], path: &Path) -> Result<Vec<Module>, GitError> {
    let bytes = bytes.strip_prefix("\u{feff}".as_bytes()).unwrap_or(bytes);
    let config = parse_config(bytes, path)?;
    let mut modules: Vec<Module> = Vec::new();
    for section in config.sections_by_name("submodule").into_iter().flatten() {
        let Some(name) = section.header().subsection_name() else { continue };
        let name = name.to_string();
        let at = modules.iter().position(|module| module.name == name);
        let at = at.unwrap_or_else(|| {
            modules.push(Module { name, ..Module::default() });
            modules.len() - 1
        });
        let value = |key| section.body().value(key).map(|value| value.to_string());
        if let Some(path) = value("path") {
            modules[at].path = path;
        }
        if let Some(url) = value("url") {
            modules[at].url = url;
        }
    }
    Ok(modules)
}

/// The URL of a submodule of a repository that is at `base`.
pub(super) fn url_of(base: &str, url: &str) -> Result<Url, String> {
    let no_url = |url: &str| format!("{url:?} is no URL");
    if url.starts_with("../") {
        return Ok(Url::parse(base).ok_or_else(|| no_url(base))?.joined(url));
    }
    Url::parse(url).ok_or_else(|| no_url(url))
}

/// Repositories in a folder, each under host and path of its URL. Each is opened once.
pub(super) struct RepositoryCache {
    folder: PathBuf,
    opened: HashMap<PathBuf, Rc<GitRepository>>,
}

impl RepositoryCache {
    pub(super) fn new(folder: &Path) -> Self {
        RepositoryCache { folder: folder.to_owned(), opened: HashMap::new() }
    }

    /// The repository of a URL.
    pub(super) fn open(&mut self, url: &Url) -> Result<Rc<GitRepository>, GitError> {
        let mut name = url.host_and_path();
        if !name.ends_with(".git") {
            name.push_str(".git");
        }
        // Nothing leads out of the folder: a cleaned path begins with what does.
        let name = name.trim_start_matches('/');
        let path = self.folder.join(name);
        if name.starts_with("..") {
            return Err(GitError::NoRepository { path });
        }
        if let Some(opened) = self.opened.get(&path) {
            return Ok(Rc::clone(opened));
        }
        let opened = Rc::new(GitRepository::open(&path)?);
        self.opened.insert(path, Rc::clone(&opened));
        Ok(opened)
    }
}

/// A submodule of a worktree.
pub(super) struct CheckedOut {
    pub(super) module: Module,
    /// Its repository, or why there is none.
    pub(super) opened: Result<GitRepository, String>,
}

/// The submodules of the worktree of a repository.
pub(super) fn checked_out(repository: &GitRepository) -> Result<Vec<CheckedOut>, GitError> {
    let path = repository.worktree.join(".gitmodules");
    let Ok(bytes) = fs::read(&path) else { return Ok(Vec::new()) };
    let mut submodules = Vec::new();
    for module in parse(&bytes, &path)? {
        let key = format!("submodule.{}.url", module.name);
        let is_known = repository.config.string(key.as_str()).is_some();
        let own = repository.common.join("modules").join(&module.name);
        let is_inside = Path::new(&module.name)
            .components()
            .all(|part| matches!(part, std::path::Component::Normal(_)));
        let opened = if is_known && is_inside && own.is_dir() {
            let worktree = repository.worktree.join(&module.path);
            GitRepository::of_submodule(&own, &worktree).map_err(|error| error.to_string())
        } else {
            Err("it is not checked out".to_owned())
        };
        submodules.push(CheckedOut { module, opened });
    }
    Ok(submodules)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modules_are_those_of_the_file() {
        let text = "\u{feff}[submodule \"a/b\"]\n\tpath = third/b\n\turl = ../b.git\n[other]\n\tpath = x\n";
        let want = [Module {
            name: "a/b".to_owned(),
            path: "third/b".to_owned(),
            url: "../b.git".to_owned(),
        }];
        assert_eq!(parse(text.as_bytes(), Path::new("x")).unwrap(), want);
        assert!(parse(b"[submodule", Path::new("x")).is_err());
    }

    #[test]
    fn urls_are_relative_to_the_repositorys() {
        let url = |base: &str, url: &str| url_of(base, url).map(|url| url.to_string());
        let base = "https://example.org/a/lamps";
        assert_eq!(url(base, "../wick.git"), Ok("https://example.org/a/wick.git".to_owned()));
        assert_eq!(url(base, "https://h/w"), Ok("https://h/w".to_owned()));
        assert!(url("1:x", "../y").is_err());
    }

    #[test]
    fn no_url_leads_out_of_the_cache() {
        let folder = tempfile::tempdir().unwrap();
        let mut cache = RepositoryCache::new(folder.path());
        for url in ["../x.git", "../../etc", "file:///../x"] {
            let error = cache.open(&Url::parse(url).unwrap()).err().unwrap();
            assert!(matches!(error, GitError::NoRepository { .. }), "{error}");
        }
    }
}
