//! Files and folders, dumped.

use super::beside::{Beside, bytes, judged};
use super::zip::entries;

/// All of an archive but the deflated bytes, which each encoder makes in its own way.
fn zip(out: &[u8]) -> Vec<u8> {
    format!("{:?}", entries(out)).into_bytes()
}

#[test]
fn dumps_are_restics() {
    let mut all = Beside::all("dumps, beside restic's");
    for one in &mut all {
        let ids = one.snapshots();
        for id in [&*ids[0], &*ids[ids.len() - 1]] {
            let [files, folders] = ["file", "dir"].map(|kind| one.paths(id, kind));
            let (count, last) = (files.len(), &folders[folders.len() - 1]);
            for file in files.iter().step_by(count.div_ceil(8)) {
                one.compare(&["dump", id, file], None, bytes);
            }
            for kind in ["symlink", "fifo", "socket"] {
                for path in one.paths(id, kind).iter().take(1) {
                    one.compare(&["dump", id, path], None, bytes);
                }
            }
            for form in ["tar", "zip"] {
                let read = if form == "zip" { zip } else { bytes };
                for path in ["/", &folders[0], last, &format!("{last}/../.")] {
                    one.compare(&["dump", "--archive", form, id, path], None, read);
                }
                let below = format!("{id}:{last}");
                one.compare(&["dump", "--archive", form, &below, "/"], None, read);
            }
            one.compare(&["dump", id, "/nowhere"], None, bytes);
        }
    }
    judged(all, "dump", &[]);
}
