//! How deep the values of a JSON-LD document lie inside each other: its parser calls itself for
//! each level, and reads what is inside once more for each.

use std::fmt;
use std::io::{self, Read};

use super::fault::Fault;
use crate::stack::with_stack;

/// Maximum number of levels of a document.
const LEVELS_MAX: u32 = 1000;
/// Stack for that many.
const STACK_LEN: usize = 96 << 20;

/// Calls the parser, on a stack for as many levels as [`Leveled`] lets through.
pub(super) fn on_stack<R>(work: impl FnOnce() -> R) -> io::Result<R> {
    with_stack(STACK_LEN, work)
}

/// Bytes of a document whose levels are counted, if it is one of JSON.
pub(super) struct Leveled<R> {
    bytes: R,
    is_json: bool,
    levels: u32,
    is_text: bool,
    is_escaped: bool,
    /// The line and the character of it that comes next, from 1.
    line: u64,
    column: u64,
}

/// The place from which on there are too many.
#[derive(Debug)]
struct TooDeep {
    line: u64,
    column: u64,
}

impl fmt::Display for TooDeep {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "more than {LEVELS_MAX} levels of values inside each other")
    }
}

impl std::error::Error for TooDeep {}

/// The fault that an error of reading is, if it says that there are too many levels.
pub(super) fn too_deep(error: &io::Error) -> Option<Fault> {
    let deep = error.get_ref()?.downcast_ref::<TooDeep>()?;
    Some(Fault { line: deep.line, column: deep.column, what: deep.to_string() })
}

impl<R> Leveled<R> {
    pub(super) fn new(bytes: R, is_json: bool) -> Leveled<R> {
        Leveled { bytes, is_json, levels: 0, is_text: false, is_escaped: false, line: 1, column: 1 }
    }

    fn pass(&mut self, byte: u8) -> Result<(), TooDeep> {
        match byte {
            _ if self.is_escaped => self.is_escaped = false,
            b'\\' if self.is_text => self.is_escaped = true,
            b'"' => self.is_text = !self.is_text,
            b'{' | b'[' if !self.is_text => {
                self.levels += 1;
                if self.levels > LEVELS_MAX {
                    return Err(TooDeep { line: self.line, column: self.column });
                }
            }
            b'}' | b']' if !self.is_text => self.levels = self.levels.saturating_sub(1),
            _ => {}
        }
        // Bytes that continue a character are no characters.
        self.column += u64::from(byte & 0xc0 != 0x80);
        if byte == b'\n' {
            (self.line, self.column) = (self.line + 1, 1);
        }
        Ok(())
    }
}

impl<R: Read> Read for Leveled<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let len = self.bytes.read(buffer)?;
        if self.is_json {
            let passed = buffer[..len].iter().try_for_each(|byte| self.pass(*byte));
            passed.map_err(|deep| io::Error::new(io::ErrorKind::InvalidData, deep))?;
        }
        Ok(len)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_are_those_outside_of_texts() {
        let read = |text: &str| {
            let mut out = Vec::new();
            Leveled::new(text.as_bytes(), true).read_to_end(&mut out)
        };
        let deep = |count| format!("{}\"\\\"[[[{{\"{}", "[".repeat(count), "]".repeat(count));
        assert!(read(&deep(1000)).is_ok() && read(&"[]{}".repeat(2000)).is_ok());
        let error = read(&format!("\n[\"ä\",{}", deep(1000))).expect_err("too deep");
        let fault = too_deep(&error).expect("a fault");
        let want = "2:1005: more than 1000 levels of values inside each other";
        assert_eq!(fault.to_string(), want);
        assert!(too_deep(&io::Error::other("x")).is_none());
    }
}
