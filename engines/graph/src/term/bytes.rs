//! Bytes of terms in the dictionary: term/plain.rs for IRIs and literals, term/triple.rs for triple
//! terms.

use manicule_core::bytes::DecodeError;
use manicule_format_leaf::Tag;

use super::plain::{decode_plain, encode_plain};
use super::reference::TermRef;
use super::triple::{decode_triple, encode_triple};

/// Appends the bytes of a term, and says with which tag they are numbered. None for a blank node,
/// which has no bytes.
pub fn encode_term(term: TermRef<'_>, out: &mut Vec<u8>) -> Option<Tag> {
    match term {
        TermRef::Triple(triple) => {
            encode_triple(triple, out);
            Some(Tag::TRIPLE)
        }
        other => encode_plain(other, out),
    }
}

/// The term of some bytes that are numbered with a tag. Offsets of errors count from the first of
/// them.
pub fn decode_term(tag: Tag, bytes: &[u8]) -> Result<TermRef<'_>, DecodeError> {
    match tag {
        Tag::TRIPLE => decode_triple(bytes).map(TermRef::Triple),
        other => decode_plain(other, bytes),
    }
}
