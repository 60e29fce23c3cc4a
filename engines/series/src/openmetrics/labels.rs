//! A series' labels, as a block holds them: without escapes and empty values, sorted by name.

use std::fmt;

use super::entry::walk_series;
use super::number::canonical;
use super::scan::{Part, Scan, unescape};
use super::{Dialect, Kind};

/// Names and values, sorted by name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LabelSet {
    labels: Vec<(Vec<u8>, Vec<u8>)>,
}

/// Error of a series that can't be in a block.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum LabelError {
    /// No label has a value.
    Empty,
    /// Two labels have the same name.
    Twice(Vec<u8>),
    /// A label's name is empty.
    Nameless,
}

impl fmt::Display for LabelError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LabelError::Empty => f.write_str("a label with a value"),
            LabelError::Twice(name) => {
                let name = String::from_utf8_lossy(name);
                write!(f, "one label called {name:?}, there are two")
            }
            LabelError::Nameless => f.write_str("a name of the label"),
        }
    }
}

impl LabelSet {
    /// The labels of a series that was read before.
    pub(super) fn decode(text: &[u8], dialect: Dialect, kind: Kind) -> Result<Self, LabelError> {
        let mut labels = Vec::new();
        let mut each = |part: Part<'_>| {
            let (name, value) = match part {
                Part::Metric(name) => (&b"__name__"[..], name),
                Part::Label(name, value) => (name, value),
            };
            labels.push((plain(name), plain(value)));
        };
        let mut scan = Scan::new(text);
        scan.skip_blanks();
        let walked = walk_series(&mut scan, dialect, &mut each);
        assert!(walked.is_ok(), "the parser gives only series that it could walk over");
        let number: &[u8] = match kind {
            Kind::Histogram => b"le",
            Kind::Summary => b"quantile",
            Kind::Other => b"",
        };
        // The metric's name is none of them, whatever its label is called.
        for (name, value) in &mut labels {
            if !number.is_empty()
                && name == number
                && let Some(form) = canonical(value)
            {
                *value = form;
            }
        }
        Self::new(labels)
    }

    /// Of any labels. An empty value says that there is no label of its name, whatever else is said
    /// of it.
    pub fn new(mut labels: Vec<(Vec<u8>, Vec<u8>)>) -> Result<Self, LabelError> {
        labels.sort_by(|left, right| left.0.cmp(&right.0));
        let absent: Vec<Vec<u8>> = labels
            .iter()
            .filter(|(_, value)| value.is_empty())
            .map(|(name, _)| name.clone())
            .collect();
        labels.retain(|(name, _)| absent.binary_search(name).is_err());
        if let Some(pair) = labels.windows(2).find(|pair| pair[0].0 == pair[1].0) {
            return Err(LabelError::Twice(pair[0].0.clone()));
        }
        match labels.first() {
            None => Err(LabelError::Empty),
            Some((name, _)) if name.is_empty() => Err(LabelError::Nameless),
            Some(_) => Ok(LabelSet { labels }),
        }
    }

    /// Names and values, by name.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&[u8], &[u8])> {
        self.labels.iter().map(|(name, value)| (&name[..], &value[..]))
    }
}

fn plain(raw: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(raw.len());
    unescape(raw, &mut out);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, kind: Kind, want: &str) {
        let got = match LabelSet::decode(text.as_bytes(), Dialect::OpenMetrics, kind) {
            Err(error) => error.to_string(),
            Ok(labels) => labels
                .iter()
                .map(|(name, value)| {
                    format!("{}={} ", String::from_utf8_lossy(name), String::from_utf8_lossy(value))
                })
                .collect(),
        };
        assert_eq!(got.trim_end(), want, "{text}");
    }

    #[test]
    fn labels_are_sorted_and_without_escapes() {
        check("up", Kind::Other, "__name__=up");
        check(r#"up{b="1",a="\"2\\"}"#, Kind::Other, r#"__name__=up a="2\ b=1"#);
        check(r#"{"my \"metric\"","a b"="c"}"#, Kind::Other, r#"__name__=my "metric" a b=c"#);
    }

    #[test]
    fn empty_values_are_no_labels() {
        check(r#"up{a=""}"#, Kind::Other, "__name__=up");
        check(r#"up{a="",a="x"}"#, Kind::Other, "__name__=up");
        check(r#"{""}"#, Kind::Other, "a label with a value");
        check(r#"up{__name__=""}"#, Kind::Other, "a label with a value");
    }

    #[test]
    fn names_are_there_once() {
        check(r#"up{a="1",a="1"}"#, Kind::Other, r#"one label called "a", there are two"#);
        check(r#"up{__name__="x"}"#, Kind::Other, r#"one label called "__name__", there are two"#);
        check(r#"up{""="x"}"#, Kind::Other, "a name of the label");
    }

    #[test]
    fn bounds_are_numbers_of_one_form() {
        check(r#"b{le="1"}"#, Kind::Histogram, "__name__=b le=1.0");
        check(r#"b{le="1"}"#, Kind::Summary, "__name__=b le=1");
        check(r#"b{quantile="0.50"}"#, Kind::Summary, "__name__=b quantile=0.5");
        check(r#"b{le="x"}"#, Kind::Histogram, "__name__=b le=x");
    }
}
