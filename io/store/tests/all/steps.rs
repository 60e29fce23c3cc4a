//! What a cache directory puts, stopped and failed at every step: the old file or the new one,
//! whole, and no litter.

use std::fs;
use std::io::Write;
use std::path::Path;

use manicule_store::{CacheDir, SharedFiles};
use manicule_testkit::names;
use manicule_testkit::steps::{Publisher, Seen, at_every_step};

/// How a file is put.
#[derive(Clone, Copy)]
enum How {
    /// Under the lease; then what the last run has left is swept.
    Leased,
    /// By anybody.
    Unleased,
}

struct Put {
    folder: tempfile::TempDir,
    how: How,
}

const LEN: usize = 600_000;

impl Publisher for Put {
    fn root(&self) -> &Path {
        self.folder.path()
    }

    fn reset(&self) {
        names(self.root()).iter().for_each(|name| fs::remove_file(self.root().join(name)).unwrap());
        fs::write(self.root().join("one"), "old").unwrap();
        fs::write(self.root().join("dropped"), "old").unwrap();
    }

    fn publish(&self, files: &SharedFiles) -> Result<(), String> {
        let dir = CacheDir::at(self.root());
        let new = vec![b'n'; LEN];
        let put = || match self.how {
            How::Leased => {
                let lease = dir.lease(files)?.expect("it is free");
                lease.put("one", |out| {
                    new.chunks(1000).try_for_each(|piece| out.write_all(piece))
                })?;
                lease.sweep(|name| name == "one")
            }
            How::Unleased => dir.put_unleased(files, "one", &new),
        };
        put().map_err(|error: std::io::Error| error.to_string())
    }

    fn seen(&self) -> Result<Seen, String> {
        let one = fs::read(self.root().join("one")).unwrap();
        if one == b"old" {
            return Ok(Seen::Old);
        }
        if one == vec![b'n'; LEN] {
            Ok(Seen::New)
        } else {
            Err(format!("{} bytes of neither", one.len()))
        }
    }

    fn is_synced(&self) -> bool {
        matches!(self.how, How::Leased)
    }

    fn litter(&self) -> Vec<String> {
        let is_known = |name: &String| match self.how {
            How::Leased => ["lock", "one"].contains(&&name[..]),
            How::Unleased => ["dropped", "one"].contains(&&name[..]),
        };
        names(self.root()).into_iter().filter(|name| !is_known(name)).collect()
    }
}

#[test]
fn a_file_that_is_put_under_the_lease() {
    let tally = at_every_step(&Put { folder: tempfile::tempdir().unwrap(), how: How::Leased });
    let want = [
        "open lock",
        "open one.aside",
        "write one.aside",
        "sync one.aside",
        "rename one.aside one",
        "sync folder ",
        "remove dropped",
    ];
    assert_eq!(tally.shown(), want);
    // Three writes, of the buffer's length or less. A fault at the rename is the last that leaves
    // the old file.
    assert_eq!((tally.steps.len(), tally.old, tally.new), (9, 14, 6));
}

#[test]
fn a_file_that_anybody_puts() {
    let tally = at_every_step(&Put { folder: tempfile::tempdir().unwrap(), how: How::Unleased });
    let aside = format!("one-{}.aside", std::process::id());
    let want = [format!("open {aside}"), format!("write {aside}"), format!("rename {aside} one")];
    assert_eq!(tally.steps, want);
    assert_eq!((tally.old, tally.new), (6, 2));
}
