//! Triple terms whose blank nodes have no numbers yet: these are known when all runs are merged.
//!
//! Bytes:   | bytes of the triple term, whose blank nodes are numbered from 0 in their order |
//!          | for each: u32 len | text by which runs know it | | u32 len of the first part |
//!
//! One without a blank node is the bytes of the triple term alone, which begin with 0, not 1.

use manicule_core::bytes::{DecodeError, Reader};
use manicule_core::sorted::{Arena, Strings};
use manicule_format_leaf::{Id, Tag};
use oxrdf::{BlankNode, NamedOrBlankNode, Term, Triple};

use crate::error::GraphError;
use crate::sparql::triple_of;
use crate::term::{TermRef, TooManyLevels, TripleRef, decode_term, encode_term};

/// Whether the blank nodes of a triple term have no numbers yet, by its bytes in a run.
pub(super) fn is_open(bytes: &[u8]) -> bool {
    bytes.first() == Some(&1)
}

/// Replaces `out` by the bytes of a triple term of a document, whose number blank nodes have before
/// their labels.
pub(super) fn put_open(
    triple: &Triple,
    document: &[u8],
    out: &mut Vec<u8>,
) -> Result<(), TooManyLevels> {
    let (mut count, mut texts) = (0, Vec::new());
    let mut number = |node: &BlankNode| {
        let label = node.as_str().as_bytes();
        let len = u32::try_from(document.len() + label.len());
        let len = len.expect("a label is shorter than 4 GiB");
        texts.extend_from_slice(&len.to_le_bytes());
        texts.extend_from_slice(document);
        texts.extend_from_slice(label);
        count += 1;
        Ok::<_, TooManyLevels>(count - 1)
    };
    let triple = triple_of(triple, &mut number)?;
    out.clear();
    encode_term(TermRef::Triple(triple.as_triple()), out);
    if is_open(out) {
        let len = u32::try_from(out.len()).expect("a term is shorter than 4 GiB");
        out.extend_from_slice(&texts);
        out.extend_from_slice(&len.to_le_bytes());
    }
    Ok(())
}

/// Calls `each` with the labels of the blank nodes in a triple term.
pub(super) fn each_label(triple: &Triple, each: &mut dyn FnMut(&[u8])) {
    if let NamedOrBlankNode::BlankNode(node) = &triple.subject {
        each(node.as_str().as_bytes());
    }
    match &triple.object {
        Term::BlankNode(node) => each(node.as_str().as_bytes()),
        Term::Triple(inner) => each_label(inner, each),
        Term::NamedNode(_) | Term::Literal(_) => {}
    }
}

/// Triple terms of all runs, which wait for the numbers of their blank nodes.
#[derive(Debug, Default)]
pub(super) struct OpenTriples {
    triples: Arena,
    /// Texts of all blank nodes, in order.
    blanks: Arena,
}

impl OpenTriples {
    /// Adds the blank node that comes next.
    pub(super) fn push_blank(&mut self, text: &[u8]) {
        self.blanks.push(text);
    }

    /// Adds a triple term.
    pub(super) fn push(&mut self, bytes: &[u8]) {
        self.triples.push(bytes);
    }

    /// Calls `put` with the bytes that each triple term has in the dictionary, in order; `numbers`
    /// are those of the blank nodes. Returns the place of each in that order.
    pub(super) fn settle(
        &self,
        numbers: &[u32],
        mut put: impl FnMut(&[u8]) -> Result<(), GraphError>,
    ) -> Result<Vec<u32>, GraphError> {
        let mut settled = Vec::with_capacity(self.triples.count() as usize);
        for at in 0..self.triples.count() {
            let bytes = self.settled(self.triples.get(at), numbers);
            let id = Id::new(Tag::TRIPLE, at.into());
            settled.push((bytes.map_err(|source| GraphError::Term { id, source })?, at));
        }
        settled.sort_unstable();
        let mut places = vec![0; settled.len()];
        for ((bytes, at), place) in settled.iter().zip(0..) {
            put(bytes)?;
            places[*at as usize] = place;
        }
        Ok(places)
    }

    fn settled(&self, bytes: &[u8], numbers: &[u32]) -> Result<Vec<u8>, DecodeError> {
        let (rest, len) = bytes.split_at(bytes.len() - size_of::<u32>());
        let len = u32::from_le_bytes(len.try_into().expect("four bytes")) as usize;
        let (triple, texts) = rest.split_at(len);
        let mut texts = Reader::new(texts, len as u64);
        let mut of_nodes = Vec::new();
        while !texts.rest().is_empty() {
            let len = texts.u32_le("length of a label")?;
            let text = texts.take("label", len as usize)?;
            of_nodes.push(numbers[self.blank(text) as usize]);
        }
        let TermRef::Triple(triple) = decode_term(Tag::TRIPLE, triple)? else {
            unreachable!("a triple term is decoded to one");
        };
        let triple = TripleRef::renumbered(triple, &mut |node| of_nodes[node as usize].into());
        let mut out = Vec::with_capacity(len);
        encode_term(TermRef::Triple(triple.as_triple()), &mut out);
        Ok(out)
    }

    /// The place of a blank node among all: each that is in a triple term is a term of its own.
    fn blank(&self, text: &[u8]) -> u32 {
        let (mut low, mut high) = (0, self.blanks.count());
        while low < high {
            let middle = low + (high - low) / 2;
            if self.blanks.get(middle) < text { low = middle + 1 } else { high = middle }
        }
        low
    }
}
