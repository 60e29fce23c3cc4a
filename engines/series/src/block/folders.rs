//! What lies in the folders of blocks in a store, by few listings.
//!
//! A page of a bucket's listing has a thousand keys, in however many folders: so folders whose
//! names begin alike are listed together, some hundreds at a time, and these listings side by side.

use std::collections::{BTreeSet, HashMap};

use manicule_store::store::{Answer, Ask, Listed, Name};

use super::open::CHUNKS;

/// Maximum number of blocks that a listing is about. Small ones have three files each, so that most
/// listings are one page.
const BLOCKS_MAX: usize = 256;

/// A listing has at most this many times the blocks that are wanted of it.
const SPARSE: usize = 4;

/// A block's folder, as it was listed.
#[derive(Clone, Debug, Default)]
pub(super) struct Seen {
    /// The files directly in it.
    pub(super) entries: Vec<Listed>,
    /// Those of its folder of chunks.
    pub(super) chunks: Vec<Listed>,
}

impl Seen {
    /// A file directly in it.
    pub(super) fn entry(&self, name: &str) -> Option<&Listed> {
        self.entries.iter().find(|entry| entry.name == name)
    }

    /// Adds a file by its name in the block's folder. What lies deeper is nobody's.
    fn add(&mut self, name: &str, file: Listed) {
        match name.split_once('/') {
            None => self.entries.push(Listed { name: name.to_owned(), ..file }),
            Some((CHUNKS, name)) if !name.contains('/') => {
                self.chunks.push(Listed { name: name.to_owned(), ..file });
            }
            Some(_) => {}
        }
    }
}

/// Questions that list `wanted` folders of a store's own, of which `all` are known.
pub(super) fn listings(all: &BTreeSet<&str>, wanted: &BTreeSet<&str>) -> Vec<Ask> {
    let all: Vec<&str> = all.union(wanted).copied().collect();
    let mut beginnings = Vec::new();
    begin(&all, wanted, &mut beginnings);
    let ask = |beginning| Ask::Beginning { folder: Name::root(), beginning };
    beginnings.into_iter().map(ask).collect()
}

/// Adds what the wanted ones of sorted names begin with, and few others.
fn begin(all: &[&str], wanted: &BTreeSet<&str>, beginnings: &mut Vec<String>) {
    let count = all.iter().filter(|name| wanted.contains(*name)).count();
    let (Some(first), Some(last)) = (all.first(), all.last()) else { return };
    if count == 0 {
        return;
    }
    if all.len() == 1 {
        beginnings.push(format!("{first}/"));
        return;
    }
    let mut differing = first.char_indices().zip(last.chars());
    let common = differing.find(|((_, left), right)| left != right);
    let common = common.map_or(first.len(), |((at, _), _)| at);
    if all.len() <= BLOCKS_MAX.min(count * SPARSE) {
        beginnings.push(first[..common].to_owned());
        return;
    }
    let next = |name: &str| name[common..].chars().next();
    for group in all.chunk_by(|left, right| next(left) == next(right)) {
        begin(group, wanted, beginnings);
    }
}

/// What answers to [`listings`] show of each folder, by its name.
pub(super) fn shown(answers: impl IntoIterator<Item = Answer>) -> HashMap<String, Seen> {
    let mut folders: HashMap<String, Seen> = HashMap::new();
    for answer in answers {
        let Answer::Below { files, .. } = answer else { continue };
        for mut file in files {
            let name = std::mem::take(&mut file.name);
            let Some((folder, rest)) = name.split_once('/') else { continue };
            match folders.get_mut(folder) {
                Some(seen) => seen.add(rest, file),
                None => folders.entry(folder.to_owned()).or_default().add(rest, file),
            }
        }
    }
    folders
}

#[cfg(test)]
mod tests {
    use manicule_store::EntryKind;

    use super::*;

    /// What is listed of names of which some are wanted.
    fn beginnings(all: &[String], wanted: &[String]) -> Vec<String> {
        fn set(names: &[String]) -> BTreeSet<&str> {
            names.iter().map(String::as_str).collect()
        }
        let asked = listings(&set(all), &set(wanted)).into_iter();
        let beginning = |ask| match ask {
            Ask::Beginning { beginning, .. } => beginning,
            other => panic!("{other:?}"),
        };
        asked.map(beginning).collect()
    }

    #[test]
    fn listings_are_about_some_hundred_blocks_of_which_most_are_wanted() {
        let all: Vec<String> = (0..3000).map(|number| format!("01HF{number:022}")).collect();
        let own = |names: &[String]| beginnings(names, names);
        assert_eq!(own(&[]), [""; 0]);
        assert_eq!(own(&all[..1]), [format!("{}/", all[0])]);
        assert_eq!(own(&all[7..9]), [&all[7][..25]]);
        assert_eq!(own(&all[..100]), [&all[0][..24]]);
        assert_eq!(own(&all[..256]), [&all[0][..23]]);
        let hundreds: Vec<&str> = all.iter().step_by(100).map(|name| &name[..24]).collect();
        assert_eq!(own(&all), hundreds);
        // Of few that lie far apart each by itself.
        let few = [all[0].clone(), all[1500].clone(), all[1501].clone()];
        let by_itself = |name: &String| format!("{name}/");
        assert_eq!(beginnings(&all, &few), few.each_ref().map(by_itself));
        let both = ["A".to_owned(), "AB".to_owned(), "Bé".to_owned(), "Bè".to_owned()];
        assert_eq!(own(&both), [""]);
    }

    #[test]
    fn files_are_those_of_their_folders() {
        let file = |name: &str| Listed {
            name: name.to_owned(),
            kind: EntryKind::File,
            len: Some(1),
            version: None,
        };
        let names = ["A/index", "A/chunks/000001", "A/chunks/x/y", "A/x/y", "B/meta.json", "C"];
        let files = names.map(file).into();
        let folders = shown([Answer::Below { files, is_whole: true }]);
        assert_eq!(folders.len(), 2);
        let names = |files: &[Listed]| -> Vec<String> {
            files.iter().map(|file| file.name.clone()).collect()
        };
        let seen = &folders["A"];
        assert_eq!(
            (names(&seen.entries), names(&seen.chunks)),
            (vec!["index".into()], vec!["000001".into()])
        );
        assert!(folders["B"].entry("meta.json").is_some() && seen.entry("meta.json").is_none());
    }
}
