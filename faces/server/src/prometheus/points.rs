//! Samples of series as JSON: at steps of time, or those of a range.

use manicule::series::dump::{put_api_labels, put_api_value};
use manicule::series::query::{MergedRow, Steps, Timed, each_point};
use manicule::series::{Interval, Value};

use super::json::{Ended, Json};

/// What is shown of each series.
#[derive(Clone, Copy, Debug)]
pub(super) enum Shown {
    /// One value.
    Value { lookback: i64 },
    /// A value a step.
    Values { lookback: i64 },
    /// The samples of a range, in milliseconds.
    Samples { range: i64 },
}

/// A selector at steps of time.
#[derive(Debug)]
pub(super) struct Question {
    pub(super) timed: Timed,
    pub(super) steps: Steps,
    pub(super) shown: Shown,
}

/// The kinds of values, which have lists of their own.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    Floats,
    Histograms,
}

impl Part {
    fn of(value: &Value) -> Part {
        match value {
            Value::Float(_) => Part::Floats,
            _ => Part::Histograms,
        }
    }
}

impl Question {
    /// The times of the samples that it depends on.
    pub(super) fn times(&self) -> Interval {
        let (Shown::Value { lookback: back }
        | Shown::Values { lookback: back }
        | Shown::Samples { range: back }) = self.shown;
        self.timed.times(&self.steps, back)
    }

    /// Hands out times and values of a series.
    fn each(
        &self,
        row: &MergedRow<'_>,
        each: &mut dyn FnMut(i64, &Value) -> Result<(), Ended>,
    ) -> Result<(), Ended> {
        let mut samples = row.samples(self.times())?;
        match self.shown {
            Shown::Value { lookback } | Shown::Values { lookback } => {
                each_point(&mut samples, &self.timed, &self.steps, lookback, each)
            }
            Shown::Samples { .. } => {
                while let Some(sample) = samples.next()? {
                    if !sample.value.is_stale() {
                        each(sample.time, &sample.value)?;
                    }
                }
                Ok(())
            }
        }
    }
}

/// Writes series one after another, those without values left out.
pub(super) struct Writer<'w, 'o, 'm> {
    pub(super) question: &'w Question,
    pub(super) limit: Option<usize>,
    pub(super) json: &'w mut Json<'o, 'm>,
    pub(super) count: usize,
}

impl Writer<'_, '_, '_> {
    /// Writes a series. Floats come first, then, in another turn over the samples, histograms: so
    /// that neither waits in memory.
    pub(super) fn row(&mut self, row: &MergedRow<'_>) -> Result<(), Ended> {
        let mut begun = Begun { row, open: None, other: None };
        self.part(&mut begun, None)?;
        if let Some(other) = begun.other {
            self.json.put(b"],");
            begun.open = None;
            self.part(&mut begun, Some(other))?;
        }
        match (begun.open, self.question.shown) {
            (None, _) => {}
            (Some(_), Shown::Value { .. }) => self.json.put(b"}"),
            (Some(_), _) => self.json.put(b"]}"),
        }
        self.json.step()?;
        Ok(())
    }

    fn part(&mut self, begun: &mut Begun<'_, '_>, only: Option<Part>) -> Result<(), Ended> {
        self.question.each(begun.row, &mut |time, value| {
            let part = Part::of(value);
            if begun.open != Some(part) {
                let is_other = begun.open.is_some() || only.is_some_and(|only| only != part);
                if is_other {
                    begun.other = Some(part);
                    return Ok(());
                }
                self.begin(begun, part, only.is_none())?;
                begun.open = Some(part);
            } else {
                self.json.put(b",");
            }
            self.point(time, value);
            self.json.step()?;
            Ok(())
        })
    }

    /// Writes what comes before the first value; before the first part the labels, too.
    fn begin(&mut self, begun: &Begun<'_, '_>, part: Part, is_first: bool) -> Result<(), Ended> {
        if is_first {
            if self.limit == Some(self.count) {
                return Err(Ended::Enough);
            }
            self.json.put(if self.count == 0 { b"{\"metric\":" } else { b",{\"metric\":" });
            put_api_labels(&begun.row.labels, &mut self.json.text);
            self.json.put(b",");
            self.count += 1;
        }
        self.json.put(match (part, self.question.shown) {
            (Part::Floats, Shown::Value { .. }) => b"\"value\":",
            (Part::Histograms, Shown::Value { .. }) => b"\"histogram\":",
            (Part::Floats, _) => b"\"values\":[",
            (Part::Histograms, _) => b"\"histograms\":[",
        });
        Ok(())
    }

    fn point(&mut self, time: i64, value: &Value) {
        let out = &mut self.json.text;
        out.push(b'[');
        put_time(time, out);
        out.push(b',');
        put_api_value(value, out);
        out.push(b']');
    }
}

/// A series that is being written.
struct Begun<'r, 'b> {
    row: &'r MergedRow<'b>,
    /// The list that is open.
    open: Option<Part>,
    /// What was passed over.
    other: Option<Part>,
}

/// Writes a time in seconds, with three digits after the point unless they are zeros.
pub(super) fn put_time(time: i64, out: &mut Vec<u8>) {
    if time < 0 {
        out.push(b'-');
    }
    let (seconds, rest) = (time.unsigned_abs() / 1000, time.unsigned_abs() % 1000);
    put_whole(seconds, out);
    if rest > 0 {
        let digit = |of: u64| b'0' + (rest / of % 10) as u8;
        out.extend_from_slice(&[b'.', digit(100), digit(10), digit(1)]);
    }
}

fn put_whole(number: u64, out: &mut Vec<u8>) {
    let (mut digits, mut at, mut left) = ([0; 20], 20, number);
    loop {
        at -= 1;
        digits[at] = b'0' + (left % 10) as u8;
        left /= 10;
        if left == 0 {
            return out.extend_from_slice(&digits[at..]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::put_time;

    #[test]
    fn times_are_seconds_and_thousandths() {
        for (time, want) in [
            (0, "0"),
            (1_700_000_000_000, "1700000000"),
            (1_700_000_000_014, "1700000000.014"),
            (-1500, "-1.500"),
            (i64::MIN, "-9223372036854775.808"),
        ] {
            let mut text = Vec::new();
            put_time(time, &mut text);
            assert_eq!(String::from_utf8(text).unwrap(), want);
        }
    }
}
