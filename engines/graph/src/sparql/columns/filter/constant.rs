//! A constant number that the ids of a column are compared with.

use std::cmp::Ordering;

use crate::term::inline::exact_value;
use crate::{Id, Tag};

/// A constant that is an exact number. Numbers of one tag rise with their payloads, so that the
/// constant lies at a payload of each tag.
pub(in crate::sparql) struct Bound {
    value: i128,
    /// The tag that was asked for last, and where the constant lies among its numbers.
    last: (Tag, Place),
}

/// Where a number lies among those of a tag.
#[derive(Clone, Copy)]
enum Place {
    /// At this payload.
    At(u64),
    /// Before this payload, and after the one before it.
    Before(u64),
    /// The tag is not that of exact numbers.
    Nowhere,
}

impl Bound {
    /// A constant; none if it is no exact number.
    pub(in crate::sparql) fn new(constant: u64) -> Option<Bound> {
        let (value, _) = exact_value(Id(constant))?;
        let tag = Id(constant).tag();
        Some(Bound { value, last: (tag, place_of(value, tag)) })
    }

    /// The order of an id's number and the constant; none if the id is that of no exact number.
    #[inline]
    pub(in crate::sparql) fn order(&mut self, id: u64) -> Option<Ordering> {
        let tag = Id(id).tag();
        if tag != self.last.0 {
            self.last = (tag, place_of(self.value, tag));
        }
        let payload = Id(id).payload();
        match self.last.1 {
            Place::At(at) => Some(payload.cmp(&at)),
            Place::Before(next) if payload < next => Some(Ordering::Less),
            Place::Before(_) => Some(Ordering::Greater),
            Place::Nowhere => None,
        }
    }
}

/// Where a number, times [`crate::term::inline::EXACT_SCALE`], lies among those of a tag.
fn place_of(value: i128, tag: Tag) -> Place {
    let number = |payload| exact_value(Id::new(tag, payload)).map(|(number, _)| number);
    let (Some(zero), Some(one)) = (number(0), number(1)) else { return Place::Nowhere };
    let (above, unit) = (value - zero, one - zero);
    let payload = |steps: i128| u64::try_from(steps.max(0)).unwrap_or(u64::MAX);
    match above.rem_euclid(unit) {
        0 if above >= 0 => Place::At(payload(above / unit)),
        _ => Place::Before(payload(above.div_euclid(unit) + 1)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::term::inline::compare_inlined;
    use manicule_testkit::Rng;

    #[test]
    fn constants_compare_with_ids_of_every_tag_as_values_do() {
        let mut rng = Rng::new(15);
        let zero = 1_u64 << 55;
        let ids: Vec<u64> = (0..=255)
            .flat_map(|tag| {
                let near = [0, zero, Id::PAYLOAD_MAX].into_iter();
                let near = near.flat_map(|at| [at.saturating_sub(1), at, at + 1]);
                let near: Vec<u64> =
                    near.chain((0..20).map(|_| zero + rng.below(2000) as u64)).collect();
                near.into_iter().map(move |at| Id::new(Tag(tag), at.min(Id::PAYLOAD_MAX)).0)
            })
            .collect();
        let exact: Vec<u64> =
            ids.iter().copied().filter(|id| exact_value(Id(*id)).is_some()).collect();
        assert!(exact.len() > 500, "numbers of several tags");
        for constant in exact.iter().step_by(7) {
            let mut bound = Bound::new(*constant).expect("an exact number");
            for id in &ids {
                let want =
                    exact_value(Id(*id)).and_then(|_| compare_inlined(Id(*id), Id(*constant)));
                assert_eq!(bound.order(*id), want, "{:?} and {:?}", Id(*id), Id(*constant));
            }
        }
        assert!(Bound::new(Id::new(Tag::IRI, 7).0).is_none());
    }
}
