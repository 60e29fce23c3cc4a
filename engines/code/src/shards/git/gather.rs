//! Files of commits gathered: of several branches, and of the submodules in them.

use std::collections::BTreeMap;
use std::path::Path;

use gix_hash::ObjectId;
use manicule_core::watch::Watch;

use super::super::index::{Ignore, IgnoreError, IndexError, WalkError};
use super::config::submodule_url;
use super::error::GitError;
use super::modules::{self, CheckedOut, Module, RepositoryCache};
use super::objects::{DEPTH_MAX, Handle, Objects, SUBMODULE, TREE, is_file};
use super::options::{GitOptions, MissingBranches, Submodules};
use super::repository::GitRepository;

/// Commits of more files or folders are made to fill the memory.
const COUNT_MAX: usize = 1 << 24;

/// Path of the ignore file.
pub(super) const IGNORE_FILE: &str = ".sourcegraph/ignore";
/// Longer ones are refused: somebody else's tree shall not fill the memory.
const IGNORE_FILE_LEN_MAX: u64 = 16 << 20;

/// A file of one or several branches.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct GitFile {
    /// Its path, below the repository that is indexed.
    pub(super) name: Vec<u8>,
    pub(super) id: ObjectId,
    /// The branches that hold it, a bit each.
    pub(super) branches: u64,
    /// Index of its sub-repository in [`Gathered::subs`]; the first is the repository itself.
    pub(super) sub: u32,
}

/// A repository that files are of.
pub(super) struct SubRepository {
    /// Its path in the repository that is indexed; empty for that one itself.
    pub(super) path: String,
    pub(super) url: String,
    pub(super) objects: Objects,
}

/// Files of commits.
#[derive(Default)]
pub(super) struct Gathered {
    /// By name; where several have one, those of earlier branches first.
    pub(super) files: Vec<GitFile>,
    pub(super) subs: Vec<SubRepository>,
    /// The commits of submodules by branch and path.
    pub(super) versions: BTreeMap<(usize, String), ObjectId>,
    /// What was passed over.
    pub(super) notes: Vec<String>,
}

/// A branch, with the tree of its commit.
#[derive(Clone, Debug)]
pub(super) struct Tip {
    /// Number of the branch: its bit.
    pub(super) branch: usize,
    pub(super) name: String,
    pub(super) tree: ObjectId,
}

/// The files of the trees of branches of a repository, which is at `url`.
pub(super) fn gather(
    repository: &GitRepository,
    url: &str,
    tips: &[Tip],
    git: &GitOptions,
    submodules: &Submodules,
    watch: &Watch<'_>,
) -> Result<Gathered, IndexError> {
    let mut gather = Gather { gathered: Gathered::default(), tree_count: 0, cache: None, watch };
    if let Submodules::Cached(folder) = submodules {
        gather.cache = Some(RepositoryCache::new(folder));
    }
    let sub = gather.sub("", url, &repository.objects);
    for Tip { branch, tree, .. } in tips {
        let at = At { branch: *branch, sub, path: "", url };
        gather.tree_of(&repository.handle, &at, *tree, 0)?;
    }
    if *submodules == Submodules::OfWorktree {
        gather.worktree(repository, tips, git, "", 0)?;
    }
    gather.gathered.sort(gather.cache.is_some());
    Ok(gather.gathered)
}

impl Gathered {
    /// Files of a repository alone, in any order.
    pub(super) fn of(repository: &GitRepository, url: &str, files: Vec<GitFile>) -> Self {
        let (path, url, objects) = (String::new(), url.to_owned(), repository.objects.clone());
        let subs = vec![SubRepository { path, url, objects }];
        let mut gathered = Gathered { files, subs, ..Gathered::default() };
        gathered.sort(false);
        gathered
    }

    /// Brings the files into order, and makes one of those that are the same on several branches.
    fn sort(&mut self, from_cache: bool) {
        // Files of one branch come in order; those of the next follow.
        self.files.sort_by(|left, right| left.name.cmp(&right.name));
        let mut files: Vec<GitFile> = Vec::with_capacity(self.files.len());
        let mut first = 0;
        for file in std::mem::take(&mut self.files) {
            if files.get(first).is_none_or(|of_run| of_run.name != file.name) {
                first = files.len();
            }
            let run = &mut files[first..];
            match run.iter_mut().find(|other| (other.id, other.sub) == (file.id, file.sub)) {
                // As the peer has it: of a submodule from a cache, the last branch counts.
                Some(same) if file.sub != 0 && from_cache => same.branches = file.branches,
                Some(same) => same.branches |= file.branches,
                None => files.push(file),
            }
        }
        self.files = files;
    }
}

/// Place of a tree that is gathered.
#[derive(Clone, Copy)]
struct At<'a> {
    branch: usize,
    sub: u32,
    /// Path of the sub-repository.
    path: &'a str,
    /// URL of the sub-repository.
    url: &'a str,
}

