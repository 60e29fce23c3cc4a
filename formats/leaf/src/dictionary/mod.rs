//! Dictionaries: the texts of terms, in the order of their bytes, found by text and read by number.
//!
//! A segment holds a range of numbers of each tag that has texts. Where numbers are in the order of
//! the texts, a number is a rank; elsewhere a permutation of them is kept both ways. Texts are
//! bytes here: of an IRI and a simple literal their characters, of a tagged or typed one whatever
//! the engine makes of text and suffix.
//!
//! ```text
//! | 16 head |
//! | for each tag: groups | group ends | heads | head ends | numbers | ranks | symbols |
//! | table: for each tag | u32 tag | u32 0 | u64 first number | u64 count | 7 × u64 end of a part | |
//! | page sums: u32 CRC-32 for each 4096 bytes of all the above |
//! | u64 table offset | u32 section_count | u32 CRC-32 of page sums and footer so far |
//! ```
//!
//! Bytes:   docs/formats/leaf.md, section *dictionary*

mod footer;
mod group;
mod outline;
mod read;
mod sample;
mod section;
mod symbols;
mod terms;
#[cfg(test)]
mod tests;
mod train;
mod verify;
mod write;

pub use footer::DictionaryShape;
pub use outline::outline_dictionary;
pub use read::Dictionary;
pub use sample::Sample;
pub use section::{Place, Section};
pub use terms::Terms;
pub use verify::verify_dictionary;
pub use write::DictionaryWriter;

/// Terms of a group: the first is whole, each of the others is what differs from the one before.
pub const GROUP_TERMS: usize = 16;
