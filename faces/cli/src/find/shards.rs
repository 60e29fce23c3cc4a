//! Shards among the paths of a call: their documents in place of files, for the same visitors.
//!
//! A document is printed as its name in the repository, so that the path can be pasted; where a call reads more than
//! one repository, or files besides, as `REPOSITORY/NAME`.
//!
//! Callers: find

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use anyhow::{Result, bail};
use manicule::code::shards::find::{
    self as shards, Admit, Document, Order, Receipt, Request, ShardFiles, Skipped, census,
    repository_count,
};
use manicule::code::tree::Flow;
use manicule::watch::Watch;

use super::call::Call;
use super::tally::Tally;
use crate::flags::{Sort, SortKey};
use crate::messages::Messages;

/// What looks into texts that are at hand already.
pub(crate) trait LookInto: Send {
    /// Looks into one, which is printed under this path. `places`, if there are any: each match shares its line with
    /// one of them.
    fn text(&mut self, path: &Path, text: &[u8], places: &[u32]) -> Flow;
}

/// The shards of a call.
pub(crate) struct Shards {
    files: Vec<ShardFiles>,
    order: Order,
}

impl Shards {
    /// Opens those that can be opened, and reports the others.
    pub(crate) fn open(call: &Call, messages: &Messages) -> Result<Shards> {
        let mut files = Vec::with_capacity(call.shards.len());
        let order = match order(call) {
            Ok(order) => order,
            // Where there is something else to search, that is.
            Err(refusal) if !call.paths.is_empty() || !call.blocks.is_empty() => {
                messages.failure(&refusal);
                return Ok(Shards { files, order: Order::Any });
            }
            Err(refusal) => return Err(refusal),
        };
        for path in &call.shards {
            match ShardFiles::open(path, &mut |error| messages.failure(&error)) {
                Ok(file) => files.push(file),
                Err(error) => messages.failure(&error),
            }
        }
        Ok(Shards { files, order })
    }

    /// Hands the documents to visitors. `None` where no shard was given.
    pub(crate) fn visit<V: LookInto>(
        &self,
        call: &Call,
        tally: &Tally<'_>,
        make: &(dyn Fn() -> V + Sync),
    ) -> Option<Receipt> {
        let mut opened = Vec::new();
        for files in &self.files {
            opened.extend(files.shards(&mut |error| tally.messages.failure(&error)));
        }
        let is_over = tally.is_over() || (call.quit_after_match() && tally.matched());
        if call.shards.is_empty() || is_over {
            return None;
        }
        let with_repository = !call.paths.is_empty() || repository_count(opened.iter()) > 1;
        let (look, admit, watch) = (call.look(), call.admit(), Watch::none());
        let request = Request {
            look: &look,
            admit: &admit,
            order: self.order,
            skipped: Skipped::LeftOut,
            threads: call.threads,
            watch: &watch,
        };
        let visited = shards::visit(&opened, &request, &|| {
            Box::new(Documents { inner: make(), with_repository, path: Vec::new() })
        });
        let mut receipt = visited.unwrap_or_else(|error| {
            tally.messages.failure(&error);
            Receipt::default()
        });
        if call.stats || call.options.receipt {
            count(&opened, &admit, call, tally, &mut receipt);
        }
        Some(receipt)
    }
}

/// Counts what was left out: documents that cannot match, which count as searched, and those that are not indexed.
fn count(
    opened: &[shards::OpenShard<'_>],
    admit: &Admit,
    call: &Call,
    tally: &Tally<'_>,
    receipt: &mut Receipt,
) {
    match census(opened, admit) {
        Ok(census) => {
            receipt.not_indexed = census.not_indexed;
            let file_count = census.documents.saturating_sub(receipt.visited);
            let len = census.len.saturating_sub(receipt.read_len);
            if file_count > 0 && call.stats {
                tally.leave_out(file_count, len, true);
            }
        }
        Err(error) => tally.messages.failure(&error),
    }
}

fn order(call: &Call) -> Result<Order> {
    if call.shards.is_empty() {
        return Ok(Order::Any);
    }
    if call.options.pre.is_some() {
        bail!("--pre starts a program for each file; the documents of a shard are no files");
    }
    match call.options.sort {
        None => Ok(Order::Any),
        Some(Sort { key: SortKey::Path, reverse: false }) => Ok(Order::Name),
        Some(Sort { key: SortKey::Path, reverse: true }) => Ok(Order::NameFalling),
        Some(_) => bail!("a shard keeps no times of its documents; they can be sorted by path"),
    }
}

/// What a document is printed as.
pub(crate) fn document_path<'p>(
    document: &Document<'p>,
    with_repository: bool,
    buffer: &'p mut Vec<u8>,
) -> &'p [u8] {
    match document.repository().filter(|_| with_repository) {
        None => document.name,
        Some(repository) => {
            buffer.clear();
            buffer.extend_from_slice(&repository.name.0);
            buffer.push(b'/');
            buffer.extend_from_slice(document.name);
            buffer
        }
    }
}

/// A visitor of documents, from one of texts.
struct Documents<V> {
    inner: V,
    with_repository: bool,
    path: Vec<u8>,
}

impl<V: LookInto> shards::Visit for Documents<V> {
    fn document(&mut self, document: &Document<'_>) -> Flow {
        let path = document_path(document, self.with_repository, &mut self.path);
        let path = Path::new(OsStr::from_bytes(path));
        self.inner.text(path, document.content, document.places)
    }
}
