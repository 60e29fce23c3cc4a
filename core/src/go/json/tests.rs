//! Go's verdicts and values, by tables.

use super::*;

/// Reads everything and forgets it.
fn verdict(text: impl AsRef<[u8]>) -> Result<(), JsonError> {
    let mut json = Json::new(text.as_ref());
    json.skip()?;
    json.end()
}

#[test]
fn texts_that_go_accepts() {
    for text in [
        "{}",
        "[]",
        "null",
        "true",
        " false ",
        "0",
        "-0",
        "0.0",
        "1e9",
        "-1.5E+07",
        "1E-2",
        "\"\"",
        "\t\r\n {\"a\" : [ 1 , {\"b\":null} ] , \"a\":{}} \n",
        "\"\\\"\\\\\\/\\b\\f\\n\\r\\t\\u00eF\"",
        "\"\\ud800\"",
        "\"\u{7f}\u{2028}\"",
    ] {
        assert_eq!(verdict(text), Ok(()), "{text}");
    }
    assert_eq!(verdict(b"\"\xff\xc3\""), Ok(()), "bytes that aren't UTF-8");
}

#[test]
fn texts_that_go_refuses_and_where() {
    for (text, at) in [
        ("", 0),
        (" ", 1),
        ("\u{feff}{}", 0),
        ("{} {}", 3),
        ("{}x", 2),
        ("nul", 3),
        ("nulL", 3),
        ("truefalse", 4),
        ("+1", 0),
        ("01", 1),
        ("1.", 2),
        (".5", 0),
        ("-", 1),
        ("1e", 2),
        ("1e+", 3),
        ("0x1", 1),
        ("'a'", 0),
        ("\"a", 2),
        ("\"\n\"", 1),
        ("\"\\x\"", 2),
        ("\"\\'\"", 2),
        ("\"\\u12g4\"", 5),
        ("\"\\", 2),
        ("[1,]", 3),
        ("[,1]", 1),
        ("[1 2]", 3),
        ("[1", 2),
        ("[", 1),
        ("]", 0),
        ("[}", 1),
        ("{\"a\"}", 4),
        ("{\"a\":}", 5),
        ("{\"a\":1,}", 7),
        ("{,}", 1),
        ("{a:1}", 1),
        ("{1:1}", 1),
        ("{\"a\":1 \"b\":2}", 7),
        ("{\"a\":1]", 6),
        ("{", 1),
        ("{\"a\":1}}", 7),
        ("\u{a0}1", 0),
        ("//", 0),
    ] {
        let error = verdict(text).expect_err(text);
        assert_eq!(error.at, at, "{text}: {error}");
    }
}

#[test]
fn a_message_has_place_wanted_and_got() {
    for (text, want) in [
        ("[1 2]", "JSON at offset 3: wanted a comma or the end of the list, got '2'"),
        ("{", "JSON at offset 1: wanted the name of a field, got the end of the text"),
        ("\"\u{1}", "JSON at offset 1: wanted a character of a string or its end, got byte 0x01"),
    ] {
        assert_eq!(verdict(text).unwrap_err().to_string(), want);
    }
    let error = Json::new(b" \"5\"").u64().unwrap_err();
    assert_eq!(error.to_string(), "JSON at offset 1: wanted a number, got a string");
    let error = Json::new(&[b'9'; 50]).u32().unwrap_err();
    assert_eq!(error.got, "9999999999999999999999999999999999999999...");
}

#[test]
fn ten_thousand_levels_are_read_and_not_one_more() {
    for (open, close) in [("[", "]"), ("{\"a\":", "}")] {
        let nested = |depth: usize| format!("{}1{}", open.repeat(depth), close.repeat(depth));
        assert_eq!(verdict(nested(10_000)), Ok(()));
        let error = verdict(nested(10_001)).unwrap_err();
        assert_eq!(error.at, 10_000 * open.len() as u64, "{error}");
        // Levels that were closed don't count.
        let twice = format!("[{},{}]", nested(9_999), nested(9_999));
        assert_eq!(verdict(twice), Ok(()));
    }
}

#[test]
fn integers_have_neither_fraction_nor_exponent_and_fit() {
    for (text, want) in [("0", Some(0)), ("18446744073709551615", Some(u64::MAX)), ("null", None)] {
        assert_eq!(Json::new(text.as_bytes()).u64(), Ok(want), "{text}");
    }
    for text in ["-0", "-1", "0.0", "1e2", "18446744073709551616", "\"1\"", "true", "[]"] {
        assert!(Json::new(text.as_bytes()).u64().is_err(), "{text}");
    }
    for (text, want) in [("-0", Some(0)), ("-9223372036854775808", Some(i64::MIN)), ("null", None)]
    {
        assert_eq!(Json::new(text.as_bytes()).i64(), Ok(want), "{text}");
    }
    assert!(Json::new(b"9223372036854775808").i64().is_err());
    assert_eq!(Json::new(b"4294967295").u32(), Ok(Some(u32::MAX)));
    assert!(Json::new(b"4294967296").u32().is_err());
    assert_eq!(Json::new(b"true").flag(), Ok(Some(true)));
    assert_eq!(Json::new(b"null").flag(), Ok(None));
}

