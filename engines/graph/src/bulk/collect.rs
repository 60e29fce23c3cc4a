//! Statements of documents into runs: their terms once each, their quads as numbers of terms.

use manicule_core::sorted::{HashKeys, equal};
use manicule_format_leaf::{Id, Tag};

use super::run::{Collected, Rows};
use super::table::{Hashed, Terms};
use super::triples::{each_label, is_open, put_open};
use crate::load::{RawQuad, RawTerm, Sink};
use crate::term::inline::inlined;
use crate::term::{put_directional, put_tagged, put_typed};

/// A term that was found not long ago: the bytes of its IRI, and its number.
#[derive(Clone, Debug)]
struct Recent {
    iri: Vec<u8>,
    number: u32,
}

/// Number of predicates that are found without a look-up in the table.
const PREDICATES: usize = 64;

/// A sink whose quads are rows of a run.
#[derive(Debug)]
pub(super) struct Collector<'c> {
    terms: Terms,
    rows: Rows,
    /// IRI of the graph of statements without one.
    graph: Option<&'c str>,
    /// The number of the document, big-endian, and the label of the last blank node.
    blank: Vec<u8>,
    /// Position of the next blank node: see [`Collector::begin`].
    position: u64,
    /// Number of statements that were taken.
    count: u64,
    /// Bytes of the last term whose bytes aren't those of the document.
    encoded: Vec<u8>,
    subject: Recent,
    /// By some of their bytes.
    predicates: Vec<Recent>,
}

/// A term that was looked for.
#[derive(Clone, Copy)]
enum Looked {
    /// Its number.
    Known(u32),
    /// It isn't there, and may be no term.
    New,
}

const UNKNOWN: Recent = Recent { iri: Vec::new(), number: u32::MAX };

impl Recent {
    #[inline]
    fn is(&self, iri: &[u8]) -> bool {
        self.number != UNKNOWN.number && equal(&self.iri, iri)
    }

    fn set(&mut self, iri: &[u8], number: u32) {
        self.iri.clear();
        self.iri.extend_from_slice(iri);
        self.number = number;
    }
}

impl<'c> Collector<'c> {
    /// A sink without a statement; those that name no graph go to `graph`, or to the default one.
    pub(super) fn new(keys: HashKeys, graph: Option<&'c str>) -> Self {
        Collector {
            terms: Terms::new(keys),
            rows: Rows::default(),
            graph,
            blank: vec![0; size_of::<u32>()],
            position: 0,
            count: 0,
            encoded: Vec::new(),
            subject: UNKNOWN,
            predicates: vec![UNKNOWN; PREDICATES],
        }
    }

    /// What comes is the piece of a number, of the document of a number. No two pieces have one
    /// number, and those of a sink increase.
    pub(super) fn begin(&mut self, document: u32, piece: u64) {
        self.blank.clear();
        self.blank.extend_from_slice(&document.to_be_bytes());
        // Of 2^24 pieces and 2^40 nodes in each: beyond, nodes are numbered in another order, and
        // are right all the same.
        self.position = piece << 40;
    }

    /// Number of statements that were taken.
    pub(super) fn count(&self) -> u64 {
        self.count
    }

    /// Bytes of memory held.
    pub(super) fn memory(&self) -> usize {
        self.terms.memory() + self.rows.memory()
    }

    /// Whether the run has to end, whatever memory there is.
    pub(super) fn is_full(&self) -> bool {
        self.terms.is_full()
    }

    /// The run so far; what comes is another one.
    pub(super) fn finish(&mut self) -> Collected {
        self.subject = UNKNOWN;
        self.predicates.fill(UNKNOWN);
        let (places, texts) = self.terms.drain();
        Collected { places, texts, rows: std::mem::take(&mut self.rows) }
    }

    fn look(&mut self, term: RawTerm<'_>) -> Looked {
        match self.hashed(term) {
            Ok(number) => Looked::Known(number),
            Err((tag, hash)) => match self.terms.find(tag, self.bytes(term), hash) {
                Some(number) => Looked::Known(number),
                None => Looked::New,
            },
        }
    }

    fn look_for_subject(&mut self, term: RawTerm<'_>) -> Looked {
        let RawTerm::Iri(iri) = term else { return self.look(term) };
        if self.subject.is(iri) {
            return Looked::Known(self.subject.number);
        }
        let looked = self.look(term);
        if let Looked::Known(number) = looked {
            self.subject.set(iri, number);
        }
        looked
    }

    fn look_for_predicate(&mut self, term: RawTerm<'_>) -> Looked {
        let RawTerm::Iri(iri) = term else { return self.look(term) };
        let [.., left, right] = iri else { return self.look(term) };
        let place = (iri.len() + 3 * usize::from(*left) + 7 * usize::from(*right)) % PREDICATES;
        if self.predicates[place].is(iri) {
            return Looked::Known(self.predicates[place].number);
        }
        let looked = self.look(term);
        if let Looked::Known(number) = looked {
            self.predicates[place].set(iri, number);
        }
        looked
    }

