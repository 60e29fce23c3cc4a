//! Media types: of a body as `Content-Type` says, of an answer as `Accept` asks.

use manicule::graph::{RowFormat, Syntax};

use super::refused::Refused;

/// What `Content-Type` says.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct MediaType {
    /// Type and subtype, in lower case.
    pub(super) name: String,
    parameters: Vec<(String, String)>,
}

impl MediaType {
    /// Reads the value of a header.
    pub(super) fn read(value: &str) -> Option<MediaType> {
        let mut parts = split(value, b';');
        let name = parts.next()?.trim().to_ascii_lowercase();
        let (kind, sub) = name.split_once('/')?;
        if kind.is_empty() || sub.is_empty() {
            return None;
        }
        let parameters = parts.filter_map(parameter).collect();
        Some(MediaType { name, parameters })
    }

    /// A parameter.
    pub(super) fn parameter(&self, name: &str) -> Option<&str> {
        self.parameters.iter().find(|(own, _)| own == name).map(|(_, value)| value.as_str())
    }

    /// Refuses texts in other encodings than UTF-8.
    pub(super) fn check_utf8(&self) -> Result<(), Refused> {
        let is_known = |charset: &str| {
            ["utf-8", "utf8", "us-ascii", "ascii"]
                .iter()
                .any(|known| charset.eq_ignore_ascii_case(known))
        };
        match self.parameter("charset").filter(|charset| !is_known(charset)) {
            None => Ok(()),
            Some(charset) => {
                let why = format!("charset={charset} is not read; send UTF-8");
                Err(Refused::media_type(why))
            }
        }
    }
}

/// Name and value of a parameter; a value in quotes has its escapes resolved.
fn parameter(part: &str) -> Option<(String, String)> {
    let (name, value) = part.split_once('=')?;
    let (name, value) = (name.trim().to_ascii_lowercase(), value.trim());
    let Some(quoted) = value.strip_prefix('"') else { return Some((name, value.to_owned())) };
    let (mut text, mut is_escaped) = (String::new(), false);
    for character in quoted.chars() {
        match character {
            '\\' if !is_escaped => is_escaped = true,
            '"' if !is_escaped => break,
            other => {
                text.push(other);
                is_escaped = false;
            }
        }
    }
    Some((name, text))
}

/// Splits a text at a separator that isn't in quotes.
fn split(text: &str, separator: u8) -> impl Iterator<Item = &str> {
    let mut rest = Some(text);
    std::iter::from_fn(move || {
        let text = rest?;
        let (mut is_quoted, mut is_escaped) = (false, false);
        for (at, byte) in text.bytes().enumerate() {
            match byte {
                _ if is_escaped => is_escaped = false,
                b'\\' if is_quoted => is_escaped = true,
                b'"' => is_quoted = !is_quoted,
                _ if byte == separator && !is_quoted => {
                    rest = Some(&text[at + 1..]);
                    return Some(&text[..at]);
                }
                _ => {}
            }
        }
        rest = None;
        Some(text)
    })
}

/// A format and the media types that name it, ours first.
pub(super) struct Offer<F: 'static> {
    format: F,
    names: &'static [&'static str],
    /// Words of `format=`, `output=` and `results=`.
    words: &'static [&'static str],
}

/// Formats of rows, and of yes or no; the first one is that of who accepts any.
pub(super) const ROWS: [Offer<RowFormat>; 5] = [
    Offer {
        format: RowFormat::Json,
        names: &["application/sparql-results+json", "application/json"],
        words: &["json"],
    },
    Offer {
        format: RowFormat::Xml,
        names: &["application/sparql-results+xml", "application/xml", "text/xml"],
        words: &["xml"],
    },
    Offer { format: RowFormat::Csv, names: &["text/csv"], words: &["csv"] },
    Offer { format: RowFormat::Tsv, names: &["text/tab-separated-values"], words: &["tsv"] },
    Offer { format: RowFormat::Table, names: &["text/plain"], words: &["text"] },
];

