//! Manifests: the root of a generation, from which all its files are known.
//!
//! ```text
//! | 16 head | 16 store id | u64 generation | u64 commit | u64 log | u64 next file |
//! | n × u64 next number, of tags 1 to n | n × u64 sorted below | u64 quads of the default graph | u64 quads of named graphs |
//! | u32 leaf_count | u32 dictionary_count | u32 statistics_count, 0 or 1 | u32 graph_count |
//! | leaves: | u64 file | u64 len | u32 sum | u8 order | 3 zero | u64 row_count | 4 × u64 separator | |
//! | dictionaries, then statistics: | u64 file | u64 len | u32 sum | u32 zero | |
//! | graphs: u64 | u32 CRC-32 of all before |
//! ```
//!
//! Bytes:   docs/formats/leaf.md, section *manifest*

use manicule_core::bytes::{DecodeError, Reader};

use crate::head::{
    FileKind, HEAD_LEN, MANIFEST_VERSION, MANIFEST_VERSION_TRIPLES, VERSION, check, check_max,
    check_sum, put_head_of, read_head, version_of,
};
use crate::id::{Id, Tag};
use crate::order::Order;

const LEAF_LEN: usize = 3 * size_of::<u64>() + 2 * size_of::<u32>() + 4 * size_of::<u64>();
const FILE_LEN: usize = 2 * size_of::<u64>() + 2 * size_of::<u32>();
const SUM_LEN: usize = size_of::<u32>();

/// Number of tags whose terms are numbered, from 1 on.
const TAGS: usize = Tag::TRIPLE.0 as usize;
/// Number of them before version 3.
const TAGS_BEFORE_TRIPLES: usize = Tag::TYPED.0 as usize;

/// A file that a manifest names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FileRow {
    /// Its number, which it is named after.
    pub number: u64,
    /// Its length.
    pub len: u64,
    /// CRC-32 of its bytes: see [`file_sum`].
    pub sum: u32,
}

/// A leaf that a manifest names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LeafRow {
    /// The file.
    pub file: FileRow,
    /// The order that it is a part of.
    pub order: Order,
    /// Number of its rows.
    pub row_count: u64,
    /// Where its interval begins: rows from here to the next leaf's separator belong to it. That of
    /// the first leaf of an order is all [`Id::MIN`].
    pub separator: [Id; 4],
}

/// Numbers of each tag from 1 to 6.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TagNumbers([u64; TAGS]);

impl TagNumbers {
    /// The number of a tag whose terms are numbered.
    pub fn of(&self, tag: Tag) -> u64 {
        self.0[TagNumbers::place(tag)]
    }

    /// Sets the number of a tag.
    pub fn set(&mut self, tag: Tag, number: u64) {
        self.0[TagNumbers::place(tag)] = number;
    }

    fn place(tag: Tag) -> usize {
        assert!(tag.is_numbered(), "terms of {tag:?} have no numbers");
        usize::from(tag.0) - 1
    }
}

/// The root of a generation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Manifest {
    /// Random, given when the store was made.
    pub store_id: [u8; 16],
    /// Number of the generation, which its file is named after.
    pub generation: u64,
    /// The last commit that the files hold. Those after it are in the log.
    pub commit: u64,
    /// Number of the log that has the commit after that, or will have it.
    pub log: u64,
    /// Whether that log was made before the manifest: always, but in version 1.
    pub has_log: bool,
    /// Above the number of every file that was ever written.
    pub next_file: u64,
    /// The number that the next term of each tag gets.
    pub next_numbers: TagNumbers,
    /// Below, the numbers of a tag are in the order of the texts.
    pub sorted_below: TagNumbers,
    /// Quads of the default graph.
    pub default_count: u64,
    /// Quads of named graphs.
    pub named_count: u64,
    /// Leaves, by their order, and within it by their separators.
    pub leaves: Vec<LeafRow>,
    /// Dictionary segments, oldest first.
    pub dictionaries: Vec<FileRow>,
    /// The statistics.
    pub statistics: Option<FileRow>,
    /// Graphs that exist without a quad, increasing.
    pub graphs: Vec<Id>,
}

/// The sum of a file, as its row has it.
pub fn file_sum(bytes: &[u8]) -> u32 {
    crc32fast::hash(bytes)
}

