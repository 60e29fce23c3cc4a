//! Examples in documents: a fence of text after a mark, kept true by tests.

use std::fs;
use std::path::{Path, PathBuf};

/// A document with examples.
#[derive(Debug)]
pub struct Examples {
    path: PathBuf,
    page: String,
}

impl Examples {
    /// The document at a path below the repository's root.
    ///
    /// # Panics
    /// If it can't be read.
    pub fn of(path: &str) -> Self {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(path);
        let page = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path:?}: {error}"));
        Examples { path, page }
    }

    /// Compares the example with that name with `now`, what the code prints today; with `UPDATE=1`
    /// it is written in its place.
    ///
    /// # Panics
    /// If they differ, or the document has no mark `<!-- example: NAME -->` before a fence of text.
    pub fn hold(&mut self, name: &str, now: &str) {
        let (updated, stood) = with_example(&self.page, name, now);
        if std::env::var_os("UPDATE").is_some() {
            fs::write(&self.path, &updated).expect("the page can be written");
            self.page = updated;
        } else {
            assert!(stood == now, "{name} is no longer as {:?} shows it:\n{now}", self.path);
        }
    }
}

/// The page with `text` in the fence after the example's mark, and the old text there.
fn with_example(page: &str, name: &str, text: &str) -> (String, String) {
    let mark = format!("<!-- example: {name} -->\n```text\n");
    let start = page.find(&mark).expect("the page has a mark for the example") + mark.len();
    let end = start + page[start..].find("```\n").expect("the fence ends");
    (format!("{}{text}{}", &page[..start], &page[end..]), page[start..end].to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_text_of_one_fence_is_replaced() {
        let page = "a\n<!-- example: x -->\n```text\nold\n```\nb\n";
        let (updated, stood) = with_example(page, "x", "new\n");
        assert_eq!(stood, "old\n");
        assert_eq!(updated, "a\n<!-- example: x -->\n```text\nnew\n```\nb\n");
    }
}