const TURTLE: Offer<Syntax> = Offer {
    format: Syntax::Turtle,
    names: &[
        "text/turtle",
        "application/turtle",
        "application/x-turtle",
        "text/n3",
        "text/rdf+n3",
        "application/n3",
    ],
    words: &["turtle", "ttl", "n3"],
};
const N_TRIPLES: Offer<Syntax> = Offer {
    format: Syntax::NTriples,
    names: &["application/n-triples", "text/plain"],
    words: &["ntriples", "n-triples", "nt"],
};
const RDF_XML: Offer<Syntax> = Offer {
    format: Syntax::RdfXml,
    names: &["application/rdf+xml", "application/xml", "text/xml"],
    words: &["rdfxml", "rdf+xml", "xml"],
};
const JSON_LD: Offer<Syntax> = Offer {
    format: Syntax::JsonLd,
    names: &["application/ld+json", "application/x-json+ld", "application/json"],
    words: &["jsonld", "json-ld", "json"],
};
const TRIG: Offer<Syntax> = Offer {
    format: Syntax::TriG,
    names: &["application/trig", "application/x-trig"],
    words: &["trig"],
};
const N_QUADS: Offer<Syntax> = Offer {
    format: Syntax::NQuads,
    names: &["application/n-quads", "text/x-nquads", "text/nquads"],
    words: &["nquads", "n-quads", "nq"],
};

/// Formats of triples.
pub(super) const TRIPLES: [Offer<Syntax>; 6] = [TURTLE, N_TRIPLES, RDF_XML, JSON_LD, TRIG, N_QUADS];
/// Formats of all graphs.
pub(super) const QUADS: [Offer<Syntax>; 3] = [TRIG, N_QUADS, JSON_LD];

/// The syntax of a body. N3 is none: it has more than Turtle.
pub(super) fn syntax_of(media_type: &MediaType) -> Option<Syntax> {
    let has = |offer: &&Offer<Syntax>| {
        let names = offer.names.iter().filter(|name| !name.ends_with("n3"));
        names.clone().any(|name| *name == media_type.name)
    };
    let is_general = matches!(media_type.name.as_str(), "application/xml" | "application/json");
    TRIPLES.iter().find(has).filter(|_| !is_general).map(|offer| offer.format)
}

/// A format that was chosen, and the `Content-Type` that says so.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Chosen<F> {
    pub(super) format: F,
    pub(super) content_type: String,
}

impl<F> Chosen<F> {
    /// The same, of another type of formats.
    pub(super) fn map<G>(self, format: impl FnOnce(F) -> G) -> Chosen<G> {
        Chosen { format: format(self.format), content_type: self.content_type }
    }
}

/// What a request says of formats.
#[derive(Clone, Copy, Debug)]
pub(super) struct Wants<'r> {
    /// `Accept`; several of them with commas between.
    pub(super) accept: Option<&'r str>,
    /// The parameters of the URL and the form.
    pub(super) parameters: &'r [(String, String)],
}

impl Wants<'_> {
    /// The format for `Accept`: of equal ones the first. Words of parameters are looked at where
    /// that takes anything.
    pub(super) fn choose<F: Copy>(&self, offers: &[Offer<F>]) -> Option<Chosen<F>> {
        let ranges: Vec<Range<'_>> = self.accept.map(ranges).unwrap_or_default();
        if ranges.iter().all(Range::is_any) {
            let offer = self.by_word(offers).unwrap_or(&offers[0]);
            return Some(chosen(offer.format, offer.names[0]));
        }
        let mut best: Option<(u16, F, &'static str)> = None;
        // Names of second rank come after all of the first: a format is better than an alias.
        let ours = offers.iter().map(|offer| (offer.format, offer.names[0]));
        let others = offers
            .iter()
            .flat_map(|offer| offer.names[1..].iter().map(move |name| (offer.format, *name)));
        for (format, name) in ours.chain(others) {
            let quality = quality(&ranges, name);
            if quality > best.map_or(0, |(quality, ..)| quality) {
                best = Some((quality, format, name));
            }
            if quality == QUALITY_MAX {
                break;
            }
        }
        best.map(|(_, format, name)| chosen(format, name))
    }

    /// The same, or the refusal.
    pub(super) fn choose_or_refuse<F: Copy>(
        &self,
        offers: &[Offer<F>],
    ) -> Result<Chosen<F>, Refused> {
        self.choose(offers).ok_or_else(|| {
            let names: Vec<&str> = offers.iter().map(|offer| offer.names[0]).collect();
            Refused::not_acceptable(self.accept.unwrap_or_default(), &names.join(", "))
        })
    }

    fn by_word<'o, F>(&self, offers: &'o [Offer<F>]) -> Option<&'o Offer<F>> {
        let is_choice = |name: &str| matches!(name, "format" | "output" | "results");
        let words = self.parameters.iter().filter(|(name, _)| is_choice(name));
        words.map(|(_, word)| word.as_str()).find_map(|word| {
            let is = |names: &[&str]| names.iter().any(|name| name.eq_ignore_ascii_case(word));
            offers.iter().find(|offer| is(offer.words) || is(offer.names))
        })
    }
}

