//! Verification of a manifest beyond what opening it asks for: orders, places, sums.
//!
//! Bytes:   docs/formats/tree.md, section *manifest*

use crate::listing::{ListedKind, Listing, by_name};
use crate::manifest::{Folder, Manifest, OTHER_FILE, OTHER_FOLDER};

/// Receiver of findings: the section, the offset in the file where there is one, and what is wrong
/// there.
pub type Find<'f> = dyn FnMut(&'static str, Option<u64>, String) + 'f;

/// Verifies what a manifest promises beyond what its decoder asks for.
pub fn verify_manifest(manifest: &Manifest<'_>, find: &mut Find<'_>) {
    let mut listings: Vec<Listing> = Vec::with_capacity(manifest.folder_count());
    for row in 0..manifest.folder_count() as u32 {
        let folder = manifest.folder(row);
        check_place(manifest, row, &folder, find);
        listings.push(names_of(manifest, &folder, find));
        if row > 0 {
            let path = path_of(manifest, &folder);
            let name = path.rsplit(|byte| *byte == b'/').next().unwrap_or_default();
            listings[folder.parent as usize].add(name, ListedKind::Folder);
        }
    }
    check_listings(manifest, &listings, find);
    check_text_len(manifest, find);
    check_numbers(manifest, find);
}

fn path_of<'a>(manifest: &Manifest<'a>, folder: &Folder) -> &'a [u8] {
    manifest.name(folder.path).to_bytes()
}

/// Checks that a folder lies below its parent and comes after the folder before it.
fn check_place(manifest: &Manifest<'_>, row: u32, folder: &Folder, find: &mut Find<'_>) {
    let path = path_of(manifest, folder);
    let (shown, at) = (path.escape_ascii(), Some(manifest.folder_at(row)));
    let parent = (row > 0).then(|| path_of(manifest, &manifest.folder(folder.parent)));
    let own = path.iter().rposition(|byte| *byte == b'/').map_or(&b""[..], |slash| &path[..slash]);
    if parent.is_some_and(|parent| parent != own) || (row == 0 && !path.is_empty()) {
        find("folders", at, format!("{shown} lies in another folder"));
    }
    let last = row.checked_sub(1).map(|last| path_of(manifest, &manifest.folder(last)));
    if last.is_some_and(|last| by_name(last, path).is_ge()) {
        find("folders", at, format!("{shown} comes after a later name"));
    }
}

/// Checks the order of a folder's files, and sums up its names but those of folders with a row.
fn names_of(manifest: &Manifest<'_>, folder: &Folder, find: &mut Find<'_>) -> Listing {
    let mut listing = Listing::default();
    let mut last: Option<&[u8]> = None;
    for file in manifest.files_of(folder) {
        let name = manifest.name(manifest.file(file).name).to_bytes();
        let is_name = !name.is_empty() && !name.contains(&b'/');
        if !is_name || last.is_some_and(|last| last >= name) {
            let what = format!("{} is no name in order", name.escape_ascii());
            find("files", Some(manifest.file_at(file)), what);
        }
        last = Some(name);
        listing.add(name, ListedKind::File);
    }
    for other in manifest.others_of(folder) {
        let kind = match other.kind {
            OTHER_FOLDER => ListedKind::Folder,
            OTHER_FILE => ListedKind::File,
            _ => ListedKind::Rest,
        };
        listing.add(manifest.name(other.name).to_bytes(), kind);
    }
    listing
}

fn check_listings(manifest: &Manifest<'_>, listings: &[Listing], find: &mut Find<'_>) {
    for (row, listing) in listings.iter().enumerate() {
        let folder = manifest.folder(row as u32);
        // A folder that no listing stands for is walked in every call.
        if folder.listing == 0 || folder.listing == listing.sum() {
            continue;
        }
        let path = path_of(manifest, &folder);
        let shown = if path.is_empty() {
            "the tree's root".to_owned()
        } else {
            path.escape_ascii().to_string()
        };
        let (got, want) = (listing.sum(), folder.listing);
        let what = format!("the names of {shown} add up to {got:x}, not to {want:x}");
        find("folders", Some(manifest.folder_at(row as u32)), what);
    }
}

fn check_text_len(manifest: &Manifest<'_>, find: &mut Find<'_>) {
    let files = (0..manifest.file_count() as u32).map(|row| manifest.file(row));
    let text_len = files.fold(0u64, |sum, file| sum.saturating_add(file.size));
    let got = manifest.meta.text_len;
    if text_len != got {
        find("meta", None, format!("the files have {text_len} bytes together, not {got}"));
    }
}

fn check_numbers(manifest: &Manifest<'_>, find: &mut Find<'_>) {
    let mut numbers: Vec<u64> = manifest.segments().map(|row| row.number).collect();
    numbers.sort_unstable();
    let is_next_free = numbers.last().is_none_or(|last| *last < manifest.meta.next_segment);
    if !is_next_free || numbers.windows(2).any(|pair| pair[0] == pair[1]) {
        find("segments", Some(manifest.segment_at(0)), "two segments have one number".to_owned());
    }
}
