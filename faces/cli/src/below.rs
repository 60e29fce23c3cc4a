//! What lies below a given folder and is not read with it: said, with what to type.
//!
//! Callers: code/search, inspect

use std::path::Path;

use manicule::kinds::deeper;

/// So many folders are named.
const NAMED_MAX: usize = 3;

/// What there is below a folder for a command, and what to type; `None` where there is nothing.
pub(crate) fn below(path: &Path, command: &str) -> Option<String> {
    let deeper = deeper(path);
    let named: Vec<String> = deeper
        .folders
        .iter()
        .take(NAMED_MAX)
        .map(|(path, kind)| format!("{} is {kind}", path.display()))
        .collect();
    let (first, _) = deeper.folders.first()?;
    let more = match deeper.folders.len().saturating_sub(NAMED_MAX) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    let named = named.join(", ");
    Some(format!("further down {named}{more}: `manicule {command} {}`", first.display()))
}
