//! Tests of Go's expressions. The table of real Go's answers is read in engines/series.

use super::parse::TOO_DEEP;
use super::*;

fn describe(expression: &str) -> String {
    match Regex::new(expression) {
        Err(error) => error.to_string(),
        Ok(regex) => match regex.accepts() {
            Accepts::Everything => "everything".to_owned(),
            Accepts::NonEmpty => "non-empty".to_owned(),
            Accepts::Values(values) => {
                let values = values.iter().map(|v| v.escape_ascii().to_string());
                format!("= {}", values.collect::<Vec<_>>().join(" "))
            }
            Accepts::Prefix(prefix) => format!("{}...", prefix.escape_ascii()),
            Accepts::Some { prefix } => format!("some {}", prefix.escape_ascii()),
        },
    }
}

#[track_caller]
fn check(expression: &str, want: &str) {
    assert_eq!(describe(expression), want, "{expression}");
}

#[test]
fn a_few_values_are_told() {
    check("foo", "= foo");
    check("b|a|b", "= a b");
    check("api-(1|2|3)", "= api-1 api-2 api-3");
    check("foo(bar)?", "= foo foobar");
    check("^(foo|bar)$", "= bar foo");
    check("^foo|bar$", "= bar foo");
    check("a{2,3}", "= aa aaa");
    check("", "= ");
    check("(?i)a-1", "= A-1 a-1");
    check("\\x{D800}", "= ");
}

#[test]
fn anchors_inside_of_a_value_are_left_to_the_automaton() {
    check("a$b", "some ab");
    check("(^a)*", "some ");
}

#[test]
fn rows_of_texts_and_wide_gaps_are_told() {
    check(".*", "everything");
    check("(?:.*)(.*)$", "everything");
    check(".+", "non-empty");
    check("foo.*", "foo...");
    check("foo.+", "some foo");
    check("foo(bar|baz).*", "some fooba");
    check("(?-s)foo.*", "some foo");
    check("(?i)foo.*", "some ");
    check("\u{fffd}x.*", "some ");
}

#[test]
fn bytes_that_are_no_text_are_taken_in_plain_values_only() {
    let regex = Regex::from_bytes(b"a|\xff").unwrap();
    assert!(regex.is_match(b"\xff") && regex.is_match(b"a") && !regex.is_match(b""));
    let error = Regex::from_bytes(b"a.\xff").err().unwrap().to_string();
    assert_eq!(error, "error parsing regexp: invalid UTF-8: `\u{fffd}`");
}

#[test]
fn a_byte_that_is_no_text_is_one_character() {
    for (expression, value, want) in [
        (".", &b"\xff"[..], true),
        ("..", b"\xe3\x81", true),
        (".", b"\xe3\x81", false),
        ("a[^b]c", b"a\xffc", true),
        ("[a-z]*", b"a\xff", false),
        ("(?i)a.*", b"A\xffb", true),
    ] {
        let regex = Regex::new(expression).unwrap();
        assert_eq!(regex.is_match(value), want, "{expression} on {}", value.escape_ascii());
    }
}

#[test]
fn what_go_refuses_for_its_size_is_refused() {
    let deep = "(".repeat(1500) + &")".repeat(1500);
    let (what, shown) = ("expression nests too deeply, by more than 1000 levels", &deep[..200]);
    check(&deep, &format!("error parsing regexp: {what}: `{shown}...`"));
    let wide = format!("({}){{1000}}", "ab?".repeat(2000));
    let shown = &wide[..200];
    check(&wide, &format!("error parsing regexp: expression too large: `{shown}...`"));
    let nested = "(".repeat(900) + "a.*" + &")".repeat(900);
    assert!(Regex::new(&nested).unwrap().is_match(b"ab"));
}

