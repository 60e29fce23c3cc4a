//! Signs of RDF: name endings of its texts, first bytes of HDT.

use std::path::Path;

/// First bytes of RDF as HDT.
pub const HDT_MAGIC: &[u8] = b"$HDT";

/// Endings of RDF as text. Compressed ones are files like others: nothing in them is text.
const TEXT_ENDINGS: [&str; 9] = ["ttl", "nt", "nq", "trig", "rdf", "owl", "n3", "jsonld", "trix"];

/// Whether a file is RDF as text, by its name.
pub fn is_text_name(path: &Path) -> bool {
    let ending = path.extension().and_then(|ending| ending.to_str());
    ending.is_some_and(|ending| TEXT_ENDINGS.contains(&ending.to_ascii_lowercase().as_str()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn endings() {
        for (name, want) in [("a.TTL", true), ("a.nt", true), ("a.nt.gz", false), ("ttl", false)] {
            assert_eq!(is_text_name(Path::new(name)), want, "{name}");
        }
    }
}
