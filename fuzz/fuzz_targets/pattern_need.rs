//! Every match of a pattern has what `pattern::need` says it needs.

#![no_main]

use arbitrary::Arbitrary;
use grep_matcher::Matcher;
use grep_regex::{RegexMatcher, RegexMatcherBuilder};
use libfuzzer_sys::fuzz_target;
use manicule_core::pattern::{self, Case, Dialect, Limits, Syntax};

#[derive(Arbitrary, Debug)]
struct Input<'a> {
    fixed: bool,
    case: u8,
    unicode: bool,
    dot_matches_new_line: bool,
    crlf: bool,
    octal: bool,
    small_limits: Option<[u8; 5]>,
    pattern: Vec<Piece<'a>>,
    other_pattern: Option<Vec<Piece<'a>>>,
    text: Vec<Piece<'a>>,
}

/// Patterns and texts of the same letters, so that they match often.
#[derive(Arbitrary, Debug)]
enum Piece<'a> {
    Token(u8),
    Tokens(&'a [u8]),
    Text(&'a str),
}

const TOKENS: [&str; 64] = [
    "a",
    "b",
    "c",
    "ab",
    "A",
    "B",
    "s",
    "S",
    "k",
    "K",
    "é",
    "É",
    "ſ",
    "\u{212A}",
    "世",
    "丏",
    "1",
    "2",
    "٣",
    " ",
    "\n",
    "\r",
    "_",
    "-",
    ".",
    "(",
    ")",
    "(?:",
    "|",
    "*",
    "+",
    "?",
    "{2}",
    "{2,}",
    "{1,3}",
    "{0}",
    "{9}",
    "[",
    "[^",
    "]",
    "&&",
    "a-c",
    "(?i)",
    "(?-u)",
    "(?s-u:",
    "(?i:",
    "(?x)",
    "\\d",
    "\\w",
    "\\s",
    "\\S",
    "\\b",
    "\\B",
    "^",
    "$",
    "\\pL",
    "\\p{Greek}",
    "\\xC3",
    "\\xFF",
    "\\141",
    "[aé]",
    "[é世]",
    "[0-9]",
    "[[:alpha:]]",
];

fn text_of(pieces: &[Piece]) -> String {
    let token = |at: u8| TOKENS[usize::from(at) % TOKENS.len()];
    pieces.iter().fold(String::new(), |text, piece| match piece {
        Piece::Token(at) => text + token(*at),
        Piece::Tokens(several) => text + &several.iter().map(|at| token(*at)).collect::<String>(),
        Piece::Text(raw) => text + raw,
    })
}

fuzz_target!(|input: Input| check(&input));

fn check(input: &Input) {
    // Long patterns and large counts make the judge slow and show nothing new.
    let pattern = text_of(&input.pattern);
    let other = input.other_pattern.as_deref().map(text_of);
    let patterns: Vec<&str> = [pattern.as_str()].into_iter().chain(other.as_deref()).collect();
    let text = text_of(&input.text).into_bytes();
    if patterns.concat().len() > 300 || text.len() > 2000 {
        return;
    }
    let (dialect, limits) = (dialect(input), limits(input));
    let Ok(need) = pattern::need(&patterns, &dialect, &limits) else { return };
    let shown = need.to_string();
    assert!(!shown.is_empty());
    let Some(judge) = judge(&patterns, &dialect) else { return };
    for line in text.split(|&byte| byte == b'\n').chain([text.as_slice()]) {
        let Ok(Some(found)) = judge.find(line) else { continue };
        let found = &line[found];
        assert!(pattern::holds(&need, line), "{patterns:?} needs {need} in {line:?}");
        assert!(pattern::holds(&need, found), "{patterns:?} needs {need} in {found:?}");
        for literal in pattern::literals(&need) {
            let mut windows = found.windows(literal.len());
            assert!(windows.any(|window| window == literal), "{patterns:?} has {literal:?}");
        }
    }
}

fn dialect(input: &Input) -> Dialect {
    Dialect {
        syntax: if input.fixed { Syntax::Fixed } else { Syntax::Regex },
        case: [Case::Sensitive, Case::Insensitive, Case::Smart][usize::from(input.case % 3)],
        unicode: input.unicode,
        multi_line: true,
        dot_matches_new_line: input.dot_matches_new_line,
        crlf: input.crlf,
        octal: input.octal,
    }
}

fn limits(input: &Input) -> Limits {
    let Some(small) = input.small_limits else { return Limits::USUAL };
    let [alternatives, alternative_sets, ascii, seqs, sets] = small.map(usize::from);
    Limits {
        alternatives_max: alternatives % 16,
        alternative_sets_max: alternative_sets % 64,
        ascii_max: ascii % 65,
        spelled_seqs_max: seqs % 16,
        need_sets_max: sets,
    }
}

/// ripgrep's own matcher.
fn judge(patterns: &[&str], dialect: &Dialect) -> Option<RegexMatcher> {
    RegexMatcherBuilder::new()
        .fixed_strings(dialect.syntax == Syntax::Fixed)
        .case_insensitive(dialect.case == Case::Insensitive)
        .case_smart(dialect.case == Case::Smart)
        .unicode(dialect.unicode)
        .multi_line(dialect.multi_line)
        .dot_matches_new_line(dialect.dot_matches_new_line)
        .crlf(dialect.crlf)
        .octal(dialect.octal)
        .size_limit(1 << 18)
        .build_many(patterns)
        .ok()
}
