//! Expressions judged by Prometheus's own answers: 308 patterns, 10,794 pairs of pattern and value,
//! 44 refusals.

use manicule_series::{Accepts, MatchOp, Matcher};
use serde_json::Value;

/// The one pair in which Prometheus compares decomposed forms rather than what the expression says.
const EXEMPT: (&str, &str) = ("(?i)ff|aa|bb|cc|dd|ee|gg|hh|ii|jj|kk|ll|mm|nn|oo|pp|qq", "ﬀ");

fn table() -> Vec<Value> {
    let golden = manicule_testkit::golden_folder("series", "golden");
    let text = std::fs::read_to_string(golden.path().join("regex.jsonl")).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn text<'a>(case: &'a Value, key: &str) -> &'a str {
    case[key].as_str().unwrap_or_default()
}

#[test]
fn each_pair_is_judged_as_prometheus_does() {
    let (mut count, mut wrong) = (0, Vec::new());
    for case in table() {
        let pattern = text(&case, "pattern");
        let Ok(matcher) = Matcher::new("a", MatchOp::Regex, pattern) else { continue };
        for row in case["rows"].as_array().into_iter().flatten() {
            let value = row[0].as_str().unwrap();
            let want = row[1].as_bool().unwrap() && (pattern, value) != EXEMPT;
            count += 1;
            if matcher.matches(value.as_bytes()) != want {
                wrong.push(format!("{pattern:?} on {value:?}: want {want}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
    assert_eq!(count, 10_794);
}

#[test]
fn what_is_refused_is_refused_in_gos_words() {
    let (mut taken, mut refused) = (0, 0);
    for case in table() {
        let pattern = text(&case, "pattern");
        match Matcher::new("a", MatchOp::Regex, pattern) {
            Ok(_) => {
                assert_eq!(case.get("error"), None, "{pattern}");
                taken += 1;
            }
            Err(error) => {
                assert_eq!(error.to_string(), text(&case, "error"), "{pattern}");
                refused += 1;
            }
        }
    }
    assert_eq!((taken, refused), (264, 44));
}

#[test]
fn what_is_told_of_an_expression_holds() {
    for case in table() {
        let pattern = text(&case, "pattern");
        let Ok(matcher) = Matcher::new("a", MatchOp::Regex, pattern) else { continue };
        if let Some(set) = case["set"].as_array() {
            let mut set: Vec<&[u8]> = set.iter().map(|v| v.as_str().unwrap().as_bytes()).collect();
            set.sort_unstable();
            set.dedup();
            let Accepts::Values(values) = matcher.described() else { panic!("{pattern}") };
            assert_eq!(values, set, "{pattern}");
        } else if let Some(prefix) = case["prefix"].as_str() {
            let (Accepts::Prefix(ours) | Accepts::Some { prefix: ours }) = matcher.described()
            else {
                continue;
            };
            assert!(ours.starts_with(prefix.as_bytes()), "{pattern}: {}", ours.escape_ascii());
        }
        for row in case["rows"].as_array().into_iter().flatten() {
            let value = row[0].as_str().unwrap().as_bytes();
            let (has, may) = match matcher.described() {
                Accepts::Everything => (true, true),
                Accepts::NonEmpty => (!value.is_empty(), !value.is_empty()),
                Accepts::Values(values) => {
                    let is_in = values.iter().any(|v| v == value);
                    (is_in, is_in)
                }
                Accepts::Prefix(prefix) => (value.starts_with(prefix), value.starts_with(prefix)),
                Accepts::Some { prefix } => (false, value.starts_with(prefix)),
            };
            let is_match = matcher.matches(value);
            assert!((!has || is_match) && (may || !is_match), "{pattern} on {row}");
        }
    }
}

#[test]
fn negation_turns_every_answer() {
    for case in table().iter().take(80) {
        let Ok(matcher) = Matcher::new("a", MatchOp::Regex, text(case, "pattern")) else {
            continue;
        };
        let inverse = matcher.inverse();
        assert_eq!(inverse.op(), MatchOp::NotRegex);
        assert_ne!(matcher.matches_empty(), inverse.matches_empty());
        for row in case["rows"].as_array().into_iter().flatten() {
            let value = row[0].as_str().unwrap().as_bytes();
            assert_ne!(matcher.matches(value), inverse.matches(value), "{matcher:?}");
        }
    }
}
