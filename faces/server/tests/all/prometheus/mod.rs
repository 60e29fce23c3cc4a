//! Prometheus' HTTP API and remote read, as Prometheus 3.15.0 answered them over the same blocks,
//! and as its clients asked.

mod clients;
mod differences;
mod guide;
mod hostile;
mod http;
mod judge;
mod life;
mod read;

use std::fs;
use std::path::Path;

use manicule_testkit::golden_folder;
use serde_json::Value;
use tempfile::TempDir;

use super::support::{Server, serve};

/// Folders of blocks, the first of which is what the root shows.
const BLOCKS: [&str; 7] = ["api", "classic", "gaps", "mixed", "names", "native", "tombstones"];

/// Golden blocks, and what was asked of them.
struct Golden {
    blocks: TempDir,
    api: TempDir,
}

impl Golden {
    fn unpack() -> Golden {
        let blocks = golden_folder("series", "golden");
        Golden { blocks, api: golden_folder("series", "api") }
    }

    /// A server of all blocks.
    fn serve(&self) -> Server {
        let paths = BLOCKS.map(|name| (name, self.blocks.path().join("blocks").join(name)));
        let places: Vec<(&str, &Path)> =
            paths.iter().map(|(name, path)| (*name, path.as_path())).collect();
        serve(&places)
    }

    /// The lines of a file of what was asked.
    fn lines(&self, name: &str) -> Vec<Value> {
        lines(&self.api.path().join("api").join(name))
    }
}

fn lines(path: &Path) -> Vec<Value> {
    let text = fs::read_to_string(path).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// A text of an object.
fn text<'v>(value: &'v Value, key: &str) -> &'v str {
    value[key].as_str().unwrap_or_default()
}
