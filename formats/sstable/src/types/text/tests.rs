//! Values as texts, against what Cassandra's tools print.

use super::*;
use crate::types::Type;
use manicule_core::hex;
use manicule_testkit::golden_file;

fn kind(name: &str) -> Type {
    Type::parse(name).expect(name)
}

fn json(kind: &Type, value: &[u8]) -> String {
    let mut out = String::new();
    kind.put_json(Some(value), &mut out);
    out
}

fn plain(kind: &Type, value: &[u8], form: PlainForm) -> String {
    let mut out = String::new();
    kind.put_plain(value, form, &mut out);
    out
}

fn literal(kind: &Type, value: &[u8]) -> String {
    let mut out = String::new();
    kind.put_literal(Some(value), &mut out);
    out
}

/// Values of 22 types, with the text that Cassandra 3.11 prints of each.
fn golden_values() -> Vec<(Type, Vec<u8>, String)> {
    let order: serde_json::Value =
        serde_json::from_slice(&golden_file("rows", "order.json")).expect("JSON");
    let mut values = Vec::new();
    for row in order.as_object().expect("types").values() {
        let class = row["class"].as_str().expect("a class");
        for value in row["ascending"].as_array().expect("values") {
            let bytes = hex::decode(value["hex"].as_str().expect("hex")).expect("hex");
            values.push((kind(class), bytes, value["text"].as_str().expect("a text").to_owned()));
        }
    }
    values
}

#[test]
fn plain_texts_are_those_of_cassandra() {
    for (kind, value, want) in golden_values() {
        assert_eq!(plain(&kind, &value, PlainForm::Old), want, "{kind} {value:x?}");
    }
    let millis = 1_500_000_000_000_i64.to_be_bytes();
    assert_eq!(plain(&Type::Timestamp, &millis, PlainForm::New), "2017-07-14T02:40:00.000Z");
    let key = b"\0\x04\0\0\0\x04\0\0\x02x4\0";
    assert_eq!(plain(&kind("CompositeType(Int32Type,UTF8Type)"), key, PlainForm::New), "4:x4");
    let tuple = b"\0\0\0\x03a:@\xff\xff\xff\xff";
    assert_eq!(plain(&kind("TupleType(UTF8Type,UTF8Type)"), tuple, PlainForm::Old), "a\\:\\@:@");
}

#[test]
fn exact_json_says_what_sstabledump_leaves_out() {
    #[track_caller]
    fn check(class: &str, digits: &str, want: &str) {
        let (kind, value) = (kind(class), hex::decode(digits).expect("hex"));
        let mut out = String::new();
        kind.put_json_exact(Some(&value), &mut out);
        assert_eq!(out, want);
    }
    check("Int32Type", "", "\"\"");
    check("Int32Type", "00000007", "7");
    check("BytesType", "", "\"0x\"");
    check("DoubleType", "7ff8000000000000", "\"NaN\"");
    check("DoubleType", "3fe0000000000000", "0.5");
    check("FloatType", "ff800000", "\"-Infinity\"");
    check("TimestampType", "7fffffffffffffff", "\"+292278994-08-17 07:12:55.807Z\"");
    check("TimestampType", "8000000000000000", "\"-292275055-05-16 16:47:04.192Z\"");
    check("SimpleDateType", "7ff506c6", "\"0001-01-01\"");
    check("TimeType", "00004e94914f0000", "\"0x00004e94914f0000\"");
    check("TimestampType", "0000000000000001", "\"1970-01-01 00:00:00.001Z\"");
    check("DurationType", "000000", "\"0ns\"");
    check("ListType(Int32Type)", "", "\"\"");
    let list = "00000003000000047fc0000000000000ffffffff";
    check("ListType(FloatType)", list, "[\"NaN\", \"\", null]");
}

