//! Partitions.db and Rows.db beside Data.db: each key found, each separator where it separates, and
//! what damage does.

use manicule_core::bytes::{DecodeError, mix};
use manicule_format_sstable::{
    Component, Deletion, FOOTER_LEN, Floor, Footer, Header, Lookup, PartitionPayload,
    PartitionPlace, Payload, PrefixKind, RowPayload, RowsEntry, Step, TriePage, TrieWalk, Until,
    Version, WalkFrom, put_partition_key, put_prefix,
};

use crate::murmur::{murmur3, token};
use crate::support::Tables;
use crate::walked::{Item, Partition, walk};

/// Longest path: those of keys of 64 KiB have twice as many bytes at most.
const PATH_LEN_MAX: usize = 1 << 18;

/// The files of one table's tries.
struct Tries {
    title: String,
    version: Version,
    header: Header,
    partitions: Vec<u8>,
    rows: Vec<u8>,
}

fn each(mut check: impl FnMut(&Tries, &[Partition])) -> usize {
    let mut count = 0;
    for table in &Tables::all().list {
        let (Some(data), Some(partitions)) = (table.data(), table.read(&Component::Partitions))
        else {
            continue;
        };
        let (title, header) = (table.title(), table.header());
        let rows = table.component(&Component::Rows);
        let walked = walk(&data, &header).expect("it was read before");
        let version = table.descriptor.version;
        check(&Tries { title, version, header, partitions, rows }, &walked);
        count += 1;
    }
    count
}

fn footer(file: &[u8]) -> Footer {
    let bytes = file.last_chunk::<FOOTER_LEN>().expect("a footer");
    Footer::read(*bytes, file.len() as u64).expect("a footer")
}

/// Paths and payloads of a trie in order.
fn entries<'a>(
    file: &'a [u8],
    root: u64,
    from: WalkFrom<'_>,
) -> Result<Vec<(Vec<u8>, Payload<'a>)>, DecodeError> {
    let mut walk = TrieWalk::new(root, from, PATH_LEN_MAX);
    let mut entries = Vec::new();
    while let Some(number) = walk.page() {
        if let Step::Found(payload) = walk.step(TriePage::of(file, number))? {
            entries.push((walk.path().to_vec(), payload));
        }
        // A damaged one may lead to a node by many ways.
        if entries.len() > file.len() {
            break;
        }
    }
    Ok(entries)
}

fn lookup<'a>(file: &'a [u8], root: u64, key: &[u8]) -> Option<Payload<'a>> {
    let mut search = Lookup::new(root, key);
    let mut number = search.first_page();
    loop {
        match search.step(TriePage::of(file, number)).expect("a sound trie") {
            Step::Page(next) => number = next,
            Step::Found(payload) => return Some(payload),
            Step::Absent => return None,
        }
    }
}

fn floor<'a>(
    file: &'a [u8],
    root: u64,
    key: &[u8],
    until: Until,
) -> Option<(Vec<u8>, Payload<'a>)> {
    let mut search = Floor::new(root, key, until);
    let mut number = search.first_page();
    loop {
        match search.step(TriePage::of(file, number)).expect("a sound trie") {
            Step::Page(next) => number = next,
            Step::Found(payload) => return Some((search.path().to_vec(), payload)),
            Step::Absent => return None,
        }
    }
}

fn key_form(tries: &Tries, key: &[u8]) -> Vec<u8> {
    let mut form = Vec::new();
    put_partition_key(tries.version, &tries.header.key, key, token(key), &mut form);
    form
}

fn item_form(header: &Header, item: &Item) -> Vec<u8> {
    let mut form = Vec::new();
    let kind = PrefixKind::of_number(item.kind).expect("a kind");
    let values = item.clustering.iter().map(Option::as_deref);
    put_prefix(kind, &header.clustering, values, &mut form);
    form
}

#[test]
fn each_partition_is_found_by_its_key() {
    let mut keys = 0;
    let tables = each(|tries, partitions| {
        let (title, file) = (&tries.title, &tries.partitions);
        let footer = footer(file);
        assert_eq!(footer.partition_count, partitions.len() as u64, "{title}");
        let between = &file[footer.keys_at as usize..file.len() - FOOTER_LEN];
        let ends = [&partitions[0].key[..], &partitions.last().expect("one").key];
        assert_eq!(footer.keys(between), Ok((ends[0], ends[1])), "{title}");
        let entries = entries(file, footer.root, WalkFrom::First).expect("a sound trie");
        assert_eq!(entries.len(), partitions.len(), "{title}");
        for ((path, payload), partition) in entries.iter().zip(partitions) {
            let form = key_form(tries, &partition.key);
            assert!(form.starts_with(path), "{title}");
            check_partition(tries, partition, *payload);
            let same = |found: Option<u64>| assert_eq!(found, Some(payload.bytes.at()), "{title}");
            same(lookup(file, footer.root, &form).map(|payload| payload.bytes.at()));
            let found = floor(file, footer.root, &form, Until::Including);
            same(found.map(|(_, payload)| payload.bytes.at()));
            let mut walk = TrieWalk::new(footer.root, WalkFrom::Covering(&form), PATH_LEN_MAX);
            let found = loop {
                let number = walk.page().expect("a key that is there");
                if let Step::Found(payload) = walk.step(TriePage::of(file, number)).expect("sound")
                {
                    break payload.bytes.at();
                }
            };
            same(Some(found));
        }
        keys += partitions.len();
    });
    println!("{tables} tables, {keys} keys");
    assert!(tables > 5 && keys > 10);
}

