//! The verification of a store: its steps, one after the other.

use std::path::Path;
use std::sync::Arc;

use manicule_core::findings::{Verdict, Verified};
use manicule_core::watch::Watch;
use manicule_store::store::{Fetched, Name, read_text};

use super::checked::{Checked, StoreCounts};
use super::files::{Root, check_files, part, roots};
use super::orders::check_orders;
use super::recent::check_recent;
use super::terms::check_terms;
use crate::error::GraphError;
use crate::signs::CURRENT_NAME;
use crate::snapshot::generation::Generation;

/// How often a store is looked at again that is published while it is verified.
const TRIES: usize = 100;

/// Verifies a store as it is now, beside whoever writes it, and its named snapshots.
///
/// Cost: each file is read once for itself; then each row of each order and each term once.
///
/// # Errors
/// Files that can't be read. Whatever contradicts the format is a finding.
pub fn verify(
    folder: &Path,
    random: u64,
    watch: &Watch<'_>,
) -> Result<Verified<StoreCounts>, GraphError> {
    verify_in(&Fetched::local(folder), random, watch)
}

/// As [`verify`], wherever the files are.
pub fn verify_in(
    files: &Fetched,
    random: u64,
    watch: &Watch<'_>,
) -> Result<Verified<StoreCounts>, GraphError> {
    let folder = &*files.store().show(&Name::root());
    let current = || read_text(files.store(), &part(CURRENT_NAME)).ok().flatten();
    let mut tries = 0;
    loop {
        let before = current();
        let (verdict, counts) = (Verdict::default(), StoreCounts::default());
        let mut checked = Checked { files, folder, random, verdict, counts, watch };
        let done = run(&mut checked);
        tries += 1;
        // What a merge has removed meanwhile is not missing.
        let is_settled = || current() == before;
        if tries == TRIES || checked.verdict.is_ok() && done.is_ok() || is_settled() {
            let Checked { verdict, counts, .. } = checked;
            return done.map(|()| Verified { verdict, counts });
        }
    }
}

fn run(checked: &mut Checked<'_>) -> Result<(), GraphError> {
    let roots = roots(checked)?;
    check_files(checked, &roots)?;
    // What is built on damaged files says nothing more.
    if !checked.verdict.is_ok() {
        return Ok(());
    }
    for (at, root) in roots.iter().enumerate() {
        let is_same = |other: &Root| {
            let (own, other) = (&root.manifest, &other.manifest);
            own.leaves == other.leaves && own.dictionaries == other.dictionaries
        };
        if !roots[..at].iter().any(is_same) {
            check_generation(checked, root)?;
        }
    }
    check_recent(checked)
}

/// The contents of a generation.
fn check_generation(checked: &mut Checked<'_>, root: &Root) -> Result<(), GraphError> {
    let opened = Generation::open(checked.files, root.manifest.clone(), None);
    let Some(generation) = checked.taken(opened)?.map(Arc::new) else { return Ok(()) };
    check_terms(checked, &root.name, &generation)?;
    check_orders(checked, &root.name, &generation)
}
