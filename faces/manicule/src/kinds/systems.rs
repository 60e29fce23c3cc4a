//! All systems: those of the house, and those that a program has added.

use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::sync::{Mutex, OnceLock};

use manicule_store::threads::lock;

use super::kind::Kind;
use super::reader::{Place, Reader};
use super::row::{KindRow, SystemRow};
use super::system::System;
use super::{cassandra, graph, plain, prometheus, rdf, restic, tree, zoekt};
use crate::failure::Failure;

/// Those of the house. A further one is a line here.
static HOUSE: [&SystemRow; 8] = [
    &plain::ROW,
    &tree::ROW,
    &zoekt::ROW,
    &prometheus::ROW,
    &restic::ROW,
    &cassandra::ROW,
    &graph::ROW,
    &rdf::ROW,
];

/// Those that are added, until the first look at all of them.
static ADDED: Mutex<Vec<&SystemRow>> = Mutex::new(Vec::new());

/// All of them in their order, from the first look on. So a look takes no lock.
static ALL: OnceLock<Vec<&SystemRow>> = OnceLock::new();

/// Adds a system to those that are recognised, searched, inspected, verified and listed. A program
/// adds its systems before its first call of anything else: all calls see the same ones.
///
/// ```
/// use manicule::ErrorClass;
/// use manicule::kinds::{Kind, KindRow, Reader, Signs, System, SystemRow, add, recognise};
///
/// const NOTES: System = System::new("notes");
/// const NOTE: Kind = Kind::new("note", "a note", NOTES);
///
/// struct ByHead;
///
/// impl Signs for ByHead {
///     fn of_head(&self, head: &[u8]) -> Option<Kind> {
///         head.starts_with(b"NOTE 1\n").then_some(NOTE)
///     }
/// }
///
/// static ROW: SystemRow = SystemRow {
///     system: NOTES,
///     signs: &ByHead,
///     kinds: &[KindRow { kind: NOTE, reader: Reader::refusing() }],
///     searched: None,
///     tables: &[],
/// };
///
/// add(&ROW)?;
/// assert_eq!(add(&ROW).unwrap_err().to_string(), "there is a system \"notes\" already");
///
/// let folder = tempfile::tempdir()?;
/// let path = folder.path().join("a");
/// std::fs::write(&path, "NOTE 1\nbuy oil for the lamps\n")?;
/// assert_eq!(recognise(&path)?, NOTE);
///
/// assert_eq!(add(&ROW).unwrap_err().class(), ErrorClass::Asked);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// A word of a system or of a kind that another one has; a name of a table that doesn't begin with
/// the system's word and a dot, or that another of its tables has; a call after the first look. The
/// row is not added then.
pub fn add(row: &'static SystemRow) -> Result<(), Failure> {
    let mut added = lock(&ADDED);
    if ALL.get().is_some() {
        let word = row.system.word();
        return Err(Failure::asked(format!(
            "the system {word:?} comes too late: systems are added before the first call"
        )));
    }
    check(row, HOUSE.iter().chain(&*added))?;
    added.push(row);
    Ok(())
}

/// Whether a row can stand beside others.
fn check<'r>(
    row: &SystemRow,
    others: impl Iterator<Item = &'r &'static SystemRow> + Clone,
) -> Result<(), Failure> {
    let word = row.system.word();
    if others.clone().any(|other| other.system.word() == word) {
        return Err(Failure::asked(format!("there is a system {word:?} already")));
    }
    let mut taken: Vec<&str> = others.flat_map(|other| words(other)).collect();
    for own in words(row) {
        if taken.contains(&own) {
            return Err(Failure::asked(format!("there is a kind {own:?} already")));
        }
        taken.push(own);
    }
    for (at, table) in row.tables.iter().enumerate() {
        let name = table.name;
        if !name.strip_prefix(word).is_some_and(|rest| rest.starts_with('.')) {
            return Err(Failure::asked(format!(
                "a table of the system {word:?} is called {word}.SOMETHING, not {name:?}"
            )));
        }
        if row.tables[..at].iter().any(|other| other.name == name) {
            return Err(Failure::asked(format!("there is a table {name:?} already")));
        }
    }
    Ok(())
}

