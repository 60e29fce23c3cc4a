//! Names as CQL writes them: in quotes where they need some.

use crate::Version;

/// Words that are no names without quotes, in every release.
const RESERVED: &str = "add allow alter and apply asc authorize batch begin by columnfamily create delete desc describe \
    drop entries execute from full grant if in index infinity insert into is keyspace limit materialized modify nan \
    norecursive not null of on or order primary rename revoke schema select set table to token truncate unlogged update \
    use using view where with";

/// Words that are reserved up to 3.11 alone.
const RESERVED_ONCE: &str = "default mbean mbeans replace unset";

/// A name as CQL writes it: in double quotes unless it is lower case letters, digits and
/// underscores after a letter, and no word that a release reserves.
///
/// Bytes that aren't UTF-8 become replacement characters.
pub fn quoted_name(name: &[u8]) -> String {
    quoted_unless(name, |word| !(is_among(word, RESERVED) || is_among(word, RESERVED_ONCE)))
}

/// The name as the tools of the release print it that writes a version: five words were reserved up
/// to 3.11 alone.
pub(crate) fn quoted_name_of(name: &[u8], version: Version) -> String {
    let is_old = version.letters().starts_with('m');
    quoted_unless(name, |word| {
        !(is_among(word, RESERVED) || is_old && is_among(word, RESERVED_ONCE))
    })
}

fn quoted_unless(name: &[u8], is_free: impl Fn(&str) -> bool) -> String {
    let text = String::from_utf8_lossy(name);
    let is_plain = text.starts_with(|first: char| first.is_ascii_lowercase())
        && text.bytes().all(|byte| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'_'))
        && is_free(&text);
    if is_plain { text.into_owned() } else { format!("\"{}\"", text.replace('"', "\"\"")) }
}

/// Whether a word is one of a list.
fn is_among(word: &str, list: &str) -> bool {
    list.split_ascii_whitespace().any(|other| other == word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_quoted_where_cql_wants_it() {
        for (name, want) in [
            ("ck", "ck"),
            ("v_1", "v_1"),
            ("Mixed Case", "\"Mixed Case\""),
            ("1a", "\"1a\""),
            ("a,b\"c", "\"a,b\"\"c\""),
            ("zé", "\"zé\""),
            ("", "\"\""),
            ("order", "\"order\""),
            ("token", "\"token\""),
            ("default", "\"default\""),
            ("ordered", "ordered"),
            // Keywords that may be names.
            ("key", "key"),
            ("type", "type"),
            ("ttl", "ttl"),
        ] {
            assert_eq!(quoted_name(name.as_bytes()), want);
        }
    }

    /// As many as `reserved_keywords.txt` has in 4.1.7, 5.0.3 and 6.0-alpha2, and the class of
    /// 3.11.3 to 3.11.17.
    #[test]
    fn reserved_words_are_those_of_the_releases() {
        let words: Vec<&str> = RESERVED.split_ascii_whitespace().collect();
        let once: Vec<&str> = RESERVED_ONCE.split_ascii_whitespace().collect();
        assert_eq!((words.len(), once.len()), (57, 5));
        assert!(words.is_sorted() && once.is_sorted());
        for version in Version::ALL {
            let is_old = version.letters().starts_with('m');
            let shown = quoted_name_of(b"replace", version);
            assert_eq!(shown, if is_old { "\"replace\"" } else { "replace" }, "{version:?}");
            assert_eq!(quoted_name_of(b"select", version), "\"select\"");
        }
    }
}
