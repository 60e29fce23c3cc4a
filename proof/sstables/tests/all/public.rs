//! Tables of other projects, as their systems wrote them: each SSTable below the folder that
//! MANICULE_TABLES names, compared with the sstabledump and sstablemetadata of a Cassandra that
//! reads it, or with the dump that lies beside it as `dump.json`.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use manicule_core::blocks::ReadCost;
use manicule_format_sstable::{Component, Descriptor, StatisticsFile, Version};
use manicule_rows::slice::{Direction, Seek};
use manicule_rows::table::{Access, Sstable};
use manicule_sstables::{
    Cassandra, Question, Tool, answer, check_statistics, dump, first_difference,
    is_same_but_for_digits, keys, open,
};

/// Variable that names the folder.
const TABLES: &str = "MANICULE_TABLES";
/// Number of partitions of each SSTable that are looked up and read both ways.
const LOOKUP_COUNT_MAX: usize = 200;

/// Words in the names of folders of ScyllaDB's whose SSTables are no sound ones, so that we may
/// refuse what Cassandra prints.
const BROKEN: [&str; 2] = ["broken_", "invalid_"];
/// One whose rows have a second deletion, which Cassandra doesn't know.
const SCYLLA_ONLY: &str = "write_regular_and_shadowable_deletion";

/// One whose types have FrozenType within FrozenType, which Cassandra prints once.
const FROZEN_TWICE: &str = "legacy_udt_in_collection";

const INDEX: Seek = Seek::Index(ReadCost { whole_bytes_max: 0, ways: 2 });

/// An SSTable that was found.
struct Found {
    data: PathBuf,
    descriptor: Descriptor,
}

/// What came of one.
enum Outcome {
    Same,
    Different(String),
    /// We refuse it; and so does Cassandra, or not.
    Refused {
        why: String,
        cassandra: Result<(), String>,
    },
    /// We read it, Cassandra doesn't.
    Alone(String),
    /// We read it, and nobody judges.
    Unjudged,
}

/// SSTables below a folder; and the number of data files of versions that aren't read.
fn find(top: &Path) -> (Vec<Found>, BTreeMap<String, usize>) {
    let (mut found, mut unknown, mut folders) = (Vec::new(), BTreeMap::new(), vec![top.to_owned()]);
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            if path.is_dir() {
                folders.push(path);
            } else if let Some((descriptor, Component::Data)) = Descriptor::parse(&name) {
                found.push(Found { data: path, descriptor });
            } else if name.ends_with("-Data.db") {
                let version = name.split('-').find(|word| word.len() == 2).unwrap_or("other");
                *unknown.entry(version.to_owned()).or_default() += 1;
            }
        }
    }
    found.sort_by(|left, right| left.data.cmp(&right.data));
    (found, unknown)
}

impl Found {
    /// The file whose sstabledump is compared: its own; of ScyllaDB's versions the same table in
    /// me.
    fn judged(&self) -> Option<PathBuf> {
        let Descriptor { version, generation, layout } = &self.descriptor;
        if !version.is_scylla_only() {
            return Some(self.data.clone());
        }
        let (generation, layout) = (generation.clone(), *layout);
        let twin = Descriptor { version: Version::Me, generation, layout };
        Some(self.data.with_file_name(twin.file_name(&Component::Data)))
            .filter(|path| path.exists())
    }

    /// A dump that lies beside it.
    fn beside(&self) -> Option<String> {
        let names = [format!("dump-{}.json", self.descriptor.generation), "dump.json".to_owned()];
        names.iter().find_map(|name| fs::read_to_string(self.data.with_file_name(name)).ok())
    }
}

/// A copy of an SSTable's files in a folder `ks/tNUMBER`, where tools expect them.
fn copy(data: &Path, scratch: &Path, number: usize) -> PathBuf {
    let name = data.file_name().expect("a name").to_string_lossy().into_owned();
    let (descriptor, _) = Descriptor::parse(&name).expect("an SSTable");
    let prefix = format!("{descriptor}-");
    let folder = scratch.join("ks").join(format!("t{number}"));
    fs::create_dir_all(&folder).expect("a folder");
    for entry in fs::read_dir(data.parent().expect("a folder")).expect("a folder") {
        let path = entry.expect("an entry").path();
        let name = path.file_name().unwrap_or_default().to_owned();
        if path.is_file() && name.to_string_lossy().starts_with(&prefix) {
            fs::copy(&path, folder.join(name)).expect("a copy");
        }
    }
    folder.join(name)
}

