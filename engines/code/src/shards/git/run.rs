//! A git repository indexed.

use std::collections::{BTreeMap, BTreeSet};

use gix_hash::ObjectId;
use manicule_core::watch::Watch;
use manicule_format_zoekt::{Branch, Repository, Shard, ZERO_TIME};
use manicule_store::context::Context;
use manicule_store::{Disk, SharedFiles};

use super::super::index::{
    IndexError, IndexOptions, IndexReport, Lease, Place, Run, Shards, Unchanged, describe,
    replaced, set_tombstones,
};
use super::super::last_run::LastRun;
use super::config;
use super::delta::{Changes, changes};
use super::error::GitError;
use super::gather::{Gathered, SubRepository, Tip, gather};
use super::kept::{KeptDocuments, is_unchanged, kept, repository_of};
use super::objects::IDS;
use super::options::{Delta, GitOptions, GitReport, MissingBranches, Submodules};
use super::repository::GitRepository;
use super::source::Commits;

/// Indexes commits of the git repository that `options.folder` is, or is a checkout of. After `Ok`
/// the shards are there, also after a power cut; after `Err` the old ones are, whole.
///
/// The repository's description gets what its config says, and the branches. A name that it has
/// already stays. With [`Unchanged::Stays`] an index of the same commits and options stays as it
/// is; else blobs that the shards of before have are taken from them, with their symbols.
pub fn index_git(
    git: &GitOptions,
    options: &IndexOptions<'_>,
    watch: &Watch<'_>,
) -> Result<GitReport, IndexError> {
    index_git_through(&Disk::shared(), git, options, watch)
}

/// As [`index_git`], with every file beside the shards and of them written through `files`.
pub fn index_git_through(
    files: &SharedFiles,
    git: &GitOptions,
    options: &IndexOptions<'_>,
    watch: &Watch<'_>,
) -> Result<GitReport, IndexError> {
    let _held = Context::current().hold(options.memory).map_err(IndexError::Memory)?;
    let opened = GitRepository::open(&options.folder).map_err(IndexError::Git)?;
    let mut notes = Vec::new();
    let mut described = options.repository.clone();
    notes.extend(config::describe(&opened.config, &mut described).err());
    let tips = tips(&opened, git, &mut described)?;
    let described = describe(options, described)?;
    let (place, lease) = Place::take(files, options, &described)?;
    let last = LastRun::open(&place.family);
    let shards = last.as_ref().map(LastRun::shards).unwrap_or_default();
    let stays = options.unchanged == Unchanged::Stays && is_unchanged(&shards, &described);
    let mut done = if let Some(last) = last.as_ref().filter(|_| stays) {
        GitReport { index: last.report(&shards), ..GitReport::default() }
    } else {
        let replaced = replaced(&place.family, &described.source, &options.folder);
        let last = last.as_ref().map(|last| (last, shards.as_slice()));
        let work = Work { opened: &opened, git, options, place: &place, watch, tips: &tips, last };
        let written = match work.changes(&described, &mut notes)? {
            Some(changes) => work.add(&described, changes, lease)?,
            None => work.replace(described.clone(), lease, &mut notes)?,
        };
        GitReport { index: IndexReport { replaced, ..written.index }, ..written }
    };
    done.notes = notes;
    done.index.tombstones = set_tombstones(files, options, &described)?;
    Ok(done)
}

/// The branches that are asked for, which the description gets, with the latest of their commits.
fn tips(
    opened: &GitRepository,
    git: &GitOptions,
    described: &mut Repository,
) -> Result<Vec<Tip>, IndexError> {
    let (mut tips, mut branches, mut latest) = (Vec::new(), Vec::new(), None);
    for name in opened.expanded(&git.branches).map_err(IndexError::Git)? {
        let id = match opened.commit(&git.branch_prefix, &name) {
            Err(GitError::NoRevision { .. })
                if git.missing_branches == MissingBranches::LeftOut =>
            {
                continue;
            }
            id => id.map_err(IndexError::Git)?,
        };
        let commit = opened.handle.commit(&id).map_err(IndexError::Git)?;
        if latest.as_ref().is_none_or(|(seconds, _)| *seconds < commit.seconds) {
            latest = Some((commit.seconds, commit.time()));
        }
        branches.push(Branch { name: name.clone(), version: id.to_string() });
        tips.push(Tip { branch: tips.len(), name, tree: commit.tree });
    }
    described.branches = Some(branches).filter(|branches| !branches.is_empty());
    described.latest_commit_date = latest.map_or(ZERO_TIME.to_owned(), |(_, time)| time);
    Ok(tips)
}