struct Gather<'g> {
    /// Asked at each tree whether to go on.
    watch: &'g Watch<'g>,
    gathered: Gathered,
    tree_count: usize,
    cache: Option<RepositoryCache>,
}

/// A submodule in a tree.
struct Link {
    commit: ObjectId,
    /// Its path in its repository, and in the one that is indexed.
    path: String,
    whole: String,
    depth: usize,
}

/// What holds for all of a commit.
struct Rules {
    ignore: Ignore,
    modules: Vec<Module>,
}

impl Gather<'_> {
    /// Index of a sub-repository.
    fn sub(&mut self, path: &str, url: &str, objects: &Objects) -> u32 {
        let subs = &mut self.gathered.subs;
        // A branch may have another one at the same path.
        let at = subs.iter().position(|sub| sub.path == path && sub.url == url);
        let at = at.unwrap_or_else(|| {
            let (path, url) = (path.to_owned(), url.to_owned());
            subs.push(SubRepository { path, url, objects: objects.clone() });
            subs.len() - 1
        });
        at as u32
    }

    /// Adds the files of a commit's tree.
    fn tree_of(
        &mut self,
        handle: &Handle,
        at: &At<'_>,
        tree: ObjectId,
        depth: usize,
    ) -> Result<(), IndexError> {
        let mut rules = Rules { ignore: ignore(handle, tree, at.path)?, modules: Vec::new() };
        if self.cache.is_some()
            && let Some((mode, id)) =
                handle.at_path(&tree, b".gitmodules").map_err(IndexError::Git)?
            && is_file(mode)
        {
            let mut content = Vec::new();
            handle.blob(&id, &mut content).map_err(IndexError::Git)?;
            let path = Path::new(at.path).join(".gitmodules");
            rules.modules = modules::parse(&content, &path).map_err(IndexError::Git)?;
        }
        self.tree(handle, at, &rules, tree, &mut Vec::new(), depth)
    }

    /// Adds the files of a tree, whose path in its repository is `path`.
    fn tree(
        &mut self,
        handle: &Handle,
        at: &At<'_>,
        rules: &Rules,
        tree: ObjectId,
        path: &mut Vec<u8>,
        depth: usize,
    ) -> Result<(), IndexError> {
        let mut data = Vec::new();
        handle.tree(&tree, &mut data).map_err(IndexError::Git)?;
        let too_much = |what| Err(IndexError::Git(handle.too_much(what)));
        self.tree_count += 1;
        handle.check_depth(depth).map_err(IndexError::Git)?;
        self.watch.check().map_err(|_| IndexError::Stopped)?;
        if self.gathered.files.len().max(self.tree_count) > COUNT_MAX {
            return too_much("its commits have more than 16,777,216 files or folders");
        }
        for entry in handle.entries(&tree, &data) {
            let entry = entry.map_err(IndexError::Git)?;
            let len = path.len();
            if len > 0 {
                path.push(b'/');
            }
            path.extend_from_slice(entry.filename);
            match entry.mode.value() {
                TREE => self.tree(handle, at, rules, entry.oid.to_owned(), path, depth + 1)?,
                SUBMODULE => {
                    let whole = joined(at.path.as_bytes(), path);
                    let link = Link {
                        commit: entry.oid.to_owned(),
                        path: String::from_utf8_lossy(path).into_owned(),
                        whole: String::from_utf8_lossy(&whole).into_owned(),
                        depth,
                    };
                    self.submodule(at, rules, link);
                }
                mode if is_file(mode) && !rules.ignore.holds(path) => {
                    self.gathered.files.push(GitFile {
                        name: joined(at.path.as_bytes(), path),
                        id: entry.oid.to_owned(),
                        branches: 1 << at.branch,
                        sub: at.sub,
                    });
                }
                _ => {}
            }
            path.truncate(len);
        }
        Ok(())
    }

    /// Notes the commit of a submodule and adds its files, if its repository is in the cache.
    fn submodule(&mut self, at: &At<'_>, rules: &Rules, link: Link) {
        let file_count = self.gathered.files.len();
        if self.cache.is_none() {
            self.gathered.versions.insert((at.branch, link.whole), link.commit);
        } else if let Err(why) = self.cached(at, rules, &link) {
            self.left_out(file_count, &link.whole, &why);
        }
    }

    /// Takes back the files after the first `file_count`, and notes why.
    fn left_out(&mut self, file_count: usize, path: &str, why: &str) {
        self.gathered.files.truncate(file_count);
        let note = format!("submodule {path} is left out: {why}");
        // The same may be so on every branch.
        if !self.gathered.notes.contains(&note) {
            self.gathered.notes.push(note);
        }
    }

    fn cached(&mut self, at: &At<'_>, rules: &Rules, link: &Link) -> Result<(), String> {
        let Link { commit, path, whole, depth } = link;
        let module = rules.modules.iter().rev().find(|module| module.path == *path);
        let module = module.ok_or_else(|| format!(".gitmodules has no submodule at {path}"))?;
        let url = modules::url_of(at.url, &module.url)?;
        let cache = self.cache.as_mut().expect("it was asked for");
        let repository = cache.open(&url).map_err(|error| error.to_string())?;
        let tree = repository.handle.commit(commit).map_err(|error| error.to_string())?.tree;
        self.gathered.versions.insert((at.branch, whole.clone()), *commit);
        let url = url.to_string();
        let sub = self.sub(whole, &url, &repository.objects);
        let at = At { branch: at.branch, sub, path: whole, url: &url };
        // A submodule may hold one in its turn, and so on.
        self.tree_of(&repository.handle, &at, tree, depth + 1).map_err(|error| error.to_string())
    }

    /// Adds the files of submodules that are checked out below a repository, whose own path is
    /// `path`: of the commits that the branches that are asked for have there now.
    fn worktree(
        &mut self,
        repository: &GitRepository,
        tips: &[Tip],
        git: &GitOptions,
        path: &str,
        depth: usize,
    ) -> Result<(), IndexError> {
        let submodules = modules::checked_out(repository).map_err(IndexError::Git)?;
        for CheckedOut { module, opened } in submodules {
            let whole = joined(path.as_bytes(), module.path.as_bytes());
            let whole = String::from_utf8_lossy(&whole);
            let file_count = self.gathered.files.len();
            let added = opened.and_then(|opened| {
                if depth == DEPTH_MAX {
                    return Err("it lies too deep".to_owned());
                }
                self.checked_out(&opened, tips, git, &whole)?;
                self.worktree(&opened, tips, git, &whole, depth + 1)
                    .map_err(|error| error.to_string())
            });
            if let Err(why) = added {
                self.left_out(file_count, &whole, &why);
            }
        }
        Ok(())
    }

    fn checked_out(
        &mut self,
        repository: &GitRepository,
        tips: &[Tip],
        git: &GitOptions,
        path: &str,
    ) -> Result<(), String> {
        let url = submodule_url(&repository.config)?;
        let sub = self.sub(path, &url, &repository.objects);
        let said = |error: GitError| error.to_string();
        // Globs stand for the branches of the submodule; those that its repository hasn't are no
        // bits of a document.
        for name in repository.expanded(&git.branches).map_err(said)? {
            let Some(tip) = tips.iter().find(|tip| tip.name == name) else { continue };
            let commit = match repository.commit(&git.branch_prefix, &name) {
                Err(GitError::NoRevision { .. })
                    if git.missing_branches == MissingBranches::LeftOut =>
                {
                    continue;
                }
                commit => commit.map_err(said)?,
            };
            let tree = repository.handle.commit(&commit).map_err(said)?.tree;
            let at = At { branch: tip.branch, sub, path, url: &url };
            self.tree_of(&repository.handle, &at, tree, 0).map_err(|error| error.to_string())?;
        }
        Ok(())
    }
}

