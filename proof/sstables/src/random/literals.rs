//! Values of all types, as CQL writes them: ordinary ones, and those at the edges.

use manicule_testkit::Rng;

use super::kinds::Kind;

/// Texts in which each character has to be written otherwise somewhere.
const TEXTS: [&str; 16] = [
    "",
    "a",
    "b",
    "zz",
    "A",
    "with space",
    "quote ' here",
    "\"double\"",
    "back\\slash",
    "tab\there",
    "line\nbreak",
    "é",
    "日本",
    "🦀",
    "\u{7f}\u{1}",
    "a/b</script>\u{2028}",
];

/// A value of a type.
pub(super) fn literal(rng: &mut Rng, kind: &Kind) -> String {
    match kind {
        Kind::Plain(name) => plain(rng, name),
        Kind::List(item) => format!("[{}]", several(rng, item)),
        Kind::Set(item) => format!("{{{}}}", several(rng, item)),
        Kind::Map(key, value) => {
            let count = rng.below(4);
            let pairs: Vec<String> = (0..count)
                .map(|_| format!("{}: {}", literal(rng, key), literal(rng, value)))
                .collect();
            format!("{{{}}}", pairs.join(", "))
        }
        Kind::Tuple(fields) => {
            let fields: Vec<String> = fields.iter().map(|kind| or_null(rng, kind)).collect();
            format!("({})", fields.join(", "))
        }
        Kind::User(_, fields) => {
            let fields: Vec<String> = fields
                .iter()
                .map(|(name, kind)| format!("{name}: {}", or_null(rng, kind)))
                .collect();
            format!("{{{}}}", fields.join(", "))
        }
        Kind::Vector(dimension) => {
            let items: Vec<String> = (0..*dimension).map(|_| plain(rng, "float")).collect();
            format!("[{}]", items.join(", "))
        }
    }
}

fn several(rng: &mut Rng, kind: &Kind) -> String {
    let count = rng.below(5);
    let items: Vec<String> = (0..count).map(|_| literal(rng, kind)).collect();
    items.join(", ")
}

fn or_null(rng: &mut Rng, kind: &Kind) -> String {
    if rng.one_in(5) { "null".to_owned() } else { literal(rng, kind) }
}

fn plain(rng: &mut Rng, name: &str) -> String {
    match name {
        "ascii" => quoted(&ascii(rng)),
        "text" => quoted(&text(rng)),
        "blob" => blob(rng),
        "boolean" => rng.pick(&["true", "false"]).to_owned(),
        "tinyint" => (rng.bits() as i8).to_string(),
        "smallint" => (rng.bits() as i16).to_string(),
        "int" => small_or(rng, |bits| i64::from(bits as i32)).to_string(),
        "bigint" => small_or(rng, |bits| bits as i64).to_string(),
        "varint" => varint(rng),
        "decimal" => decimal(rng),
        "float" | "double" => float(rng),
        "date" => date(rng),
        "time" => time(rng),
        "timestamp" => timestamp(rng).to_string(),
        "uuid" => uuid(rng, 0x4),
        "timeuuid" => uuid(rng, 0x1),
        "inet" => inet(rng),
        "duration" => duration(rng),
        other => unreachable!("a type that is called {other}"),
    }
}

/// One of a few small numbers, or any.
fn small_or(rng: &mut Rng, any: impl Fn(u64) -> i64) -> i64 {
    if rng.one_in(2) { rng.below(10) as i64 - 3 } else { any(rng.bits()) }
}

pub(super) fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "''"))
}

fn ascii(rng: &mut Rng) -> String {
    let len = rng.below(12);
    (0..len).map(|_| (32 + rng.below(95)) as u8 as char).collect()
}

fn text(rng: &mut Rng) -> String {
    match rng.below(20) {
        0 => "long ".repeat(200 + rng.below(400)),
        1..=4 => ascii(rng),
        _ => rng.pick(&TEXTS).to_owned(),
    }
}

fn blob(rng: &mut Rng) -> String {
    let len = if rng.one_in(10) { rng.below(3000) } else { rng.below(20) };
    (0..len).fold("0x".to_owned(), |text, _| text + &format!("{:02x}", rng.bits() as u8))
}

