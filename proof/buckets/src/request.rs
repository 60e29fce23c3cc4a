//! A request of HTTP/1.1.

use std::collections::BTreeMap;
use std::io::{self, BufRead};

/// Maximum number of bytes of a body.
const BODY_MAX: usize = 64 << 20;

/// A request, decoded.
#[derive(Debug)]
pub(crate) struct Request {
    pub(crate) method: String,
    /// Path without its first slash, percent-decoded: a bucket, and a key in it.
    pub(crate) path: String,
    /// Parts of the query, percent-decoded, in order of their names.
    pub(crate) query: BTreeMap<String, String>,
    /// Headers by their names in lower case.
    pub(crate) headers: BTreeMap<String, String>,
    pub(crate) body: Vec<u8>,
}

impl Request {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).map(String::as_str)
    }

    pub(crate) fn asked(&self, name: &str) -> Option<&str> {
        self.query.get(name).map(String::as_str)
    }

    /// The bucket, and the key in it.
    pub(crate) fn place(&self) -> (&str, &str) {
        place(&self.path)
    }

    /// The next request of a connection; `None` at its end.
    pub(crate) fn read(from: &mut impl BufRead) -> io::Result<Option<Self>> {
        let line = line(from)?;
        let mut words = line.split(' ');
        let (Some(method), Some(target)) = (words.next(), words.next()) else { return Ok(None) };
        let (path, query) = target.split_once('?').unwrap_or((target, ""));
        let pair = |part: &str| {
            let (name, value) = part.split_once('=').unwrap_or((part, ""));
            // As forms have it, a space is a plus; what is one is encoded.
            (decoded(name), decoded(&value.replace('+', "%20")))
        };
        let query = query.split('&').filter(|part| !part.is_empty()).map(pair).collect();
        let (method, path) = (method.to_owned(), decoded(path.trim_start_matches('/')));
        let mut headers = BTreeMap::new();
        while let Some((name, value)) = self::line(from)?.split_once(':') {
            headers.insert(name.to_ascii_lowercase(), value.trim().to_owned());
        }
        let len = headers.get("content-length").and_then(|len| len.parse().ok()).unwrap_or(0);
        assert!(len <= BODY_MAX, "a body of {len} bytes");
        let mut body = vec![0; len];
        from.read_exact(&mut body)?;
        Ok(Some(Request { method, path, query, headers, body }))
    }
}

/// The bucket of a path, and the key in it.
pub(crate) fn place(path: &str) -> (&str, &str) {
    path.split_once('/').unwrap_or((path, ""))
}

/// The next line, without its end.
fn line(from: &mut impl BufRead) -> io::Result<String> {
    let mut line = String::new();
    from.read_line(&mut line)?;
    Ok(line.trim_end().to_owned())
}

pub(crate) fn decoded(text: &str) -> String {
    let mut out = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        if byte != b'%' {
            out.push(byte);
            continue;
        }
        let mut digit = || rest.next().and_then(|byte| char::from(byte).to_digit(16));
        let (high, low) = (digit().expect("a digit"), digit().expect("a digit"));
        out.push((high * 16 + low) as u8);
    }
    String::from_utf8(out).expect("UTF-8")
}
