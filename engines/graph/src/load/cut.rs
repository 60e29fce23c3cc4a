//! Terms written as in N-Triples, cut out of a text by searching for their ends. They are checked
//! by who takes them.

use memchr::{memchr, memchr2, memchr3};

use super::raw::{RawTerm, XSD_STRING};

/// Maximum length of an IRI that is looked for. Without it, a document without `>` would be
/// searched to its end at every line.
const IRI_LEN_MAX: usize = 4096;

/// A place in a text that is cut. What isn't there leaves it where it is.
#[derive(Debug)]
pub(crate) struct Cut<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Cut<'a> {
    /// The beginning of a text.
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        Cut { bytes, at: 0 }
    }

    fn rest(&self) -> &'a [u8] {
        &self.bytes[self.at..]
    }

    /// Whether the text ends here.
    pub(crate) fn is_end(&self) -> bool {
        self.at == self.bytes.len()
    }

    /// Goes behind blanks and line ends.
    pub(crate) fn skip_space(&mut self) {
        let rest = self.rest();
        let is_space = |byte: &u8| matches!(byte, b' ' | b'\t' | b'\r' | b'\n');
        self.at += rest.iter().position(|byte| !is_space(byte)).unwrap_or(rest.len());
    }

    /// Whether a mark is here; then goes behind it.
    pub(crate) fn mark(&mut self, mark: u8) -> bool {
        let is_here = self.rest().first() == Some(&mark);
        self.at += usize::from(is_here);
        is_here
    }

    /// Whether a keyword is here, in any case; then goes behind it.
    pub(crate) fn word(&mut self, word: &[u8]) -> bool {
        let rest = self.rest();
        let is_here = rest.get(..word.len()).is_some_and(|text| text.eq_ignore_ascii_case(word))
            && !rest.get(word.len()).is_some_and(is_name);
        self.at += if is_here { word.len() } else { 0 };
        is_here
    }

    /// The name of a variable of ASCII that is here.
    pub(crate) fn variable(&mut self) -> Option<&'a [u8]> {
        let (b'?' | b'$', rest) = self.rest().split_first()? else { return None };
        let len = rest.iter().position(|byte| !is_name(byte))?;
        let is_whole = len > 0 && rest[len].is_ascii();
        self.at += if is_whole { len + 1 } else { 0 };
        is_whole.then(|| &rest[..len])
    }

    /// The IRI that is here.
    pub(crate) fn iri(&mut self) -> Option<&'a [u8]> {
        let (iri, at) = iri(self.bytes, self.at)?;
        self.at = at;
        Some(iri)
    }

    /// The IRI or literal that is here. A literal with escapes is written to `scratch`.
    pub(crate) fn term<'s>(&mut self, scratch: &'s mut Vec<u8>) -> Option<RawTerm<'s>>
    where
        'a: 's,
    {
        let (term, at) = match self.rest().first()? {
            b'"' => literal(self.bytes, self.at + 1, scratch)?,
            _ => {
                let (iri, at) = iri(self.bytes, self.at)?;
                (RawTerm::Iri(iri), at)
            }
        };
        self.at = at;
        Some(term)
    }
}

fn is_name(byte: &u8) -> bool {
    byte.is_ascii_alphanumeric() || *byte == b'_'
}

/// An IRI in brackets, unchecked, and where it ends.
#[inline]
pub(super) fn iri(bytes: &[u8], at: usize) -> Option<(&[u8], usize)> {
    let (b'<', rest) = bytes.get(at..)?.split_first()? else { return None };
    let len = memchr(b'>', &rest[..rest.len().min(IRI_LEN_MAX)])?;
    Some((&rest[..len], at + len + 2))
}

/// A literal whose opening quote is just before `at`, and where it ends. One with escapes is
/// written to `scratch`.
#[inline]
pub(super) fn literal<'a>(
    bytes: &'a [u8],
    at: usize,
    scratch: &'a mut Vec<u8>,
) -> Option<(RawTerm<'a>, usize)> {
    let rest = &bytes[at..];
    let len = memchr3(b'"', b'\\', b'\n', rest)?;
    let (text, raw_len) = match rest[len] {
        b'"' => (&rest[..len], len),
        b'\\' => {
            let raw_len = unescape(rest, len, scratch)?;
            (&scratch[..], raw_len)
        }
        _ => return None,
    };
    if memchr(b'\r', &rest[..raw_len]).is_some() {
        return None;
    }
    let at = at + raw_len + 1;
    match bytes.get(at)? {
        b'^' if bytes.get(at + 1) == Some(&b'^') => {
            let (datatype, at) = iri(bytes, at + 2)?;
            let is_string = datatype == XSD_STRING.as_bytes();
            let term =
                if is_string { RawTerm::Simple(text) } else { RawTerm::Typed(text, datatype) };
            Some((term, at))
        }
        b'@' => {
            let tag = &bytes[at + 1..];
            let is_inner = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'-';
            let len = tag.iter().position(|byte| !is_inner(byte))?;
            Some((RawTerm::Tagged(text, &tag[..len]), at + 1 + len))
        }
        _ => Some((RawTerm::Simple(text), at)),
    }
}

/// Writes the text of a literal whose first escape is at `first` to `scratch`. Returns the
/// literal's length up to its closing quote.
fn unescape(rest: &[u8], first: usize, scratch: &mut Vec<u8>) -> Option<usize> {
    scratch.clear();
    scratch.extend_from_slice(&rest[..first]);
    let mut at = first;
    loop {
        // `at` is at a backslash.
        scratch.push(match rest.get(at + 1)? {
            b't' => b'\t',
            b'b' => 8,
            b'n' => b'\n',
            b'r' => b'\r',
            b'f' => 12,
            quoted @ (b'"' | b'\'' | b'\\') => *quoted,
            _ => return None,
        });
        at += 2;
        let len = memchr2(b'"', b'\\', &rest[at..])?;
        let plain = &rest[at..at + len];
        if memchr(b'\n', plain).is_some() {
            return None;
        }
        scratch.extend_from_slice(plain);
        at += len;
        if rest[at] == b'"' {
            return Some(at);
        }
    }
}
