//! Pages of listings.

use std::ops::Bound::{Excluded, Included, Unbounded};

use crate::answer::{Answer, escaped};
use crate::objects::{Objects, TIME};
use crate::request::Request;

/// Entries of a page at most, whatever is asked for.
const PAGE_MAX: usize = 1000;

/// A line of a listing.
enum Line<'o> {
    Object(&'o str),
    Folder(&'o str),
}

impl<'o> Line<'o> {
    fn name(&self) -> &'o str {
        let (Line::Object(name) | Line::Folder(name)) = self;
        name
    }
}

/// A page of a listing: what comes after its token, folders counted as one entry each.
pub(crate) fn page(objects: &Objects, request: &Request) -> Answer {
    let is_azure = request.asked("comp") == Some("list");
    let asked = |name| request.asked(name).unwrap_or_default();
    let (prefix, delimiter) = (asked("prefix"), asked("delimiter"));
    let after = ["continuation-token", "start-after", "marker"];
    let after = after.into_iter().find_map(|name| request.asked(name));
    let max = if is_azure { asked("maxresults") } else { asked("max-keys") };
    let max = max.parse().unwrap_or(PAGE_MAX).min(PAGE_MAX);
    // One more than the page has says whether there is a next one.
    let lines = lines(objects, prefix, delimiter, after.unwrap_or_default(), max + 1);
    let next = match lines.get(max - 1) {
        Some(last) if lines.len() > max => escaped(last.name()),
        _ => String::new(),
    };
    let written = if is_azure { of_azure } else { of_s3 };
    let body: String = lines.iter().take(max).map(|line| written(line, objects)).collect();
    let body = match (is_azure, next.is_empty()) {
        (true, _) => format!(
            "<EnumerationResults><Blobs>{body}</Blobs><NextMarker>{next}</NextMarker>\
             </EnumerationResults>"
        ),
        (false, true) => {
            format!("<ListBucketResult><IsTruncated>false</IsTruncated>{body}</ListBucketResult>")
        }
        (false, false) => format!(
            "<ListBucketResult><IsTruncated>true</IsTruncated>{body}\
             <NextContinuationToken>{next}</NextContinuationToken></ListBucketResult>"
        ),
    };
    Answer::xml(200, &body)
}

fn of_s3(line: &Line<'_>, objects: &Objects) -> String {
    match line {
        Line::Folder(name) => {
            format!("<CommonPrefixes><Prefix>{}</Prefix></CommonPrefixes>", escaped(name))
        }
        Line::Object(key) => {
            let object = &objects.by_key[*key];
            format!(
                "<Contents><Key>{}</Key><LastModified>2026-01-01T00:00:00.000Z</LastModified>\
                 <ETag>{}</ETag><Size>{}</Size></Contents>",
                escaped(key),
                escaped(&object.e_tag),
                object.contents.len(),
            )
        }
    }
}

/// ETags of listings have no quotes there.
fn of_azure(line: &Line<'_>, objects: &Objects) -> String {
    match line {
        Line::Folder(name) => format!("<BlobPrefix><Name>{}</Name></BlobPrefix>", escaped(name)),
        Line::Object(key) => {
            let object = &objects.by_key[*key];
            format!(
                "<Blob><Name>{}</Name><Properties><Last-Modified>{TIME}</Last-Modified>\
                 <Content-Length>{}</Content-Length><Content-Type>any</Content-Type>\
                 <Etag>{}</Etag></Properties></Blob>",
                escaped(key),
                object.contents.len(),
                object.e_tag.trim_matches('"'),
            )
        }
    }
}

/// The first lines whose names come after one.
fn lines<'o>(
    objects: &'o Objects,
    prefix: &str,
    delimiter: &str,
    after: &str,
    count: usize,
) -> Vec<Line<'o>> {
    let mut lines: Vec<Line<'o>> = Vec::new();
    let mut from = Included(prefix.max(after).to_owned());
    while lines.len() < count
        && let Some((key, _)) = objects.by_key.range((from, Unbounded)).next()
        && let Some(below) = key.strip_prefix(prefix)
    {
        let folder = (!delimiter.is_empty()).then(|| below.find(delimiter)).flatten();
        let folder = folder.map(|at| &key[..prefix.len() + at + delimiter.len()]);
        // The keys of a folder are not looked at one by one.
        from = Excluded(folder.map_or_else(|| key.clone(), |folder| format!("{folder}\u{10ffff}")));
        let line = folder.map_or(Line::Object(key), Line::Folder);
        if line.name() > after {
            lines.push(line);
        }
    }
    lines
}
