//! What the routes of a place share.

use std::sync::Arc;

use manicule::series::Data;

use crate::calls::Calls;

/// What the routes of a place have.
#[derive(Clone, Debug)]
pub(crate) struct Api {
    pub(super) data: Arc<Data>,
    pub(super) calls: Calls,
    /// Path of remote read.
    pub(super) read: Arc<str>,
}