    /// The number of a term that is one, and is added if it isn't there.
    fn number(&mut self, term: RawTerm<'_>) -> u32 {
        let (tag, hash) = match self.hashed(term) {
            Ok(number) => return number,
            Err(hashed) => hashed,
        };
        if let Some(number) = self.terms.find(tag, self.bytes(term), hash) {
            return number;
        }
        match term {
            RawTerm::Iri(text) | RawTerm::Simple(text) => self.terms.add(tag, text, hash),
            RawTerm::Tagged(..) | RawTerm::Typed(..) | RawTerm::Directional(..) => {
                self.terms.add(tag, &self.encoded, hash)
            }
            RawTerm::Triple(triple) => {
                if is_open(&self.encoded) {
                    each_label(triple, &mut |label| {
                        self.number(RawTerm::Blank(label));
                    });
                }
                self.terms.add(tag, &self.encoded, hash)
            }
            RawTerm::Blank(_) => {
                self.position += 1;
                self.terms.add_blank(&self.blank, hash, self.position)
            }
        }
    }

    /// The number of an inlined literal; of another term the tag and the hash, while its bytes are
    /// [`Collector::bytes`].
    #[inline]
    fn hashed(&mut self, term: RawTerm<'_>) -> Result<u32, (Tag, Hashed)> {
        let tag = match term {
            RawTerm::Iri(_) => Tag::IRI,
            RawTerm::Simple(_) => Tag::STRING,
            RawTerm::Blank(label) => {
                self.blank.truncate(size_of::<u32>());
                self.blank.extend_from_slice(label);
                Tag::BLANK
            }
            RawTerm::Tagged(text, language) => {
                self.encoded.clear();
                put_tagged(text, &language.to_ascii_lowercase(), &mut self.encoded);
                Tag::TAGGED
            }
            RawTerm::Directional(text, language, direction) => {
                self.encoded.clear();
                let language = language.to_ascii_lowercase();
                put_directional(text, &language, direction, &mut self.encoded);
                Tag::TAGGED
            }
            RawTerm::Triple(triple) => {
                let document = &self.blank[..size_of::<u32>()];
                if put_open(triple, document, &mut self.encoded).is_err() {
                    // It isn't valid, and no bytes are those of a triple term.
                    self.encoded.clear();
                }
                Tag::TRIPLE
            }
            RawTerm::Typed(text, datatype) => {
                if let Some(id) = inlined_of(text, datatype) {
                    return Ok(self.terms.find_or_add_inlined(id));
                }
                self.encoded.clear();
                put_typed(text, datatype, &mut self.encoded);
                Tag::TYPED
            }
        };
        Err((tag, self.terms.hash(tag, self.bytes(term))))
    }

    /// The bytes that a term is found by, after [`Collector::hashed`].
    #[inline]
    fn bytes<'t>(&'t self, term: RawTerm<'t>) -> &'t [u8] {
        match term {
            RawTerm::Iri(text) | RawTerm::Simple(text) => text,
            RawTerm::Blank(_) => &self.blank,
            RawTerm::Tagged(..)
            | RawTerm::Typed(..)
            | RawTerm::Directional(..)
            | RawTerm::Triple(_) => &self.encoded,
        }
    }
}

/// The id of a literal whose value it is. What is inlined is ASCII, and valid.
fn inlined_of(text: &[u8], datatype: &[u8]) -> Option<Id> {
    inlined(str::from_utf8(text).ok()?, str::from_utf8(datatype).ok()?)
}

impl Sink for Collector<'_> {
    fn take(&mut self, quad: &RawQuad<'_>) -> bool {
        let graph = quad.graph.or(self.graph.map(|iri| RawTerm::Iri(iri.as_bytes())));
        let looked = [
            self.look_for_subject(quad.subject),
            self.look_for_predicate(quad.predicate),
            self.look(quad.object),
        ];
        let looked_graph = graph.map(|graph| (graph, self.look_for_predicate(graph)));
        let terms = [quad.subject, quad.predicate, quad.object];
        // A term that is there was valid when it came.
        let is_valid = |(term, looked): (RawTerm<'_>, Looked)| match looked {
            Looked::Known(_) => true,
            Looked::New => term.is_valid(),
        };
        if !terms.into_iter().zip(looked).chain(looked_graph).all(is_valid) {
            return false;
        }
        let mut number = |term, looked| match looked {
            Looked::Known(number) => number,
            Looked::New => self.number(term),
        };
        let [s, p, o] = std::array::from_fn(|at| number(terms[at], looked[at]));
        let graph = looked_graph.map(|(term, looked)| number(term, looked));
        match graph {
            None => self.rows.triples.push([s, p, o]),
            Some(graph) => self.rows.quads.push([s, p, o, graph]),
        }
        self.count += 1;
        true
    }
}
