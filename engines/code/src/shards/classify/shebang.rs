//! Shebangs: the interpreter that the first line of a script names.

use manicule_core::go;
use memchr::memmem;
use regex::bytes::Regex;

/// Number of lines in which a script of `sh` may start the interpreter that it is really for.
const EXEC_LINES: usize = 5;

/// The longest line that the peer looks for that in: its scanner gives up at a longer one.
const EXEC_LINE_LEN_MAX: usize = 64 * 1024 - 1;

/// The regexes of shebangs.
pub(super) struct Shebangs {
    option: Regex,
    assignment: Regex,
    exec: Regex,
    python: Regex,
}

impl Shebangs {
    pub(super) fn new() -> Shebangs {
        let regex = |source: &str| Regex::new(source).expect("the regexes of shebangs are right");
        Shebangs {
            // Anything with a dash in it is an option: the peer asks for no letter after it.
            option: regex("-"),
            assignment: regex(r"(?-u)[^\t\n\f\r ]=[^\t\n\f\r ]"),
            exec: regex(r"(?-u)exec ([0-9A-Za-z_]+).+\$0.+\$@"),
            python: regex(r"(?-u)python[0-9]\.[0-9]+"),
        }
    }

    /// The name of the interpreter that a shebang asks for.
    pub(super) fn interpreter<'c>(&self, content: &'c [u8]) -> Option<&'c [u8]> {
        let line = content.split(|byte| *byte == b'\n').next()?.strip_prefix(b"#!")?;
        let mut words = go::fields(line);
        let mut interpreter = last_name(words.next()?);
        if interpreter == b"env" {
            let mut words = words.peekable();
            let mut named = words.next()?;
            while words.peek().is_some()
                && (self.option.is_match(named) || self.assignment.is_match(named))
            {
                named = words.next()?;
            }
            interpreter = last_name(named);
        }
        if interpreter == b"sh" {
            interpreter = self.executed(content).unwrap_or(interpreter);
        }
        if self.python.is_match(interpreter) {
            interpreter = interpreter.split(|byte| *byte == b'.').next()?;
        }
        // With a language of its own, it is another one.
        let is_other = interpreter == b"osascript" && memmem::find(line, b"-l").is_some();
        (!is_other).then_some(interpreter)
    }

    /// The interpreter that a script hands itself over to.
    fn executed<'c>(&self, content: &'c [u8]) -> Option<&'c [u8]> {
        let lines = content.split(|byte| *byte == b'\n').take(EXEC_LINES);
        let mut lines = lines.take_while(|line| line.len() <= EXEC_LINE_LEN_MAX);
        lines.find_map(|line| Some(self.exec.captures(line)?.get(1)?.as_bytes()))
    }
}

/// The last name of a path, slashes at its end apart.
fn last_name(path: &[u8]) -> &[u8] {
    let end = path.iter().rposition(|byte| *byte != b'/').map_or(0, |last| last + 1);
    path[..end].rsplit(|byte| *byte == b'/').next().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(content: &str, want: &str) {
        let shebangs = Shebangs::new();
        let got = shebangs.interpreter(content.as_bytes()).unwrap_or_default();
        assert_eq!(got, want.as_bytes(), "{content:?}");
    }

    #[test]
    fn the_first_line_names_it() {
        check("#!/bin/bash\n", "bash");
        check("#! /usr/bin/perl -w", "perl");
        check("#!ruby/\n", "ruby");
        check(" #!/bin/bash\n", "");
        check("#!\n/bin/sh", "");
    }

    #[test]
    fn env_is_looked_through() {
        check("#!/usr/bin/env python\n", "python");
        check("#!/usr/bin/env", "");
        check("#!/usr/bin/env -S A=b --split node -x\n", "node");
        check("#!/usr/bin/env -S\n", "-S");
        check("#!/usr/bin/env some-thing other\n", "other");
    }

    #[test]
    fn versions_of_python_are_cut() {
        check("#!/usr/bin/python3.11\n", "python3");
        check("#!/usr/bin/python3", "python3");
    }

    #[test]
    fn a_script_may_be_for_what_it_starts() {
        check("#!/bin/sh\n# next\nexec tclsh8.4 \"$0\" ${1+\"$@\"}\n", "tclsh8");
        check("#!/bin/sh\n\n\n\n\nexec tclsh \"$0\" \"$@\"\n", "sh");
    }

    #[test]
    fn osascript_with_a_language_is_unknown() {
        check("#!/usr/bin/osascript\n", "osascript");
        check("#!/usr/bin/osascript -l JavaScript\n", "");
    }
}
