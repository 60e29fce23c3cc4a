//! URLs as Go's `net/url` reads and writes them, as far as those of repositories go.

use std::fmt;

use super::path::clean;

/// A URL. What it was written as comes out again, but for characters of the path that must be
/// escaped, and the scheme's case.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Url {
    /// What is before the first colon, in lower case; empty if there is none.
    pub scheme: String,
    /// What is before `@`: name and password.
    pub user: Option<String>,
    /// Host, and port where one is given; empty if there is none.
    pub host: String,
    /// The path as written.
    raw_path: String,
    /// Whether `//` stood before the host.
    has_authority: bool,
    /// What follows the path: query and fragment, each with its sign; all that is no path.
    tail: String,
}

impl Url {
    /// Reads a URL; `None` if Go reads none. A path alone is one.
    pub fn parse(text: &str) -> Option<Self> {
        if text.bytes().any(|byte| byte < b' ' || byte == 0x7f) {
            return None;
        }
        let (head, tail) = text.split_at(text.find(['?', '#']).unwrap_or(text.len()));
        let (scheme, rest) = split_scheme(head)?;
        let first = rest.split('/').next().unwrap_or_default();
        if scheme.is_empty() && first.contains(':') {
            return None;
        }
        let mut url = Url {
            scheme: scheme.to_ascii_lowercase(),
            tail: tail.to_owned(),
            raw_path: rest.to_owned(),
            ..Url::default()
        };
        if !scheme.is_empty() && !rest.starts_with('/') {
            // What is no path at all.
            return Some(Url { raw_path: String::new(), tail: format!("{rest}{tail}"), ..url });
        }
        let is_authority = !scheme.is_empty() || !rest.starts_with("///");
        if let Some(authority) = rest.strip_prefix("//").filter(|_| is_authority) {
            let (authority, path) =
                authority.split_at(authority.find('/').unwrap_or(authority.len()));
            let (user, host) = match authority.rsplit_once('@') {
                Some((user, host)) => (Some(user.to_owned()), host),
                None => (None, authority),
            };
            if host.contains([' ', '"', '<', '>', '\\', '^', '`', '{', '|', '}']) {
                return None;
            }
            (url.user, url.host, url.has_authority) = (user, host.to_owned(), true);
            path.clone_into(&mut url.raw_path);
        }
        is_escaped(&url.raw_path).then_some(url)
    }

    /// Its path, unescaped.
    pub fn path(&self) -> String {
        let bytes = self.raw_path.as_bytes();
        let (mut path, mut at) = (Vec::with_capacity(bytes.len()), 0);
        while let Some(byte) = bytes.get(at) {
            let escaped = self.raw_path.get(at + 1..at + 3).filter(|_| *byte == b'%');
            let value = escaped.and_then(|digits| u8::from_str_radix(digits, 16).ok());
            path.push(value.unwrap_or(*byte));
            at += if value.is_some() { 3 } else { 1 };
        }
        String::from_utf8_lossy(&path).into_owned()
    }

    /// Gives it another path.
    pub fn set_path(&mut self, path: &str) {
        self.raw_path = escape(path);
    }

    /// The URL without an ending of its path.
    pub fn without_suffix(mut self, suffix: &str) -> Self {
        if let Some(path) = self.path().strip_suffix(suffix) {
            self.set_path(path);
        }
        self
    }

    /// The URL that a path leads to from it.
    pub fn joined(mut self, path: &str) -> Self {
        let joined = clean(format!("{}/{path}", self.path()).as_bytes());
        self.set_path(&String::from_utf8_lossy(&joined));
        self
    }

    /// Host and path as one path, cleaned: the name of a repository, and where it is kept.
    pub fn host_and_path(&self) -> String {
        let joined = format!("{}/{}", self.host, self.path());
        let joined = if self.host.is_empty() { self.path() } else { joined };
        match joined.as_str() {
            "" => joined,
            joined => String::from_utf8_lossy(&clean(joined.as_bytes())).into_owned(),
        }
    }
}