#[test]
fn literals_give_the_value_back() {
    for (kind, value, _) in golden_values() {
        let text = literal(&kind, &value);
        let read = kind.read_literal(&text).unwrap_or_else(|error| panic!("{text}: {error}"));
        let read = read.expect("not null");
        // NaNs, padded numbers, all that is true: equal values have one literal.
        assert!(kind.compare(&read, &value).is_eq(), "{kind} {value:x?} {text} {read:x?}");
        assert_eq!(literal(&kind, &read), text);
        // Decimals can be larger than the numbers that this parser takes.
        let is_json = serde_json::from_str::<serde_json::Value>(&json(&kind, &value)).is_ok();
        assert!(is_json || kind == Type::Decimal, "{kind} {value:x?}");
    }
}

#[test]
fn times_of_all_years_have_one_text_that_is_read_again() {
    let check = |name: &str, number: i64, want: &str| {
        let (kind, bytes) = (kind(name), number.to_be_bytes());
        let value = if name == "SimpleDateType" { &bytes[4..] } else { &bytes[..] };
        let mut exact = String::new();
        kind.put_json_exact(Some(value), &mut exact);
        assert_eq!(literal(&kind, value), format!("'{want}'"));
        assert_eq!([&exact, &json(&kind, value)], [&format!("\"{want}\""); 2]);
        assert_eq!(kind.read_field(want).as_deref(), Ok(value), "{want}");
        assert_eq!(kind.read_literal(&format!("'{want}'")), Ok(Some(value.to_vec())));
    };
    check("SimpleDateType", 0, "-5877641-06-23");
    check("SimpleDateType", u32::MAX.into(), "5881580-07-11");
    check("SimpleDateType", 2_146_764_486, "0001-01-01");
    check("SimpleDateType", 2_146_764_485, "0000-12-31");
    check("SimpleDateType", (1 << 31) - 141_428, "1582-10-14");
    check("SimpleDateType", (1 << 31) + 2_932_897, "10000-01-01");
    check("TimestampType", i64::MIN, "-292275055-05-16 16:47:04.192Z");
    check("TimestampType", i64::MAX, "+292278994-08-17 07:12:55.807Z");
    check("TimestampType", -62_135_596_800_001, "0000-12-31 23:59:59.999Z");
    check("TimestampType", -12_219_292_800_001, "1582-10-14 23:59:59.999Z");
    check("TimestampType", 253_402_300_800_000, "+10000-01-01 00:00:00.000Z");
}

#[test]
fn bytes_of_any_type_are_read_as_a_blob() {
    let check = |name: &str, text: &str, digits: &str| {
        let read = kind(name).read_key(text).unwrap_or_else(|error| panic!("{text}: {error}"));
        assert_eq!(read, hex::decode(digits).expect("hex"), "{name} {text}");
    };
    check("UTF8Type", "0x610062", "610062");
    check("UTF8Type", "'0x610062'", "3078363130303632");
    check("AsciiType", "0X00", "00");
    check("Int32Type", "0x00000007", "00000007");
    check("FrozenType(ListType(Int32Type))", "0x00000000", "00000000");
    let pair = "CompositeType(Int32Type,UTF8Type)";
    check(
        pair,
        "0x0004000000040000023078 00".replace(' ', "").as_str(),
        "000400000004000002307800",
    );
    check(pair, "(4, 0x6100)", "000400000004000002610000");
    for wrong in ["0x00040000000400", "0x0004", "0x"] {
        let error = kind(pair).read_key(wrong).expect_err(wrong).to_string();
        assert!(error.contains("wanted bytes of a key of 2 values"), "{error}");
    }
}

