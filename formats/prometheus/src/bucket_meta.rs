//! What a meta file says in a bucket, in its section `thanos`, which Mimir's blocks have too:
//! labels of all of the block's series, and the block's files.
//!
//! Bytes:   docs/formats/prometheus.md

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use crate::meta::Meta;

/// Key of the section.
const SECTION: &str = "thanos";

/// Beginning of the names of labels that Mimir has for its own use.
const OWN_OF_MIMIR: &str = "__";

/// External labels of a block by name.
pub type ExternalLabels = BTreeMap<String, String>;

impl Meta {
    /// Whether it is a block out of a bucket.
    pub fn is_of_bucket(&self) -> bool {
        self.rest.contains_key(SECTION)
    }

    /// The external labels: those by which Thanos knows whose series they are. Those of Mimir's own
    /// are none.
    pub fn external_labels(&self) -> ExternalLabels {
        let labels = self.rest.get(SECTION).and_then(|section| section.get("labels"));
        let labels = labels.and_then(Value::as_object).into_iter().flatten();
        let text =
            |(name, value): (&String, &Value)| Some((name.clone(), value.as_str()?.to_owned()));
        labels.filter_map(text).filter(|(name, _)| !name.starts_with(OWN_OF_MIMIR)).collect()
    }

    /// Says external labels in place of those that it has.
    pub fn set_external_labels(&mut self, labels: &ExternalLabels) {
        self.section().insert("labels".to_owned(), json!(labels));
    }

    /// Lists the block's files: paths below its folder in order, and lengths in bytes. The meta
    /// file itself comes without a length.
    pub fn set_files(&mut self, files: &[(String, u64)]) {
        let file = |(path, len): &(String, u64)| json!({ "rel_path": path, "size_bytes": len });
        let mut files: Vec<Value> = files.iter().map(file).collect();
        files.push(json!({ "rel_path": crate::META_NAME }));
        self.section().insert("files".to_owned(), files.into());
    }

    /// The section, made where it is missing, with the keys that all blocks of buckets have.
    fn section(&mut self) -> &mut Map<String, Value> {
        let section = self.rest.entry(SECTION).or_insert_with(|| json!({}));
        if !section.is_object() {
            *section = json!({});
        }
        let section = section.as_object_mut().expect("an object by now");
        for (key, value) in [
            ("version", json!(1)),
            ("labels", json!({})),
            ("downsample", json!({ "resolution": 0 })),
            ("source", json!("manicule")),
        ] {
            section.entry(key).or_insert(value);
        }
        section
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_block_gets_what_blocks_of_buckets_have() {
        let mut meta = Meta { version: 1, ..Meta::default() };
        assert!(!meta.is_of_bucket() && meta.external_labels().is_empty());
        let labels = ExternalLabels::from([("cluster".to_owned(), "a".to_owned())]);
        meta.set_external_labels(&labels);
        meta.set_files(&[("chunks/000001".to_owned(), 9), ("index".to_owned(), 7)]);
        assert!(meta.is_of_bucket());
        assert_eq!(meta.external_labels(), labels);
        let files = json!([
            { "rel_path": "chunks/000001", "size_bytes": 9 },
            { "rel_path": "index", "size_bytes": 7 },
            { "rel_path": "meta.json" },
        ]);
        let want = json!({
            "version": 1, "labels": { "cluster": "a" }, "downsample": { "resolution": 0 },
            "source": "manicule", "files": files,
        });
        assert_eq!(meta.rest["thanos"], want);
    }

    #[test]
    fn what_it_says_already_stays() {
        let json = br#"{"version": 1, "thanos": {
            "labels": {"a": "b", "__compactor_shard_id__": "1_of_2"},
            "downsample": {"resolution": 300000}, "source": "compactor"
        }}"#;
        let mut meta = Meta::decode(json).unwrap();
        meta.set_files(&[]);
        assert_eq!(meta.external_labels(), ExternalLabels::from([("a".into(), "b".into())]));
        assert_eq!(
            (meta.resolution(), &meta.rest["thanos"]["source"]),
            (300_000, &json!("compactor"))
        );
    }
}
