//! Modelines: lines near both ends of a file that tell Emacs or Vim its language.

use memchr::memmem;
use regex::bytes::Regex;

use super::tables::Tables;

/// Number of lines at each end that are looked at.
const LINES: usize = 5;

/// The regexes of modelines.
pub(super) struct Modelines {
    emacs: Regex,
    emacs_mode: Regex,
    vim: Regex,
    vim_type: Regex,
}

impl Modelines {
    pub(super) fn new() -> Modelines {
        let regex = |source: &str| Regex::new(source).expect("the regexes of modelines are right");
        Modelines {
            emacs: regex(r"(?-u).*-\*-[\t\n\f\r ]*(.+?)[\t\n\f\r ]*-\*-.*(?m:$)"),
            emacs_mode: regex(
                r"(?-u).*(?i:mode)[\t\n\f\r ]*:[\t\n\f\r ]*([^\t\n\f\r ;]+)[\t\n\f\r ]*;*.*",
            ),
            vim: regex(
                r"(?-u)(?:(?m:[\t\n\f\r ]|^)vi(?:m[<=>]?[0-9]+|m)?|[\t ]*ex)[\t\n\f\r ]*:[\t\n\f\r ]*(.*)(?m:$)",
            ),
            vim_type: regex(
                r"(?-u)(?i:filetype|ft|(?:s|\xc5\xbf)yntax)[\t\n\f\r ]*=([0-9A-Za-z_]+)(?:[\t\n\f\r ]|:|$)",
            ),
        }
    }

    /// The language that a modeline names.
    pub(super) fn language(&self, content: &[u8], tables: &Tables) -> Option<&'static str> {
        let ends = both_ends(content);
        let emacs = || self.emacs_alias(&ends).and_then(|alias| tables.by_alias(alias));
        emacs().or_else(|| tables.by_alias(self.vim_alias(&ends)?))
    }

    fn emacs_alias<'t>(&self, text: &'t [u8]) -> Option<&'t [u8]> {
        memmem::find(text, b"-*-")?;
        let line = self.emacs.captures_iter(text).last()?.get(1)?.as_bytes();
        let mode = self.emacs_mode.captures(line).and_then(|mode| mode.get(1));
        Some(mode.map_or(line, |mode| mode.as_bytes()))
    }

    fn vim_alias<'t>(&self, text: &'t [u8]) -> Option<&'t [u8]> {
        let line = self.vim.captures_iter(text).last()?.get(1)?.as_bytes();
        let mut types = self.vim_type.captures_iter(line).filter_map(|found| found.get(1));
        let first = types.next()?.as_bytes();
        // Where a line says two, it says none.
        types.all(|other| other.as_bytes() == first).then_some(first)
    }
}

/// The first and the last lines of a content; all of one that has few.
fn both_ends(content: &[u8]) -> Vec<u8> {
    let mut head = memchr::memchr_iter(b'\n', content);
    let head_end = head.nth(LINES - 1);
    // The other half of the lines, or there are few.
    if head.nth(LINES - 1).is_none() {
        return content.to_vec();
    }
    let foot = memchr::memrchr_iter(b'\n', content).nth(LINES - 1);
    let (head_end, foot_start) = (head_end.unwrap_or_default(), foot.map_or(0, |end| end + 1));
    [&content[..head_end], &content[foot_start..]].concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(content: &str, want: Option<&str>) {
        let got = Modelines::new().language(content.as_bytes(), &Tables::new());
        assert_eq!(got, want, "{content:?}");
    }

    #[test]
    fn emacs_says_a_mode() {
        check("/* -*- mode: c++ -*- */\n", Some("C++"));
        check("# -*- coding: utf-8; mode: ruby; tab: 2 -*-\n", Some("Ruby"));
        check("# -*-perl-*-", Some("Perl"));
        check("a -*- c -*- b\nc -*- python -*-\n", Some("Python"));
        check("-*- nobody knows -*-\n", None);
    }

    #[test]
    fn vim_says_a_type() {
        check("# vim: set ft=perl :\n", Some("Perl"));
        check("/* vim: syntax=c ft=c: */\n", Some("C"));
        check("# vim: ft=perl syntax=ruby :\n", None);
        check("// vim600: filetype=php", Some("PHP"));
        check("ex: set ft=lua :", Some("Lua"));
    }

    #[test]
    fn five_lines_at_each_end_are_looked_at() {
        let middle = "\n".repeat(5);
        check(&format!("{middle}# vim: ft=perl :\n{middle}"), None);
        check(&format!("\n\n\n\n# vim: ft=perl :\n{middle}{middle}"), Some("Perl"));
        check(&format!("{middle}{middle}# vim: ft=perl :\n\n\n\n"), Some("Perl"));
        check(&format!("{middle}{middle}# vim: ft=perl :\n\n\n\n\n"), None);
    }
}
