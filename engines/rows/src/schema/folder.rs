//! Keyspace and table as folders name them: `KEYSPACE/TABLE-ID`, and below it snapshots and
//! backups.

use std::fs;
use std::path::{Component, Path};

/// Length of a table's id: a UUID without hyphens.
const ID_LEN: usize = 32;

/// Keyspace and table of a folder, as far as folders tell them.
pub(super) fn table_of(folder: &Path) -> [Option<String>; 2] {
    let whole = fs::canonicalize(folder);
    let whole = whole.as_deref().unwrap_or(folder);
    let names = whole.components().filter_map(|part| match part {
        Component::Normal(name) => Some(name.to_string_lossy().into_owned()),
        _ => None,
    });
    of_names(names.collect())
}

fn of_names(mut names: Vec<String>) -> [Option<String>; 2] {
    let len = names.len();
    if len >= 2 && names[len - 2] == "snapshots" {
        names.truncate(len - 2);
    } else if names.last().is_some_and(|name| name == "backups") {
        names.pop();
    }
    let table = names.pop().map(without_id);
    [names.pop(), table]
}

fn without_id(name: String) -> String {
    let is_id = |id: &str| id.len() == ID_LEN && id.bytes().all(|byte| byte.is_ascii_hexdigit());
    match name.rsplit_once('-') {
        Some((table, id)) if is_id(id) => table.to_owned(),
        _ => name,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_are_named_by_their_folders() {
        let check = |path: &str, want: [Option<&str>; 2]| {
            let names = path.split('/').map(str::to_owned).collect();
            assert_eq!(of_names(names), want.map(|name| name.map(str::to_owned)), "{path}");
        };
        let table = "data/ks/users-5a1c395be41f11eab8de3fe5b24f7e7b";
        let want = [Some("ks"), Some("users")];
        check(table, want);
        check(&format!("{table}/snapshots/before"), want);
        check(&format!("{table}/backups"), want);
        check("ks/my-table", [Some("ks"), Some("my-table")]);
        check("t", [None, Some("t")]);
        assert_eq!(of_names(Vec::new()), [None, None]);
    }
}