fn chosen<F>(format: F, name: &str) -> Chosen<F> {
    let charset = if name.starts_with("text/") { "; charset=utf-8" } else { "" };
    Chosen { format, content_type: format!("{name}{charset}") }
}

/// The highest quality, that of what is named without one: in thousandths.
const QUALITY_MAX: u16 = 1000;

/// A range of `Accept`.
#[derive(Debug)]
struct Range<'r> {
    kind: &'r str,
    sub: &'r str,
    /// In thousandths.
    quality: u16,
}

impl Range<'_> {
    fn is_any(&self) -> bool {
        self.kind == "*" && self.sub == "*" && self.quality > 0
    }

    /// How closely it names a media type, if it does.
    fn fits(&self, kind: &str, sub: &str) -> Option<u8> {
        if self.kind == "*" && self.sub == "*" {
            return Some(0);
        }
        if !self.kind.eq_ignore_ascii_case(kind) {
            return None;
        }
        match self.sub {
            "*" => Some(1),
            own if own.eq_ignore_ascii_case(sub) => Some(2),
            _ => None,
        }
    }
}

/// The ranges of `Accept`; what is none is left out. An empty one is as none.
fn ranges(accept: &str) -> Vec<Range<'_>> {
    let parts = split(accept, b',').filter(|part| !part.trim().is_empty());
    parts
        .map(|part| {
            let mut parts = split(part, b';');
            let (kind, sub) =
                parts.next().unwrap_or_default().trim().split_once('/').unwrap_or(("", ""));
            let quality = parts.filter_map(parameter).find(|(name, _)| name == "q");
            let quality = quality.map_or(QUALITY_MAX, |(_, value)| thousandths(&value));
            Range { kind: kind.trim(), sub: sub.trim(), quality }
        })
        .collect()
}

fn thousandths(value: &str) -> u16 {
    let value: f32 = value.parse().unwrap_or(0.0);
    (value.clamp(0.0, 1.0) * f32::from(QUALITY_MAX)) as u16
}