fn check_partition(tries: &Tries, partition: &Partition, payload: Payload<'_>) {
    let title = &tries.title;
    let payload = PartitionPayload::read(payload).expect("a payload");
    assert_eq!(payload.hash, Some(murmur3(&partition.key).1 as u8), "{title}");
    let at = match payload.place {
        PartitionPlace::Data(at) => {
            assert_eq!(at, partition.at, "{title}");
            return;
        }
        PartitionPlace::Rows(at) => at,
    };
    let window = &tries.rows[at as usize..];
    let entry = RowsEntry::read(window, at, tries.version).expect("an entry");
    let entry = entry.last("entry", at, window).expect("a whole one");
    assert_eq!((entry.key, entry.position), (&partition.key[..], partition.at), "{title}");
    assert_eq!(entry.deletion, partition.deletion, "{title}");
    check_rows(tries, partition, &entry);
}

/// What the separators of a partition's blocks say.
struct Separator {
    path: Vec<u8>,
    payload: RowPayload,
}

fn check_rows(tries: &Tries, partition: &Partition, entry: &RowsEntry<'_>) {
    let title = format!("{}, partition at {}", tries.title, partition.at);
    let found = entries(&tries.rows, entry.root, WalkFrom::First).expect("a sound trie");
    let separators: Vec<Separator> = found
        .into_iter()
        .map(|(path, payload)| {
            let payload = RowPayload::read(payload, tries.version).expect("a payload");
            Separator { path, payload }
        })
        .collect();
    assert_eq!(separators.len() as u64, entry.block_count + 1, "{title}");
    let last = separators.last().expect("one more than blocks");
    assert_eq!(last.payload, RowPayload { offset: partition.len - 1, open: None }, "{title}");
    let items: Vec<&Item> = partition.items.iter().filter(|item| item.kind != 3).collect();
    let (mut open, mut block, mut before) = (None::<Deletion>, 0, None::<Vec<u8>>);
    for item in items {
        let form = item_form(&tries.header, item);
        if separators[block].payload.offset == item.at - partition.at {
            let Separator { path, payload } = &separators[block];
            assert_eq!(payload.open, open, "{title}: block {block}");
            assert!(*path <= form, "{title}: block {block}");
            assert!(before.as_ref().is_none_or(|before| before < path), "{title}: block {block}");
            block += 1;
        }
        check_searches(tries, entry.root, &separators, block - 1, &form);
        if item.kind != 4 {
            open = item.begins;
        }
        before = Some(form);
    }
    assert_eq!(block as u64, entry.block_count, "{title}");
}

/// The searches by a row's form against the list of all separators: the row lies in block `block`.
fn check_searches(tries: &Tries, root: u64, all: &[Separator], block: usize, form: &[u8]) {
    let file = &tries.rows;
    let (path, payload) = floor(file, root, form, Until::Including).expect("a block");
    let got = RowPayload::read(payload, tries.version).expect("a payload");
    assert_eq!((&path, got), (&all[block].path, all[block].payload), "{}", tries.title);
    let before = floor(file, root, &path, Until::Before).map(|(path, _)| path);
    let want = block.checked_sub(1).map(|block| all[block].path.clone());
    assert_eq!(before, want, "{}", tries.title);
    let mut walk = TrieWalk::new(root, WalkFrom::NotBefore(form), PATH_LEN_MAX);
    let after = loop {
        let Some(number) = walk.page() else { break None };
        if let Step::Found(_) = walk.step(TriePage::of(file, number)).expect("sound") {
            break Some(walk.path());
        }
    };
    let want = all.iter().find(|other| *other.path >= *form).map(|other| &other.path[..]);
    assert_eq!(after, want, "{}", tries.title);
}

#[test]
fn keys_that_are_not_there_lead_nowhere_or_to_another_key() {
    each(|tries, partitions| {
        let footer = footer(&tries.partitions);
        for partition in partitions {
            let mut key = partition.key.clone();
            key.push(7);
            let form = key_form(tries, &key);
            let Some(payload) = lookup(&tries.partitions, footer.root, &form) else { continue };
            let payload = PartitionPayload::read(payload).expect("a payload");
            let hash = murmur3(&key).1 as u8;
            assert!(
                payload.hash != Some(hash) || partitions.len() < 2_000,
                "the key itself decides"
            );
        }
    });
}

#[test]
fn damaged_tries_are_an_error_or_other_entries() {
    let (mut refused, mut tried) = (0, 0);
    each(|tries, partitions| {
        for round in 0..40u64 {
            let mut file = tries.partitions.clone();
            let random = |salt: u64| mix(round, salt.wrapping_add(file.len() as u64)) as usize;
            let (at, bit, root) = (random(1) % file.len(), random(2) % 8, footer(&file).root);
            file[at] ^= 1 << bit;
            let got = entries(&file, root, WalkFrom::First);
            let form = key_form(tries, &partitions[0].key);
            let mut search = Lookup::new(root, &form);
            let found = search.step(TriePage::of(&file, search.first_page()));
            refused += usize::from(got.is_err() || found.is_err());
            tried += 1;
            let bytes = file.last_chunk::<FOOTER_LEN>().expect("a footer");
            if let Ok(footer) = Footer::read(*bytes, file.len() as u64) {
                let keys = file.get(footer.keys_at as usize..file.len() - FOOTER_LEN);
                assert!(keys.is_some_and(|keys| footer.keys(keys).is_ok() || at > 0));
            }
        }
        for at in (0..tries.rows.len().min(2_000)).step_by(7) {
            let entry = RowsEntry::read(&tries.rows[at..], at as u64, tries.version);
            if let Ok(Ok(entry)) =
                entry.map(|entry| entry.last("entry", at as u64, &tries.rows[at..]))
            {
                // Most places are no entry: what is there leads to an error, or to entries of
                // something.
                let _ = entries(&tries.rows, entry.root, WalkFrom::First);
            }
        }
    });
    println!("{refused} of {tried} refused");
    assert!(refused > 0);
}
