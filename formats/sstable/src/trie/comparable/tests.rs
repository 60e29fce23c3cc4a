//! Byte-comparable forms: those of the format's description, and the order that they keep.

use std::cmp::Ordering;

use super::*;

fn form(kind: &Type, value: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    put_part(kind, Some(value), &mut out);
    out
}

fn hex(text: &str) -> Vec<u8> {
    manicule_core::hex::decode(text.replace(' ', "")).unwrap()
}

fn check(kind: &str, value: &str, want: &str) {
    let kind = Type::parse(kind).unwrap();
    assert_eq!(form(&kind, &hex(value)), hex(want), "{value} of {kind:?}");
}

#[test]
fn a_key_in_the_order_of_bytes_is_its_own_token() {
    let mut out = Vec::new();
    put_byte_ordered_key(b"1\0", &mut out);
    assert_eq!(out, hex("40 3100fe 40 3100fe 38"));
}

#[test]
fn numbers_have_their_sign_flipped() {
    check("Int32Type", "00000001", "40 80000001");
    check("ShortType", "ffff", "40 7fff");
    check("FloatType", "3f800000", "40 bf800000");
    check("FloatType", "80000000", "40 7fffffff");
    check("DoubleType", "fff0000000000000", "40 000fffffffffffff");
    check("BooleanType", "07", "40 01");
    check("SimpleDateType", "80000001", "40 80000001");
    check("Int32Type", "", "3f");
    check("ReversedType(Int32Type)", "", "41");
    check("ReversedType(Int32Type)", "00000001", "40 7ffffffe");
}

#[test]
fn long_numbers_have_a_length() {
    check("LongType", "0000000000000000", "40 80");
    check("LongType", "0000000000000001", "40 81");
    check("LongType", "ffffffffffffffff", "40 7f");
    check("LongType", "000000000000003f", "40 bf");
    check("LongType", "0000000000000040", "40 c040");
    check("LongType", "7fffffffffffffff", "40 ffffffffffffffffff");
    check("LongType", "8000000000000000", "40 000000000000000000");
    check("IntegerType", "00000040", "40 c040");
    check("IntegerType", "ffffff", "40 7f");
    check("IntegerType", "00ff", "40 c0ff");
    check("IntegerType", "01000000000000", "40 ff 00 01000000000000");
    check("IntegerType", "80000000000000", "40 00 ff 80000000000000");
    check("IntegerType", "000001000000000000", "40 ff 00 01000000000000");
}

#[test]
fn bytes_end_where_no_zero_can_go_on() {
    check("BytesType", "2200", "40 2200fe");
    check("BytesType", "22000033", "40 2200feff3300");
    check("BytesType", "220011", "40 2200ff1100");
    check("UTF8Type", "", "40 00");
    check("ReversedType(UTF8Type)", "61", "40 9eff");
}

#[test]
fn uuids_have_version_and_time_first() {
    check("UUIDType", "cc520882950744fb8fc9b349ecdee658", "40 4cc52088295074fb8fc9b349ecdee658");
    check("UUIDType", "2a92d750d8dc11e6a2decf8ecd4cf053", "40 11e6d8dc2a92d750a2decf8ecd4cf053");
    check(
        "TimeUUIDType",
        "2a92d750d8dc11e6a2decf8ecd4cf053",
        "40 11e6d8dc2a92d750225e4f0e4dcc70d3",
    );
}

#[test]
fn decimals_are_digits_of_a_hundred() {
    let check = |scale: i32, number: i64, want: &str| {
        let value = [&scale.to_be_bytes()[..], &number.to_be_bytes()].concat();
        assert_eq!(form(&Type::Decimal, &value), hex(&format!("40 {want}")), "{number} / {scale}");
    };
    check(1, 11, "c1 01 81 8a 00");
    check(0, 1, "c1 01 81 00");
    check(2, 1, "c0 81 00");
    check(3, 0, "80");
    check(0, -1, "3f ff 7f 00");
    check(1, -11, "3f ff 7e da 00");
    check(1, -989, "3f ff 1d 8a 00");
    check(0, -99, "3f ff 1d 00");
    check(1, -999, "3f ff 1c 8a 00");
    check(-1999, -81, "3e fc17 77 da 00");
    check(2001, -81, "42 03e7 77 da 00");
    check(2001, 81, "be fc19 88 8a 00");
    check(-1999, 81, "c2 03e9 88 8a 00");
}

