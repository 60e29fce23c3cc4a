//! Which files make up finished SSTables, and which are left out, and why.
//!
//! Bytes:   docs/formats/sstable.md, "Files"
//! Callers: faces/manicule

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use manicule_format_sstable::{Component, Descriptor, UnreadVersion, read_toc};
use manicule_store::list_names;

use crate::RowsError;

/// An SSTable that is finished: TOC.txt lies beside it, and all that it names, but for what readers do without.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listed {
    /// Its folder.
    pub folder: PathBuf,
    /// What the names of its files share.
    pub descriptor: Descriptor,
    /// Its components, in the order of TOC.txt; where there is none, those that are there.
    pub components: Vec<Component>,
}

impl Listed {
    /// Path of a component.
    pub fn path(&self, component: &Component) -> PathBuf {
        self.folder.join(self.descriptor.file_name(component))
    }
}

/// Files that are no finished SSTable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeftOut {
    /// One of the files.
    pub path: PathBuf,
    /// Why, as a sentence.
    pub why: String,
}

/// The longest TOC.txt that is read: a thousand names.
const TOC_LEN_MAX: u64 = 64 << 10;

/// The finished SSTables of a folder, ordered by version and generation, or the one of which `path` is a file.
///
/// An SSTable named by its file is taken without TOC.txt too: files are copied without it. In a folder one without it is a
/// write that didn't end.
pub fn list(path: &Path) -> Result<(Vec<Listed>, Vec<LeftOut>), RowsError> {
    let metadata = fs::metadata(path).map_err(|source| failed(path, source))?;
    if metadata.is_dir() {
        return list_folder(path);
    }
    let listed = of_file(path)?;
    if listed.components.contains(&Component::Toc) {
        let there = listed.components.clone();
        return Ok((vec![with_toc(listed, &there)?.map_err(|out| missing(&out))?], Vec::new()));
    }
    Ok((vec![listed], Vec::new()))
}

/// The SSTables of a folder, ordered by version and generation, or the one of which `path` is a file, with the components that
/// are there: whether it is finished or not, and whatever TOC.txt says.
pub fn list_all(path: &Path) -> Result<Vec<Listed>, RowsError> {
    let metadata = fs::metadata(path).map_err(|source| failed(path, source))?;
    if !metadata.is_dir() {
        return Ok(vec![of_file(path)?]);
    }
    let (mut found, _) = all_of_folder(path)?;
    sort(&mut found);
    Ok(found)
}

/// The SSTable of which `path` is a file, with the components that are there.
fn of_file(path: &Path) -> Result<Listed, RowsError> {
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    if let Some(unread) = UnreadVersion::of_name(&name) {
        return Err(unsupported(path, &unread));
    }
    let Some((descriptor, _)) = Descriptor::parse(&name) else {
        let why = "not a file of an SSTable: its name would be VERSION-GENERATION-big-Data.db";
        return Err(RowsError::Missing { place: path.to_owned(), why: why.to_owned() });
    };
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    let folder = folder.unwrap_or(Path::new("."));
    let mut components = names(folder)?.found.remove(&descriptor.to_string()).unwrap_or_default();
    components.sort();
    Ok(Listed { folder: folder.to_owned(), descriptor, components })
}

fn unsupported(path: &Path, unread: &UnreadVersion) -> RowsError {
    RowsError::Unsupported { file: path.to_owned(), what: unread.to_string() }
}

/// The SSTables of a folder with the components that are there, and the data of those of versions that aren't read. An error
/// where there are only such.
fn all_of_folder(folder: &Path) -> Result<(Vec<Listed>, Vec<LeftOut>), RowsError> {
    let Names { found, unread } = names(folder)?;
    if let (true, Some((path, version))) = (found.is_empty(), unread.first()) {
        return Err(unsupported(path, version));
    }
    let listed = found.into_iter().filter_map(|(name, mut components)| {
        let (descriptor, _) = Descriptor::parse(&format!("{name}-Data.db"))?;
        components.sort();
        Some(Listed { folder: folder.to_owned(), descriptor, components })
    });
    let unread = unread.into_iter();
    let unread = unread.map(|(path, version)| LeftOut { path, why: version.to_string() });
    Ok((listed.collect(), unread.collect()))
}

fn sort(found: &mut [Listed]) {
    let number = |listed: &Listed| listed.descriptor.generation.parse::<u64>().ok();
    found.sort_by(|left, right| {
        let name = |listed: &Listed| listed.descriptor.to_string();
        number(left).cmp(&number(right)).then_with(|| name(left).cmp(&name(right)))
    });
}

fn list_folder(folder: &Path) -> Result<(Vec<Listed>, Vec<LeftOut>), RowsError> {
    let (all, mut left_out) = all_of_folder(folder)?;
    let mut found = Vec::new();
    for listed in all {
        if listed.components.contains(&Component::Toc) {
            let there = listed.components.clone();
            match with_toc(listed, &there)? {
                Ok(listed) => found.push(listed),
                Err(out) => left_out.push(out),
            }
        } else {
            let path = listed.path(&listed.components[0]);
            let why = "not finished: TOC.txt, which is written last, is not there".to_owned();
            left_out.push(LeftOut { path, why });
        }
    }
    sort(&mut found);
    Ok((found, left_out))
}

