//! Buckets that Thanos and Mimir wrote: which blocks are read, which are left out and why, beside
//! what these systems say. The example has no chunks; the whole buckets are read where
//! `MANICULE_GOLDEN` names the full set of golden data.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use manicule_format_prometheus::{Interval, Meta, Stats, Ulid};
use manicule_series::query::{Blocks, Work};
use manicule_series::{
    Marked, Opened, SaidBy, Tenant, Why, open_listed_in, open_within_in, summarise_in, tenants_in,
};
use manicule_store::store::{Fetched, LocalStore, MemoryStore, Name, Replace, Store, WriteStore};
use manicule_testkit::{SlowStore, fail_at_every_operation, golden_folder, in_memory};
use serde_json::Value;

use super::fetched;

fn json(path: &Path) -> Value {
    serde_json::from_slice(&fs::read(path).unwrap()).unwrap()
}

/// Names that stand for ULIDs in the answers.
fn named(answers: &Value, ulid: &str) -> String {
    answers["names"][ulid].as_str().unwrap_or(ulid).to_owned()
}

fn words(list: &Value) -> BTreeSet<String> {
    list.as_array().into_iter().flatten().map(|word| word.as_str().unwrap().to_owned()).collect()
}

fn ulid_of(path: &Path) -> String {
    path.components()
        .filter_map(|part| part.as_os_str().to_str())
        .map(|part| part.trim_start_matches("memory:"))
        .find(|part| part.parse::<Ulid>().is_ok())
        .unwrap_or_default()
        .to_owned()
}

/// Names of blocks that are read, left out for their marks, and left out as partial or damaged.
fn shares(opened: &Opened, answers: &Value) -> [BTreeSet<String>; 3] {
    let read = opened.blocks.iter().map(|block| named(answers, &ulid_of(block.path())));
    let [mut marked, mut failed] = [BTreeSet::new(), BTreeSet::new()];
    for left_out in &opened.left_out {
        let name = named(answers, &ulid_of(&left_out.path));
        assert!(left_out.to_string().contains(&ulid_of(&left_out.path)), "{left_out}");
        match &left_out.why {
            Why::Marked(_) => marked.insert(name),
            Why::Failed(_) => failed.insert(name),
            why => panic!("{why:?}"),
        };
    }
    [read.collect(), marked, failed]
}

/// The folders of the buckets with their answers: the example, and the whole ones.
fn buckets() -> Vec<(PathBuf, Option<tempfile::TempDir>)> {
    let example = golden_folder("series", "buckets");
    let mut buckets = vec![(example.path().to_owned(), Some(example))];
    let whole = std::env::var_os("MANICULE_GOLDEN").map(PathBuf::from);
    let whole = whole.and_then(|golden| {
        let folders = [golden.join("buckets"), golden.join("../buckets")];
        folders.into_iter().find(|folder| folder.is_dir())
    });
    match whole {
        Some(folder) => buckets.push((folder, None)),
        None => println!("left out: whole buckets, where MANICULE_GOLDEN is not set"),
    }
    buckets
}

#[test]
fn a_bucket_of_thanos_is_read_as_thanos_reads_it() {
    for (folder, _held) in buckets() {
        let (bucket, kept) = (folder.join("thanos/bucket"), tempfile::tempdir().unwrap());
        let answers = json(&folder.join("thanos/answers/fetcher.json"));
        let opened = open_within_in(&fetched(in_memory(&bucket), kept.path()), None).unwrap();
        let [read, marked, failed] = shares(&opened, &answers);
        assert_eq!(read, words(&answers["deletion_marks_delay_0"]));
        assert_eq!(opened.said_by, SaidBy::default());
        let all = words(&answers["loaded_no_filter"]);
        assert_eq!(marked, all.difference(&read).cloned().collect());
        // Folders without a file are none in a store; that of a name that is no ULID is no block.
        let listed: BTreeSet<String> = in_memory(&bucket)
            .list(&Name::root())
            .unwrap()
            .iter()
            .map(|entry| named(&answers, &entry.name))
            .collect();
        let partial = answers["partial"].as_object().unwrap().keys().cloned().collect();
        let partial: BTreeSet<String> = listed.intersection(&partial).cloned().collect();
        assert!(partial.len() >= 4);
        assert_eq!(failed, partial);
        let marked_too =
            open_listed_in(&fetched(in_memory(&bucket), kept.path()), None, Marked::Read).unwrap();
        assert_eq!(shares(&marked_too, &answers), [all, BTreeSet::new(), partial]);
        // The same of the folder itself.
        let here = open_within_in(&Fetched::local(&bucket), None).unwrap();
        assert_eq!(shares(&here, &answers)[..2], [read, marked]);
    }
}

