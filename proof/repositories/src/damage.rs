//! Damaged repositories: what disks, interrupted programs and old versions leave, each made of a
//! sound one.
//!
//! The cases of the golden set have its names, and the same choices of files.

use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::FileExt;
use std::path::Path;

use manicule_format_restic::{FileKind, Id, IndexWriter};

use crate::patient::{PackList, Patient};

/// The files that the cases damage.
#[derive(Clone, Copy, Debug)]
pub struct Victims {
    /// A pack of data that snapshots need, of three blobs at least.
    pub data: Id,
    /// A pack of trees that they need.
    pub tree: Id,
    /// A pack that none needs.
    pub unneeded: Id,
    /// The index file with the most blobs.
    pub index: Id,
}

impl Victims {
    /// Those of the golden repository `unused`.
    pub fn of_unused() -> Victims {
        let id = |text: &str| Id::parse(text.as_bytes()).expect("an id");
        Victims {
            data: id("5f14454766fa5679b84e2951ffbee7cd57982d5bb83be7ac9b6e9e652233511f"),
            tree: id("12ba4612a7e7e243a7e787f62895562114a80dada5ca42ee9c7beec18d7c8b41"),
            unneeded: id("49fac4b23b53edc2c333f4fbc9fb0ae3ffcd95ab0a74f15b2357f7e5a65b99dd"),
            index: id("287075c75cf969271e907374b909bd4fbec3415ccd0f8627652d854555fb131a"),
        }
    }
}

/// A way to damage a repository.
pub type Damage = fn(&Patient, &Victims) -> io::Result<()>;

/// The cases, by their names.
pub const DAMAGES: &[(&str, Damage)] = &[
    ("files-pack-in-other-folder", |patient, victims| {
        let path = patient.path(FileKind::Pack, &victims.data);
        let other = path.parent().and_then(Path::parent).expect("data");
        let other = other.join(format!("{:02x}", victims.data.0[0] ^ 1));
        fs::create_dir_all(&other)?;
        fs::rename(&path, other.join(victims.data.to_string()))
    }),
    ("index-bad-zstd", |patient, _| patient.put_plain(FileKind::Index, b"\x02abcdefgh").map(drop)),
    ("index-cut", |patient, victims| {
        let path = patient.path(FileKind::Index, &victims.index);
        truncate(&path, fs::metadata(&path)?.len() - 1)
    }),
    ("index-empty-file", |patient, victims| {
        truncate(&patient.path(FileKind::Index, &victims.index), 0)
    }),
    ("index-flip", |patient, victims| flip(&patient.path(FileKind::Index, &victims.index), 60)),
    ("index-format-3", |patient, _| patient.put_plain(FileKind::Index, b"\x03abc").map(drop)),
    ("index-gap", |patient, victims| {
        in_pack(patient, &victims.data, |list| {
            list.last_mut().expect("a blob").place.offset += 1;
        })
    }),
    ("index-listed-again", |patient, _| {
        let all: Result<Vec<_>, _> =
            patient.ids(FileKind::Index).iter().map(|id| patient.index(id)).collect();
        patient.put_index(&all?.concat()).map(drop)
    }),
    ("index-missing", |patient, victims| {
        fs::remove_file(patient.path(FileKind::Index, &victims.index))
    }),
    ("index-missing-blob", |patient, victims| {
        in_pack(patient, &victims.data, |list| _ = list.pop())
    }),
    ("index-none", |patient, _| {
        let files = patient.ids(FileKind::Index);
        files.iter().try_for_each(|id| fs::remove_file(patient.path(FileKind::Index, id)))
    }),
    ("index-not-json", |patient, _| patient.put(FileKind::Index, b"{not json").map(drop)),
    ("index-old-format-array", |patient, victims| {
        let mut writer = IndexWriter::new();
        for (pack, list) in taken(patient, &victims.index)? {
            writer.pack(&pack);
            list.iter().for_each(|blob| writer.blob(blob));
        }
        let json = writer.finish();
        let array = json.strip_prefix(b"{\"packs\":").and_then(|json| json.strip_suffix(b"}\n"));
        patient.put(FileKind::Index, array.expect("an index file")).map(drop)
    }),
    ("index-pack-listed-twice", |patient, victims| {
        let mut packs = taken(patient, &victims.index)?;
        packs.push(packs[0].clone());
        patient.put_index(&packs).map(drop)
    }),
    ("index-renamed", |patient, victims| {
        let path = patient.path(FileKind::Index, &victims.index);
        fs::rename(path, patient.path(FileKind::Index, &Id([0xab; 32])))
    }),
    ("index-split-pack", |patient, victims| {
        let mut rest = Vec::new();
        in_pack(patient, &victims.data, |list| rest = list.split_off(3))?;
        patient.put_index(&[(victims.data, rest)]).map(drop)
    }),
    ("index-swapped-ids", |patient, victims| {
        in_pack(patient, &victims.data, |list| {
            let [first, second, ..] = &mut list[..] else { panic!("two blobs") };
            std::mem::swap(&mut first.id, &mut second.id);
        })
    }),
    ("index-unknown-fields", |patient, victims| {
        let packs = taken(patient, &victims.index)?;
        let mut writer = IndexWriter::new();
        for (pack, list) in &packs {
            writer.pack(pack);
            list.iter().for_each(|blob| writer.blob(blob));
        }
        let json = String::from_utf8(writer.finish()).expect("JSON is text");
        let json =
            json.replace(",\"blobs\":", ",\"time\":\"2025-01-01T00:00:00+00:00\",\"blobs\":");
        let json = json.replace("\"type\":", "\"later\":{\"a\":[1,\"}]\"]},\"type\":");
        patient
            .put(FileKind::Index, json.replacen('{', "{\"before\":[[]],", 1).as_bytes())
            .map(drop)
    }),
    ("index-wrong-length", |patient, victims| {
        in_pack(patient, &victims.data, |list| list.last_mut().expect("a blob").place.len += 1)
    }),
    ("pack-cut", |patient, victims| {
        let path = patient.path(FileKind::Pack, &victims.data);
        truncate(&path, fs::metadata(&path)?.len() - 10)
    }),
    ("pack-cut-in-a-blob", |patient, victims| {
        let second = patient.header(&victims.data)?[1].place;
        truncate(&patient.path(FileKind::Pack, &victims.data), second.end() - 1)
    }),
    ("pack-empty", |patient, victims| truncate(&patient.path(FileKind::Pack, &victims.data), 0)),
    ("pack-header-length-zero", |patient, victims| {
        let path = patient.path(FileKind::Pack, &victims.data);
        open(&path)?.write_all_at(&[0; 4], fs::metadata(&path)?.len() - 4)
    }),
    ("pack-longer", |patient, victims| {
        let path = patient.path(FileKind::Pack, &victims.data);
        make_writable(&path)?;
        OpenOptions::new().append(true).open(path)?.write_all(b"0123456789")
    }),
    ("pack-missing", |patient, victims| {
        fs::remove_file(patient.path(FileKind::Pack, &victims.data))
    }),
    ("pack-missing-tree", |patient, victims| {
        fs::remove_file(patient.path(FileKind::Pack, &victims.tree))
    }),
    ("pack-missing-unneeded", |patient, victims| {
        fs::remove_file(patient.path(FileKind::Pack, &victims.unneeded))
    }),
    ("pack-orphan", |patient, victims| {
        let lists_it = |id: &&Id| {
            let packs = patient.index(id).expect("a sound index file");
            packs.iter().any(|(pack, _)| *pack == victims.unneeded)
        };
        let ids = patient.ids(FileKind::Index);
        fs::remove_file(patient.path(FileKind::Index, ids.iter().find(lists_it).expect("one")))
    }),
];

