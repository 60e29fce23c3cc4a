//! restic's names for its files.
//!
//! Bytes:   docs/formats/restic.md, "The folder"

use manicule_format_restic::{CONFIG_NAME, FileKind};
use manicule_store::store::Name;

use super::FileName;

/// A file's name in the store.
pub(super) fn name_of(file: FileName) -> Name {
    let name = match file {
        FileName::Config => Name::new(CONFIG_NAME),
        FileName::Of(kind, id) => Name::new(&kind.path(&id)),
    };
    name.expect("restic's names are relative")
}

/// The folder of a kind.
pub(super) fn folder_of(kind: FileKind) -> Name {
    Name::new(kind.folder()).expect("restic's names are relative")
}
