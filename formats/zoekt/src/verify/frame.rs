//! The table of contents: every section once, all of them back to back from the first byte of the
//! file to the table.

use manicule_core::findings::Findings;

use crate::layout::{Rows, SECTION_COUNT, Section, TRAILER_LEN, Toc, TocRow};

const TABLE: &str = "table of contents";

/// Reads the table, as far as it goes. Names that nobody knows are legal: other writers may have
/// more.
pub(super) fn check(bytes: &[u8], findings: &mut Findings) -> Option<Toc> {
    let rows = match Rows::open(bytes) {
        Ok(rows) => rows,
        Err(error) => {
            findings.add(TABLE, bytes.len() as u64, "opening", "a shard", error);
            return None;
        }
    };
    let mut toc = Toc::empty(&rows);
    let trailer_at = (bytes.len() - TRAILER_LEN) as u64;
    if rows.bytes.end != trailer_at {
        findings.add(TABLE, trailer_at, "end of the table", trailer_at, rows.bytes.end);
    }
    let mut seen = [false; SECTION_COUNT];
    let mut last = None;
    let mut extents = Vec::new();
    for row in rows {
        let row = match row {
            Ok(row) => row,
            Err(error) => {
                findings.add(TABLE, toc.at, "reading the table", "a row", error);
                break;
            }
        };
        if let Some(section) = row.named() {
            order(&row, section, &mut seen, &mut last, findings);
        }
        if let Err(error) = toc.take(&row) {
            findings.add(TABLE, row.at, "extent", "inside the file", error);
            continue;
        }
        let name = row.named().map_or("unknown", Section::tag);
        let extent = row.extent;
        if extent.index_len > 0 || extent.index_at > 0 {
            if extent.index().start != extent.data().end {
                let (want, got) = (extent.data().end, extent.index_at);
                findings.add(name, row.at, "place of the index, behind the items", want, got);
            }
            extents.push((extent.index(), name, row.at));
        }
        extents.push((extent.data(), name, row.at));
    }
    for section in Section::ALL.into_iter().filter(|section| !seen[*section as usize]) {
        findings.add(section.tag(), toc.at, "row in the table of contents", "one", "none");
    }
    tiles(extents, toc.at, findings);
    Some(toc)
}

/// Each known name once, in its shape, and in the order of all writers.
fn order(
    row: &TocRow<'_>,
    section: Section,
    seen: &mut [bool; SECTION_COUNT],
    last: &mut Option<Section>,
    findings: &mut Findings,
) {
    if row.section().is_none() {
        findings.add(section.tag(), row.at, "kind", section.shape().kind(), "another");
    }
    if seen[section as usize] {
        findings.add(section.tag(), row.name_at, "rows in the table of contents", "one", "more");
    } else if last.is_some_and(|last| section < last) {
        let before = last.map_or("", Section::tag);
        let want = format_args!("before {before}");
        findings.add(
            section.tag(),
            row.name_at,
            "place in the table of contents",
            want,
            "behind it",
        );
    }
    seen[section as usize] = true;
    *last = Some(section);
}

/// The sections and indexes follow each other without a gap. An empty one lies where another begins
/// or ends.
fn tiles(
    mut extents: Vec<(std::ops::Range<u64>, &'static str, u64)>,
    end: u64,
    findings: &mut Findings,
) {
    extents.sort_by_key(|row| (row.0.start, row.0.end));
    let (mut next, mut before) = (0, "the start of the file");
    let (empty, full): (Vec<_>, Vec<_>) = extents.into_iter().partition(|row| row.0.is_empty());
    for (range, name, _) in &full {
        if range.start != next {
            let what = format_args!("first byte, behind {before}");
            findings.add(name, range.start, what, next, range.start);
        }
        (next, before) = (next.max(range.end), name);
    }
    if next != end {
        let what = format_args!("first byte, behind {before}");
        findings.add(TABLE, end, what, next, end);
    }
    for (range, name, row_at) in empty {
        let at = range.start;
        let is_edge = full.binary_search_by_key(&at, |row| row.0.start).is_ok();
        if at != 0 && at != end && !is_edge {
            let want = "where another begins";
            findings.add(name, row_at, "place of an empty section", want, at);
        }
    }
}
