//! Globs and file types of a call.

use std::path::Path;

use anyhow::{Result, bail};
use ignore::overrides::{Override, OverrideBuilder};
use ignore::types::{Types, TypesBuilder};

use crate::flags::{Mode, Options, TypeChange};

pub(super) fn types(changes: &[TypeChange], mode: Mode) -> Result<Types> {
    // Without options about types, some 250 definitions are not made: half a millisecond.
    if changes.is_empty() && mode != Mode::Types {
        return Ok(Types::empty());
    }
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
            TypeChange::Add(definition) => types.add_def(bounded(definition)?)?,
        }
    }
    Ok(types.build()?)
}

pub(super) fn globs(current_dir: &Path, options: &Options) -> Result<Override> {
    let mut globs = OverrideBuilder::new(current_dir);
    globs.case_insensitive(options.glob_case_insensitive)?;
    for glob in &options.globs {
        globs.add(bounded(glob)?)?;
    }
    // It applies to the globs that follow.
    globs.case_insensitive(true)?;
    for glob in &options.iglobs {
        globs.add(bounded(glob)?)?;
    }
    Ok(if options.globs.is_empty() && options.iglobs.is_empty() {
        Override::empty()
    } else {
        globs.build()?
    })
}

pub(super) fn pre_globs(current_dir: &Path, globs: &[String]) -> Result<Override> {
    if globs.is_empty() {
        return Ok(Override::empty());
    }
    let mut builder = OverrideBuilder::new(current_dir);
    for glob in globs {
        builder.add(bounded(glob)?)?;
    }
    Ok(builder.build()?)
}

/// Maximum number of braces that a glob may open. The library that reads globs recurses for each
/// open one, and so does the drop of its result.
const BRACES_MAX: usize = 100;

/// A glob that can't overflow the stack.
fn bounded(glob: &str) -> Result<&str> {
    let braces = glob.matches('{').count();
    if braces > BRACES_MAX {
        bail!("a glob has {braces} braces, and {BRACES_MAX} are the most; write several globs");
    }
    Ok(glob)
}
