//! Locks beside those of others: restic's protocol, under a clock of the test's.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use manicule_blobs::lock::LockError;
use manicule_format_restic::{FileKind, Id, Lock, Moment, Time};
use manicule_repositories::Patient;
use manicule_store::Disk;
use manicule_testkit::golden_repository;
use tempfile::TempDir;

use super::world::{World, holder, locked, take};

const MINUTE: Duration = Duration::from_secs(60);

fn repository() -> (TempDir, PathBuf) {
    let golden = golden_repository("small");
    let repo = golden.path().join("repo");
    (golden, repo)
}

/// A lock that somebody else took `age` ago.
fn lock_of(world: &World, hostname: &str, pid: i64, is_exclusive: bool, age: Duration) -> Lock {
    let now = world.now.get();
    let moment = Moment { seconds: now.seconds - age.as_secs() as i64, nanos: now.nanos };
    let time = Time { moment, offset_minutes: 60 };
    let (hostname, username) = (hostname.to_owned(), "lee".to_owned());
    Lock { time, is_exclusive, hostname, username, pid, uid: 7, gid: 8 }
}

fn put(repo: &Path, lock: &Lock) -> Id {
    Patient::open(repo).put(FileKind::Lock, &lock.encode()).expect("a lock")
}

fn locks(repo: &Path) -> Vec<Id> {
    Patient::open(repo).ids(FileKind::Lock)
}

#[test]
fn whoever_is_at_work_is_left_alone() {
    let cases = [
        ("there", 1, false, 29 * MINUTE),
        ("there", 1, true, Duration::ZERO),
        ("here", 99, true, 29 * MINUTE),
        ("here", 99, false, Duration::ZERO),
    ];
    for (hostname, pid, is_exclusive, age) in cases {
        let ((_golden, repo), world) = (repository(), World::new());
        world.running.borrow_mut().insert(99);
        let theirs = put(&repo, &lock_of(&world, hostname, pid, is_exclusive, age));
        let error = take(&repo, &world, Duration::ZERO).expect_err("it is locked");
        let LockError::Locked(locked) = &error else { panic!("{error}") };
        assert_eq!((locked.id, locked.age), (theirs, age));
        let words = error.to_string();
        let how = if is_exclusive { "locked exclusively by" } else { "locked by" };
        let who = format!("{how} process {pid} on {hostname}, user lee (7, group 8)");
        assert!(words.contains(&who) && words.contains(&theirs.short().to_string()), "{words}");
        assert_eq!(locks(&repo), [theirs]);
    }
}

#[test]
fn stale_locks_are_no_hindrance_and_are_removed() {
    let cases =
        [("there", 1, 31 * MINUTE), ("here", 99, 31 * MINUTE), ("here", 98, Duration::ZERO)];
    for (hostname, pid, age) in cases {
        let ((_golden, repo), world) = (repository(), World::new());
        world.running.borrow_mut().insert(99);
        put(&repo, &lock_of(&world, hostname, pid, true, age));
        take(&repo, &world, Duration::ZERO).expect("it is stale");
        assert_eq!(locks(&repo), []);
    }
}

#[test]
fn our_own_lock_says_who_we_are() {
    let ((_golden, repo), world) = (repository(), World::new());
    let inside = repo.clone();
    let read = locked(&Disk::shared(), &repo, &world, Duration::ZERO, |_| {
        let [id] = locks(&inside)[..] else { panic!("one lock") };
        let json = Patient::open(&inside).read(FileKind::Lock, &id).expect("a lock");
        Ok(Lock::parse(&json).expect("a lock"))
    });
    let (lock, holder) = (read.expect("it is free"), holder());
    assert!(lock.is_exclusive && lock.time.moment < world.now.get());
    let got = (lock.hostname, lock.username, lock.uid, lock.gid, lock.pid);
    assert_eq!(got, (holder.hostname, holder.username, holder.uid, holder.gid, holder.pid));
    assert_eq!(locks(&repo), []);
}

#[test]
fn of_two_that_come_at_once_both_give_way() {
    let ((_golden, repo), world) = (repository(), World::new());
    let theirs = lock_of(&world, "there", 1, false, Duration::ZERO);
    let folder = repo.clone();
    *world.at_wait.borrow_mut() = Box::new(move |_| _ = put(&folder, &theirs));
    let error = take(&repo, &world, Duration::ZERO).expect_err("somebody came in between");
    assert!(matches!(error, LockError::Locked(_)), "{error}");
    assert_eq!(locks(&repo).len(), 1, "theirs");
}

#[test]
fn a_lock_is_waited_for_as_long_as_asked() {
    for (freed_after, succeeds) in [(40, true), (400, false)] {
        let ((_golden, repo), world) = (repository(), World::new());
        let theirs = put(&repo, &lock_of(&world, "there", 1, true, Duration::ZERO));
        let path = repo.join(FileKind::Lock.path(&theirs));
        *world.at_wait.borrow_mut() = Box::new(move |waited| {
            if waited >= Duration::from_secs(freed_after) {
                let _ = fs::remove_file(&path);
            }
        });
        let taken = take(&repo, &world, 5 * MINUTE);
        assert_eq!(taken.is_ok(), succeeds, "{taken:?}");
        let waited = world.waited.get().as_secs();
        // Waits of 5, 10, 20 and 40 s; then of a minute, and of what is left.
        assert_eq!(waited, if succeeds { 75 } else { 300 });
    }
}

#[test]
fn a_lock_that_cant_be_read_is_read_again_before_giving_up() {
    let ((_golden, repo), world) = (repository(), World::new());
    let locks = repo.join("locks");
    fs::create_dir_all(&locks).unwrap();
    fs::write(locks.join(Id([0xef; 32]).to_string()), "").unwrap();
    take(&repo, &world, Duration::ZERO).expect("no bytes, no lock");
    fs::write(locks.join(Id([0xee; 32]).to_string()), "bytes").unwrap();
    let before = world.waited.get();
    let error = take(&repo, &world, 5 * MINUTE).expect_err("nobody knows whose it is");
    assert!(matches!(error, LockError::Unreadable(_)), "{error}");
    assert!(error.to_string().starts_with("invalid lock file: "), "{error}");
    assert_eq!((world.waited.get() - before).as_secs(), 35);
}

#[test]
fn a_lock_is_refreshed_every_five_minutes() {
    let ((_golden, repo), world) = (repository(), World::new());
    let held = locked(&Disk::shared(), &repo, &world, Duration::ZERO, |lock| {
        let first = locks(&repo);
        world.pass(4 * MINUTE);
        lock.keep()?;
        assert_eq!(locks(&repo), first);
        for pause in [MINUTE, 21 * MINUTE, 40 * MINUTE] {
            let before = locks(&repo);
            world.pass(pause);
            lock.keep()?;
            assert!(locks(&repo).len() == 1 && locks(&repo) != before, "{pause:?}");
        }
        Ok(())
    });
    held.unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(locks(&repo), []);
}

#[test]
fn who_was_away_for_long_goes_on_only_if_the_lock_is_still_there() {
    let ((_golden, repo), world) = (repository(), World::new());
    let held = locked(&Disk::shared(), &repo, &world, Duration::ZERO, |lock| {
        world.pass(23 * MINUTE);
        for id in locks(&repo) {
            fs::remove_file(repo.join(FileKind::Lock.path(&id))).expect("somebody unlocks");
        }
        Ok(lock.keep()?)
    });
    let error = held.expect_err("the lock is gone");
    assert!(error.to_string().contains("our lock was removed while it was held"), "{error}");
    assert_eq!(locks(&repo), []);
}
