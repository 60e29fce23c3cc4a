//! Numbers in text, as Go reads and writes them.

use std::ops::Range;

/// The largest power of ten that a double holds exactly.
const EXACT_POWERS: [f64; 23] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16,
    1e17, 1e18, 1e19, 1e20, 1e21, 1e22,
];

/// Digits that a double holds, whatever they are.
const EXACT_DIGITS: usize = 15;

/// A sample's value or time: decimal digits, or an infinity or NaN in any case. `None` for others,
/// and for what is larger than the largest double.
#[inline]
pub(super) fn float(text: &[u8]) -> Option<f64> {
    short(text).or_else(|| any(text))
}

/// Few digits and no exponent: two exact doubles, so that their quotient is rounded once.
#[inline]
fn short(text: &[u8]) -> Option<f64> {
    let (is_negative, text) = match text.split_first()? {
        (b'-', rest) => (true, rest),
        _ => (false, text),
    };
    if text.len() > EXACT_DIGITS + 1 {
        return None;
    }
    let (mut number, mut digits, mut fraction) = (0u64, 0, None);
    for byte in text {
        match byte {
            b'0'..=b'9' => {
                number = number * 10 + u64::from(byte - b'0');
                digits += 1;
            }
            b'.' if fraction.is_none() => fraction = Some(digits),
            _ => return None,
        }
    }
    if digits == 0 || digits > EXACT_DIGITS {
        return None;
    }
    let scale = fraction.map_or(0, |whole| digits - whole);
    let size = number as f64 / EXACT_POWERS[scale];
    Some(if is_negative { -size } else { size })
}

fn any(text: &[u8]) -> Option<f64> {
    let unsigned = text.strip_prefix(b"-").or_else(|| text.strip_prefix(b"+")).unwrap_or(text);
    if unsigned.eq_ignore_ascii_case(b"inf") || unsigned.eq_ignore_ascii_case(b"infinity") {
        return Some(if text[0] == b'-' { f64::NEG_INFINITY } else { f64::INFINITY });
    }
    if text.eq_ignore_ascii_case(b"nan") {
        return Some(f64::NAN);
    }
    // What is left of the words that Rust knows is a NaN with a sign.
    if !matches!(unsigned.first()?, b'0'..=b'9' | b'.') {
        return None;
    }
    let number: f64 = str::from_utf8(text).ok()?.parse().ok()?;
    number.is_finite().then_some(number)
}

const MINUS_ZERO: u64 = 1 << 63;

/// Appends a whole number.
pub(crate) fn put_whole(number: i64, out: &mut Vec<u8>) {
    let mut digits = [0; 20];
    let (mut at, mut rest) = (digits.len(), number.unsigned_abs());
    loop {
        at -= 1;
        digits[at] = b'0' + (rest % 10) as u8;
        rest /= 10;
        if rest == 0 {
            break;
        }
    }
    if number < 0 {
        out.push(b'-');
    }
    out.extend_from_slice(&digits[at..]);
}

/// Appends a number as Go's verb `%g` writes it: the shortest digits that read back, with an
/// exponent below 1e-4 and from 1e6 on.
pub(crate) fn put_float(number: f64, out: &mut Vec<u8>) {
    put_shortest(number, -4..6, out);
}

/// Appends a number as the HTTP API writes it: with an exponent below 1e-6 and from 1e21 on.
pub(crate) fn put_api_float(number: f64, out: &mut Vec<u8>) {
    put_shortest(number, -6..21, out);
}

/// Appends the shortest digits that read back; of those the nearest, and of two that are equally
/// near the one that ends in an even digit, as Go does and std doesn't. There is an exponent of two
/// digits or more where the first digit's power of ten is not one of `plain`.
fn put_shortest(number: f64, plain: Range<i32>, out: &mut Vec<u8>) {
    if number.is_nan() {
        return out.extend_from_slice(b"NaN");
    }
    if number.is_infinite() {
        return out.extend_from_slice(if number > 0.0 { b"+Inf" } else { b"-Inf" });
    }
    if number.abs() < 1e6 && number == f64::from(number as i32) && number.to_bits() != MINUS_ZERO {
        return put_whole(i64::from(number as i32), out);
    }
    if number.is_sign_negative() {
        out.push(b'-');
    }
    let mut room = [0; ROOM_LEN];
    let (digits, power) = shortest(number.abs(), &mut room);
    let zeros = |count: i32| std::iter::repeat_n(b'0', count as usize);
    let (first, rest) = digits.split_at(1);
    match power {
        _ if plain.contains(&power) && power < 0 => {
            out.extend_from_slice(b"0.");
            out.extend(zeros(-power - 1));
            out.extend_from_slice(digits);
        }
        _ if plain.contains(&power) => {
            let whole_len = digits.len().min(power as usize + 1);
            let (whole, fraction) = digits.split_at(whole_len);
            out.extend_from_slice(whole);
            out.extend(zeros(power + 1 - whole_len as i32));
            if !fraction.is_empty() {
                out.push(b'.');
                out.extend_from_slice(fraction);
            }
        }
        _ => {
            out.extend_from_slice(first);
            if !rest.is_empty() {
                out.push(b'.');
                out.extend_from_slice(rest);
            }
            out.extend_from_slice(if power < 0 { b"e-" } else { b"e+" });
            if power.abs() < 10 {
                out.push(b'0');
            }
            put_whole(power.abs().into(), out);
        }
    }
}