/// The sum of a file whose bytes come piece by piece: that of [`file_sum`].
#[derive(Clone, Debug, Default)]
pub struct FileSum(crc32fast::Hasher);

impl FileSum {
    /// Adds the bytes that come next.
    pub fn add(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    /// The sum.
    pub fn finish(self) -> u32 {
        self.0.finalize()
    }
}

impl Manifest {
    /// The bytes of the file: of version 1 if there may be no log, of version 3 if there were ever
    /// triple terms.
    ///
    /// Panics if leaves or graphs are out of order, or if version 1 had to hold triple terms.
    pub fn encode(&self) -> Vec<u8> {
        let keys = || self.leaves.iter().map(|leaf| (leaf.order, leaf.separator));
        assert!(keys().is_sorted_by(|left, right| left < right), "leaves are in order");
        assert!(self.graphs.is_sorted_by(|left, right| left < right), "graphs are in order");
        let mut out = Vec::new();
        let version = match (self.next_numbers.of(Tag::TRIPLE), self.has_log) {
            (0, false) => VERSION,
            (0, true) => MANIFEST_VERSION,
            (_, has_log) => {
                assert!(has_log, "version 1 is older than triple terms");
                MANIFEST_VERSION_TRIPLES
            }
        };
        put_head_of(FileKind::Manifest, version, [0; 4], &mut out);
        let numbers = |numbers: TagNumbers| numbers.0.into_iter().take(tags_of(version));
        out.extend_from_slice(&self.store_id);
        let words = [self.generation, self.commit, self.log, self.next_file].into_iter();
        let words = words.chain(numbers(self.next_numbers)).chain(numbers(self.sorted_below));
        for word in words.chain([self.default_count, self.named_count]) {
            out.extend_from_slice(&word.to_le_bytes());
        }
        let statistics = self.statistics.iter();
        for count in
            [self.leaves.len(), self.dictionaries.len(), statistics.len(), self.graphs.len()]
        {
            let count =
                u32::try_from(count).expect("a manifest names fewer than 2^32 files and graphs");
            out.extend_from_slice(&count.to_le_bytes());
        }
        for leaf in &self.leaves {
            put_file(&leaf.file, &mut out);
            out.extend_from_slice(&[leaf.order as u8, 0, 0, 0]);
            out.extend_from_slice(&leaf.row_count.to_le_bytes());
            leaf.separator.iter().for_each(|id| out.extend_from_slice(&id.0.to_le_bytes()));
        }
        for file in self.dictionaries.iter().chain(statistics) {
            put_file(file, &mut out);
            out.extend_from_slice(&[0; 4]);
        }
        self.graphs.iter().for_each(|graph| out.extend_from_slice(&graph.0.to_le_bytes()));
        let sum = crc32fast::hash(&out);
        out.extend_from_slice(&sum.to_le_bytes());
        out
    }

