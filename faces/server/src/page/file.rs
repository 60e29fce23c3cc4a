//! Lines of a file around one: a document of shards, or a file that a tree lists.

use std::fs::File;
use std::io::Read;
use std::ops::ControlFlow;
use std::path::{Component, Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use manicule::code::search::{Answer, Hear, SearchCall};
use manicule::code::tree::Flow;
use manicule::code::{Shards, document_path};
use manicule::find::{Call, ListedFile, files};
use manicule::watch::Watch;
use manicule::{ErrorClass, Failure};
use serde_json::json;

use super::params::Params;
use super::shown::plain;
use super::state::Page;
use crate::served::{Handle, Place};

/// Lines before the one that is asked for, and from it on.
const LINES: [usize; 2] = [60, 200];

/// Longest file of a tree that is read.
const LEN_MAX: u64 = 32 << 20;

/// A file that was found.
struct Found {
    path: String,
    repository: Option<String>,
    language: Option<String>,
    text: Vec<u8>,
}

/// Lines of a file. Parameters: `place`; `path`, as hits show it; `line`, from 1.
pub(super) fn file(page: &Page, params: &Params, watch: &Watch<'_>) -> Result<String, Failure> {
    let place = page.place(params)?;
    let path = params.needed("path")?;
    let line = params.number("line", 1_usize, usize::MAX)?.max(1);
    let found = match &place.handle {
        Handle::Shards(shards) => document(shards, path, watch)?,
        Handle::Text => of_tree(place, path, watch)?,
        _ => return Err(Failure::asked(format!("{} has no files to be read", place.name))),
    };
    let found = found.ok_or_else(|| {
        Failure::new(ErrorClass::Missing, format!("{} lists no file {path}", place.name))
    })?;
    let text = found.text.strip_suffix(b"\n").unwrap_or(&found.text);
    let all = || text.split(|byte| *byte == b'\n');
    let (before, after) = (LINES[0], LINES[1]);
    let first = line.saturating_sub(before).max(1);
    let lines: Vec<String> = all().skip(first - 1).take(before + after).map(plain).collect();
    let json = json!({
        "path": found.path, "repository": found.repository, "language": found.language,
        "first_line": first, "line_count": all().count(), "lines": lines,
    });
    Ok(json.to_string())
}

/// The document whose shown path it is, with its repository or without.
fn document(shards: &Shards, shown: &str, watch: &Watch<'_>) -> Result<Option<Found>, Failure> {
    // Of a document's path the last part is in all of its forms.
    let last = shown.rsplit(['/', ':']).next().unwrap_or(shown);
    let escaped: String = last.chars().flat_map(escaped).collect();
    let call = SearchCall::new(&format!("file:\"{escaped}\"")).map_err(Failure::asked)?;
    let (moment, found) = (shards.moment(), Mutex::new(None));
    let opened = moment.open(&mut |_| {});
    opened.search(&call, watch, &|| Box::new(Finder { shown, found: &found }))?;
    found.into_inner().unwrap_or_else(PoisonError::into_inner).transpose()
}

/// A character as a regular expression of itself within quotes of a query.
fn escaped(char: char) -> impl Iterator<Item = char> {
    let is_special = r"\.+*?()|[]{}^$".contains(char);
    // The backslash itself is escaped in quotes.
    let before = if is_special { "\\\\" } else { "" };
    let own = match char {
        '\\' => "\\\\".to_owned(),
        '"' => "\\\"".to_owned(),
        char => char.to_string(),
    };
    before.chars().chain(own.chars().collect::<Vec<_>>())
}

struct Finder<'f> {
    shown: &'f str,
    found: &'f Mutex<Option<Result<Found, Failure>>>,
}

impl Hear for Finder<'_> {
    fn answer(&mut self, answer: &Answer<'_>) -> Flow {
        let document = answer.document;
        let is_it = [true, false].into_iter().any(|with_repository| {
            let mut buffer = Vec::new();
            let path = document_path(document, with_repository, &mut buffer);
            String::from_utf8_lossy(path) == self.shown
        });
        if !is_it {
            return Flow::Continue;
        }
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let checked = document.check().map_err(|error| Failure::new(ErrorClass::Damaged, error));
        let found = checked.map(|()| Found {
            path: text(document.name),
            repository: document.repository().map(|own| text(&own.name.0)),
            language: Some(document.language().to_owned()).filter(|own| !own.is_empty()),
            text: document.content.to_vec(),
        });
        *self.found.lock().unwrap_or_else(PoisonError::into_inner) = Some(found);
        Flow::Quit
    }

    fn range_end(&mut self, _: usize) {}
}

/// A file of a tree, if a search would look into it.
fn of_tree(place: &Place, shown: &str, watch: &Watch<'_>) -> Result<Option<Found>, Failure> {
    let Some(path) = listed(&place.path, shown, watch)? else { return Ok(None) };
    let failed = |error: std::io::Error| Failure::new(ErrorClass::of_io(&error), error);
    let mut text = Vec::new();
    File::open(&path).map_err(failed)?.take(LEN_MAX + 1).read_to_end(&mut text).map_err(failed)?;
    if text.len() as u64 > LEN_MAX {
        let why = format!("{shown} is longer than the {LEN_MAX} bytes that the page reads");
        return Err(Failure::new(ErrorClass::TooMuch, why));
    }
    Ok(Some(Found { path: shown.to_owned(), repository: None, language: None, text }))
}

/// The path of a file that a search of the place lists.
fn listed(root: &Path, shown: &str, watch: &Watch<'_>) -> Result<Option<PathBuf>, Failure> {
    let own = Path::new(shown);
    if root.is_file() {
        return Ok((root.file_name() == Some(own.as_os_str())).then(|| root.to_owned()));
    }
    if !own.components().all(|part| matches!(part, Component::Normal(_))) {
        return Ok(None);
    }
    let wanted = root.join(own);
    let mut call = Call::new("", vec![root.to_owned()])?;
    // Nothing further down can be it.
    call.max_depth = Some(own.components().count());
    let mut is_listed = false;
    files(&call, watch, &mut |file| match file {
        ListedFile::File(path) if path == wanted => {
            is_listed = true;
            ControlFlow::Break(())
        }
        _ => ControlFlow::Continue(()),
    })?;
    Ok(is_listed.then_some(wanted))
}
