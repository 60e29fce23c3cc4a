//! Shared parts of the tests about the house: its root, its own files, and Rust source
//! without its comments and strings.

mod source;

use std::path::{Path, PathBuf};
use std::process::Command;

pub use source::{blank_comments_and_strings, without_tests};

/// The root of the repository.
pub fn root() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.parent().expect("xtask lies in the root").to_owned()
}

/// Every file of the repository, as a path from its root with `/`: those that git knows or would
/// take; without git, all outside of build folders.
pub fn files() -> Vec<String> {
    let root = root();
    let listed = Command::new("git")
        .args(["ls-files", "-z", "--cached", "--others", "--exclude-standard"])
        .current_dir(&root)
        .output();
    let mut names: Vec<String> = match listed {
        Ok(output) if output.status.success() => String::from_utf8_lossy(&output.stdout)
            .split('\0')
            .filter(|name| !name.is_empty())
            .map(str::to_owned)
            .collect(),
        _ => {
            let mut names = Vec::new();
            walk(&root, &root, &mut names);
            names
        }
    };
    // What git still lists may be deleted already.
    names.retain(|name| root.join(name).is_file());
    names.sort();
    names.dedup();
    names
}

fn walk(root: &Path, folder: &Path, names: &mut Vec<String>) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    for path in entries.flatten().map(|entry| entry.path()) {
        let name = path.file_name().unwrap_or_default();
        if path.is_dir() {
            if name != "target" && name != ".git" {
                walk(root, &path, names);
            }
        } else if let Ok(below) = path.strip_prefix(root) {
            names.push(below.to_string_lossy().into_owned());
        }
    }
}

/// The text of a file of the repository; `None` if it isn't UTF-8.
pub fn text(name: &str) -> Option<String> {
    String::from_utf8(std::fs::read(root().join(name)).ok()?).ok()
}

/// Fails with all findings at once, one a line.
///
/// # Panics
/// When there are any.
pub fn expect_none(what: &str, findings: &[String]) {
    assert!(findings.is_empty(), "{what}:\n  {}\n", findings.join("\n  "));
}
