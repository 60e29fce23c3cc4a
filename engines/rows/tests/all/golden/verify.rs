//! Verification: nothing is wrong with any golden table, and each kind of damage is found where it
//! is.

mod cases;

use std::fs;
use std::path::{Path, PathBuf};

use manicule_core::findings::{FileFinding, Verified};
use manicule_core::watch::Watch;
use manicule_format_sstable::Component;
use manicule_rows::RowsError;
use manicule_rows::table::{Access, Listed, Sstable, list_all};
use manicule_rows::verify::{Depth, SstableCounts, verify};
use manicule_store::context::Budget;
use manicule_store::pages::{ReadCounts, Reading};
use tempfile::TempDir;

use crate::golden::support::{Golden, options};
use cases::CASES;

/// Memory that a verification may hold: a read of 1 MiB and what was left of the one before.
const MEMORY_BYTES_MAX: u64 = 3 << 20;

fn reading<T>(job: impl FnOnce(&mut Reading<'_>) -> T) -> T {
    let (mut counts, budget) = (ReadCounts::default(), Budget::new(MEMORY_BYTES_MAX));
    job(&mut Reading { counts: &mut counts, budget: &budget })
}

fn verified(listed: &Listed, depth: Depth) -> Result<Verified<SstableCounts>, RowsError> {
    let options = options(Access::Mapped);
    reading(|reading| verify(listed, depth, &options, reading, &Watch::none()))
}

/// A copy of a table of one SSTable, to be damaged.
struct Copy {
    folder: TempDir,
    listed: Listed,
}

impl Copy {
    fn of(folder: &Path) -> Copy {
        let copy = tempfile::tempdir().unwrap();
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let bytes = fs::read(&path).unwrap();
            fs::write(copy.path().join(path.file_name().unwrap()), bytes).unwrap();
        }
        let listed = list_all(copy.path()).unwrap().remove(0);
        Copy { folder: copy, listed }
    }

    fn path(&self, component: &Component) -> PathBuf {
        self.listed.path(component)
    }

    fn edit(&self, component: &Component, edit: impl FnOnce(&mut Vec<u8>)) {
        let mut bytes = fs::read(self.path(component)).unwrap();
        edit(&mut bytes);
        fs::write(self.path(component), bytes).unwrap();
    }

    fn remove(&self, component: &Component) {
        fs::remove_file(self.path(component)).unwrap();
    }

    /// Makes the digest agree with the data again.
    fn digest(&self) {
        let sum = crc32fast::hash(&fs::read(self.path(&Component::Data)).unwrap());
        fs::write(self.path(&Component::Digest), sum.to_string()).unwrap();
    }

    /// Makes CRC.db and the digest agree with the data again.
    fn sums(&self) {
        let mut sums = 65_536_u32.to_be_bytes().to_vec();
        for chunk in fs::read(self.path(&Component::Data)).unwrap().chunks(65_536) {
            sums.extend_from_slice(&crc32fast::hash(chunk).to_be_bytes());
        }
        fs::write(self.path(&Component::Crc), sums).unwrap();
        self.digest();
    }

    fn verified(&self, depth: Depth) -> Verified<SstableCounts> {
        let listed = list_all(self.folder.path()).unwrap().remove(0);
        verified(&listed, depth).unwrap()
    }
}

fn shown(findings: &[FileFinding]) -> String {
    findings.iter().map(|finding| format!("{finding}\n")).collect()
}

#[test]
fn sound_tables_have_no_findings_in_any_version() {
    let golden = Golden::new();
    let (mut versions, mut counts) = (Vec::new(), SstableCounts::default());
    for folder in golden.folders() {
        for listed in list_all(&folder).unwrap() {
            for depth in [Depth::Quick, Depth::Whole] {
                let Verified { verdict, counts: part } = verified(&listed, depth).unwrap();
                let title = format!("{folder:?} {depth:?}");
                assert_eq!(verdict.findings.count, 0, "{title}: {}", shown(&verdict.findings.list));
                assert_eq!(verdict.warnings.count, 0, "{title}: {}", shown(&verdict.warnings.list));
                if depth == Depth::Whole {
                    counts.add(&part);
                }
            }
            versions.push(listed.descriptor.version.letters());
        }
    }
    versions.sort_unstable();
    versions.dedup();
    println!("{versions:?} {counts:?}");
    assert!(versions.len() >= 9, "{versions:?}");
    assert!(counts.sstables > 40 && counts.rows > 5_000 && counts.blocks > 40, "{counts:?}");
}

#[test]
fn each_damage_is_found_where_it_is() {
    let golden = Golden::new();
    for case in CASES {
        let Some(folder) = golden.table(case.version, case.table) else {
            panic!("{}: every case is of a table that is kept with the project", case.name)
        };
        let copy = Copy::of(&folder);
        (case.damage)(&copy);
        for depth in [Depth::Quick, Depth::Whole] {
            let verdict = copy.verified(depth).verdict;
            if depth == Depth::Quick && !case.is_quick {
                continue;
            }
            let (list, is_right) = if case.is_warning {
                (&verdict.warnings.list, verdict.findings.count == 0)
            } else {
                (&verdict.findings.list, verdict.findings.count > 0)
            };
            let (component, words) = case.want;
            let is_it = |finding: &FileFinding| {
                finding.file.ends_with(component) && finding.what.contains(words)
            };
            let is_found = list.iter().any(is_it);
            let all = shown(&verdict.findings.list) + &shown(&verdict.warnings.list);
            assert!(is_right && is_found, "{} {depth:?}: {all}", case.name);
        }
    }
}