#[test]
fn strings_are_decoded_as_go_does() {
    for (text, want) in [
        (&br#""plain""#[..], "plain"),
        (br#""\"\\\/\b\f\n\r\t""#, "\"\\/\x08\x0c\n\r\t"),
        (br#""\u0041\u00e9\u20ac""#, "Aé€"),
        (br#""\ud83d\ude00!""#, "😀!"),
        (br#""\uD83D\uDE00""#, "😀"),
        (br#""\ud83d""#, "\u{fffd}"),
        (br#""\ude00\ud83d\u0041""#, "\u{fffd}\u{fffd}A"),
        (br#""\ud83d\ud83d\ude00""#, "\u{fffd}😀"),
        (br#""\ud83d\n""#, "\u{fffd}\n"),
        (b"\"a\xffb\"", "a\u{fffd}b"),
        (b"\"\xe2\x82\"", "\u{fffd}\u{fffd}"),
        (b"\"\xed\xa0\x80\\n\"", "\u{fffd}\u{fffd}\u{fffd}\n"),
    ] {
        let text = Json::new(text).string().unwrap().unwrap();
        assert_eq!(text.decode(), want);
    }
}

#[test]
fn names_match_exactly_or_else_in_another_case() {
    let among = |name: &str| {
        let text = format!("{{\"{name}\":0}}");
        let mut json = Json::new(text.as_bytes());
        assert!(json.object().unwrap());
        json.field().unwrap().unwrap().among(&["packs", "Size", "size", "N"])
    };
    for (name, want) in [
        ("packs", Some("packs")),
        ("PACKS", Some("packs")),
        ("pac\u{212a}\u{17f}", Some("packs")),
        ("p\\u0061cks", Some("packs")),
        ("size", Some("size")),
        ("Size", Some("Size")),
        ("sizE", Some("Size")),
        ("\\u0073ize", Some("size")),
        ("n", Some("N")),
        ("pack", None),
        ("packss", None),
        ("", None),
        ("päcks", None),
    ] {
        assert_eq!(among(name), want, "{name}");
    }
}

#[test]
fn values_are_read_in_their_order() {
    let text = br#" {"a":{"b":[1,null,2]},"c":[] , "d":null,"e":[{}],"a":"x"}"#;
    let mut json = Json::new(text);
    let mut seen = Vec::new();
    assert!(json.object().unwrap());
    while let Some(name) = json.field().unwrap() {
        let (name, kind) = (name.decode().into_owned(), json.kind().unwrap());
        let raw = String::from_utf8(json.raw().unwrap().to_vec()).unwrap();
        seen.push(format!("{name} {kind:?} {raw}"));
    }
    json.end().unwrap();
    let want = [
        "a Object {\"b\":[1,null,2]}",
        "c List []",
        "d Null null",
        "e List [{}]",
        "a String \"x\"",
    ];
    assert_eq!(seen, want);
    let mut json = Json::new(b"[1,null,[2]]");
    assert!(json.list().unwrap() && json.element().unwrap());
    assert_eq!(json.u64(), Ok(Some(1)));
    assert!(json.element().unwrap());
    assert_eq!(json.list(), Ok(false), "null in place of a list");
    assert!(json.element().unwrap() && json.list().unwrap() && json.element().unwrap());
    assert_eq!(json.u32(), Ok(Some(2)));
    assert_eq!((json.element(), json.element(), json.end()), (Ok(false), Ok(false), Ok(())));
}

#[test]
fn strings_are_written_as_go_does() {
    for (bytes, want) in [
        (&b"plain"[..], r#""plain""#),
        (b"\"\\\n\r\t\x08\x0c\x01\x7f", "\"\\\"\\\\\\n\\r\\t\\b\\f\\u0001\x7f\""),
        (b"<a & b>", r#""\u003ca \u0026 b\u003e""#),
        ("é\u{2028}\u{2029}".as_bytes(), "\"é\\u2028\\u2029\""),
        (b"\0\x1f", r#""\u0000\u001f""#),
        (b"a\xff\xc3", r#""a\ufffd\ufffd""#),
        ("\u{fffd}日".as_bytes(), "\"\u{fffd}日\""),
    ] {
        let mut out = Vec::new();
        put_string(bytes, &mut out);
        assert_eq!(str::from_utf8(&out), Ok(want));
        let read = Json::new(&out).string().unwrap().unwrap().decode().into_owned();
        assert_eq!(read, String::from_utf8_lossy(bytes));
    }
}

#[test]
fn each_byte_that_is_not_utf8_is_a_replacement() {
    let mut out = Vec::new();
    put_string(b"\xe6\x97x", &mut out);
    assert_eq!(str::from_utf8(&out), Ok(r#""\ufffd\ufffdx""#));
}

#[test]
fn numbers_are_written_as_go_does() {
    for (number, want) in [
        (0.0, "0"),
        (501.0, "501"),
        (59_500_099_307.777_78, "59500099307.77778"),
        (0.000_001, "0.000001"),
        (0.000_000_1, "1e-7"),
        (-2.5e-9, "-2.5e-9"),
        (1e20, "100000000000000000000"),
        (1e21, "1e+21"),
        (-1.25e300, "-1.25e+300"),
    ] {
        let mut out = JsonWriter::default();
        out.object(|out| out.float("f", number));
        assert_eq!(str::from_utf8(out.bytes()), Ok(&*format!("{{\"f\":{want}}}")));
    }
}

#[test]
fn what_is_handed_on_in_parts_is_one_text() {
    let (mut out, mut all) = (JsonWriter::default(), Vec::new());
    out.open_object();
    out.key("a");
    out.open_list();
    for _ in 0..2 {
        out.next();
        out.object(|out| out.number("n", 1));
        all.extend_from_slice(out.bytes());
        out.clear();
    }
    out.close_list();
    out.null("b");
    out.close_object();
    all.extend(out.into_bytes());
    assert_eq!(str::from_utf8(&all), Ok(r#"{"a":[{"n":1},{"n":1}],"b":null}"#));
}