#[test]
fn json_is_what_sstabledump_prints() {
    let check = |name: &str, digits: &str, want: &str| {
        assert_eq!(json(&kind(name), &hex::decode(digits).expect("hex")), want, "{name}");
    };
    check("Int32Type", "fffffffd", "-3");
    check("Int32Type", "", "\"\"");
    check("Int32Type", "ff", "\"0xff\"");
    check("BytesType", "", "\"0x\"");
    check("BytesType", "00ff01", "\"0x00ff01\"");
    check("ReversedType(TimestampType)", "0000015d3ef79800", "\"2017-07-14 02:40:00.000Z\"");
    check("FloatType", "7fc00000", "null");
    check("DoubleType", "c002000000000000", "-2.25");
    check("DecimalType", "00000004f8a432eb", "-12345.6789");
    check("UTF8Type", "225c0a1f7f", "\"\\\"\\\\\\n\\u001F\u{7f}\"");
    check("UTF8Type", "ff", "\"\u{fffd}\"");
    check("UserType(ks,75,61:Int32Type,62:UTF8Type)", "", "{\"a\": null, \"b\": null}");
    check("DurationType", "02040600ff", "\"1mo2d3ns\"");
    check("DurationType", "0204", "\"0x0204\"");
    check("DurationType", "0204fc13a52453c000", "\"1mo2d3h\"");
    check("CounterColumnType", "00018000000000000102", "422212465065984");
    check("SimpleDateType", "7fffffff", "\"1969-12-31\"");
    check("FrozenType(ListType(Int32Type))", "0000000100000004ffffffff", "[-1]");
    check("FrozenType(ListType(Int32Type))", "", "null");
    check("FrozenType(ListType(Int32Type))", "00000002", "\"0x00000002\"");
    check("TupleType(Int32Type,Int32Type,UTF8Type)", "0000000400000003ffffffff", "[3, null, null]");
    check("TupleType(Int32Type)", "000000040000000300000000", "\"0x000000040000000300000000\"");
    let map = "FrozenType(MapType(Int32Type,MapType(UTF8Type,Int32Type)))";
    check(
        map,
        "00000001000000040000000200000011000000010000000161000000040000000100",
        "\"0x00000001000000040000000200000011000000010000000161000000040000000100\"",
    );
    check(
        map,
        "000000010000000400000002000000110000000100000001610000000400000001",
        "{\"2\": {\"a\": 1}}",
    );
    let user = "FrozenType(UserType(ks,61,6e:Int32Type,41:UTF8Type))";
    check(user, "0000000400000007", "{\"n\": 7, \"\\\"A\\\"\": null}");
    check("VectorType(FloatType , 2)", "3f80000080000000", "[1.0, -0.0]");
    check("VectorType(ShortType , 2)", "02ffff020000", "[-1, 0]");
}

#[test]
fn literals_are_read_as_cql_writes_them() {
    let check = |name: &str, text: &str, digits: &str| {
        let read = kind(name).read_literal(text).unwrap_or_else(|error| panic!("{text}: {error}"));
        assert_eq!(read, Some(hex::decode(digits).expect("hex")), "{name} {text}");
    };
    check("Int32Type", " -3 ", "fffffffd");
    check("UTF8Type", "'it''s'", "69742773");
    check("BytesType", "0x00Ff", "00ff");
    check("DecimalType", "-1.50", "00000002ff6a");
    check("DecimalType", "1E+3", "fffffffd01");
    check("TimestampType", "'2017-07-14 04:40+0200'", "0000015d3ef79800");
    check("TimestampType", "'2017-07-14T02:40:00.000Z'", "0000015d3ef79800");
    check("TimestampType", "'2017-07-14'", "0000015d3e651c00");
}

#[test]
fn keys_and_bounds_are_lists_of_values() {
    let composite = kind("CompositeType(Int32Type,UTF8Type)");
    let key = b"\0\x04\0\0\0\x04\0\0\x02x4\0".to_vec();
    for text in ["(4, 'x4')", " 4,'x4' ", "( 4 , 'x4' )"] {
        assert_eq!(composite.read_key(text), Ok(key.clone()), "{text}");
    }
    for text in ["(4)", "4", "(4, 'x4'", "4, 'x4')", "4, 'x4', 5", "4, null", ""] {
        assert!(composite.read_key(text).is_err(), "{text}");
    }
    for text in ["7", "(7)"] {
        assert_eq!(Type::Int.read_key(text), Ok(vec![0, 0, 0, 7]), "{text}");
    }
    for text in ["null", "()", "7, 7", "0xff"] {
        assert!(Type::Int.read_key(text).is_err(), "{text}");
    }
    let of_tuple = kind("CompositeType(TupleType(Int32Type),Int32Type)");
    let bracketed = of_tuple.read_key("((1), 2)");
    assert!(bracketed.is_ok() && bracketed == of_tuple.read_key("(1), 2"), "{bracketed:?}");
    let types = [Type::Int, Type::Reversed(Box::new(Type::Text))];
    let one = Some(vec![0, 0, 0, 1]);
    assert_eq!(read_values(&types, "(1, 'b')"), Ok(vec![one.clone(), Some(b"b".to_vec())]));
    assert_eq!(read_values(&types, "1"), Ok(vec![one.clone()]));
    assert_eq!(read_values(&types, "(1, null)"), Ok(vec![one.clone(), None]));
    assert_eq!(read_values(&types, "()"), Ok(Vec::new()));
    let tuple = [kind("TupleType(Int32Type,Int32Type)")];
    let pair = Some(vec![0, 0, 0, 4, 0, 0, 0, 1, 0xff, 0xff, 0xff, 0xff]);
    assert_eq!(read_values(&tuple, "(1, null)"), Ok(vec![pair.clone()]));
    assert_eq!(read_values(&tuple, "((1, null))"), Ok(vec![pair]));
}

