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
