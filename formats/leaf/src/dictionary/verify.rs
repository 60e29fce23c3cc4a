//! Verification of a dictionary segment beyond what opening it asks for: sums of pages, texts in
//! order, a permutation that is one.
//!
//! Bytes:   docs/formats/leaf.md, section *dictionary*

use manicule_core::bytes::DecodeError;
use manicule_core::findings::Findings;

use super::read::Dictionary;
use super::section::{Place, Section};
use super::terms::Terms;

/// Verifies all that a writer promises of a dictionary that was opened.
pub fn verify_dictionary(dictionary: &Dictionary<'_>, findings: &mut Findings) {
    if let Err(error) = dictionary.check_pages() {
        findings.add_error("page sums", &error);
    }
    for tag in dictionary.tags() {
        let verified = match dictionary.section(tag) {
            Ok(Some(section)) => verify_section(&section, findings),
            Ok(None) => Ok(()),
            Err(error) => Err(error),
        };
        if let Err(error) = verified {
            findings.add_error("section", &error);
        }
    }
}

fn verify_section(section: &Section<'_>, findings: &mut Findings) -> Result<(), DecodeError> {
    let mut terms = Terms::new(*section, 0..section.count());
    let mut last: Option<Vec<u8>> = None;
    while let Some(term) = terms.next() {
        let (rank, text) = term?;
        if let Some(last) = last.as_ref().filter(|last| last.as_slice() >= text) {
            let what = format!("term {rank} of {:?}, above the one before", section.tag());
            findings.add("groups", section.at(), what, last.escape_ascii(), text.escape_ascii());
        }
        // A shared length that could be greater is read as well, but the term isn't found.
        let place = section.place_of(text)?;
        if place != (Place { rank, is_there: true }) {
            let what = format!("place of term {rank} of {:?}", section.tag());
            findings.add("groups", section.at(), what, rank, place.rank);
        }
        last.get_or_insert_default().clear();
        last.get_or_insert_default().extend_from_slice(text);
        let number = section.number_at(rank)?;
        let back = section.rank_of(number)?;
        if back != rank {
            let what = format!("rank of number {number} of {:?}", section.tag());
            findings.add("ranks", section.at(), what, rank, back);
        }
    }
    Ok(())
}
