//! Metadata of a shard and its repositories, as the JSON that Go's library writes.
//!
//! Bytes:   docs/formats/zoekt.md, section *Metadata*

use std::collections::BTreeMap;

use manicule_core::go::json::JsonWriter;
use serde::Deserialize;

use super::keys::{REPOSITORY_KEYS, Read, as_repository};

/// Text that may not be valid UTF-8, as names of files may not be.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Text(pub Vec<u8>);

impl<'de> Deserialize<'de> for Text {
    fn deserialize<D: serde::Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        String::deserialize(from).map(|text| Text(text.into_bytes()))
    }
}

impl From<&str> for Text {
    fn from(text: &str) -> Self {
        Text(text.as_bytes().to_vec())
    }
}

impl std::fmt::Display for Text {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&String::from_utf8_lossy(&self.0))
    }
}

/// About a shard.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "PascalCase", default)]
pub struct IndexMetadata {
    /// 16 for a shard of one repository, 17 for one of several.
    pub index_format_version: u32,
    /// Version of the features that the writer put in.
    pub index_feature_version: u32,
    /// The oldest reader that understands it.
    pub index_min_reader_version: u32,
    /// Time of its making: RFC 3339, with as many digits of the second's fraction as are not zero.
    pub index_time: String,
    /// No document and no name holds a rune of 0x80 or more.
    #[serde(rename = "PlainASCII")]
    pub plain_ascii: bool,
    /// The code of each language.
    pub language_map: BTreeMap<String, u16>,
    /// Name or version that the writer gives itself.
    pub zoekt_version: String,
    /// Names the run that made it: 20 characters.
    #[serde(rename = "ID")]
    pub id: String,
}

impl Default for IndexMetadata {
    fn default() -> Self {
        IndexMetadata {
            index_format_version: FORMAT_VERSION,
            index_feature_version: FEATURE_VERSION,
            index_min_reader_version: MIN_READER_VERSION,
            index_time: String::new(),
            plain_ascii: false,
            language_map: BTreeMap::new(),
            zoekt_version: String::new(),
            id: String::new(),
        }
    }
}

/// The format of a shard of one repository, which is what is written.
pub const FORMAT_VERSION: u32 = 16;
/// The format of a shard of several repositories.
pub const COMPOUND_VERSION: u32 = 17;
/// Feature version of shards that are written.
pub const FEATURE_VERSION: u32 = 12;
/// The oldest reader that understands what is written.
pub(crate) const MIN_READER_VERSION: u32 = 10;
/// The oldest features that can be read.
pub(crate) const FEATURE_VERSION_MIN: u32 = 8;

/// A branch.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "PascalCase", default)]
pub struct Branch {
    /// Its name.
    pub name: String,
    /// The commit.
    pub version: String,
}

/// About a repository.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "PascalCase", default)]
#[expect(missing_docs, reason = "the fields are the peer's; docs/formats/zoekt.md tells of each")]
pub struct Repository {
    #[serde(rename = "TenantID")]
    pub tenant_id: i64,
    #[serde(rename = "ID")]
    pub id: u32,
    pub name: Text,
    #[serde(rename = "URL")]
    pub url: String,
    pub metadata: Option<BTreeMap<String, String>>,
    pub source: Text,
    pub branches: Option<Vec<Branch>>,
    pub sub_repo_map: Option<BTreeMap<String, Repository>>,
    #[serde(rename = "CommitURLTemplate")]
    pub commit_url_template: String,
    #[serde(rename = "FileURLTemplate")]
    pub file_url_template: String,
    pub line_fragment_template: String,
    pub raw_config: Option<BTreeMap<String, String>>,
    pub rank: u16,
    pub index_options: String,
    pub has_symbols: bool,
    pub tombstone: bool,
    #[serde(default = "zero_time")]
    pub latest_commit_date: String,
    pub file_tombstones: Option<BTreeMap<String, Nothing>>,
}

/// The empty object.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
pub struct Nothing {}

/// The time that Go takes for none.
pub const ZERO_TIME: &str = "0001-01-01T00:00:00Z";

fn zero_time() -> String {
    ZERO_TIME.to_owned()
}

