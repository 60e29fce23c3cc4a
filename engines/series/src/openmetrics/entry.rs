//! Entries of either dialect: a sample, something about a metric, or that the text ends.

use super::number::float;
use super::scan::{Part, Quoted, Scan, Stop, Style};
use super::{Dialect, Kind};

/// An entry. A sample's series is the entry's first `series_len` bytes.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum Entry {
    Sample {
        series_len: usize,
        time: i64,
        value: f64,
    },
    /// Kind of the metrics from here on.
    Kind(Kind),
    /// A help text, a unit, a comment, an empty line.
    Nothing,
    /// Nothing may follow.
    End,
}

/// Both dialects write NaN in one way.
const NORMAL_NAN: u64 = 0x7ff8_0000_0000_0001;

/// Reads an entry, which a newline follows if `is_ended`.
pub(super) fn read(bytes: &[u8], is_ended: bool, dialect: Dialect) -> Result<Entry, Stop> {
    let mut scan = Scan::new(bytes);
    match dialect {
        Dialect::OpenMetrics if bytes.starts_with(b"#") => open_metrics_comment(scan, is_ended),
        Dialect::OpenMetrics => {
            scan.at = series(&mut scan, dialect)?;
            open_metrics_sample(scan, is_ended)
        }
        Dialect::Prometheus => {
            scan.skip_blanks();
            match scan.peek() {
                None => Ok(Entry::Nothing),
                Some(b'#') => prometheus_comment(scan, is_ended),
                Some(_) => {
                    scan.at = series(&mut scan, dialect)?;
                    prometheus_sample(scan, is_ended)
                }
            }
        }
    }
}

/// Reads the sample of an entry whose series is known to be its first `series_len` bytes.
pub(super) fn read_sample(
    bytes: &[u8],
    series_len: usize,
    is_ended: bool,
    dialect: Dialect,
) -> Result<Entry, Stop> {
    let scan = Scan { bytes, at: series_len };
    match dialect {
        Dialect::OpenMetrics => open_metrics_sample(scan, is_ended),
        Dialect::Prometheus => prometheus_sample(scan, is_ended),
    }
}

impl Dialect {
    pub(super) fn labels(self) -> Style {
        Style { is_loose: self == Dialect::Prometheus, is_exemplar: false }
    }
}

/// End of the next series.
fn series(scan: &mut Scan<'_>, dialect: Dialect) -> Result<usize, Stop> {
    walk_series(scan, dialect, &mut |_| ())?;
    Ok(scan.at)
}

/// Walks over the series that is next. A metric's name before the braces is given as
/// [`Part::Metric`], too.
pub(super) fn walk_series<'a>(
    scan: &mut Scan<'a>,
    dialect: Dialect,
    each: &mut impl FnMut(Part<'a>),
) -> Result<(), Stop> {
    let name = scan.metric_name();
    if !name.is_empty() {
        each(Part::Metric(name));
    }
    let end = scan.at;
    if dialect == Dialect::Prometheus && !name.is_empty() {
        scan.skip_blanks();
    }
    if scan.peek() != Some(b'{') {
        scan.at = end;
        let what = "a metric's name, an opening brace or a comment";
        return if name.is_empty() { Err(scan.fault(what)) } else { Ok(()) };
    }
    let open = scan.at;
    scan.at += 1;
    if !scan.labels(dialect.labels(), !name.is_empty(), each)? {
        return Err(Stop::Fault { at: open, what: "a name of the metric" });
    }
    Ok(())
}

/// The next run of characters that are neither blank nor NUL.
fn word<'a>(scan: &mut Scan<'a>, what: &'static str) -> Result<&'a [u8], Stop> {
    let word = scan.run(|byte| !matches!(byte, b' ' | b'\n' | 0));
    if word.is_empty() { Err(scan.fault(what)) } else { Ok(word) }
}

fn value(scan: &mut Scan<'_>) -> Result<f64, Stop> {
    let at = scan.at;
    let text = word(scan, "a value")?;
    let value = float(text).ok_or(Stop::Fault { at, what: "a value: a number, NaN or Inf" })?;
    Ok(if value.is_nan() { f64::from_bits(NORMAL_NAN) } else { value })
}

