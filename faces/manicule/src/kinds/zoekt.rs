//! Shards, and folders of shards.

use std::path::{Path, PathBuf};

use manicule_code::shards::{self, ShardCounts, signs};
use manicule_core::findings;
use manicule_store::NamedEntry;

use super::address::ListedNames;
use super::kind::Kind;
use super::names::Names;
use super::reader::{Call, Place, Reader, index_file, no_parts};
use super::row::{KindRow, SystemRow};
use super::signs::Signs;
use super::system::System;
use crate::catalog::code as tables;
use crate::code;
use crate::find::kinds::Shards;
use crate::inspect::{Error, Inspected, Part, Verified};
use crate::place::is_address;

impl Kind {
    /// A `.zoekt` file.
    pub const ZOEKT_SHARD: Kind = Kind::new("zoekt-shard", "a zoekt shard", System::ZOEKT);
    /// A folder of them.
    pub const ZOEKT_SHARDS: Kind =
        Kind::new("zoekt-shards", "a folder of zoekt shards", System::ZOEKT).ranked(2);
}

/// zoekt.
pub(super) static ROW: SystemRow = SystemRow {
    system: System::ZOEKT,
    signs: &Zoekt,
    kinds: &[
        KindRow { kind: Kind::ZOEKT_SHARD, reader: SHARD },
        KindRow { kind: Kind::ZOEKT_SHARDS, reader: SHARDS },
    ],
    searched: Some(|| Box::<Shards>::default()),
    tables: &[&tables::DOCUMENTS, &tables::LINES, &tables::REPOSITORIES, &tables::SYMBOLS],
};

struct Zoekt;

impl Signs for Zoekt {
    fn of_name(&self, path: &Path) -> Option<Kind> {
        signs::is_given_shard(path).then_some(Kind::ZOEKT_SHARD)
    }

    fn searched_file(&self, path: &Path, name: &[u8]) -> Option<Kind> {
        let is_shard = || is_address(path) || signs::is_of_shards(name) || signs::is_sound(path);
        (signs::is_shard_name(name) && is_shard()).then_some(Kind::ZOEKT_SHARD)
    }

    fn takes_name(&self, name: &[u8]) -> bool {
        signs::may_be_of_shards(name)
    }

    fn proven(&self, _: &Path, names: &Names) -> Vec<Kind> {
        let is_any = names.any(signs::is_shard_name, signs::is_shard)
            || names.any(signs::is_plan_name, signs::is_plan);
        is_any.then_some(Kind::ZOEKT_SHARDS).into_iter().collect()
    }

    fn listed(&self, names: ListedNames<'_>) -> Vec<Kind> {
        let is_shard = |name: &str| signs::is_shard_name(name.as_bytes());
        names.files().any(is_shard).then_some(Kind::ZOEKT_SHARDS).into_iter().collect()
    }

    fn owns(&self, folder: &Path, entry: &NamedEntry, proven: &[Kind]) -> bool {
        signs::is_of_folder(folder, entry, proven.contains(&Kind::ZOEKT_SHARDS))
    }

    fn noticed_endings(&self) -> &'static [&'static str] {
        &[signs::ENDING]
    }

    fn may_be_noticed(&self, path: &Path) -> bool {
        path.extension().is_some()
    }

    fn passed(&self, path: &Path) -> Option<(Kind, PathBuf)> {
        let is_shard = path.extension().is_some() && signs::is_sound(path);
        Some((Kind::ZOEKT_SHARD, path.parent().filter(|_| is_shard)?.to_owned()))
    }
}

fn of_counts(verified: findings::Verified<ShardCounts>) -> Verified {
    use Part::{Count, Len, Text};
    let counts = &verified.counts;
    let mut lines = vec![vec![
        Count(counts.shards, "shard"),
        Text(" ("),
        Len(counts.shards_len),
        Text("), "),
        Count(counts.documents, "document"),
        Text(", "),
        Count(counts.lists, "list"),
        Text(" with "),
        Count(counts.postings, "position"),
    ]];
    if counts.sidecars > 0 {
        lines.push(vec![Count(counts.sidecars, "sidecar")]);
    }
    Verified::new(verified.verdict, counts.fields(), lines)
}

fn verify(
    place: &Place,
    call: &Call<'_>,
    failed: &mut dyn FnMut(Error),
) -> Result<Verified, Error> {
    let failed = &mut |error| failed(Error::Shard(error));
    code::verify(&place.path, call.threads, call.watch, failed).map(of_counts).map_err(Error::Shard)
}

/// Of a shard.
const SHARD: Reader = Reader {
    inspect: |place, _| {
        code::inspect(&place.path)
            .map(|shard| Inspected::Shard(Box::new(shard)))
            .map_err(Error::Shard)
    },
    parts: |place| index_file(place, shards::outline, str::to_owned).map(Some),
    verify,
};

/// Of a folder of shards.
const SHARDS: Reader = Reader {
    inspect: |place, _| code::summarise(&place.path).map(Inspected::Shards).map_err(Error::Shard),
    parts: no_parts,
    verify,
};
