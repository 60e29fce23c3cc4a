//! The files of a form: `multipart/form-data`, RFC 7578.

use memchr::memmem;

use super::media::MediaType;
use super::refused::Refused;

/// Maximum number of parts.
const PARTS_MAX: usize = 1000;
/// Maximum length of a part's head, in bytes.
const HEAD_LEN_MAX: usize = 8 << 10;
/// Maximum length of a boundary, in bytes, as RFC 2046 has it.
const BOUNDARY_LEN_MAX: usize = 70;

/// A part of a form.
#[derive(PartialEq, Eq, Debug)]
pub(super) struct Part<'b> {
    /// The name of its file; none of a field.
    pub(super) file: Option<String>,
    /// Its own `Content-Type`.
    pub(super) media_type: Option<MediaType>,
    pub(super) bytes: &'b [u8],
}

/// The parts of a body.
pub(super) fn parts<'b>(body: &'b [u8], form: &MediaType) -> Result<Vec<Part<'b>>, Refused> {
    let boundary = form.parameter("boundary").unwrap_or_default();
    if boundary.is_empty() || boundary.len() > BOUNDARY_LEN_MAX {
        return Err(Refused::bad("multipart/form-data without a boundary of up to 70 characters"));
    }
    let delimiter = format!("\r\n--{boundary}");
    // The first one may begin the body.
    let first = &delimiter.as_bytes()[2..];
    let mut rest = match body.strip_prefix(first) {
        Some(rest) => rest,
        None => after(body, delimiter.as_bytes()).ok_or_else(|| cut("has no part"))?.1,
    };
    let mut parts = Vec::new();
    loop {
        if rest.starts_with(b"--") {
            return Ok(parts);
        }
        if parts.len() == PARTS_MAX {
            return Err(Refused::bad(format!("a form of more than {PARTS_MAX} parts")));
        }
        let (padding, part) = after(rest, b"\r\n").ok_or_else(|| cut("ends in a boundary"))?;
        if !padding.iter().all(|byte| matches!(byte, b' ' | b'\t')) {
            return Err(cut("has a boundary with something after it"));
        }
        let (head, content) = head(part)?;
        let (bytes, after) =
            after(content, delimiter.as_bytes()).ok_or_else(|| cut("ends in a part"))?;
        parts.push(Part { bytes, ..head });
        rest = after;
    }
}

/// What is before a text and after it.
fn after<'b>(bytes: &'b [u8], text: &[u8]) -> Option<(&'b [u8], &'b [u8])> {
    let at = memmem::find(bytes, text)?;
    Some((&bytes[..at], &bytes[at + text.len()..]))
}

fn cut(what: &str) -> Refused {
    Refused::bad(format!("the form {what}: it was cut, or is none of multipart/form-data"))
}

/// The headers of a part, and what comes after the empty line.
fn head(part: &[u8]) -> Result<(Part<'_>, &[u8]), Refused> {
    let (mut file, mut media_type, mut rest) = (None, None, part);
    loop {
        let (line, after) = after(rest, b"\r\n").ok_or_else(|| cut("ends in a part's head"))?;
        if part.len() - after.len() > HEAD_LEN_MAX {
            return Err(Refused::bad("a part's head of more than 8 KiB"));
        }
        rest = after;
        if line.is_empty() {
            return Ok((Part { file, media_type, bytes: &[] }, rest));
        }
        let line = String::from_utf8_lossy(line);
        let Some((name, value)) = line.split_once(':') else { continue };
        if name.eq_ignore_ascii_case("content-type") {
            media_type = MediaType::read(value);
        } else if name.eq_ignore_ascii_case("content-disposition") {
            // Its parameters are those of a media type.
            let read = MediaType::read(&format!("form/{}", value.trim()));
            file = read.and_then(|read| read.parameter("filename").map(str::to_owned));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn form(boundary: &str) -> MediaType {
        MediaType::read(&format!("multipart/form-data; boundary={boundary}")).unwrap()
    }

    #[test]
    fn files_and_fields_are_parts() {
        let body = b"preamble\r\n--x y\r\nContent-Disposition: form-data; name=\"a;b\"\r\n\r\nvalue\r\n\
            --x y  \r\ncontent-disposition: form-data; name=f; filename=\"a \\\"1\\\".ttl\"\r\n\
            Content-Type: text/turtle; charset=utf-8\r\nX-Other: 1\r\n\r\n<a>\r\n--x\r\n\r\n--x y--\r\nrest";
        let parts = parts(body, &form("\"x y\"")).unwrap();
        let shown: Vec<_> = parts
            .iter()
            .map(|part| {
                let media_type = part.media_type.as_ref().map(|own| own.name.as_str());
                (part.file.as_deref(), media_type, part.bytes)
            })
            .collect();
        let want: [(_, _, &[u8]); 2] =
            [(None, None, b"value"), (Some("a \"1\".ttl"), Some("text/turtle"), b"<a>\r\n--x\r\n")];
        assert_eq!(shown, want);
    }

    #[test]
    fn a_form_that_is_cut_is_refused() {
        let whole = b"--b\r\nContent-Type: text/turtle\r\n\r\n<a> <b> <c> .\r\n--b--";
        assert_eq!(parts(whole, &form("b")).unwrap().len(), 1);
        for len in 0..whole.len() {
            assert_eq!(parts(&whole[..len], &form("b")).unwrap_err().status, 400, "{len}");
        }
        assert!(parts(b"--b--", &form("b")).unwrap().is_empty());
        let long = [b"--b\r\n".as_slice(), &[b'x'; HEAD_LEN_MAX], b"\r\n\r\n\r\n--b--"].concat();
        let many = [&b"--b\r\n\r\n\r\n".repeat(PARTS_MAX + 1), b"--b--".as_slice()].concat();
        for body in [long.as_slice(), &many, b"--b x\r\n\r\n\r\n--b--"] {
            assert_eq!(parts(body, &form("b")).unwrap_err().status, 400);
        }
        for media_type in [form(""), form(&"x".repeat(71))] {
            assert_eq!(parts(whole, &media_type).unwrap_err().status, 400);
        }
    }
}
