//! Verifying blocks: Prometheus's own are sound, and of damaged ones every damage is found with its
//! place, save what is legal. None makes a reader panic.

mod flips;
mod headers;

use std::fs;
use std::path::{Path, PathBuf};

use manicule_core::findings::Verified;
use manicule_core::watch::Watch;
use manicule_format_prometheus::{PairIndex, crc32c};
use manicule_series::{Block, BlockCounts, verify};
use manicule_testkit::{copy_folder, golden_folder};
use serde_json::Value;

fn verified(path: &Path) -> Verified<BlockCounts> {
    verify(path, 2, &Watch::none()).unwrap()
}

/// The folders of blocks below a folder.
fn blocks(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.join("meta.json").exists() && path.join("chunks").exists() {
            found.push(path);
        } else if path.is_dir() {
            blocks(&path, found);
        }
    }
}

#[test]
fn golden_blocks_are_sound() {
    let golden = golden_folder("series", "golden");
    let mut paths = Vec::new();
    blocks(golden.path(), &mut paths);
    assert!(paths.len() >= 14, "{paths:?}");
    for path in &paths {
        let verified = verified(path);
        assert_eq!(
            (verified.verdict.findings.list, verified.verdict.warnings.list),
            (vec![], vec![]),
            "{}",
            path.display()
        );
        assert!(verified.counts.chunks > 0 && verified.counts.series > 0);
    }
    // A folder of blocks is verified as one.
    let both = verified(&golden.path().join("blocks/gaps"));
    assert_eq!((both.counts.blocks, both.verdict.is_ok()), (2, true));
    match std::env::var_os("MANICULE_GOLDEN") {
        Some(full) => {
            let verified = verified(&Path::new(&full).join("blocks/v1/index_format_v1"));
            assert_eq!(verified.verdict.findings.list, []);
            // The name of its folder, and no more.
            assert_eq!(verified.verdict.warnings.count, 1, "{:?}", verified.verdict.warnings.list);
        }
        None => println!("left out: a block of version 1, where MANICULE_GOLDEN is not set"),
    }
}

/// Reads all there is to read of a block, so that a panic shows.
fn read_all(path: &Path) {
    let Ok(block) = Block::open(path) else { return };
    let index = block.index();
    for pair in (0..index.pair_count()).map(PairIndex) {
        let _ = index.pair(pair);
        let Ok(list) = index.postings(pair) else { continue };
        for series in list.iter().take(1000) {
            let Ok(series) = index.series(series) else { continue };
            series.labels().for_each(drop);
            let Ok(chunks) = series.chunks() else { continue };
            for chunk in chunks.map_while(Result::ok) {
                let Ok(chunk) = block.chunk(chunk.reference) else { continue };
                let Ok(samples) = chunk.open().and_then(|chunk| chunk.samples()) else { continue };
                samples.for_each(drop);
            }
        }
    }
}

/// Makes the edits of a case in a file.
fn damage(path: &Path, edits: &[Value]) {
    let mut bytes = fs::read(path).unwrap();
    for edit in edits {
        let edit = edit.as_array().unwrap();
        let place = |index: usize| {
            let at = edit[index].as_i64().unwrap();
            if at < 0 { bytes.len() - at.unsigned_abs() as usize } else { at as usize }
        };
        match edit[0].as_str().unwrap() {
            "flip" => {
                let at = place(1);
                bytes[at] ^= edit[2].as_u64().unwrap() as u8;
            }
            "set" => {
                let (at, new) = (place(1), unhex(&edit[2]));
                bytes.splice(at..(at + new.len()).min(bytes.len()), new);
            }
            "insert" => {
                let at = place(1);
                bytes.splice(at..at, unhex(&edit[2]));
            }
            "append" => bytes.extend(unhex(&edit[1])),
            "cut" => bytes.truncate(place(1)),
            "crc" => {
                let (at, from, to) = (place(1), place(2), place(3));
                let sum = crc32c(&bytes[from..to]).to_be_bytes();
                bytes[at..at + 4].copy_from_slice(&sum);
            }
            "remove" => return fs::remove_file(path).unwrap(),
            other => panic!("edit {other}"),
        }
    }
    fs::write(path, bytes).unwrap();
}

fn unhex(text: &Value) -> Vec<u8> {
    manicule_core::hex::decode(text.as_str().unwrap()).unwrap()
}

/// Legal, or harmless: every reader takes it.
const LEGAL: [&str; 7] = [
    "header-flip-4",
    "version-3",
    "chunks-padding-nonzero",
    "chunks-append",
    "tombstones-missing",
    "tombstones-unknown-ref-crc",
    "meta-trailing-space",
];

