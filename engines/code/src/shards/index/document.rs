//! A document that was read, and where its bytes are until its shard is written.

use std::io;
use std::sync::Arc;

use manicule_format_zoekt::Skip;
use manicule_store::Spill;
use manicule_store::store::RangedFile;

use super::super::classify::Class;
use super::super::symbols::Symbols;
use super::order::Standing;

/// A document, read and judged.
pub(in crate::shards) struct Document {
    pub(in crate::shards) name: Vec<u8>,
    pub(in crate::shards) skip: Option<Skip>,
    pub(in crate::shards) class: Class,
    /// Bytes that the shard stores: the content, or the marker of a skipped document.
    pub(in crate::shards) len: u32,
    pub(in crate::shards) rune_count: u32,
    /// Not the same as a rune each byte: a byte that is not valid UTF-8 is a rune too.
    pub(in crate::shards) is_ascii: bool,
    pub(in crate::shards) checksum: [u8; 8],
    /// Its item of section *newlines*.
    pub(in crate::shards) newlines: Box<[u8]>,
    pub(in crate::shards) symbols: Symbols,
    /// The branches of its repository that hold it, a bit each.
    pub(in crate::shards) branch_mask: u64,
    /// Number of the sub-repository of its repository that it is of; 0 for none.
    pub(in crate::shards) sub_repository: u32,
    /// Number of its repository in a shard of several.
    pub(in crate::shards) repository: u16,
    pub(in crate::shards) body: Body,
}

/// Place of a document's stored bytes.
pub(in crate::shards) enum Body {
    Held(Box<[u8]>),
    /// In a shard that is open, from this offset on.
    Mapped(Arc<RangedFile>, usize),
    /// In the spill, from this offset on.
    Spilled(u64),
    Marker(&'static [u8]),
}

impl Document {
    /// Sort key of its place in the shard.
    pub(in crate::shards) fn standing(&self) -> Standing {
        Standing {
            name_len: self.name.len(),
            content_len: self.len as usize,
            skip: self.skip,
            category: self.class.category,
            symbol_count: self.symbols.list.len(),
            branch_count: self.branch_mask.count_ones() as usize,
        }
    }

    /// The stored bytes. `buffer` is lent for those that lie in the spill.
    pub(in crate::shards) fn stored<'d>(
        &'d self,
        spill: &Spill,
        buffer: &'d mut Vec<u8>,
    ) -> io::Result<&'d [u8]> {
        match &self.body {
            Body::Held(content) => Ok(content),
            Body::Marker(marker) => Ok(marker),
            Body::Mapped(map, at) => Ok(&map[*at..*at + self.len as usize]),
            Body::Spilled(at) => {
                buffer.resize(self.len as usize, 0);
                spill.read_at(buffer, *at)?;
                Ok(buffer)
            }
        }
    }

    /// The bytes of it that take memory.
    pub(in crate::shards) fn held_len(&self) -> u64 {
        if let Body::Held(content) = &self.body { content.len() as u64 } else { 0 }
    }
}
