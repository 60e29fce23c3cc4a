//! restic repositories.

use std::collections::BTreeSet;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use manicule_blobs::signs;
use manicule_store::NamedEntry;

use super::address::ListedNames;
use super::kind::Kind;
use super::names::Names;
use super::reader::{Call, Place, Reader, no_parts};
use super::row::{KindRow, SystemRow};
use super::signs::Signs;
use super::system::System;
use crate::blobs::check::{CheckCounts, CheckOptions, Checked, Finding, Level, ReadPacks, Subset};
use crate::blobs::{self, Ahead, OpenCall, Repository};
use crate::catalog::blobs as tables;
use crate::find::kinds::{Places, Repository as Searched};
use crate::inspect::{Error, FileFinding, Inspected, Part, Verdict, Verified};

impl Kind {
    /// A folder with `config`, `keys`, `data` and so on.
    pub const RESTIC_REPOSITORY: Kind =
        Kind::new("restic-repository", "a restic repository", System::RESTIC).ranked(5);
}

/// restic.
pub(super) static ROW: SystemRow = SystemRow {
    system: System::RESTIC,
    signs: &Restic,
    kinds: &[KindRow { kind: Kind::RESTIC_REPOSITORY, reader: REPOSITORY }],
    searched: Some(|| Box::<Places<Searched>>::default()),
    tables: &[
        &tables::BLOBS,
        &tables::COSTS,
        &tables::FILES,
        &tables::PACKS,
        &tables::SNAPSHOTS,
        &tables::VERSIONS,
    ],
};

struct Restic;

impl Signs for Restic {
    fn takes_name(&self, name: &[u8]) -> bool {
        signs::is_of_repository(name)
    }

    fn proven(&self, folder: &Path, names: &Names) -> Vec<Kind> {
        let is_repository = names.has(signs::NAMES[1]) && signs::is_repository(folder);
        is_repository.then_some(Kind::RESTIC_REPOSITORY).into_iter().collect()
    }

    fn listed(&self, names: ListedNames<'_>) -> Vec<Kind> {
        let is_config = |name: &&str| *name == signs::NAMES[0];
        let config = names.files().filter(is_config);
        let folders = names.folders().filter(|name| !is_config(name));
        let names = config.chain(folders).map(str::as_bytes);
        signs::has_names(names).then_some(Kind::RESTIC_REPOSITORY).into_iter().collect()
    }

    fn owns(&self, _: &Path, entry: &NamedEntry, proven: &[Kind]) -> bool {
        let is_repository = proven.contains(&Kind::RESTIC_REPOSITORY);
        is_repository && signs::is_of_repository(entry.name.as_bytes())
    }

    fn is_part(&self, name: &[u8], proven: &[Kind]) -> bool {
        proven.contains(&Kind::RESTIC_REPOSITORY) && signs::is_of_repository(name)
    }

    fn noticed_endings(&self) -> &'static [&'static str] {
        &["/config"]
    }

    fn may_be_noticed(&self, path: &Path) -> bool {
        let is_config = path.file_name().is_some_and(|name| name == signs::NAMES[0]);
        is_config && path.with_file_name(signs::NAMES[1]).is_dir()
    }

    fn passed(&self, path: &Path) -> Option<(Kind, PathBuf)> {
        let repository = path.parent().filter(|repository| signs::is_repository(repository))?;
        Some((Kind::RESTIC_REPOSITORY, repository.to_owned()))
    }
}

/// Of a repository: more of it with its password.
const REPOSITORY: Reader = Reader {
    inspect: |place, call| {
        let password = password(place, call)?;
        blobs::inspect::inspect(&place.path, password, call.threads, call.watch)
            .map(|inspection| Inspected::Repository(Box::new(inspection)))
            .map_err(Error::Repository)
    },
    parts: no_parts,
    verify: |place, call, _| verify(place, call),
};

/// Number of files and folders that are counted of broken packs.
const PATHS_MAX: usize = 1_000_000;

fn password(place: &Place, call: &Call<'_>) -> Result<Option<Vec<u8>>, Error> {
    (call.password)().map_err(|why| Error::Password { path: place.path.clone(), why })
}

/// Every byte is read, as of every other kind.
fn verify(place: &Place, call: &Call<'_>) -> Result<Verified, Error> {
    let path = place.path.clone();
    let Some(password) = password(place, call)? else {
        let why = "missing password of the restic repository: give it in $RESTIC_PASSWORD, \
                   $RESTIC_PASSWORD_FILE or $RESTIC_PASSWORD_COMMAND";
        return Err(Error::Password { path, why: why.to_owned() });
    };
    let threads = call.threads;
    let (key_hint, index_cache, ahead) = (None, None, Ahead::Packs);
    let call_of = OpenCall { path, password, key_hint, threads, index_cache, ahead };
    let options = CheckOptions { read: ReadPacks::Whole(Subset::All), paths_max: PATHS_MAX };
    let opened = Repository::open(&call_of).map_err(Error::Repository)?;
    let checked = opened.check(&options, call.watch).map_err(Error::Repository)?;
    let mut verdict = Verdict::default();
    for finding in &checked.findings {
        match finding.level() {
            Level::Error => verdict.findings.push(of_file(finding)),
            Level::Warning => verdict.warnings.push(of_file(finding)),
        }
    }
    let lines = lines(&checked);
    Ok(Verified::new(verdict, checked.counts.fields(), lines))
}

fn of_file(finding: &Finding) -> FileFinding {
    let (offset, what) = (finding.offset, finding.what.as_str());
    let whole = |file: &str, what: &str| FileFinding {
        offset,
        ..FileFinding::whole(file, what.to_owned())
    };
    match what.split_once(": ") {
        Some((file, what)) => whole(file, what),
        None => whole(finding.kind.subject(), what),
    }
}

fn lines(checked: &Checked) -> Vec<Vec<Part>> {
    use Part::{Count, Len, Text};
    let CheckCounts { index_files, packs, blobs, snapshots, trees, bytes_read, .. } =
        checked.counts;
    let mut lines = vec![vec![
        Count(index_files, "index file"),
        Text(", "),
        Count(packs, "pack"),
        Text(" ("),
        Len(bytes_read),
        Text(") with "),
        Count(blobs, "blob"),
        Text(", "),
        Count(snapshots, "snapshot"),
        Text(", "),
        Count(trees, "tree"),
    ]];
    let of_packs = checked.broken.iter().map(|pack| &pack.lost);
    let lost = of_packs.chain(checked.missing.iter().map(|missing| &missing.lost));
    let snapshots: BTreeSet<_> = lost.clone().flat_map(|lost| &lost.snapshots).collect();
    if !snapshots.is_empty() {
        let damaged = lost.clone().map(|lost| lost.damaged.len() as u64).sum();
        let unreadable = lost.map(|lost| lost.unreadable.len() as u64).sum();
        lines.push(vec![
            Count(damaged, "file"),
            Text(" damaged and "),
            Count(unreadable, "folder"),
            Text(" unreadable in "),
            Count(snapshots.len() as u64, "snapshot"),
            Text("; `manicule blobs check` lists them"),
        ]);
    }
    lines
}