#[test]
fn a_tenant_of_mimir_is_read_by_its_index_or_by_a_listing() {
    for (folder, _held) in buckets() {
        let bucket = folder.join("mimir/bucket");
        let answers = json(&folder.join("mimir/answers/tenants.json"));
        for (tenant, want) in answers["tenants"].as_object().unwrap() {
            let kept = tempfile::tempdir().unwrap();
            let files = fetched(in_memory(&bucket.join(tenant)), kept.path());
            let opened = open_within_in(&files, None).unwrap();
            if want["tenant_deletion_mark"].is_object() {
                let [left_out] = &opened.left_out[..] else { panic!("{:?}", opened.left_out) };
                assert!(matches!(left_out.why, Why::TenantMarked { time: 1_700_090_000 }));
                assert!(opened.blocks.is_empty());
                continue;
            }
            let [read, marked, failed] = shares(&opened, &answers);
            let by = match (&opened.said_by, want["index_error"].as_str()) {
                (SaidBy::Index { updated_at }, None) => {
                    assert_eq!(want["index"]["updated_at"], *updated_at);
                    "index"
                }
                (SaidBy::Listing { index_error: None }, Some(error)) => {
                    assert!(error.contains("not found"), "{error}");
                    "listing"
                }
                (SaidBy::Listing { index_error: Some(_) }, Some(_)) => "listing",
                other => panic!("{tenant}: {other:?}"),
            };
            let all = words(&want[format!("{by}_blocks")]);
            let marks = words(&want[format!("{by}_deletion_marks")]);
            assert_eq!(read, all.difference(&marks).cloned().collect(), "{tenant}");
            assert_eq!((marked, failed), (marks, BTreeSet::new()), "{tenant}");
        }
    }
}

/// Without its index the tenant is listed: marks are in their own folder, and what is partial or
/// corrupt is named.
#[test]
fn a_tenant_without_an_index_is_listed() {
    for (folder, _held) in buckets() {
        let (own, kept) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let answers = json(&folder.join("mimir/answers/tenants.json"));
        copy(&folder.join("mimir/bucket/team-amber"), own.path());
        fs::remove_file(own.path().join("bucket-index.json.gz")).unwrap();
        let opened = open_within_in(&fetched(in_memory(own.path()), kept.path()), None).unwrap();
        let want = &answers["tenants"]["team-amber"];
        let marks = words(&want["listing_deletion_marks"]);
        let read = words(&want["listing_blocks"]).difference(&marks).cloned().collect();
        let partial = want["listing_partial"].as_object().unwrap().keys().cloned().collect();
        assert_eq!(shares(&opened, &answers), [read, marks, partial]);
    }
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let to = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy(&entry.path(), &to);
        } else {
            fs::write(to, fs::read(entry.path()).unwrap()).unwrap();
        }
    }
}

