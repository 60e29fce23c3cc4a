//! Classes of documents: language and category, as zoekt gives them.
//!
//! [`Linguist`] gives both exactly as zoekt does with go-enry 2.9.6 and the tables of linguist that
//! it carries.
//!
//! | file | what |
//! |---|---|
//! | language | the language: candidates by name, then what the content says of them |
//! | tables | languages of file names, extensions, interpreters and aliases |
//! | modeline, shebang | what a file says of itself in lines for editors, or in its first line |
//! | heuristics | regexes for contents of an extension that several languages have |
//! | tokens, bayes | the naive Bayes classifier, and the tokens that it weighs |
//! | categories, generated | the category: by the path, and what says that a program wrote the file |
//!
//! Bytes:   docs/formats/zoekt.md, sections *languages* and *categories*

mod bayes;
mod categories;
mod generated;
mod heuristics;
mod language;
mod modeline;
mod names;
mod shebang;
mod tables;
mod tokens;

use std::borrow::Cow;
use std::sync::LazyLock;

use manicule_format_zoekt::Category;

use categories::Rules;
use language::Languages;

pub use names::Unclassified;

/// The language that a name or alias stands for, as zoekt names it.
pub(super) fn language_of_alias(alias: &str) -> Option<&'static str> {
    tables::language_of_alias(alias.as_bytes()).map(language::renamed)
}

/// Class of a document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Class {
    /// The name of its language; empty if unknown.
    pub language: Cow<'static, str>,
    /// Kind of the file.
    pub category: Category,
}

/// Tells language and category of documents.
pub trait Classify: Sync {
    /// Class of `document`.
    fn classify(&self, document: &Unclassified<'_>) -> Class;
}

/// Tells language and category as zoekt with go-enry 2.9.6 does.
///
/// Tables and regexes are made when a document first needs them, those of contents for each
/// extension and language by itself.
pub struct Linguist {
    languages: LazyLock<Languages>,
    rules: LazyLock<Rules>,
}

impl Default for Linguist {
    fn default() -> Self {
        Linguist { languages: LazyLock::new(Languages::new), rules: LazyLock::new(Rules::new) }
    }
}

impl std::fmt::Debug for Linguist {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Linguist")
    }
}

impl Classify for Linguist {
    fn classify(&self, document: &Unclassified<'_>) -> Class {
        let language = self.languages.of(document);
        let category = self.rules.category(document, self.languages.is_config(document.name));
        Class { language: Cow::Borrowed(language), category }
    }
}
