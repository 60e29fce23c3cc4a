//! JSON whose keys are read as Go reads them: in any case, the last one counts.

use serde::Deserialize;

/// The keys of [`Repository`] and of [`Branch`].
pub(crate) const REPOSITORY_KEYS: [&str; 18] = [
    "TenantID",
    "ID",
    "Name",
    "URL",
    "Metadata",
    "Source",
    "Branches",
    "SubRepoMap",
    "CommitURLTemplate",
    "FileURLTemplate",
    "LineFragmentTemplate",
    "RawConfig",
    "Rank",
    "IndexOptions",
    "HasSymbols",
    "Tombstone",
    "LatestCommitDate",
    "FileTombstones",
];
const BRANCH_KEYS: [&str; 2] = ["Name", "Version"];

/// JSON with its pairs in their order, whatever their keys.
pub(crate) enum Read {
    Object(Vec<(String, Read)>),
    Array(Vec<Read>),
    Other(serde_json::Value),
}

impl<'de> Deserialize<'de> for Read {
    fn deserialize<D: serde::Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_any(ReadAny)
    }
}

struct ReadAny;

impl<'de> serde::de::Visitor<'de> for ReadAny {
    type Value = Read;

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("JSON")
    }

    fn visit_map<A: serde::de::MapAccess<'de>>(self, mut map: A) -> Result<Read, A::Error> {
        let mut pairs = Vec::new();
        while let Some(pair) = map.next_entry()? {
            pairs.push(pair);
        }
        Ok(Read::Object(pairs))
    }

    fn visit_seq<A: serde::de::SeqAccess<'de>>(self, mut seq: A) -> Result<Read, A::Error> {
        let mut items = Vec::new();
        while let Some(item) = seq.next_element()? {
            items.push(item);
        }
        Ok(Read::Array(items))
    }

    fn visit_unit<E>(self) -> Result<Read, E> {
        Ok(Read::Other(serde_json::Value::Null))
    }

    fn visit_bool<E>(self, value: bool) -> Result<Read, E> {
        Ok(Read::Other(value.into()))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Read, E> {
        Ok(Read::Other(value.into()))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Read, E> {
        Ok(Read::Other(value.into()))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Read, E> {
        Ok(Read::Other(value.into()))
    }

    fn visit_str<E>(self, value: &str) -> Result<Read, E> {
        Ok(Read::Other(value.into()))
    }
}

impl Read {
    fn into_value(self) -> serde_json::Value {
        match self {
            Read::Object(pairs) => {
                pairs.into_iter().map(|(key, value)| (key, value.into_value())).collect()
            }
            Read::Array(items) => items.into_iter().map(Read::into_value).collect(),
            Read::Other(value) => value,
        }
    }
}

/// A repository's pairs under the names that they are known by.
pub(crate) fn as_repository(read: Read) -> serde_json::Value {
    let inner = |key: &str, value: Read| match (key, value) {
        ("Branches", Read::Array(items)) => items.into_iter().map(as_branch).collect(),
        ("SubRepoMap", Read::Object(pairs)) => {
            pairs.into_iter().map(|(path, read)| (path, as_repository(read))).collect()
        }
        (_, value) => value.into_value(),
    };
    known(read, &REPOSITORY_KEYS, inner)
}

fn as_branch(read: Read) -> serde_json::Value {
    // None is as good as an empty one.
    let read = if let Read::Other(serde_json::Value::Null) = read {
        Read::Object(Vec::new())
    } else {
        read
    };
    known(read, &BRANCH_KEYS, |_, value| value.into_value())
}

pub(crate) fn known(
    read: Read,
    keys: &[&str],
    inner: impl Fn(&str, Read) -> serde_json::Value,
) -> serde_json::Value {
    let Read::Object(pairs) = read else { return read.into_value() };
    let mut object = serde_json::Map::new();
    for (key, value) in pairs {
        let key = keys.iter().find(|known| known.eq_ignore_ascii_case(&key));
        let (Some(key), false) = (key, matches!(value, Read::Other(serde_json::Value::Null)))
        else {
            continue;
        };
        object.insert((*key).to_owned(), inner(key, value));
    }
    object.into()
}
