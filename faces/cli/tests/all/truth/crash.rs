//! A build that is killed at any moment leaves a usable index or none, and no litter after the next
//! one.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use manicule_testkit::{Killer, Rng};

use super::judge::{Judge, words};
use super::yard::Yard;

/// Kills in a plain `cargo test`.
const KILLS: u64 = 40;

const FILES: usize = 300;

#[test]
fn a_killed_build_leaves_the_old_index_or_the_new() {
    let mut killer = Killer::new(KILLS);
    let yard = Yard::new(&mut killer.rng);
    let tree = yard.outer.join("crash");
    fs::create_dir_all(&tree).expect("a folder");
    let place = yard.place(&tree);
    let judge = Judge::find();
    (0..FILES).for_each(|file| write(&tree, file, 0));
    killer.time(|| place.build(&tree, &[]).expect("no kill"));
    for round in killer.rounds() {
        let (what, rng) = (killer.what(round), &mut killer.rng);
        // Nothing, an index, or one of many segments to start from.
        match rng.below(4) {
            0 => drop(fs::remove_dir_all(&yard.cache)),
            1 => (0..5).for_each(|time| {
                write(&tree, rng.below(FILES), round * 10 + time);
                place.build(&tree, &[]).expect(&what);
            }),
            _ => {}
        }
        (0..rng.below(60)).for_each(|_| write(&tree, rng.below(FILES), round * 10 + 9));
        if rng.one_in(3) {
            let _ = fs::rename(tree.join("f1.txt"), tree.join("f1.moved"));
            std::thread::sleep(Duration::from_millis(25));
        }
        let mut command = place.ours("manicule");
        command.args(["cache", "build"]).arg(&tree).stdout(Stdio::null());
        if rng.one_in(3) {
            command.arg("--all");
        }
        let killed = killer.kill(command.spawn().expect("the program starts"), None);
        killer.count(if killed.has_ended { "not at all" } else { "while building" });

        for pattern in ["needle", "rare1[0-9]7\\b", "file 7 ", "zzqqxx"] {
            let words = words(&[pattern]);
            let (ours, truth) = (place.answer(&[], &words), place.truth(&judge, &words));
            assert_eq!(ours, truth, "{what}: after {killed:?}, {pattern}");
        }
        if killer.rng.one_in(2) {
            place.build(&tree, &[]).expect(&what);
            assert_eq!(litter(&yard.cache), Vec::<PathBuf>::new(), "{what}");
        }
    }
    killer.print();
}

#[test]
fn two_builds_at_once_leave_one_whole_index() {
    let mut rng = Rng::new(1);
    let yard = Yard::new(&mut rng);
    let tree = yard.outer.join("two");
    fs::create_dir_all(&tree).expect("a folder");
    let place = yard.place(&tree);
    let judge = Judge::find();
    for round in 0..8 {
        (0..FILES).for_each(|file| write(&tree, file, round));
        let build = || {
            let mut command = place.ours("manicule");
            command.args(["cache", "build"]).arg(&tree);
            command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it starts")
        };
        let outputs = [build(), build()].map(|child| child.wait_with_output().expect("it ends"));
        assert!(outputs.iter().any(|output| output.status.success()), "{outputs:?}");
        for output in outputs.iter().filter(|output| !output.status.success()) {
            let stderr = String::from_utf8_lossy(&output.stderr);
            assert!(stderr.contains("another process is building this index"), "{stderr}");
        }
        assert_eq!(litter(&yard.cache), Vec::<PathBuf>::new(), "round {round}");
        let words = words(&["rare"]);
        assert_eq!(place.answer(&[], &words), place.truth(&judge, &words), "round {round}");
    }
}

fn write(tree: &Path, file: usize, time: u64) {
    let rare = file as u64 * 31 + time % 7;
    let text = format!("a needle in file {file} \nrare{rare} words\n").repeat(file % 50 + 1);
    fs::write(tree.join(format!("f{file}.txt")), text).expect("a file");
}

/// Files of a tree's cache folder that are neither its lock, its manifest, a check, nor one of a
/// few segments.
fn litter(cache: &Path) -> Vec<PathBuf> {
    let mut litter = Vec::new();
    for shelf in fs::read_dir(cache.join("trees")).expect("shelves").flatten() {
        let files: Vec<PathBuf> = fs::read_dir(shelf.path())
            .expect("a shelf")
            .flatten()
            .map(|entry| entry.path())
            .collect();
        let name =
            |path: &PathBuf| path.file_name().expect("a name").to_string_lossy().into_owned();
        let is_known = |path: &&PathBuf| {
            ["lock", "manifest", "checked"].contains(&name(path).as_str())
                || (name(path).starts_with("segment-") && !name(path).contains("aside"))
        };
        litter.extend(files.iter().filter(|path| !is_known(path)).cloned());
        // Segments that no manifest names would pile up.
        let segments = files.iter().filter(|path| name(path).starts_with("segment-"));
        litter.extend(segments.skip(5).cloned());
    }
    litter
}
