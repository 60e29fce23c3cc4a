//! A search under way, which both ways of searching share.

use std::ops::ControlFlow;

use manicule_blobs::{Index, Kept};
use manicule_core::watch::Watch;

use super::call::{FindCall, FindRow};
use crate::blobs::open::Repository;

/// A search in an index that is loaded.
pub(super) struct Search<'s, E> {
    pub(super) repository: &'s Repository,
    pub(super) index: &'s Index,
    pub(super) chosen: Vec<&'s Kept>,
    pub(super) call: &'s FindCall,
    pub(super) watch: &'s Watch<'s>,
    pub(super) take: &'s mut dyn FnMut(FindRow<'_>) -> Result<(), E>,
}

pub(super) fn flow<B>(result: Result<(), B>) -> ControlFlow<B> {
    match result {
        Ok(()) => ControlFlow::Continue(()),
        Err(error) => ControlFlow::Break(error),
    }
}

pub(super) fn ended<E>(flow: ControlFlow<E>) -> Result<(), E> {
    match flow {
        ControlFlow::Continue(()) => Ok(()),
        ControlFlow::Break(error) => Err(error),
    }
}