#[test]
fn tenants_are_folders() {
    for (folder, _held) in buckets() {
        let bucket = folder.join("mimir/bucket");
        let answers = json(&folder.join("mimir/answers/tenants.json"));
        let tenants = tenants_in(&in_memory(&bucket)).unwrap();
        let names: BTreeSet<String> = tenants.iter().map(|tenant| tenant.name.clone()).collect();
        assert_eq!(names, words(&answers["tenants_listed"]));
        let marked = |tenant: &Tenant| tenant.marked_at.is_some();
        let marked: Vec<&Tenant> = tenants.iter().filter(|tenant| marked(tenant)).collect();
        assert!(matches!(marked[..], [Tenant { marked_at: Some(1_700_090_000), .. }]));
        assert_eq!(tenants_in(&LocalStore::at(&bucket)).unwrap(), tenants);
        let kept = tempfile::tempdir().unwrap();
        let error = open_within_in(&fetched(in_memory(&bucket), kept.path()), None).unwrap_err();
        assert!(error.to_string().contains("a bucket of 5 tenants, give one: ops_"), "{error}");
        let thanos = in_memory(&folder.join("thanos/bucket"));
        assert_eq!(tenants_in(&thanos).unwrap(), []);
    }
}

/// Blocks of two hours, one after the other; the third of each ten is marked for deletion.
fn many_blocks(count: i64) -> MemoryStore {
    let golden = golden_folder("series", "golden");
    let block = in_memory(&golden.path().join("blocks/tiny"));
    let name = &block.list(&Name::root()).unwrap()[0].name;
    let read = |file: &str| {
        let mut bytes = Vec::new();
        block.read(&Name::new(&format!("{name}/{file}")).unwrap(), u64::MAX, &mut bytes).unwrap();
        bytes
    };
    let mut meta = Meta::decode(&read("meta.json")).unwrap();
    let store = MemoryStore::new(7);
    let put = |file: &str, bytes: &[u8]| {
        store.put(&Name::new(file).unwrap(), bytes, Replace::Any).unwrap();
    };
    for number in 0..count {
        let id = format!("01HF{number:022}");
        meta.ulid.clone_from(&id);
        (meta.min_time, meta.max_time) = (number * HOURS, (number + 1) * HOURS);
        put(&format!("{id}/meta.json"), &meta.encode());
        for file in ["index", "chunks/000001"] {
            put(&format!("{id}/{file}"), &read(file));
        }
        if number % 10 == 2 {
            let mark = format!(r#"{{"id":"{id}","version":1,"deletion_time":5}}"#);
            put(&format!("{id}/deletion-mark.json"), mark.as_bytes());
        }
    }
    store
}

const HOURS: i64 = 7_200_000;

/// Listings are of hundreds of blocks, only marks that are there are read, and of blocks of other
/// times nothing but their meta file, once.
#[test]
fn a_question_over_many_blocks_opens_those_of_its_times() {
    const COUNT: i64 = 1500;
    let (store, kept) = (many_blocks(COUNT), tempfile::tempdir().unwrap());
    let times = Interval { min_time: 1001 * HOURS, max_time: 1004 * HOURS - 1 };
    let mut asked = Vec::new();
    for _ in 0..2 {
        store.fail(None);
        let opened = open_within_in(&fetched(store.clone(), kept.path()), Some(times)).unwrap();
        let marked: Vec<_> = opened.left_out.iter().map(|out| ulid_of(&out.path)).collect();
        assert_eq!((opened.blocks.len(), marked.len()), (2, COUNT as usize / 10));
        assert!(marked.contains(&format!("01HF{:022}", 1002)));
        assert_eq!(opened.end, Some(COUNT * HOURS));
        asked.push((store.counts().rounds, store.counts().requests));
    }
    // 3 small files, the folder and a page of what is below it; 15 times what lies in 100 blocks;
    // all meta files and 150 marks; the indexes.
    assert_eq!(asked, [(5, 3 + 2 + 15 + 1650 + 2), (2, 3 + 2 + 15)]);
}

#[test]
fn many_blocks_are_summarised_without_their_indexes() {
    let (store, kept) = (many_blocks(300), tempfile::tempdir().unwrap());
    let block = &store.list(&Name::root()).unwrap()[7].name;
    let name = |file: &str| Name::new(&format!("{block}/{file}")).unwrap();
    store.remove(&name("index")).unwrap();
    store.remove(&Name::new("01HF0000000000000000000008/meta.json").unwrap()).unwrap();
    let mut asked = Vec::new();
    for _ in 0..2 {
        store.fail(None);
        let all = summarise_in(&fetched(store.clone(), kept.path())).unwrap();
        asked.push((store.counts().rounds, store.counts().requests));
        let read: Vec<_> = all.iter().filter_map(|one| one.block.as_ref().ok()).collect();
        assert_eq!((all.len(), read.len()), (300, 298));
        assert_eq!(read.iter().filter(|block| !block.marks.is_empty()).count(), 30);
        let first = &read[0];
        let meta = first.meta.as_ref().unwrap();
        assert_eq!((meta.max_time, first.series_count), (HOURS, meta.stats.num_series));
        let len = |file: &str| store.look(&Name::new(file).unwrap()).unwrap().len;
        let first = [first.index_len, first.chunk_len];
        let want = ["index", "chunks/000001"].map(|file| len(&format!("{}/{file}", meta.ulid)));
        assert_eq!(first, want);
    }
    // The folder, 3 times what lies in 100 blocks; 299 meta files and 30 marks.
    assert_eq!(asked, [(3, 1 + 3 + 329), (2, 1 + 3)]);
}

/// Without counts in its meta file a block is opened for them.
#[test]
fn a_block_that_counts_nothing_is_opened_to_be_summarised() {
    let (store, kept) = (many_blocks(2), tempfile::tempdir().unwrap());
    let all = || summarise_in(&fetched(store.clone(), kept.path())).unwrap();
    let want = all()[0].block.as_ref().unwrap().series_count;
    let file = Name::new(&format!("01HF{:022}/meta.json", 0)).unwrap();
    let mut bytes = Vec::new();
    store.read(&file, u64::MAX, &mut bytes).unwrap();
    let meta = Meta { stats: Stats::default(), ..Meta::decode(&bytes).unwrap() };
    store.put(&file, &meta.encode(), Replace::Any).unwrap();
    let uncounted = all();
    assert_eq!(uncounted[0].block.as_ref().unwrap().series_count, want);
    assert!(want > 0);
    let index = Name::new(&format!("01HF{:022}/index", 0)).unwrap();
    store.put(&index, b"no index", Replace::Any).unwrap();
    assert!(all().iter().any(|one| one.block.is_err()));
}

#[test]
fn a_catalogue_costs_few_rounds_and_fails_by_name() {
    let example = golden_folder("series", "buckets");
    let values = |store: &MemoryStore| {
        let kept = tempfile::tempdir().unwrap();
        let opened = open_within_in(&fetched(store.clone(), kept.path()), None);
        let opened = opened.map_err(|error| error.to_string())?;
        let blocks = Blocks::new(&opened.blocks, None);
        let values = blocks.label_values(b"job", &[], &mut Work::default());
        let text = |value: &[u8]| String::from_utf8_lossy(value).into_owned();
        let values = values.map_err(|error| error.to_string())?.into_iter().map(text);
        Ok(values.collect::<Vec<String>>())
    };
    for (bucket, rounds) in [("thanos/bucket", 1), ("mimir/bucket/team-amber", 2)] {
        let store = in_memory(&example.path().join(bucket));
        assert!(!values(&store).unwrap().is_empty());
        fail_at_every_operation(&store, values);
        let kept = tempfile::tempdir().unwrap();
        let slow = std::sync::Arc::new(SlowStore::new(
            std::sync::Arc::new(store),
            std::time::Duration::ZERO,
        ));
        let open = || {
            let disk = manicule_store::Disk::shared();
            let files = Fetched::through(slow.clone(), kept.path(), disk, super::LIMITS);
            open_within_in(&files, None).unwrap()
        };
        open();
        slow.take_counts();
        open();
        assert_eq!(slow.take_counts().rounds, rounds, "{bucket}");
    }
}
