//! rustic_core doing one piece of work, so that the bench can measure it.
//!
//!   rustic-peer load FOLDER PASSWORD          loads the whole index: `to_indexed`
//!   rustic-peer load-ids FOLDER PASSWORD      loads it without the places of data blobs: `to_indexed_ids`
//!   rustic-peer lookup FOLDER PASSWORD FILE   loads the whole index, then looks up each data blob of FILE (an id a line),
//!                                             and prints what the look-ups took, as one line of
//!                                             JSON
//!   rustic-peer version

use std::error::Error;
use std::fs;
use std::time::Instant;

use rustic_backend::BackendOptions;
use rustic_core::{Credentials, DataId, OpenStatus, Repository, RepositoryOptions};

type Result<T> = std::result::Result<T, Box<dyn Error>>;

fn main() -> Result<()> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    match words.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["version"] => println!("rustic_core 0.13.0"),
        ["load", folder, password] => drop(open(folder, password)?.to_indexed()?),
        ["load-ids", folder, password] => drop(open(folder, password)?.to_indexed_ids()?),
        ["lookup", folder, password, file] => lookup(folder, password, file)?,
        _ => {
            return Err(
                "usage: rustic-peer load|load-ids|lookup|version [FOLDER PASSWORD [FILE]]".into()
            );
        }
    }
    Ok(())
}

/// Opens a repository without a cache.
fn open(folder: &str, password: &str) -> Result<Repository<OpenStatus>> {
    let backends = BackendOptions::default().repository(folder).to_backends()?;
    let options = RepositoryOptions::default().no_cache(true);
    Ok(Repository::new(&options, &backends)?.open(&Credentials::password(password))?)
}

/// Looks up blobs on this thread alone.
fn lookup(folder: &str, password: &str, file: &str) -> Result<()> {
    let repository = open(folder, password)?.to_indexed()?;
    let text = fs::read_to_string(file)?;
    let ids = text.lines().map(|line| Ok(line.parse()?)).collect::<Result<Vec<DataId>>>()?;
    let (start, cpu_us) = (Instant::now(), own_cpu_us()?);
    let found = ids.iter().filter(|id| repository.get_index_entry(*id).is_ok()).count();
    let (cpu_us, wall_us) = (own_cpu_us()? - cpu_us, start.elapsed().as_secs_f64() * 1e6);
    println!(r#"{{"row":"lookup","count":{found},"cpu_us":[{cpu_us}],"wall_us":[{wall_us}]}}"#);
    Ok(())
}

/// CPU time of this thread so far.
fn own_cpu_us() -> Result<f64> {
    let text = fs::read_to_string("/proc/thread-self/schedstat")?;
    let ns: f64 = text.split(' ').next().unwrap_or_default().parse()?;
    Ok(ns / 1e3)
}
