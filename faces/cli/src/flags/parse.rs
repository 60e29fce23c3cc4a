//! From words to options, by the flag table.

use std::collections::BTreeSet;
use std::ffi::OsString;

use anyhow::{Error, Result, anyhow};

use super::table::{FLAGS, is_own};
use super::{Options, config};
use crate::command::addresses::Places;
use crate::command::flag::set;
use crate::command::near::nearest;
use crate::command::parse::{Asked, Refused};
use crate::command::spec::Spec;
use crate::command::{Operand, Spelling, Syntax};
use crate::messages::InvokedAs;

/// How alike two names must be, as shared three-letter pieces over all of them, to be suggested;
/// ripgrep's number.
const ALIKE: f64 = 0.4;

/// What the command takes.
pub(crate) static SYNTAX: Syntax<Options> = Syntax {
    spelling: Spelling::Gnu,
    flags: FLAGS,
    operands: &[Operand::Words(set!(|options, word| options.positional.push(word)))],
    places: Places::LocalOrRemote,
};

/// Reads the words into options. The first word that cannot be understood is the error.
pub(crate) fn parse(
    words: impl IntoIterator<Item = OsString>,
    invoked_as: InvokedAs,
) -> Result<Options> {
    let mut options = Options::default();
    let words = words.into_iter().collect();
    let asked = SYNTAX.read(words, &mut options, &|spec| is_known(spec, invoked_as));
    match asked.map_err(|refused| in_words(refused, invoked_as))? {
        Asked::Work(_) => Ok(options),
        asked => unreachable!("{asked:?} is in the table of flags itself"),
    }
}

/// As ripgrep says it.
fn in_words(refused: Refused, invoked_as: InvokedAs) -> Error {
    match refused {
        Refused::Unknown(shown) => {
            anyhow!("unrecognized flag {shown}{}", suggestion(&shown, invoked_as))
        }
        Refused::Missing(name, error) => {
            Error::new(error).context(format!("missing value for flag {name}"))
        }
        Refused::Flag(name, error) => error.context(format!("error parsing flag {name}")),
        Refused::Words(error) => Error::new(error).context("invalid CLI arguments"),
        Refused::Operand(error) => error,
        Refused::Surplus(_) => unreachable!("all words are taken"),
    }
}

/// As [`parse`], with the words of the configuration file before the given ones, if there is one.
pub(crate) fn with_config(
    words: &[OsString],
    options: Options,
    invoked_as: InvokedAs,
) -> Result<Options> {
    if options.no_config {
        return Ok(options);
    }
    match config::words(&options, invoked_as) {
        first if first.is_empty() => Ok(options),
        first => parse(first.into_iter().chain(words.iter().cloned()), invoked_as),
    }
}

/// Called as `rg`, only ripgrep's flags exist.
fn is_known(spec: &Spec, invoked_as: InvokedAs) -> bool {
    invoked_as == InvokedAs::Manicule || !is_own(spec)
}

/// The long flag that was probably meant, or ripgrep's list of such as look alike, as a sentence to
/// append; nothing for short ones.
fn suggestion(shown: &str, invoked_as: InvokedAs) -> String {
    let Some(unknown) = shown.strip_prefix("--") else { return String::new() };
    if invoked_as == InvokedAs::Manicule {
        return match nearest(unknown, long_names(invoked_as)) {
            Some(name) => format!(": did you mean --{name}?"),
            None => "; `manicule find --help` lists them".to_owned(),
        };
    }
    let wanted = pieces(unknown);
    let alike: Vec<String> = long_names(invoked_as)
        .filter(|name| likeness(&wanted, &pieces(name)) >= ALIKE)
        .map(|name| format!("--{name}"))
        .collect();
    if alike.is_empty() {
        return String::new();
    }
    format!("\n\nsimilar flags that are available: {}", alike.join(", "))
}

/// Every name after two dashes, in the order of the table.
fn long_names(invoked_as: InvokedAs) -> impl Iterator<Item = &'static str> {
    let specs = FLAGS.iter().map(|flag| &flag.spec).filter(move |spec| is_known(spec, invoked_as));
    specs.flat_map(|spec| [Some(spec.long), spec.negation, spec.alias].into_iter().flatten())
}

fn likeness(left: &BTreeSet<[u8; 3]>, right: &BTreeSet<[u8; 3]>) -> f64 {
    left.intersection(right).count() as f64 / left.union(right).count() as f64
}

/// The three-byte pieces of a name; a shorter name is one piece, filled up with `!`.
fn pieces(name: &str) -> BTreeSet<[u8; 3]> {
    let mut filled = name.as_bytes().to_vec();
    filled.resize(filled.len().max(3), b'!');
    filled.windows(3).map(|piece| [piece[0], piece[1], piece[2]]).collect()
}

#[cfg(test)]
mod tests {
    use super::super::options::{Binary, Case, Coding};
    use super::super::*;
    use super::*;

    fn options(line: &str) -> Options {
        parse(line.split_whitespace().map(OsString::from), InvokedAs::Manicule).expect(line)
    }

    fn check_error(line: &str, invoked_as: InvokedAs, want: &str) {
        let error = parse(line.split_whitespace().map(OsString::from), invoked_as).expect_err(line);
        assert_eq!(format!("{error:#}"), want, "{line}");
    }

