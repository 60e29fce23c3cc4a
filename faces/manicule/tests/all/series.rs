//! Blocks, asked while a server writes and removes them.

use std::fs;
use std::path::{Path, PathBuf};

use manicule::series::build::Input;
use manicule::series::query::Work;
use manicule::series::{BuildCall, Data, DumpCall, OpenCall, Selector, build};
use manicule::watch::Watch;

use super::ask_at_once;

/// Builds a block of a series, and returns its folder.
pub(super) fn add(folder: &Path, job: &str) -> PathBuf {
    let text = folder.join("up.txt");
    fs::write(&text, format!("up{{job=\"{job}\"}} 1 0\n# EOF\n")).unwrap();
    let call = BuildCall::new(vec![Input::File(text)], folder.join("data"));
    build(&call, &Watch::none()).unwrap().blocks[0].path.clone()
}

fn open(path: PathBuf) -> Data {
    let call = OpenCall { paths: vec![path], ..OpenCall::default() };
    Data::open(&call, &mut |log| panic!("{log:?}")).unwrap()
}

/// What is asked of the blocks: the values of a label, all samples as text, and whether they differ
/// from others.
fn ask(data: &Data, other: &Data) -> (Vec<String>, String, bool) {
    let (moment, mut work) = (data.moment(), Work::default());
    let selectors = [Selector::everything()];
    let values = moment.blocks().label_values(b"job", &selectors, &mut work).unwrap();
    let values = values.into_iter().map(|value| String::from_utf8_lossy(value).into_owned());
    let mut text = Vec::new();
    data.dump(&DumpCall::new(), &mut text, &Watch::none()).unwrap();
    let sums = data.diff(other, &mut |_, _| true).unwrap();
    (values.collect(), String::from_utf8(text).unwrap(), sums.differ())
}

/// Where the bytes of the index of each block lie: another map is elsewhere.
fn maps(data: &Data) -> Vec<usize> {
    let moment = data.moment();
    moment.blocks().iter().map(|block| block.index() as *const _ as usize).collect()
}

#[test]
fn blocks_are_asked_by_many_threads() {
    let scratch = tempfile::tempdir().unwrap();
    let folder = scratch.path();
    let first = add(folder, "a");
    let (data, alone) = (open(folder.join("data")), open(first.clone()));
    let before = ask_at_once(|| ask(&data, &alone));
    assert_eq!((before.0.as_slice(), before.2), (&["a".to_owned()][..], false));

    let second = add(folder, "b");
    assert_eq!(ask_at_once(|| ask(&data, &alone)), before);
    let (moment, mapped) = (data.moment(), maps(&data));
    data.look_again().unwrap();
    let after = ask_at_once(|| ask(&data, &alone));
    assert_eq!((after.0.as_slice(), after.2), (&["a".to_owned(), "b".to_owned()][..], true));
    assert_eq!(after, ask(&open(folder.join("data")), &alone));
    assert!(maps(&data).contains(&mapped[0]), "the block that was there was opened again");

    // A server has compacted it: who has begun goes on.
    fs::remove_dir_all(&first).unwrap();
    assert_eq!(moment.blocks().iter().count(), 1);
    assert_eq!(ask(&data, &alone), after);
    data.look_again().unwrap();
    assert_eq!(ask(&data, &open(second)).0, ["b"]);
}

#[test]
fn a_block_with_other_files_is_opened_again() {
    let scratch = tempfile::tempdir().unwrap();
    let folder = scratch.path();
    let block = add(folder, "a");
    let data = open(block.clone());
    let mapped = maps(&data);
    data.look_again().unwrap();
    assert_eq!(maps(&data), mapped);
    let held = data.moment();
    // Another index, put in its place by a rename.
    let [index, aside] = ["index", "index.tmp"].map(|name| block.join(name));
    fs::copy(&index, &aside).unwrap();
    fs::rename(&aside, &index).unwrap();
    data.look_again().unwrap();
    assert_ne!(maps(&data), mapped);
    drop(held);
}