impl IndexMetadata {
    /// The bytes of section *metaData*.
    pub fn encode(&self) -> Vec<u8> {
        let mut out = JsonWriter::default();
        out.object(|out| {
            out.number("IndexFormatVersion", self.index_format_version);
            out.number("IndexFeatureVersion", self.index_feature_version);
            out.number("IndexMinReaderVersion", self.index_min_reader_version);
            out.text("IndexTime", &self.index_time);
            out.word("PlainASCII", self.plain_ascii);
            out.key("LanguageMap");
            out.object(|out| {
                self.language_map.iter().for_each(|(name, code)| out.number(name, *code));
            });
            out.text("ZoektVersion", &self.zoekt_version);
            out.text("ID", &self.id);
        });
        out.into_bytes()
    }
}

impl Repository {
    /// Repository that a description says, with what follows from its `RawConfig`: id, tenant and
    /// rank. As Go reads it: keys in any case, the last of several counts, `null` leaves what would
    /// be without.
    pub fn from_json(json: &[u8]) -> Result<Repository, serde_json::Error> {
        let json = as_repository(serde_json::from_slice(json)?);
        let mut repository: Repository = serde_json::from_value(json)?;
        repository.id = repository.derived_id();
        if let Some(id) = repository.config("tenantID") {
            repository.tenant_id = id.parse().unwrap_or(0);
        }
        repository.rank = repository.derived_rank();
        Ok(repository)
    }

    /// The repository as whoever reads it has it: with what follows from its `RawConfig`.
    pub fn as_read(&self) -> Repository {
        Repository::from_json(&self.encode()).expect("what was written as JSON is JSON")
    }

    /// A value of `RawConfig`.
    pub fn config(&self, key: &str) -> Option<&str> {
        self.raw_config.as_ref()?.get(key).map(String::as_str)
    }

    /// Its id: what `RawConfig` says, where that has one.
    pub fn derived_id(&self) -> u32 {
        self.config("repoid").map_or(self.id, |id| id.parse().unwrap_or(0))
    }

    /// Its priority among repositories; 0 if `RawConfig` has none.
    pub fn priority(&self) -> f64 {
        self.config("priority").and_then(|priority| priority.parse().ok()).unwrap_or(0.0)
    }

    /// Its rank, as whoever reads the shard derives it from `RawConfig`: of the latest commit, or
    /// of the priority where no rank is stored.
    pub fn derived_rank(&self) -> u16 {
        if self.config("latestCommitDate").is_some() {
            return months_since_1970(&self.latest_commit_date);
        }
        let priority = self.priority();
        if self.rank == 0 && priority > 0.0 {
            (priority / (5000.0 + priority) * f64::from(u16::MAX)) as u16
        } else {
            self.rank
        }
    }

    /// The keys of a description that mean nothing, as they are written. Empty also where it is no
    /// JSON.
    pub fn unknown_keys(json: &[u8]) -> Vec<String> {
        let Ok(Read::Object(pairs)) = serde_json::from_slice(json) else { return Vec::new() };
        let is_known =
            |key: &String| REPOSITORY_KEYS.iter().any(|known| known.eq_ignore_ascii_case(key));
        pairs.into_iter().map(|(key, _)| key).filter(|key| !is_known(key)).collect()
    }

    /// The bytes of section *repoMetaData* of a shard of one repository.
    pub fn encode(&self) -> Vec<u8> {
        let mut out = JsonWriter::default();
        self.write(&mut out);
        out.into_bytes()
    }

    /// The bytes of section *repoMetaData* of a shard of several repositories, and of its sidecar.
    pub fn encode_all(repositories: &[Repository]) -> Vec<u8> {
        let mut out = JsonWriter::default();
        out.list(repositories, |out, repository| repository.write(out));
        out.into_bytes()
    }

