//! Posting construction alone: the rows of the change to zoekt that this kind began with ("3.7x
//! faster posting list construction"), by our own builder as the index runs it.
//!
//! Texts are read into memory before. Their runes are counted and sampled within the time, as the
//! peer does in the same step. Of the peer there are no rows: its command line has no such step.

use std::hint::black_box;
use std::ops::Range;
use std::path::Path;

use anyhow::Result;
use manicule_code::shards::{Grams, Joined, Window};
use manicule_format_zoekt::{RuneSamples, rune_count};
use manicule_store::zeroed;

use super::texts::{self, Shard};
use crate::allocations::{Asked, counted};
use crate::findings::Findings;
use crate::measure::{Digest, Sample, Series, timed};
use crate::table::{self, Table, Target};

/// Lists are written in pieces of about this many bytes, as the index does.
const PIECE_LEN: usize = 1 << 20;

/// Source of a row's builders.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Builders {
    /// Made for each shard.
    New,
    /// Those of the shard before.
    Reused,
}

/// A row.
struct Row {
    name: &'static str,
    builders: Builders,
    /// Number of builders; each takes a stretch of the texts.
    threads: usize,
    /// Whether the writing of the lists is timed, rather than their building.
    step: Step,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Step {
    Build,
    Write,
}

const fn row(name: &'static str, builders: Builders, threads: usize, step: Step) -> Row {
    Row { name, builders, threads, step }
}

const COLD: &str = "posting construction, cold";

const ROWS: &[Row] = &[
    row(COLD, Builders::New, 1, Step::Build),
    row("posting construction, reused builders", Builders::Reused, 1, Step::Build),
    row("posting construction, cold, 2 threads", Builders::New, 2, Step::Build),
    row("posting construction, reused, 2 threads", Builders::Reused, 2, Step::Build),
    row("write of postings", Builders::Reused, 1, Step::Write),
    row("write of postings, 2 stretches joined", Builders::Reused, 2, Step::Write),
];

/// Result of a row, without its time.
#[derive(Clone, Copy, Debug, Default)]
struct Made {
    /// The largest arenas of a shard.
    arena_len: usize,
    /// Bytes of all lists; counted where they are written.
    list_len: u64,
}

/// The rows, for the texts that the index takes and for those of the seed's benchmark.
pub(super) fn rows(
    corpus: &str,
    tree: &Path,
    turn_count: usize,
    findings: &mut Findings,
) -> Result<()> {
    let sets = [
        ("as the index takes them", texts::of_index(tree)?),
        ("as the seed's benchmark takes them, one builder for all", texts::of_seed(tree)?),
    ];
    for (set, shards) in &sets {
        let len: u64 = shards.iter().map(Shard::len).sum();
        let file_count: usize = shards.iter().map(|shard| shard.texts.len()).sum();
        let note = format!(
            "Texts {set}: {file_count} files, {len} bytes, in memory before; shards: {}. \
             Turns: {turn_count}. Allocations are counted in a turn of their own; one that grows counts with its \
             new length.",
            shards.len()
        );
        let title = format!("{corpus}: posting construction alone, texts {set}");
        let series = measure(shards, turn_count);
        let mut table = Table::new(title, &note, HEAD);
        for (row, (series, made, asked)) in ROWS.iter().zip(&series) {
            let cpu_s = series.cpu_ms().unwrap_or_default() / 1e3;
            table.row(vec![
                row.name.to_owned(),
                table::seconds(series.cpu_ms()),
                table::seconds(series.wall_ms()),
                format!("{:.0}", len as f64 / 1e6 / cpu_s),
                asked.count.to_string(),
                megabytes(asked.len),
                megabytes(made.arena_len as u64),
                if row.step == Step::Write { megabytes(made.list_len) } else { "-".to_owned() },
            ]);
            if row.name == COLD {
                let what = format!("{corpus}, {COLD}");
                let target = Target::at_most(0.6, 0.6);
                findings.check(&what, "CPU s", target, set, Some(cpu_s));
            }
        }
        findings.tables.push(table);
        let series = series.into_iter().map(|(series, ..)| series).collect();
        findings.raw.push((format!("{corpus}/postings/{set}"), series));
    }
    Ok(())
}

const HEAD: &[&str] = &[
    "row",
    "CPU s",
    "wall s",
    "MB per CPU s",
    "allocations",
    "MB allocated",
    "arena MB, largest shard",
    "lists MB",
];

fn megabytes(len: u64) -> String {
    format!("{:.1}", len as f64 / 1e6)
}

/// Every row in turns; then once more each, with its allocations counted.
fn measure(shards: &[Shard], turn_count: usize) -> Vec<(Series, Made, Asked)> {
    let mut all: Vec<(Series, Made, Asked)> = ROWS
        .iter()
        .map(|row| {
            let series = Series {
                name: row.name.to_owned(),
                samples: Vec::new(),
                output: Digest::default(),
                failure: None,
            };
            (series, Made::default(), Asked::default())
        })
        .collect();
    // Builders that are reused have seen all texts once before.
    let mut kept: Vec<Vec<Grams>> = Vec::new();
    for threads in [1, 2] {
        let mut grams = builders(&shards[0], threads);
        shards.iter().for_each(|shard| construct(shard, &mut grams));
        kept.push(grams);
    }
    for turn in 0..turn_count {
        for (row, (series, made, _)) in ROWS.iter().zip(&mut all) {
            let (one, sample) = run(row, shards, &mut kept[row.threads - 1]);
            eprintln!("  {turn}: {}: {:.0} ms CPU", row.name, sample.cpu_ms);
            series.samples.push(sample);
            *made = one;
        }
    }
    for (row, (_, _, asked)) in ROWS.iter().zip(&mut all) {
        let kept = &mut kept[row.threads - 1];
        *asked = match row.step {
            Step::Build => counted(|| run(row, shards, kept)).1,
            Step::Write => shards.iter().fold(Asked::default(), |sum, shard| {
                construct(shard, kept);
                let (_, asked) = counted(|| write(kept));
                Asked {
                    count: sum.count + asked.count,
                    len: sum.len + asked.len,
                    peak: sum.peak.max(asked.peak),
                    kept: sum.kept + asked.kept,
                }
            }),
        };
    }
    all
}

/// Runs a row over all shards once. `kept` are the builders to reuse.
fn run(row: &Row, shards: &[Shard], kept: &mut [Grams]) -> (Made, Sample) {
    let mut made = Made::default();
    let mut sum = Sample::default();
    let arenas = |grams: &[Grams]| grams.iter().map(Grams::arena_len).sum::<usize>();
    for shard in shards {
        let sample = match (row.step, row.builders) {
            (Step::Build, Builders::New) => {
                // Freeing the memory is part of it.
                let (len, sample) = timed(|| {
                    let mut grams = builders(shard, row.threads);
                    construct(shard, &mut grams);
                    arenas(&grams)
                });
                made.arena_len = made.arena_len.max(len);
                sample
            }
            (Step::Build, Builders::Reused) => timed(|| construct(shard, kept)).1,
            (Step::Write, _) => {
                construct(shard, kept);
                let (len, sample) = timed(|| write(kept));
                made.list_len += len;
                sample
            }
        };
        if row.builders == Builders::Reused {
            made.arena_len = made.arena_len.max(arenas(kept));
        }
        sum.wall_ms += sample.wall_ms;
        sum.cpu_ms += sample.cpu_ms;
    }
    (made, sum)
}

/// New builders with memory for a shard's lists, as the index makes them.
fn builders(shard: &Shard, threads: usize) -> Vec<Grams> {
    let share = Grams::arena_len_for(shard.rune_count()) as usize / threads;
    (0..threads).map(|_| Grams::new(Window::ALL, zeroed(share))).collect()
}

/// Builds a shard's lists, a stretch a builder.
fn construct(shard: &Shard, grams: &mut [Grams]) {
    let stretches = stretches(shard, grams.len());
    std::thread::scope(|scope| {
        let mut work = grams.iter_mut().zip(stretches);
        let own = work.next();
        for (grams, stretch) in work {
            scope.spawn(move || construct_stretch(shard, stretch, grams));
        }
        if let Some((grams, stretch)) = own {
            construct_stretch(shard, stretch, grams);
        }
    });
}

fn construct_stretch(shard: &Shard, stretch: Range<usize>, grams: &mut Grams) {
    grams.reset(Window::ALL);
    let (rune, byte) = (shard.runes[stretch.start], shard.bytes[stretch.start]);
    let mut samples = RuneSamples::starting_at(rune, byte as u32);
    for index in stretch {
        let text = &shard.texts[index];
        grams.add(text, shard.runes[index]);
        samples.add(text, rune_count(text) as u32);
    }
    black_box(samples.offsets());
}

/// Stretches of texts of about equal length, one for each thread.
fn stretches(shard: &Shard, threads: usize) -> Vec<Range<usize>> {
    let count = shard.texts.len();
    let start = |part: usize| {
        let target = shard.len() * part as u64 / threads as u64;
        shard.bytes[..count].partition_point(|start| *start < target)
    };
    let end = |part: usize| if part == threads { count } else { start(part) };
    (0..threads).map(|part| start(part)..end(part + 1)).collect()
}

/// Writes all lists to nowhere; their bytes.
fn write(grams: &[Grams]) -> u64 {
    let joined = Joined::new(grams);
    let mut piece = Vec::with_capacity(PIECE_LEN * 2);
    let mut len = 0;
    for entry in joined.entries() {
        joined.gather(entry.ngram, &mut piece);
        if piece.len() >= PIECE_LEN {
            len += black_box(&piece).len() as u64;
            piece.clear();
        }
    }
    len + black_box(&piece).len() as u64
}
