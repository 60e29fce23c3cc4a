//! Partitions: a part of a table, described by a text that another process can open.

use std::fs;
use std::hash::{Hash, Hasher};
use std::io;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use manicule_blobs::signs::{self, is_repository};
use manicule_core::ErrorClass;
use manicule_store::store::{Name, Store, StoreError};
use serde_json::{Value as Json, json};
use twox_hash::XxHash64;

use super::arguments::Arguments;
use super::call::Call;
use crate::answer::{Asked, conditions};
use crate::blobs::FileKind;
use crate::failure::Failure;
use crate::place::remote;

/// Version of the descriptions.
const VERSION: u64 = 1;

/// A part of a table.
pub(super) struct Partition<'p> {
    pub(super) table: &'static str,
    pub(super) call: &'p Call,
    pub(super) part: Json,
    /// Hash of the files' names and versions.
    pub(super) seen: u64,
}

impl Partition<'_> {
    /// Its description.
    pub(super) fn to_text(&self) -> String {
        let Call { arguments: Arguments { paths, named }, asked } = self.call;
        let paths: Vec<Json> = paths.iter().map(|path| path.to_string_lossy().into()).collect();
        json!({
            "v": VERSION,
            "table": self.table,
            "paths": paths,
            "args": named,
            "columns": asked.columns,
            "where": asked.conditions.iter().map(ToString::to_string).collect::<Vec<_>>().join(" AND "),
            "limit": asked.limit,
            "part": self.part,
            "seen": format!("{:016x}", self.seen),
        })
        .to_string()
    }
}

/// Reads a description: the name of the table, what is asked of it, and the part.
///
/// # Errors
/// A text that is none, and one of files that have changed since.
pub(super) fn read(text: &str) -> Result<(String, Call, Json), Failure> {
    let wrong = |what: &str| Failure::asked(format!("this is no partition: {what}"));
    let json: Json = serde_json::from_str(text).map_err(|error| wrong(&error.to_string()))?;
    if json["v"] != VERSION {
        return Err(wrong(&format!("its version is {}, expected {VERSION}", json["v"])));
    }
    let name = json["table"].as_str().unwrap_or_default().to_owned();
    let read = |field: &str| json[field].clone();
    let texts = |field: &str| serde_json::from_value::<Vec<String>>(read(field));
    let paths = texts("paths").map_err(|_| wrong("its paths are no texts"))?;
    let named = serde_json::from_value(read("args")).map_err(|_| wrong("its args are no texts"))?;
    let columns = serde_json::from_value(read("columns"));
    let asked = Asked {
        columns: columns.map_err(|_| wrong("its columns are no texts"))?,
        conditions: conditions(json["where"].as_str().unwrap_or_default())?,
        limit: json["limit"].as_u64(),
    };
    let arguments = Arguments { paths: paths.into_iter().map(PathBuf::from).collect(), named };
    if json["seen"] != format!("{:016x}", seen(&arguments.paths)?) {
        let changed = "files have changed since the partitions were made: list them again";
        return Err(Failure::new(ErrorClass::Missing, changed));
    }
    Ok((name, Call { arguments, asked }, read("part")))
}

/// Hash of the names, lengths and times of what lies at paths: of folders what is in them, and what
/// is in the folders there. Locks of a repository come and go while nothing that it lists changes:
/// they are left out.
pub(super) fn seen(paths: &[PathBuf]) -> Result<u64, Failure> {
    let mut hasher = XxHash64::with_seed(0);
    for path in paths {
        if let Some(remote) = remote(path)? {
            see_remote(&*remote.folder(), &Name::root(), 2, &mut hasher)?;
            continue;
        }
        seen_at(path, &mut hasher).map_err(|error| {
            Failure::new(ErrorClass::of_io(&error), format!("{}: {error}", path.display()))
        })?;
    }
    Ok(hasher.finish())
}

fn seen_at(path: &Path, hasher: &mut XxHash64) -> io::Result<()> {
    let locks = is_repository(path).then(|| path.join(FileKind::Lock.folder()));
    see(path, locks.as_deref(), 2, hasher)
}

fn see(path: &Path, without: Option<&Path>, depth: u32, hasher: &mut XxHash64) -> io::Result<()> {
    let looked = fs::metadata(path)?;
    hasher.write(path.as_os_str().as_encoded_bytes());
    hasher.write(&[0]);
    if looked.is_file() {
        let since = looked.modified()?.duration_since(UNIX_EPOCH).unwrap_or_default();
        hasher.write_u64(looked.len());
        hasher.write_u128(since.as_nanos());
    } else if looked.is_dir() && depth > 0 {
        let mut entries =
            fs::read_dir(path)?.map(|entry| Ok(entry?.path())).collect::<io::Result<Vec<_>>>()?;
        entries.retain(|entry| Some(&**entry) != without);
        entries.sort_unstable();
        for entry in entries {
            match see(&entry, without, depth - 1, hasher) {
                // It has gone since the folder was read: that is a change too.
                Err(error) if error.kind() == io::ErrorKind::NotFound => hasher.write(b"gone"),
                seen => seen?,
            }
        }
    }
    Ok(())
}

/// As [`see`], of what lies below a name in an object store.
fn see_remote(
    store: &dyn Store,
    name: &Name,
    depth: u32,
    hasher: &mut XxHash64,
) -> Result<(), StoreError> {
    hasher.write(store.show(name).as_os_str().as_encoded_bytes());
    hasher.write(&[0]);
    let mut listed = store.list(name)?;
    if listed.is_empty() {
        store.look(name)?.version.hash(hasher);
    }
    listed.sort_by(|one, other| one.name.cmp(&other.name));
    let has = |name: &&str| listed.iter().any(|entry| entry.name == *name);
    if signs::NAMES.iter().all(has) {
        listed.retain(|entry| entry.name != FileKind::Lock.folder());
    }
    for entry in listed {
        let Some(below) = name.join(&entry.name) else { continue };
        match entry.version {
            Some(version) => {
                hasher.write(entry.name.as_bytes());
                version.hash(hasher);
            }
            None if depth > 1 => see_remote(store, &below, depth - 1, hasher)?,
            None => hasher.write(entry.name.as_bytes()),
        }
    }
    Ok(())
}
