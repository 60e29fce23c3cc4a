//! Terms of a generation: numbers without a gap, bytes that are terms, each term once, the sorted
//! ones in order.

use manicule_core::findings::Report;
use manicule_core::watch::{Phase, Unit};
use manicule_format_leaf::dictionary::{Section, Terms};
use manicule_format_leaf::{Id, Tag};

use super::checked::Checked;
use crate::dictionary::{Segment, TEXT_TAGS};
use crate::error::GraphError;
use crate::snapshot::generation::Generation;
use crate::term::inline::inlined;
use crate::term::{TermRef, decode_term};

pub(super) fn check_terms(
    checked: &mut Checked<'_>,
    root: &str,
    generation: &Generation,
) -> Result<(), GraphError> {
    let count = generation.segments().iter().map(|segment| segment.count()).sum();
    let meter = checked.watch.phase(Phase::Verifying, Unit::Terms, count);
    let mut steps = meter.steps();
    for tag in TEXT_TAGS {
        let sorted_below = generation.manifest().sorted_below.of(tag);
        let next_blank = generation.manifest().next_numbers.of(Tag::BLANK);
        let mut pass = Pass { tag, sorted_below, next_blank, last: None };
        let mut next = 0;
        for (at, segment) in generation.segments().iter().enumerate() {
            let mut report = Report::default();
            let section = report.ok("table", segment.dictionary().section(tag)).flatten();
            if let Some(section) = section {
                let numbers = section.numbers();
                if numbers.start != next {
                    report.find(
                        "table",
                        0,
                        format!("first number of {tag:?}"),
                        next,
                        numbers.start,
                    );
                }
                next = numbers.end;
                checked.counts.terms += section.count();
                let others = &generation.segments()[..at];
                let mut step = || steps.add(1);
                let read = pass.section(&section, others, &mut report, &mut step);
                let name = checked.name_of(segment.path());
                checked.take(&name, report);
                checked.taken(read)?;
                continue;
            }
            let name = checked.name_of(segment.path());
            checked.take(&name, report);
        }
        let want = generation.manifest().next_numbers.of(tag);
        if next != want {
            checked.find(root, format!("next number of {tag:?}: wanted {want}, got {next}"));
        }
    }
    drop(steps);
    meter.end();
    Ok(())
}

/// A pass over the terms of a tag, segment by segment.
struct Pass {
    tag: Tag,
    /// Numbers below are in the order of the texts.
    sorted_below: u64,
    /// Those of blank nodes are below.
    next_blank: u64,
    /// The last such term.
    last: Option<(u64, Vec<u8>)>,
}

impl Pass {
    fn section(
        &mut self,
        section: &Section<'_>,
        others: &[std::sync::Arc<Segment>],
        report: &mut Report,
        step: &mut dyn FnMut() -> Result<(), manicule_core::watch::Stopped>,
    ) -> Result<(), GraphError> {
        let tag = self.tag;
        let mut terms = Terms::new(*section, 0..section.count());
        while let Some(term) = terms.next() {
            step()?;
            let Some((rank, text)) = report.ok("groups", term) else { continue };
            let Some(number) = report.ok("numbers", section.number_at(rank)) else { continue };
            let id = Id::new(tag, number);
            let known = |what: &str| format!("{what} of term {number} of {tag:?}");
            match decode_term(tag, text) {
                Ok(term) => check_form(term, self.next_blank, &known, report),
                Err(error) => report.error("groups", &error),
            }
            for other in others {
                if let Some(other) = other.find(tag, text)? {
                    report.find(
                        "groups",
                        0,
                        known("only id"),
                        format!("{id:?}"),
                        format!("{other:?}"),
                    );
                }
            }
            if number < self.sorted_below {
                let is_after = |(last, bytes): &(u64, Vec<u8>)| *last < number && **bytes < *text;
                if !self.last.as_ref().is_none_or(is_after) {
                    report.find("numbers", 0, known("order"), "that of texts", "another");
                }
                let last = self.last.get_or_insert_default();
                last.0 = number;
                last.1.clear();
                last.1.extend_from_slice(text);
            }
        }
        Ok(())
    }
}

/// Whether a term is written in the one way that it has.
fn check_form(
    term: TermRef<'_>,
    next_blank: u64,
    known: &dyn Fn(&str) -> String,
    report: &mut Report,
) {
    match term {
        TermRef::Typed(text, datatype) if inlined(text, datatype).is_some() => {
            report.find("groups", 0, known("id"), "the value", "a number");
        }
        TermRef::Tagged(_, tag) | TermRef::Directional(_, tag, _)
            if tag.bytes().any(|byte| byte.is_ascii_uppercase()) =>
        {
            report.find("groups", 0, known("language tag"), "lower case", tag);
        }
        TermRef::Triple(triple) => triple.terms().into_iter().for_each(|part| match part {
            TermRef::Blank(number) if number >= next_blank => {
                report.find(
                    "groups",
                    0,
                    known("blank node"),
                    format!("below {next_blank}"),
                    number,
                );
            }
            // A number is its text here: what is in a triple term has no id of its own.
            TermRef::Typed(..) => {}
            other => check_form(other, next_blank, known, report),
        }),
        _ => {}
    }
}
