//! Trees in a cache: what a history and a walk need of their nodes, found by name without reading
//! the others.
//!
//! Bytes:   docs/formats/blob-cache.md, "Trees"

use manicule_core::bytes::{DecodeError, Reader, put_uvarint};
use manicule_core::go::json::JsonError;

use super::contents::{at_hand, read_id};
use crate::{Id, Moment, NodeKind, Nodes, Time};

/// A node without a tree of its own.
const NO_CHILD: u32 = u32::MAX;

/// The head of cached trees, after its sections.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TreesContents {
    /// Whether all trees could be read. Otherwise nothing else is in the file: it says that there
    /// is nothing to be kept.
    pub is_whole: bool,
    /// Number of trees.
    pub tree_count: u32,
    /// Number of data blobs that they need.
    pub blob_count: u32,
    /// The index files, ordered by id.
    pub index_files: Vec<Id>,
    /// The snapshots, ordered by id.
    pub snapshots: Vec<Id>,
}

impl TreesContents {
    /// Appends its bytes.
    pub fn encode(&self, out: &mut Vec<u8>) {
        out.push(u8::from(self.is_whole));
        out.extend_from_slice(&self.tree_count.to_le_bytes());
        out.extend_from_slice(&self.blob_count.to_le_bytes());
        for ids in [&self.index_files, &self.snapshots] {
            out.extend_from_slice(&(ids.len() as u32).to_le_bytes());
            ids.iter().for_each(|id| out.extend_from_slice(&id.0));
        }
    }

    /// Reads its bytes.
    pub fn decode(bytes: &[u8]) -> Result<TreesContents, DecodeError> {
        let mut reader = Reader::new(bytes, 0);
        let is_whole = reader.u8("whether all trees were read")? == 1;
        let tree_count = reader.u32_le("count of trees")?;
        let blob_count = reader.u32_le("count of data blobs")?;
        let mut ids = |what| {
            let count = at_hand(&mut reader, what, 32)?;
            (0..count).map(|_| read_id(&mut reader)).collect::<Result<Vec<Id>, DecodeError>>()
        };
        let index_files = ids("count of index files")?;
        let snapshots = ids("count of snapshots")?;
        Ok(TreesContents { is_whole, tree_count, blob_count, index_files, snapshots })
    }
}

/// A node of a cached tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CachedNode<'a> {
    /// What it is.
    pub kind: NodeKind,
    /// restic's word for it.
    pub kind_word: &'a [u8],
    /// Number of its tree.
    pub child: Option<u32>,
    /// Its name.
    pub name: &'a [u8],
    /// Size of a file, in bytes.
    pub size: u64,
    /// When its contents were last changed.
    pub mtime: Time,
    /// Target of a link.
    pub link_target: &'a [u8],
    blobs: &'a [[u8; 4]],
}

impl<'a> CachedNode<'a> {
    /// Numbers of a file's data blobs.
    pub fn blobs(&self) -> impl ExactSizeIterator<Item = u32> + use<'a> {
        self.blobs.iter().map(|number| u32::from_le_bytes(*number))
    }
}

/// Gives trees and data blobs their numbers.
pub trait Numbers {
    /// Why something has none.
    type Error: From<JsonError>;

    /// The number of a folder's tree.
    fn tree(&mut self, id: Id) -> Result<u32, Self::Error>;

    /// The numbers of a file's data blobs, appended.
    fn blobs(&mut self, ids: &[Id], out: &mut Vec<u32>) -> Result<(), Self::Error>;
}

/// Appends a tree. After an error what was appended is of no use.
pub fn put_cached_tree<N: Numbers>(
    text: &[u8],
    numbers: &mut N,
    out: &mut Vec<u8>,
) -> Result<(), N::Error> {
    let mut nodes = Nodes::open(text)?;
    let (mut hashes, mut ends, mut body) = (Vec::new(), Vec::new(), Vec::new());
    let mut blobs = Vec::new();
    while let Some(node) = nodes.next_node()? {
        let name = node.name();
        hashes.push(name_hash(&name));
        let child = node.child().map_or(Ok(NO_CHILD), |id| numbers.tree(id))?;
        blobs.clear();
        numbers.blobs(node.blobs(), &mut blobs)?;
        body.extend_from_slice(&child.to_le_bytes());
        body.extend_from_slice(&(blobs.len() as u32).to_le_bytes());
        blobs.iter().for_each(|blob: &u32| body.extend_from_slice(&blob.to_le_bytes()));
        put_bytes(node.kind_word().as_bytes(), &mut body);
        put_bytes(&name, &mut body);
        put_uvarint(node.size, &mut body);
        body.extend_from_slice(&node.mtime.moment.seconds.to_le_bytes());
        body.extend_from_slice(&node.mtime.moment.nanos.to_le_bytes());
        body.extend_from_slice(&node.mtime.offset_minutes.to_le_bytes());
        put_bytes(&node.link_target(), &mut body);
        ends.push(body.len() as u32);
    }
    out.extend_from_slice(&(hashes.len() as u32).to_le_bytes());
    hashes.iter().chain(&ends).for_each(|word| out.extend_from_slice(&word.to_le_bytes()));
    out.extend_from_slice(&body);
    Ok(())
}