#[test]
fn what_cassandras_verifier_accepts_is_right() {
    let golden = Golden::new();
    let Some(folder) = golden.table("me", "mixed") else { return };
    /// A damage, and the number of its warnings.
    type Damage = (fn(&Copy), u64);
    let damages: [Damage; 3] = [
        // The checksum of an empty last piece, as nodes of 3.11 write it.
        (|copy| copy.edit(&Component::Crc, |bytes| bytes.extend_from_slice(&[0; 4])), 0),
        (|copy| copy.remove(&Component::Digest), 1),
        (
            |copy| {
                let gone = [Component::Digest, Component::Filter, Component::Summary];
                gone.iter().for_each(|component| copy.remove(component));
            },
            3,
        ),
    ];
    for (number, (damage, warnings)) in damages.into_iter().enumerate() {
        let copy = Copy::of(&folder);
        damage(&copy);
        for depth in [Depth::Quick, Depth::Whole] {
            let verdict = copy.verified(depth).verdict;
            let shown = shown(&verdict.findings.list) + &shown(&verdict.warnings.list);
            let counts = (verdict.findings.count, verdict.warnings.count);
            assert_eq!(counts, (0, warnings), "{number} {depth:?}: {shown}");
        }
    }
}

/// Flips a bit in every few bytes of a component, and returns how many of the damages are found.
fn found_of(copy: &Copy, component: &Component, depth: Depth, seal: fn(&Copy)) -> (usize, usize) {
    let sound = fs::read(copy.path(component)).unwrap();
    let (mut found, mut count) = (0, 0);
    for at in (0..sound.len()).step_by(sound.len() / 40 + 1) {
        copy.edit(component, |bytes| bytes[at] ^= 0x10);
        seal(copy);
        let listed = list_all(copy.folder.path()).unwrap().remove(0);
        // A compressor that is not known is refused, not found.
        let is_found = verified(&listed, depth)
            .is_ok_and(|it| it.verdict.findings.count + it.verdict.warnings.count > 0);
        found += usize::from(is_found);
        count += 1;
        fs::write(copy.path(component), &sound).unwrap();
    }
    seal(copy);
    (found, count)
}

#[test]
fn each_flipped_bit_is_found_where_something_is_compared_with_it() {
    let golden = Golden::new();
    for (version, table) in [("me", "mixed"), ("me", "wide"), ("nb", "zstd"), ("ea", "wide")] {
        let Some(folder) = golden.table(version, table) else { continue };
        let copy = Copy::of(&folder);
        for component in [Component::Data, Component::Crc, Component::Digest, Component::Index] {
            if !copy.path(&component).exists() {
                continue;
            }
            let (found, count) = found_of(&copy, &component, Depth::Whole, |_| {});
            assert_eq!(found, count, "{version}/{table} {component}");
        }
        // Of these some bytes say nothing that anything else says too.
        for component in [Component::Partitions, Component::Rows, Component::CompressionInfo] {
            if copy.path(&component).exists() {
                let (found, count) = found_of(&copy, &component, Depth::Whole, |_| {});
                assert!(found * 2 >= count, "{version}/{table} {component}: {found} of {count}");
            }
        }
    }
}

#[test]
fn rows_are_read_whatever_they_hold_when_no_checksum_objects() {
    let golden = Golden::new();
    for (version, table) in [("me", "mixed"), ("me", "types"), ("me", "udt"), ("ea", "comp")] {
        let Some(folder) = golden.table(version, table) else { continue };
        let copy = Copy::of(&folder);
        let (found, count) = found_of(&copy, &Component::Data, Depth::Whole, Copy::sums);
        // A value may be any: nobody else knows it.
        println!("{version}/{table}: {found} of {count}");
        assert!(found > 0, "{version}/{table}");
        assert!(copy.verified(Depth::Whole).verdict.is_ok());
    }
}

#[test]
fn partitions_after_a_damaged_one_are_still_verified() {
    let golden = Golden::new();
    let Some(folder) = golden.table("me", "small") else { return };
    let copy = Copy::of(&folder);
    let sound = copy.verified(Depth::Whole).counts.partitions;
    // The first partition's first flags.
    copy.edit(&Component::Data, |bytes| {
        let key_len = usize::from(u16::from_be_bytes([bytes[0], bytes[1]]));
        bytes[2 + key_len + 12] = 0x03;
    });
    copy.sums();
    let Verified { verdict, counts } = copy.verified(Depth::Whole);
    assert_eq!(verdict.findings.count, 1, "{}", shown(&verdict.findings.list));
    assert_eq!(counts.partitions, sound);
}

#[test]
fn sums_of_64_kib_are_compared_for_a_range_alone() {
    let golden = Golden::new();
    let Some(folder) = golden.table("me", "mixed") else { return };
    let copy = Copy::of(&folder);
    let check = |range| {
        let options = options(Access::Mapped);
        reading(|reading| {
            Sstable::open(&copy.listed, &options, reading)?.check_sums(range, reading)
        })
    };
    assert!(check(0..10).is_ok() && check(11_000..11_937).is_ok());
    copy.edit(&Component::Data, |bytes| bytes[5_000] ^= 4);
    let error = check(0..10).unwrap_err();
    assert!(error.to_string().contains("me-1-big-Data.db"), "{error}");
    assert!(check(0..0).is_ok());
}