/// Damages a repository.
///
/// # Errors
/// If a file can't be read or written.
///
/// # Panics
/// If there is no such case.
pub fn damage(name: &str, folder: &Path, victims: &Victims) -> io::Result<()> {
    let case = DAMAGES.iter().find(|(case, _)| *case == name);
    let (_, act) = case.unwrap_or_else(|| panic!("no damage is called {name}"));
    act(&Patient::open(folder), victims)
}

/// The packs of an index file, which is removed.
fn taken(patient: &Patient, id: &Id) -> io::Result<Vec<PackList>> {
    let packs = patient.index(id)?;
    fs::remove_file(patient.path(FileKind::Index, id))?;
    Ok(packs)
}

/// Changes the entries of a pack in the index file that lists it.
fn in_pack(
    patient: &Patient,
    pack: &Id,
    change: impl FnOnce(&mut Vec<manicule_format_restic::PackedBlob>),
) -> io::Result<()> {
    for id in patient.ids(FileKind::Index) {
        let mut packs = patient.index(&id)?;
        if let Some((_, list)) = packs.iter_mut().find(|(listed, _)| listed == pack) {
            change(list);
            fs::remove_file(patient.path(FileKind::Index, &id))?;
            return patient.put_index(&packs).map(drop);
        }
    }
    panic!("no index file lists pack {pack}");
}

/// restic makes its files read-only.
fn make_writable(path: &Path) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    fs::set_permissions(path, fs::Permissions::from_mode(0o600))
}

fn open(path: &Path) -> io::Result<fs::File> {
    make_writable(path)?;
    OpenOptions::new().read(true).write(true).open(path)
}

fn truncate(path: &Path, len: u64) -> io::Result<()> {
    open(path)?.set_len(len)
}

/// Changes a bit of the byte at an offset.
fn flip(path: &Path, at: u64) -> io::Result<()> {
    let (file, mut byte) = (open(path)?, [0]);
    file.read_exact_at(&mut byte, at)?;
    file.write_all_at(&[byte[0] ^ 0x40], at)
}
