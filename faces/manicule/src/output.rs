//! A file that a command writes for its user, atomically.

use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::path::Path;

use manicule_store::Disk;
use manicule_store::publish::{Aside, SHARED};
use manicule_store::store::StoreError;

use crate::place::{Remote, remote, scratch_of_call};

/// Writes a file aside, and gives it its name when it is whole. Of a link, the target is replaced;
/// a pipe or a device is written to as it is. At an address a local file is written first, and put
/// there whole. After an error the old file still exists.
pub fn put_whole<T, E: From<io::Error>>(
    path: &Path,
    write: impl FnOnce(&mut dyn Write) -> Result<T, E>,
) -> Result<T, E> {
    if let Some(remote) = remote(path).map_err(source_of)? {
        return put_elsewhere(path, &remote, write);
    }
    let path = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    if fs::metadata(&path).is_ok_and(|meta| !meta.is_file()) {
        return write(&mut OpenOptions::new().write(true).open(&path)?);
    }
    let no_name = || io::Error::new(io::ErrorKind::InvalidInput, "it has no name");
    let mut name = path.file_name().ok_or_else(no_name)?.to_owned();
    name.push(format!(".{}.tmp", std::process::id()));
    let mut aside = Aside::create(&Disk::shared(), &path.with_file_name(name), SHARED)?;
    let done = write(aside.file())?;
    aside.publish(&path)?;
    Ok(done)
}

/// The same at an address; one where nothing can be put is refused first.
fn put_elsewhere<T, E: From<io::Error>>(
    path: &Path,
    remote: &Remote,
    write: impl FnOnce(&mut dyn Write) -> Result<T, E>,
) -> Result<T, E> {
    remote.upload().map_err(source_of)?;
    let folder = scratch_of_call(path).map_err(source_of)?;
    let mut file = folder.create(FILE)?;
    let done = write(&mut file)?;
    remote.put(&folder.path().join(FILE)).map_err(source_of)?;
    Ok(done)
}

/// The cause alone: who asks names the file.
fn source_of(error: StoreError) -> io::Error {
    error.source
}

/// Name of the local file on its way to an address.
const FILE: &str = "file";