/// A number's shortest form is no longer, whatever it is.
const ROOM_LEN: usize = 32;

/// The shortest digits of a number that is finite and not negative, without zeros at either end,
/// and the power of ten of the first: `12345` and `-7` of 1.2345e-7. Zero has one digit.
fn shortest(number: f64, room: &mut [u8; ROOM_LEN]) -> (&[u8], i32) {
    let mut buffer = zmij::Buffer::new();
    let text = buffer.format_finite(number);
    let (mantissa, exponent) = text.split_once('e').unwrap_or((text, "0"));
    let exponent: i32 = exponent.parse().expect("digits behind the e");
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let len = whole.len() + fraction.len();
    room[..whole.len()].copy_from_slice(whole.as_bytes());
    room[whole.len()..len].copy_from_slice(fraction.as_bytes());
    let is_digit = |byte: &u8| *byte != b'0';
    let Some(first) = room[..len].iter().position(is_digit) else { return (b"0", 0) };
    let last = room[..len].iter().rposition(is_digit).unwrap_or(first);
    (&room[first..=last], exponent + whole.len() as i32 - 1 - first as i32)
}

/// A bound or quantile as OpenMetrics wants it: `1` is `1.0`. A text that is no number stays as it
/// is.
pub(super) fn canonical(text: &[u8]) -> Option<Vec<u8>> {
    let number = float(text)?;
    let mut out = Vec::new();
    put_float(number, &mut out);
    if number.is_finite() && !out.contains(&b'.') && !out.contains(&b'e') {
        out.extend_from_slice(b".0");
    }
    // Minus zero loses its sign.
    if number == 0.0 {
        out = b"0.0".to_vec();
    }
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_as_go_reads_them() {
        let rows: &[(&str, f64)] = &[
            ("0", 0.0),
            ("1.", 1.0),
            (".5", 0.5),
            ("-.5", -0.5),
            ("+1", 1.0),
            ("1e3", 1e3),
            ("1E+3", 1e3),
            ("123456789012345", 123456789012345.0),
            ("0.1", 0.1),
            ("1700000000.123", 1700000000.123),
            ("9007199254740993", 9007199254740992.0),
            ("1e-400", 0.0),
            ("+inf", f64::INFINITY),
            ("-iNFinity", f64::NEG_INFINITY),
            ("00000000000000000000000001.5", 1.5),
            ("0.00000000000000000000000015", 1.5e-25),
        ];
        for (text, want) in rows {
            assert_eq!(float(text.as_bytes()), Some(*want), "{text}");
        }
        assert!(float(b"NaN").is_some_and(f64::is_nan));
        assert!(float(b"-0").is_some_and(|zero| zero == 0.0 && zero.is_sign_negative()));
        let odd = [
            "", ".", "-", "+", "e5", "1e", "1e400", "-1e400", "+nan", "-nan", "infin", "1_0",
            "0x1p4", "1.2.3", "--1", "+-1", "1 ", "\u{661}", "1p3",
        ];
        for text in odd {
            assert_eq!(float(text.as_bytes()), None, "{text}");
        }
    }

    #[test]
    fn short_numbers_are_what_the_long_way_gives() {
        let mut seed = 1u64;
        for _ in 0..20_000 {
            seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            let whole = seed >> 34;
            let text = match seed >> 7 & 3 {
                0 => format!("{whole}"),
                1 => format!("-{}.{:05}", whole >> 12, whole & 0xffff),
                2 => format!("0.{whole:012}"),
                _ => format!("{}.{:03}", 1_600_000_000 + (whole >> 4), whole % 1000),
            };
            assert_eq!(float(text.as_bytes()), Some(text.parse().unwrap()), "{text}");
        }
    }

    #[test]
    #[allow(clippy::excessive_precision, reason = "exactly between two shorter ones")]
    fn numbers_are_written_as_go_writes_them() {
        let rows = [
            (1e6, "1e+06"),
            (0.0, "0"),
            (-17.0, "-17"),
            (999999.0, "999999"),
            (123456789.0, "1.23456789e+08"),
            (-0.0, "-0"),
            (1234567.5, "1.2345675e+06"),
            (1e21, "1e+21"),
            (1e-4, "0.0001"),
            (1e-5, "1e-05"),
            (0.00012345, "0.00012345"),
            (5e-324, "5e-324"),
            (f64::MAX, "1.7976931348623157e+308"),
            (f64::NAN, "NaN"),
            (f64::INFINITY, "+Inf"),
            (f64::NEG_INFINITY, "-Inf"),
            (0.1, "0.1"),
            // As near to ...63 and ...37.
            (94_316_539_697_488.625, "9.431653969748862e+13"),
            (94_316_539_697_488.375, "9.431653969748838e+13"),
        ];
        for (number, want) in rows {
            let mut out = Vec::new();
            put_float(number, &mut out);
            assert_eq!(String::from_utf8(out).unwrap(), want);
        }
    }

    /// The form that std gives, put together as Go does.
    fn plain_twin(number: f64, plain: Range<i32>) -> String {
        let text = format!("{number:e}");
        let (digits, power) = text.split_once('e').unwrap();
        let power: i32 = power.parse().unwrap();
        if plain.contains(&power) {
            number.to_string()
        } else {
            let sign = if power < 0 { '-' } else { '+' };
            format!("{digits}e{sign}{:02}", power.abs())
        }
    }

    /// Whether a number lies exactly between two texts of as many digits as its shortest has.
    fn is_between(number: f64) -> bool {
        let (shortest, exact) = (format!("{number:e}"), format!("{number:.800e}"));
        let len = shortest.find('e').unwrap();
        let rest = &exact[len..exact.find('e').unwrap()];
        rest.starts_with('5') && rest[1..].bytes().all(|byte| byte == b'0')
    }

    #[test]
    fn any_number_is_written_as_its_plain_twin_writes_it_but_for_ties() {
        let (mut random, mut tie_count) = (7u64, 0);
        let mut check = |number: f64| {
            for plain in [-4..6, -6..21] {
                let mut out = Vec::new();
                put_shortest(number, plain.clone(), &mut out);
                let (shown, twin) = (String::from_utf8(out).unwrap(), plain_twin(number, plain));
                if shown == twin {
                    continue;
                }
                // std rounds up there, Go to the even digit.
                assert!(is_between(number), "{shown}, not {twin}");
                assert_eq!((shown.parse(), shown.len()), (Ok(number), twin.len()));
                let digits = shown.split('e').next().unwrap();
                assert!("02468".contains(digits.chars().last().unwrap()), "{shown}");
                tie_count += 1;
            }
        };
        for power in -320..=308 {
            let least: f64 = format!("1e{power}").parse().unwrap();
            let numbers = [least, -least, least / 3.0, least.next_down(), least.next_up()];
            numbers.into_iter().for_each(&mut check);
        }
        for round in 0..40_000 {
            random = manicule_core::bytes::mix(random, 1);
            let any = f64::from_bits(random);
            let whole = (random >> (round % 64)) as f64;
            let scaled = whole / EXACT_POWERS[(random % 23) as usize];
            let halved = whole / f64::from(1 << (random % 8) as u32);
            let numbers = [any, whole, scaled, halved];
            numbers.into_iter().filter(|number| number.is_finite()).for_each(&mut check);
        }
        assert!(tie_count > 10, "{tie_count}");
    }

    #[test]
    fn whole_numbers_are_written() {
        for number in [0, 1, -1, 10, 999, 1_700_000_000_000, i64::MIN, i64::MAX] {
            let mut out = Vec::new();
            put_whole(number, &mut out);
            assert_eq!(String::from_utf8(out).unwrap(), number.to_string());
        }
    }

    #[test]
    fn bounds_have_one_form() {
        let rows = [
            ("1", "1.0"),
            ("0.50", "0.5"),
            ("1000000", "1e+06"),
            ("inf", "+Inf"),
            ("-0", "0.0"),
            ("12", "12.0"),
            ("nan", "NaN"),
            ("-1", "-1.0"),
            ("1e-7", "1e-07"),
        ];
        for (text, want) in rows {
            assert_eq!(canonical(text.as_bytes()).as_deref(), Some(want.as_bytes()), "{text}");
        }
        assert_eq!(canonical(b"many"), None);
    }
}
