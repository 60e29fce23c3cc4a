//! What lies in the folders of blocks in a store, as it was listed.

use std::collections::HashMap;

use manicule_store::store::{Answer, Listed};

use super::open::CHUNKS;

/// A block's folder, as it was listed.
#[derive(Clone, Debug, Default)]
pub(super) struct Seen {
    /// The files directly in it.
    pub(super) entries: Vec<Listed>,
    /// Those of its folder of chunks.
    pub(super) chunks: Vec<Listed>,
    /// Its tombstones, where they were read before it is opened.
    pub(super) tombstones: Option<Vec<u8>>,
}

impl Seen {
    /// What lies in it, by the names there.
    pub(super) fn of(files: Vec<Listed>) -> Self {
        let mut seen = Seen::default();
        for mut file in files {
            let name = std::mem::take(&mut file.name);
            seen.add(&name, file);
        }
        seen
    }

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

/// What listings show of each folder, by its name.
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
