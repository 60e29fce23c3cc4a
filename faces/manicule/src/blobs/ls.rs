//! The paths of a snapshot, as restic lists them.

use manicule_blobs::{
    Below, Id, Index, Indexed, Kept, Located, Moment, Node, NodeKind, RepoError, Snapshot, Step,
    each_path, locate, put_listed_node, put_long_fields, put_long_target, put_ncdu_node,
};
use manicule_core::go::clean;
use manicule_core::watch::{Phase, Unit, Watch};

use super::error::Error;
use super::open::Repository;

/// How a path is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LsForm {
    /// The path alone.
    Path,
    /// With mode, numbers of owner and group, size and time, as `restic ls --long`.
    Long {
        /// Whether the size has a unit.
        is_human: bool,
    },
    /// As an object of `restic ls --json`, after one of the snapshot.
    Json,
    /// All together as one list, which `ncdu -f` shows.
    Ncdu,
}

/// What paths are ordered by; where that is equal, by the paths.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "restic's own words")]
pub enum LsOrder {
    /// As the trees have them, a folder before what it holds.
    Name,
    Size,
    Mtime,
    Atime,
    Ctime,
    Extension,
}

/// Arguments of listing a snapshot.
#[derive(Clone, Debug)]
pub struct LsCall {
    /// The folder of the snapshot that is its root here; nothing for all of it.
    pub below: Vec<u8>,
    /// Folders whose entries are listed, and files; all paths if there is none.
    pub paths: Vec<Vec<u8>>,
    /// Whether folders that lie in the listed ones are listed as well.
    pub recursive: bool,
    /// How a path is written.
    pub form: LsForm,
    /// The order.
    pub order: LsOrder,
    /// Whether the last is first.
    pub reverse: bool,
}

/// What a line is ordered by.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Key {
    None,
    Size(u64),
    Time(Moment),
    Extension(Vec<u8>),
}

/// A path, to be printed.
struct Line {
    text: Vec<u8>,
    /// Key and path, where they are ordered.
    order: Option<(Key, Vec<u8>)>,
    /// Of a folder: whether what it holds follows.
    folder: Option<Below>,
}

impl Repository {
    /// Lists the paths of a snapshot: a folder before what it holds. `take` receives a line, or
    /// why a tree can't be read.
    ///
    /// One tree is read at a time, after the index. Memory beside the index: the lines of the open
    /// trees; all of them where they are ordered.
    pub fn ls<E: From<Error>>(
        &self,
        kept: &Kept,
        call: &LsCall,
        watch: &Watch<'_>,
        mut take: impl FnMut(Result<&[u8], String>) -> Result<(), E>,
    ) -> Result<(), E> {
        let index = self.index_of(Indexed::Trees, watch)?;
        let root = root_of(self, &index, kept, &call.below)?;
        let call =
            LsCall { paths: call.paths.iter().map(|path| clean(path)).collect(), ..call.clone() };
        take(Ok(&call.start(kept, root)))?;
        let mut listing = Listing { call: &call, depth: 1, lines: Vec::new(), take: &mut take };
        let meter = watch.endless(Phase::Reading, Unit::Files);
        let see = |path: &[u8], node: &Node<'_>| (call.line(path, node), call.below(path));
        let done = each_path::<_, Ended<E>>(&self.engine, &index, root, see, |step| {
            meter.step(1).map_err(|stopped| Ended::Repo(stopped.into()))?;
            listing.step(step).map_err(Ended::Caller)
        });
        meter.end();
        done.map_err(|ended| match ended {
            Ended::Repo(error) => Error::Repo(error).into(),
            Ended::Caller(error) => error,
        })?;
        listing.finish()?;
        index.check_cache().map_err(|error| Error::Repo(error).into())
    }
}

