//! A document by its IRI, as LOAD names it: of a file.

use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;
use std::path::PathBuf;

use manicule_core::watch::Watch;
use oxrdf::Triple;
use oxrdfio::RdfParser;

use super::format::Syntax;
use super::source::Place;
use crate::sparql::SparqlError;

/// Number of triples between two looks at the watch.
const TRIPLES: usize = 4096;

/// Gives the triples of the file that an IRI such as `file:///data/a.ttl` names to `add`.
pub fn load_iri(
    iri: &str,
    add: &mut dyn FnMut(&Triple),
    watch: &Watch<'_>,
) -> Result<(), SparqlError> {
    let refused = |why: String| SparqlError::Refused(format!("LOAD <{iri}>: {why}"));
    let path = path_of(iri).ok_or_else(|| {
        refused(
            "only files are loaded; fetch it, and name it as in <file:///data/a.ttl>".to_owned(),
        )
    })?;
    let syntax = Syntax::of_path(&path)
        .ok_or_else(|| refused("its name doesn't say its syntax, as .ttl or .nt do".to_owned()))?;
    let source = Place::File(path).open().map_err(|error| refused(error.to_string()))?;
    let parser = RdfParser::from_format(syntax.format()).without_named_graphs();
    let parser = parser.with_base_iri(iri).map_err(|error| refused(error.to_string()))?;
    for (number, quad) in parser.for_reader(source.into_reader()).enumerate() {
        if number.is_multiple_of(TRIPLES) {
            watch.check()?;
        }
        add(&Triple::from(quad.map_err(|error| refused(error.to_string()))?));
    }
    Ok(())
}

/// The path of a `file:` IRI of this machine.
fn path_of(iri: &str) -> Option<PathBuf> {
    let rest = iri.strip_prefix("file://")?;
    let rest = rest.strip_prefix("localhost").unwrap_or(rest);
    let mut bytes = Vec::new();
    let mut rest = rest.strip_prefix('/').map(|_| rest.as_bytes())?;
    while let Some((byte, after)) = rest.split_first() {
        rest = after;
        bytes.push(match (byte, after) {
            (b'%', [high, low, after @ ..]) => {
                rest = after;
                let digit = |byte: &u8| char::from(*byte).to_digit(16);
                (digit(high)? << 4 | digit(low)?) as u8
            }
            (b'%', _) => return None,
            (byte, _) => *byte,
        });
    }
    Some(OsString::from_vec(bytes).into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn file_iris_are_paths() {
        for (iri, want) in [
            ("file:///a/b%20c.ttl", Some("/a/b c.ttl")),
            ("file://localhost/a", Some("/a")),
            ("file://elsewhere/a", None),
            ("http://a/b", None),
            ("file:///a%2", None),
            ("file:///a%zz", None),
        ] {
            assert_eq!(path_of(iri), want.map(PathBuf::from), "{iri}");
        }
    }
}
