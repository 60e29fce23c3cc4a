//! The command that makes the repositories of the bench, for itself and for people.

use std::ffi::OsString;
use std::path::PathBuf;

use anyhow::{Context, Result, bail};
use manicule_repositories::{
    FleetOptions, IndexOnlyOptions, MadeOptions, Restic, make_with_restic, write_fleet,
    write_index_only,
};

use crate::measure::timed;

const USAGE: &str = "usage: manicule-bench blobs generate --shape SHAPE -o DIR [OPTIONS]

Writes a repository into a new folder, and says on standard error what it holds. Its password is \"manicule-golden\".

  --shape index       index files alone: entries of packs that exist nowhere (250 MB for 5 million)
  --shape fleet       a whole repository: four hosts through time, small blobs (0.5 GB for a million)
  --shape real        the same by restic itself, of generated files: its chunks and packs
  --data N            index: entries of data blobs (default: 4750000)
                      fleet: data blobs (default: 1000000); real: files (default: 150000)
  --trees N           index: entries of trees (default: 250000)
  --snapshots N       fleet: snapshots (default: 1000); real: default 12
  --seed N            (default: 1)
  --restic PROGRAM    real: the restic to call
  --source DIR        real: a new folder for the files that it reads";

/// Number of blobs in a pack of a fleet.
const BLOBS_IN_PACK: usize = 400;

/// The command `blobs generate`.
pub(super) fn command(words: Vec<OsString>) -> Result<()> {
    use lexopt::prelude::*;
    let (mut shape, mut folder, mut data, mut snapshots, mut seed) = (None, None, None, None, 1);
    let (mut restic, mut source, mut trees) = (None, None, None);
    let mut parser = lexopt::Parser::from_args(words);
    while let Some(word) = parser.next()? {
        match word {
            Long("shape") => shape = Some(parser.value()?.string()?),
            Short('o') => folder = Some(PathBuf::from(parser.value()?)),
            Long("data") => data = Some(parser.value()?.parse::<u32>()?),
            Long("trees") => trees = Some(parser.value()?.parse::<u32>()?),
            Long("snapshots") => snapshots = Some(parser.value()?.parse::<u32>()?),
            Long("seed") => seed = parser.value()?.parse()?,
            Long("restic") => restic = Some(Restic::new(PathBuf::from(parser.value()?))),
            Long("source") => source = Some(PathBuf::from(parser.value()?)),
            Long("help") | Short('h') => {
                println!("{USAGE}");
                return Ok(());
            }
            _ => return Err(word.unexpected().into()),
        }
    }
    let folder = folder.context("-o DIR is missing")?;
    let shape = shape.context("--shape SHAPE is missing")?;
    let (made, sample) = timed(|| match shape.as_str() {
        "index" => {
            let all = IndexOnlyOptions::five_million();
            let data_count = data.map_or(all.data_count, u64::from);
            let tree_count = trees.map_or(all.tree_count, u64::from);
            let options = IndexOnlyOptions { seed, data_count, tree_count };
            Ok(Some(write_index_only(&folder, &options)?))
        }
        "fleet" => {
            let options = FleetOptions {
                seed,
                data_count: data.unwrap_or(1_000_000),
                snapshot_count: snapshots.unwrap_or(1000),
                blobs_in_pack: BLOBS_IN_PACK,
            };
            Ok(Some(write_fleet(&folder, &options)?))
        }
        "real" => {
            let file_count = data.unwrap_or(150_000) as usize;
            let options = MadeOptions {
                seed,
                file_count,
                snapshot_count: snapshots.unwrap_or(12) as usize,
                change_count: file_count / 20,
            };
            let restic = restic.as_ref().context("--restic PROGRAM is missing")?;
            let source = source.as_ref().context("--source DIR is missing")?;
            make_with_restic(restic, &folder, source, &options)?;
            Ok(None)
        }
        other => bail!("no shape is called {other}\n\n{USAGE}"),
    });
    if let Some(written) = made? {
        eprintln!("{written}");
    }
    eprintln!("{:.1} s, of CPU {:.1} s", sample.wall_ms / 1e3, sample.cpu_ms / 1e3);
    Ok(())
}
