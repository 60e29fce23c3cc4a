//! Signs of a repository, by which a search or an inspection recognises its folder.

use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

pub use manicule_format_restic::{is_of_repository, is_repository as has_names};

/// Names that every repository has in its folder.
pub const NAMES: [&str; 2] = ["config", "keys"];

/// Folders of which every repository that restic has made has all, and every copy of one has some.
const FOLDERS: [&str; 3] = ["data", "index", "snapshots"];

/// Whether a folder is a restic repository: `keys` with the keys of people, named by their hashes,
/// `config`, and what either opens. One whose config or last key is gone, or hidden by a folder of
/// its name, is still one, and no plain folder: opening it says what it lacks.
pub fn is_repository(folder: &Path) -> bool {
    let is_hash = |name: &[u8]| name.len() == 64 && name.iter().all(u8::is_ascii_hexdigit);
    let Ok(keys) = fs::read_dir(folder.join("keys")) else { return false };
    let has_key = keys.flatten().any(|key| is_hash(key.file_name().as_bytes()));
    let config = fs::symlink_metadata(folder.join("config")).ok();
    let folders = FOLDERS.iter().filter(|name| folder.join(name).is_dir()).count();
    match (has_key, config) {
        (true, Some(_)) => folders > 0,
        (true, None) => folders == FOLDERS.len(),
        (false, config) => {
            folders == FOLDERS.len() && config.is_some_and(|config| config.is_file())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const KEY: &str = "keys/0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";

    #[track_caller]
    fn check(files: &[&str], folders: &[&str], want: bool) {
        let folder = tempfile::tempdir().unwrap();
        for name in folders {
            fs::create_dir_all(folder.path().join(name)).unwrap();
        }
        for name in files {
            let path = folder.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, b"").unwrap();
        }
        assert_eq!(is_repository(folder.path()), want, "{files:?} {folders:?}");
    }

    #[test]
    fn a_repository_has_config_a_key_and_a_folder() {
        check(&["config", KEY], &["data"], true);
        check(&["config", KEY], &[], false);
        check(&["config", "keys/readme"], &["data"], false);
    }

    #[test]
    fn one_that_lacks_its_config_or_its_keys_is_still_one() {
        let all = ["data", "index", "snapshots"];
        check(&[KEY], &["config", "data"], true);
        check(&[KEY], &all, true);
        check(&[KEY], &all[1..], false);
        check(&["config"], &["keys", "data", "index", "snapshots"], true);
        check(&["config"], &["keys", "data", "index"], false);
        check(&[], &["config", "keys", "data", "index", "snapshots"], false);
    }
}