/// What the names of a folder say.
#[derive(Default)]
struct Names {
    /// Components by what the names of an SSTable's files share.
    found: BTreeMap<String, Vec<Component>>,
    /// Data of versions that aren't read.
    unread: Vec<(PathBuf, UnreadVersion)>,
}

fn names(folder: &Path) -> Result<Names, RowsError> {
    let mut names = Names::default();
    for entry in list_names(folder).map_err(|source| failed(folder, source))? {
        let name = entry.name.to_string_lossy();
        if let Some((descriptor, component)) = Descriptor::parse(&name) {
            names.found.entry(descriptor.to_string()).or_default().push(component);
        } else if name.ends_with("-Data.db")
            && let Some(version) = UnreadVersion::of_name(&name)
        {
            names.unread.push((folder.join(&entry.name), version));
        }
    }
    names.unread.sort_by(|left, right| left.0.cmp(&right.0));
    Ok(names)
}

/// An SSTable with the components of its TOC.txt, if they are all there.
fn with_toc(listed: Listed, there: &[Component]) -> Result<Result<Listed, LeftOut>, RowsError> {
    let path = listed.path(&Component::Toc);
    let len = fs::metadata(&path).map_err(|source| failed(&path, source))?.len();
    if len > TOC_LEN_MAX {
        let why = format!("TOC.txt has {len} bytes, more than the {TOC_LEN_MAX} that are read");
        return Ok(Err(LeftOut { path, why }));
    }
    let bytes = fs::read(&path).map_err(|source| failed(&path, source))?;
    let mut components = match read_toc(&bytes) {
        Ok(components) => components,
        Err(error) => return Ok(Err(LeftOut { path, why: error.to_string() })),
    };
    // A reader does without these, and a server makes them again.
    let is_needless = |component: &Component| {
        matches!(component, Component::Summary | Component::Filter | Component::Digest)
    };
    components.retain(|component| there.contains(component) || !is_needless(component));
    let absent = components.iter().find(|component| !there.contains(component));
    Ok(match absent {
        Some(absent) => Err(LeftOut { path, why: format!("not whole: {absent} is not there") }),
        None => Ok(Listed { components, ..listed }),
    })
}

fn missing(out: &LeftOut) -> RowsError {
    RowsError::Missing { place: out.path.clone(), why: out.why.clone() }
}

fn failed(path: &Path, source: std::io::Error) -> RowsError {
    RowsError::Io { file: path.to_owned(), source }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn put(folder: &Path, name: &str, bytes: &str) {
        fs::write(folder.join(name), bytes).unwrap();
    }

    #[test]
    fn what_is_not_finished_is_left_out_and_said() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path();
        for generation in [1, 2, 10] {
            put(path, &format!("me-{generation}-big-Data.db"), "");
            put(path, &format!("me-{generation}-big-TOC.txt"), "TOC.txt\nData.db\n");
        }
        put(path, "me-3-big-Data.db", "");
        put(path, "me-3-big-TOC.txt.tmp", "Data.db\n");
        put(path, "me-4-big-TOC.txt", "Data.db\nTOC.txt\n");
        put(path, "me-20-big-Data.db", "");
        put(path, "me-20-big-TOC.txt", "TOC.txt\nData.db\nSummary.db\nFilter.db\n");
        put(path, "manifest.json", "{}");
        let (listed, left_out) = list(path).unwrap();
        let names: Vec<_> = listed.iter().map(|listed| listed.descriptor.to_string()).collect();
        assert_eq!(names, ["me-1-big", "me-2-big", "me-10-big", "me-20-big"]);
        for listed in [&listed[0], &listed[3]] {
            assert_eq!(listed.components, [Component::Toc, Component::Data]);
        }
        let why: Vec<_> = left_out.iter().map(|out| out.why.as_str()).collect();
        let unfinished = "not finished: TOC.txt, which is written last, is not there";
        assert_eq!(why, [unfinished, "not whole: Data.db is not there"]);
        let (alone, _) = list(&path.join("me-3-big-Data.db")).unwrap();
        assert_eq!(alone[0].descriptor.generation, "3");
        assert!(alone[0].components.contains(&Component::Data));
        assert!(matches!(list(&path.join("me-4-big-TOC.txt")), Err(RowsError::Missing { .. })));
        assert!(matches!(list(&path.join("manifest.json")), Err(RowsError::Missing { .. })));
        let all: Vec<_> = list_all(path).unwrap();
        let all: Vec<_> = all.iter().map(|listed| listed.descriptor.generation.as_str()).collect();
        assert_eq!(all, ["1", "2", "3", "4", "10", "20"]);
    }

    #[test]
    fn versions_that_are_not_read_are_named() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path();
        put(path, "ks-t-ka-1-Data.db", "");
        put(path, "ks-t-ka-1-TOC.txt", "");
        for path in [path.to_owned(), path.join("ks-t-ka-1-TOC.txt")] {
            let error = list(&path).unwrap_err();
            assert!(matches!(error, RowsError::Unsupported { .. }), "{error}");
            assert!(error.to_string().contains("version ka, of Cassandra 2.1"), "{error}");
        }
        put(path, "me-1-big-Data.db", "");
        put(path, "me-1-big-TOC.txt", "Data.db\n");
        let (listed, left_out) = list(path).unwrap();
        assert_eq!((listed.len(), left_out.len()), (1, 1));
    }
}
