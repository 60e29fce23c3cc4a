//! Dumps of whole tables beside sstabledump's, byte by byte.

use std::fs;
use std::io::Read;
use std::path::Path;

use flate2::read::GzDecoder;
use manicule_core::watch::Watch;
use manicule_format_sstable::DumpForm;
use manicule_rows::RowsError;
use manicule_rows::scan::dump;
use manicule_rows::table::{Access, Sstable};
use manicule_store::pages::{Budget, ReadCounts, Reading};

use crate::support::{Golden, open};

/// The day on which the golden dumps were made: what had expired by then.
const NOW: i64 = 1_794_000_000;
/// Memory that a dump may hold beside its text.
const MEMORY_BYTES_MAX: u64 = 3 << 20;

/// The text of sstabledump beside an SSTable, if it made one.
fn dumped(folder: &Path, generation: &str) -> Option<String> {
    [format!("dump-{generation}.json"), "dump.json".to_owned()].iter().find_map(|name| {
        if let Ok(text) = fs::read_to_string(folder.join(name)) {
            return Some(text);
        }
        let packed = fs::File::open(folder.join(format!("{name}.gz"))).ok()?;
        let mut text = String::new();
        GzDecoder::new(packed).read_to_string(&mut text).expect("gzip");
        Some(text)
    })
}

fn text(sstable: &Sstable) -> String {
    let (mut counts, budget) = (ReadCounts::default(), Budget::new(MEMORY_BYTES_MAX));
    let mut reading = Reading { counts: &mut counts, budget: &budget };
    let form = DumpForm::of(sstable.version(), NOW);
    let mut text = String::new();
    dump(sstable, form, &mut reading, &Watch::none(), |part| {
        text.push_str(part);
        Ok::<(), RowsError>(())
    })
    .expect("a sound table");
    text
}

/// The first line that differs.
fn first_difference(got: &str, want: &str) -> String {
    let lines = (1..).zip(got.lines().zip(want.lines()));
    let differs = lines.into_iter().find(|(_, (got, want))| got != want);
    differs.map_or("one ends earlier".into(), |(line, (got, want))| {
        format!("line {line}:\n  got  {got}\n  want {want}")
    })
}

#[test]
fn dumps_are_those_of_sstabledump() {
    let golden = Golden::new();
    let (mut count, mut differ) = (0, Vec::new());
    for folder in golden.folders() {
        for sstable in open(&folder, Access::Mapped) {
            let Some(want) = dumped(&folder, &sstable.descriptor().generation) else { continue };
            let got = text(&sstable);
            count += 1;
            if got != want {
                differ.push(format!("{}: {}", folder.display(), first_difference(&got, &want)));
            }
        }
    }
    println!("{count} dumps compared");
    assert!(count > 20, "{count} dumps");
    assert!(differ.is_empty(), "{} of {count}:\n{}", differ.len(), differ.join("\n"));
}