impl fmt::Display for Url {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.scheme.is_empty() {
            write!(f, "{}:", self.scheme)?;
        }
        if self.has_authority {
            f.write_str("//")?;
            if let Some(user) = &self.user {
                write!(f, "{user}@")?;
            }
            f.write_str(&self.host)?;
        }
        let is_valid = self.raw_path.bytes().all(|byte| byte == b'%' || !must_be_escaped(byte));
        if is_valid {
            f.write_str(&self.raw_path)?;
        } else {
            f.write_str(&escape(&self.path()))?;
        }
        f.write_str(&self.tail)
    }
}

/// The scheme and what follows its colon; `None` where nothing is before the colon.
fn split_scheme(text: &str) -> Option<(&str, &str)> {
    let is_of_scheme = |c: char| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.');
    let end = text.find(|c: char| !is_of_scheme(c)).unwrap_or(text.len());
    let is_scheme = text.starts_with(|c: char| c.is_ascii_alphabetic());
    match text[end..].strip_prefix(':') {
        Some(_) if end == 0 => None,
        Some(rest) if is_scheme => Some((&text[..end], rest)),
        _ => Some(("", text)),
    }
}

/// Whether two hexadecimal digits follow each `%`.
fn is_escaped(path: &str) -> bool {
    path.match_indices('%').all(|(at, _)| {
        let digits = path.as_bytes().get(at + 1..at + 3);
        digits.is_some_and(|digits| digits.iter().all(u8::is_ascii_hexdigit))
    })
}

fn must_be_escaped(byte: u8) -> bool {
    !byte.is_ascii_alphanumeric() && !b"-_.~!$&'()*+,;=:@[]/".contains(&byte)
}

/// A path with the characters escaped that Go escapes.
fn escape(path: &str) -> String {
    let mut escaped = String::with_capacity(path.len());
    for byte in path.bytes() {
        if must_be_escaped(byte) || b"!'()*[]".contains(&byte) {
            escaped.push_str(&format!("%{byte:02X}"));
        } else {
            escaped.push(char::from(byte));
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, want: &str, name: &str) {
        let url = Url::parse(text).expect(text);
        assert_eq!((url.to_string().as_str(), url.host_and_path().as_str()), (want, name));
    }

    #[test]
    fn urls_are_written_as_go_does() {
        for (text, name) in [
            ("https://example.org/lamps.git", "example.org/lamps.git"),
            ("ssh+git://git@github.com:22/a/b.git", "github.com:22/a/b.git"),
            ("file:///srv/git/x.git", "/srv/git/x.git"),
            ("https://h/a%20b?q=1#f", "h/a b"),
            ("/srv/git//x", "/srv/git/x"),
            ("../wick.git", "../wick.git"),
            ("https://h/a(b)*'!x", "h/a(b)*'!x"),
            ("//h/x?y", "h/x"),
            ("github.com:org/repo", ""),
            ("", ""),
        ] {
            check(text, text, name);
        }
        check("HTTPS://Host/a b", "https://Host/a%20b", "Host/a b");
        check("https://h/(a) b", "https://h/%28a%29%20b", "h/(a) b");
        check("https://h/é", "https://h/%C3%A9", "h/é");
    }

    #[test]
    fn what_go_reads_not_is_none() {
        for text in ["a b:c/d", ":x", "https://h/a%2", "https://h\n", "https://a b/c", "1a:b"] {
            assert_eq!(Url::parse(text), None, "{text:?}");
        }
    }

    #[test]
    fn paths_are_joined_and_cut() {
        let url = || Url::parse("https://example.org/a/lamps.git").unwrap();
        assert_eq!(url().without_suffix(".git").to_string(), "https://example.org/a/lamps");
        assert_eq!(url().joined("../wick").to_string(), "https://example.org/a/wick");
        assert_eq!(url().joined("../../../wick").to_string(), "https://example.org/wick");
    }
}