    /// Reads a whole file, and checks all that a writer promises of it alone.
    pub fn decode(bytes: &[u8]) -> Result<Manifest, DecodeError> {
        let detail = read_head(bytes, FileKind::Manifest)?;
        check("zeros in the head", 12, 0, u32::from_le_bytes(detail).into())?;
        let Some((body, sum)) = bytes.split_last_chunk::<SUM_LEN>() else {
            let (need, have) = ((HEAD_LEN + SUM_LEN) as u64, bytes.len() as u64);
            return Err(DecodeError::Short { what: "manifest", at: 0, need, have });
        };
        check_sum("manifest", body.len() as u64, u32::from_le_bytes(*sum), body)?;
        let mut reader = Reader::new(body, 0);
        reader.take("head", HEAD_LEN)?;
        let store_id = reader.take("store id", 16)?.try_into().expect("sixteen bytes");
        let generation = reader.u64_le("generation")?;
        let commit = reader.u64_le("commit")?;
        let log = reader.u64_le("log")?;
        let next_file = reader.u64_le("next file")?;
        let (version, at) = (version_of(bytes), reader.at());
        let next_numbers = read_numbers(&mut reader, "next number", version)?;
        let sorted_below = read_numbers(&mut reader, "sorted below", version)?;
        if version == MANIFEST_VERSION_TRIPLES && next_numbers.of(Tag::TRIPLE) == 0 {
            let (what, want) = ("version, of a manifest without triple terms", 2);
            return Err(DecodeError::Corrupt { what, at, want, got: version.into() });
        }
        let default_count = reader.u64_le("quads of the default graph")?;
        let named_count = reader.u64_le("quads of named graphs")?;
        let mut counts = [0; 4];
        for count in &mut counts {
            *count = u64::from(reader.u32_le("count of a manifest")?);
        }
        let [leaf_count, dictionary_count, statistics_count, graph_count] = counts;
        check_max("count of statistics", reader.at() - 8, 1, statistics_count)?;
        let file_count = dictionary_count + statistics_count;
        let need = leaf_count * LEAF_LEN as u64 + file_count * FILE_LEN as u64 + graph_count * 8;
        check("bytes of the rows", reader.at(), need, reader.rest().len() as u64)?;
        let mut manifest = Manifest {
            store_id,
            generation,
            commit,
            log,
            has_log: version >= MANIFEST_VERSION,
            next_file,
            next_numbers,
            sorted_below,
            default_count,
            named_count,
            leaves: Vec::with_capacity(leaf_count as usize),
            dictionaries: Vec::with_capacity(dictionary_count as usize),
            statistics: None,
            graphs: Vec::with_capacity(graph_count as usize),
        };
        for _ in 0..leaf_count {
            let leaf = read_leaf(&mut reader, manifest.leaves.last())?;
            manifest.leaves.push(leaf);
        }
        for _ in 0..dictionary_count {
            manifest.dictionaries.push(read_file(&mut reader)?);
        }
        for _ in 0..statistics_count {
            manifest.statistics = Some(read_file(&mut reader)?);
        }
        for _ in 0..graph_count {
            let at = reader.at();
            let graph = Id(reader.u64_le("graph")?);
            let is_after = manifest.graphs.last().is_none_or(|last| *last < graph);
            check("graph above that before", at, 1, is_after.into())?;
            manifest.graphs.push(graph);
        }
        Ok(manifest)
    }

    /// The leaves of an order, by their separators.
    pub fn leaves_of(&self, order: Order) -> &[LeafRow] {
        let start = self.leaves.partition_point(|leaf| leaf.order < order);
        let end = self.leaves.partition_point(|leaf| leaf.order <= order);
        &self.leaves[start..end]
    }
}

fn put_file(file: &FileRow, out: &mut Vec<u8>) {
    out.extend_from_slice(&file.number.to_le_bytes());
    out.extend_from_slice(&file.len.to_le_bytes());
    out.extend_from_slice(&file.sum.to_le_bytes());
}

/// Number of tags whose numbers a manifest of a version has.
pub(crate) fn tags_of(version: u32) -> usize {
    if version >= MANIFEST_VERSION_TRIPLES { TAGS } else { TAGS_BEFORE_TRIPLES }
}

fn read_numbers(
    reader: &mut Reader<'_>,
    what: &'static str,
    version: u32,
) -> Result<TagNumbers, DecodeError> {
    let mut numbers = TagNumbers::default();
    for number in &mut numbers.0[..tags_of(version)] {
        let at = reader.at();
        *number = reader.u64_le(what)?;
        check_max(what, at, Id::PAYLOAD_MAX + 1, *number)?;
    }
    Ok(numbers)
}

fn read_row(reader: &mut Reader<'_>) -> Result<FileRow, DecodeError> {
    let number = reader.u64_le("number of a file")?;
    let len = reader.u64_le("length of a file")?;
    Ok(FileRow { number, len, sum: reader.u32_le("sum of a file")? })
}

fn read_file(reader: &mut Reader<'_>) -> Result<FileRow, DecodeError> {
    let file = read_row(reader)?;
    check("zero of a file", reader.at(), 0, reader.u32_le("zero of a file")?.into())?;
    Ok(file)
}

fn read_leaf(reader: &mut Reader<'_>, last: Option<&LeafRow>) -> Result<LeafRow, DecodeError> {
    let file = read_row(reader)?;
    let at = reader.at();
    let number = reader.u32_le("order of a leaf")?;
    let Some(order) = u8::try_from(number).ok().and_then(Order::of) else {
        let (want, got) = (Order::ALL.len() as u64 - 1, number.into());
        return Err(DecodeError::Corrupt { what: "order of a leaf", at, want, got });
    };
    let row_count = reader.u64_le("rows of a leaf")?;
    let at = reader.at();
    let mut separator = [Id::MIN; 4];
    for id in &mut separator {
        *id = Id(reader.u64_le("separator")?);
    }
    let is_after = match last.filter(|last| last.order == order) {
        Some(last) => last.separator < separator,
        // The first leaf of an order owns whatever lies below the second.
        None => last.is_none_or(|last| last.order < order) && separator == [Id::MIN; 4],
    };
    check("separator above that before, the first of an order zero", at, 1, is_after.into())?;
    Ok(LeafRow { file, order, row_count, separator })
}

#[cfg(test)]
mod tests {
    use super::*;
    use manicule_testkit::Rng;

