//! Dumps of whole tables beside sstabledump's, byte by byte.

use std::fs;
use std::io::Read;
use std::path::Path;

use flate2::read::GzDecoder;
use manicule_format_sstable::DumpForm;
use manicule_rows::scan::Selection;
use manicule_rows::table::Access;
use manicule_sstables::first_difference;

use crate::golden::support::{Golden, dump_text, open};

/// The day on which the golden dumps were made: what had expired by then.
const NOW: i64 = 1_794_000_000;

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

#[test]
fn dumps_are_those_of_sstabledump() {
    let golden = Golden::new();
    let (mut count, mut differ) = (0, Vec::new());
    for folder in golden.folders() {
        for sstable in open(&folder, Access::Mapped) {
            let Some(want) = dumped(&folder, &sstable.descriptor().generation) else { continue };
            let form = DumpForm::of(sstable.version(), NOW);
            let got = dump_text(&sstable, form, &Selection::All);
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
