//! Readers beside a writer of shards, through the commands that users type: the old answer or the
//! new one, at every step of publishing and in every state that a kill leaves.

use std::fs;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};

use manicule_testkit::copy_folder;

use super::place::{Place, sorted};

/// Texts of an index of `count` shards: 60 bytes and more are a shard each.
fn files(word: &str, count: usize) -> Vec<(String, String)> {
    let text = |number: usize| format!("{word} number {number} {}\n", "x".repeat(60));
    (0..count).map(|number| (format!("f{number}.txt"), text(number))).collect()
}

fn index(place: &Place, out: &str, files: &[(String, String)]) {
    let files: Vec<(&str, &str)> = files.iter().map(|(name, text)| (&**name, &**text)).collect();
    place.index(out, "repo", &files);
}

fn lines(files: &[(String, String)], number: &str) -> Vec<String> {
    let line = |(name, text): &(String, String)| format!("{name}:{number}{}", text.trim_end());
    sorted(&files.iter().map(line).collect::<Vec<_>>().join("\n"))
}

/// Output of every command that reads shards for the folder `k`.
#[track_caller]
fn check(place: &Place, want: &[(String, String)], state: &str) {
    for (words, number) in
        [(&["find", "number", "k"][..], ""), (&["code", "search", "number", "k"], "1:")]
    {
        let found = place.call(words);
        assert_eq!(sorted(&found.out), lines(want, number), "{state}: {words:?}");
        let code = if want.is_empty() { found.code } else { Some(0) };
        assert_eq!(found.code, code, "{state}: {words:?}: {}", found.err);
    }
    let names: Vec<&str> = want.iter().map(|(name, _)| name.as_str()).collect();
    for paths in [&[][..], &["."]] {
        let found = place.find_in("k", &[&["--files"], paths].concat());
        assert_eq!(sorted(&found.out), sorted(&names.join("\n")), "{state}: {paths:?}");
    }
    if !want.is_empty() {
        let told = place.call(&["verify", "k"]).expect(0);
        let plural = if want.len() == 1 { "" } else { "s" };
        let wanted = format!("{} document{plural}", want.len());
        assert!(told.out.contains(&wanted), "{state}: {}", told.out);
    }
}

/// Every state that a run leaves if it is killed, from `old_count` shards to `new_count`.
fn check_states(old_count: usize, new_count: usize) {
    let place = Place::new();
    let (old, new) = (files("old", old_count), files("new", new_count));
    if old_count > 0 {
        index(&place, "old", &old);
        let sidecar = place.path("old/repo_v16.00000.zoekt.meta");
        fs::write(sidecar, r#"{"Name":"repo"}"#).expect("a sidecar");
    }
    index(&place, "new", &new);
    let shard = |number: usize| format!("repo_v16.{number:05}.zoekt");
    assert!(place.path(&format!("new/{}", shard(new_count - 1))).exists(), "a shard a file");
    let k = |name: &str| place.path(&format!("k/{name}"));
    let (aside, plan) = ("repo_v16.plan.zoekt.tmp", "repo_v16.plan");
    let text = format!("manicule plan 1\n{new_count}\n");

    fs::create_dir(place.path("k")).expect("a folder");
    if old_count > 0 {
        copy_folder(&place.path("old"), &place.path("k"));
    }
    let tmp = |number: usize| format!("{}.tmp", shard(number));
    fs::write(k(&tmp(0)), "").expect("a lock");
    check(&place, &old, "the lock");
    fs::write(k(&tmp(0)), "number of half a shard\n").expect("a shard");
    fs::write(k("repo_v16.00000.spool.zoekt.tmp"), "number of a spool\n").expect("a spool");
    check(&place, &old, "half a shard");
    for number in 0..new_count {
        fs::copy(place.path(&format!("new/{}", shard(number))), k(&tmp(number))).expect("a shard");
    }
    check(&place, &old, "shards aside");
    fs::write(k(aside), &text).expect("a plan");
    check(&place, &old, "a plan aside");
    fs::rename(k(aside), k(plan)).expect("a plan");
    check(&place, &new, "the plan");
    let _ = fs::remove_file(k("repo_v16.00000.zoekt.meta"));
    for number in 0..new_count {
        fs::rename(k(&tmp(number)), k(&shard(number))).expect("a shard");
        check(&place, &new, &format!("shard {number} renamed"));
    }
    // A later run has made its lock, and nothing more.
    fs::write(k(&tmp(0)), "").expect("a lock");
    check(&place, &new, "the lock of a later run");
    for number in new_count..old_count {
        fs::remove_file(k(&shard(number))).expect("an old shard");
        check(&place, &new, &format!("old shard {number} removed"));
    }
    fs::remove_file(k(plan)).expect("the plan");
    check(&place, &new, "published");
}

#[test]
fn every_state_of_publishing_is_the_old_index_or_the_new_one() {
    check_states(1, 1);
    check_states(3, 2);
}

#[test]
fn a_first_index_is_not_there_until_it_is_published() {
    check_states(0, 2);
}

#[test]
fn a_first_index_beside_another_leaves_that_one_alone() {
    let place = Place::new();
    place.index("k", "small", &[("one.txt", "number one\n")]);
    for number in 0..6 {
        place.write(&format!("k/large_v16.{number:05}.zoekt.tmp"), b"number of a shard\n");
    }
    place.write("k/large_v16.plan.zoekt.tmp", b"manicule plan 1\n6\n");
    check(&place, &[("one.txt".into(), "number one\n".into())], "beside a first index");
}

/// Number of times that the index is published while it is read.
const ROUNDS: usize = 12;

/// Publishes again and again while three kinds of readers ask.
fn check_live(count: usize) {
    let place = Place::new();
    let all = files("live", count);
    index(&place, "k", &all);
    let (done, reads) = (AtomicBool::new(false), AtomicUsize::new(0));
    let tree = place.path("trees/repo");
    let tree = tree.to_str().expect("text");
    let want_names: Vec<String> = all.iter().map(|(name, _)| name.clone()).collect();
    std::thread::scope(|scope| {
        let read = || {
            // At least once each, even if all rounds are over by then.
            loop {
                let is_last = done.load(Relaxed);
                let found = place.call(&["find", "number", "k"]);
                assert_eq!(sorted(&found.out), lines(&all, ""), "{}", found.err);
                let found = place.call(&["code", "search", "number", "k"]);
                assert_eq!(sorted(&found.out), lines(&all, "1:"), "{}", found.err);
                let found = place.find_in("k", &["--files", "."]);
                assert_eq!(sorted(&found.out), want_names, "{}", found.err);
                place.call(&["verify", "k"]).expect(0);
                reads.fetch_add(1, Relaxed);
                if is_last {
                    return;
                }
            }
        };
        let reader = scope.spawn(read);
        for _ in 0..ROUNDS {
            let words = ["code", "index", "--force", "--quiet", "-shard_limit", "60"];
            place.call(&[&words[..], &["-index", "k", tree]].concat()).expect(0);
            if reader.is_finished() {
                break;
            }
        }
        done.store(true, Relaxed);
        reader.join().expect("every read is right");
    });
    assert!(reads.load(Relaxed) > 0);
}

#[test]
fn one_shard_is_read_while_it_is_replaced() {
    check_live(1);
}

#[test]
fn several_shards_are_read_while_they_are_replaced() {
    check_live(4);
}
