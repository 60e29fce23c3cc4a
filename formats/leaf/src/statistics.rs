//! Statistics of a generation: what a planner asks before it reads any row.
//!
//! ```text
//! | 16 head | of the default graph: scope | of the named graphs: scope | u32 graph_count | graphs | u32 CRC-32 of all before |
//! scope:     | u64 rows | u64 subjects | u64 objects | u32 predicate_count | u32 class_count | predicates | classes |
//! predicate: | u64 id | u64 rows | u64 subjects | u64 objects | u64 most of a subject | u64 most of an object | u32 tag_count | tags |
//! tag:       | u8 tag | u64 rows | u64 least payload | u64 greatest payload |
//! class:     | u64 id | u64 rows |
//! graph:     | u64 id | u64 rows |
//! ```
//!
//! Bytes:   docs/formats/leaf.md, section *statistics*

use manicule_core::bytes::{DecodeError, Reader};

use crate::head::{FileKind, HEAD_LEN, check, check_max, check_sum, put_head, read_head};
use crate::id::{Id, Tag};

const SUM_LEN: usize = size_of::<u32>();
const PREDICATE_LEN: usize = 6 * size_of::<u64>() + size_of::<u32>();
const TAG_LEN: usize = 1 + 3 * size_of::<u64>();
const PAIR_LEN: usize = 2 * size_of::<u64>();

/// Objects of one tag that a predicate has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TagStatistics {
    /// The tag.
    pub tag: Tag,
    /// Number of rows: exact.
    pub row_count: u64,
    /// No payload is below. After rows were removed it may be too low.
    pub payload_min: u64,
    /// No payload is above. After rows were removed it may be too high.
    pub payload_max: u64,
}

/// Rows of one predicate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PredicateStatistics {
    /// The predicate.
    pub predicate: Id,
    /// Number of rows: exact.
    pub row_count: u64,
    /// Number of distinct subjects: exact.
    pub subject_count: u64,
    /// Number of distinct objects: exact.
    pub object_count: u64,
    /// No subject has more rows. After rows were removed it may be too high.
    pub subject_rows_max: u64,
    /// No object has more rows. After rows were removed it may be too high.
    pub object_rows_max: u64,
    /// The tags of its objects, increasing.
    pub tags: Vec<TagStatistics>,
}

/// Rows of the default graph, or of all named ones.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ScopeStatistics {
    /// Number of rows: exact.
    pub row_count: u64,
    /// Number of distinct subjects: exact.
    pub subject_count: u64,
    /// Number of distinct objects: exact.
    pub object_count: u64,
    /// Predicates, increasing.
    pub predicates: Vec<PredicateStatistics>,
    /// Objects of rdf:type and their rows, exact and increasing.
    pub classes: Vec<(Id, u64)>,
}

impl ScopeStatistics {
    /// Number of bytes that it takes in the file.
    pub(crate) fn encoded_len(&self) -> u64 {
        let mut out = Vec::new();
        put_scope(self, &mut out);
        out.len() as u64
    }

    /// The rows of a predicate, if it has any.
    pub fn predicate(&self, id: Id) -> Option<&PredicateStatistics> {
        let at = self.predicates.binary_search_by_key(&id, |row| row.predicate).ok()?;
        Some(&self.predicates[at])
    }

    /// Number of rows of a class.
    pub fn class(&self, id: Id) -> u64 {
        self.classes.binary_search_by_key(&id, |row| row.0).map_or(0, |at| self.classes[at].1)
    }
}

/// Statistics of a generation.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Statistics {
    /// The default graph.
    pub default: ScopeStatistics,
    /// The named graphs together.
    pub named: ScopeStatistics,
    /// Named graphs and their rows, exact and increasing.
    pub graphs: Vec<(Id, u64)>,
}

impl Statistics {
    /// The bytes of the file.
    ///
    /// Panics if predicates, tags, classes or graphs are out of order.
    pub fn encode(&self) -> Vec<u8> {
        let mut out = Vec::new();
        put_head(FileKind::Statistics, [0; 4], &mut out);
        put_scope(&self.default, &mut out);
        put_scope(&self.named, &mut out);
        put_count(self.graphs.len(), &mut out);
        put_pairs(&self.graphs, &mut out);
        let sum = crc32fast::hash(&out);
        out.extend_from_slice(&sum.to_le_bytes());
        out
    }

