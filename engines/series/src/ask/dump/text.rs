//! Labels and times as the forms of a dump write them.

use manicule_core::go::json::put_string;
use manicule_core::go::quote;

use crate::ask::matcher::METRIC_NAME;
use crate::ask::query::Label;
use crate::openmetrics::{put_api_float, put_whole};

/// A name that needs no quotes as a label's.
fn is_plain(name: &[u8]) -> bool {
    !name.first().is_none_or(u8::is_ascii_digit)
        && name.iter().all(|byte| byte.is_ascii_alphanumeric() || *byte == b'_')
}

/// A name that needs no quotes as a metric's.
fn is_plain_metric(name: &[u8]) -> bool {
    !name.first().is_none_or(u8::is_ascii_digit)
        && name.iter().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b':'))
}

/// Labels as Go's programs print them: `{__name__="up", job="api"}`.
pub(super) fn put_plain(labels: &[Label<'_>], out: &mut Vec<u8>) {
    out.push(b'{');
    for (number, (name, value)) in labels.iter().enumerate() {
        if number > 0 {
            out.extend_from_slice(b", ");
        }
        if is_plain(name) {
            out.extend_from_slice(name)
        } else {
            out.extend_from_slice(quote(name).as_bytes())
        }
        out.push(b'=');
        out.extend_from_slice(quote(value).as_bytes());
    }
    out.push(b'}');
}

/// A series as OpenMetrics writes it: `up{job="api"}`, or `{"a metric",job="api"}`. `None` if it
/// can't: a series without a metric's name, and values or names that are not UTF-8.
pub(super) fn put_open_metrics(labels: &[Label<'_>], out: &mut Vec<u8>) -> Option<()> {
    let is_metric = |label: &&Label<'_>| label.0 == METRIC_NAME.as_bytes();
    let metric = labels.iter().find(is_metric)?.1;
    let mut parts = 0;
    let mut begin = |out: &mut Vec<u8>| {
        out.push(if parts == 0 { b'{' } else { b',' });
        parts += 1;
    };
    if is_plain_metric(metric) {
        out.extend_from_slice(metric);
    } else {
        begin(out);
        put_quoted(metric, Nul::Refused, out)?;
    }
    for (name, value) in labels.iter().filter(|label| !is_metric(label)) {
        begin(out);
        if is_plain(name) {
            out.extend_from_slice(name)
        } else {
            put_quoted(name, Nul::Refused, out)?
        }
        out.push(b'=');
        put_quoted(value, Nul::Taken, out)?;
    }
    if parts > 0 {
        out.push(b'}');
    }
    Some(())
}

/// Whether a NUL may stand in a string: parsers stumble over it in names.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Nul {
    Taken,
    Refused,
}

fn put_quoted(string: &[u8], nul: Nul, out: &mut Vec<u8>) -> Option<()> {
    if str::from_utf8(string).is_err() || nul == Nul::Refused && string.contains(&0) {
        return None;
    }
    out.push(b'"');
    for byte in string {
        match byte {
            b'"' | b'\\' => out.extend_from_slice(&[b'\\', *byte]),
            b'\n' => out.extend_from_slice(b"\\n"),
            _ => out.push(*byte),
        }
    }
    out.push(b'"');
    Some(())
}

/// Labels as Go's JSON encoder writes a map of them.
pub(super) fn put_json(labels: &[Label<'_>], out: &mut Vec<u8>) {
    out.push(b'{');
    for (number, (name, value)) in labels.iter().enumerate() {
        if number > 0 {
            out.push(b',');
        }
        put_string(name, out);
        out.push(b':');
        put_string(value, out);
    }
    out.push(b'}');
}

/// Milliseconds that a double holds exactly, whatever they are: those below.
const EXACT_TIMES: u64 = 1 << f64::MANTISSA_DIGITS;

/// A time in seconds, with three digits after the point.
///
/// Readers multiply by 1000, round, and cut the fraction off, as Prometheus does: of 17000000.402
/// they make 17000000401 milliseconds. Such a time is written as the next double, which comes back.
pub(super) fn put_seconds(time: i64, out: &mut Vec<u8>) {
    let start = out.len();
    if time < 0 {
        out.push(b'-');
    }
    let (whole, rest) = (time.unsigned_abs() / 1000, time.unsigned_abs() % 1000);
    put_whole(whole as i64, out);
    let digit = |place: u64| b'0' + (rest / place % 10) as u8;
    out.extend_from_slice(&[b'.', digit(100), digit(10), digit(1)]);
    let seconds = if time.unsigned_abs() < EXACT_TIMES {
        // What reading the digits gives: the nearest double.
        time as f64 / 1000.0
    } else {
        str::from_utf8(&out[start..]).expect("digits").parse().expect("a number")
    };
    if (seconds * 1000.0) as i64 != time {
        let further = if time < 0 { seconds.next_down() } else { seconds.next_up() };
        if (further * 1000.0) as i64 == time {
            out.truncate(start);
            out.extend_from_slice(further.to_string().as_bytes());
        }
    }
}

/// A number as the HTTP API writes it, in quotes: with an exponent below 1e-6 and from 1e21 on.
pub(super) fn put_json_float(number: f64, out: &mut Vec<u8>) {
    out.push(b'"');
    put_api_float(number, out);
    out.push(b'"');
}

#[cfg(test)]
mod tests {
    use manicule_format_prometheus::chunk::Value;

    use super::*;
    use crate::ask::query::ShownValue;

    fn check(labels: &[Label<'_>], want: &str) {
        let mut out = Vec::new();
        let done = put_open_metrics(labels, &mut out);
        let got = done.map(|()| String::from_utf8(out).unwrap());
        assert_eq!(got.as_deref().unwrap_or("none"), want);
    }

    #[test]
    fn series_in_open_metrics() {
        let name = &b"__name__"[..];
        check(&[(name, b"up")], "up");
        check(&[(name, b"a:b"), (b"l", b"a\"\\\nb")], r#"a:b{l="a\"\\\nb"}"#);
        check(&[(name, b"a b"), (b"l.m", b"x")], r#"{"a b","l.m"="x"}"#);
        check(&[(name, b"a b")], r#"{"a b"}"#);
        check(&[(b"l", b"x")], "none");
        check(&[(name, b"up"), (b"l", b"\xff")], "none");
    }

    #[test]
    fn numbers_in_json_are_written_as_the_http_api_writes_them() {
        let (more, less) = (f64::INFINITY, f64::NEG_INFINITY);
        for number in [
            0.0,
            -0.0,
            7.0,
            -1e5,
            1_234_567.0,
            1e20,
            1e21,
            1e-4,
            1e-5,
            1e-6,
            9e-7,
            more,
            less,
            f64::NAN,
        ] {
            for number in [number, -number, number * 1.37] {
                let mut out = Vec::new();
                put_json_float(number, &mut out);
                let want = format!("\"{}\"", ShownValue(&Value::Float(number)));
                assert_eq!(String::from_utf8(out).unwrap(), want);
            }
        }
    }

    #[test]
    fn times_in_seconds() {
        for (time, want) in [(0, "0.000"), (1_700_000_000_123, "1700000000.123"), (-1, "-0.001")] {
            let mut out = Vec::new();
            put_seconds(time, &mut out);
            assert_eq!(String::from_utf8(out).unwrap(), want);
        }
    }

    #[test]
    fn times_come_back_as_readers_compute_them() {
        let mut longer = 0;
        for step in 0..20_000i64 {
            let time = 1_600_000_000_000 / 20_000 * step + step % 1000;
            for time in [time, -time] {
                let mut out = Vec::new();
                put_seconds(time, &mut out);
                let text = String::from_utf8(out).unwrap();
                assert_eq!((text.parse::<f64>().unwrap() * 1000.0) as i64, time, "{text}");
                longer += usize::from(text.split('.').nth(1).unwrap().len() > 3);
            }
        }
        assert!(longer > 0);
    }
}
