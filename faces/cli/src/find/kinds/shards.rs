//! Shards among the paths of a call: their documents in place of files, for the same visitors.
//!
//! A document is printed as its name in the repository, so that the path can be pasted; where a
//! call reads more than one repository, or also files, as `REPOSITORY/NAME`.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use anyhow::{Result, bail};
use manicule::code::search::open_dealt;
use manicule::code::shards::find::{
    self as shards, Admit, Document, Order, Receipt, Request, ShardFiles, Skipped, census,
    repository_count,
};
use manicule::code::tree::Flow;
use manicule::watch::Watch;

use super::joint::{Done, Job, Searched};
use crate::documents::document_path;
use crate::find::call::Call;
use crate::find::visitor::Visitor;
use crate::flags::{Sort, SortKey};
use crate::messages::Messages;

/// The shards of a call.
#[derive(Default)]
pub(super) struct Shards {
    files: Vec<ShardFiles>,
}

impl Searched for Shards {
    fn open(&mut self, paths: &[PathBuf], call: &Call, messages: &Messages) -> Result<()> {
        order(call)?;
        for path in paths {
            match open_dealt(&call.deal, path, &mut |error| messages.failure(&error)) {
                Ok(file) => self.files.push(file),
                Err(error) => messages.failure(&error),
            }
        }
        Ok(())
    }

    /// Hands the documents to visitors.
    fn visit(&self, job: &Job<'_>) -> Result<Done> {
        let (call, messages) = (job.call, job.tally.messages);
        let mut opened = Vec::new();
        for files in &self.files {
            opened.extend(files.shards(&mut |error| messages.failure(&error)));
        }
        if job.is_over() {
            return Ok(Done::default());
        }
        let with_repository = !call.deal.trees().is_empty() || repository_count(opened.iter()) > 1;
        let (look, admit, watch) = (call.look(), admit(call), Watch::none());
        let request = Request {
            look: &look,
            admit: &admit,
            // Refused before anything is opened.
            order: order(call).unwrap_or(Order::Any),
            skipped: Skipped::LeftOut,
            threads: call.threads,
            watch: &watch,
        };
        let visited = shards::visit(&opened, &request, &|| {
            Box::new(Documents { inner: (job.visitor)(), with_repository, path: Vec::new() })
        });
        let mut receipt = visited.unwrap_or_else(|error| {
            messages.failure(&error);
            Receipt::default()
        });
        if call.stats || call.options.receipt {
            count(&opened, &admit, job, &mut receipt);
        }
        Ok(Done { receipt: receipt.fields(), ..Done::default() })
    }
}

/// Selection of the documents.
fn admit(call: &Call) -> Admit {
    Admit {
        globs: call.globs.clone(),
        types: call.types.clone(),
        max_filesize: call.options.max_filesize,
    }
}

/// Counts the documents left out: those that cannot match, which count as searched, and those that
/// are not indexed.
fn count(opened: &[shards::OpenShard<'_>], admit: &Admit, job: &Job<'_>, receipt: &mut Receipt) {
    match census(opened, admit) {
        Ok(census) => {
            receipt.not_indexed = census.not_indexed;
            let file_count = census.documents.saturating_sub(receipt.visited);
            let len = census.len.saturating_sub(receipt.read_len);
            if file_count > 0 && job.call.stats {
                job.tally.leave_out(file_count, len, true);
            }
        }
        Err(error) => job.tally.messages.failure(&error),
    }
}

/// The order of the documents, or the reason why there is none.
fn order(call: &Call) -> Result<Order> {
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

/// A visitor of documents, from one of texts.
struct Documents<'v> {
    inner: Box<dyn Visitor + 'v>,
    with_repository: bool,
    path: Vec<u8>,
}

impl shards::Visit for Documents<'_> {
    fn document(&mut self, document: &Document<'_>) -> Flow {
        let path = document_path(document, self.with_repository, &mut self.path);
        let path = Path::new(OsStr::from_bytes(path));
        self.inner.text(path, document.content, document.places)
    }
}
