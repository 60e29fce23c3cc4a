//! Conditions on numbers as an interval.

use crate::answer::{Test, Value};

/// The numbers from one to another, both included; none where the first is larger.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Bounds {
    pub(super) low: i64,
    pub(super) high: i64,
}

impl Bounds {
    /// All numbers.
    pub(super) const ALL: Bounds = Bounds { low: i64::MIN, high: i64::MAX };

    /// Leaves the numbers that fulfil a test; whether the interval says all of it.
    pub(super) fn narrow(&mut self, test: &Test) -> bool {
        let (low, high) = match test {
            Test::Above(Value::Int(number), or_equal) => {
                let low = if *or_equal { Some(*number) } else { number.checked_add(1) };
                (low, Some(i64::MAX))
            }
            Test::Below(Value::Int(number), or_equal) => {
                let high = if *or_equal { Some(*number) } else { number.checked_sub(1) };
                (Some(i64::MIN), high)
            }
            Test::In(values) => match values[..] {
                [Value::Int(number)] => (Some(number), Some(number)),
                _ => return false,
            },
            _ => return false,
        };
        let Some((low, high)) = low.zip(high) else { return false };
        (self.low, self.high) = (self.low.max(low), self.high.min(high));
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_narrowed_from_both_ends() {
        let mut bounds = Bounds::ALL;
        assert!(bounds.narrow(&Test::Above(Value::Int(3), false)));
        assert!(bounds.narrow(&Test::Below(Value::Int(9), true)));
        assert_eq!(bounds, Bounds { low: 4, high: 9 });
        assert!(bounds.narrow(&Test::In(vec![Value::Int(7)])));
        assert_eq!(bounds, Bounds { low: 7, high: 7 });
        assert!(!bounds.narrow(&Test::IsNull));
        assert!(!bounds.narrow(&Test::Above(Value::Int(i64::MAX), false)));
    }
}
