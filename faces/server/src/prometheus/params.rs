//! Parameters of Prometheus' API, as its server reads them.

use manicule::series::query::parse_duration;
use manicule::series::{Matcher, Selector};
use manicule::times;

use super::error::ApiError;

/// Maximum number of matchers of a request: each may cost memory for every block.
pub(super) const MATCHERS_MAX: usize = 500;

/// The least and the greatest time that Prometheus' API writes: clients send them for "always".
const ALWAYS: [(&str, i64); 2] =
    [("-292273086-05-16T16:47:06Z", i64::MIN), ("+292277025-08-18T07:12:54.999999999Z", i64::MAX)];

/// Parameters, in the order in which they came: those of a form before those of the URL.
#[derive(Clone, Debug, Default)]
pub(crate) struct Params {
    pairs: Vec<(String, String)>,
}

impl Params {
    /// Reads texts as forms have them. What is not UTF-8 becomes U+FFFD.
    pub(crate) fn parse(texts: [&[u8]; 2]) -> Params {
        let pairs = texts.into_iter().flat_map(form_urlencoded::parse);
        Params { pairs: pairs.map(|(name, value)| (name.into(), value.into())).collect() }
    }

    /// The first value of a parameter; an empty one is none.
    pub(super) fn get(&self, name: &str) -> Option<&str> {
        let found = self.pairs.iter().find(|(own, _)| own == name);
        found.map(|(_, value)| value.as_str()).filter(|value| !value.is_empty())
    }

    /// The first value as a time in milliseconds.
    pub(super) fn time(&self, name: &'static str) -> Result<Option<i64>, ApiError> {
        self.get(name)
            .map(|text| {
                time_of(text).ok_or_else(|| {
                    let what = format!("invalid time value for '{name}': cannot parse ");
                    ApiError::param(name, format!("{what}{text:?} to a valid timestamp"))
                })
            })
            .transpose()
    }

    /// As [`Params::time`], where there must be one.
    pub(super) fn needed_time(&self, name: &'static str) -> Result<i64, ApiError> {
        let text = self.get(name).unwrap_or_default();
        time_of(text).ok_or_else(|| {
            ApiError::param(name, format!("cannot parse {text:?} to a valid timestamp"))
        })
    }

    /// The first value as a duration in nanoseconds: seconds, or with units.
    pub(super) fn duration(&self, name: &'static str) -> Result<Option<i64>, ApiError> {
        self.get(name).map(|text| self.duration_of(name, text)).transpose()
    }

    /// As [`Params::duration`], where there must be one.
    pub(super) fn needed_duration(&self, name: &'static str) -> Result<i64, ApiError> {
        self.duration_of(name, self.get(name).unwrap_or_default())
    }

    fn duration_of(&self, name: &'static str, text: &str) -> Result<i64, ApiError> {
        let fault = |more: &str| {
            ApiError::param(name, format!("cannot parse {text:?} to a valid duration{more}"))
        };
        match number_of(text) {
            Some(seconds) if (seconds * 1e9).abs() < i64::MAX as f64 => Ok((seconds * 1e9) as i64),
            Some(_) => Err(fault(". It overflows int64")),
            None => match parse_duration(text) {
                Some(milliseconds) => Ok(milliseconds.saturating_mul(1_000_000)),
                None => Err(fault("")),
            },
        }
    }

    /// Maximum number of items of the answer; `None` of 0.
    pub(super) fn limit(&self) -> Result<Option<usize>, ApiError> {
        let Some(text) = self.get("limit") else { return Ok(None) };
        let limit: i64 = text.parse().map_err(|_| {
            let what = format!("strconv.Atoi: parsing {text:?}: invalid syntax");
            ApiError::param("limit", what)
        })?;
        match usize::try_from(limit) {
            Ok(0) => Ok(None),
            Ok(limit) => Ok(Some(limit)),
            Err(_) => Err(ApiError::param("limit", "limit must be non-negative")),
        }
    }

    /// The selectors of `match[]`, each with a matcher that needs a value.
    pub(super) fn selectors(&self) -> Result<Vec<Selector>, ApiError> {
        let texts = self.pairs.iter().filter(|(name, _)| name == "match[]");
        let (mut selectors, mut matchers) = (Vec::new(), 0);
        for (_, text) in texts {
            let selector = Selector::parse(text)
                .map_err(|error| ApiError::param("match[]", error.to_string()))?;
            if selector.matchers().iter().all(Matcher::matches_empty) {
                let what = "match[] must contain at least one non-empty matcher";
                return Err(ApiError::param("match[]", what));
            }
            matchers += selector.matchers().len();
            check_count(matchers)?;
            selectors.push(selector);
        }
        Ok(selectors)
    }
}

/// Fails where there are too many matchers.
pub(super) fn check_count(matchers: usize) -> Result<(), ApiError> {
    if matchers <= MATCHERS_MAX {
        return Ok(());
    }
    Err(ApiError::bad(format!("more than {MATCHERS_MAX} label matchers in one request")))
}

/// A number as Go reads it; an infinite one and what is none are no times.
fn number_of(text: &str) -> Option<f64> {
    text.parse::<f64>().ok().filter(|number| number.is_finite())
}

/// Milliseconds since 1970 of seconds, with a fraction, or of RFC 3339.
fn time_of(text: &str) -> Option<i64> {
    if let Some(seconds) = number_of(text) {
        let fraction = (seconds.fract() * 1000.0).round() as i64;
        return Some((seconds.trunc() as i64).saturating_mul(1000).saturating_add(fraction));
    }
    let always = ALWAYS.iter().find(|(own, _)| *own == text);
    always.map(|(_, time)| *time).or_else(|| times::of_rfc_3339(text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_numbers_or_rfc_3339() {
        for (text, want) in [
            ("1700000000", Some(1_700_000_000_000)),
            ("1700000000.0144", Some(1_700_000_000_014)),
            ("-1.5", Some(-1500)),
            ("1e9", Some(1_000_000_000_000)),
            ("2023-11-14T22:13:20Z", Some(1_700_000_000_000)),
            ("2023-11-15T00:13:20.5+02:00", Some(1_700_000_000_500)),
            ("2023-11-14", None),
            ("-292273086-05-16T16:47:06Z", Some(i64::MIN)),
            ("1e300", Some(i64::MAX)),
            ("NaN", None),
            ("Inf", None),
            ("x", None),
        ] {
            assert_eq!(time_of(text), want, "{text}");
        }
    }

    #[test]
    fn parameters_of_forms_come_first() {
        let params = Params::parse([b"query=up%7Bjob%3D%22a%22%7D&limit=", b"query=no&time=1+2"]);
        assert_eq!(params.get("query"), Some("up{job=\"a\"}"));
        assert_eq!(params.get("time"), Some("1 2"));
        assert_eq!(params.get("limit"), None);
        assert_eq!(params.get("step"), None);
    }

    #[test]
    fn durations_are_seconds_or_have_units() {
        for (text, want) in [("30", 30_000_000_000), ("1m", 60_000_000_000), ("0.0005", 500_000)] {
            let params = Params::parse([format!("step={text}").as_bytes(), b""]);
            assert_eq!(params.needed_duration("step").ok(), Some(want), "{text}");
        }
        for text in ["", "x", "1e300", "NaN", "5x"] {
            let params = Params::parse([format!("step={text}").as_bytes(), b""]);
            assert!(params.needed_duration("step").is_err(), "{text}");
        }
    }
}
