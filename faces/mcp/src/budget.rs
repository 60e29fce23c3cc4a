//! Answers that fit their budget: how much of a report is left out, and said.

use serde::Serialize;
use serde_json::{Value, json};

/// Lengths that arrays of a report are cut to, one after the other, until it fits.
const LENGTHS: [usize; 8] = [1000, 300, 100, 30, 10, 3, 1, 0];

/// Length of a value as JSON, in bytes.
pub(crate) fn len(value: &impl Serialize) -> usize {
    serde_json::to_vec(value).map_or(0, |bytes| bytes.len())
}

/// What was left out of a report: where, and how much.
pub(crate) type Cuts = Vec<Value>;

/// A report within a budget of bytes: its arrays are shortened, all to the same length, as far as
/// is needed. `Null` of one that is too long without them.
pub(crate) fn fit(report: Value, budget: usize) -> (Value, Cuts) {
    if len(&report) <= budget {
        return (report, Cuts::new());
    }
    for length in LENGTHS {
        let (mut short, mut cuts) = (report.clone(), Cuts::new());
        shorten(&mut short, length, "", &mut cuts);
        if len(&short) + len(&cuts) <= budget {
            return (short, cuts);
        }
    }
    (Value::Null, vec![json!({ "at": "", "shown": 0, "of": 1 })])
}

fn shorten(value: &mut Value, length: usize, at: &str, cuts: &mut Cuts) {
    match value {
        Value::Array(items) => {
            if items.len() > length {
                cuts.push(json!({ "at": at, "shown": length, "of": items.len() }));
                items.truncate(length);
            }
            for (place, item) in items.iter_mut().enumerate() {
                shorten(item, length, &format!("{at}/{place}"), cuts);
            }
        }
        Value::Object(fields) => {
            for (name, field) in fields {
                shorten(field, length, &format!("{at}/{name}"), cuts);
            }
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arrays_are_shortened_until_a_report_fits() {
        let numbers = |count: usize| (0..count).collect::<Vec<_>>();
        let report =
            json!({ "name": "x", "list": numbers(500), "deep": [{ "list": numbers(20) }] });
        assert_eq!(fit(report.clone(), 1 << 20), (report.clone(), vec![]));
        let (short, cuts) = fit(report.clone(), 200);
        assert_eq!(
            short,
            json!({ "name": "x", "list": numbers(10), "deep": [{ "list": numbers(10) }] })
        );
        let cut = |at, of| json!({ "at": at, "shown": 10, "of": of });
        assert_eq!(cuts, [cut("/deep/0/list", 20), cut("/list", 500)]);
        let (none, cuts) = fit(report, 5);
        assert_eq!((none, cuts.len()), (Value::Null, 1));
    }
}
