//! Tables of lexical forms, and forms made at random, back and forth.

use std::cmp::Ordering;

use manicule_format_leaf::Id;
use manicule_testkit::Rng;

use super::{XSD, compare_inlined, inlined, literal_of};

fn id(lexical: &str, local: &str) -> Option<Id> {
    let datatype = format!("{XSD}{local}");
    let id = inlined(lexical, &datatype)?;
    let (printed, of) = literal_of(id).expect("an id that was given can be read");
    assert_eq!((printed.as_str(), of), (lexical, &*datatype));
    Some(id)
}

/// Each form is inlined, and each value is less than the next.
fn check_rise(local: &str, forms: &[&str]) {
    let ids: Vec<Id> = forms.iter().map(|form| id(form, local).expect(form)).collect();
    assert!(ids.is_sorted_by(|a, b| a < b), "{forms:?}: {ids:?}");
    for (at, one) in ids.iter().enumerate() {
        for (other_at, other) in ids.iter().enumerate() {
            assert_eq!(compare_inlined(*one, *other), Some(at.cmp(&other_at)), "{forms:?}");
        }
    }
}

fn check_text(local: &str, forms: &[&str]) {
    for form in forms {
        assert_eq!(id(form, local), None, "{form:?} of {local}");
    }
}

#[test]
fn integers_rise() {
    let forms = [
        "-36028797018963968",
        "-36028797018963967",
        "-10",
        "-1",
        "0",
        "7",
        "10",
        "36028797018963967",
    ];
    check_rise("integer", &forms);
    check_rise("nonPositiveInteger", &["-5", "0"]);
    check_rise("unsignedByte", &["0", "255"]);
    check_rise("long", &["-9", "9"]);
}

#[test]
fn other_ways_to_write_an_integer_are_text() {
    check_text("integer", &["", "-", "+1", "01", "-0", "00", "1.0", " 1", "1 ", "abc", "١"]);
    check_text("integer", &["36028797018963968", "-36028797018963969", "99999999999999999999"]);
    check_text("byte", &["128", "-129"]);
    check_text("positiveInteger", &["0", "-1"]);
    check_text("string", &["1"]);
}

#[test]
fn decimals_rise_by_their_digits() {
    check_rise("decimal", &["-5", "0", "12"]);
    check_rise("decimal", &["-1.50", "-0.01", "0.00", "0.05", "5.50", "360287970189639.67"]);
    check_rise("decimal", &["0.0000001", "1.0000000"]);
    assert_ne!(id("5.50", "decimal"), id("5.5", "decimal"));
    check_text(
        "decimal",
        &["", ".", ".5", "5.", "-0", "-0.0", "00.1", "+1.0", "0.00000001", "1e0", "-"],
    );
    check_text("decimal", &["3602879701896396.8", "-.5"]);
}

#[test]
fn doubles_and_floats_rise() {
    let forms = ["-1.5E10", "-1.0E0", "-5.0E-1", "0.0E0", "2.5E-1", "1.0E0", "1.5E0", "1.024E3"];
    check_rise("double", &forms);
    check_rise("float", &["-3.4028235E38", "-1.0E-1", "0.0E0", "1.0E-45", "1.0E-1", "1.0E0"]);
    check_text(
        "double",
        &["1.0E-1", "1", "1.0", "1E0", "1.0e0", "-0.0E0", "INF", "-INF", "NaN", "10.0E0"],
    );
    check_text("float", &["1", "0.1", "-0.0E0", "INF", "NaN", "1.00E0", "1.0E39", "E.", "."]);
}

#[test]
fn booleans_rise() {
    check_rise("boolean", &["false", "true"]);
    check_text("boolean", &["0", "1", "TRUE", ""]);
}

#[test]
fn dates_rise_within_a_way_to_write_the_zone() {
    check_rise("date", &["0001-01-01", "1999-12-31", "2000-02-29", "2000-03-01", "9999-12-31"]);
    check_rise("date", &["0001-01-01Z", "2024-01-01Z"]);
    check_rise(
        "date",
        &["0001-01-01+14:00", "2024-01-01+01:00", "2024-01-01-01:00", "9999-12-31-14:00"],
    );
    check_text(
        "date",
        &["2020-02-30", "2019-02-29", "1900-02-29", "0000-01-01", "-0001-01-01", "10000-01-01"],
    );
    check_text(
        "date",
        &["2020-01-01+00:00", "2020-01-01-00:00", "2020-01-01+14:01", "2020-01-01z", "2020-1-1"],
    );
    check_text(
        "date",
        &["2020-13-01", "2020-00-01", "2020-01-00", "2020-01-01+1:00", "2020-01-01+01:60", ""],
    );
}

