//! The id maps by themselves: 5 million random ids, asked one after the other, one by the other's
//! answer, and many at once.

use std::ffi::{OsStr, OsString};
use std::hint::black_box;

use anyhow::{Result, ensure};
use manicule_core::idmap::{Entry, Frozen, Growing, IdBytes, Lookup, Seed, Verify, freeze};
use manicule_testkit::Rng;

use super::index::{Row, Work, random_id};
use super::{Bench, KIND};
use crate::figures::{self, Figures, repeated};
use crate::findings::Findings;
use crate::table::{Table, Target, tenth};

const USAGE: &str = "usage: manicule-bench blobs map [--count N] [--turns N]

Asks the id maps of N random ids, and says what one id took, one JSON object a line.";

/// The rows of restic's map of ids.
pub(super) const OF_RESTIC: [Row; 1] = [Row { name: "IndexMapHash", run: hash }];

/// Ids of the maps, and those that are asked.
const COUNT: u32 = 5_000_000;
const ASKED_COUNT: usize = 1_000_000;
/// Bytes of a value: pack, offset, length, length of the plaintext.
const VALUE_LEN: usize = 16;

const NOTE: &str = "CPU time of an id, ns, least of all turns. 5 million random ids with values of 16 bytes, of which a million in \
    random order are asked, or as many that are not there. Known by the answer before: which id is asked depends on the value \
    found, so that nothing overlaps. The figures to reach are those of the prototypes of the peers' study, measured on \
    another day: 41 ns for known ids, 22.6 in batches, times 1.3.";

/// ns of an id, of known ones and in batches.
const TARGETS: [(&str, f64); 2] = [("known", 53.3), ("known, batch", 29.4)];

fn hash(work: &Work) -> Result<Vec<Figures>> {
    let mut rng = Rng::new(1);
    let ids: [IdBytes; 128] = std::array::from_fn(|_| random_id(&mut rng));
    let seed = Seed::new(rng.bits());
    let row = repeated("IndexMapHash", work.turn_count, || {
        for id in &ids {
            black_box(seed.hash(black_box(id)));
        }
        Ok(())
    })?;
    Ok(vec![row])
}

/// The command `blobs map`.
pub(super) fn command(words: Vec<OsString>) -> Result<()> {
    use lexopt::prelude::*;
    let (mut count, mut turn_count) = (COUNT, 1);
    let mut parser = lexopt::Parser::from_args(words);
    while let Some(word) = parser.next()? {
        match word {
            Long("count") => count = parser.value()?.parse()?,
            Long("turns") => turn_count = parser.value()?.parse()?,
            Long("help") | Short('h') => {
                println!("{USAGE}");
                return Ok(());
            }
            _ => return Err(word.unexpected().into()),
        }
    }
    measured(count, turn_count)?.iter().try_for_each(Figures::say)
}

/// What is asked of the maps.
struct Ids {
    known: Vec<IdBytes>,
    unknown: Vec<IdBytes>,
}

fn measured(count: u32, turn_count: usize) -> Result<Vec<Figures>> {
    ensure!(count > 0, "a map of no ids can't be asked");
    let mut rng = Rng::new(1);
    let mut entries: Vec<Entry<[u8; VALUE_LEN]>> = (0..count)
        .map(|number| {
            let mut value = [0; VALUE_LEN];
            value[..4].copy_from_slice(&number.to_le_bytes());
            Entry { id: random_id(&mut rng), value }
        })
        .collect();
    let known = |rng: &mut Rng| entries[rng.below(count as usize)].id;
    let asked_count = ASKED_COUNT.min(count as usize);
    let ids = Ids {
        known: (0..asked_count).map(|_| known(&mut rng)).collect(),
        unknown: (0..asked_count).map(|_| random_id(&mut rng)).collect(),
    };
    let mut rows = Vec::new();
    let mut growing = Growing::with_capacity(Seed::new(rng.bits()), count as usize)?;
    growing.extend(&entries)?;
    rows.extend(asked("Growing", &growing, growing.memory(), &ids, turn_count)?);
    drop(growing);
    entries.sort_unstable_by_key(|entry| entry.id);
    let rows_of = entries.iter().map(|entry| (&entry.id, entry.value));
    let bytes = freeze::<VALUE_LEN>(entries.len(), rows_of)?;
    drop(entries);
    let frozen = Frozen::<_, VALUE_LEN>::open(&bytes, count, Verify::Directory)?;
    rows.extend(asked("Frozen", &frozen, bytes.len(), &ids, turn_count)?);
    Ok(rows)
}