/// What sstabledump says of each; `None` where no Cassandra reads it.
fn judge(all: &[Cassandra], found: &[Found]) -> Vec<Option<Result<String, String>>> {
    let scratch = tempfile::tempdir().expect("a folder");
    let mut said: Vec<_> = found.iter().map(|found| found.beside().map(Ok)).collect();
    for cassandra in all {
        let (mut numbers, mut files) = (Vec::new(), Vec::new());
        for (number, found) in
            found.iter().enumerate().filter(|(number, _)| said[*number].is_none())
        {
            let Some(data) = found.judged() else { continue };
            let name = data.file_name().expect("a name").to_string_lossy().into_owned();
            let (descriptor, _) = Descriptor::parse(&name).expect("an SSTable");
            if Cassandra::judge(all, descriptor.version) == Some(cassandra) {
                numbers.push(number);
                files.push(copy(&data, scratch.path(), number));
            }
        }
        if files.is_empty() {
            continue;
        }
        let dumps = cassandra.tool(Tool::Dump, &files, scratch.path()).expect("dumps");
        numbers.into_iter().zip(dumps).for_each(|(number, dump)| said[number] = Some(dump));
    }
    said
}

/// Each of the first partitions is found by its key, and read the same by the index, by a scan, and
/// in reverse.
fn check_lookups(sstables: &[Sstable], now: i64) -> Result<usize, String> {
    let keys = keys(&sstables[0]).map_err(|error| error.to_string())?;
    let read = |key: &[u8], direction, seek| {
        let question = Question::whole(key, direction, now);
        answer(sstables, &question, seek).map_err(|error| error.to_string())
    };
    let rows = |text: &str| -> Vec<String> {
        text.lines().filter(|line| line.starts_with("row")).map(str::to_owned).collect()
    };
    let looked_up = &keys[..keys.len().min(LOOKUP_COUNT_MAX)];
    for key in looked_up {
        let by_index = read(key, Direction::Forward, INDEX)?;
        let by_scan = read(key, Direction::Forward, Seek::Scan)?;
        let back = read(key, Direction::Reverse, INDEX)?;
        let reversed: Vec<String> = rows(&back).into_iter().rev().collect();
        if by_index != by_scan || rows(&by_index) != reversed {
            return Err(format!("key {key:02x?} is read in different ways"));
        }
    }
    Ok(looked_up.len())
}

fn outcome(found: &Found, said: Option<Result<String, String>>, now: i64) -> (Outcome, usize) {
    let ours = open(&found.data, Access::Mapped).map_err(|error| error.to_string());
    let read = ours.and_then(|opened| {
        let text = dump(&opened[0], now).map_err(|error| error.to_string())?;
        Ok((text, check_lookups(&opened, now)?))
    });
    let (text, looked_up) = match read {
        Ok(read) => read,
        Err(why) => {
            let cassandra = said.unwrap_or(Err("not asked".to_owned())).map(drop);
            return (Outcome::Refused { why, cassandra }, 0);
        }
    };
    let outcome = match said {
        None => Outcome::Unjudged,
        Some(Err(why)) => Outcome::Alone(why),
        Some(Ok(want)) if is_same_but_for_digits(&text, &want) => Outcome::Same,
        Some(Ok(want)) => Outcome::Different(first_difference(&text, &want)),
    };
    (outcome, looked_up)
}