#[test]
fn what_is_wrong_with_a_key_or_bound_is_named() {
    let composite = kind("CompositeType(Int32Type,UTF8Type)");
    let check = |text: &str, want: &str| {
        let error = composite.read_key(text).expect_err(text).to_string();
        assert_eq!(error, format!("value at byte {want}"));
    };
    check("(4, x)", "4: wanted a text in single quotes, got \"x)\"");
    check("4, x", "3: wanted a text in single quotes, got \"x\"");
    check("(0x0102, 'x')", "1: wanted int of 4 bytes, got \"0x0102, 'x')\"");
    check("(4, 'x', 5)", "8: wanted at most 2 values, got \" 5)\"");
    check("(4)", "3: wanted 2 values of a partition key, got \"\"");
    let types = [Type::Int, Type::Timeuuid];
    let error = read_values(&types, "(1, 0x00)").expect_err("no UUID").to_string();
    assert_eq!(error, "value at byte 4: wanted timeuuid of 16 bytes, got \"0x00)\"");
}

#[test]
fn what_is_wrong_with_a_literal_is_named() {
    let check = |name: &str, text: &str, want: &str| {
        let error = kind(name).read_literal(text).expect_err(text).to_string();
        assert_eq!(error, format!("value at byte {want}"));
    };
    check("Int32Type", "x", "0: wanted int, got \"x\"");
    check("Int32Type", "3000000000", "0: wanted int, got \"3000000000\"");
    check("UTF8Type", "abc", "0: wanted a text in single quotes, got \"abc\"");
    check("UTF8Type", "'abc", "0: wanted a text that ends with its quote, got \"'abc\"");
    check("AsciiType", "'é'", "0: wanted a text in single quotes, got \"'é'\"");
    check(
        "ListType(Int32Type)",
        "[1, null]",
        "4: wanted an element that isn't null, got \"null]\"",
    );
    check("ListType(Int32Type)", "[1 2]", "3: wanted ']', got \"2]\"");
    check("MapType(Int32Type,Int32Type)", "{1, 2}", "2: wanted ':', got \", 2}\"");
    check("UserType(ks,61,62:Int32Type)", "{c: 1}", "1: wanted name of a field, got \"c: 1}\"");
    check(
        "UserType(ks,61,62:Int32Type)",
        "{b: null, b: 1}",
        "10: wanted each field once, got \"b: 1}\"",
    );
    check("VectorType(Int32Type , 2)", "[1]", "0: wanted a vector of 2 elements, got \"[1]\"");
    check("Int32Type", "1 2", "2: wanted the end, got \"2\"");
    for (name, text) in [
        ("TimestampType", "'2017-02-29'"),
        ("TimeType", "'24:00:00'"),
        ("SimpleDateType", "'x'"),
        ("UUIDType", "00000000-0000-0000-0000-00000000000"),
        ("DurationType", "1"),
        ("DurationType", "-"),
        ("InetAddressType", "'1.2.3'"),
        ("IntegerType", "1.5"),
        ("DecimalType", "1e99999999999"),
    ] {
        assert!(kind(name).read_literal(text).is_err(), "{name} {text}");
    }
}
