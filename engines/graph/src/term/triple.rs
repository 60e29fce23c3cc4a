//! Triple terms: the three terms of each in one piece of bytes, whatever their ids. So equal triple
//! terms have equal bytes, and nothing changes in them where ids do.
//!
//! Bytes:   | u8 1 if a blank node is inside, else 0 | parts |
//!          parts: | subject | predicate | object |
//!          each:  blank node: | u8 tag | u64 number, big-endian |
//!                 triple term: | u8 tag | parts |
//!                 all others:  | u8 tag | u32 len, little-endian | bytes of the term |

use manicule_core::bytes::{DecodeError, Reader};
use manicule_format_leaf::{Id, Tag};

use super::plain::{decode_plain, encode_plain};
use super::reference::{TRIPLE_LEVELS_MAX, TermRef, TooManyLevels, TripleBuf, TripleRef};

impl TripleBuf {
    /// The triple term of a subject, which is an IRI or a blank node, a predicate, which is an IRI,
    /// and an object.
    ///
    /// Panics if one of them isn't.
    pub fn new(terms: [TermRef<'_>; 3]) -> Result<Self, TooManyLevels> {
        assert!(
            matches!(terms[0], TermRef::Iri(_) | TermRef::Blank(_))
                && matches!(terms[1], TermRef::Iri(_)),
            "the subject is no literal, the predicate an IRI"
        );
        if let TermRef::Triple(inner) = terms[2]
            && inner.levels() == TRIPLE_LEVELS_MAX
        {
            return Err(TooManyLevels);
        }
        let mut parts = Vec::new();
        terms.into_iter().for_each(|term| put_part(term, &mut parts));
        Ok(TripleBuf { parts })
    }

    /// The term.
    pub fn as_triple(&self) -> TripleRef<'_> {
        TripleRef { parts: &self.parts }
    }
}

impl From<TripleRef<'_>> for TripleBuf {
    fn from(triple: TripleRef<'_>) -> Self {
        TripleBuf { parts: triple.parts.to_vec() }
    }
}

/// Appends a term as a part of a triple term.
fn put_part(term: TermRef<'_>, out: &mut Vec<u8>) {
    match term {
        TermRef::Blank(number) => {
            out.push(Tag::BLANK.0);
            out.extend_from_slice(&number.to_be_bytes());
        }
        TermRef::Triple(triple) => {
            out.push(Tag::TRIPLE.0);
            out.extend_from_slice(triple.parts);
        }
        other => {
            let at = out.len();
            out.extend_from_slice(&[0; 1 + size_of::<u32>()]);
            let tag = encode_plain(other, out).expect("all terms but blank nodes have bytes");
            out[at] = tag.0;
            let start = at + 1 + size_of::<u32>();
            let len = u32::try_from(out.len() - start).expect("a term is shorter than 4 GiB");
            out[at + 1..start].copy_from_slice(&len.to_le_bytes());
        }
    }
}

impl<'a> TripleRef<'a> {
    /// Subject, predicate and object.
    pub fn terms(self) -> [TermRef<'a>; 3] {
        let mut reader = Reader::new(self.parts, 0);
        let mut part = |_| {
            let term = read_part(&mut reader, self.parts, PLACES[2], 0);
            term.expect("the bytes were checked")
        };
        std::array::from_fn(&mut part)
    }

    /// Whether there is a blank node inside.
    pub fn has_blank(self) -> bool {
        self.terms().into_iter().any(|term| match term {
            TermRef::Blank(_) => true,
            TermRef::Triple(inner) => inner.has_blank(),
            _ => false,
        })
    }

    /// Number of triple terms inside each other, this one included.
    pub fn levels(self) -> usize {
        match self.terms()[2] {
            TermRef::Triple(inner) => 1 + inner.levels(),
            _ => 1,
        }
    }

    /// The same with other numbers of blank nodes.
    pub fn renumbered(self, number: &mut dyn FnMut(u64) -> u64) -> TripleBuf {
        let inner: TripleBuf;
        let mut of = |term: TermRef<'a>| match term {
            TermRef::Blank(own) => TermRef::Blank(number(own)),
            other => other,
        };
        let [subject, predicate, object] = self.terms();
        let subject = of(subject);
        let object = match object {
            TermRef::Triple(triple) => {
                inner = triple.renumbered(number);
                TermRef::Triple(inner.as_triple())
            }
            other => of(other),
        };
        TripleBuf::new([subject, predicate, object]).expect("as many levels as before")
    }
}

