//! Signs of shards and of what lies beside them: names, and the bytes that prove them.
//!
//! Bytes:   docs/formats/zoekt.md

use std::fs::{self, File};
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::FileExt;
use std::path::Path;

use manicule_format_zoekt::ends_as_shard;
use manicule_store::NamedEntry;

use super::exchange::{EXCHANGE, HEAD};
pub use super::family::ENDING;
use super::family::{PLAN, PLAN_HEAD, SIDECAR};

/// Whether a name is one of those in the table of `family`: whatever its bytes, it is a shard or
/// belongs to one.
pub fn is_of_shards(name: &[u8]) -> bool {
    let Some((_, rest)) = str::from_utf8(name).ok().and_then(|name| name.rsplit_once("_v")) else {
        return false;
    };
    let Some((version, rest)) = rest.split_once('.') else { return false };
    let are_digits =
        |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let is_numbered = |rest: &str| {
        let Some((number, rest)) = rest.split_once('.') else { return false };
        let is_aside = rest.starts_with("zoekt.") && rest.ends_with(".tmp");
        let known = ["zoekt", "zoekt.meta", "zoekt.tmp", "spool.zoekt.tmp"];
        number.len() >= 5 && are_digits(number) && (known.contains(&rest) || is_aside)
    };
    let of_writers = ["plan", "plan.zoekt.tmp", "exchange", "exchange.tmp"];
    are_digits(version) && (is_numbered(rest) || of_writers.contains(&rest))
}

/// Whether a file ends as shards do.
pub fn is_sound(path: &Path) -> bool {
    let ends_well = |path: &Path| -> io::Result<bool> {
        // A pipe of that name is not waited for.
        if !fs::metadata(path)?.is_file() {
            return Ok(false);
        }
        let file = File::open(path)?;
        let len = file.metadata()?.len();
        let mut trailer = [0; 8];
        let Some(at) = len.checked_sub(trailer.len() as u64) else { return Ok(false) };
        file.read_exact_at(&mut trailer, at)?;
        Ok(ends_as_shard(trailer, len))
    };
    ends_well(path).unwrap_or(false)
}

/// Whether a file is the plan of an index that is being published, or an exchange of shards.
pub fn is_plan(path: &Path) -> bool {
    let ends_with = |ending: &str| path.as_os_str().as_bytes().ends_with(ending.as_bytes());
    let begins = |head: &str| fs::read(path).is_ok_and(|text| text.starts_with(head.as_bytes()));
    ends_with(PLAN) && begins(PLAN_HEAD) || ends_with(EXCHANGE) && begins(HEAD)
}

/// Whether a name is that of a shard, as anybody may call one.
pub fn is_shard_name(name: &[u8]) -> bool {
    name.ends_with(ENDING.as_bytes())
}

/// Whether a file is a shard to somebody who has given it by its name, in whatever case.
pub fn is_given_shard(path: &Path) -> bool {
    path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case(&ENDING[1..]))
}

/// Whether a name is that of a plan or an exchange, if its bytes say so.
pub fn is_plan_name(name: &[u8]) -> bool {
    name.ends_with(PLAN.as_bytes()) || name.ends_with(EXCHANGE.as_bytes())
}

/// Whether a name may be that of a shard or of something beside one.
pub fn may_be_of_shards(name: &[u8]) -> bool {
    let is_named = is_shard_name(name) || is_plan_name(name) || name.ends_with(SIDECAR.as_bytes());
    is_named || is_of_shards(name)
}

/// Whether a file is a shard: by its name, whatever its bytes, or by its bytes.
pub fn is_shard(path: &Path) -> bool {
    let is_named = path.file_name().is_some_and(|name| is_of_shards(name.as_bytes()));
    is_named && path.is_file() || is_sound(path)
}

/// Whether an entry belongs to the shards of a folder. What a writer of shards is about to make
/// does so whether there are any or not, since it may come at any time.
pub fn is_of_folder(folder: &Path, entry: &NamedEntry, has_shards: bool) -> bool {
    let (bytes, path) = (entry.name.as_bytes(), || folder.join(&entry.name));
    if is_plan_name(bytes) {
        let is_gone = |path: &Path| {
            path.symlink_metadata().is_err_and(|error| error.kind() == io::ErrorKind::NotFound)
        };
        let is_plan = |path: &Path| is_plan(path) || is_gone(path);
        return is_of_shards(bytes) && is_plan(&path());
    }
    let is_named = is_of_shards(bytes) || has_shards && may_be_of_shards(bytes);
    is_named && !entry.is_folder(folder)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_shards_and_what_belongs_to_them() {
        for (name, want) in [
            ("a_v16.00000.zoekt", true),
            ("compound-1234_v17.00000.zoekt", true),
            ("a_v1_v16.00012.zoekt.meta", true),
            ("a_v16.00000.zoekt.tmp", true),
            ("a_v16.00000.zoekt.1729.tmp", true),
            ("a_v16.00000.spool.zoekt.tmp", true),
            ("a_v16.plan", true),
            ("a_v16.plan.zoekt.tmp", true),
            ("compound-1234_v17.exchange", true),
            ("compound-1234_v17.exchange.tmp", true),
            ("a_v16.00000.zoekt.meta.tmp", true),
            ("x.zoekt", false),
            ("x.zoekt.meta", false),
            ("a_v16.00000.zoekt.orig", false),
            ("a_v16.0000.zoekt", false),
            ("a_vx.00000.zoekt", false),
            ("a_v16.plan.txt", false),
            ("battle.plan", false),
            ("stock.exchange", false),
        ] {
            assert_eq!(is_of_shards(name.as_bytes()), want, "{name}");
        }
        assert!(!is_of_shards(b"\xff_v16.00000.zoekt"));
    }
}