fn words(row: &SystemRow) -> impl Iterator<Item = &'static str> {
    row.kinds.iter().map(|row| row.kind.word())
}

/// Every system, in the order in which a folder's contents are listed.
pub fn systems() -> &'static [&'static SystemRow] {
    ALL.get_or_init(|| {
        let mut all: Vec<&SystemRow> = HOUSE.to_vec();
        all.extend(&*lock(&ADDED));
        all.sort_by_key(|row| row.system);
        all
    })
}

/// The row of a system; one that was not added has none.
pub(crate) fn row_of(system: System) -> Option<&'static SystemRow> {
    systems().iter().find(|row| row.system == system).copied()
}

/// The reader of a kind. One that no row has is not read.
pub(super) fn reader(kind: Kind) -> Reader {
    let kinds = row_of(kind.system()).map_or(&[][..], |row| row.kinds);
    let own = kinds.iter().find(|row: &&KindRow| row.kind == kind);
    own.map_or(Reader::refusing(), |row| row.reader)
}

/// A path as one of its kinds.
pub(super) fn place(path: &Path, kind: Kind) -> Place {
    Place { path: path.to_owned(), kind, reader: reader(kind), listing: None }
}

/// Kind of a file that a search was given, if it isn't searched as text. Most are judged by their
/// names only: of ten thousand source files none is opened.
pub(super) fn searched_file(path: &Path) -> Option<Kind> {
    let name = path.file_name()?.as_bytes();
    systems().iter().find_map(|row| row.signs.searched_file(path, name))
}

impl System {
    /// Whether a search of its paths is one of text, as of any file.
    pub fn is_text(self) -> bool {
        row_of(self).is_some_and(|row| row.searched.is_none())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalog::tables;

    #[track_caller]
    fn refused(row: &SystemRow, want: &str) {
        assert_eq!(check(row, HOUSE.iter()).unwrap_err().to_string(), want);
    }

    static OTHER: SystemRow = SystemRow {
        system: System::new("other"),
        signs: &plain::Plain,
        kinds: &[],
        searched: None,
        tables: &[],
    };

    #[test]
    fn words_and_names_that_are_taken_are_refused() {
        let named = |word| SystemRow { system: System::new(word), ..OTHER };
        assert_eq!(check(&OTHER, HOUSE.iter()), Ok(()));
        for word in ["text", "series"] {
            refused(&named(word), &format!("there is a system {word:?} already"));
        }
        let kinds = zoekt::ROW.kinds;
        refused(&SystemRow { kinds, ..OTHER }, "there is a kind \"zoekt-shard\" already");
        let tables = &zoekt::ROW.tables[..1];
        let want =
            "a table of the system \"other\" is called other.SOMETHING, not \"code.documents\"";
        refused(&SystemRow { tables, ..OTHER }, want);
    }

    #[test]
    fn names_of_tables_begin_with_the_word_of_their_system() {
        for row in HOUSE {
            let own = SystemRow { system: System::new(row.system.word()), ..*row };
            assert_eq!(check(&own, std::iter::empty()), Ok(()), "{row:?}");
        }
        // Those of no system have no dot, so that no system's are called as they are.
        let of_none = tables().iter().filter(|table| !table.name.contains('.'));
        assert_eq!(of_none.map(|table| table.name).collect::<Vec<_>>(), ["files", "find"]);
    }

    #[test]
    fn the_order_is_that_of_the_house_and_no_system_is_added_after_a_look() {
        let order: Vec<System> = systems().iter().map(|row| row.system).collect();
        assert_eq!(order, HOUSE.map(|row| row.system));
        let (last, others) = (System::RDF, [System::new("a"), System::new("b")]);
        assert!(last < others[0] && others[0] < others[1]);
        let late = add(&OTHER).unwrap_err().to_string();
        let want = "the system \"other\" comes too late: systems are added before the first call";
        assert_eq!(late, want);
    }
}
