//! Selectors judged by Prometheus's own answers: 119 texts with their matchers, or with its error
//! and place.

use manicule_series::{Selector, SelectorError, ShownLabel};
use serde_json::{Value, json};

fn table() -> Vec<Value> {
    let golden = manicule_testkit::golden_folder("series", "golden");
    let text = std::fs::read_to_string(golden.path().join("selectors.jsonl")).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn matchers(selector: &Selector) -> Value {
    let text = |bytes: &[u8]| std::str::from_utf8(bytes).unwrap().to_owned();
    let matchers = selector.matchers().iter();
    matchers.map(|m| json!([text(m.name()), m.op().as_str(), text(m.value())])).collect()
}

#[test]
fn each_text_has_prometheus_matchers_or_its_error() {
    let mut refused = 0;
    let table = table();
    for case in &table {
        let text = case["selector"].as_str().unwrap();
        match Selector::parse(text) {
            Ok(selector) => assert_eq!(matchers(&selector), case["matchers"], "{text}"),
            Err(error) => {
                assert_eq!(error.to_string(), case["error"].as_str().unwrap_or("none"), "{text}");
                refused += 1;
            }
        }
    }
    assert_eq!((table.len(), refused), (119, 40));
}

#[test]
fn what_is_shown_reads_back_the_same() {
    let texts = table();
    let texts = texts.iter().map(|case| case["selector"].as_str().unwrap().to_owned());
    let more =
        ["{\"\\xff\\\"\\n\\u00e9\\ufffd\"!=\"\\x00\\\\\"}", "{__name__=\"on\"}", "and{a=\"\"}"];
    for text in texts.chain(more.map(str::to_owned)) {
        let Ok(selector) = Selector::parse(&text) else { continue };
        let shown = selector.to_string();
        assert_eq!(Selector::parse(&shown).as_ref(), Ok(&selector), "{text} shown as {shown}");
    }
}

#[track_caller]
fn check_shown(text: &str, want: &str) {
    assert_eq!(Selector::parse(text).unwrap().to_string(), want);
}

#[test]
fn what_needs_an_escape_gets_one_wherever_it_stands() {
    let rows: [(&[u8], &str); 6] = [
        (b"plain text", "plain text"),
        (b"\"at\\both\n", r#"\"at\\both\n"#),
        // U+FF41 begins with the byte that U+FFFD begins with.
        ("\u{ff41}\u{fffd}\u{e9}\u{ff41}".as_bytes(), "\u{ff41}\\ufffd\u{e9}\u{ff41}"),
        (b"\x00\x1f \x7f", r"\x00\x1f \x7f"),
        (b"\xef\xbfcut\xff", r"\xef\xbfcut\xff"),
        (b"", ""),
    ];
    for (value, want) in rows {
        let shown = ShownLabel(b"a", value).to_string();
        assert_eq!(shown, format!("a=\"{want}\""));
        let selector = Selector::parse(&format!("{{{shown}}}")).unwrap();
        assert_eq!(selector.matchers()[0].value(), value);
    }
}

#[test]
fn quotes_stand_only_where_they_must() {
    check_shown("up", "up");
    check_shown("{\"up\"}", "up");
    check_shown(" up { 'job' = 'a\"b' , } # c", "up{job=\"a\\\"b\"}");
    check_shown("{'with.dot'=~`\\d+`}", "{\"with.dot\"=~\"\\\\d+\"}");
    check_shown("{}", "{}");
    check_shown("{\"inf\"}", "{__name__=\"inf\"}");
}

#[track_caller]
fn check_error(text: &str, want: &str) {
    let error: SelectorError = Selector::parse(text).unwrap_err();
    assert_eq!(error.to_string(), want, "{text}");
}

#[test]
fn more_refusals_in_prometheus_words() {
    check_error("up!=1", "1:3: parse error: unexpected <op:!=>");
    check_error("up=~\"a\"", "1:3: parse error: unexpected character after '=': '~'");
    check_error("up sum", "1:4: parse error: unexpected <aggr:sum>");
    check_error("up and", "1:4: parse error: unexpected <op:and>");
    check_error("up start", "1:4: parse error: unexpected \"start\"");
    check_error("up 5m", "1:4: parse error: unexpected duration \"5m\"");
    check_error(".5", "1:1: parse error: unexpected number \".5\"");
    check_error(
        "up \"aaaaaaaaaaaaaaaaaa\"",
        "1:4: parse error: unexpected string \"\\\"aaaaaaaaa\"...",
    );
    check_error("up{a=\"b\"}}", "1:10: parse error: unexpected character: '}'");
    check_error("{a='\\8'}", "1:4: parse error: unknown escape sequence U+0038 '8'");
    check_error(
        "{a=\"\\u12g4\"}",
        "1:4: parse error: illegal character U+0067 'g' in escape sequence",
    );
    check_error(
        "{a=\"\\400\"}",
        "1:4: parse error: escape sequence is an invalid Unicode code point",
    );
    check_error("`", "1:1: parse error: unterminated raw string");
    check_error("{a=\"\u{fffd}\"}", "1:4: parse error: invalid UTF-8 rune");
    check_error("up\n{a=1}", "2:4: parse error: unexpected character inside braces: '1'");
}

#[test]
fn a_series_without_the_label_has_the_empty_value() {
    let selects = |text: &str, job: &'static str| {
        let selector = Selector::parse(text).unwrap();
        selector.selects(|name| if name == b"job" { job.as_bytes() } else { b"" })
    };
    assert!(
        selects("{job=\"\"}", "") && selects("{job!=\"x\"}", "") && selects("{job=~\".*\"}", "")
    );
    assert!(!selects("{job=~\".+\"}", "") && !selects("{job!~\"x|\"}", ""));
    assert!(selects("{job=\"a\",x=\"\"}", "a") && !selects("{job=\"a\",x=\"b\"}", "a"));
    assert!(!selects("{}", "a"));
}
