//! What every step of a check after the loading needs.

use manicule_core::watch::Watch;

use crate::index::Index;
use crate::repository::Repository;

/// A repository with its index, and how the steps work.
#[derive(Clone, Copy)]
pub(super) struct Call<'c> {
    pub(super) repository: &'c Repository,
    pub(super) index: &'c Index,
    pub(super) threads: usize,
    pub(super) watch: &'c Watch<'c>,
}
