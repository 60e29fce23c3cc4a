//! Objects of a store among the paths of a search: files of no kind, read whole and searched as
//! files are, and the indexes that lie among them.
//!
//! Folders are listed many at a time, and small objects read so: a round each. What is in memory is
//! bounded by [`BATCH_LEN`]; a longer object is brought into the cache folder, and mapped there.
//!
//! | file | what |
//! |---|---|
//! | object.rs | an object, and counts |
//! | walk.rs | folders of a store, listed and recognised |
//! | rules.rs | which names count: globs, types, hidden ones, ignore files |
//! | read.rs | objects, read and searched |

mod object;
mod read;
mod rules;
mod walk;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use manicule_core::ErrorClass;
use manicule_store::EntryKind;
use manicule_store::store::{Listed, StoreError};

use super::joint::Job;
use crate::code::tree::Flow;
use crate::failure::Failure;
use crate::find::search::{Done, Search};
use crate::find::sorted::{Sort, SortKey};
use crate::find::visitor::Visitor;
use crate::kinds::{Lies, System, row_of};
use crate::place::{Listing, remote};
use object::{Object, ObjectCounts};
use read::Reader;
use walk::{Found, Walk};

/// What a search of objects can't do.
///
/// # Errors
/// The reason.
pub(super) fn refusal(search: &Search) -> Result<(), Failure> {
    if let Some(why) = search.of_files {
        return Err(Failure::new(ErrorClass::Unsupported, why));
    }
    if search.sort.is_some_and(|sort| sort.key != SortKey::Path) {
        let why = "what lies at an address can be sorted by path alone";
        return Err(Failure::new(ErrorClass::Unsupported, why));
    }
    Ok(())
}

/// Searches what lies at addresses and is no index, then the indexes that lie below.
pub(super) fn visit(addresses: &[PathBuf], job: &Job<'_>) -> Result<Done, Failure> {
    let (mut counts, mut indexes) = (ObjectCounts::default(), Indexes::default());
    let mut visitor = job.face.visitor();
    let mut flow = Flow::Continue;
    for address in addresses {
        if flow == Flow::Continue {
            flow = visit_one(address, job, &mut *visitor, &mut indexes, &mut counts)?;
        }
    }
    drop(visitor);
    let mut done = Done { receipt: counts.fields(), ..Done::default() };
    for (system, listings) in indexes {
        job.watch.check()?;
        if flow == Flow::Quit || job.face.is_over() {
            break;
        }
        done.add(visit_indexes(system, listings, job)?);
    }
    Ok(done)
}

/// Indexes that a walk has found, by their systems.
type Indexes = BTreeMap<System, Vec<Listing>>;

fn visit_one(
    address: &Path,
    job: &Job<'_>,
    visitor: &mut dyn Visitor,
    indexes: &mut Indexes,
    counts: &mut ObjectCounts,
) -> Result<Flow, Failure> {
    let failed = |error: StoreError| Failure::new(error.class(), error);
    let seen = match job.search.deal.lies_at(address) {
        Some(Err(failure)) => {
            job.face.failure(failure.clone());
            return Ok(Flow::Continue);
        }
        Some(Ok(Lies::Folder(seen))) => Some(seen.clone()),
        Some(Ok(Lies::File(_))) | None => None,
    };
    let Some(remote) = remote(address).map_err(failed)? else { return Ok(Flow::Continue) };
    let mut reader =
        Reader { store: &remote.store, job, visitor, counts, is_named: seen.is_none() };
    let Some(seen) = seen else {
        return match remote.store.look(&remote.name).map_err(failed) {
            Ok(look) => {
                let (name, kind) = (remote.last().to_owned(), EntryKind::File);
                let (len, version) = (Some(look.len), Some(look.version));
                let folder = remote.name.parent().unwrap_or_default();
                let listed = Listed { name, kind, len, version };
                reader.search(&[Object { folder, listed, path: address.to_owned() }])
            }
            Err(failure) => {
                job.face.failure(failure);
                Ok(Flow::Continue)
            }
        };
    };
    let mut walk = Walk::of(&remote, job, seen);
    let mut sorted = Vec::new();
    while let Some(Found { objects, indexes: found }) = walk.next(&mut reader)? {
        found.into_iter().for_each(|(system, listing)| {
            indexes.entry(system).or_default().push(listing);
        });
        if job.search.sort.is_some() {
            sorted.extend(objects);
        } else if reader.search(&objects)? == Flow::Quit {
            return Ok(Flow::Quit);
        }
    }
    sorted.sort_by(|left, right| left.path.cmp(&right.path));
    if let Some(Sort { reverse: true, .. }) = job.search.sort {
        sorted.reverse();
    }
    reader.search(&sorted)
}

/// Searches indexes of a system, as those that are given.
fn visit_indexes(
    system: System,
    mut listings: Vec<Listing>,
    job: &Job<'_>,
) -> Result<Done, Failure> {
    let Some(make) = row_of(system).and_then(|row| row.searched) else {
        return Ok(Done::default());
    };
    listings.sort_by(|left, right| left.path.cmp(&right.path));
    let paths: Vec<PathBuf> = listings.iter().map(|listing| listing.path.clone()).collect();
    let mut kind = make();
    match Listing::lend(listings, || kind.open(&paths, job.search, job.face)) {
        Ok(()) => kind.visit(job),
        Err(refusal) => {
            job.face.failure(refusal);
            Ok(Done::default())
        }
    }
}