/// A run, once it is known that there is something to do.
struct Work<'w> {
    opened: &'w GitRepository,
    git: &'w GitOptions,
    options: &'w IndexOptions<'w>,
    place: &'w Place,
    watch: &'w Watch<'w>,
    tips: &'w [Tip],
    /// The shards that are there; none where one can't be read.
    last: Option<(&'w LastRun, &'w [Shard<'w>])>,
}

impl Work<'_> {
    fn shards(&self) -> &[Shard<'_>] {
        self.last.map_or(&[], |(_, shards)| shards)
    }

    /// What has changed, if only that is to be indexed and can be.
    fn changes(
        &self,
        described: &Repository,
        notes: &mut Vec<String>,
    ) -> Result<Option<Changes>, IndexError> {
        let Delta::UpTo(shards_max) = self.git.delta else { return Ok(None) };
        if self.git.submodules != Submodules::Off {
            notes.push(
                "-delta: all is indexed, submodules too; -submodules=false leaves them out".into(),
            );
            return Ok(None);
        }
        Ok(match changes(self.opened, described, self.tips, self.shards(), shards_max)? {
            Ok(changes) => Some(changes),
            Err(why) => {
                notes.push(format!("-delta: all is indexed, for {why}"));
                None
            }
        })
    }

    /// Adds what has changed.
    fn add(
        &self,
        described: &Repository,
        changes: Changes,
        lease: Lease,
    ) -> Result<GitReport, IndexError> {
        let Work { options, place, watch, .. } = self;
        let commits = Commits::new(&changes.gathered, &[0], None, options.threads)?;
        let run = Run::new(options, described, &commits, place, watch);
        let index = run.write(lease, Shards::Kept(changes.sidecars))?;
        Ok(GitReport { index, is_delta: true, ..GitReport::default() })
    }

    /// Replaces what is there.
    fn replace(
        &self,
        mut described: Repository,
        lease: Lease,
        notes: &mut Vec<String>,
    ) -> Result<GitReport, IndexError> {
        let Work { options, place, watch, tips, .. } = self;
        let gathered = self.gather(tips, &described.url)?;
        notes.extend(gathered.notes.iter().cloned());
        let numbers = self.sub_repositories(&gathered, &mut described);
        let documents = self.kept(&gathered, &described);
        let commits = Commits::new(&gathered, &numbers, documents, options.threads)?;
        let run = Run::new(options, &described, &commits, place, watch);
        let index = run.write(lease, Shards::Replaced)?;
        Ok(GitReport { index, kept: commits.kept_count(), ..GitReport::default() })
    }

    fn gather(&self, tips: &[Tip], url: &str) -> Result<Gathered, IndexError> {
        gather(self.opened, url, tips, self.git, &self.git.submodules, self.watch)
    }

    /// Describes the sub-repositories that have files, and numbers them all by their paths.
    fn sub_repositories(&self, gathered: &Gathered, described: &mut Repository) -> Vec<u32> {
        let used: BTreeSet<u32> = gathered.files.iter().map(|file| file.sub).collect();
        let mut paths = BTreeMap::new();
        for (index, sub) in gathered.subs.iter().enumerate().skip(1) {
            if !used.contains(&(index as u32)) {
                continue;
            }
            let mut repository = config::sub_repository(&sub.url, &sub.path);
            let branches = self.tips.iter().map(|tip| {
                let version = gathered.versions.get(&(tip.branch, sub.path.clone()));
                let version = version.copied().unwrap_or(ObjectId::null(IDS)).to_string();
                Branch { name: tip.name.clone(), version }
            });
            repository.branches = Some(branches.collect());
            paths.entry(sub.path.clone()).or_insert(repository);
        }
        let number_of = |sub: &SubRepository| {
            let place = paths.keys().position(|path| *path == sub.path);
            place.map_or(0, |place| place as u32 + 1)
        };
        let numbers = gathered.subs.iter().map(number_of).collect();
        described.sub_repo_map = Some(paths);
        numbers
    }

    /// The documents of the last run that can be taken, unless everything is to be written again.
    fn kept(&self, now: &Gathered, described: &Repository) -> Option<KeptDocuments<'_>> {
        let (last, shards) = self.last.filter(|_| self.options.unchanged == Unchanged::Stays)?;
        let before = repository_of(shards)?;
        let mut tips = Vec::new();
        for (branch, Branch { name, version }) in before.branches.iter().flatten().enumerate() {
            // One that is gone has nothing to take.
            let Ok(id) = ObjectId::from_hex(version.as_bytes()) else { continue };
            let Ok(commit) = self.opened.handle.commit(&id) else { continue };
            tips.push(Tip { branch, name: name.clone(), tree: commit.tree });
        }
        let submodules = match &self.git.submodules {
            // Nothing says of which commits theirs were.
            Submodules::OfWorktree => &Submodules::Off,
            submodules => submodules,
        };
        let then =
            gather(self.opened, &before.url, &tips, self.git, submodules, self.watch).ok()?;
        let kept = kept(shards, &then, now, described, self.options);
        KeptDocuments::new(last, shards, kept, self.options)
    }
}
