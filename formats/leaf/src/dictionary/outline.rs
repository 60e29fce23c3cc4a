//! A dictionary segment shown by its parts.

use manicule_core::bytes::{DecodeError, Outline};

use super::footer::{PARTS, Part, read_shape};
use super::read::Dictionary;
use crate::head::VERSION;
use crate::id::Tag;

const NAMES: [&str; PARTS] =
    ["groups", "group ends", "heads", "head ends", "numbers", "ranks", "symbols"];
const ALL: [Part; PARTS] = [
    Part::Groups,
    Part::GroupEnds,
    Part::Heads,
    Part::HeadEnds,
    Part::Numbers,
    Part::Ranks,
    Part::Symbols,
];

/// The parts of a dictionary segment.
pub fn outline_dictionary(bytes: &[u8]) -> Result<Outline, DecodeError> {
    let (shape, dictionary) = (read_shape(bytes)?, Dictionary::open(bytes)?);
    let mut outline = Outline::default();
    outline.push(0..4, "magic", "\"MANL\"");
    outline.push(4..8, "kind", "\"DICT\"");
    outline.push(8..12, "version", VERSION);
    outline.push(12..16, "zero", 0);
    for section in shape.sections.iter().flatten() {
        let bound = dictionary.section(section.tag)?;
        for (part, name) in ALL.into_iter().zip(NAMES) {
            let range = section.part(part);
            if range.is_empty() {
                continue;
            }
            let value = match (part, &bound) {
                (Part::Groups, Some(bound)) => {
                    let numbers = bound.numbers();
                    format!("{} terms, numbers from {}", bound.count(), numbers.start)
                }
                (Part::Heads, _) => format!("{} groups", section.group_count()),
                _ => String::new(),
            };
            let name = format!("{} {name}", tag_name(section.tag));
            outline.push(range.start as u64..range.end as u64, name, value);
        }
    }
    let sums_end = shape.len - 16;
    outline.push(shape.table_at..shape.sums_at, "section table", "");
    outline.push(
        shape.sums_at..sums_end,
        "page sums",
        format!("{} pages", (sums_end - shape.sums_at) / 4),
    );
    outline.push(sums_end..shape.len, "footer", "");
    Ok(outline)
}

fn tag_name(tag: Tag) -> &'static str {
    match tag {
        Tag::IRI => "IRI",
        Tag::STRING => "string",
        Tag::TAGGED => "tagged",
        Tag::TYPED => "typed",
        _ => "triple",
    }
}