#[test]
fn every_damage_is_found_with_its_place_and_no_reader_panics() {
    let golden = golden_folder("series", "golden");
    let cases = fs::read_to_string(golden.path().join("damage.jsonl")).unwrap();
    let (mut found, mut legal) = (0, 0);
    for line in cases.lines() {
        let case: Value = serde_json::from_str(line).unwrap();
        let text = |key: &str| case[key].as_str().unwrap();
        let (id, block, file) = (text("id"), text("block"), text("file"));
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(Path::new(block).file_name().unwrap());
        copy_folder(&golden.path().join("blocks").join(block), &path);
        damage(&path.join(file), case["edits"].as_array().unwrap());
        read_all(&path);
        let verified = verified(&path);
        let name = id.split_once('-').unwrap().1;
        let is_legal = LEGAL.contains(&name)
            // In this block the first entry just gets another reference that exists as well.
            || id == "tombstones-tombstones-truncated-entry-crc";
        assert_eq!(
            verified.verdict.is_ok(),
            is_legal,
            "{id}: {:#?}",
            verified.verdict.findings.list
        );
        if is_legal {
            legal += 1;
            continue;
        }
        found += 1;
        // The first finding is about the file that was damaged, or about one that no longer agrees
        // with it.
        let first = &verified.verdict.findings.list[0];
        let mentions = |name: &str| first.file.ends_with(name);
        let is_near = match file {
            "index" => mentions("index") || mentions("chunks/000001"),
            "chunks/000001" => mentions("chunks/000001") || mentions("chunks"),
            other => mentions(other),
        };
        assert!(is_near, "{id}: {first}");
        let has_place = first.offset.is_some() || file == "meta.json" || id.ends_with("-missing");
        assert!(has_place, "{id}: {first}");
    }
    assert_eq!((found, legal), (278 - 15, 15));
}

/// Symbols, damaged by a bit, say nothing of any series: that is reported once, and no list is held
/// against it.
#[test]
fn one_flipped_bit_in_the_symbols_is_one_finding() {
    let golden = golden_folder("series", "golden");
    for name in ["api", "k5k", "names"] {
        let folder = golden.path().join("blocks").join(name);
        let block = blocks_of(&folder).remove(0);
        let target = tempfile::tempdir().unwrap();
        let damaged = target.path().join(block.file_name().unwrap());
        copy_folder(&block, &damaged);
        let mut index = fs::read(damaged.join("index")).unwrap();
        index[40] ^= 1;
        let sum =
            crc32c(&index[9..9 + u32::from_be_bytes(index[5..9].try_into().unwrap()) as usize]);
        fs::write(damaged.join("index"), index).unwrap();
        let verified = verified(&damaged);
        let [finding] = &verified.verdict.findings.list[..] else {
            panic!("{:?}", verified.verdict.findings.list)
        };
        assert_eq!(
            (verified.verdict.findings.count, finding.section.as_deref()),
            (1, Some("symbols"))
        );
        assert!(finding.what.starts_with("checksum of the symbol table: wanted "), "{finding}");
        let computed = format!("got {sum:08x} (computed)");
        assert!(
            finding.what.contains("(stored)") && finding.what.ends_with(&computed),
            "{finding}"
        );
        let said = verified
            .verdict
            .warnings
            .list
            .iter()
            .filter(|warning| warning.what.contains("not compared"));
        assert_eq!(said.count(), 1, "{:?}", verified.verdict.warnings.list);
    }
}

fn blocks_of(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    blocks(folder, &mut found);
    found.sort();
    found
}

/// Copies a block under another name, and writes its meta file again with other words in the place
/// of some.
fn renamed(block: &Path, folder: &Path, ulid: &str, changes: &[(&str, &str)]) {
    let target = folder.join(ulid);
    copy_folder(block, &target);
    let old = block.file_name().unwrap().to_str().unwrap();
    let mut meta = fs::read_to_string(target.join("meta.json")).unwrap().replace(old, ulid);
    for (from, to) in changes {
        assert!(meta.contains(from), "{from}: {meta}");
        meta = meta.replacen(from, to, 1);
    }
    fs::write(target.join("meta.json"), meta).unwrap();
}

#[test]
fn blocks_that_overlap_or_are_copies_are_warned_of() {
    let golden = golden_folder("series", "golden");
    let sound = blocks_of(&golden.path().join("blocks/api"));
    let folder = tempfile::tempdir().unwrap();
    for block in &sound {
        copy_folder(block, &folder.path().join(block.file_name().unwrap()));
    }
    assert_eq!(verified(folder.path()).verdict.warnings.list, [], "one after the other");
    let first = sound[0].file_name().unwrap().to_str().unwrap();
    let warned = |ulid: &str, want: &str| {
        let verified = verified(folder.path());
        assert!(verified.verdict.is_ok(), "{:?}", verified.verdict.findings.list);
        let said = verified
            .verdict
            .warnings
            .list
            .iter()
            .find(|warning| warning.file.ends_with(ulid))
            .unwrap();
        assert!(said.what.contains(want) && said.what.contains(first), "{said}");
        fs::remove_dir_all(folder.path().join(ulid)).unwrap();
    };
    let other = "01M7YV9DZZZZZZZZZZZZZZZZZZ";
    renamed(&sound[0], folder.path(), other, &[]);
    warned(other, "a copy of");
    let one = fs::read_to_string(sound[0].join("meta.json")).unwrap();
    let min_time = one.lines().find(|line| line.contains("\"minTime\"")).unwrap();
    let time: i64 = min_time.trim_matches(|c: char| !c.is_ascii_digit()).parse().unwrap();
    let earlier = min_time.replace(&time.to_string(), &(time - 1).to_string());
    renamed(&sound[0], folder.path(), other, &[(min_time, &earlier)]);
    // Now the one that was there begins later than the other.
    let verified_now = verified(folder.path());
    let said = &verified_now.verdict.warnings.list[0];
    assert!(
        said.file.ends_with(first) && said.what.contains(&format!("overlaps in time with {other}")),
        "{said}"
    );
    fs::remove_dir_all(folder.path().join(other)).unwrap();
    let child = [
        ("\"level\": 1", "\"level\": 2"),
        (min_time, &*earlier),
        (&*format!("\"{other}\"\n\t\t]"), &*format!("\"{first}\"\n\t\t]")),
    ];
    renamed(&sound[0], folder.path(), other, &child);
    let said = &verified(folder.path()).verdict.warnings.list[0];
    assert!(said.what.contains("twice in the folder") && said.what.contains(other), "{said}");
}

