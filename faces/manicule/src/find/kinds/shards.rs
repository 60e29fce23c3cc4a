//! Shards among the paths of a search: their documents in place of files, for the same visitors.
//!
//! A document is shown as its name in the repository, so that the path can be pasted; where a
//! search reads more than one repository, or also files, as `REPOSITORY/NAME`.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use manicule_core::ErrorClass;
use manicule_core::watch::Watch;

use super::joint::{Job, Searched};
use crate::code::document::document_path;
use crate::code::search::open_dealt;
use crate::code::shards::find::{
    self as shards, Admit, Document, Foreseen, Order, Receipt, Request, ShardFiles, Skipped,
    census, not_indexed, repository_count,
};
use crate::code::tree::{Flow, Look};
use crate::failure::Failure;
use crate::find::face::Face;
use crate::find::look::look;
use crate::find::search::{Done, Search};
use crate::find::sorted::{Sort, SortKey};
use crate::find::visitor::{Text, Visitor};
use crate::kinds::System;

/// The shards of a search.
#[derive(Default)]
pub(crate) struct Shards {
    files: Vec<ShardFiles>,
}

impl Searched for Shards {
    fn open(&mut self, paths: &[PathBuf], search: &Search, face: &dyn Face) -> Result<(), Failure> {
        order(search)?;
        for path in paths {
            match open_dealt(&search.deal, path, &mut |error| face.failure(error.into())) {
                Ok(file) => self.files.push(file),
                Err(error) => face.failure(error.into()),
            }
        }
        Ok(())
    }

    /// Hands the documents to visitors.
    fn visit(&self, job: &Job<'_>) -> Result<Done, Failure> {
        let (search, face) = (job.search, job.face);
        let (look, admit) = (look(search), admit(search));
        let foreseen = match &look {
            Look::Matches(_) => Foreseen::Texts,
            Look::Names | Look::Contents => Foreseen::Documents,
        };
        let mut opened = Vec::new();
        for files in &self.files {
            opened.extend(files.shards(foreseen, &mut |error| face.failure(error.into())));
        }
        if face.is_over() {
            return Ok(Done::default());
        }
        let with_repository =
            !search.deal.trees().is_empty() || repository_count(opened.iter()) > 1;
        // A visitor that has seen enough ends this visit, not the whole call.
        let stop = || job.watch.is_over();
        let watch = Watch::new(&|_| {}, &stop);
        let request = Request {
            look: &look,
            admit: &admit,
            // Refused before anything is opened.
            order: order(search).unwrap_or(Order::Any),
            skipped: Skipped::LeftOut,
            threads: search.threads,
            watch: &watch,
        };
        let visited = shards::visit(&opened, &request, &|| {
            Box::new(Documents { inner: face.visitor(), with_repository, path: Vec::new() })
        });
        job.watch.check()?;
        let mut receipt = visited.unwrap_or_else(|error| {
            face.failure(error.into());
            Receipt::default()
        });
        if search.is_counted {
            count(&opened, &admit, job, &mut receipt);
        } else if search.has_census {
            match not_indexed(&opened, &admit) {
                Ok(counts) => receipt.not_indexed = counts,
                Err(error) => face.failure(error.into()),
            }
        }
        Ok(Done { receipt: receipt.fields(), ..Done::default() })
    }
}

/// Selection of the documents.
fn admit(search: &Search) -> Admit {
    Admit {
        globs: search.rules.overrides.clone(),
        types: search.rules.types.clone(),
        max_filesize: search.rules.max_filesize,
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
            if file_count > 0 {
                job.face.left_out(file_count, len);
            }
        }
        Err(error) => job.face.failure(error.into()),
    }
}

/// The order of the documents, or the reason why there is none.
fn order(search: &Search) -> Result<Order, Failure> {
    if let Some(why) = search.of_files {
        return Err(Failure::new(ErrorClass::Unsupported, why));
    }
    match search.sort {
        None => Ok(Order::Any),
        Some(Sort { key: SortKey::Path, reverse: false }) => Ok(Order::Name),
        Some(Sort { key: SortKey::Path, reverse: true }) => Ok(Order::NameFalling),
        Some(_) => Err(Failure::new(
            ErrorClass::Unsupported,
            "a shard keeps no times of its documents; they can be sorted by path",
        )),
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
        let (bytes, places) = (document.content, document.places);
        self.inner.text(Text { system: System::ZOEKT, path, bytes, places, is_named: false })
    }
}
