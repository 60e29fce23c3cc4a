//! The config of a repository: its version and its name.
//!
//! Bytes:   an envelope of {"version":2,"id":"..","chunker_polynomial":".."}, never compressed, docs/formats/restic.md

use std::fmt;

use manicule_core::go::json::{Json, JsonError};

/// Version of a repository: whether its files and blobs may be compressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Version {
    /// Nothing is compressed; packs may be mixed.
    V1,
    /// Zstandard. Written since restic 0.14.
    V2,
}

impl Version {
    /// Its number.
    pub fn number(self) -> u32 {
        match self {
            Version::V1 => 1,
            Version::V2 => 2,
        }
    }
}

/// A repository's config.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Config {
    /// The repository's version.
    pub version: Version,
    /// Its name, which also its folder in restic's cache has: 64 hexadecimal digits as a rule, but
    /// any text may be there.
    pub id: String,
    /// The polynomial by which restic cuts files, in hexadecimal digits. An index needs none;
    /// restic refuses one that is reducible.
    pub chunker_polynomial: String,
    /// rustic's: nothing may be deleted.
    pub is_append_only: bool,
    /// rustic's: this is the hot half of a repository, without the packs of data.
    pub is_hot: bool,
}

/// Error of a config that can't be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ConfigError {
    /// It isn't the JSON that a config is.
    Json(JsonError),
    /// Another version.
    Version(u64),
}

impl fmt::Display for ConfigError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ConfigError::Json(error) => write!(f, "config: {error}"),
            ConfigError::Version(got) => {
                write!(f, "config: unsupported repository version: wanted 1 or 2, got {got}")
            }
        }
    }
}

impl std::error::Error for ConfigError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            ConfigError::Json(error) => Some(error),
            ConfigError::Version(_) => None,
        }
    }
}

impl From<JsonError> for ConfigError {
    fn from(error: JsonError) -> Self {
        ConfigError::Json(error)
    }
}

impl Config {
    /// Reads the plaintext of a config. Unknown fields are skipped.
    pub fn parse(plain: &[u8]) -> Result<Config, ConfigError> {
        let mut number = 0;
        let (mut id, mut chunker_polynomial) = (String::new(), String::new());
        let (mut is_append_only, mut is_hot) = (false, false);
        let mut json = Json::new(plain);
        if json.object()? {
            while let Some(field) = json.field()? {
                let name =
                    field.among(&["version", "id", "chunker_polynomial", "append_only", "is_hot"]);
                match name {
                    Some("version") => number = json.u64()?.unwrap_or(number),
                    Some("id") => id = text(&mut json)?.unwrap_or(id),
                    Some("chunker_polynomial") => {
                        chunker_polynomial = text(&mut json)?.unwrap_or(chunker_polynomial);
                    }
                    Some("append_only") => is_append_only = json.flag()?.unwrap_or(is_append_only),
                    Some("is_hot") => is_hot = json.flag()?.unwrap_or(is_hot),
                    _ => json.skip()?,
                }
            }
        }
        json.end()?;
        let version = match number {
            1 => Version::V1,
            2 => Version::V2,
            other => return Err(ConfigError::Version(other)),
        };
        Ok(Config { version, id, chunker_polynomial, is_append_only, is_hot })
    }
}

fn text(json: &mut Json<'_>) -> Result<Option<String>, JsonError> {
    Ok(json.string()?.map(|text| text.decode().into_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn configs_are_read_as_restic_does() {
        let config = Config::parse(
            br#"{"version":2,"id":"2a3c","chunker_polynomial":"25b468838dcb75","append_only":true,"is_hot":null,"x":[]}"#,
        );
        let want = Config {
            version: Version::V2,
            id: "2a3c".to_owned(),
            chunker_polynomial: "25b468838dcb75".to_owned(),
            is_append_only: true,
            is_hot: false,
        };
        assert_eq!(config, Ok(want));
        let version =
            |text: &str| Config::parse(text.as_bytes()).map(|config| config.version.number());
        assert_eq!(version("{\"VERSION\":2,\"version\":1}\n"), Ok(1));
        for (text, number) in [("{\"version\":3}", 3), ("{}", 0), ("null", 0)] {
            assert_eq!(version(text), Err(ConfigError::Version(number)));
        }
        for text in ["", "[]", "{\"version\":\"2\"}", "{\"version\":2.0}", "{\"version\":2}}"] {
            assert!(matches!(version(text), Err(ConfigError::Json(_))), "{text}");
        }
        let error = version("{\"version\":3}").unwrap_err().to_string();
        assert_eq!(error, "config: unsupported repository version: wanted 1 or 2, got 3");
    }
}
