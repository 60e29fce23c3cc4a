//! A file whose reader is held until something else has happened: what is read after it is another
//! state than what was listed before.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use rustix::fs::{CWD, FileType, Mode, OFlags, mknodat};
use rustix::io::Errno;

/// How long a reader is waited for.
const WAIT_MAX: Duration = Duration::from_secs(60);
const PAUSE: Duration = Duration::from_millis(1);

/// A pipe in the place of a file.
#[derive(Debug)]
pub struct Gate {
    path: PathBuf,
    aside: PathBuf,
}

impl Gate {
    /// Puts a pipe in the place of a file, which goes to `aside`.
    pub fn close(path: &Path, aside: &Path) -> io::Result<Self> {
        fs::rename(path, aside)?;
        mknodat(CWD, path, FileType::Fifo, Mode::from_raw_mode(0o600), 0)?;
        Ok(Gate { path: path.to_owned(), aside: aside.to_owned() })
    }

    /// Waits until somebody opens the file, does a job, puts the file back, and lets that one read
    /// it.
    ///
    /// # Errors
    /// [`io::ErrorKind::TimedOut`] if nobody opens it.
    pub fn open_after(self, job: impl FnOnce() -> io::Result<()>) -> io::Result<()> {
        let mut reader = self.reader()?;
        job()?;
        let bytes = fs::read(&self.aside)?;
        fs::rename(&self.aside, &self.path)?;
        reader.write_all(&bytes)
    }

    /// The end of the pipe that is written, when the other one is open.
    fn reader(&self) -> io::Result<File> {
        let no_wait = OFlags::NONBLOCK.bits() as i32;
        let began = Instant::now();
        loop {
            match OpenOptions::new().write(true).custom_flags(no_wait).open(&self.path) {
                Err(error) if error.raw_os_error() == Some(Errno::NXIO.raw_os_error()) => {}
                opened => return opened,
            }
            if began.elapsed() > WAIT_MAX {
                let what = format!("{}: nobody has opened it", self.path.display());
                return Err(io::Error::new(io::ErrorKind::TimedOut, what));
            }
            thread::sleep(PAUSE);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reader_waits_until_the_job_is_done() {
        let folder = tempfile::tempdir().unwrap();
        let [path, aside, other] = ["a", "a.aside", "b"].map(|name| folder.path().join(name));
        fs::write(&path, "bytes").unwrap();
        fs::write(&other, "").unwrap();
        let gate = Gate::close(&path, &aside).unwrap();
        let [read, seen] = [path.clone(), other.clone()];
        let reader = thread::spawn(move || (fs::read(read).unwrap(), seen.exists()));
        gate.open_after(|| fs::remove_file(&other)).unwrap();
        assert_eq!(reader.join().unwrap(), (b"bytes".to_vec(), false));
        assert_eq!(fs::read(&path).unwrap(), b"bytes");
    }
}
