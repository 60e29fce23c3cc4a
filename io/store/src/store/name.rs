//! Names of files and folders in a store.

/// A relative name, its parts divided by `/`: never absolute, without `.` and `..`, so it leads to
/// no place outside of its store.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Name(String);

impl Name {
    /// The store's own folder.
    pub fn root() -> Self {
        Name::default()
    }

    /// A name; `None` for a text that is none, and for an empty one.
    pub fn new(text: &str) -> Option<Self> {
        let is_part = |part: &str| !matches!(part, "" | "." | "..") && !part.contains('\0');
        text.split('/').all(is_part).then(|| Name(text.to_owned()))
    }

    /// The name of what lies in this folder; `None` where `text` is no name.
    pub fn join(&self, text: &str) -> Option<Self> {
        let below = Self::new(text)?;
        if self.0.is_empty() { Some(below) } else { Some(Name(format!("{}/{text}", self.0))) }
    }

    /// The folder that it lies in; `None` of the store's own.
    pub fn parent(&self) -> Option<Self> {
        let parent = self.0.rsplit_once('/').map_or("", |(parent, _)| parent);
        (!self.0.is_empty()).then(|| Name(parent.to_owned()))
    }

    /// Its text; empty for the store's own folder.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_name_leads_out_of_the_store() {
        for text in ["", "/", "/etc", "..", "a/../b", "a//b", "a/", "./a", "a/.", "a\0"] {
            assert_eq!(Name::new(text), None, "{text:?}");
            assert_eq!(Name::root().join(text), None, "{text:?}");
        }
        for text in ["a", "a/b", "...", "a/..b", ".a", "a b\\c"] {
            assert_eq!(Name::new(text).expect("a name").as_str(), text);
        }
    }

    #[test]
    fn joined_names_and_their_folders() {
        let folder = Name::root().join("data/01").expect("a name");
        let file = folder.join("x").expect("a name");
        assert_eq!(file.as_str(), "data/01/x");
        assert_eq!(file.parent(), Some(folder));
        assert_eq!(Name::new("x").expect("a name").parent(), Some(Name::root()));
        assert_eq!(Name::root().parent(), None);
    }
}