    /// Reads a whole file.
    pub fn decode(bytes: &[u8]) -> Result<Statistics, DecodeError> {
        let detail = read_head(bytes, FileKind::Statistics)?;
        check("zeros in the head", 12, 0, u32::from_le_bytes(detail).into())?;
        let Some((body, sum)) =
            bytes.split_last_chunk::<SUM_LEN>().filter(|split| split.0.len() >= HEAD_LEN)
        else {
            let (need, have) = ((HEAD_LEN + SUM_LEN) as u64, bytes.len() as u64);
            return Err(DecodeError::Short { what: "statistics", at: 0, need, have });
        };
        check_sum("statistics", body.len() as u64, u32::from_le_bytes(*sum), body)?;
        let mut reader = Reader::new(&body[HEAD_LEN..], HEAD_LEN as u64);
        let default = read_scope(&mut reader)?;
        let named = read_scope(&mut reader)?;
        let graph_count = read_count(&mut reader, "count of graphs", PAIR_LEN)?;
        let graphs = read_pairs(&mut reader, "graph", graph_count)?;
        check("bytes after the graphs", reader.at(), 0, reader.rest().len() as u64)?;
        Ok(Statistics { default, named, graphs })
    }
}

fn put_words<const N: usize>(words: [u64; N], out: &mut Vec<u8>) {
    words.iter().for_each(|word| out.extend_from_slice(&word.to_le_bytes()));
}

fn put_count(count: usize, out: &mut Vec<u8>) {
    let count = u32::try_from(count).expect("fewer than 2^32 rows of statistics");
    out.extend_from_slice(&count.to_le_bytes());
}

fn put_pairs(pairs: &[(Id, u64)], out: &mut Vec<u8>) {
    assert!(pairs.is_sorted_by(|left, right| left.0 < right.0), "ids are in order");
    pairs.iter().for_each(|(id, count)| put_words([id.0, *count], out));
}

fn put_scope(scope: &ScopeStatistics, out: &mut Vec<u8>) {
    let predicates = &scope.predicates;
    assert!(
        predicates.is_sorted_by(|left, right| left.predicate < right.predicate),
        "predicates are in order"
    );
    put_words([scope.row_count, scope.subject_count, scope.object_count], out);
    put_count(predicates.len(), out);
    put_count(scope.classes.len(), out);
    for row in predicates {
        assert!(row.tags.is_sorted_by(|left, right| left.tag < right.tag), "tags are in order");
        let most = [row.subject_rows_max, row.object_rows_max];
        put_words([row.predicate.0, row.row_count, row.subject_count, row.object_count], out);
        put_words(most, out);
        put_count(row.tags.len(), out);
        for tag in &row.tags {
            out.push(tag.tag.0);
            put_words([tag.row_count, tag.payload_min, tag.payload_max], out);
        }
    }
    put_pairs(&scope.classes, out);
}

/// A count of rows that take at least `len` bytes each: not more than there are bytes for.
fn read_count(
    reader: &mut Reader<'_>,
    what: &'static str,
    len: usize,
) -> Result<usize, DecodeError> {
    let at = reader.at();
    let count = reader.u32_le(what)?;
    check_max(what, at, (reader.rest().len() / len) as u64, count.into())?;
    Ok(count as usize)
}

fn read_pairs(
    reader: &mut Reader<'_>,
    what: &'static str,
    count: usize,
) -> Result<Vec<(Id, u64)>, DecodeError> {
    let mut pairs: Vec<(Id, u64)> = Vec::with_capacity(count);
    for _ in 0..count {
        let at = reader.at();
        let id = Id(reader.u64_le(what)?);
        check_after(what, at, pairs.last().map(|last| last.0), id)?;
        pairs.push((id, reader.u64_le("rows")?));
    }
    Ok(pairs)
}

fn check_after<T: PartialOrd>(
    what: &'static str,
    at: u64,
    last: Option<T>,
    next: T,
) -> Result<(), DecodeError> {
    check(what, at, 1, last.is_none_or(|last| last < next).into())
}

fn read_scope(reader: &mut Reader<'_>) -> Result<ScopeStatistics, DecodeError> {
    let row_count = reader.u64_le("rows")?;
    let subject_count = reader.u64_le("subjects")?;
    let object_count = reader.u64_le("objects")?;
    let predicate_count = read_count(reader, "count of predicates", PREDICATE_LEN)?;
    let class_count = read_count(reader, "count of classes", PAIR_LEN)?;
    let mut predicates: Vec<PredicateStatistics> = Vec::with_capacity(predicate_count);
    for _ in 0..predicate_count {
        let at = reader.at();
        let row = read_predicate(reader)?;
        let last = predicates.last().map(|last| last.predicate);
        check_after("predicate above that before", at, last, row.predicate)?;
        predicates.push(row);
    }
    let classes = read_pairs(reader, "class above that before", class_count)?;
    Ok(ScopeStatistics { row_count, subject_count, object_count, predicates, classes })
}