/// The quality that the closest range gives to a media type.
fn quality(ranges: &[Range<'_>], name: &str) -> u16 {
    let (kind, sub) = name.split_once('/').expect("a media type has a slash");
    let fitting = ranges.iter().filter_map(|range| Some((range.fits(kind, sub)?, range.quality)));
    fitting.max().map_or(0, |(_, quality)| quality)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wants<'r>(accept: &'r str, parameters: &'r [(String, String)]) -> Wants<'r> {
        Wants { accept: Some(accept), parameters }
    }

    fn rows(accept: &str, want: &str) {
        let chosen = wants(accept, &[]).choose(&ROWS);
        assert_eq!(chosen.map_or(String::new(), |chosen| chosen.content_type), want, "{accept}");
    }

    fn triples(accept: &str, want: &str) {
        let chosen = wants(accept, &[]).choose(&TRIPLES);
        assert_eq!(chosen.map_or(String::new(), |chosen| chosen.content_type), want, "{accept}");
    }

    const JSON: &str = "application/sparql-results+json";
    const XML: &str = "application/sparql-results+xml";

    #[test]
    fn who_accepts_anything_gets_the_first() {
        for any in ["", "*/*", " */* ", "*/*;q=0.1", ",,"] {
            rows(any, JSON);
            triples(any, "text/turtle; charset=utf-8");
        }
        rows("application/*", JSON);
        triples("application/*", "application/n-triples");
        rows("text/*", "text/csv; charset=utf-8");
    }

    #[test]
    fn the_highest_quality_is_chosen_and_of_equal_ones_the_first() {
        rows("application/sparql-results+xml;q=0.5, text/csv ; Q=0.75", "text/csv; charset=utf-8");
        rows("text/csv;q=0.5,*/*;q=0.9", JSON);
        rows("application/sparql-results+json;q=0,*/*", XML);
        rows("application/*;q=0.2,application/sparql-results+xml;q=0.1", JSON);
        rows("text/csv, application/sparql-results+xml", XML);
        triples(
            "application/rdf+xml, text/n3, text/turtle, application/n-triples, application/trix",
            "text/turtle; charset=utf-8",
        );
    }

    #[test]
    fn other_names_of_a_format_are_what_it_is_called_then() {
        rows("application/json", "application/json");
        rows("text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8", "application/xml");
        rows("application/json,application/sparql-results+json", JSON);
        triples("application/turtle", "application/turtle");
        triples("application/turtle,text/turtle", "text/turtle; charset=utf-8");
        triples("text/rdf+n3", "text/rdf+n3; charset=utf-8");
        triples("application/ld+json,application/x-json+ld", "application/ld+json");
    }

    #[test]
    fn parameters_are_no_part_of_a_media_type() {
        rows("application/sparql-results+json;charset=\"a,b;q=0\";q=0.5", JSON);
        triples("text/turtle; charset=utf-8", "text/turtle; charset=utf-8");
        triples("application/ld+json;profile=\"x, y\"", "application/ld+json");
    }

    #[test]
    fn what_nothing_fits_is_refused() {
        for accept in ["image/png", "text/csv;q=0", "*/*;q=0", "nonsense", "a/b/c", "*/csv"] {
            rows(accept, "");
        }
        let refused = wants("image/png", &[]).choose_or_refuse(&QUADS).unwrap_err();
        assert_eq!(refused.status, 406);
        assert!(refused.why.contains("application/trig"), "{}", refused.why);
    }

    #[test]
    fn words_choose_where_anything_is_accepted() {
        let word = |name: &str, word: &str| vec![(name.to_owned(), word.to_owned())];
        for (parameters, want) in [
            (word("format", "csv"), "text/csv; charset=utf-8"),
            (word("output", "XML"), XML),
            (
                word("results", "text/tab-separated-values"),
                "text/tab-separated-values; charset=utf-8",
            ),
            (word("format", "turtle"), JSON),
            (word("other", "csv"), JSON),
        ] {
            for (accept, is_any) in [(None, true), (Some("*/*"), true), (Some(JSON), false)] {
                let chosen = Wants { accept, parameters: &parameters }.choose(&ROWS).unwrap();
                let want = if is_any { want } else { JSON };
                assert_eq!(chosen.content_type, want, "{parameters:?} {accept:?}");
            }
        }
    }

    #[test]
    fn a_body_has_a_media_type_and_an_encoding() {
        let of = |value: &str| MediaType::read(value);
        let turtle = of("Text/Turtle; Charset=\"utf\\-8\"; x").unwrap();
        assert_eq!(
            (turtle.name.as_str(), turtle.parameter("charset")),
            ("text/turtle", Some("utf-8"))
        );
        assert_eq!(turtle.check_utf8(), Ok(()));
        assert_eq!(of("a/b;charset=UTF-16").unwrap().check_utf8().unwrap_err().status, 415);
        assert!(["", "text", "/", "text/", ";"].iter().all(|value| of(value).is_none()));
        for (value, want) in [
            ("text/turtle", Some(Syntax::Turtle)),
            ("application/turtle", Some(Syntax::Turtle)),
            ("text/plain", Some(Syntax::NTriples)),
            ("text/x-nquads", Some(Syntax::NQuads)),
            ("application/rdf+xml; charset=utf-8", Some(Syntax::RdfXml)),
            ("application/ld+json", Some(Syntax::JsonLd)),
            ("text/n3", None),
            ("application/xml", None),
            ("application/json", None),
            ("text/csv", None),
        ] {
            assert_eq!(syntax_of(&of(value).unwrap()), want, "{value}");
        }
    }
}
