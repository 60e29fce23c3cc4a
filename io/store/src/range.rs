//! A range of a file, read at once.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt as _;

/// Fills `out` with the bytes of a file from an offset on.
///
/// # Errors
/// Of the system; `UnexpectedEof` where the file ends before the range does, as one that is cut
/// while it is read.
pub fn read_range(file: &File, out: &mut [u8], at: u64) -> io::Result<()> {
    file.read_exact_at(out, at).map_err(|error| match error.kind() {
        io::ErrorKind::UnexpectedEof => {
            let len = file.metadata().map_or(0, |meta| meta.len());
            let what = format!("{} bytes wanted at offset {at}, and the file has {len}", out.len());
            io::Error::new(io::ErrorKind::UnexpectedEof, what)
        }
        _ => error,
    })
}

/// The bytes of a file from an offset on that are there now, in place of what `out` holds: fewer
/// where it is cut meanwhile.
pub(crate) fn read_rest(file: &File, at: u64, out: &mut Vec<u8>) -> io::Result<()> {
    let len = file.metadata()?.len().saturating_sub(at);
    out.clear();
    out.resize(usize::try_from(len).map_err(io::Error::other)?, 0);
    let mut filled = 0;
    while filled < out.len() {
        match file.read_at(&mut out[filled..], at + filled as u64)? {
            0 => break,
            count => filled += count,
        }
    }
    out.truncate(filled);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_ends_too_early_is_said_with_its_length() {
        let mut file = tempfile::tempfile().unwrap();
        std::io::Write::write_all(&mut file, b"abcdef").unwrap();
        let mut out = [0; 4];
        read_range(&file, &mut out, 2).unwrap();
        assert_eq!(&out, b"cdef");
        let error = read_range(&file, &mut out, 3).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::UnexpectedEof);
        assert_eq!(error.to_string(), "4 bytes wanted at offset 3, and the file has 6");
    }
}