/// A tree in a cache.
#[derive(Clone, Copy, Debug)]
pub struct CachedTree<'a> {
    hashes: &'a [[u8; 4]],
    ends: &'a [[u8; 4]],
    body: &'a [u8],
}

impl<'a> CachedTree<'a> {
    /// Reads the counts; nodes are read one by one.
    pub fn open(bytes: &'a [u8]) -> Result<Self, DecodeError> {
        let mut reader = Reader::new(bytes, 0);
        let count = at_hand(&mut reader, "count of nodes", 8)? as usize;
        let (hashes, _) = reader.take("hashes of names", count * 4)?.as_chunks();
        let (ends, _) = reader.take("ends of nodes", count * 4)?.as_chunks();
        Ok(CachedTree { hashes, ends, body: reader.rest() })
    }

    /// Number of nodes.
    pub fn len(&self) -> usize {
        self.hashes.len()
    }

    /// Whether it has no nodes.
    pub fn is_empty(&self) -> bool {
        self.hashes.is_empty()
    }

    /// A node, in the order of the tree's text.
    ///
    /// # Panics
    /// If there are not that many.
    pub fn node(&self, number: usize) -> Result<CachedNode<'a>, DecodeError> {
        let end = |number: usize| u32::from_le_bytes(self.ends[number]) as usize;
        let (start, end) = (number.checked_sub(1).map_or(0, end), end(number));
        let (at, need, have) = (start as u64, end as u64, self.body.len() as u64);
        let short = DecodeError::Short { what: "node", at, need, have };
        read_node(Reader::new(self.body.get(start..end).ok_or(short)?, at))
    }

    /// The first node of a name.
    pub fn find(&self, name: &[u8]) -> Result<Option<CachedNode<'a>>, DecodeError> {
        let wanted = name_hash(name).to_le_bytes();
        for number in (0..self.len()).filter(|&number| self.hashes[number] == wanted) {
            let node = self.node(number)?;
            if node.name == name {
                return Ok(Some(node));
            }
        }
        Ok(None)
    }
}

/// Gives the children and the blobs of a tree other numbers.
pub fn renumber(
    bytes: &mut [u8],
    mut tree_of: impl FnMut(u32) -> u32,
    mut blob_of: impl FnMut(u32) -> u32,
) -> Result<(), DecodeError> {
    let tree = CachedTree::open(bytes)?;
    let (ends, body_at) = (tree.ends.to_vec(), bytes.len() - tree.body.len());
    let starts = std::iter::once(0).chain(ends.iter().map(|end| u32::from_le_bytes(*end) as usize));
    for start in starts.take(ends.len()) {
        let (at, have) = ((body_at + start) as u64, bytes.len() as u64);
        let short = DecodeError::Short { what: "numbers of a node", at, need: 8, have };
        let words = bytes.get_mut(body_at + start..).ok_or(short.clone())?.as_chunks_mut::<4>().0;
        let [child, count, rest @ ..] = words else { return Err(short) };
        if *child != NO_CHILD.to_le_bytes() {
            *child = tree_of(u32::from_le_bytes(*child)).to_le_bytes();
        }
        let blobs = rest.get_mut(..u32::from_le_bytes(*count) as usize).ok_or(short)?;
        blobs.iter_mut().for_each(|blob| *blob = blob_of(u32::from_le_bytes(*blob)).to_le_bytes());
    }
    Ok(())
}

fn put_bytes(bytes: &[u8], out: &mut Vec<u8>) {
    put_uvarint(bytes.len() as u64, out);
    out.extend_from_slice(bytes);
}

fn read_bytes<'a>(reader: &mut Reader<'a>, what: &'static str) -> Result<&'a [u8], DecodeError> {
    let len = reader.uvarint(what)?;
    reader.take(what, usize::try_from(len).unwrap_or(usize::MAX))
}

fn read_node(mut reader: Reader<'_>) -> Result<CachedNode<'_>, DecodeError> {
    let child = reader.u32_le("number of a tree")?;
    let blob_count = at_hand(&mut reader, "count of blobs", 4)? as usize;
    let (blobs, _) = reader.take("blobs", blob_count * 4)?.as_chunks();
    let kind_word = read_bytes(&mut reader, "word of a kind")?;
    let name = read_bytes(&mut reader, "name")?;
    let size = reader.uvarint("size")?;
    let seconds = reader.u64_le("seconds")?.cast_signed();
    let nanos = reader.u32_le("nanoseconds")?;
    let offset = reader.take("offset from UTC", 2)?;
    let offset_minutes = i16::from_le_bytes([offset[0], offset[1]]);
    let link_target = read_bytes(&mut reader, "target of a link")?;
    Ok(CachedNode {
        kind: NodeKind::of(&String::from_utf8_lossy(kind_word)),
        kind_word,
        child: (child != NO_CHILD).then_some(child),
        name,
        size,
        mtime: Time { moment: Moment { seconds, nanos }, offset_minutes },
        link_target,
        blobs,
    })
}

/// FNV-1a, its halves folded.
fn name_hash(name: &[u8]) -> u32 {
    let hash = name.iter().fold(0xcbf2_9ce4_8422_2325u64, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3)
    });
    (hash ^ hash >> 32) as u32
}
