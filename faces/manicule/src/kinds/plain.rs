//! Plain files: of no kind, and not read.

use super::reader::Reader;
use super::signs::Signs;

/// No system.
pub(super) struct Plain;

impl Signs for Plain {}

/// Of plain files.
pub(super) const FILE: Reader = Reader::refusing();
