//! Inputs that are refused, each by its name.

use std::io::{self, Write};

use manicule_core::sorted::Strings;
use manicule_core::watch::Watch;
use manicule_format_prometheus::{ChunkMeta, ChunkRef, Index};
use manicule_series::write::{
    ChunksBy, Joined, Outputs, Rows, Source, WriteError, write_index, write_index_with,
};

use super::inputs::{PLAIN, TINY};

const STRINGS: [&[u8]; 6] = [b"", b"a", b"b", b"1", b"2", b"3"];

/// a=1, a=2, b=1, b=3, and a=1 once more.
const PAIRS: [(u32, u32); 5] = [(1, 3), (1, 4), (2, 3), (2, 5), (1, 3)];

fn chunk(min_time: i64, max_time: i64, reference: u64) -> ChunkMeta {
    ChunkMeta { min_time, max_time, reference: ChunkRef(reference) }
}

fn write(
    pairs: &[(u32, u32)],
    series: &[&[u32]],
    chunks: &[&[ChunkMeta]],
) -> Result<Vec<u8>, WriteError> {
    let (mut labels, mut metas) = (Rows::default(), Rows::default());
    series.iter().for_each(|series| labels.push(series.iter().copied()));
    chunks.iter().for_each(|chunks| metas.push(chunks.iter().copied()));
    let mut results = [PLAIN, TINY].map(|options| {
        let mut file = Vec::new();
        let source = Joined { labels: &labels, chunks: &metas };
        write_index(
            &STRINGS[..],
            pairs.to_vec(),
            source,
            options,
            &mut file,
            &Watch::none().silent(),
        )
        .map(|_| file)
    });
    let [plain, tiny] = &mut results;
    match (&plain, &tiny) {
        (Ok(plain), Ok(tiny)) => assert!(plain == tiny),
        (Err(plain), Err(tiny)) => assert_eq!(plain.to_string(), tiny.to_string()),
        _ => panic!("memory decides what is refused"),
    }
    let [plain, _] = results;
    plain
}

fn refused(series: &[&[u32]], chunks: &[&[ChunkMeta]]) -> WriteError {
    write(&PAIRS, series, chunks).expect_err("it is refused")
}

#[test]
fn series_rise_strictly() {
    for series in [&[&[1][..], &[0]][..], &[&[0, 2], &[0]], &[&[0, 3], &[0, 2]], &[&[2], &[1, 2]]] {
        let error = refused(series, &[]);
        assert!(matches!(error, WriteError::UnsortedSeries { place: 1 }), "{error}");
        assert!(error.to_string().contains("out-of-order series"));
    }
    for series in [&[&[0][..], &[0]][..], &[&[0, 2], &[4, 2]], &[&[], &[]]] {
        let error = refused(series, &[]);
        assert!(matches!(error, WriteError::DuplicateSeries { place: 1 }), "{error}");
    }
    for series in
        [&[&[0][..], &[0, 2], &[0, 3], &[1]][..], &[&[], &[2]], &[&[4], &[1, 3], &[3]], &[]]
    {
        let file = write(&PAIRS, series, &[]).unwrap();
        let index = Index::open(file).unwrap();
        assert_eq!(index.all_postings().unwrap().iter().count(), series.len());
    }
}

#[test]
fn labels_rise_by_their_names() {
    let error = refused(&[&[0], &[2, 1]], &[]);
    assert!(matches!(&error, WriteError::UnsortedLabels { place: 1, name } if name == b"a"));
    for labels in [[0, 1], [0, 0], [0, 4]] {
        let error = refused(&[&labels], &[]);
        assert!(matches!(&error, WriteError::DuplicateLabel { place: 0, name } if name == b"a"));
    }
}

#[test]
fn numbers_name_something() {
    let error = refused(&[&[0, 2], &[1, 5]], &[]);
    assert!(matches!(error, WriteError::UnknownPair { place: 1, pair: 5, pairs: 5 }), "{error}");
    let error = write(&[(1, 3), (1, 6)], &[], &[]).unwrap_err();
    assert!(matches!(error, WriteError::UnknownSymbol { pair: 1, symbol: 6, symbols: 6 }));
    let error = write(&[(0, 3)], &[], &[]).unwrap_err();
    assert!(matches!(error, WriteError::EmptyName { pair: 0 }));
}

