//! Bodies of requests, read as Go's decoder reads them: names of fields in any case, what has no
//! meaning passed over, and nothing looked at after the object.
//!
//! Bytes:   docs/guide/serve-zoekt-and-restic.md

use std::fmt;
use std::time::Duration;

use manicule_code::shards::find::query::{Query, QueryError};
use manicule_core::go::json::{Json, JsonError, Text};

/// Maximum length of a query in bytes: what reading one costs is that of compiling its words.
const QUERY_LEN_MAX: usize = 16 << 10;

/// How long a search takes at most that says nothing of it.
const WALL_TIME: Duration = Duration::from_secs(20);

/// A search: the body of `POST /api/search`.
#[derive(Clone, Debug)]
pub struct SearchRequest {
    /// The query.
    pub query: Query,
    /// Everything else that is asked.
    pub options: SearchOptions,
}

/// Options of a search. Maximum numbers of 0 or less are none.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SearchOptions {
    /// Only the number of documents is asked that shards have which repositories and languages of
    /// the query don't rule out.
    pub estimate_doc_count: bool,
    /// Documents are shown with their whole contents.
    pub whole: bool,
    /// Maximum number of matches in a shard, after which the rest of it is not looked at.
    pub shard_max_match_count: i64,
    /// Maximum number of matches in all shards, likewise.
    pub total_max_match_count: i64,
    /// Maximum number of matches in a repository of a shard, likewise.
    pub shard_repo_max_match_count: i64,
    /// Maximum duration in nanoseconds. What was found until then is the answer.
    pub max_wall_time: i64,
    /// Maximum number of documents that are shown: the best.
    pub max_doc_display_count: i64,
    /// Maximum number of matches that are shown.
    pub max_match_display_count: i64,
    /// Number of lines that are shown before and after a match.
    pub num_context_lines: i64,
    /// Matches are shown in chunks of lines.
    pub chunk_matches: bool,
    /// Scores go by how often words occur.
    pub use_bm25_scoring: bool,
}

/// A list of repositories: the body of `POST /api/list`.
#[derive(Clone, Debug)]
pub struct ListRequest {
    /// The query; `None` for all repositories.
    pub query: Option<Query>,
    /// What is listed of each.
    pub field: ListField,
}

/// What is listed of repositories.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ListField {
    /// Everything: field 0.
    Repos,
    /// Branches by ids: field 2.
    ReposMap,
}

/// Error of a request's body.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum RequestError {
    /// It is not the JSON that is wanted.
    Json(JsonError),
    /// It has no query.
    NoQuery,
    /// The query can't be read.
    Query(QueryError),
    /// The query is longer than one that is read.
    TooLong,
    /// There is no such field of a list.
    Field(i64),
}

impl fmt::Display for RequestError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RequestError::Json(error) => error.fmt(f),
            RequestError::NoQuery => f.write_str("missing query"),
            RequestError::Query(error) => error.fmt(f),
            RequestError::TooLong => write!(f, "the query is longer than {QUERY_LEN_MAX} bytes"),
            RequestError::Field(field) => {
                write!(f, "lists have no field {field}: 0 is all of a repository, 2 its branches")
            }
        }
    }
}

// The cause is part of the error's own words.
impl std::error::Error for RequestError {}

impl From<JsonError> for RequestError {
    fn from(error: JsonError) -> Self {
        RequestError::Json(error)
    }
}

impl From<QueryError> for RequestError {
    fn from(error: QueryError) -> Self {
        RequestError::Query(error)
    }
}

