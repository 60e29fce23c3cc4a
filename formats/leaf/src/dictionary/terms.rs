//! Terms of a section one after the other, each made of the one before it.

use std::ops::Range;

use manicule_core::bytes::DecodeError;

use super::GROUP_TERMS;
use super::group::Group;
use super::section::Section;

/// A reader of terms in the order of their texts. Moving ahead within a group of sixteen decodes
/// of what lies between only what the next term shares with it, and nothing twice.
#[derive(Clone, Debug)]
pub struct Terms<'a> {
    section: Section<'a>,
    ranks: Range<u64>,
    /// The group that the last term is of, and its index there.
    group: Option<(u64, Group<'a>, usize)>,
    text: Vec<u8>,
}

impl<'a> Terms<'a> {
    /// The terms at a range of ranks.
    ///
    /// Panics if the section ends before.
    pub fn new(section: Section<'a>, ranks: Range<u64>) -> Self {
        assert!(ranks.end <= section.count(), "ranks of the section");
        Terms { section, ranks, group: None, text: Vec::new() }
    }

    /// The text at any rank of the section.
    pub fn at(&mut self, rank: u64) -> Result<&[u8], DecodeError> {
        let (number, term) = (rank / GROUP_TERMS as u64, (rank % GROUP_TERMS as u64) as usize);
        // Forgotten first: after an error the text is nobody's.
        match self.group.take() {
            Some((last, group, at)) if last == number && at <= term => {
                group.step(at, term, 0, &mut self.text)?;
                self.group = Some((number, group, term));
            }
            last => {
                let group = match last {
                    Some((last, group, _)) if last == number => group,
                    _ => self.section.group(number as usize)?,
                };
                self.text.clear();
                group.put(term, &mut self.text)?;
                self.group = Some((number, group, term));
            }
        }
        Ok(&self.text)
    }

    /// The next term: its rank and text. After an error the one after it may still come.
    #[expect(clippy::should_implement_trait, reason = "the text is lent until the next call")]
    pub fn next(&mut self) -> Option<Result<(u64, &[u8]), DecodeError>> {
        let rank = self.ranks.next()?;
        Some(self.at(rank).map(|text| (rank, text)))
    }

    /// Calls `read` with the text of each number, and its index among them. Numbers in the order of
    /// their texts are read fastest.
    pub fn read_each(
        section: Section<'a>,
        numbers: &[u64],
        mut read: impl FnMut(usize, &[u8]),
    ) -> Result<(), DecodeError> {
        let mut terms = Terms::new(section, 0..0);
        for (index, number) in numbers.iter().enumerate() {
            read(index, terms.at(section.rank_of(*number)?)?);
        }
        Ok(())
    }
}