/// The last millisecond of the year 9999. Times after it are milliseconds that were taken for
/// seconds: nearly every time since February 1978 is, taken so.
const TIME_MAX: i64 = 253_402_300_799_999;
const TOO_LATE: &str = "a time in seconds, up to the year 9999 (are these milliseconds, as `--format prometheus` has them?)";

/// A time in seconds, in milliseconds.
fn seconds(scan: &mut Scan<'_>) -> Result<i64, Stop> {
    let at = scan.at;
    let text = word(scan, "a time")?;
    let fault = Stop::Fault { at, what: "a time in seconds since 1970" };
    // As Prometheus computes it: the product is rounded, then its fraction is cut off.
    let time = float(text).ok_or(fault)? * 1000.0;
    if time.is_finite() && time >= (TIME_MAX + 1) as f64 {
        return Err(Stop::Fault { at, what: TOO_LATE });
    }
    let fits = time.is_finite() && time >= i64::MIN as f64;
    if fits { Ok(time as i64) } else { Err(fault) }
}

fn open_metrics_sample(mut scan: Scan<'_>, is_ended: bool) -> Result<Entry, Stop> {
    let series_len = scan.at;
    scan.expect(b' ', "one blank, and a value")?;
    let value = value(&mut scan)?;
    let missing = "one blank, and a time in seconds (a block needs the time of every sample)";
    if scan.bytes[scan.at..].starts_with(b" # {") {
        return Err(scan.fault(missing));
    }
    scan.expect(b' ', missing)?;
    let time = seconds(&mut scan)?;
    if scan.bytes[scan.at..].starts_with(b" # {") {
        exemplar(&mut scan)?;
    }
    end_of_line(&scan, is_ended)?;
    Ok(Entry::Sample { series_len, time, value })
}

/// An exemplar is checked and left out: blocks hold none.
fn exemplar(scan: &mut Scan<'_>) -> Result<(), Stop> {
    scan.at += b" # {".len();
    let style = Style { is_loose: false, is_exemplar: true };
    scan.labels(style, false, &mut |_| ())?;
    scan.expect(b' ', "one blank, and the exemplar's value")?;
    value(scan)?;
    if scan.peek() == Some(b' ') {
        scan.at += 1;
        let at = scan.at;
        let fault = Stop::Fault { at, what: "the exemplar's time in seconds" };
        let time = float(word(scan, "the exemplar's time")?).ok_or(fault)?;
        if !time.is_finite() {
            return Err(fault);
        }
    }
    Ok(())
}

fn end_of_line(scan: &Scan<'_>, is_ended: bool) -> Result<(), Stop> {
    if scan.at < scan.bytes.len() {
        return Err(scan.fault("the end of the line"));
    }
    if !is_ended {
        return Err(scan.fault("a newline"));
    }
    Ok(())
}

fn open_metrics_comment(mut scan: Scan<'_>, is_ended: bool) -> Result<Entry, Stop> {
    scan.at += 1;
    scan.expect(b' ', "one blank, and HELP, TYPE, UNIT or EOF")?;
    let keyword = &scan.bytes[scan.at..];
    if let Some(rest) = keyword.strip_prefix(b"EOF") {
        scan.at += 3;
        return if rest.is_empty() { Ok(Entry::End) } else { Err(scan.fault(DATA_AFTER_END)) };
    }
    let keyword = match keyword.get(..5) {
        Some(b"HELP ") => Keyword::Help,
        Some(b"TYPE ") => Keyword::Type,
        Some(b"UNIT ") => Keyword::Unit,
        _ => return Err(scan.fault("HELP, TYPE, UNIT or EOF")),
    };
    scan.at += 5;
    let name = described_metric(&mut scan)?;
    scan.expect(b' ', "one blank behind the metric's name")?;
    about(scan, keyword, name, is_ended, Dialect::OpenMetrics)
}

/// Text after the end mark.
pub(super) const DATA_AFTER_END: &str = "nothing behind `# EOF`";

#[derive(Clone, Copy, PartialEq, Eq)]
enum Keyword {
    Help,
    Type,
    Unit,
}

