//! A shard by its parts: what `inspect` shows and the format's document.
//!
//! Bytes:   docs/formats/zoekt.md

use manicule_core::bytes::{DecodeError, Outline};

use crate::layout::{ITEM_LEN, Rows, Section, TRAILER_LEN, TocRow};

/// The parts of a whole shard file, in the order of their offsets. Sections that are not there are
/// left out.
///
/// Of a damaged file this shows what its table of contents says, as far as that can be read and
/// lies inside the file.
pub fn outline(bytes: &[u8]) -> Result<Outline, DecodeError> {
    let rows = Rows::open(bytes)?;
    let table = rows.bytes.clone();
    let mut outline = Outline::default();
    let mut row_count = 0;
    for row in rows.map_while(Result::ok) {
        row_count += 1;
        push(&row, table.start, bytes.len(), &mut outline);
    }
    outline.push(table, "table of contents", format_args!("{row_count} sections"));
    let len = bytes.len() as u64;
    outline.push(len - TRAILER_LEN as u64..len, "trailer", "place and length of the table");
    outline.rows.sort_by_key(|row| (row.bytes.start, row.bytes.end));
    Ok(outline)
}

fn push(row: &TocRow<'_>, end: u64, file_len: usize, outline: &mut Outline) {
    let extent = row.extent;
    let is_there = extent.at > 0 || extent.len > 0 || extent.index_len > 0;
    if !is_there || extent.data().end > end || extent.index().end > end {
        return;
    }
    let name = match row.named() {
        Some(section) => section.tag().to_owned(),
        None => row.tag.escape_ascii().to_string(),
    };
    let about = row.named().map_or("A section that this program doesn't know.", Section::about);
    let share = |len: u32| format!("{:.1} %", f64::from(len) * 100.0 / file_len.max(1) as f64);
    let count = extent.item_count();
    let items = if extent.index_at > 0 { format!("{count} items, ") } else { String::new() };
    let value = format!("{items}{}. {about}", share(extent.len));
    outline.push(extent.data(), name.clone(), value);
    if extent.index_len as usize >= ITEM_LEN {
        let value = format!("{}. Where each item begins.", share(extent.index_len));
        outline.push(extent.index(), format!("{name} index"), value);
    }
}
