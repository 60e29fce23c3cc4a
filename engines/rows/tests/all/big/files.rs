//! The partition's files, as Cassandra 3.11 writes them, uncompressed.

use std::fs::{self, File};
use std::os::unix::fs::FileExt;
use std::path::Path;

use manicule_format_sstable::put_vint;
use tempfile::TempDir;

pub(crate) const KEY: [u8; 4] = [0; 4];
pub(crate) const ROW_COUNT: u64 = 10_000_000;
const VALUE_LEN: u64 = 2000;

/// Key, no deletion.
const HEAD: [u8; 18] = [0, 4, 0, 0, 0, 0, 0x7f, 0xff, 0xff, 0xff, 0x80, 0, 0, 0, 0, 0, 0, 0];

/// Rows in a row of the same length.
struct Run {
    first: u64,
    count: u64,
    len: u64,
    before_len: u64,
    at: u64,
}

pub(crate) struct Big {
    pub(crate) folder: TempDir,
}

impl Big {
    /// Writes the files; of Data.db the rows around the beginning, each tenth and the middle.
    pub(crate) fn write() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path();
        let runs = runs();
        fs::write(path.join("mc-1-big-Index.db"), index(&runs)).unwrap();
        fs::write(path.join("mc-1-big-Statistics.db"), statistics()).unwrap();
        fs::write(path.join("mc-1-big-TOC.txt"), "Data.db\nIndex.db\nStatistics.db\nTOC.txt\n")
            .unwrap();
        data(&runs, &path.join("mc-1-big-Data.db"));
        Big { folder }
    }
}

fn row(number: u64, before_len: u64) -> Vec<u8> {
    let mut body = Vec::new();
    put_vint(before_len, &mut body);
    body.push(0);
    put_vint(number, &mut body);
    put_vint(VALUE_LEN, &mut body);
    body.resize(body.len() + VALUE_LEN as usize, number as u8);
    let mut row = vec![0x20, 0];
    row.extend_from_slice(&(number as i32 * 2 + 1).to_be_bytes());
    put_vint(body.len() as u64, &mut row);
    row.extend_from_slice(&body);
    row
}

/// Rows differ in length where their number or the length before takes a byte more.
fn runs() -> Vec<Run> {
    let (mut runs, mut first, mut before_len, mut at) =
        (Vec::new(), 0, HEAD.len() as u64, HEAD.len() as u64);
    while first < ROW_COUNT {
        let len = row(first, before_len).len() as u64;
        let grows = (1..10).map(|bytes| 1_u64 << (7 * bytes)).find(|end| *end > first).unwrap();
        let count = if len == before_len { grows.min(ROW_COUNT) - first } else { 1 };
        runs.push(Run { first, count, len, before_len, at });
        (first, before_len, at) = (first + count, len, at + count * len);
    }
    runs
}

fn index(runs: &[Run]) -> Vec<u8> {
    let (mut blocks, mut offsets) = (Vec::new(), Vec::new());
    let mut block = |first: u64, last: u64, start: u64, end: u64| {
        offsets.push(blocks.len() as u32);
        for number in [first, last] {
            blocks.extend_from_slice(&[4, 0]);
            blocks.extend_from_slice(&(number as i32 * 2 + 1).to_be_bytes());
        }
        put_vint(start, &mut blocks);
        let width = (end - start) as i64 - 65_536;
        put_vint(((width << 1) ^ (width >> 63)) as u64, &mut blocks);
        blocks.push(0);
    };
    let mut open: Option<(u64, u64)> = None;
    let mut end = 0;
    for run in runs {
        for number in run.first..run.first + run.count {
            let at = run.at + (number - run.first) * run.len;
            let (first, start) = *open.get_or_insert((number, at));
            end = at + run.len;
            if end - start >= 65_536 {
                block(first, number, start, end);
                open = None;
            }
        }
    }
    if let Some((first, start)) = open {
        block(first, ROW_COUNT - 1, start, end + 1);
    }
    let mut promoted = Vec::new();
    put_vint(HEAD.len() as u64, &mut promoted);
    promoted.extend_from_slice(&HEAD[6..]);
    put_vint(offsets.len() as u64, &mut promoted);
    promoted.extend_from_slice(&blocks);
    offsets.iter().for_each(|offset| promoted.extend_from_slice(&offset.to_be_bytes()));
    let mut index = HEAD[..6].to_vec();
    put_vint(0, &mut index);
    put_vint(promoted.len() as u64, &mut index);
    index.extend_from_slice(&promoted);
    assert_eq!((offsets.len(), index.len()), (303_031, 7_268_702), "as Cassandra writes it");
    index
}

/// The partitioner, and the header: an int as key, an int as clustering, a blob.
fn statistics() -> Vec<u8> {
    let class = "org.apache.cassandra.dht.Murmur3Partitioner";
    let mut validation = (class.len() as u16).to_be_bytes().to_vec();
    validation.extend_from_slice(class.as_bytes());
    validation.extend_from_slice(&0.01_f64.to_be_bytes());
    let mut header = Vec::new();
    let text = |text: &str, out: &mut Vec<u8>| {
        put_vint(text.len() as u64, out);
        out.extend_from_slice(text.as_bytes());
    };
    put_vint(1_600_000_000_000_000 - 1_442_880_000_000_000, &mut header);
    header.extend_from_slice(&[0, 0]);
    text("org.apache.cassandra.db.marshal.Int32Type", &mut header);
    header.push(1);
    text("org.apache.cassandra.db.marshal.Int32Type", &mut header);
    header.extend_from_slice(&[0, 1]);
    text("v", &mut header);
    text("org.apache.cassandra.db.marshal.BytesType", &mut header);
    let start = 4 + 2 * 8;
    let numbers = [2, 0, start, 3, start + validation.len() as u32];
    let table: Vec<u8> = numbers.iter().flat_map(|number| number.to_be_bytes()).collect();
    [table, validation, header].concat()
}

fn data(runs: &[Run], path: &Path) {
    let file = File::create(path).unwrap();
    let last = runs.last().unwrap();
    let end = last.at + last.count * last.len;
    assert_eq!(end + 1, 20_167_886_354, "as Cassandra writes it");
    file.set_len(end + 1).unwrap();
    file.write_all_at(&HEAD, 0).unwrap();
    file.write_all_at(&[1], end).unwrap();
    let tenths = (1..10).map(|place| ROW_COUNT / 10 * place);
    for middle in tenths.chain([0, ROW_COUNT / 2 + 1000]) {
        let wanted = middle.saturating_sub(100)..middle + 200;
        write_rows(&file, runs, wanted);
    }
    write_rows(&file, runs, 0..4400);
    write_rows(&file, runs, ROW_COUNT / 2..ROW_COUNT / 2 + 4400);
}

fn write_rows(file: &File, runs: &[Run], wanted: std::ops::Range<u64>) {
    for run in runs {
        let (first, end) = (wanted.start.max(run.first), wanted.end.min(run.first + run.count));
        for number in first..end {
            let at = run.at + (number - run.first) * run.len;
            file.write_all_at(&row(number, run.before_len), at).unwrap();
        }
    }
}