/// The rows of a map.
fn asked<M>(name: &str, map: &M, bytes: usize, ids: &Ids, turn_count: usize) -> Result<Vec<Figures>>
where
    M: Lookup<Value = [u8; VALUE_LEN]>,
{
    let single = |ids: &[IdBytes]| ids.iter().filter_map(|id| map.first(id)).count();
    let batch = |ids: &[IdBytes]| {
        let mut found = 0;
        map.find_each(ids, |_, number| found += usize::from(number.is_some()));
        found
    };
    // The value is mixed into which id comes next; the number of look-ups stays.
    let chained = |ids: &[IdBytes]| {
        let (mut found, mut next) = (0, 0);
        for at in 0..ids.len() {
            let value = map.first(&ids[(at + next) % ids.len()]);
            next = value.map_or(0, |value| usize::from(value[0] & 1));
            found += usize::from(value.is_some());
        }
        found
    };
    let all = |_: &[IdBytes]| map.iter().fold(0, |count, entry| count + black_box((1, entry)).0);
    let turns = |what: &str, ids: &[IdBytes], want: usize, ask: &dyn Fn(&[IdBytes]) -> usize| {
        let row = format!("{name}, {what}");
        let mut figures = repeated(&row, turn_count, || {
            let got = ask(black_box(ids));
            ensure!(got == want, "{row}: {got} ids are known, wanted {want}");
            Ok(())
        })?;
        let share = if what == "each" { map.len() as usize } else { ids.len() };
        let times = figures.cpu_us.iter_mut().chain(&mut figures.wall_us);
        times.for_each(|all| *all /= share as f64);
        figures.kept_bytes = bytes as i64;
        figures.count = map.len().into();
        Ok::<Figures, anyhow::Error>(figures)
    };
    let Ids { known, unknown } = ids;
    Ok(vec![
        turns("known", known, known.len(), &single)?,
        turns("known, by the answer before", known, known.len(), &chained)?,
        turns("known, batch", known, known.len(), &batch)?,
        turns("unknown", unknown, 0, &single)?,
        turns("unknown, batch", unknown, 0, &batch)?,
        turns("each", known, map.len() as usize, &all)?,
    ])
}

/// The table of the maps.
pub(super) fn rows(bench: &Bench<'_>, findings: &mut Findings) -> Result<()> {
    let turn_count = bench.turn_count.to_string();
    let words = ["map", "--turns", &turn_count].map(OsStr::new);
    let rows = figures::of_ours(KIND.name, &words)?;
    let head = ["map, ids", "CPU ns", "bytes an entry"];
    let mut table = Table::new("Maps of 5,000,000 ids", NOTE, &head);
    for row in &rows {
        let ns = row.cpu_ms().map(|ms| ms * 1e6);
        let per_entry = row.kept_bytes as f64 / row.count as f64;
        table.row(vec![row.row.clone(), tenth(ns), tenth(Some(per_entry))]);
        for (what, most) in TARGETS {
            if row.row == format!("Growing, {what}") {
                let target = Target::at_most(most, most / 1.3);
                findings.check("ids by look-ups", "CPU ns", target, &row.row, ns);
            }
        }
    }
    findings.tables.push(table);
    findings.raw.push(("map".to_owned(), rows.iter().map(|row| row.series("ours")).collect()));
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_finds_what_is_there() {
        let rows = measured(3000, 1).unwrap();
        assert_eq!(rows.len(), 12);
        assert!(rows.iter().all(|row| row.cpu_us[0] >= 0.0 && row.count == 3000));
    }
}
