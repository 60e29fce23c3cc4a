//! The two sections of JSON, and sidecars: that they parse, have the keys that every writer writes,
//! and that versions and times are such.

use serde_json::{Map, Value};

use super::{Check, Findings};
use crate::keys::REPOSITORY_KEYS;
use crate::layout::Section;
use crate::metadata::{COMPOUND_VERSION, IndexMetadata};
use crate::shard::{check_versions, read_repositories};

/// Keys that every shard's metadata has. `ZoektVersion` came later.
const METADATA_KEYS: [&str; 7] = [
    "IndexFormatVersion",
    "IndexFeatureVersion",
    "IndexMinReaderVersion",
    "IndexTime",
    "PlainASCII",
    "LanguageMap",
    "ID",
];

/// Keys of a repository that not every shard has: they came later, or are left out where there is
/// nothing to say.
const OPTIONAL_KEYS: [&str; 3] = ["TenantID", "Metadata", "FileTombstones"];

/// The characters of an id: 20 digits of base 32.
const ID_LEN: usize = 20;

impl Check<'_> {
    pub(super) fn metadata(&mut self) {
        let (section, at) = (Section::MetaData, self.at(Section::MetaData));
        match serde_json::from_slice::<IndexMetadata>(self.section(section)) {
            Err(error) => self.find(section, at, "JSON", "about the shard", error),
            Ok(metadata) => {
                if let Err(error) = check_versions(&metadata) {
                    self.find(section, at, "version", "one that can be read", error);
                }
                if !is_time(&metadata.index_time) {
                    self.find(
                        section,
                        at,
                        "IndexTime",
                        "a time",
                        format_args!("{:?}", metadata.index_time),
                    );
                }
                let is_digit = |byte: u8| matches!(byte, b'0'..=b'9' | b'a'..=b'v');
                let id = &metadata.id;
                if !id.is_empty() && (id.len() != ID_LEN || !id.bytes().all(is_digit)) {
                    self.find(section, at, "ID", "20 digits of base 32", format_args!("{id:?}"));
                }
                self.metadata = Some(metadata);
            }
        }
        if let Ok(Value::Object(map)) = serde_json::from_slice(self.section(section)) {
            keys(&map, &METADATA_KEYS, section.tag(), at, &mut self.findings);
        }
        self.repositories();
    }

    fn repositories(&mut self) {
        let (section, at) = (Section::RepoMetaData, self.at(Section::RepoMetaData));
        let bytes = self.section(section);
        match read_repositories(bytes, section.tag(), at) {
            Err(error) => self.find(section, at, "JSON", "about repositories", error),
            Ok(repositories) => self.repositories = repositories,
        }
        for (index, repository) in self.repositories.iter().enumerate() {
            let date = &repository.latest_commit_date;
            let what = format_args!("LatestCommitDate of repository {index}");
            if !is_time(date) {
                let got = format_args!("{date:?}");
                self.findings.add(section.tag(), at, what, "a time", got);
            }
        }
        let (count, is_array) = (self.repositories.len(), bytes.first() == Some(&b'['));
        let is_right = if self.is_compound() { is_array && count > 0 } else { !is_array };
        if self.metadata.is_some() && count > 0 && !is_right {
            let version =
                self.metadata.as_ref().map_or(0, |metadata| metadata.index_format_version);
            let want = if version == COMPOUND_VERSION { "an array" } else { "an object" };
            let got = if is_array { "an array" } else { "an object" };
            self.find(section, at, format_args!("JSON in format {version}"), want, got);
        }
        let values: Vec<Value> = match serde_json::from_slice(bytes) {
            Ok(Value::Array(values)) => values,
            Ok(value) => vec![value],
            Err(_) => return,
        };
        if values.is_empty() {
            self.find(section, at, "repositories", "one or more", 0);
        }
        let needed: Vec<&str> =
            REPOSITORY_KEYS.into_iter().filter(|key| !OPTIONAL_KEYS.contains(key)).collect();
        for value in values.iter().filter_map(Value::as_object) {
            keys(value, &needed, section.tag(), at, &mut self.findings);
        }
    }
}

