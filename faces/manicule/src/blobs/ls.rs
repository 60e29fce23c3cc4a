//! The paths of a snapshot, as restic lists them.
//!
//! Callers: faces

use manicule_blobs::{Below, Indexed, Kept, RepoError, each_path, put_listed_node};
use manicule_core::watch::{Phase, Unit, Watch};

use super::error::Error;
use super::open::Open;

/// Arguments of listing a snapshot.
#[derive(Clone, Debug)]
pub struct LsCall {
    /// Folders whose entries are listed, and files; all paths if there is none.
    pub paths: Vec<Vec<u8>>,
    /// Whether folders that lie in the listed ones are listed as well.
    pub recursive: bool,
    /// Whether a line is a JSON object as `restic ls --json` prints it, in place of the path.
    pub json: bool,
}

/// Lists the paths of a snapshot: a folder before what it holds. `take` receives a line, or why a tree can't be read.
///
/// One tree is read at a time, after the index. Memory beside the index: the lines of the open trees.
pub fn ls<E: From<Error>>(
    open: &Open,
    kept: &Kept,
    call: &LsCall,
    watch: &Watch<'_>,
    mut take: impl FnMut(Result<&[u8], String>) -> Result<(), E>,
) -> Result<(), E> {
    let Some(root) = kept.snapshot.tree else {
        return take(Err(format!("snapshot {} has no tree", kept.id)));
    };
    let index = open.index_of(Indexed::Trees, watch)?;
    if call.json {
        let mut line = Vec::new();
        kept.snapshot.put_ls_line(kept.id, &mut line);
        take(Ok(&line))?;
    }
    let meter = watch.endless(Phase::Reading, Unit::Files);
    let done = each_path::<_, Ended<E>>(
        &open.repository,
        &index,
        root,
        |path, node| {
            let mut line = Vec::new();
            if call.lists(path) {
                match call.json {
                    true => put_listed_node(path, node, &mut line),
                    false => line.extend([path, b"\n"].concat()),
                }
            }
            (line, call.below(path))
        },
        |line| {
            meter.step(1).map_err(|stopped| Ended::Repo(stopped.into()))?;
            match line {
                Ok(line) if line.is_empty() => Ok(()),
                line => take(line.as_deref().map_err(String::clone)).map_err(Ended::Caller),
            }
        },
    );
    meter.end();
    done.map_err(|ended| match ended {
        Ended::Repo(error) => Error::Repo(error).into(),
        Ended::Caller(error) => error,
    })?;
    index.check_cache().map_err(|error| Error::Repo(error).into())
}

/// Why a listing ended early.
enum Ended<E> {
    Repo(RepoError),
    Caller(E),
}

impl<E> From<RepoError> for Ended<E> {
    fn from(error: RepoError) -> Self {
        Ended::Repo(error)
    }
}

impl LsCall {
    /// Whether a path is one of those that are wanted, or lies in one.
    fn lists(&self, path: &[u8]) -> bool {
        self.paths.is_empty() || self.paths.iter().any(|wanted| is_within(path, wanted))
    }

    /// A folder on the way to a wanted one, or that is one, is entered; one that lies in it only if all are.
    fn below(&self, path: &[u8]) -> Below {
        let is_on_the_way = || self.paths.iter().any(|wanted| is_within(wanted, path));
        match self.paths.is_empty() || is_on_the_way() || (self.recursive && self.lists(path)) {
            true => Below::Enter,
            false => Below::Skip,
        }
    }
}

/// Whether a path is a folder, or lies in it.
fn is_within(path: &[u8], folder: &[u8]) -> bool {
    let folder = folder.strip_suffix(b"/").unwrap_or(folder);
    path.strip_prefix(folder).is_some_and(|rest| rest.is_empty() || rest[0] == b'/')
}