/// All that looks at a tree calls itself for each level, on the stack of this thread, which is a
/// quarter of a program's.
#[test]
fn the_deepest_trees_are_no_danger() {
    for (open, inner, close, levels) in [
        ("(?:", "a.*b", ")*c", 330),
        ("(?:x|y", "a.*b", "z)", 330),
        ("(?:", "a", "b?)?", 330),
        ("(", "a.", "|b)", 330),
    ] {
        let expression = open.repeat(levels) + inner + &close.repeat(levels);
        let regex = Regex::new(&expression).map(|regex| regex.is_match(b"a"));
        let is_judged = regex.as_ref().is_ok();
        assert!(is_judged, "{open} {close}: {:?}", regex.err().map(|error| error.what));
    }
    let error = Regex::new(&"(".repeat(65_000)).unwrap_err();
    assert_eq!(error.what, "missing closing )");
    let closed = "(".repeat(32_000) + &")".repeat(32_000);
    assert_eq!(Regex::new(&closed).unwrap_err().what, TOO_DEEP);
}

/// Each way of judging against the plainest: the automaton that others are spared.
#[test]
fn all_ways_of_judging_agree() {
    let parts = ["a", "é", ".*", ".+", ".", "(?i)a", "[^b]", "(a|é)", "\\B", "$", "(?-s).*"];
    let values = ["", "a", "b", "ab", "aé", "é", "éb", "aab", "A", "a\nb", "b\u{fffd}a", "abab"];
    for (first, second, third) in triples(&parts) {
        for expression in [format!("{first}{second}{third}"), format!("{first}|{second}{third}")] {
            let hir = parse::parse(&expression).unwrap();
            use regex_syntax::hir::{Hir, Look};
            let parts = vec![Hir::look(Look::Start), hir, Hir::look(Look::End)];
            let plain = Judge::lazy(&Hir::concat(parts)).unwrap();
            let regex = Regex::new(&expression).unwrap();
            for value in values {
                let (got, want) =
                    (regex.is_match(value.as_bytes()), plain.is_match(value.as_bytes()));
                assert_eq!(got, want, "{expression} on {value:?}");
            }
        }
    }
}

fn triples<'a>(parts: &'a [&'a str]) -> impl Iterator<Item = (&'a str, &'a str, &'a str)> {
    let pairs = parts.iter().flat_map(|first| parts.iter().map(move |second| (*first, *second)));
    pairs.flat_map(|(first, second)| parts.iter().map(move |third| (first, second, *third)))
}

#[test]
fn turning_a_class_minds_the_halves_of_pairs() {
    for expression in ["[^\\x{0}-\\x{10ffff}]", "\\P{C}", "[^\\x{d000}-\\x{f000}]"] {
        let regex = Regex::new(expression).unwrap();
        assert!(!regex.is_match("\u{d7ff}".as_bytes()), "{expression}");
        assert!(!regex.is_match("\u{e000}".as_bytes()), "{expression}");
    }
}

#[track_caller]
fn check_replace(expression: &str, value: &str, template: &str, want: Option<&str>) {
    let replace = Replace::new(expression).unwrap();
    let template = replace.template(template);
    let filled = replace.apply(value.as_bytes(), [&template]);
    let filled = filled.map(|[filled]| String::from_utf8(filled).unwrap());
    assert_eq!(filled.as_deref(), want, "{expression} on {value}");
}

#[test]
fn groups_are_put_into_templates() {
    check_replace("(.*)", "a;b", "$1", Some("a;b"));
    check_replace("(.+?)-(?P<rest>.*)", "a-b-c", "${rest}/$1", Some("b-c/a"));
    check_replace("(?U)(.+)-(?P<rest>.*)", "a-b-c", "${rest}/$1", Some("b-c/a"));
    check_replace("(a)|(b)", "b", "[$1$2$3]", Some("[b]"));
    check_replace("(?P<n>a)|(?P<n>b)", "b", "$n", Some("b"));
    check_replace("a(.)", "aé", "$0 $1x ${1}x $$1 $", Some("aé  éx $1 $"));
    check_replace("a", "b", "$1", None);
    check_replace("a", "a", "${1", Some("${1"));
    check_replace("(é*)(.*)", "ééa", "$2$1", Some("aéé"));
}