#[test]
fn times_rise_by_their_instants() {
    check_rise("dateTime", &["0001-01-01T00:00:00", "1969-12-31T23:59:59", "9999-12-31T23:59:59"]);
    check_rise("dateTime", &["2020-01-01T00:00:00Z", "2020-01-01T00:00:01Z"]);
    check_rise("dateTime", &["2020-01-01T00:00:00.500Z", "2020-01-01T00:00:01.499Z"]);
    check_rise("dateTime", &["0001-01-01T00:00:00.000", "9999-12-31T23:59:59.999"]);
    check_rise(
        "dateTime",
        &["2020-01-01T00:00:00+05:30", "2020-01-01T00:00:00+01:07", "2020-01-01T00:00:00-14:00"],
    );
    check_rise("dateTime", &["0001-01-01T00:00:00.000+14:00", "9999-12-31T23:59:59.999-14:00"]);
    check_text(
        "dateTime",
        &["2020-01-01T24:00:00", "2020-01-01T00:00:60", "2020-01-01T00:00:00.5Z"],
    );
    check_text(
        "dateTime",
        &["2020-01-01T00:00:00+00:00", "2020-01-01T00:00:00.000+01:07", "2020-01-01"],
    );
    check_text(
        "dateTime",
        &["2020-01-01t00:00:00", "2020-01-01T00:00:00.", "2020-01-01T00:00:00.0000"],
    );
}

#[test]
fn values_compare_across_tags() {
    let check = |left: (&str, &str), right: (&str, &str), want: Option<Ordering>| {
        let (one, other) = (id(left.0, left.1).unwrap(), id(right.0, right.1).unwrap());
        assert_eq!(compare_inlined(one, other), want, "{left:?} {right:?}");
        assert_eq!(compare_inlined(other, one), want.map(Ordering::reverse), "{right:?} {left:?}");
    };
    let (less, equal) = (Some(Ordering::Less), Some(Ordering::Equal));
    check(("1", "integer"), ("1", "byte"), equal);
    check(("1", "integer"), ("1.50", "decimal"), less);
    check(("1.5", "decimal"), ("1.50", "decimal"), equal);
    check(("1", "integer"), ("1.5E0", "double"), less);
    check(("1.5", "decimal"), ("1.5E0", "float"), equal);
    check(("0.1", "decimal"), ("1.0E-1", "float"), equal);
    check(("1.0E0", "float"), ("1.5E0", "double"), less);
    check(("true", "boolean"), ("1", "integer"), None);
    check(("2020-01-01", "date"), ("2020-01-01Z", "date"), None);
    check(("2020-01-01Z", "date"), ("2020-01-01-01:00", "date"), less);
    check(("2020-01-01T00:00:00Z", "dateTime"), ("2020-01-01T01:00:00+01:00", "dateTime"), equal);
    check(("2020-01-01T00:00:00Z", "dateTime"), ("2020-01-01T00:00:00.001Z", "dateTime"), less);
    check(("2020-01-01T00:00:00", "dateTime"), ("2020-01-01", "date"), None);
}

#[test]
fn any_id_is_refused_or_read_back() {
    let mut rng = Rng::new(14);
    let mut count = 0;
    for round in 0..200_000 {
        let bits = rng.bits() >> rng.below(64);
        let id = Id((16 + rng.bits() % 48) << 56 | bits & Id::PAYLOAD_MAX);
        if let Some((lexical, datatype)) = literal_of(id) {
            assert_eq!(inlined(lexical.as_str(), datatype), Some(id), "round {round}: {lexical:?}");
            count += 1;
        }
    }
    assert!(count > 50_000, "{count}");
}

#[test]
fn texts_near_a_number_are_refused_or_read_back() {
    let mut rng = Rng::new(15);
    let locals = ["integer", "byte", "decimal", "double", "float", "date", "dateTime", "boolean"];
    let parts = ["0", "1", "9", "2020", "12", "-", "+", ".", "E", "T", ":", "Z", "-01", "00", "30"];
    for _ in 0..200_000 {
        let text: String = (0..1 + rng.below(12)).map(|_| rng.pick(&parts)).collect();
        id(&text, rng.pick(&locals));
    }
}
