//! Inputs of indexes: label sets as lines of text, and chunk metas by the rule of the golden index
//! files.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use manicule_format_prometheus::{ChunkMeta, ChunkRef};

/// The first time of all.
const FIRST_MS: i64 = 1_700_000_000_000;
/// Time from chunk to chunk of a series.
const STEP_MS: i64 = 3_600_000;
/// Time from the first sample of a chunk to its last.
const CHUNK_MS: i64 = 3_570_000;
/// Length of the segments of the made-up chunks.
const SEGMENT_LEN_MAX: u64 = 512 << 20;

/// Chunk metas that go with no chunk files: the same for every program that writes such an index.
#[derive(Clone, Debug)]
pub(super) struct ChunkRule {
    reference: u64,
    metas: Vec<ChunkMeta>,
}

impl ChunkRule {
    /// A rule of `chunk_count` chunks a series.
    pub(super) fn new(chunk_count: usize) -> ChunkRule {
        let mut rule = ChunkRule { reference: 8, metas: Vec::new() };
        rule.metas
            .resize(chunk_count, ChunkMeta { reference: ChunkRef(0), min_time: 0, max_time: 0 });
        rule
    }

    /// The chunks of the series at an index; indexes are asked for in order, from 0.
    pub(super) fn next(&mut self, place: u64) -> &[ChunkMeta] {
        if place == 0 {
            self.reference = 8;
        }
        for (at, meta) in self.metas.iter_mut().enumerate() {
            let min_time = FIRST_MS + at as i64 * STEP_MS;
            *meta = ChunkMeta {
                reference: ChunkRef(self.reference),
                min_time,
                max_time: min_time + CHUNK_MS,
            };
            self.reference += 150 + (place * 7 + at as u64 * 13) % 60;
            if self.reference & 0xFFFF_FFFF > SEGMENT_LEN_MAX {
                self.reference = ((self.reference >> 32) + 1) << 32 | 8;
            }
        }
        &self.metas
    }
}

/// Label sets, one a line: name, tab, value, tab, name ...
pub(super) struct Text(Vec<u8>);

/// A label of a text.
pub(super) type Label<'a> = (&'a [u8], &'a [u8]);

/// The labels of a text, taken apart before anything is measured.
pub(super) struct Sets<'a> {
    labels: Vec<Label<'a>>,
    /// End of the labels of each set.
    ends: Vec<usize>,
}

/// Arguments of a command with `--tsv FILE` and `--turns N`: the text, and the number of turns.
/// `None` if only help was wanted, which is printed.
pub(super) fn asked(words: Vec<OsString>, usage: &str) -> Result<Option<(Text, usize)>> {
    use lexopt::prelude::*;
    let (mut tsv, mut turn_count) = (None, 1);
    let mut parser = lexopt::Parser::from_args(words);
    while let Some(word) = parser.next()? {
        match word {
            Long("tsv") => tsv = Some(PathBuf::from(parser.value()?)),
            Long("turns") => turn_count = parser.value()?.parse()?,
            Long("help") | Short('h') => {
                println!("{usage}");
                return Ok(None);
            }
            _ => return Err(word.unexpected().into()),
        }
    }
    let text = Text::read(&tsv.context("--tsv FILE is missing")?)?;
    Ok(Some((text, turn_count)))
}

impl Text {
    /// Reads a file.
    pub(super) fn read(path: &Path) -> Result<Text> {
        Ok(Text(fs::read(path).with_context(|| path.display().to_string())?))
    }

    /// Parses it.
    pub(super) fn sets(&self) -> Result<Sets<'_>> {
        let mut sets = Sets { labels: Vec::new(), ends: Vec::new() };
        for (at, line) in self.0.split(|byte| *byte == b'\n').enumerate() {
            if line.is_empty() {
                continue;
            }
            let mut words = line.split(|byte| *byte == b'\t');
            while let Some(name) = words.next() {
                let Some(value) = words.next() else {
                    bail!("line {}: a name without a value", at + 1);
                };
                sets.labels.push((name, value));
            }
            sets.ends.push(sets.labels.len());
        }
        Ok(sets)
    }
}

impl<'a> Sets<'a> {
    /// Number of sets.
    pub(super) fn count(&self) -> usize {
        self.ends.len()
    }

    /// The set at an index.
    pub(super) fn get(&self, at: usize) -> &[Label<'a>] {
        let start = if at == 0 { 0 } else { self.ends[at - 1] };
        &self.labels[start..self.ends[at]]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_become_label_sets() {
        let text = Text(b"a\t1\tb\t2\nc\t\n".to_vec());
        let sets = text.sets().unwrap();
        assert_eq!(sets.count(), 2);
        assert_eq!(sets.get(0), [(&b"a"[..], &b"1"[..]), (b"b", b"2")]);
        assert_eq!(sets.get(1), [(&b"c"[..], &b""[..])]);
        assert!(Text(b"a\t1\tb\n".to_vec()).sets().is_err());
    }

    #[test]
    fn chunks_lie_one_behind_the_other() {
        let mut rule = ChunkRule::new(2);
        let first: Vec<ChunkMeta> = rule.next(0).to_vec();
        assert_eq!(first.iter().map(|meta| meta.reference.0).collect::<Vec<_>>(), [8, 158]);
        assert_eq!(first[1].min_time, 1_700_003_600_000);
        assert_eq!(first[1].max_time, 1_700_007_170_000);
        // 158 + 150 + 13, then with 7 more of the second series.
        let second: Vec<u64> = rule.next(1).iter().map(|meta| meta.reference.0).collect();
        assert_eq!(second, [321, 478]);
        assert_eq!(rule.next(0), first);
    }
}
