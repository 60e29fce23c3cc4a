//! Globs and file types of a search.

use std::path::Path;

use ignore::overrides::{Override, OverrideBuilder};
use ignore::types::{Types, TypesBuilder};

use crate::failure::Failure;

/// A change of the file types, in the order given.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TypeChange {
    /// The globs of a type go.
    Clear(String),
    /// A type gets a glob: `NAME:GLOB`, or those of others: `NAME:include:OTHER,OTHER`.
    Add(String),
    /// Only files of a type count; of several, those of any.
    Select(String),
    /// Files of a type don't count.
    Negate(String),
}

/// Selection of files by their types; without a change all count.
pub fn types(changes: &[TypeChange]) -> Result<Types, Failure> {
    // Without changes, some 250 definitions are not made: half a millisecond.
    if changes.is_empty() { Ok(Types::empty()) } else { known_types(changes) }
}

/// The same with all definitions, for those who list them.
pub fn known_types(changes: &[TypeChange]) -> Result<Types, Failure> {
    let mut types = TypesBuilder::new();
    types.add_defaults();
    for change in changes {
        match change {
            TypeChange::Clear(name) => {
                types.clear(name);
            }
            TypeChange::Select(name) => {
                types.select(name);
            }
            TypeChange::Negate(name) => {
                types.negate(name);
            }
            TypeChange::Add(definition) => {
                types.add_def(bounded(definition)?).map_err(Failure::asked)?;
            }
        }
    }
    types.build().map_err(Failure::asked)
}

/// Selection of files by globs, which are relative to `current_dir`; those of `any_case` match
/// letters of either case.
pub fn globs(
    current_dir: &Path,
    globs: &[String],
    any_case: &[String],
) -> Result<Override, Failure> {
    if globs.is_empty() && any_case.is_empty() {
        return Ok(Override::empty());
    }
    let mut builder = OverrideBuilder::new(current_dir);
    for glob in globs {
        builder.add(bounded(glob)?).map_err(Failure::asked)?;
    }
    // It applies to the globs that follow.
    builder.case_insensitive(true).map_err(Failure::asked)?;
    for glob in any_case {
        builder.add(bounded(glob)?).map_err(Failure::asked)?;
    }
    builder.build().map_err(Failure::asked)
}

/// Maximum number of braces that a glob may open. The library that reads globs recurses for each
/// open one, and so does the drop of its result.
const BRACES_MAX: usize = 100;

/// A glob that can't overflow the stack.
fn bounded(glob: &str) -> Result<&str, Failure> {
    let braces = glob.matches('{').count();
    if braces > BRACES_MAX {
        return Err(Failure::asked(format!(
            "a glob has {braces} braces, and {BRACES_MAX} are the most; write several globs"
        )));
    }
    Ok(glob)
}