/// The ignore file of a commit's own tree. `path` is that of its repository.
pub(super) fn ignore(handle: &Handle, tree: ObjectId, path: &str) -> Result<Ignore, IndexError> {
    let found = handle.at_path(&tree, IGNORE_FILE.as_bytes()).map_err(IndexError::Git)?;
    let Some((mode, id)) = found else { return Ok(Ignore::default()) };
    if !is_file(mode) {
        return Ok(Ignore::default());
    }
    let path = Path::new(path).join(IGNORE_FILE);
    let refused = |source| IndexError::Walk(WalkError::Ignore { path: path.clone(), source });
    let mut content = Vec::new();
    match handle.blob_len(&id).map_err(IndexError::Git)? {
        Some(len) if len > IGNORE_FILE_LEN_MAX => {
            let len_max = IGNORE_FILE_LEN_MAX;
            return Err(refused(IgnoreError::TooLong { len_max }));
        }
        _ => handle.blob(&id, &mut content).map_err(IndexError::Git)?,
    };
    Ignore::parse(&content).map_err(refused)
}

fn joined(folder: &[u8], name: &[u8]) -> Vec<u8> {
    match folder {
        b"" => name.to_vec(),
        folder => [folder, b"/", name].concat(),
    }
}

#[cfg(test)]
mod tests {
    use super::super::objects::IDS;
    use super::*;

    #[test]
    fn a_file_of_several_branches_is_one() {
        let id = |byte: u8| ObjectId::try_from(&[byte; 20][..]).unwrap();
        let file = |name: &str, byte, branches| GitFile {
            name: name.as_bytes().to_vec(),
            id: id(byte),
            branches,
            sub: 0,
        };
        assert_eq!(id(0), ObjectId::null(IDS));
        let files = vec![file("a", 1, 1), file("b", 1, 1), file("a", 2, 2), file("b", 1, 2)];
        let mut gathered = Gathered { files, ..Gathered::default() };
        gathered.sort(false);
        assert_eq!(gathered.files, [file("a", 1, 1), file("a", 2, 2), file("b", 1, 3)]);
    }
}