    fn write(&self, out: &mut JsonWriter) {
        out.object(|out| {
            out.number("TenantID", self.tenant_id);
            out.number("ID", self.id);
            out.text("Name", &self.name.0);
            out.text("URL", &self.url);
            put_texts(out, "Metadata", self.metadata.as_ref());
            out.text("Source", &self.source.0);
            self.write_branches(out);
            out.key("SubRepoMap");
            match &self.sub_repo_map {
                None => out.raw("null"),
                Some(map) => out.object(|out| {
                    for (path, repository) in map {
                        out.key(path);
                        repository.write(out);
                    }
                }),
            }
            out.text("CommitURLTemplate", &self.commit_url_template);
            out.text("FileURLTemplate", &self.file_url_template);
            out.text("LineFragmentTemplate", &self.line_fragment_template);
            put_texts(out, "RawConfig", self.raw_config.as_ref());
            out.number("Rank", self.rank);
            out.text("IndexOptions", &self.index_options);
            out.word("HasSymbols", self.has_symbols);
            out.word("Tombstone", self.tombstone);
            out.text("LatestCommitDate", &self.latest_commit_date);
            if let Some(tombstones) = self.file_tombstones.as_ref().filter(|map| !map.is_empty()) {
                out.key("FileTombstones");
                out.object(|out| {
                    for path in tombstones.keys() {
                        out.key(path);
                        out.raw("{}");
                    }
                });
            }
        });
    }

    fn write_branches(&self, out: &mut JsonWriter) {
        let Some(branches) = &self.branches else { return out.null("Branches") };
        out.key("Branches");
        out.list(branches, |out, branch| {
            out.object(|out| {
                out.text("Name", &branch.name);
                out.text("Version", &branch.version);
            });
        });
    }
}

/// Whole months from 1970 to a time in RFC 3339; 0 for earlier ones and for what is no time.
fn months_since_1970(time: &str) -> u16 {
    let mut parts = time.split('-');
    let mut number = || parts.next().and_then(|part| part.parse::<u32>().ok());
    let (Some(year), Some(month)) = (number(), number()) else { return 0 };
    let Some(years) = year.checked_sub(1970) else { return 0 };
    (years * 12 + month.saturating_sub(1)).min(u16::MAX.into()) as u16
}

/// A field that is an object of strings, or null.
fn put_texts(out: &mut JsonWriter, name: &str, texts: Option<&BTreeMap<String, String>>) {
    let Some(texts) = texts else { return out.null(name) };
    out.key(name);
    out.object(|out| texts.iter().for_each(|(name, text)| out.text(name, text)));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_read_in_any_case() {
        let json = br#"{"Name":"a","URL":"u","name":"b","url":null,"nobody":[{}],"BRANCHES":[{"name":"main"},null]}"#;
        let repository = Repository::from_json(json).unwrap();
        assert_eq!((&repository.name, repository.url.as_str()), (&Text::from("b"), "u"));
        let names: Vec<String> =
            repository.branches.unwrap().into_iter().map(|branch| branch.name).collect();
        assert_eq!(names, ["main", ""]);
        assert_eq!(repository.latest_commit_date, ZERO_TIME);
        assert!(Repository::from_json(br#"{"name":1}"#).is_err());
    }

    #[test]
    fn keys_that_mean_nothing_are_told() {
        let unknown =
            Repository::unknown_keys(br#"{"Name": "a", "url": "b", "Brnches": [], "x": 1}"#);
        assert_eq!(unknown, ["Brnches", "x"]);
        assert_eq!(Repository::unknown_keys(b"[1"), Vec::<String>::new());
    }

    fn check_rank(json: &str, rank: u16) {
        assert_eq!(Repository::from_json(json.as_bytes()).unwrap().rank, rank, "{json}");
    }

    #[test]
    fn rank_follows_from_priority_or_from_the_latest_commit() {
        check_rank(r#"{"RawConfig":{"priority":"900"}}"#, 9996);
        check_rank(r#"{"RawConfig":{"priority":"900"},"Rank":7}"#, 7);
        check_rank(r#"{"RawConfig":{"priority":"many"}}"#, 0);
        check_rank(
            r#"{"RawConfig":{"latestCommitDate":"1","priority":"9"},"LatestCommitDate":"2026-01-02T03:04:05Z"}"#,
            672,
        );
        check_rank(r#"{"RawConfig":{"latestCommitDate":"1"}}"#, 0);
    }
}