/// Of a damaged index nothing is said of chunks that it doesn't name any more; they are read by
/// themselves.
#[test]
fn chunks_of_a_damaged_index_are_not_said_to_belong_to_nobody() {
    let golden = golden_folder("series", "golden");
    let source = blocks_of(&golden.path().join("blocks/tiny")).remove(0);
    type Change = fn(&Path);
    let changes: [(&str, Change); 4] = [
        ("empty", |index| fs::write(index, b"").unwrap()),
        ("cut", |index| fs::write(index, &fs::read(index).unwrap()[..300]).unwrap()),
        ("absent", |index| fs::remove_file(index).unwrap()),
        ("a damaged series", |index| {
            let mut bytes = fs::read(index).unwrap();
            bytes[70] ^= 1;
            fs::write(index, bytes).unwrap();
        }),
    ];
    for (name, change) in changes {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(source.file_name().unwrap());
        copy_folder(&source, &path);
        change(&path.join("index"));
        let Verified { verdict, counts } = verified(&path);
        assert!(!verdict.is_ok(), "{name}");
        let said: Vec<String> = verdict.warnings.list.iter().map(ToString::to_string).collect();
        assert!(
            !said.iter().any(|warning| warning.contains("belong to no series")),
            "{name}: {said:?}"
        );
        let compared = said.iter().filter(|warning| warning.contains("not all compared"));
        assert_eq!(compared.count(), 1, "{name}: {said:?}");
        assert!(counts.chunks >= 2, "{name}: {} chunks", counts.chunks);
    }
}

#[test]
fn marks_and_logs_are_told_and_a_marked_copy_is_no_copy() {
    let golden = golden_folder("series", "golden");
    let sound = blocks_of(&golden.path().join("blocks/tiny")).remove(0);
    let folder = tempfile::tempdir().unwrap();
    let [first, other] =
        [sound.file_name().unwrap().to_str().unwrap(), "01M7YV9DZZZZZZZZZZZZZZZZZZ"];
    copy_folder(&sound, &folder.path().join(first));
    renamed(&sound, folder.path(), other, &[]);
    let warned = || {
        let verdict = verified(folder.path()).verdict;
        assert_eq!(verdict.findings.list, []);
        verdict.warnings.list.iter().map(ToString::to_string).collect::<Vec<_>>()
    };
    assert!(warned()[0].contains("a copy of"), "{:?}", warned());
    let mark = format!(r#"{{"id":"{other}","version":1,"details":"compacted","deletion_time":1}}"#);
    let file = folder.path().join(other).join("deletion-mark.json");
    fs::write(&file, &mark).unwrap();
    let [only] = &warned()[..] else { panic!("{:?}", warned()) };
    assert!(only.contains("marked for deletion: compacted"), "{only}");
    fs::create_dir(folder.path().join("wal")).unwrap();
    fs::write(folder.path().join("wal/00000000"), b"record").unwrap();
    assert!(warned().iter().any(|warning| warning.contains("what only this log has")));
    for wrong in [mark.replace(other, first), "{}".to_owned()] {
        fs::write(&file, wrong).unwrap();
        assert!(
            verified(folder.path()).verdict.findings.list[0].file.ends_with("deletion-mark.json")
        );
    }
}

#[test]
fn a_missing_file_of_chunks_is_one_finding() {
    let golden = golden_folder("series", "golden");
    let source = blocks_of(&golden.path().join("blocks/tiny")).remove(0);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(source.file_name().unwrap());
    copy_folder(&source, &path);
    fs::rename(path.join("chunks/000001"), path.join("chunks/000002")).unwrap();
    let findings = verified(&path).verdict.findings;
    let want = "000001 is missing: the index names 3 chunks in it, the first of series 4";
    assert!(findings.count == 1 && findings.list[0].what == want, "{:?}", findings.list);
}
