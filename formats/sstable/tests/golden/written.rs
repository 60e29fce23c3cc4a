//! Golden SSTables read and written again: the components have the bytes that Cassandra gave them.

use manicule_format_sstable::{
    BlockCutter, Cardinality, Component, CompressionHead, CompressionInfo, Deletion, DistinctKeys,
    FilterBits, Frame, Header, INDEX_INTERVAL, IndexEntry, KeyHash, Parsed, PartitionHead, Place,
    Prefix, PrefixKind, RowHead, RowShape, RowWriter, Samples, StatisticsFile, SumsOfChunks,
    Unfiltered, put_compression_head, put_digest, put_index_entry, put_promoted_head,
    put_statistics,
};

use crate::support::{Table, Tables};

/// Lengths of blocks that the golden tables were written with: by default, and `narrow`.
const BLOCK_LENS: [u64; 2] = [65_536, 1_024];

fn done<T>(parsed: Parsed<T>) -> T {
    match parsed {
        Parsed::Done(thing) => thing,
        Parsed::More { len } => panic!("{len} bytes wanted"),
    }
}

/// A table being written again.
struct Again {
    rows: RowWriter,
    data: Vec<u8>,
    index: Vec<u8>,
    block_len: u64,
}

impl Again {
    fn of(data: &[u8], header: &Header, block_len: u64) -> Again {
        let rows = RowWriter::new(RowShape::new(header));
        let mut again = Again { rows, data: Vec::new(), index: Vec::new(), block_len };
        let mut at = 0;
        while at < data.len() {
            at = again.partition(data, at);
        }
        again
    }

    /// Writes the partition at a place; returns where it ends.
    fn partition(&mut self, data: &[u8], start: usize) -> usize {
        let shape = self.rows.shape().clone();
        let form = shape.deletion_form();
        let parsed = PartitionHead::read(&data[start..], start as u64, &shape).expect("a head");
        let head = done(parsed);
        self.rows.put_head(head.key, head.deletion, &mut self.data);
        let (mut cutter, mut blocks, mut starts) =
            (BlockCutter::new(self.block_len, form), Vec::new(), Vec::new());
        let (mut before, mut header_len, mut open) = (start, head.len, None);
        loop {
            let at = self.data.len();
            let frame = Frame::read(&data[at..], at as u64, &shape).expect("a frame");
            let unfiltered = done(frame).open(&data[at..], &shape).expect("an unfiltered");
            let block_at = blocks.len();
            let (prefix, after) = match unfiltered {
                Unfiltered::End => break self.rows.put_end(&mut self.data),
                Unfiltered::Row(row) => {
                    let before_len = if row.is_static { 0 } else { at - before };
                    let parts = row.cells(&shape).map(|part| part.expect("a part"));
                    let head = RowHead::of(&row);
                    self.rows.put_row(&head, parts, before_len as u64, &mut self.data);
                    if row.is_static {
                        header_len = self.data.len() - start;
                        continue;
                    }
                    (Prefix { kind: PrefixKind::Row, components: row.components }, open)
                }
                Unfiltered::Marker(marker) => {
                    let deletions = [marker.ends, marker.begins];
                    let before_len = (at - before) as u64;
                    self.rows.put_marker(&marker.prefix, deletions, before_len, &mut self.data);
                    (marker.prefix, marker.begins)
                }
            };
            let (offset, len) = ((at - start) as u64, (self.data.len() - at) as u64);
            let place = Place { offset, len, prefix, open_before: open, open_after: after };
            if cutter.pass(&place, &mut blocks) {
                starts.push(block_at as u32);
            }
            (before, open) = (at, after);
        }
        let block_at = blocks.len();
        if cutter.end((self.data.len() - start) as u64, &mut blocks) {
            starts.push(block_at as u32);
        }
        let promoted = promoted(header_len as u64, head.deletion, form, &blocks, &starts);
        put_index_entry(head.key, start as u64, promoted.len() as u64, &mut self.index);
        self.index.extend_from_slice(&promoted);
        self.data.len()
    }
}

fn promoted(
    header_len: u64,
    deletion: Deletion,
    form: manicule_format_sstable::DeletionForm,
    blocks: &[u8],
    starts: &[u32],
) -> Vec<u8> {
    let mut promoted = Vec::new();
    if starts.len() > 1 {
        put_promoted_head(header_len, deletion, form, starts.len() as u32, &mut promoted);
        promoted.extend_from_slice(blocks);
        starts.iter().for_each(|start| promoted.extend_from_slice(&start.to_be_bytes()));
    }
    promoted
}

fn assert_same(title: &str, component: &Component, got: &[u8], want: &[u8]) {
    let differs = got.iter().zip(want).position(|(got, want)| got != want);
    let at = differs.unwrap_or(got.len().min(want.len()));
    assert!(got == want, "{title}: {component} at {at}: {} of {} bytes", got.len(), want.len());
}

