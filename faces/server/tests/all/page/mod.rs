//! The page and what it asks, over golden files.

mod code;
mod figures;
mod files;
mod find;
mod table;

use std::fs;
use std::path::Path;

use manicule_testkit::golden::{golden_folder, golden_repository};
use serde_json::Value;
use tempfile::TempDir;

use super::support::{Server, options, with};

/// Two blocks, SSTables, a repository of which the server has the password, shards and their trees.
struct Golden {
    _folders: Vec<TempDir>,
    server: Server,
}

impl Golden {
    fn serve() -> Golden {
        let (series, rows) = (golden_folder("series", "golden"), golden_folder("rows", "me"));
        let (blobs, code) = (golden_repository("fleet"), golden_folder("code", "shards"));
        let trees = golden_folder("code", "trees");
        let password = blobs.path().join("password");
        fs::write(&password, "manicule-golden\n").unwrap();
        let places: [(&str, &Path); 6] = [
            ("gaps", &series.path().join("blocks/gaps")),
            ("k5k", &series.path().join("blocks/k5k")),
            ("wide", &rows.path().join("me/wide")),
            ("fleet", &blobs.path().join("repo")),
            ("shards", &code.path().join("shards/ctags")),
            ("small", &trees.path().join("trees/small")),
        ];
        let mut options = options(&places);
        options.password_file = Some(password);
        let server = with(&options);
        Golden { _folders: vec![series, rows, blobs, code, trees], server }
    }

    /// The JSON of a target that is answered.
    #[track_caller]
    fn get(&self, target: &str) -> Value {
        let (status, json) = self.ask(target);
        assert_eq!(status, 200, "{target}: {json}");
        json
    }

    /// The status and JSON of a target.
    #[track_caller]
    fn ask(&self, target: &str) -> (u16, Value) {
        let answer = self.server.get(target);
        assert_eq!(answer.header("content-type"), "application/json", "{target}");
        assert_eq!(answer.header("cache-control"), "no-store", "{target}");
        let json = serde_json::from_slice(&answer.body).unwrap_or_else(|error| {
            panic!("{target}: {error}: {}", answer.text());
        });
        (answer.status, json)
    }

    /// The error of a target that is refused: its status, class and sentence.
    #[track_caller]
    fn refused(&self, target: &str) -> (u16, String, String) {
        let (status, json) = self.ask(target);
        let text = |name: &str| json[name].as_str().expect(target).to_owned();
        (status, text("class"), text("error"))
    }
}

/// A text as part of a query.
fn quoted(text: &str) -> String {
    text.bytes().map(|byte| format!("%{byte:02x}")).collect()
}

/// The numbers of a column.
fn numbers(json: &Value, column: &str) -> Vec<i64> {
    let rows = json["rows"].as_array().expect("rows").iter();
    rows.map(|row| row[column].as_i64().expect("a number")).collect()
}
