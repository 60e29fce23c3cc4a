//! Objects by name, and pages of listings.

use std::fmt;
use std::sync::Arc;

use object_store::ObjectStore;
use object_store::list::{PaginatedListOptions, PaginatedListResult, PaginatedListStore};
use object_store::path::Path;

/// Objects by name, as `object_store` has them.
#[derive(Clone)]
pub(crate) struct Client {
    pub(crate) objects: Arc<dyn ObjectStore>,
    /// Listings a page at a time; a web server has none.
    pub(super) pages: Option<Arc<dyn PaginatedListStore>>,
    /// Region that is asked: of S3 alone.
    pub(crate) region: Option<String>,
}

impl fmt::Debug for Client {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.objects)
    }
}

impl Client {
    /// Of a store whose listings have pages.
    pub(super) fn with_pages<T: ObjectStore + PaginatedListStore>(store: T) -> Self {
        let store = Arc::new(store);
        Client { objects: store.clone(), pages: Some(store), region: None }
    }

    /// Whether a listing is divided into pages, and one of a name costs a request.
    pub(crate) fn has_pages(&self) -> bool {
        self.pages.is_some()
    }

    /// A page of what lies in a folder and begins so there: what comes after the token of the page
    /// before. A web server has folders alone.
    pub(crate) async fn page(
        &self,
        folder: &str,
        beginning: &str,
        depth: Depth,
        token: Option<String>,
    ) -> object_store::Result<PaginatedListResult> {
        let Some(pages) = &self.pages else {
            let result = self.objects.list_with_delimiter(Some(&Path::parse(folder)?)).await?;
            return Ok(PaginatedListResult { result, page_token: None });
        };
        let mut options = PaginatedListOptions { page_token: token, ..Default::default() };
        match depth {
            Depth::Entries => options.delimiter = Some("/".into()),
            Depth::Below => {}
            Depth::FirstName => options.max_keys = Some(1),
        }
        pages.list_paginated(prefix_of(folder, beginning).as_deref(), options).await
    }
}

/// What a page of a listing is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Depth {
    /// Entries of a folder.
    Entries,
    /// What lies in it, however deep.
    Below,
    /// One name of what lies in it, however deep.
    FirstName,
}

/// What the keys begin with of what begins so in a folder; `None` for a whole bucket.
fn prefix_of(folder: &str, beginning: &str) -> Option<String> {
    let prefix = if folder.is_empty() { String::new() } else { format!("{folder}/") } + beginning;
    (!prefix.is_empty()).then_some(prefix)
}