#[test]
fn rows_and_their_index_have_the_bytes_of_cassandra() {
    let (mut tables, mut indexes) = (0, 0);
    for table in &Tables::all().list {
        let Some(data) = table.data() else { continue };
        let (title, header) = (table.title(), table.header());
        let agains = BLOCK_LENS.map(|block_len| Again::of(&data, &header, block_len));
        assert_same(&title, &Component::Data, &agains[0].data, &data);
        tables += 1;
        if let Some(index) = table.read(&Component::Index) {
            let same = agains.iter().find(|again| again.index == index);
            assert_same(&title, &Component::Index, &same.unwrap_or(&agains[0]).index, &index);
            indexes += 1;
        }
        check_sums(table, &data);
    }
    println!("{tables} tables, {indexes} indexes");
    assert!(tables > 10 && indexes > 5);
}

fn check_sums(table: &Table, data: &[u8]) {
    let mut sums = SumsOfChunks::new();
    data.chunks(1_000).for_each(|piece| sums.add(piece));
    let (mut bytes, mut digest) = (Vec::new(), Vec::new());
    sums.put(&mut bytes);
    assert_same(&table.title(), &Component::Crc, &bytes, &table.component(&Component::Crc));
    put_digest(crc32fast::hash(data), &mut digest);
    let want = table.component(&Component::Digest);
    assert_same(&table.title(), &Component::Digest, &digest, &want);
}

/// Keys of an Index.db and the offsets of their entries.
fn keys(index: &[u8]) -> Vec<(&[u8], u64)> {
    let (mut at, mut keys) = (0, Vec::new());
    while at < index.len() {
        let entry = done(IndexEntry::read(&index[at..], at as u64).expect("an entry"));
        keys.push((entry.key, entry.at));
        at = entry.end() as usize;
    }
    keys
}

#[test]
fn filters_summaries_and_cardinalities_have_the_bytes_of_cassandra() {
    let mut tables = 0;
    for table in &Tables::all().list {
        let Some(index) = table.read(&Component::Index) else { continue };
        let (title, version) = (table.title(), table.descriptor.version);
        let keys = keys(&index);
        let statistics = table.component(&Component::Statistics);
        let statistics = StatisticsFile::open(&statistics, version).expect("sections");
        let validation = statistics.validation().expect("a section");
        let mut distinct = DistinctKeys::new();
        let mut samples = Samples::new(INDEX_INTERVAL);
        let mut bits = FilterBits::new(keys.len() as u64, validation.filter_chance);
        for (key, at) in &keys {
            samples.add(key, *at);
            distinct.add(key);
            if let Some(bits) = &mut bits {
                bits.add(KeyHash::of(key));
            }
        }
        let want = statistics.cardinality().expect("a section");
        assert_eq!(Some(distinct.finish()), want, "{title}");
        if let Some(want) = table.read(&Component::Summary) {
            let mut summary = Vec::new();
            samples.put(&mut summary);
            assert_same(&title, &Component::Summary, &summary, &want);
        }
        if let (Some(bits), Some(want)) = (bits, table.read(&Component::Filter)) {
            let mut filter = Vec::new();
            bits.put_head(&mut filter);
            filter.extend_from_slice(&bits.into_words(version));
            assert_same(&title, &Component::Filter, &filter, &want);
        }
        tables += 1;
    }
    assert!(tables > 5, "{tables}");
}

#[test]
fn statistics_have_the_bytes_that_they_were_read_from() {
    let mut tables = 0;
    for table in &Tables::all().list {
        let (title, version) = (table.title(), table.descriptor.version);
        if version.has_covered_slice() {
            continue;
        }
        let bytes = table.component(&Component::Statistics);
        let file = StatisticsFile::open(&bytes, version).expect("sections");
        let (validation, header) = (file.validation().unwrap(), file.header().unwrap());
        let cardinality = file.cardinality().unwrap().unwrap_or(Cardinality::Sparse(Vec::new()));
        let mut again = Vec::new();
        let statistics = file.statistics().unwrap();
        put_statistics(&validation, &cardinality, &statistics, &header, &mut again);
        assert_same(&title, &Component::Statistics, &again, &bytes);
        tables += 1;
    }
    assert!(tables > 5, "{tables}");
}

#[test]
fn compression_has_the_bytes_that_it_was_read_from() {
    let mut tables = 0;
    for table in &Tables::all().list {
        let version = table.descriptor.version;
        let Some(bytes) = table.read(&Component::CompressionInfo) else { continue };
        let info = CompressionInfo::open(&bytes, version).expect("compression");
        if info.dictionary.is_some() {
            continue;
        }
        let mut again = Vec::new();
        let head = CompressionHead {
            class: info.class,
            options: &info.options,
            chunk_len: info.chunk_len,
            compressed_len_max: info.compressed_len_max,
            data_len: info.data_len,
            chunk_count: info.offset_count() as u32,
        };
        put_compression_head(version, &head, &mut again);
        let offsets = info.offsets_at() as usize;
        assert_same(&table.title(), &Component::CompressionInfo, &again, &bytes[..offsets]);
        tables += 1;
    }
    assert!(tables > 5, "{tables}");
}
