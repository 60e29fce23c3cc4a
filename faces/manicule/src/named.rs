//! Paths with names, as a file has them:
//!
//! ```toml
//! [catalog.prod]
//! path = "/var/lib/prometheus"    # or a list; relative to the file
//! kind = "series"                 # else by what lies there
//! labels = ["job"]                # arguments, for the tables that have them
//! ```

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use serde::Deserialize;

use crate::failure::Failure;
use crate::place::is_address;
use crate::{ErrorClass, kinds};

/// The file that is read where none is named: that of the current folder.
pub const FILE: &str = "manicule.toml";

/// Paths that have one name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Named {
    /// The name.
    pub name: String,
    /// The paths and addresses; one at least.
    pub paths: Vec<PathBuf>,
    /// Word of the system that wrote them, if the file says it.
    pub kind: Option<String>,
    /// Arguments for the tables that have them.
    pub arguments: Vec<(String, String)>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(default)]
    catalog: BTreeMap<String, BTreeMap<String, Words>>,
}

/// A value, or a list of them.
#[derive(Deserialize)]
#[serde(untagged)]
enum Words {
    Several(Vec<Word>),
    One(Word),
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Word {
    Text(String),
    Boolean(bool),
    Number(i64),
}

impl Words {
    fn texts(self) -> Vec<String> {
        let words = match self {
            Words::One(word) => vec![word],
            Words::Several(words) => words,
        };
        let text = |word| match word {
            Word::Text(text) => text,
            Word::Boolean(value) => value.to_string(),
            Word::Number(number) => number.to_string(),
        };
        words.into_iter().map(text).collect()
    }
}

/// Reads a file of names, in their order. Nothing of what they name is looked at.
pub fn read(file: &Path) -> Result<Vec<Named>, Failure> {
    let wrong = |error: &dyn std::fmt::Display| Failure::asked(error).of_path(file);
    let text = fs::read_to_string(file)
        .map_err(|error| Failure::new(ErrorClass::of_io(&error), error).of_path(file))?;
    let File { catalog } = toml::from_str(&text).map_err(|error| wrong(&error.message()))?;
    let folder = file.parent().unwrap_or(Path::new(""));
    let named = |(name, words)| Named::of(name, words, folder).map_err(|error| wrong(&error));
    catalog.into_iter().map(named).collect()
}

impl Named {
    fn of(name: String, words: BTreeMap<String, Words>, folder: &Path) -> Result<Named, Failure> {
        let (mut paths, mut kind, mut arguments) = (Vec::new(), None, Vec::new());
        for (key, words) in words {
            let texts = words.texts();
            match &*key {
                "path" => paths = texts,
                "kind" => kind = texts.into_iter().next(),
                _ => arguments.extend(texts.into_iter().map(|text| (key.clone(), text))),
            }
        }
        if paths.is_empty() {
            return Err(Failure::asked(format_args!("catalog {name} has no path")));
        }
        let path = |path: String| match Path::new(&path) {
            path if is_address(path) => path.to_owned(),
            path => folder.join(path),
        };
        Ok(Named { name, paths: paths.into_iter().map(path).collect(), kind, arguments })
    }

    /// Words of the systems that wrote what it names: that of the file, else by what lies there,
    /// which costs a listing of each address.
    pub fn systems(&self) -> Result<Vec<String>, Failure> {
        if let Some(kind) = &self.kind {
            return Ok(vec![kind.clone()]);
        }
        let mut systems = Vec::new();
        for path in &self.paths {
            let places =
                kinds::places(path, None).map_err(|error| Failure::new(error.class(), error))?;
            systems.extend(places.iter().map(|place| place.kind.system().word().to_owned()));
        }
        Ok(systems)
    }
}
