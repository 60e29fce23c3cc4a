//! Writes a need for people: `"func" & ("Informer(" | [0-9]{4}"-")`.

use std::fmt::{self, Display, Formatter, Write};

use super::ByteSet;
use super::need::Need;

impl Display for Need {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Need::Anything => f.write_str("anything"),
            Need::All(parts) if parts.is_empty() => f.write_str("anything"),
            Need::Any(parts) if parts.is_empty() => f.write_str("nothing"),
            Need::All(parts) => write_list(f, parts, " & "),
            Need::Any(parts) => write_list(f, parts, " | "),
            Need::Seq(sets) => write_seq(f, sets),
        }
    }
}

/// As `Display` does: nobody wants to read 256 bits.
impl fmt::Debug for Need {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        Display::fmt(self, f)
    }
}

fn write_list(f: &mut Formatter<'_>, parts: &[Need], between: &str) -> fmt::Result {
    for (index, part) in parts.iter().enumerate() {
        if index > 0 {
            f.write_str(between)?;
        }
        match part {
            Need::All(inner) | Need::Any(inner) if !inner.is_empty() => write!(f, "({part})")?,
            _ => write!(f, "{part}")?,
        }
    }
    Ok(())
}

fn write_seq(f: &mut Formatter<'_>, sets: &[ByteSet]) -> fmt::Result {
    let same_kind = |a: &ByteSet, b: &ByteSet| match (a.single(), b.single()) {
        (Some(_), Some(_)) => true,
        (None, None) => a == b,
        _ => false,
    };
    for run in sets.chunk_by(same_kind) {
        match run[0].single() {
            Some(_) => write_literal(f, run)?,
            None if run.len() == 1 => write!(f, "{}", run[0])?,
            None => write!(f, "{}{{{}}}", run[0], run.len())?,
        }
    }
    Ok(())
}

fn write_literal(f: &mut Formatter<'_>, run: &[ByteSet]) -> fmt::Result {
    let bytes: Vec<u8> = run.iter().filter_map(|set| set.single()).collect();
    f.write_char('"')?;
    for chunk in bytes.utf8_chunks() {
        for shown in chunk.valid().chars() {
            match shown {
                '"' => f.write_str("\\\"")?,
                '\'' => f.write_char('\'')?,
                _ => write!(f, "{}", shown.escape_debug())?,
            }
        }
        for byte in chunk.invalid() {
            write!(f, "\\x{byte:02X}")?;
        }
    }
    f.write_char('"')
}
