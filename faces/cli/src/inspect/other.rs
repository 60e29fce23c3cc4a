//! Contents of a system that a program has added, by their own report.

use std::io::Write;

use anyhow::Result;
use manicule::inspect::Contents;
use manicule::kinds::Place;

use crate::command::exit;
use crate::print::Print;

pub(super) fn show(
    place: &Place,
    contents: Contents,
    is_json: bool,
    out: &mut Print,
) -> Result<u8> {
    if is_json {
        out.row(place.kind.word(), contents.json)?;
    } else {
        writeln!(out, "{}", contents.text)?;
    }
    Ok(exit::DONE)
}