/// Appends the bytes that are numbered.
pub(super) fn encode_triple(triple: TripleRef<'_>, out: &mut Vec<u8>) {
    out.push(triple.has_blank().into());
    out.extend_from_slice(triple.parts);
}

/// Reads the bytes that are numbered, to the last of them.
pub(super) fn decode_triple(bytes: &[u8]) -> Result<TripleRef<'_>, DecodeError> {
    let mut reader = Reader::new(bytes, 0);
    let has_blank = reader.u8("mark of blank nodes")?;
    let parts = reader.rest();
    for place in PLACES {
        read_part(&mut reader, bytes, place, TRIPLE_LEVELS_MAX)?;
    }
    if !reader.rest().is_empty() {
        let (at, got) = (reader.at(), reader.rest().len() as u64);
        return Err(DecodeError::Corrupt { what: "bytes after the object", at, want: 0, got });
    }
    let triple = TripleRef { parts };
    let (want, got) = (u8::from(triple.has_blank()).into(), has_blank.into());
    if want != got {
        return Err(DecodeError::Corrupt { what: "mark of blank nodes", at: 0, want, got });
    }
    Ok(triple)
}

/// A place of a triple term.
#[derive(Clone, Copy)]
struct Place {
    /// Name of its tag, for errors.
    what: &'static str,
    /// The greatest tag that it may have.
    max: Tag,
    /// Whether a blank node may be there.
    is_node: bool,
}

const PLACES: [Place; 3] = [
    Place { what: "tag of a subject", max: Tag::IRI, is_node: true },
    Place { what: "tag of a predicate", max: Tag::IRI, is_node: false },
    Place { what: "tag of an object", max: Tag::TRIPLE, is_node: true },
];

/// Reads a part of a triple term; inside of it, if there are more than no levels, what is checked
/// already isn't counted. `whole` is what the reader reads from 0 on.
fn read_part<'a>(
    reader: &mut Reader<'a>,
    whole: &'a [u8],
    place: Place,
    levels: usize,
) -> Result<TermRef<'a>, DecodeError> {
    let at = reader.at();
    let tag = Tag(reader.u8(place.what)?);
    let is_allowed = tag <= place.max && (tag.has_text() || place.is_node && tag == Tag::BLANK);
    if !is_allowed {
        let (want, got) = (place.max.0.into(), tag.0.into());
        return Err(DecodeError::Corrupt { what: place.what, at, want, got });
    }
    match tag {
        Tag::BLANK => {
            let at = reader.at();
            let number = reader.u64_be("number of a blank node")?;
            if number > Id::PAYLOAD_MAX {
                let (what, want) = ("number of a blank node", Id::PAYLOAD_MAX);
                return Err(DecodeError::Corrupt { what, at, want, got: number });
            }
            Ok(TermRef::Blank(number))
        }
        Tag::TRIPLE => {
            if levels == 1 {
                let (what, want) = ("levels of triple terms", TRIPLE_LEVELS_MAX as u64);
                return Err(DecodeError::Corrupt { what, at, want, got: want + 1 });
            }
            let start = reader.at() as usize;
            for place in PLACES {
                read_part(reader, whole, place, levels.saturating_sub(1))?;
            }
            Ok(TermRef::Triple(TripleRef { parts: &whole[start..reader.at() as usize] }))
        }
        _ => {
            let len = reader.u32_le("length of a part")?;
            let at = reader.at();
            let bytes = reader.take("part of a triple term", len as usize)?;
            decode_plain(tag, bytes).map_err(|error| shifted(error, at))
        }
    }
}

