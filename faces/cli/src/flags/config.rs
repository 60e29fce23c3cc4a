//! The configuration file, as ripgrep has it: one word a line, `#` begins a comment.

use std::ffi::OsString;
use std::path::PathBuf;

use bstr::ByteSlice;

use super::Options;
use crate::messages::{InvokedAs, say};

/// The variable that names the file. Each manner has its own: flags that ripgrep lacks may stand in
/// ours.
pub(super) fn variable(invoked_as: InvokedAs) -> &'static str {
    match invoked_as {
        InvokedAs::Manicule => "MANICULE_CONFIG_PATH",
        InvokedAs::Ripgrep => "RIPGREP_CONFIG_PATH",
    }
}

/// The words of the file; none when its variable is unset or empty, or it cannot be read.
pub(super) fn words(options: &Options, invoked_as: InvokedAs) -> Vec<OsString> {
    let variable = variable(invoked_as);
    let path = std::env::var_os(variable).filter(|path| !path.is_empty());
    let Some(path) = path.map(PathBuf::from) else { return Vec::new() };
    match std::fs::read(&path) {
        Ok(bytes) => split(&bytes),
        Err(error) => {
            if !options.no_messages {
                let what = "failed to read the file specified in";
                say(&format_args!("{what} {variable}: {}: {error}", path.display()));
            }
            Vec::new()
        }
    }
}

fn split(bytes: &[u8]) -> Vec<OsString> {
    bytes
        .lines()
        .map(|line| line.trim())
        .filter(|line| !line.is_empty() && line[0] != b'#')
        .filter_map(|line| line.to_os_str().ok().map(OsString::from))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(bytes: &[u8], want: &[&str]) {
        assert_eq!(split(bytes), want, "{:?}", bytes.as_bstr());
    }

    #[test]
    fn comments_and_blank_lines_say_nothing() {
        check(b"# a\n\n  \n   # b\n", &[]);
    }

    #[test]
    fn a_line_is_one_word() {
        check(b"--context=0\n  -u \r\n-g !x y\n", &["--context=0", "-u", "-g !x y"]);
    }
}