#[test]
#[ignore = "needs Cassandra and a folder of tables"]
fn public_tables_are_read_as_cassandra_reads_them() {
    let Some(top) = std::env::var_os(TABLES).map(PathBuf::from) else {
        eprintln!("left out: tables of other projects: {TABLES} names no folder");
        return;
    };
    let all = Cassandra::all_for_test("sstabledump of tables of other projects");
    let (found, unknown) = find(&top);
    let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |now| now.as_secs() as i64);
    let (mut counts, mut faults) = (BTreeMap::<(&str, &str), usize>::new(), Vec::new());
    let mut looked_up = 0;
    for (found, said) in found.iter().zip(judge(&all, &found)) {
        let path = found.data.strip_prefix(&top).unwrap_or(&found.data).to_string_lossy();
        let name = &path;
        let (outcome, count) = outcome(found, said, now);
        looked_up += count;
        let word = match outcome {
            Outcome::Same => "same",
            Outcome::Unjudged => "read, not judged",
            Outcome::Alone(why) => {
                println!("{name}: read; Cassandra: {why}");
                "read, by us alone"
            }
            Outcome::Refused { why, cassandra: Err(other) } => {
                println!("{name}: {why}; Cassandra: {other}");
                "refused by both"
            }
            Outcome::Refused { why, .. } if BROKEN.iter().any(|word| path.contains(word)) => {
                println!("{name}: {why}");
                "broken, refused by us alone"
            }
            Outcome::Different(_) if path.contains(SCYLLA_ONLY) => "read, by us alone",
            Outcome::Refused { why, cassandra: Ok(()) } => {
                faults.push(format!("{name}: {why}"));
                "refused by us alone"
            }
            Outcome::Different(first) => {
                faults.push(format!("{name}: {first}"));
                "different"
            }
        };
        *counts.entry((found.descriptor.version.letters(), word)).or_default() += 1;
    }
    for ((version, word), count) in &counts {
        println!("{version}: {count} {word}");
    }
    for (version, count) in &unknown {
        println!("{version}: {count} of a version before 3.0 or unknown");
    }
    println!("{} SSTables, {looked_up} partitions looked up", found.len());
    assert!(faults.is_empty(), "{} faults:\n{}", faults.len(), faults.join("\n"));
}

#[test]
#[ignore = "needs Cassandra and a folder of tables"]
fn statistics_of_public_tables_are_those_of_sstablemetadata() {
    let Some(top) = std::env::var_os(TABLES).map(PathBuf::from) else {
        eprintln!("left out: statistics of tables of other projects: {TABLES} names no folder");
        return;
    };
    let all = Cassandra::all_for_test("sstablemetadata of tables of other projects");
    let (found, _) = find(&top);
    let (mut judged, mut faults) = (BTreeMap::<&str, (Version, Vec<PathBuf>)>::new(), Vec::new());
    let scratch = tempfile::tempdir().expect("a folder");
    for (number, found) in found.iter().enumerate() {
        let version = found.descriptor.version;
        let file = found.descriptor.file_name(&Component::Statistics);
        let Ok(bytes) = fs::read(found.data.with_file_name(file)) else { continue };
        let path = found.data.strip_prefix(&top).unwrap_or(&found.data).display();
        let read = StatisticsFile::open(&bytes, version).map_err(|error| error.to_string());
        let read = read.and_then(|file| {
            file.cardinality().map_err(|error| error.to_string())?;
            file.header().map_err(|error| error.to_string())?;
            file.statistics().map_err(|error| error.to_string())
        });
        if let Err(error) = read {
            faults.push(format!("{path}: {error}"));
        } else if Cassandra::judge(&all, version).is_none() {
            println!("{path}: its statistics are read, not judged");
        } else if !found.data.to_string_lossy().contains(FROZEN_TWICE) {
            let copy = copy(&found.data, scratch.path(), number);
            println!("{} is {path}", copy.display());
            let of_version = judged.entry(version.letters());
            of_version.or_insert((version, Vec::new())).1.push(copy);
        }
    }
    for (version, files) in judged.into_values() {
        let judge = Cassandra::judge(&all, version).expect("it was there");
        let own = tempfile::tempdir().expect("a folder");
        check_statistics(judge, version, &files, own.path(), &mut faults);
    }
    assert!(faults.is_empty(), "{} faults:\n{}", faults.len(), faults.join("\n"));
}
