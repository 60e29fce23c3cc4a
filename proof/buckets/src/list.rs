//! Pages of listings.

use crate::answer::{Answer, escaped};
use crate::objects::Objects;
use crate::request::Request;

/// Entries of a page at most, whatever is asked for.
const PAGE_MAX: usize = 1000;

/// A line of a listing.
enum Line<'o> {
    Object(&'o str),
    Folder(&'o str),
}

/// A page of a listing: what comes after its token, folders counted as one entry each.
pub(crate) fn page(objects: &Objects, request: &Request) -> Answer {
    let asked = |name| request.asked(name).unwrap_or_default();
    let (prefix, delimiter) = (asked("prefix"), asked("delimiter"));
    let after = request.asked("continuation-token").or(request.asked("start-after"));
    let max = asked("max-keys").parse().unwrap_or(PAGE_MAX).min(PAGE_MAX);
    let mut lines = lines(objects, prefix, delimiter).into_iter().filter(|line| {
        let (Line::Object(name) | Line::Folder(name)) = line;
        after.is_none_or(|after| *name > after)
    });
    let (mut body, mut last) = (String::new(), "");
    for line in lines.by_ref().take(max) {
        match line {
            Line::Object(key) => {
                let object = &objects.by_key[key];
                body.push_str(&format!(
                    "<Contents><Key>{}</Key><LastModified>2026-01-01T00:00:00.000Z</LastModified>\
                     <ETag>{}</ETag><Size>{}</Size></Contents>",
                    escaped(key),
                    escaped(&object.e_tag),
                    object.bytes.len(),
                ));
                last = key;
            }
            Line::Folder(name) => {
                let name_escaped = escaped(name);
                body.push_str(&format!(
                    "<CommonPrefixes><Prefix>{name_escaped}</Prefix></CommonPrefixes>"
                ));
                last = name;
            }
        }
    }
    if lines.next().is_some() {
        let last = escaped(last);
        body.push_str(&format!("<NextContinuationToken>{last}</NextContinuationToken>"));
    }
    Answer::xml(200, &format!("<ListBucketResult>{body}</ListBucketResult>"))
}

fn lines<'o>(objects: &'o Objects, prefix: &str, delimiter: &str) -> Vec<Line<'o>> {
    let mut lines: Vec<Line<'o>> = Vec::new();
    for key in objects.by_key.range(prefix.to_owned()..).map(|(key, _)| key.as_str()) {
        let Some(below) = key.strip_prefix(prefix) else { break };
        let folder = (!delimiter.is_empty()).then(|| below.find(delimiter)).flatten();
        let folder = folder.map(|at| &key[..prefix.len() + at + delimiter.len()]);
        match (folder, lines.last()) {
            (Some(folder), Some(Line::Folder(last))) if *last == folder => {}
            (Some(folder), _) => lines.push(Line::Folder(folder)),
            (None, _) => lines.push(Line::Object(key)),
        }
    }
    lines
}