#[test]
fn parts_have_markers_and_an_end() {
    check("TupleType(Int32Type,UTF8Type)", "0000000400000001 ffffffff", "40 40 80000001 38");
    check("TupleType(Int32Type,UTF8Type)", "ffffffff 0000000161", "40 3e 40 6100 38");
    check("FrozenType(ListType(Int32Type))", "00000001 0000000400000001", "40 40 80000001 00");
    let kinds = [Type::Smallint, Type::Float];
    let mut out = Vec::new();
    put_prefix(PrefixKind::InclusiveStart, &kinds, [Some(&[0, 0][..])], &mut out);
    assert_eq!(out, hex("40 8000 20"));
    out.clear();
    put_prefix(PrefixKind::Row, &kinds, [Some(&[0xff, 0xff][..]), None], &mut out);
    assert_eq!(out, hex("40 7fff 3e 38"));
    out.clear();
    put_prefix(PrefixKind::ExclusiveStart, &kinds, [], &mut out);
    assert_eq!(out, hex("60"));
}

#[test]
fn keys_of_ms_have_their_parts_on_their_own() {
    let kind = Type::Composite(vec![Type::Int, Type::Text]);
    let key = hex("0004 00000004 00 0001 78 00");
    let mut out = Vec::new();
    put_partition_key(Version::Ms, &kind, &key, -1, &mut out);
    assert_eq!(out, hex("40 7fffffffffffffff 40 80000004 40 7800 38"));
    out.clear();
    put_partition_key(Version::Mt, &kind, &key, -1, &mut out);
    let escaped = "00ff0400fefeff0400feff01 7800fe";
    assert_eq!(out, hex(&format!("40 7fffffffffffffff 40 {escaped} 38")));
}

/// The order of the forms is that of the values, for all pairs out of values of one type.
fn check_order(kind: &str, values: &[&str]) {
    let kind = Type::parse(kind).unwrap();
    for (left, right) in
        values.iter().flat_map(|left| values.iter().map(move |right| (left, right)))
    {
        let (left, right) = (hex(left), hex(right));
        let want = kind.compare(&left, &right);
        assert_eq!(form(&kind, &left).cmp(&form(&kind, &right)), want, "{left:x?} {right:x?}");
    }
}

#[test]
fn the_order_of_the_forms_is_that_of_the_values() {
    let numbers = [
        "00",
        "01",
        "ff",
        "7f",
        "80",
        "0080",
        "ff7f",
        "0000000080",
        "00ff",
        "ff00",
        "3fffffffffff",
        "7fffffffffff",
        "800000000000",
        "00ffffffffffff",
        "01000000000000",
        "ff000000000000",
        "0100000000000000000000",
        "ff0000000000000000000000",
        "ffffffffff00",
        "000000000000000001",
    ];
    check_order("IntegerType", &numbers);
    let reversed: Vec<String> = numbers.iter().map(|number| (*number).to_owned()).collect();
    let reversed: Vec<&str> = reversed.iter().map(String::as_str).collect();
    check_order("ReversedType(IntegerType)", &reversed);
    let decimals: Vec<String> = ["00000000", "00000001", "ffffffff", "00000005", "fffffff0"]
        .iter()
        .flat_map(|scale| numbers.iter().map(move |number| format!("{scale}{number}")))
        .collect();
    check_order("DecimalType", &decimals.iter().map(String::as_str).collect::<Vec<_>>());
    let longs: Vec<String> = (0..64)
        .flat_map(|bit| {
            [1i64.wrapping_shl(bit), (-1i64).wrapping_shl(bit), (1i64 << bit).wrapping_sub(1)]
        })
        .map(|number| format!("{number:016x}"))
        .collect();
    check_order("LongType", &longs.iter().map(String::as_str).collect::<Vec<_>>());
    check_order(
        "BytesType",
        &["", "00", "0000", "0001", "000000", "01", "0100", "ff", "ff00", "0000ff"],
    );
    check_order(
        "TupleType(Int32Type,UTF8Type)",
        &[
            "ffffffff",
            "0000000400000001",
            "0000000400000001 ffffffff",
            "0000000400000001 00000000",
            "0000000400000001 0000000161",
            "00000004ffffffff 0000000161",
            "ffffffff 0000000161",
        ],
    );
}

#[test]
fn equal_is_equal_whatever_the_bytes() {
    let equal = |kind: &str, left: &str, right: &str| {
        let kind = Type::parse(kind).unwrap();
        assert_eq!(kind.compare(&hex(left), &hex(right)), Ordering::Equal);
        assert_eq!(form(&kind, &hex(left)), form(&kind, &hex(right)));
    };
    equal("DecimalType", "00000000 01", "00000002 64");
    equal("DecimalType", "00000000 00", "00000007 0000");
    equal("BooleanType", "01", "ff");
}
