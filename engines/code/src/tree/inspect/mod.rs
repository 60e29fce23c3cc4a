//! An index shown, verified, and compared with its tree.

pub(super) mod report;
pub(super) mod verified;
pub(super) mod verify;

mod compare;
