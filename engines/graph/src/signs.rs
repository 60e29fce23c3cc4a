//! Signs of a graph store: the names in its folder, and the first bytes of its files.

use std::fs::{self, File};
use std::io::Read;
use std::path::Path;

use manicule_format_leaf::{FileKind, kind_of};

/// Name of the file that names the current manifest.
pub const CURRENT_NAME: &str = "CURRENT";

/// What names of manifests begin with.
const MANIFEST_START: &str = "manifest-";
/// Ending of files that a writer is making.
const ASIDE_ENDING: &str = ".aside";
/// Other names in the folder of a store.
const OTHERS: [&str; 7] = ["lock", "merging", "log", "leaf", "dict", "stat", "snapshots"];
/// Number of bytes that show what a file is.
const HEAD_LEN: u64 = 16;
/// Maximum number of files that are looked at where the manifest says nothing.
const OWN_MAX: usize = 4;

/// Whether a name may be that of a manifest.
pub fn is_manifest_name(name: &[u8]) -> bool {
    let digits = name.strip_prefix(MANIFEST_START.as_bytes());
    digits.is_some_and(|digits| digits.len() >= 10 && digits.iter().all(u8::is_ascii_digit))
}

/// Whether a name is one that the folder of a store has.
pub fn is_of_store(name: &[u8]) -> bool {
    let name = name.strip_suffix(ASIDE_ENDING.as_bytes()).unwrap_or(name);
    let is_other = || OTHERS.iter().any(|other| other.as_bytes() == name);
    name == CURRENT_NAME.as_bytes() || is_manifest_name(name) || is_other()
}

/// Whether a folder by this name is a part of a store.
pub fn is_part(name: &[u8]) -> bool {
    OTHERS[2..].iter().any(|part| part.as_bytes() == name)
}

/// Whether a file is a manifest by its first bytes.
pub fn is_manifest(path: &Path) -> bool {
    kind_of(&head_of(path)) == Some(FileKind::Manifest)
}

/// The first bytes of a file; none of one that can't be read.
fn head_of(path: &Path) -> Vec<u8> {
    let mut head = Vec::new();
    let read = File::open(path).and_then(|file| file.take(HEAD_LEN).read_to_end(&mut head));
    if read.is_ok() { head } else { Vec::new() }
}

/// Whether a folder is a store: CURRENT names a manifest, which is one by its first bytes, or one
/// of them is damaged and the first leaf or log is one by its own.
pub fn is_store(folder: &Path) -> bool {
    let is_whole = named_manifest(folder).is_some_and(|name| is_manifest(&folder.join(name)));
    is_whole || ["leaf", "log"].iter().any(|part| has_own(&folder.join(part)))
}

/// Whether a file of a folder is one of a store by its first bytes.
fn has_own(folder: &Path) -> bool {
    let Ok(entries) = fs::read_dir(folder) else { return false };
    entries.flatten().take(OWN_MAX).any(|entry| kind_of(&head_of(&entry.path())).is_some())
}

/// Whether a folder that was given is to be taken for a store, whose manifest may be damaged or
/// gone.
pub fn is_given_store(folder: &Path) -> bool {
    named_manifest(folder).is_some() || is_store(folder)
}

/// The name of the manifest, as CURRENT has it.
fn named_manifest(folder: &Path) -> Option<String> {
    let mut name = String::new();
    let file = File::open(folder.join(CURRENT_NAME)).ok()?;
    let is_file = fs::metadata(folder.join(CURRENT_NAME)).ok()?.is_file();
    file.take(100).read_to_string(&mut name).ok().filter(|_| is_file)?;
    Some(name.trim_end().to_owned()).filter(|name| is_manifest_name(name.as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_a_store() {
        for (name, want) in [
            ("CURRENT", true),
            ("CURRENT.aside", true),
            ("manifest-0000000001", true),
            ("manifest-0000000001.aside", true),
            ("manifest-1", false),
            ("MANIFEST-000001", false),
            ("lock", true),
            ("merging", true),
            ("leaf", true),
            ("notes.md", false),
        ] {
            assert_eq!(is_of_store(name.as_bytes()), want, "{name}");
        }
        assert!(is_part(b"dict") && !is_part(b"lock") && !is_part(b"merging"));
    }

    #[test]
    fn a_store_is_one_by_its_manifest() {
        let folder = tempfile::tempdir().unwrap();
        let signs = || (is_store(folder.path()), is_given_store(folder.path()));
        let put = |name: &str, bytes: &[u8]| fs::write(folder.path().join(name), bytes).unwrap();
        assert_eq!(signs(), (false, false));
        // As LevelDB has it.
        put("CURRENT", b"MANIFEST-000004\n");
        assert_eq!(signs(), (false, false));
        put("CURRENT", b"manifest-0000000004\n");
        assert_eq!(signs(), (false, true));
        put("manifest-0000000004", b"text");
        assert_eq!(signs(), (false, true));
        put("manifest-0000000004", b"MANLROOT\x01\0\0\0\0\0\0\0");
        assert_eq!(signs(), (true, true));
    }
}
