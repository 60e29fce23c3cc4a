//! Syntaxes of RDF: their names, media types and name endings.

use std::path::Path;

use oxrdfio::{JsonLdProfileSet, RdfFormat};

/// Syntax of a document of RDF.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Syntax {
    /// N-Triples: a triple a line.
    NTriples,
    /// N-Quads: a quad a line.
    NQuads,
    /// Turtle.
    Turtle,
    /// TriG: Turtle with named graphs.
    TriG,
    /// RDF/XML.
    RdfXml,
    /// JSON-LD.
    JsonLd,
}

/// Name, media type, name endings. The first ending is the one that we give.
const TABLE: [(Syntax, &str, &str, &[&str]); 6] = [
    (Syntax::NTriples, "ntriples", "application/n-triples", &["nt"]),
    (Syntax::NQuads, "nquads", "application/n-quads", &["nq"]),
    (Syntax::Turtle, "turtle", "text/turtle", &["ttl"]),
    (Syntax::TriG, "trig", "application/trig", &["trig"]),
    (Syntax::RdfXml, "rdfxml", "application/rdf+xml", &["rdf", "xml", "owl"]),
    (Syntax::JsonLd, "jsonld", "application/ld+json", &["jsonld", "json"]),
];

/// Name endings of compressed files, whatever is in them.
const PACKED: [&str; 4] = ["gz", "zst", "zstd", "bz2"];

impl Syntax {
    /// Every syntax.
    pub const ALL: [Syntax; 6] = [
        Syntax::NTriples,
        Syntax::NQuads,
        Syntax::Turtle,
        Syntax::TriG,
        Syntax::RdfXml,
        Syntax::JsonLd,
    ];

    /// The syntax of a name such as `ntriples`, or of a name ending such as `nt`.
    pub fn of_word(word: &str) -> Option<Syntax> {
        let is = |(_, name, _, endings): &&(Syntax, &str, &str, &[&str])| {
            name.eq_ignore_ascii_case(word)
                || endings.iter().any(|it| it.eq_ignore_ascii_case(word))
        };
        TABLE.iter().find(is).map(|row| row.0)
    }

    /// The syntax that a file's name ends with, also that of a compressed file.
    pub fn of_path(path: &Path) -> Option<Syntax> {
        let ending = path.extension()?.to_str()?;
        if PACKED.iter().any(|it| it.eq_ignore_ascii_case(ending)) {
            let inner = Path::new(path.file_stem()?).extension()?.to_str()?;
            return Syntax::of_ending(inner);
        }
        Syntax::of_ending(ending)
    }

    /// The syntax of a media type; parameters after a semicolon are ignored.
    pub fn of_media_type(media_type: &str) -> Option<Syntax> {
        let name = media_type.split(';').next()?.trim();
        if name.eq_ignore_ascii_case("text/plain") {
            return Some(Syntax::NTriples);
        }
        TABLE.iter().find(|row| row.2.eq_ignore_ascii_case(name)).map(|row| row.0)
    }

    fn of_ending(ending: &str) -> Option<Syntax> {
        let is = |row: &&(Syntax, &str, &str, &[&str])| {
            row.3.iter().any(|it| it.eq_ignore_ascii_case(ending))
        };
        TABLE.iter().find(is).map(|row| row.0)
    }

    /// The name, for options and messages.
    pub fn name(self) -> &'static str {
        self.row().1
    }

    /// The media type.
    pub fn media_type(self) -> &'static str {
        self.row().2
    }

    /// The usual name ending, without a dot.
    pub fn ending(self) -> &'static str {
        self.row().3[0]
    }

    /// Whether a document may hold named graphs.
    pub fn has_graphs(self) -> bool {
        matches!(self, Syntax::NQuads | Syntax::TriG | Syntax::JsonLd)
    }

    /// Whether each line is a statement of its own, so that a document can be cut at line ends.
    pub fn is_lines(self) -> bool {
        matches!(self, Syntax::NTriples | Syntax::NQuads)
    }

    /// What the parsers and serializers call it.
    pub fn format(self) -> RdfFormat {
        match self {
            Syntax::NTriples => RdfFormat::NTriples,
            Syntax::NQuads => RdfFormat::NQuads,
            Syntax::Turtle => RdfFormat::Turtle,
            Syntax::TriG => RdfFormat::TriG,
            Syntax::RdfXml => RdfFormat::RdfXml,
            Syntax::JsonLd => RdfFormat::JsonLd { profile: JsonLdProfileSet::empty() },
        }
    }

    fn row(self) -> &'static (Syntax, &'static str, &'static str, &'static [&'static str]) {
        TABLE.iter().find(|row| row.0 == self).expect("every syntax has a row")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_says_its_syntax_whatever_it_is_packed_in() {
        for (name, want) in [
            ("a.nt", Some(Syntax::NTriples)),
            ("a.NQ.GZ", Some(Syntax::NQuads)),
            ("a/b.ttl.zst", Some(Syntax::Turtle)),
            ("b.trig.bz2", Some(Syntax::TriG)),
            ("b.owl", Some(Syntax::RdfXml)),
            ("b.json", Some(Syntax::JsonLd)),
            ("nt", None),
            ("a.gz", None),
            ("a.ntriples", None),
        ] {
            assert_eq!(Syntax::of_path(Path::new(name)), want, "{name}");
        }
    }

    #[test]
    fn every_syntax_is_found_by_its_words() {
        for syntax in Syntax::ALL {
            assert_eq!(Syntax::of_word(syntax.name()), Some(syntax));
            assert_eq!(Syntax::of_word(syntax.ending()), Some(syntax));
            let media_type = format!("{}; charset=utf-8", syntax.media_type());
            assert_eq!(Syntax::of_media_type(&media_type), Some(syntax));
            assert_eq!(RdfFormat::from_media_type(syntax.media_type()), Some(syntax.format()));
        }
        assert_eq!(Syntax::of_word("n3"), None);
    }
}
