//! Symbols of documents: the definitions that universal-ctags finds, as shards hold them.
//!
//! [`Ctags`] asks child processes for the tags of a document, `reply` decodes a line of an answer,
//! `place` finds each tag in the text.
//!
//! Bytes:   docs/formats/zoekt.md, section *Symbols*

mod ctags;
mod list;
mod place;
mod reply;
mod source;
mod words;

pub(in crate::shards) use ctags::{Asker, Posted};
pub use ctags::{Ctags, CtagsError};
pub(in crate::shards) use list::Symbols;
pub use source::SymbolSource;
pub(in crate::shards) use words::Words;