impl SearchRequest {
    /// Reads the body of a search: work and memory are linear in its length.
    pub fn read(body: &[u8]) -> Result<Self, RequestError> {
        let mut json = Json::new(body);
        let (mut text, mut ids, mut options) = (String::new(), None, SearchOptions::default());
        each_field(&mut json, &["Q", "RepoIDs", "Opts"], |name, json| match name {
            "Q" => set(&mut text, json.string()?.map(text_of)),
            "RepoIDs" => {
                ids = read_ids(json)?;
                Ok(())
            }
            _ => options.read(json),
        })?;
        if text.is_empty() {
            return Err(RequestError::NoQuery);
        }
        let query = read_query(&text)?.unwrap_or_else(Query::everything);
        let query = match ids {
            None => query,
            Some(ids) => query.of_repositories(&ids),
        };
        Ok(SearchRequest { query, options })
    }
}

impl SearchOptions {
    /// The maximum duration, nothing if it is negative.
    pub fn wall_time(&self) -> Duration {
        match u64::try_from(self.max_wall_time) {
            Ok(0) => WALL_TIME,
            nanos => Duration::from_nanos(nanos.unwrap_or_default()),
        }
    }

    fn read(&mut self, json: &mut Json<'_>) -> Result<(), JsonError> {
        const NAMES: [&str; 15] = [
            "EstimateDocCount",
            "Whole",
            "ShardMaxMatchCount",
            "TotalMaxMatchCount",
            "ShardRepoMaxMatchCount",
            "MaxWallTime",
            "FlushWallTime",
            "MaxDocDisplayCount",
            "MaxMatchDisplayCount",
            "NumContextLines",
            "ChunkMatches",
            "UseBM25Scoring",
            "Trace",
            "DebugScore",
            "SpanContext",
        ];
        each_field(json, &NAMES, |name, json| match name {
            "EstimateDocCount" => set(&mut self.estimate_doc_count, json.flag()?),
            "Whole" => set(&mut self.whole, json.flag()?),
            "ShardMaxMatchCount" => set(&mut self.shard_max_match_count, json.i64()?),
            "TotalMaxMatchCount" => set(&mut self.total_max_match_count, json.i64()?),
            "ShardRepoMaxMatchCount" => set(&mut self.shard_repo_max_match_count, json.i64()?),
            "MaxWallTime" => set(&mut self.max_wall_time, json.i64()?),
            "MaxDocDisplayCount" => set(&mut self.max_doc_display_count, json.i64()?),
            "MaxMatchDisplayCount" => set(&mut self.max_match_display_count, json.i64()?),
            "NumContextLines" => set(&mut self.num_context_lines, json.i64()?),
            "ChunkMatches" => set(&mut self.chunk_matches, json.flag()?),
            "UseBM25Scoring" => set(&mut self.use_bm25_scoring, json.flag()?),
            // They say how an answer comes to be, in a stream, in traces or in words; the answer of
            // this API is the same.
            "FlushWallTime" => json.i64().map(drop),
            "Trace" | "DebugScore" => json.flag().map(drop),
            _ => read_texts(json),
        })
    }
}

impl ListRequest {
    /// Reads the body of a list: work and memory are linear in its length.
    pub fn read(body: &[u8]) -> Result<Self, RequestError> {
        let mut json = Json::new(body);
        let (mut text, mut number) = (String::new(), 0);
        each_field(&mut json, &["Q", "Opts"], |name, json| match name {
            "Q" => set(&mut text, json.string()?.map(text_of)),
            _ => each_field(json, &["Field"], |_, json| set(&mut number, json.i64()?)),
        })?;
        let field = match number {
            0 => ListField::Repos,
            2 => ListField::ReposMap,
            other => return Err(RequestError::Field(other)),
        };
        Ok(ListRequest { query: read_query(&text)?, field })
    }
}

