//! Stores through shared memory mappings, which do not always set a file's times; and files that
//! are readable to some.

use std::ffi::OsString;
use std::fs::{self, File};
use std::os::unix::fs::{MetadataExt, PermissionsExt, chown};
use std::path::{Path, PathBuf};
use std::time::Duration;

use manicule_testkit::tree_folder;
use memmap2::MmapMut;
use tempfile::TempDir;

use super::faults::{Mounted, mount};
use super::judge::{Answer, Judge, Place, words};

/// A tree of 300 files, with a cache and a home beside it, or elsewhere.
struct Stand {
    _folders: (TempDir, TempDir),
    tree: PathBuf,
    aside: PathBuf,
    judge: Judge,
}

impl Stand {
    fn new(folder: TempDir) -> Stand {
        let other = tree_folder();
        let (tree, aside) = (folder.path().join("tree"), other.path().to_owned());
        fs::create_dir(&tree).expect("a folder");
        fs::create_dir(aside.join("home")).expect("a folder");
        for file in 0..300 {
            fs::write(tree.join(format!("f{file}.txt")), "hay and straw\n").expect("a file");
        }
        std::thread::sleep(Duration::from_millis(30));
        Stand { _folders: (folder, other), tree, aside, judge: Judge::find() }
    }

    fn ask<T>(&self, ask: impl Fn(&Place<'_>) -> T) -> T {
        let (home, cache) = (self.aside.join("home"), self.aside.join("cache"));
        ask(&Place { current_dir: &self.tree, home: &home, cache: &cache })
    }

    fn build(&self, flags: &[&str]) -> Result<String, String> {
        self.ask(|place| place.build(&self.tree, flags))
    }

    fn map(&self, name: &str) -> MmapMut {
        let file = File::options().read(true).write(true).open(self.tree.join(name));
        // SAFETY: everything else that reads the file does so by system calls.
        unsafe { MmapMut::map_mut(&file.expect("a file")).expect("a mapping") }
    }

    #[track_caller]
    fn check(&self, what: &str) {
        for pattern in ["needle", "pearls", "straw"] {
            let words = words(&[pattern]);
            let (ours, truth) =
                self.ask(|place| (place.answer(&[], &words), place.truth(&self.judge, &words)));
            assert_eq!(ours, truth, "{what}: {pattern}");
        }
    }
}

#[test]
fn a_store_into_a_page_that_is_to_be_written_out_already() {
    let stand = Stand::new(tree_folder());
    let mut map = stand.map("f7.txt");
    map[..6].copy_from_slice(b"pearls");
    std::thread::sleep(Duration::from_millis(30));
    stand.build(&[]).expect("an index");
    stand.check("as indexed");
    map[..6].copy_from_slice(b"needle");
    stand.check("a second store");
    map.flush().expect("written out");
    drop(map);
    stand.check("written out and unmapped");
    let said = stand.build(&[]).expect("an index");
    assert!(said.contains(" 1 read "), "{said}");
    stand.check("indexed again");
    let said = stand.build(&[]).expect("an index");
    assert!(said.contains(" 0 read "), "no process has it open any more: {said}");
    stand.check("settled");
    // Mapping it from now on sets its times.
    let mut map = stand.map("f7.txt");
    assert_eq!(map[0], b'n');
    map[..6].copy_from_slice(b"pearls");
    stand.check("a new mapping");
}

#[test]
fn a_file_that_is_open_for_writing_is_read_in_every_call() {
    let stand = Stand::new(tree_folder());
    let open = File::options().append(true).open(stand.tree.join("f9.txt")).expect("a file");
    stand.build(&[]).expect("an index");
    let said = stand.build(&[]).expect("an index");
    assert!(said.contains(" 1 read "), "{said}");
    drop(open);
    stand.build(&[]).expect("an index");
    let said = stand.build(&[]).expect("an index");
    assert!(said.contains(" 0 read "), "{said}");
}

#[test]
fn everything_is_read_again_where_that_is_wanted() {
    let stand = Stand::new(tree_folder());
    stand.build(&[]).expect("an index");
    let said = stand.build(&[]).expect("an index");
    assert!(said.contains(" 0 read "), "{said}");
    let said = stand.build(&["--all"]).expect("an index");
    assert!(said.contains(" 300 read "), "{said}");
    stand.check("read again");
}

#[test]
fn a_store_into_a_page_in_memory_that_was_read() {
    let Ok(folder) = TempDir::new_in("/dev/shm") else {
        eprintln!("left out: /dev/shm");
        return;
    };
    let stand = Stand::new(folder);
    let mut map = stand.map("f7.txt");
    assert_eq!(map[0], b'h');
    let refused = stand.build(&[]).expect_err("no times to rely on");
    assert!(refused.contains("`find` searches all of it"), "{refused}");
    map[..6].copy_from_slice(b"needle");
    stand.check("the first store");
    let _ = stand.build(&[]);
    stand.check("after another build");
}

#[test]
fn a_store_through_an_overlay() {
    let layers = tree_folder();
    let [lower, upper, work, merged] = ["lower", "upper", "work", "merged"].map(|name| {
        let path = layers.path().join(name);
        fs::create_dir(&path).expect("a folder");
        path
    });
    let options = ["lowerdir=", ",upperdir=", ",workdir="].into_iter().zip([lower, upper, work]);
    let options: String = options.map(|(key, path)| format!("{key}{}", path.display())).collect();
    if !mount(&["-t", "overlay", "-o", &options], Path::new("overlay"), &merged) {
        eprintln!("left out: overlays of one's own");
        return;
    }
    let mounted = Mounted(merged.clone());
    let stand = Stand::new(TempDir::new_in(&merged).expect("a folder"));
    // No process has it open there: only the layer below knows of the mapping.
    let mut map = stand.map("f7.txt");
    map[..6].copy_from_slice(b"pearls");
    std::thread::sleep(Duration::from_millis(30));
    stand.build(&[]).expect("an index");
    map[..6].copy_from_slice(b"needle");
    stand.check("a second store");
    drop((map, stand, mounted));
}

#[test]
fn what_has_become_unreadable_says_so() {
    let stand = Stand::new(tree_folder());
    if fs::metadata(&stand.tree).expect("a tree").uid() != 0 {
        eprintln!("left out: rights that can be given up");
        return;
    }
    let close = |path: &Path, mode: u32| {
        chown(path, Some(65534), Some(65534)).expect("another owner");
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).expect("a mode");
    };
    fs::create_dir(stand.tree.join("closed")).expect("a folder");
    fs::write(stand.tree.join("closed/a.txt"), "hay\n").expect("a file");
    close(&stand.tree.join("closed"), 0o700);
    close(&stand.tree.join("f5.txt"), 0o600);
    close(&stand.tree.join("f6.txt"), 0o604);
    std::thread::sleep(Duration::from_millis(30));
    stand.build(&[]).expect("an index");
    stand.check("with all rights");
    for pattern in ["needle", "straw"] {
        let words: Vec<OsString> = words(&[pattern]);
        let (ours, truth): (Answer, Answer) =
            stand.ask(|place| place.without_rights(&stand.judge, &words));
        assert_eq!(truth.code, Some(2), "{truth:?}");
        assert_eq!(ours, truth, "{pattern}");
    }
}