fn read_predicate(reader: &mut Reader<'_>) -> Result<PredicateStatistics, DecodeError> {
    let predicate = Id(reader.u64_le("predicate")?);
    let row_count = reader.u64_le("rows of a predicate")?;
    let subject_count = reader.u64_le("subjects of a predicate")?;
    let object_count = reader.u64_le("objects of a predicate")?;
    let subject_rows_max = reader.u64_le("most rows of a subject")?;
    let object_rows_max = reader.u64_le("most rows of an object")?;
    let tag_count = read_count(reader, "count of tags", TAG_LEN)?;
    let mut tags: Vec<TagStatistics> = Vec::with_capacity(tag_count);
    for _ in 0..tag_count {
        let at = reader.at();
        let tag = Tag(reader.u8("tag")?);
        check_after("tag above that before", at, tags.last().map(|last| last.tag), tag)?;
        let row_count = reader.u64_le("rows of a tag")?;
        let payload_min = reader.u64_le("least payload")?;
        let payload_max = reader.u64_le("greatest payload")?;
        tags.push(TagStatistics { tag, row_count, payload_min, payload_max });
    }
    Ok(PredicateStatistics {
        predicate,
        row_count,
        subject_count,
        object_count,
        subject_rows_max,
        object_rows_max,
        tags,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use manicule_testkit::Rng;

    fn random_pairs(rng: &mut Rng) -> Vec<(Id, u64)> {
        (0..rng.below(4) as u64).map(|id| (Id(3 * id), rng.bits())).collect()
    }

    fn random_scope(rng: &mut Rng) -> ScopeStatistics {
        let tag = |tag: usize, rng: &mut Rng| TagStatistics {
            tag: Tag(5 * tag as u8),
            row_count: rng.bits(),
            payload_min: rng.bits(),
            payload_max: rng.bits(),
        };
        let predicate = |id: u64, rng: &mut Rng| PredicateStatistics {
            predicate: Id(7 * id),
            row_count: rng.bits(),
            subject_count: rng.bits(),
            object_count: rng.bits(),
            subject_rows_max: rng.bits(),
            object_rows_max: rng.bits(),
            tags: (0..rng.below(4)).map(|each| tag(each, rng)).collect(),
        };
        ScopeStatistics {
            row_count: rng.bits(),
            subject_count: rng.bits(),
            object_count: rng.bits(),
            predicates: (0..rng.below(5) as u64).map(|id| predicate(id, rng)).collect(),
            classes: random_pairs(rng),
        }
    }

    fn random_statistics(seed: u64) -> Statistics {
        let mut rng = Rng::new(seed);
        let (default, named) = (random_scope(&mut rng), random_scope(&mut rng));
        Statistics { default, named, graphs: random_pairs(&mut rng) }
    }

    #[test]
    fn statistics_read_back_and_are_found() {
        for seed in 0..100 {
            let statistics = random_statistics(seed);
            assert_eq!(
                Statistics::decode(&statistics.encode()).as_ref(),
                Ok(&statistics),
                "seed {seed}"
            );
            for id in (0..40).map(Id) {
                let scope = &statistics.default;
                let plain = scope.predicates.iter().find(|row| row.predicate == id);
                assert_eq!(scope.predicate(id), plain, "seed {seed}");
                let plain = scope.classes.iter().find(|row| row.0 == id).map_or(0, |row| row.1);
                assert_eq!(scope.class(id), plain, "seed {seed}");
            }
        }
    }

    #[test]
    fn every_cut_and_every_flipped_bit_is_refused() {
        let bytes = random_statistics(3).encode();
        for len in 0..bytes.len() {
            assert!(Statistics::decode(&bytes[..len]).is_err(), "cut at {len}");
        }
        for at in 0..bytes.len() {
            let mut flipped = bytes.clone();
            flipped[at] ^= 1 << (at % 8);
            assert!(Statistics::decode(&flipped).is_err(), "flipped at {at}");
        }
    }

    #[test]
    fn rows_that_lie_are_refused_or_read() {
        for seed in 0..300 {
            let mut bytes = random_statistics(seed).encode();
            let mut rng = Rng::new(seed);
            let at = 16 + rng.below(bytes.len() - 20);
            bytes[at] = rng.bits() as u8;
            let end = bytes.len() - 4;
            let sum = crc32fast::hash(&bytes[..end]);
            bytes[end..].copy_from_slice(&sum.to_le_bytes());
            if let Ok(statistics) = Statistics::decode(&bytes) {
                assert_eq!(statistics.encode(), bytes, "seed {seed}");
            }
        }
    }
}