/// Reads an object: `take` the fields of these names, all others are passed over.
fn each_field(
    json: &mut Json<'_>,
    names: &[&'static str],
    mut take: impl FnMut(&'static str, &mut Json<'_>) -> Result<(), JsonError>,
) -> Result<(), JsonError> {
    if !json.object()? {
        return Ok(());
    }
    while let Some(field) = json.field()? {
        match field.among(names) {
            Some(name) => take(name, json)?,
            None => json.skip()?,
        }
    }
    Ok(())
}

/// `null` leaves what is there.
fn set<T>(value: &mut T, read: Option<T>) -> Result<(), JsonError> {
    if let Some(read) = read {
        *value = read;
    }
    Ok(())
}

fn text_of(text: Text<'_>) -> String {
    text.decode().into_owned()
}

/// Ids of repositories; `None` for `null`. A `null` among them is 0.
fn read_ids(json: &mut Json<'_>) -> Result<Option<Vec<u32>>, JsonError> {
    if !json.list()? {
        return Ok(None);
    }
    let mut ids = Vec::new();
    while json.element()? {
        ids.push(json.u32()?.unwrap_or_default());
    }
    Ok(Some(ids))
}

/// An object of strings, which is forgotten.
fn read_texts(json: &mut Json<'_>) -> Result<(), JsonError> {
    if json.object()? {
        while json.field()?.is_some() {
            json.string()?;
        }
    }
    Ok(())
}

/// A query; `None` where it asks for nothing, which is everything.
fn read_query(text: &str) -> Result<Option<Query>, RequestError> {
    if text.len() > QUERY_LEN_MAX {
        return Err(RequestError::TooLong);
    }
    let is_blank = text.bytes().all(|byte| matches!(byte, b' ' | b'\t'));
    if is_blank { Ok(None) } else { Ok(Query::parse(text).map(Some)?) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn options(opts: &str) -> SearchOptions {
        let body = format!("{{\"Q\": \"x\", \"Opts\": {opts}}}");
        SearchRequest::read(body.as_bytes()).expect("a request").options
    }

    #[test]
    fn names_are_read_in_any_case_and_the_last_counts() {
        let got =
            options(r#"{"whole": true, "numcontextlines": 3, "NumContextLines": 4, "x": [{}]}"#);
        let want = SearchOptions { whole: true, num_context_lines: 4, ..SearchOptions::default() };
        assert_eq!(got, want);
        assert_eq!(options("null"), SearchOptions::default());
        assert_eq!(
            options(r#"{"SpanContext": {"a": "b"}, "Trace": true}"#),
            SearchOptions::default()
        );
    }

    #[test]
    fn a_duration_of_nothing_is_zoekts() {
        for (nanos, want) in [(0, WALL_TIME), (-1, Duration::ZERO), (5, Duration::from_nanos(5))] {
            let options = SearchOptions { max_wall_time: nanos, ..SearchOptions::default() };
            assert_eq!(options.wall_time(), want);
        }
    }

    #[track_caller]
    fn check(body: &str, says: &str) {
        let error = SearchRequest::read(body.as_bytes()).expect_err("a refusal");
        assert!(error.to_string().contains(says), "{error}");
    }

    #[test]
    fn what_is_wrong_is_told() {
        check("", "wanted a value");
        check("[]", "wanted an object");
        check("{}", "missing query");
        check(r#"{"Q": "a""#, "the end of the text");
        check(r#"{"Q": 1}"#, "wanted a string");
        check(r#"{"Q": "a", "RepoIDs": [5000000000]}"#, "32 bits");
        check(r#"{"Q": "a", "Opts": {"MaxWallTime": 1.5}}"#, "64 bits");
        check(r#"{"Q": "a", "Opts": {"SpanContext": {"a": 1}}}"#, "wanted a string");
        check(r#"{"Q": "(a b"}"#, "not closed");
    }

    #[test]
    fn lists_have_two_fields() {
        let read = |body: &str| ListRequest::read(body.as_bytes());
        assert!(read("{}").expect("all").query.is_none());
        let request = read(r#"{"Q": "a", "opts": {"field": 2}} x"#).expect("a request");
        assert_eq!((request.query.is_some(), request.field), (true, ListField::ReposMap));
        assert_eq!(read(r#"{"Opts": {"Field": 1}}"#).err(), Some(RequestError::Field(1)));
    }
}
