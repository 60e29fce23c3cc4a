//! Terms of segments and pieces, merged by their texts.

use manicule_core::bytes::DecodeError;
use manicule_core::sorted::{Arena, Strings, sorted};
use manicule_core::watch::Meter;
use manicule_format_leaf::dictionary::{DictionaryWriter, Sample, Section, Terms};
use manicule_format_leaf::{Id, Tag};

use super::piece::{Piece, TEXT_TAGS, place_of};
use super::segment::Segment;
use crate::error::GraphError;

/// The bytes of a segment of the terms of others that follow each other, and of those that come
/// after them. `meter` counts terms.
pub fn merged_segment(
    segments: &[&Segment],
    last: &Piece,
    meter: &Meter<'_>,
) -> Result<Vec<u8>, GraphError> {
    let mut writer = DictionaryWriter::new();
    let mut steps = meter.steps();
    for (place, tag) in TEXT_TAGS.into_iter().enumerate() {
        let first = segments.iter().find_map(|segment| segment.numbers(place));
        let first = first.map_or(last.first()[place], |numbers| numbers.start);
        let mut terms = MergedTerms::new(tag, segments, &[last])?;
        let mut numbers = Vec::new();
        writer.begin(tag, first);
        while let Some((number, text)) = terms.next()? {
            steps.add(1)?;
            writer.push(text);
            let number = u32::try_from(number - first);
            numbers.push(number.expect("a segment has fewer than 2^32 terms of a tag"));
        }
        writer.end(Some(&numbers));
    }
    Ok(writer.finish())
}

/// Terms of a tag in the order of their texts, each with its number.
pub struct MergedTerms<'s> {
    tag: Tag,
    sources: Vec<Source<'s>>,
    /// The last term, and its source.
    text: Vec<u8>,
    last: Option<usize>,
}

/// Terms in order, the next of them ahead.
struct Source<'s> {
    terms: Ordered<'s>,
    /// Of the head.
    rank: u64,
    text: Vec<u8>,
    is_over: bool,
}

enum Ordered<'s> {
    Segment { segment: &'s Segment, section: Box<Section<'s>>, terms: Box<Terms<'s>> },
    Piece { texts: &'s Arena, first: u64, order: Vec<u32> },
}

impl<'s> MergedTerms<'s> {
    /// The terms of a tag with texts, none of which is in two segments or pieces.
    pub fn new(
        tag: Tag,
        segments: &[&'s Segment],
        pieces: &[&'s Piece],
    ) -> Result<Self, GraphError> {
        let place = place_of(tag).expect("a tag with texts");
        let mut all = Vec::with_capacity(segments.len() + pieces.len());
        // Pieces first: of two equal texts the one of a segment comes later, and is an error.
        for piece in pieces.iter().filter(|piece| piece.texts(place).count() > 0) {
            let (texts, first) = (piece.texts(place), piece.first()[place]);
            all.push(Ordered::Piece { texts, first, order: sorted(texts) });
        }
        for segment in segments {
            let section = segment.dictionary().section(tag);
            if let Some(section) = section.map_err(|source| segment.damaged(source))? {
                let terms = Box::new(Terms::new(section, 0..section.count()));
                all.push(Ordered::Segment { segment, section: Box::new(section), terms });
            }
        }
        let mut sources = Vec::with_capacity(all.len());
        for terms in all {
            let mut source = Source { terms, rank: 0, text: Vec::new(), is_over: false };
            source.read(0)?;
            sources.push(source);
        }
        Ok(MergedTerms { tag, sources, text: Vec::new(), last: None })
    }

    /// A sample of the terms, before the first of them was taken.
    pub fn sample(&self) -> Result<Sample, GraphError> {
        let mut sample = Sample::default();
        for source in &self.sources {
            match &source.terms {
                Ordered::Segment { segment, section, .. } => {
                    let mut terms = Terms::new(**section, 0..0);
                    let read = |rank: u64, out: &mut Vec<u8>| {
                        out.clear();
                        out.extend_from_slice(terms.at(rank)?);
                        Ok(())
                    };
                    let taken = sample.take(section.count(), read);
                    taken.map_err(|source| segment.damaged(source))?;
                }
                Ordered::Piece { texts, order, .. } => {
                    let read = |rank: u64, out: &mut Vec<u8>| {
                        out.clear();
                        out.extend_from_slice(texts.get(order[rank as usize]));
                        Ok::<(), GraphError>(())
                    };
                    sample.take(order.len() as u64, read)?;
                }
            }
        }
        Ok(sample)
    }

    /// The next term: its number and its text.
    #[expect(clippy::should_implement_trait, reason = "the text is lent until the next call")]
    pub fn next(&mut self) -> Result<Option<(u64, &[u8])>, GraphError> {
        if let Some(last) = self.last {
            self.sources[last].pass()?;
        }
        let heads = self.sources.iter().enumerate().filter(|(_, source)| !source.is_over);
        let least = heads.min_by(|(_, left), (_, right)| left.text.cmp(&right.text));
        let Some((least, _)) = least else { return Ok(None) };
        let source = &mut self.sources[least];
        if self.last.is_some() && *source.text <= *self.text {
            return Err(source.out_of_order(self.tag));
        }
        self.text.clone_from(&source.text);
        self.last = Some(least);
        Ok(Some((source.number()?, &self.text)))
    }
}

impl Source<'_> {
    /// The number of the head.
    fn number(&self) -> Result<u64, GraphError> {
        match &self.terms {
            Ordered::Segment { segment, section, .. } => {
                section.number_at(self.rank).map_err(|source| segment.damaged(source))
            }
            Ordered::Piece { first, order, .. } => Ok(first + u64::from(order[self.rank as usize])),
        }
    }

    /// Goes on to the next term.
    fn pass(&mut self) -> Result<(), GraphError> {
        self.read(self.rank + 1)
    }

    /// Reads the term at a rank, which comes next.
    fn read(&mut self, rank: u64) -> Result<(), GraphError> {
        self.rank = rank;
        match &mut self.terms {
            Ordered::Segment { segment, terms, .. } => match terms.next() {
                None => self.is_over = true,
                Some(next) => {
                    let (_, text) = next.map_err(|source| segment.damaged(source))?;
                    self.text.clear();
                    self.text.extend_from_slice(text);
                }
            },
            Ordered::Piece { texts, order, .. } => match order.get(rank as usize) {
                None => self.is_over = true,
                Some(number) => {
                    self.text.clear();
                    self.text.extend_from_slice(texts.get(*number));
                }
            },
        }
        Ok(())
    }

    /// Error of a head that isn't above what came before: texts of a segment increase, and none is
    /// in two of them.
    fn out_of_order(&self, tag: Tag) -> GraphError {
        let (what, at) = ("term above those before, at its rank", self.rank);
        let source = DecodeError::Corrupt { what, at, want: 1, got: 0 };
        match &self.terms {
            Ordered::Segment { segment, .. } => segment.damaged(source),
            // Of a log that says a term twice.
            Ordered::Piece { first, order, .. } => {
                let number = first + u64::from(order[self.rank as usize]);
                GraphError::Term { id: Id::new(tag, number), source }
            }
        }
    }
}
