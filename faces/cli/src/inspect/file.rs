//! A file of an index, shown by its parts or by the bytes of one.

use std::fmt::Write as _;
use std::io::Write;

use anyhow::Result;
use manicule::inspect::{IndexFile, Section};

use super::options::Options;
use crate::command::exit;
use crate::messages::say;
use crate::print::Print;

/// Number of bytes of a section that `--hex` shows.
const HEX_LEN: usize = 4096;

/// Its parts, or the bytes of one.
pub(super) fn show(file: &IndexFile, options: &Options, out: &mut Print) -> Result<u8> {
    if let Some(name) = &options.hex {
        let Some((bytes, at)) = file.section(name) else {
            let names = file.section_names().join(", ");
            say(&format_args!("there is no section {name:?}; this file has {names}"));
            return Ok(exit::FAILED);
        };
        let shown = if options.all { bytes.len() } else { bytes.len().min(HEX_LEN) };
        out.write_all(hex(&bytes[..shown], at).as_bytes())?;
        if shown < bytes.len() {
            writeln!(out, "{} more bytes; --all shows them", bytes.len() - shown)?;
        }
        return Ok(exit::DONE);
    }
    if !options.json {
        write!(out, "{}", file.outline)?;
        return Ok(exit::DONE);
    }
    for row in &file.outline.rows {
        out.report("section", Section { of: file.kind, row })?;
    }
    Ok(exit::DONE)
}

/// Bytes as `hexdump -C` shows them, from offset `at` on.
fn hex(bytes: &[u8], at: u64) -> String {
    let mut out = String::new();
    for (row, bytes) in bytes.chunks(16).enumerate() {
        let digits = |bytes: &[u8]| {
            bytes.iter().map(|byte| format!("{byte:02x}")).collect::<Vec<_>>().join(" ")
        };
        let (left, right) = bytes.split_at(bytes.len().min(8));
        let shown = |byte: &u8| if (0x20..0x7f).contains(byte) { char::from(*byte) } else { '.' };
        let text: String = bytes.iter().map(shown).collect();
        let (at, left, right) = (at + row as u64 * 16, digits(left), digits(right));
        let _ = writeln!(out, "{at:08x}  {left:<23}  {right:<23}  |{text}|");
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_shown_as_hexdump_shows_them() {
        let shown = hex(b"MANTGRAM\x01\0\0\0\0\0\0\0abc", 16);
        assert_eq!(
            shown,
            "00000010  4d 41 4e 54 47 52 41 4d  01 00 00 00 00 00 00 00  |MANTGRAM........|\n\
             00000020  61 62 63                                          |abc|\n"
        );
    }
}
