//! Random bytes of the system.

use std::fs::File;
use std::io::{self, Read};

/// Random bytes, which no other process gets: for ids and names.
pub fn random<const LEN: usize>() -> io::Result<[u8; LEN]> {
    let mut bytes = [0; LEN];
    File::open("/dev/urandom")?.read_exact(&mut bytes)?;
    Ok(bytes)
}