    fn random_file(rng: &mut Rng) -> FileRow {
        FileRow { number: rng.bits(), len: rng.bits(), sum: rng.bits() as u32 }
    }

    fn random_manifest(rng: &mut Rng) -> Manifest {
        let mut leaves = Vec::new();
        for order in Order::ALL {
            let mut separator = [Id::MIN; 4];
            for _ in 0..rng.below(4) {
                let (file, row_count) = (random_file(rng), rng.bits());
                leaves.push(LeafRow { file, order, row_count, separator });
                separator[rng.below(4)].0 += 1 + rng.below(9) as u64;
            }
        }
        let mut next_numbers = TagNumbers::default();
        next_numbers.set(Tag::STRING, rng.below(1000) as u64);
        if rng.one_in(3) {
            next_numbers.set(Tag::TRIPLE, rng.below(1000) as u64);
        }
        Manifest {
            store_id: [rng.bits() as u8; 16],
            generation: rng.bits(),
            commit: rng.bits(),
            log: rng.bits(),
            has_log: rng.one_in(2) || next_numbers.of(Tag::TRIPLE) > 0,
            next_file: rng.bits(),
            next_numbers,
            sorted_below: TagNumbers::default(),
            default_count: rng.bits(),
            named_count: rng.bits(),
            leaves,
            dictionaries: (0..rng.below(3)).map(|_| random_file(rng)).collect(),
            statistics: rng.one_in(2).then(|| random_file(rng)),
            graphs: (0..rng.below(3) as u64).map(Id).collect(),
        }
    }

    #[test]
    fn manifests_read_back() {
        for seed in 0..100 {
            let manifest = random_manifest(&mut Rng::new(seed));
            assert_eq!(Manifest::decode(&manifest.encode()).as_ref(), Ok(&manifest), "seed {seed}");
            let listed = Order::ALL.map(|order| manifest.leaves_of(order)).concat();
            assert_eq!(listed, manifest.leaves, "seed {seed}");
        }
    }

    #[test]
    fn the_version_says_what_a_manifest_may_lack() {
        for (has_log, triples, version) in [(false, 0, 1), (true, 0, 2), (true, 7, 3)] {
            let mut manifest = Manifest { has_log, ..random_manifest(&mut Rng::new(7)) };
            manifest.next_numbers.set(Tag::TRIPLE, triples);
            let bytes = manifest.encode();
            assert_eq!((bytes[8], Manifest::decode(&bytes)), (version, Ok(manifest)));
        }
    }

    #[test]
    fn every_cut_and_every_flipped_bit_is_refused() {
        let bytes = random_manifest(&mut Rng::new(5)).encode();
        for len in 0..bytes.len() {
            assert!(Manifest::decode(&bytes[..len]).is_err(), "cut at {len}");
        }
        for at in 0..bytes.len() {
            let mut flipped = bytes.clone();
            flipped[at] ^= 1 << (at % 8);
            assert!(Manifest::decode(&flipped).is_err(), "flipped at {at}");
        }
    }

    #[test]
    fn rows_that_lie_are_refused_or_read() {
        for seed in 0..300 {
            let mut rng = Rng::new(seed);
            let mut bytes = random_manifest(&mut rng).encode();
            let at = 16 + rng.below(bytes.len() - 20);
            bytes[at] = rng.bits() as u8;
            let end = bytes.len() - 4;
            let sum = crc32fast::hash(&bytes[..end]);
            bytes[end..].copy_from_slice(&sum.to_le_bytes());
            if let Ok(manifest) = Manifest::decode(&bytes) {
                assert_eq!(manifest.encode(), bytes, "seed {seed}");
            }
        }
    }
}
