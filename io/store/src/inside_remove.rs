//! Things that are removed from a folder with all that is in them: each name is looked up in its
//! own folder, and no link is followed.

use std::io;

use crate::inside::InsideFolder;

/// An open folder whose things are removed, and the names that are still to come.
struct Open {
    folder: InsideFolder,
    names: Vec<Vec<u8>>,
}

impl InsideFolder {
    /// Removes what has a name with all that is in it. `gone` receives the names that lead to each
    /// thing, what is in a folder before the folder. With `is_dry` all stays.
    ///
    /// Memory: the names of the open folders; a handle for each.
    pub fn remove_all(
        &self,
        name: &[u8],
        is_dry: bool,
        gone: &mut dyn FnMut(&[Vec<u8>]),
    ) -> io::Result<()> {
        let mut path = vec![name.to_vec()];
        let mut open: Vec<Open> = Vec::new();
        loop {
            let above = open.last().map_or(self, |open| &open.folder);
            let Some(name) = path.last() else { return Ok(()) };
            match above.folder_of(name)? {
                Some(folder) => {
                    let mut names = folder.names()?;
                    names.reverse();
                    open.push(Open { folder, names });
                }
                None => {
                    remove(above, &path, is_dry, false, gone)?;
                    path.pop();
                }
            }
            while let Some(last) = open.last_mut() {
                if let Some(next) = last.names.pop() {
                    path.push(next);
                    break;
                }
                open.pop();
                let above = open.last().map_or(self, |open| &open.folder);
                remove(above, &path, is_dry, true, gone)?;
                path.pop();
            }
            if open.is_empty() {
                return Ok(());
            }
        }
    }
}

fn remove(
    folder: &InsideFolder,
    path: &[Vec<u8>],
    is_dry: bool,
    is_folder: bool,
    gone: &mut dyn FnMut(&[Vec<u8>]),
) -> io::Result<()> {
    if let Some(name) = path.last().filter(|_| !is_dry) {
        folder.unlink(name, is_folder)?;
    }
    gone(path);
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn what_is_removed_is_inside() {
        let outer = tempfile::tempdir().unwrap();
        let (inner, other) = (outer.path().join("in"), outer.path().join("other"));
        fs::create_dir_all(inner.join("a/b/c")).unwrap();
        fs::create_dir(&other).unwrap();
        fs::write(other.join("kept"), "x").unwrap();
        fs::write(inner.join("a/b/file"), "x").unwrap();
        symlink(&other, inner.join("a/way")).unwrap();
        let folder = InsideFolder::create(&inner, 0o700).unwrap();
        for is_dry in [true, false] {
            let mut gone = Vec::new();
            let mut note = |path: &[Vec<u8>]| {
                gone.push(String::from_utf8(path.join(&b'/')).unwrap());
            };
            folder.remove_all(b"a", is_dry, &mut note).unwrap();
            assert_eq!(gone, ["a/b/c", "a/b/file", "a/b", "a/way", "a"]);
            assert_eq!(inner.join("a/b/file").exists(), is_dry);
        }
        assert_eq!(folder.names().unwrap(), Vec::<Vec<u8>>::new());
        assert!(other.join("kept").exists());
        for name in [&b".."[..], b".", b"", b"../other"] {
            assert!(folder.remove_all(name, false, &mut |_| {}).is_err(), "{name:?}");
        }
    }
}