/// An error of a term, whose bytes begin at an offset.
fn shifted(error: DecodeError, by: u64) -> DecodeError {
    match error {
        DecodeError::Short { what, at, need, have } => {
            DecodeError::Short { what, at: at + by, need, have }
        }
        DecodeError::Corrupt { what, at, want, got } => {
            DecodeError::Corrupt { what, at: at + by, want, got }
        }
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::super::bytes::{decode_term, encode_term};
    use super::*;

    const INTEGER: &str = "http://www.w3.org/2001/XMLSchema#integer";

    fn triple<'a>(subject: TermRef<'a>, object: TermRef<'a>) -> TripleBuf {
        TripleBuf::new([subject, TermRef::Iri("x:p"), object]).expect("few levels")
    }

    fn check(triple: &TripleBuf, has_blank: bool) -> Vec<u8> {
        let mut bytes = Vec::new();
        let term = TermRef::Triple(triple.as_triple());
        assert_eq!(encode_term(term, &mut bytes), Some(Tag::TRIPLE));
        assert_eq!(decode_term(Tag::TRIPLE, &bytes), Ok(term));
        assert_eq!((triple.as_triple().has_blank(), bytes[0]), (has_blank, has_blank.into()));
        bytes
    }

    #[test]
    fn triple_terms_read_back() {
        let (iri, blank) = (TermRef::Iri("x:s"), TermRef::Blank(258));
        let one = triple(iri, TermRef::Typed("01", INTEGER));
        let want = b"\0\x02\x03\0\0\0x:s\x02\x03\0\0\0x:p\x05\x03\0\0\x0001\x01";
        assert_eq!(check(&one, false), want);
        assert_eq!(one.as_triple().terms()[2], TermRef::Typed("01", INTEGER));
        let other = triple(blank, TermRef::Triple(one.as_triple()));
        let bytes = check(&other, true);
        assert_eq!(bytes[..10], *b"\x01\x01\0\0\0\0\0\0\x01\x02");
        assert_eq!(other.as_triple().terms()[2], TermRef::Triple(one.as_triple()));
        check(&triple(iri, TermRef::Triple(other.as_triple())), true);
        for object in [blank, iri, TermRef::Simple(""), TermRef::Tagged("a", "en")] {
            check(&triple(iri, object), object == blank);
        }
    }

    #[test]
    fn levels_are_bounded_on_writing_and_on_reading() {
        let iri = TermRef::Iri("x:s");
        let mut deep = triple(iri, iri);
        for levels in 1..TRIPLE_LEVELS_MAX {
            assert_eq!(deep.as_triple().levels(), levels);
            check(&deep, false);
            deep = triple(iri, TermRef::Triple(deep.as_triple()));
        }
        check(&deep, false);
        let terms = [iri, TermRef::Iri("x:p"), TermRef::Triple(deep.as_triple())];
        assert_eq!(TripleBuf::new(terms), Err(TooManyLevels));
        let mut bytes = b"\0\x02\x01\0\0\0s\x02\x01\0\0\0p\x06".to_vec();
        bytes.extend_from_slice(&deep.parts);
        let error = decode_term(Tag::TRIPLE, &bytes).expect_err("too many levels");
        assert_eq!(
            (error.what(), error.want_and_got()),
            ("levels of triple terms".into(), ("64".to_owned(), "65".to_owned()))
        );
    }

    #[test]
    fn damaged_bytes_are_errors_with_their_place() {
        let blank = check(&triple(TermRef::Blank(7), TermRef::Tagged("a", "en")), true);
        for len in 0..blank.len() {
            assert!(decode_term(Tag::TRIPLE, &blank[..len]).is_err(), "cut at {len}");
        }
        let damaged = |at: usize, byte: u8| {
            let mut bytes = blank.clone();
            bytes[at] = byte;
            let error = decode_term(Tag::TRIPLE, &bytes).expect_err("damaged");
            let (want, got) = error.want_and_got();
            format!("{} {}: {want}, {got}", error.at(), error.what())
        };
        assert_eq!(damaged(0, 0), "0 mark of blank nodes: 1, 0");
        assert_eq!(damaged(1, 3), "1 tag of a subject: 2, 3");
        assert_eq!(
            damaged(2, 1),
            format!("2 number of a blank node: {}, {}", Id::PAYLOAD_MAX, (1u64 << 56) + 7)
        );
        assert_eq!(damaged(10, 1), "10 tag of a predicate: 2, 1");
        assert_eq!(damaged(18, 17), "18 tag of an object: 6, 17");
        assert_eq!(damaged(18, 0), "18 tag of an object: 6, 0");
        // The last byte is the length of the language tag.
        assert!(damaged(blank.len() - 1, 9).starts_with("23 literal"));
        let mut longer = blank.clone();
        longer.push(0);
        assert!(decode_term(Tag::TRIPLE, &longer).is_err());
        let mut rng = manicule_testkit::Rng::new(5);
        for _ in 0..20_000 {
            let mut bytes = blank.clone();
            let at = rng.below(bytes.len());
            bytes[at] = rng.bits() as u8;
            if let Ok(term) = decode_term(Tag::TRIPLE, &bytes) {
                let mut again = Vec::new();
                encode_term(term, &mut again);
                assert_eq!(again, bytes);
            }
        }
    }
}
