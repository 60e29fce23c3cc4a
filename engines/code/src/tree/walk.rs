//! The plain way through a tree: ripgrep's own walk, every file a candidate. It judges the fast way.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use ignore::{DirEntry, WalkState};

use super::request::{Candidate, Flow, Given, Order, Receipt, Request, Visit};

/// Walks the request's paths and hands every file over.
pub(super) fn visit<'v>(
    request: &Request,
    visitors: &(dyn Fn() -> Box<dyn Visit + 'v> + Sync),
) -> Receipt {
    let (mut walk, unread) = request.rules.walk(&request.paths, request.threads);
    let mut first = visitors();
    unread.iter().for_each(|error| first.warning(error));
    let opened = AtomicU64::new(0);
    if request.threads <= 1 || request.order == Order::Path {
        if request.order == Order::Path {
            walk.sort_by_file_name(Ord::cmp);
        }
        for entry in walk.build() {
            if step(entry, first.as_mut(), &opened) == Flow::Quit {
                break;
            }
        }
    } else {
        let mut first = Some(first);
        walk.build_parallel().run(|| {
            let mut visitor = first.take().unwrap_or_else(visitors);
            let opened = &opened;
            Box::new(move |entry| match step(entry, visitor.as_mut(), opened) {
                Flow::Continue => WalkState::Continue,
                Flow::Quit => WalkState::Quit,
            })
        });
    }
    Receipt { opened: opened.into_inner() }
}

fn step(
    entry: Result<DirEntry, ignore::Error>,
    visitor: &mut dyn Visit,
    opened: &AtomicU64,
) -> Flow {
    let entry = match entry {
        Ok(entry) => entry,
        Err(error) => return visitor.error(&error),
    };
    if let Some(error) = entry.error() {
        visitor.warning(error);
    }
    let Some(given) = given(&entry) else { return Flow::Continue };
    opened.fetch_add(1, Relaxed);
    visitor.file(Candidate { path: entry.path(), given, file: None })
}

/// How the entry came into the call, or `None` where it is nothing to look into: a folder, a link, a socket.
fn given(entry: &DirEntry) -> Option<Given> {
    if entry.is_stdin() {
        return Some(Given::Stdin);
    }
    let kind = entry.file_type();
    let is_folder = kind.is_some_and(|kind| kind.is_dir())
        || (entry.path_is_symlink() && entry.path().is_dir());
    if entry.depth() == 0 && !is_folder {
        return Some(Given::Named);
    }
    kind.is_some_and(|kind| kind.is_file()).then_some(Given::Found)
}
