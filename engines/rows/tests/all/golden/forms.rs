//! Other forms of dumps beside sstabledump's: keys alone, a line a row, chosen partitions.

use std::fs;

use manicule_format_sstable::{DumpForm, DumpLayout};
use manicule_rows::scan::Selection;
use manicule_rows::table::{Access, Sstable};
use manicule_store::pages::SystemCache;
use manicule_testkit::golden_folder;

use crate::golden::support::{Golden, dump_text, open};

const NOW: i64 = 1_794_000_000;

fn text(sstable: &Sstable, layout: DumpLayout, selection: &Selection) -> String {
    let form = DumpForm { layout, ..DumpForm::of(sstable.version(), NOW) };
    dump_text(sstable, form, selection)
}

fn check(got: &str, want: &str, shown: &str) {
    let differs = got.lines().zip(want.lines()).find(|(got, want)| got != want);
    assert!(got == want, "{shown}: {differs:?}, {} and {} bytes", got.len(), want.len());
}

#[test]
fn keys_and_lines_are_those_of_sstabledump() {
    let (golden, forms) = (Golden::new(), golden_folder("rows", "forms"));
    let mut count = 0;
    for version in ["me", "na", "nb", "pa", "da"] {
        for entry in fs::read_dir(forms.path().join("forms").join(version)).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_str().unwrap();
            let (table, layout) = match name.split_once('.').unwrap() {
                (table, "lines.txt") => (table, DumpLayout::Lines),
                (table, "keys.txt") => (table, DumpLayout::Keys),
                _ => continue,
            };
            let Some(folder) = golden.table(version, table) else { continue };
            let want = fs::read_to_string(&path).unwrap();
            for access in [Access::Mapped, Access::Positioned(SystemCache::Used)] {
                let got = text(&open(&folder, access)[0], layout, &Selection::All);
                check(&got, &want, &format!("{version}/{name}"));
            }
            count += 1;
        }
    }
    println!("{count} forms compared");
    assert!(count > 15, "{count}");
}

#[test]
fn chosen_partitions_are_those_of_sstabledump() {
    let (golden, forms) = (Golden::new(), golden_folder("rows", "forms"));
    let folder = golden.table("me", "mixed").unwrap();
    let key = |number: i32| number.to_be_bytes().to_vec();
    let want = fs::read_to_string(forms.path().join("forms/me/mixed.only-5-3.json")).unwrap();
    for access in [Access::Mapped, Access::Positioned(SystemCache::Used)] {
        let sstables = open(&folder, access);
        let only = Selection::Only(vec![key(3), key(5), key(1234), key(5)]);
        check(&text(&sstables[0], DumpLayout::Json, &only), &want, "-k 3 -k 5");
        let none = text(&sstables[0], DumpLayout::Json, &Selection::Only(vec![key(1234)]));
        assert_eq!(none, "[ ]");
    }
}

/// Partitions that are left out, against those of the whole dump, in every kind of index.
#[test]
fn partitions_that_are_left_out_are_passed_over() {
    let golden = Golden::new();
    for (version, table) in [("me", "mixed"), ("pa", "mixed"), ("ea", "mixed"), ("ea", "wide")] {
        let Some(folder) = golden.table(version, table) else { continue };
        let sstable = &open(&folder, Access::Mapped)[0];
        let read = |layout, selection: &Selection| text(sstable, layout, selection);
        let lines = read(DumpLayout::Lines, &Selection::All);
        let keys: Vec<Vec<String>> =
            serde_json::from_str(&read(DumpLayout::Keys, &Selection::All)).unwrap();
        let bytes = |key: &[String]| sstable.header().key.read_plain_key(&key[0]).unwrap();
        for left_out in [&keys[..1], &keys[1..], &keys[keys.len() - 1..], &keys[..]] {
            let without = Selection::Without(left_out.iter().map(|key| bytes(key)).collect());
            let is_in = |line: &&str| {
                left_out.iter().all(|key| !line.starts_with(&format!("[{}]@", key[0])))
            };
            let want: Vec<&str> = lines.lines().filter(is_in).collect();
            let got = read(DumpLayout::Lines, &without);
            assert_eq!(got.lines().collect::<Vec<_>>(), want, "{version}/{table}: {left_out:?}");
        }
    }
}