fn described_metric<'a>(scan: &mut Scan<'a>) -> Result<&'a [u8], Stop> {
    if scan.peek() == Some(b'"') {
        return scan.quoted(Quoted::Name);
    }
    let name = scan.metric_name();
    if name.is_empty() { Err(scan.fault("a metric's name")) } else { Ok(name) }
}

/// The text of a comment about a metric, from here to the end of the line.
fn about(
    scan: Scan<'_>,
    keyword: Keyword,
    name: &[u8],
    is_ended: bool,
    dialect: Dialect,
) -> Result<Entry, Stop> {
    let text = &scan.bytes[scan.at..];
    if !is_ended {
        return Err(Stop::Fault { at: scan.bytes.len(), what: "a newline" });
    }
    match keyword {
        Keyword::Help => match str::from_utf8(text) {
            Ok(_) => Ok(Entry::Nothing),
            Err(error) => {
                let at = scan.at + error.valid_up_to();
                Err(Stop::Fault { at, what: "a help text in UTF-8" })
            }
        },
        Keyword::Type => kind(text, dialect).map(Entry::Kind).ok_or(scan.fault(match dialect {
            Dialect::OpenMetrics => {
                "a type: counter, gauge, histogram, gaugehistogram, summary, info, stateset or unknown"
            }
            Dialect::Prometheus => "a type: counter, gauge, histogram, summary or untyped",
        })),
        Keyword::Unit => {
            let before = name.strip_suffix(text);
            let is_suffix = text.is_empty() || before.is_some_and(|name| name.ends_with(b"_"));
            let fault = scan.fault("a unit that the metric's name ends with, behind an underscore");
            if is_suffix { Ok(Entry::Nothing) } else { Err(fault) }
        }
    }
}

fn kind(text: &[u8], dialect: Dialect) -> Option<Kind> {
    let more = dialect == Dialect::OpenMetrics;
    match text {
        b"histogram" => Some(Kind::Histogram),
        b"summary" => Some(Kind::Summary),
        b"counter" | b"gauge" => Some(Kind::Other),
        b"gaugehistogram" | b"info" | b"stateset" | b"unknown" if more => Some(Kind::Other),
        b"untyped" if !more => Some(Kind::Other),
        _ => None,
    }
}

fn prometheus_comment(mut scan: Scan<'_>, is_ended: bool) -> Result<Entry, Stop> {
    scan.at += 1;
    let begin = scan.at;
    scan.skip_blanks();
    let keyword = match scan.bytes[scan.at..].get(..5) {
        _ if scan.at == begin => return Ok(Entry::Nothing),
        Some(b"HELP " | b"HELP\t") => Keyword::Help,
        Some(b"TYPE " | b"TYPE\t") => Keyword::Type,
        _ => return Ok(Entry::Nothing),
    };
    scan.at += 5;
    scan.skip_blanks();
    let name = described_metric(&mut scan)?;
    // One character stands between the name and the text, whatever it is.
    scan.at = scan.bytes.len().min(scan.at + 1);
    about(scan, keyword, name, is_ended, Dialect::Prometheus)
}

fn prometheus_sample(mut scan: Scan<'_>, is_ended: bool) -> Result<Entry, Stop> {
    let series_len = scan.at;
    scan.skip_blanks();
    let at = scan.at;
    let text = scan.run(|byte| !matches!(byte, b'{' | b' ' | b'\t' | b'\n' | 0));
    let value = float(text).ok_or(Stop::Fault { at, what: "a value: a number, NaN or Inf" })?;
    let value = if value.is_nan() { f64::from_bits(NORMAL_NAN) } else { value };
    scan.skip_blanks();
    let at = scan.at;
    let digits = scan.run(|byte| byte.is_ascii_digit());
    let what = "a time in milliseconds since 1970 (a block needs the time of every sample)";
    let time = str::from_utf8(digits).ok().and_then(|digits| digits.parse().ok());
    let time = time.ok_or(Stop::Fault { at, what })?;
    scan.skip_blanks();
    end_of_line(&scan, is_ended)?;
    Ok(Entry::Sample { series_len, time, value })
}
