//! Roots of a client: the folders that it works in, as URIs of files.

use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;
use std::path::PathBuf;

use serde_json::Value;

/// Folders that a client has confined calls to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Roots {
    /// The client has none: it can't say any.
    #[default]
    Unconfined,
    /// These; of a client that has listed none, nothing.
    Within(Vec<PathBuf>),
}

impl Roots {
    /// Those of the result of `roots/list`. What is no file of this machine is left out.
    pub fn of_result(result: &Value) -> Roots {
        let listed = result["roots"].as_array().map_or(&[][..], Vec::as_slice);
        let paths = listed.iter().filter_map(|root| path(root["uri"].as_str()?));
        Roots::Within(paths.collect())
    }
}

/// The path of a `file:` URI.
fn path(uri: &str) -> Option<PathBuf> {
    let rest = uri.strip_prefix("file://")?;
    let path = rest.strip_prefix("localhost").unwrap_or(rest);
    if !path.starts_with('/') {
        return None;
    }
    let path = path.split(['?', '#']).next().unwrap_or_default().as_bytes();
    let mut bytes = Vec::with_capacity(path.len());
    let mut at = 0;
    while let Some(byte) = path.get(at) {
        if *byte == b'%' {
            let digits = str::from_utf8(path.get(at + 1..at + 3)?).ok()?;
            bytes.push(u8::from_str_radix(digits, 16).ok()?);
            at += 3;
        } else {
            bytes.push(*byte);
            at += 1;
        }
    }
    (!bytes.contains(&0)).then(|| PathBuf::from(OsString::from_vec(bytes)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_uri_of_a_file_is_its_path() {
        for (uri, want) in [
            ("file:///projects/a%20b", Some("/projects/a b")),
            ("file://localhost/src", Some("/src")),
            ("file:///a%C3%A9?x#y", Some("/aé")),
            ("file://elsewhere/src", None),
            ("file:///a%2", None),
            ("file:///a%zz", None),
            ("file:///a%00b", None),
            ("https://example.com/", None),
            ("/src", None),
        ] {
            assert_eq!(path(uri), want.map(PathBuf::from), "{uri}");
        }
    }
}