fn varint(rng: &mut Rng) -> String {
    let digits = 1 + rng.below(40);
    let sign = if rng.one_in(2) { "-" } else { "" };
    let tail: String = (0..digits).map(|_| (b'0' + rng.below(10) as u8) as char).collect();
    format!("{sign}{}{tail}", 1 + rng.below(9))
}

fn decimal(rng: &mut Rng) -> String {
    match rng.below(5) {
        0 => rng.pick(&["0", "0.0", "0E+5", "-1.00", "1E+10", "1E-10", "1E+400", "-1E-400"]).into(),
        _ => format!("{}.{}", varint(rng), rng.below(1_000_000)),
    }
}

fn float(rng: &mut Rng) -> String {
    const EDGES: [&str; 9] = [
        "NaN",
        "Infinity",
        "-Infinity",
        "0.0",
        "-0.0",
        "1.0E-45",
        "3.4028235E38",
        "4.9E-324",
        "1.0E7",
    ];
    match rng.below(4) {
        0 => rng.pick(&EDGES).to_owned(),
        1 => format!("{:?}", rng.below(100_000) as f64 / 100.0),
        2 => format!("{:E}", f32::from_bits(rng.bits() as u32 & 0xff7f_ffff)),
        _ => match f64::from_bits(rng.bits()) {
            finite if finite.is_finite() => format!("{finite:E}"),
            _ => "1.5".to_owned(),
        },
    }
}

fn date(rng: &mut Rng) -> String {
    let (year, month, day) = (1 + rng.below(9999), 1 + rng.below(12), 1 + rng.below(28));
    format!("'{year:04}-{month:02}-{day:02}'")
}

fn time(rng: &mut Rng) -> String {
    let (hour, minute, second) = (rng.below(24), rng.below(60), rng.below(60));
    let nanos = rng.pick(&[0, 1, 1_000, 120_000_000, 999_999_999]);
    format!("'{hour:02}:{minute:02}:{second:02}.{nanos:09}'")
}

/// Milliseconds from the year -200 to 10400.
fn timestamp(rng: &mut Rng) -> i64 {
    match rng.below(4) {
        0 => rng.pick(&[0, -1, 1, 999, 1_500_000_000_000]),
        _ => (rng.bits() % 335_000_000_000_000) as i64 - 68_000_000_000_000,
    }
}

fn uuid(rng: &mut Rng, version: u64) -> String {
    let (high, low) = (rng.bits(), rng.bits());
    let high = high & 0xffff_ffff_ffff_0fff | version << 12;
    let low = low & 0x3fff_ffff_ffff_ffff | 0x8000_0000_0000_0000;
    let (first, second, third) = (high >> 32, high >> 16 & 0xffff, high & 0xffff);
    format!(
        "{first:08x}-{second:04x}-{third:04x}-{:04x}-{:012x}",
        low >> 48,
        low & 0xffff_ffff_ffff
    )
}

fn inet(rng: &mut Rng) -> String {
    let bits = rng.bits();
    match rng.below(3) {
        0 => format!("'2001:db8:{:x}::{:x}'", bits & 0xffff, bits >> 48),
        1 => {
            rng.pick(&["'::1'", "'fe80::1:0:0:2'", "'::'", "'0.0.0.0'", "'255.255.255.255'"]).into()
        }
        _ => {
            format!("'{}.{}.{}.{}'", bits as u8, (bits >> 8) as u8, (bits >> 16) as u8, bits >> 56)
        }
    }
}

fn duration(rng: &mut Rng) -> String {
    let sign = if rng.one_in(3) { "-" } else { "" };
    let mut parts = Vec::new();
    for unit in ["y", "mo", "w", "d", "h", "m", "s", "ms", "us", "ns"] {
        if rng.one_in(3) {
            parts.push(format!("{}{unit}", 1 + rng.below(50)));
        }
    }
    if parts.is_empty() { "1ns".to_owned() } else { format!("{sign}{}", parts.concat()) }
}
