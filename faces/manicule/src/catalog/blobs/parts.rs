//! Parts of a list: places that follow each other.

use std::ops::Range;

use serde_json::{Value as Json, json};

use crate::failure::Failure;

/// Divides a list into about this number of parts.
pub(super) fn ranges(len: usize, wanted: usize) -> Vec<Json> {
    let count = wanted.min(len).max(1);
    let at = |part: usize| (part as u128 * len as u128 / count as u128) as usize;
    (0..count).map(|part| json!({ "from": at(part), "to": at(part + 1) })).collect()
}

/// The places of a part; null is all of a list of this length.
pub(super) fn range(part: &Json, len: usize) -> Result<Range<usize>, Failure> {
    if part.is_null() {
        return Ok(0..len);
    }
    let edge = |name: &str| part[name].as_u64().and_then(|edge| usize::try_from(edge).ok());
    match edge("from").zip(edge("to")) {
        Some((from, to)) if from <= to && to <= len => Ok(from..to),
        _ => Err(Failure::asked(format!("{part} is no part of a list of {len}"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_all_of_a_list() {
        for (len, wanted, count) in [(0, 3, 1), (2, 3, 2), (7, 3, 3), (7, 1, 1)] {
            let parts = ranges(len, wanted);
            let places: Vec<usize> =
                parts.iter().flat_map(|part| range(part, len).unwrap()).collect();
            assert_eq!((parts.len(), places), (count, (0..len).collect()), "{len} {wanted}");
        }
        let error = range(&json!({ "from": 2, "to": 9 }), 8).unwrap_err().to_string();
        assert_eq!(error, "{\"from\":2,\"to\":9} is no part of a list of 8");
    }
}
