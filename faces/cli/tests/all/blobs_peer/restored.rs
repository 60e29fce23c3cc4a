//! What is restored: the trees file by file with modes, owners and times, and what both say of it.

use std::fs;
use std::path::Path;

use rustix::fs::{AtFlags, CWD, Timespec, Timestamps};

use super::beside::{Beside, Named, judged, text};
use super::tree::tree;

/// What is planted into the target before.
type Plant<'p> = &'p dyn Fn(&Path);

fn nothing(_: &Path) {}

/// Restores by both into empty folders with the same name, or planted ones.
fn compare(one: &mut Beside, words: &[&str], may: Option<Named>, plant: Plant<'_>) {
    let folders = [(); 2].map(|()| tempfile::tempdir().expect("a folder"));
    folders.iter().for_each(|folder| plant(&folder.path().join("out")));
    let words = &[&["restore", "--target", "out"], words].concat();
    let theirs = one.theirs(folders[0].path(), words);
    let ours = one.ours(folders[1].path(), words);
    let [their_tree, our_tree] = folders.each_ref().map(|folder| tree(&folder.path().join("out")));
    let [their_text, our_text] = [&theirs, &ours].map(|answer| text(&answer.out));
    let is_equal = theirs.is_done == ours.is_done && their_tree == our_tree;
    let is_said = !ours.is_done || their_text == our_text;
    let shown = || {
        let (t, o) = (&their_tree, &our_tree);
        let paths = t.keys().chain(o.keys()).filter(|path| t.get(*path) != o.get(*path));
        let path = paths.min().map(|path| format!("{path}: {:?} {:?}", t.get(path), o.get(path)));
        let texts = [their_text, our_text].map(|text| String::from_utf8_lossy(&text).into_owned());
        format!("{path:.800?} {texts:?} {:.300} {:.300}", theirs.error, ours.error)
    };
    one.count(words, is_equal && is_said, may, shown);
}

#[test]
fn trees_are_restored_as_restic_restores_them() {
    let mut all = Beside::all("restored trees, beside restic's");
    for one in &mut all {
        let ids = one.snapshots();
        let id = &*ids[ids.len() - 1];
        for more in [&[][..], &["--json"], &["--dry-run"], &["--sparse"], &["--verify", "--quiet"]]
        {
            compare(one, &[more, &[id]].concat(), None, &nothing);
        }
        let [files, folders] = ["file", "dir"].map(|kind| one.paths(id, kind));
        let (file, folder) = (&*files[files.len() - 1], &*folders[folders.len() - 1]);
        let name = folder.rsplit('/').next().expect("a name");
        compare(one, &[&format!("{id}:{folder}")], None, &nothing);
        compare(one, &[id, "--exclude", folder], None, &nothing);
        compare(one, &[id, "--exclude", &file.to_uppercase()], None, &nothing);
        for include in [folder, name, file] {
            // All folders on the way are counted as restored, and not among all.
            let named = Some(Named::FoldersOnTheWay);
            compare(one, &[id, "--include", include, "--json"], named, &nothing);
        }
        compare(one, &[id, "--include", "/nowhere"], Some(Named::NothingFound), &nothing);
    }
    judged(all, "restore", &[Named::NothingFound, Named::FoldersOnTheWay]);
}

/// Whether restoring fails, as packs are not there.
fn is_lossy(one: &Beside) -> bool {
    !["small", "keys", "made by restic"].contains(&&*one.name)
}

/// Other contents at some paths, of a time long ago; a file where a folder is to be, a folder with
/// something in it where a file is to be; and things that the snapshot hasn't.
fn plant(target: &Path, files: &[String], folders: &[String]) {
    let put = |path: &str, content: &str| {
        let path = target.join(path.trim_start_matches('/'));
        fs::create_dir_all(path.parent().expect("below")).expect("a folder");
        fs::write(&path, content).expect("a file");
    };
    files.iter().take(3).for_each(|path| put(path, "other content"));
    let last = &folders[folders.len() - 1];
    if !target.join(last.trim_start_matches('/')).exists() {
        put(last, "a file where a folder is to be");
    }
    put(&format!("{}/more/deep/er", folders[0]), "more");
    put("top", "more");
    std::os::unix::fs::symlink("/etc", target.join("way")).expect("a link");
    let old = Timespec { tv_sec: 5, tv_nsec: 0 };
    let times = Timestamps { last_access: old, last_modification: old };
    // From within, as that changes the times of folders no more.
    for path in tree(target).keys().rev() {
        let path = target.join(path);
        rustix::fs::utimensat(CWD, &path, &times, AtFlags::SYMLINK_NOFOLLOW).expect("its times");
    }
}

#[test]
fn what_is_there_already_is_treated_as_restic_treats_it() {
    let mut all = Beside::all("restoring over what is there, beside restic's");
    all.retain(|one| !is_lossy(one));
    for one in &mut all {
        let ids = one.snapshots();
        let id = &*ids[ids.len() - 1];
        let [files, folders] = ["file", "dir"].map(|kind| one.paths(id, kind));
        let planted = |target: &Path| plant(target, &files, &folders);
        // No file where a folder is to be: restic's dry run doesn't replace it, and fails to look
        // below it.
        let dry = |target: &Path| plant(target, &files, &folders[..1]);
        for overwrite in ["always", "if-changed", "if-newer", "never"] {
            for more in [&[][..], &["--json"], &["--delete"]] {
                let words = [&["--overwrite", overwrite, id], more].concat();
                compare(one, &words, None, &planted);
            }
            compare(one, &["--overwrite", overwrite, id, "--dry-run"], None, &dry);
        }
        compare(one, &[id, "--delete", "--json"], None, &planted);
        compare(one, &[id, "--delete", "--dry-run", "--json"], None, &dry);
        compare(one, &[id, "--delete", "--exclude", "/top"], None, &planted);
        compare(one, &[id, "--delete", "--verify", "--json"], None, &planted);
        let first = &*ids[0];
        // Over another snapshot, and once more over the same.
        for before in [first, id] {
            let repo = one.repo();
            let restic = one.restic.clone();
            let earlier = |target: &Path| {
                let target = target.to_str().expect("UTF-8");
                let words = ["restore", "--no-lock", "--quiet", before, "--target", target];
                restic.answer(&repo, words).expect("restored");
            };
            for more in [&[][..], &["--delete"], &["--overwrite", "if-changed"], &["--json"]] {
                compare(one, &[&[id], more].concat(), None, &earlier);
            }
        }
    }
    judged(all, "restore over what is there", &[]);
}

#[test]
fn what_is_there_is_kept_where_content_is_lost() {
    let mut all = Beside::all("lost content, beside restic's");
    all.retain(|one| one.name == "fleet");
    for one in &mut all {
        let id = one.snapshots().pop().expect("a snapshot");
        let [files, folders] = ["file", "dir"].map(|kind| one.paths(&id, kind));
        let planted = |target: &Path| plant(target, &files, &folders);
        compare(one, &[&id], Some(Named::LostContent), &planted);
    }
    judged(all, "restore of lost content", &[Named::LostContent]);
}