    /// Each row: a command line, and what one field of the options is after it.
    macro_rules! rows {
        ($($name:ident: $line:literal => $field:ident $want:pat,)*) => {
            $(#[test]
            #[allow(clippy::redundant_pattern_matching, reason = "some rows want None")]
            fn $name() {
                let options = options($line);
                assert!(matches!(options.$field, $want), "{}: {:?}", $line, options.$field);
            })*
        };
    }

    rows! {
        nothing_searches_lines: "" => mode Mode::Search(Find::Lines),
        later_case_wins: "-i -S -s" => case Case::Sensitive,
        smart_case: "-s -S" => case Case::Smart,
        later_search_mode_wins: "-l -c" => mode Mode::Search(Find::Count),
        json_over_count: "-c --json" => mode Mode::Search(Find::Json),
        no_json_undoes_json_only: "-c --no-json" => mode Mode::Search(Find::Count),
        a_search_ends_files: "--files -l" => mode Mode::Search(Find::FilesWith),
        types_win_over_files: "--files --type-list" => mode Mode::Types,
        letters_join: "-inH" => with_filename Some(true),
        value_joins_its_letter: "-A3" => context Context::Lines { after: Some(3), .. },
        value_after_equals: "--after-context=4" => context Context::Lines { after: Some(4), .. },
        context_ends_passthru: "--passthru -B2" => context Context::Lines { before: Some(2), .. },
        passthru_ends_context: "-C9 --passthrough" => context Context::Passthru,
        no_separator: "--no-context-separator" => context_separator Some(None),
        null_data_ends_crlf: "--crlf --null-data" => crlf false,
        crlf_ends_null_data: "--null-data --crlf" => null_data false,
        multiline_ends_stop: "--stop-on-nonmatch -U" => stop_on_nonmatch false,
        stop_ends_multiline: "-U --stop-on-nonmatch" => multiline false,
        zip_ends_pre: "--pre cat -z" => pre None,
        pre_ends_zip: "-z --pre cat" => search_zip false,
        empty_pre_is_none: "--pre=" => pre None,
        one_u_is_no_ignore: "-u" => no_ignore_vcs true,
        one_u_keeps_hidden: "-u" => hidden false,
        two_u_show_hidden: "-uu" => hidden true,
        three_u_search_binary: "-uuu" => binary Binary::Search,
        ignore_undoes_no_ignore: "--no-ignore --ignore" => no_ignore_dot false,
        negations_are_names: "--hidden --no-hidden" => hidden false,
        pretty_sets_heading: "-p" => heading Some(true),
        pretty_sets_color: "--color never -p" => color Color::Always,
        dot_is_hidden: "-." => hidden true,
        alias: "--maxdepth 3" => max_depth Some(3),
        sizes_have_suffixes: "--max-filesize 2M" => max_filesize Some(2_097_152),
        zero_columns_is_no_limit: "-M5 -M0" => max_columns None,
        zero_threads_is_auto: "-j4 -j0" => threads None,
        no_mmap: "--mmap --no-mmap" => mapping Mapping::Never,
        sort_none: "--sort path --sort none" => sort None,
        sort_files: "--sort-files" => sort Some(Sort { key: SortKey::Path, reverse: false }),
        sortr: "--sortr modified" => sort Some(Sort { key: SortKey::Modified, reverse: true }),
        no_encoding_is_auto: "-E none --no-encoding" => encoding Coding::Auto,
        encoding_none_is_raw: "-E none" => encoding Coding::Raw,
        pcre2: "-P" => engine Engine::Pcre2,
        auto_hybrid: "-P --auto-hybrid-regex" => engine Engine::Auto,
        help_by_letter: "-h" => special Some(Special::HelpShort),
        help_by_word: "--help" => special Some(Special::HelpLong),
        budget_has_suffixes: "--budget 8K" => budget Some(8192),
        age: "--max-age 30" => max_age_seconds Some(30),
    }

    #[test]
    fn after_two_dashes_all_is_positional() {
        assert_eq!(options("-- -i --files").positional, ["-i", "--files"]);
    }

    #[test]
    fn errors_name_the_flag_as_it_was_typed() {
        let rg = InvokedAs::Ripgrep;
        check_error("-A", rg, "missing value for flag -A: missing argument for option '-A'");
        check_error(
            "-Ax",
            rg,
            "error parsing flag -A: value is not a valid number: invalid digit found in string",
        );
        check_error("--color=red", rg, "error parsing flag --color: choice 'red' is unrecognized");
        check_error("-uuuu", rg, "error parsing flag -u: flag can only be repeated up to 3 times");
        check_error("-%", rg, "unrecognized flag -%");
        check_error("--zzz", rg, "unrecognized flag --zzz");
        check_error("--budget=1", rg, "unrecognized flag --budget");
        check_error(
            "--generate=x",
            rg,
            "error parsing flag --generate: choice 'x' is unrecognized",
        );
        check_error(
            "--hiden",
            rg,
            "unrecognized flag --hiden\n\nsimilar flags that are available: --hidden",
        );
    }

    #[test]
    fn the_flag_that_was_meant_is_named() {
        let own = InvokedAs::Manicule;
        check_error("--colr", own, "unrecognized flag --colr: did you mean --color?");
        check_error("--budgte=1", own, "unrecognized flag --budgte: did you mean --budget?");
        check_error("--no-hiden", own, "unrecognized flag --no-hiden: did you mean --no-hidden?");
        let want = "unrecognized flag --zzz; `manicule find --help` lists them";
        check_error("--zzz", own, want);
    }
}