fn keys(
    map: &Map<String, Value>,
    names: &[&str],
    section: &'static str,
    at: u64,
    findings: &mut Findings,
) {
    for name in names.iter().filter(|name| !map.contains_key(**name)) {
        findings.add(section, at, format_args!("key {name:?}"), "there", "missing");
    }
}

/// Verifies a sidecar (`SHARD.meta`) of a shard of `repository_count` repositories. An empty one is
/// as good as none.
pub fn verify_sidecar(bytes: &[u8], repository_count: usize, findings_max: usize) -> Findings {
    let mut findings = Findings::new(findings_max);
    if bytes.is_empty() {
        return findings;
    }
    match read_repositories(bytes, "sidecar", 0) {
        Err(error) => findings.add("sidecar", 0, "JSON", "about repositories", error),
        Ok(repositories) => {
            let got = repositories.len();
            if got != repository_count {
                findings.add("sidecar", 0, "repositories", repository_count, got);
            }
            for repository in repositories {
                let date = repository.latest_commit_date;
                if !is_time(&date) {
                    findings.add(
                        "sidecar",
                        0,
                        "LatestCommitDate",
                        "a time",
                        format_args!("{date:?}"),
                    );
                }
            }
        }
    }
    findings
}

/// Whether a text is a time as RFC 3339 has it.
fn is_time(text: &str) -> bool {
    let bytes = text.as_bytes();
    let Some((head, rest)) = bytes.split_first_chunk::<19>() else { return false };
    let number = |text: &[u8]| {
        text.iter().try_fold(0u32, |sum, byte| {
            byte.is_ascii_digit().then(|| sum * 10 + u32::from(byte - b'0'))
        })
    };
    let part = |start: usize, end: usize| number(&head[start..end]);
    let is_in = |number: Option<u32>, low: u32, high: u32| {
        number.is_some_and(|number| (low..=high).contains(&number))
    };
    let marks = [head[4], head[7], head[10], head[13], head[16]] == *b"--T::";
    let parts = part(0, 4).is_some()
        && is_in(part(5, 7), 1, 12)
        && is_in(part(8, 10), 1, 31)
        && is_in(part(11, 13), 0, 23)
        && is_in(part(14, 16), 0, 59)
        && is_in(part(17, 19), 0, 59);
    let zone = match rest {
        [b'.', digits @ ..] => {
            let len = digits.iter().take_while(|byte| byte.is_ascii_digit()).count();
            if len == 0 || len > 9 {
                return false;
            }
            &digits[len..]
        }
        zone => zone,
    };
    let is_zone = match zone {
        b"Z" => true,
        [b'+' | b'-', h0, h1, b':', m0, m1] => {
            is_in(number(&[*h0, *h1]), 0, 23) && is_in(number(&[*m0, *m1]), 0, 59)
        }
        _ => false,
    };
    marks && parts && is_zone
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times() {
        for text in ["2026-11-21T11:03:04Z", "0001-01-01T00:00:00Z", "2026-11-21T11:03:04.12+05:30"]
        {
            assert!(is_time(text), "{text}");
        }
        for text in [
            "",
            "2026-11-21",
            "2026-13-21T11:03:04Z",
            "2026-11-21T11:03:04.Z",
            "2026-11-21T11:03:04",
        ] {
            assert!(!is_time(text), "{text}");
        }
    }

    #[test]
    fn sidecars() {
        let count = |bytes: &[u8], repositories| verify_sidecar(bytes, repositories, 10).count;
        assert_eq!(count(b"", 1), 0);
        assert_eq!(count(b"{}", 1), 0);
        assert_eq!(count(b"{}", 2), 1);
        assert_eq!(count(b"[{},{}]", 2), 0);
        assert_eq!(count(b"[{},{}", 2), 1);
        assert_eq!(count(b"{\"LatestCommitDate\":\"now\"}", 1), 1);
    }
}