/// The tree of a snapshot that `SNAPSHOT:FOLDER` means.
pub(super) fn root_of(
    repository: &Repository,
    index: &Index,
    kept: &Kept,
    below: &[u8],
) -> Result<Id, Error> {
    let Some(root) = kept.snapshot.tree else {
        return Err(Error::Unreadable(format!("snapshot {} has no tree", kept.id)));
    };
    let located = locate(&repository.engine, index, root, below).map_err(Error::Unreadable)?;
    let shown = |path: &[u8]| String::from_utf8_lossy(path).into_owned();
    match (located.tree(), located) {
        (Some(tree), _) => Ok(tree),
        (None, Located::Absent(path)) => Err(Error::NoPath { path: shown(&path), of: kept.id }),
        (None, _) => Err(Error::NoFolder(shown(below))),
    }
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
    /// Whether lines wait for the last one.
    fn is_sorted(&self) -> bool {
        self.reverse || self.order != LsOrder::Name
    }

    /// What comes before the paths: the snapshot, with the tree of its root here.
    fn start(&self, kept: &Kept, root: Id) -> Vec<u8> {
        let mut text = Vec::new();
        let snapshot = Snapshot { tree: Some(root), ..kept.snapshot.clone() };
        match self.form {
            LsForm::Json => snapshot.put_ls_line(kept.id, &mut text),
            LsForm::Ncdu => {
                text.extend_from_slice(b"[1, 2, ");
                text.extend_from_slice(&snapshot.encode());
                text.extend_from_slice(b", [{\"name\":\"/\"}");
            }
            LsForm::Path | LsForm::Long { .. } => {}
        }
        text
    }

    fn line(&self, path: &[u8], node: &Node<'_>) -> Line {
        let mut text = Vec::new();
        let is_on_the_way = self.form == LsForm::Ncdu && self.below(path) == Below::Enter;
        if !self.lists(path) && !is_on_the_way {
            return Line { text, order: None, folder: None };
        }
        match self.form {
            LsForm::Json => put_listed_node(path, node, &mut text),
            LsForm::Ncdu => put_ncdu_node(node, &mut text),
            LsForm::Path => text.extend_from_slice(path),
            LsForm::Long { is_human } => {
                put_long_fields(node, is_human, &mut text);
                text.extend_from_slice(path);
                put_long_target(node, &mut text);
            }
        }
        if matches!(self.form, LsForm::Path | LsForm::Long { .. }) {
            text.push(b'\n');
        }
        let order = self.is_sorted().then(|| (self.key(path, node), path.to_vec()));
        let is_folder = node.kind == NodeKind::Dir;
        let below = if node.child().is_some() { self.below(path) } else { Below::Skip };
        Line { text, order, folder: is_folder.then_some(below) }
    }

    fn key(&self, path: &[u8], node: &Node<'_>) -> Key {
        match self.order {
            LsOrder::Name => Key::None,
            LsOrder::Size => Key::Size(node.size),
            LsOrder::Mtime => Key::Time(node.mtime.moment),
            LsOrder::Atime => Key::Time(node.atime.moment),
            LsOrder::Ctime => Key::Time(node.ctime.moment),
            LsOrder::Extension => {
                let name = path.rsplit(|byte| *byte == b'/').next().unwrap_or_default();
                let dot = name.iter().rposition(|byte| *byte == b'.');
                Key::Extension(dot.map_or(&[][..], |dot| &name[dot..]).to_vec())
            }
        }
    }

    /// Whether a path is one of those that are wanted, or lies in one.
    fn lists(&self, path: &[u8]) -> bool {
        self.paths.is_empty() || self.paths.iter().any(|wanted| is_within(path, wanted))
    }

    /// A folder on the way to a wanted one, or that is one, is entered; one that lies in it only if
    /// all are.
    fn below(&self, path: &[u8]) -> Below {
        let is_on_the_way = || self.paths.iter().any(|wanted| is_within(wanted, path));
        if self.paths.is_empty() || is_on_the_way() || (self.recursive && self.lists(path)) {
            Below::Enter
        } else {
            Below::Skip
        }
    }
}

/// Takes a line, or why some are missing.
type Take<'t, E> = dyn FnMut(Result<&[u8], String>) -> Result<(), E> + 't;

/// Lines on their way out.
struct Listing<'l, E> {
    call: &'l LsCall,
    /// Of ncdu's list.
    depth: usize,
    /// Those that wait.
    lines: Vec<Line>,
    take: &'l mut Take<'l, E>,
}

impl<E> Listing<'_, E> {
    fn step(&mut self, step: Step<Line>) -> Result<(), E> {
        match step {
            Step::Gap(why) => (self.take)(Err(why)),
            Step::Leave if self.call.form == LsForm::Ncdu => self.leave(),
            Step::Leave => Ok(()),
            Step::Row(line) if line.text.is_empty() => Ok(()),
            Step::Row(line) if line.order.is_some() => {
                self.lines.push(line);
                Ok(())
            }
            Step::Row(line) if self.call.form == LsForm::Ncdu => self.node(&line),
            Step::Row(line) => (self.take)(Ok(&line.text)),
        }
    }

    /// A node of ncdu's list; a folder is a list of its own, which begins with it.
    fn node(&mut self, line: &Line) -> Result<(), E> {
        let indent = |depth: usize| "  ".repeat(depth);
        let mut out = format!(",\n{}", indent(self.depth)).into_bytes();
        if line.folder.is_some() {
            self.depth += 1;
            out.extend_from_slice(format!("[\n{}", indent(self.depth)).as_bytes());
        }
        out.extend_from_slice(&line.text);
        (self.take)(Ok(&out))?;
        if line.folder == Some(Below::Skip) { self.leave() } else { Ok(()) }
    }

    fn leave(&mut self) -> Result<(), E> {
        self.depth -= 1;
        (self.take)(Ok(format!("\n{}]", "  ".repeat(self.depth)).as_bytes()))
    }

    fn finish(mut self) -> Result<(), E> {
        if self.call.form == LsForm::Ncdu {
            return (self.take)(Ok(b"\n]\n]\n"));
        }
        if self.call.order != LsOrder::Name {
            self.lines.sort_by(|one, other| one.order.cmp(&other.order));
        }
        if self.call.reverse {
            self.lines.reverse();
        }
        self.lines.iter().try_for_each(|line| (self.take)(Ok(&line.text)))
    }
}

/// Whether a path is a folder, or lies in it.
pub(crate) fn is_within(path: &[u8], folder: &[u8]) -> bool {
    let folder = folder.strip_suffix(b"/").unwrap_or(folder);
    path.strip_prefix(folder).is_some_and(|rest| rest.is_empty() || rest[0] == b'/')
}
