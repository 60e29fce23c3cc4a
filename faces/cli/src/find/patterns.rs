//! The patterns: from `-e`, from `-f`, or the first word.

use std::collections::HashSet;
use std::path::Path;

use anyhow::{Result, bail};

use crate::flags::{Mode, Options, Pattern};
use crate::messages::InvokedAs;

/// Whether standard input is still to be read.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Stdin {
    /// Nothing was read from it.
    Free,
    /// The patterns were read from it.
    Taken,
}

/// Takes the patterns out of the options, each once; none when nothing is searched.
pub(crate) fn take(
    options: &mut Options,
    mode: Mode,
    invoked_as: InvokedAs,
    stdin: &mut Stdin,
) -> Result<Vec<String>> {
    if !matches!(mode, Mode::Search(_)) {
        return Ok(Vec::new());
    }
    if options.patterns.is_empty() {
        return first_word(options, invoked_as).map(|pattern| vec![pattern]);
    }
    let mut patterns = Vec::with_capacity(options.patterns.len());
    for pattern in options.patterns.drain(..) {
        match pattern {
            Pattern::Text(text) => patterns.push(text),
            Pattern::File(path) if path == Path::new("-") => {
                if *stdin == Stdin::Taken {
                    bail!("error reading -f/--file from stdin: stdin has already been consumed");
                }
                *stdin = Stdin::Taken;
                patterns.extend(grep_cli::patterns_from_stdin()?);
            }
            Pattern::File(path) => patterns.extend(grep_cli::patterns_from_path(&path)?),
        }
    }
    let mut seen = HashSet::with_capacity(patterns.len());
    patterns.retain(|pattern| seen.insert(pattern.clone()));
    Ok(patterns)
}

fn first_word(options: &mut Options, invoked_as: InvokedAs) -> Result<String> {
    if options.positional.is_empty() {
        bail!(match invoked_as {
            InvokedAs::Ripgrep => "ripgrep requires at least one pattern to execute a search",
            InvokedAs::Manicule => {
                "missing TEXT; usage: manicule find TEXT [PATH...]; `manicule find --help` tells more"
            }
        });
    }
    match options.positional.remove(0).into_string() {
        Ok(pattern) => Ok(pattern),
        Err(_) => bail!("pattern given is not valid UTF-8"),
    }
}
