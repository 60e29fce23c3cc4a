//! What the page's requests see: the places, and repositories that are open.

use std::collections::HashMap;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use manicule::blobs::environment::{key_hint, password};
use manicule::blobs::{Ahead, OpenCall, Repository};
use manicule::{ErrorClass, Failure};

use super::params::Params;
use crate::app::App;
use crate::calls::Calls;
use crate::served::{Handle, Place, Served};

/// What the page's requests see. A clone is the same.
#[derive(Clone, Debug)]
pub(super) struct Page {
    pub(super) served: Served,
    pub(super) calls: Calls,
    /// File with the password of restic repositories; else restic's own variables say it.
    pub(super) password_file: Option<Arc<Path>>,
    /// Repositories that were opened, by the names of their places: deriving a key takes half a
    /// second.
    repositories: Arc<Mutex<HashMap<String, Arc<Repository>>>>,
}

impl Page {
    pub(super) fn new(app: &App) -> Page {
        Page {
            served: app.served.clone(),
            calls: app.calls.clone(),
            password_file: app.password_file.clone(),
            repositories: Arc::default(),
        }
    }

    /// The place that a request names.
    pub(super) fn place(&self, params: &Params) -> Result<&Place, Failure> {
        let name = params.needed("place")?;
        let missing = || Failure::new(ErrorClass::Missing, format!("no place {name} is served"));
        self.served.place(name).ok_or_else(missing)
    }

    /// The password of repositories.
    pub(super) fn password(&self) -> Result<Vec<u8>, Failure> {
        let given = password(self.password_file.as_deref(), None)?;
        given.filter(|password| !password.is_empty()).ok_or_else(|| {
            let why = "the server has no password for restic repositories";
            Failure::new(ErrorClass::Denied, why)
        })
    }

    /// The repository of a place.
    pub(super) fn repository(&self, place: &Place) -> Result<Arc<Repository>, Failure> {
        let Place { name, path, handle: Handle::Repository(_), .. } = place else {
            return Err(Failure::asked(format!("{} is no restic repository", place.name)));
        };
        let known = || self.repositories.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(own) = known().get(name) {
            return Ok(Arc::clone(own));
        }
        let call = OpenCall {
            path: path.clone(),
            password: self.password()?,
            key_hint: key_hint(None)?,
            threads: std::thread::available_parallelism().map_or(1, usize::from),
            index_cache: None,
            ahead: Ahead::Index,
        };
        let opened = Arc::new(Repository::open(&call)?);
        known().insert(name.clone(), Arc::clone(&opened));
        Ok(opened)
    }
}