#[test]
fn chunks_are_in_order() {
    let error = refused(&[&[0], &[1]], &[&[chunk(0, 9, 100)], &[chunk(0, 9, 99)]]);
    assert!(matches!(
        error,
        WriteError::ChunkReferenceFalls {
            place: 1,
            reference: ChunkRef(99),
            before: ChunkRef(100)
        }
    ));
    for first in [9, 8, 0, -1] {
        let error = refused(&[&[0]], &[&[chunk(0, 9, 8), chunk(first, 20, 9)]]);
        assert!(matches!(error, WriteError::ChunksOverlap { place: 0, before: 9, .. }), "{error}");
    }
    let error = refused(&[&[0]], &[&[chunk(1, 0, 8)]]);
    assert!(matches!(error, WriteError::ChunkEndsEarly { place: 0, .. }), "{error}");
}

/// Times and references at the ends of their ranges read back.
#[test]
fn the_widest_chunks_are_written() {
    let ends = [chunk(i64::MIN, i64::MIN, 0), chunk(i64::MIN + 1, i64::MAX, u64::MAX)];
    let whole = [chunk(i64::MIN, i64::MAX, u64::MAX)];
    let file = write(&PAIRS, &[&[0], &[1]], &[&ends, &whole]).unwrap();
    let index = Index::open(file).unwrap();
    let all: Vec<_> = index.all_postings().unwrap().iter().collect();
    for (series, want) in all.into_iter().zip([&ends[..], &whole]) {
        let series = index.series(series).unwrap();
        let got: Vec<ChunkMeta> = series.chunks().unwrap().map(|chunk| chunk.unwrap()).collect();
        assert_eq!(got, want);
    }
}

/// A source that has other series in its second pass.
struct Fickle {
    labels: Vec<Vec<u32>>,
    passes: usize,
    later: Vec<u32>,
}

impl Source for Fickle {
    fn labels(&mut self, place: u64) -> Result<Option<&[u32]>, WriteError> {
        self.passes += usize::from(place == 0);
        let later = self.passes > 1 && place == 1;
        let labels = self.labels.get(place as usize).map(Vec::as_slice);
        Ok(labels.map(|labels| if later { &self.later } else { labels }))
    }

    fn chunks(&mut self, _: u64) -> Result<&[ChunkMeta], WriteError> {
        Ok(&[])
    }
}

#[test]
fn a_source_that_changes_its_mind_is_noticed() {
    for later in [vec![1], vec![1, 2], vec![0, 2, 3]] {
        let source = Fickle { labels: vec![vec![0], vec![1, 3]], passes: 0, later };
        let error = write_index(
            &STRINGS[..],
            PAIRS.to_vec(),
            source,
            PLAIN,
            &mut Vec::new(),
            &Watch::none().silent(),
        )
        .unwrap_err();
        let duplicate = matches!(error, WriteError::DuplicateLabel { .. });
        assert!(duplicate || matches!(error, WriteError::SourceChanged), "{error}");
    }
}

/// Strings of a gigabyte each, which differ in their first byte.
struct Long(Vec<u8>);

impl Strings for Long {
    fn count(&self) -> u32 {
        5
    }

    fn get(&self, number: u32) -> &[u8] {
        &self.0[number as usize..number as usize + (1 << 30)]
    }
}

#[test]
fn symbols_of_more_than_four_gigabytes_are_refused() {
    let mut bytes = vec![0; (1 << 30) + 8];
    bytes[..5].copy_from_slice(b"12345");
    let (labels, metas) = (Rows::default(), Rows::default());
    let source = Joined { labels: &labels, chunks: &metas };
    let error = write_index(
        Long(bytes),
        Vec::new(),
        source,
        PLAIN,
        &mut Vec::new(),
        &Watch::none().silent(),
    )
    .unwrap_err();
    let WriteError::TooLong { what, len, .. } = error else { panic!("{error}") };
    assert_eq!((what, len), ("the symbol table", 4 + 5 * (5 + (1 << 30))));
}

/// What takes bytes until it has had enough.
struct Full(usize);

impl Write for Full {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0 = self.0.checked_sub(bytes.len()).ok_or(io::ErrorKind::StorageFull)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn a_full_disk_is_told_by_one_thread_and_by_two() {
    for room in [0, 10, 60, 150] {
        for threads in [1, 2] {
            let mut labels = Rows::default();
            (0..2).for_each(|pair| labels.push([pair]));
            let source = Joined { labels: &labels, chunks: ChunksBy::new(|_, _| ()) };
            let outputs =
                Outputs { index: &mut Full(room), index_header: None, sparse_header: None };
            let error = write_index_with(
                &STRINGS[..],
                PAIRS.to_vec(),
                source,
                PLAIN,
                outputs,
                threads,
                &Watch::none().silent(),
            )
            .unwrap_err();
            let WriteError::Io(error) = error else { panic!("{error}") };
            assert_eq!(error.kind(), io::ErrorKind::StorageFull);
        }
    }
}
