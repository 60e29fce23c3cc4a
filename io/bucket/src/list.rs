//! Listings, page by page.

use std::io;
use std::sync::Arc;

use manicule_store::EntryKind;
use manicule_store::store::{Listed, Name};
use object_store::ListResult;
use object_store::list::PaginatedListResult;

use crate::chain::beside;
use crate::client::Depth;
use crate::shared::{Shared, unanswered};
use crate::waves::{Expected, Waves, permit_count};

impl Shared {
    /// Whether anything lies in a folder. One request, unless a page is empty though more follow.
    pub(crate) async fn is_folder(&self, folder: &str) -> io::Result<bool> {
        let mut token = None;
        loop {
            let page = self.page(folder, "", Depth::FirstName, token).await?;
            token = page.page_token;
            let ListResult { objects, common_prefixes, .. } = &page.result;
            if !objects.is_empty() || !common_prefixes.is_empty() {
                return Ok(true);
            }
            if token.is_none() {
                return Ok(false);
            }
        }
    }

    /// The entries of a folder.
    pub(crate) async fn list(&self, folder: &str) -> io::Result<Vec<Listed>> {
        self.pages(folder, "", Depth::Entries).await
    }

    /// What lies in a folder and begins so, page by page.
    async fn pages(&self, folder: &str, beginning: &str, depth: Depth) -> io::Result<Vec<Listed>> {
        let (mut listed, mut token) = (Vec::new(), None);
        loop {
            let page = self.page(folder, beginning, depth, token).await?;
            token = page.page_token;
            self.take(folder, &page.result, &mut listed);
            if token.is_none() {
                return Ok(listed);
            }
        }
    }

    /// The files below a folder, however deep, whose names in it begin so.
    pub(crate) async fn list_beginning(
        self: &Arc<Self>,
        folder: &str,
        beginning: &str,
    ) -> io::Result<Vec<Listed>> {
        if self.client.has_pages() {
            self.pages(folder, beginning, Depth::Below).await
        } else {
            self.list_folders(folder, beginning).await
        }
    }

    /// The same of a web server, which lists no folder in another: those of a level side by side.
    async fn list_folders(
        self: &Arc<Self>,
        folder: &str,
        beginning: &str,
    ) -> io::Result<Vec<Listed>> {
        let (mut files, mut level) = (Vec::new(), vec![String::new()]);
        while !level.is_empty() {
            let (mut waves, mut listed) = (Waves::of(&self.limits), Vec::new());
            let tasks = level.drain(..).map(|below| {
                let key = [folder, below.trim_end_matches('/')].join("/");
                let shared = Arc::clone(self);
                let list = async move { (below, shared.list(key.trim_matches('/')).await) };
                (waves.next(Expected::Short), list)
            });
            beside(tasks, permit_count(&self.limits), &mut |one| listed.push(one)).await?;
            for (below, entries) in listed {
                for entry in entries? {
                    let name = format!("{below}{}", entry.name);
                    let prefix = format!("{name}/");
                    let is_folder = entry.kind == EntryKind::Folder;
                    if is_folder
                        && (prefix.starts_with(beginning) || beginning.starts_with(&prefix))
                    {
                        level.push(prefix);
                    } else if !is_folder && name.starts_with(beginning) {
                        files.push(Listed { name, ..entry });
                    }
                }
            }
        }
        Ok(files)
    }

    /// A first page, and whether it is the last one.
    pub(crate) async fn list_page(
        &self,
        folder: &str,
        depth: Depth,
    ) -> io::Result<(Vec<Listed>, bool)> {
        let page = self.page(folder, "", depth, None).await?;
        let mut listed = Vec::new();
        self.take(folder, &page.result, &mut listed);
        Ok((listed, page.page_token.is_none()))
    }

    /// A page of what lies in a folder and begins so. One that is cut, or not well formed, is asked
    /// for again.
    async fn page(
        &self,
        folder: &str,
        beginning: &str,
        depth: Depth,
        token: Option<String>,
    ) -> io::Result<PaginatedListResult> {
        let mut tries = 0;
        loop {
            let permit = self.permit(Expected::Short).await;
            let page = self.client.page(folder, beginning, depth, token.clone()).await;
            drop(permit);
            match page {
                Ok(page) => return Ok(page),
                Err(error) => {
                    let unanswered = unanswered(error);
                    if !self.tries_again(&mut tries, &unanswered).await {
                        return Err(unanswered.into());
                    }
                }
            }
        }
    }

    fn take(&self, folder: &str, page: &ListResult, listed: &mut Vec<Listed>) {
        for object in &page.objects {
            // The object that is the folder itself, as consoles of stores make them, has no name.
            let Some(name) = name_in(folder, object.location.as_ref()) else { continue };
            let seen = self.seen(object.location.as_ref(), object);
            // Other answers have an ETag, even if a listing has none.
            let version = seen.ok().filter(|_| object.e_tag.is_some()).map(|seen| seen.version);
            listed.push(Listed { name, kind: EntryKind::File, len: Some(object.size), version });
        }
        for below in &page.common_prefixes {
            let Some(name) = name_in(folder, below.as_ref()) else { continue };
            listed.push(Listed { name, kind: EntryKind::Folder, len: Some(0), version: None });
        }
    }
}

/// The name of what lies in a folder, however deep.
fn name_in(folder: &str, key: &str) -> Option<String> {
    let name = match folder {
        "" => key,
        folder => key.strip_prefix(folder)?.strip_prefix('/')?,
    };
    Name::new(name).is_some().then(|| name.to_owned())
}
