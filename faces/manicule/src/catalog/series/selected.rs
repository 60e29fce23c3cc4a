//! Conditions on labels as matchers, and on times as an interval.

use manicule_series::{Interval, MatchOp, Matcher};

use crate::answer::{Test, Value};
use crate::catalog::bounds::Bounds;

/// Matchers of the series whose label fulfils a test; `None` where matchers can't say it.
pub(super) fn matchers(label: &str, test: &Test) -> Option<Vec<Matcher>> {
    let (test, is_not) = match test {
        Test::Not(test) => (&**test, true),
        test => (test, false),
    };
    let of = |op: MatchOp, value: &str| {
        Matcher::new(label, if is_not { op.inverse() } else { op }, value).ok()
    };
    // A label that lacks is an empty one to matchers.
    let is_there = Matcher::new(label, MatchOp::NotEqual, "").ok()?;
    match test {
        Test::IsNull => Some(vec![of(MatchOp::Equal, "")?]),
        Test::In(values) => {
            let texts = values.iter().map(|value| match value {
                Value::Text(text) if !text.is_empty() => Some(text.as_str()),
                _ => None,
            });
            let texts = texts.collect::<Option<Vec<_>>>()?;
            let own = match texts[..] {
                [text] => of(MatchOp::Equal, text)?,
                _ => {
                    let each: Vec<String> = texts.iter().map(|text| escaped(text)).collect();
                    of(MatchOp::Regex, &each.join("|"))?
                }
            };
            Some(vec![own, is_there])
        }
        Test::Like(pattern) => {
            let mut regex = String::new();
            for char in pattern.chars() {
                match char {
                    '%' => regex.push_str(".*"),
                    '_' => regex.push('.'),
                    char => regex.push_str(&escaped(char.encode_utf8(&mut [0; 4]))),
                }
            }
            Some(vec![of(MatchOp::Regex, &regex)?, is_there])
        }
        Test::Below(..) | Test::Above(..) | Test::Not(_) => None,
    }
}

/// A text as a regular expression of itself.
fn escaped(text: &str) -> String {
    let mut escaped = String::new();
    for char in text.chars() {
        if r"\.+*?()|[]{}^$".contains(char) {
            escaped.push('\\');
        }
        escaped.push(char);
    }
    escaped
}

/// Narrows an interval to the times that fulfil a test; whether the interval says all of it.
pub(super) fn narrow(times: &mut Interval, test: &Test) -> bool {
    let mut bounds = Bounds { low: times.min_time, high: times.max_time };
    let is_all = bounds.narrow(test);
    (times.min_time, times.max_time) = (bounds.low, bounds.high);
    is_all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tests_become_matchers_that_leave_out_what_lacks() {
        let text = |text: &str| Value::Text(text.to_owned());
        let shown = |test: &Test| {
            let all = matchers("job", test)?;
            Some(all.iter().map(ToString::to_string).collect::<Vec<_>>().join(","))
        };
        let not = |test| Test::Not(Box::new(test));
        for (test, want) in [
            (Test::In(vec![text("a")]), Some(r#"job="a",job!="""#)),
            (not(Test::In(vec![text("a")])), Some(r#"job!="a",job!="""#)),
            (Test::In(vec![text("a.b"), text("c")]), Some(r#"job=~"a\\.b|c",job!="""#)),
            (Test::Like("a%_".to_owned()), Some(r#"job=~"a.*.",job!="""#)),
            (Test::IsNull, Some(r#"job="""#)),
            (not(Test::IsNull), Some(r#"job!="""#)),
            (Test::In(vec![text("")]), None),
            (Test::Below(text("b"), true), None),
        ] {
            assert_eq!(shown(&test).as_deref(), want, "{test:?}");
        }
    }
}
