//! A sixth kind of index, by its row alone: files of sorted pairs of texts.
//!
//! Bytes:   | "PAIRS 1\n" | for each pair: key, tab, value, newline | "sum ", 8 digits, newline |

use std::path::{Path, PathBuf};

use manicule::answer::{Field, Kind as Type};
use manicule::catalog::Table;
use manicule::find::kinds::{
    Ask, FilesOption, Gaps, Order, Place as Index, Places, Refusals, Take,
};
use manicule::find::{Entry, Face, Item, Search};
use manicule::inspect::{
    Contents, Error, FileFinding, IndexFile, Inspected, Outline, Part, Verdict, Verified,
};
use manicule::kinds::{Kind, KindRow, Reader, Signs, System, SystemRow};
use manicule::place::map;
use manicule::{ErrorClass, Failure};
use serde_json::{Value as Json, json};

const PAIRS: System = System::new("pairs");
const FILE: Kind = Kind::new("pairs-file", "a file of pairs", PAIRS);
const MAGIC: &str = "PAIRS 1\n";

pub(super) static ROW: SystemRow = SystemRow {
    system: PAIRS,
    signs: &ByHead,
    kinds: &[KindRow { kind: FILE, reader: READER }],
    searched: Some(|| Box::<Places<Pairs>>::default()),
    tables: &[&TABLE],
};

struct ByHead;

impl Signs for ByHead {
    fn of_head(&self, head: &[u8]) -> Option<Kind> {
        head.starts_with(MAGIC.as_bytes()).then_some(FILE)
    }

    fn searched_file(&self, _: &Path, name: &[u8]) -> Option<Kind> {
        name.ends_with(b".pairs").then_some(FILE)
    }
}

/// A file that is open.
struct Pairs {
    path: PathBuf,
    pairs: Vec<(String, String)>,
    sum_stored: String,
    sum: String,
    outline: Outline,
}

pub(super) fn sum(lines: &str) -> String {
    let sum = lines.bytes().fold(7, |sum: u32, byte| sum.rotate_left(5) ^ u32::from(byte));
    format!("{sum:08x}\n")
}

fn open(path: &Path) -> Result<Pairs, Failure> {
    let bytes =
        map(path).map_err(|error| Failure::new(ErrorClass::of_io(&error), error).of_path(path))?;
    let text = String::from_utf8_lossy(&bytes);
    let parts = text.strip_prefix(MAGIC).and_then(|rest| rest.rsplit_once("sum "));
    let lost = || Failure::new(ErrorClass::Damaged, "there is no magic or no sum").of_path(path);
    let (lines, sum_stored) = parts.ok_or_else(lost)?;
    let pair = |line: &str| line.split_once('\t').map(|(key, own)| (key.into(), own.into()));
    let pairs: Vec<(String, String)> = lines.lines().filter_map(pair).collect();
    let (start, end) = (MAGIC.len() as u64, (MAGIC.len() + lines.len()) as u64);
    let mut outline = Outline::default();
    outline.push(0..start, "magic", MAGIC.trim_end());
    outline.push(start..end, "pairs", pairs.len());
    outline.push(end..text.len() as u64, "sum", sum_stored.trim_end());
    let (sum_stored, sum) = (sum_stored.to_owned(), sum(lines));
    Ok(Pairs { path: path.to_owned(), pairs, sum_stored, sum, outline })
}

const READER: Reader = Reader {
    inspect: |place, _| {
        let count = open(&place.path).map_err(Error::Other)?.pairs.len();
        let text = format!("{}: {count} pairs", place.path.display());
        let json = json!({ "path": place.path.to_string_lossy(), "pairs": count });
        Ok(Inspected::Other(Contents { text, json }))
    },
    parts: |place| {
        let outline = open(&place.path).map_err(Error::Other)?.outline;
        let bytes = map(&place.path).map_err(Error::io(&place.path))?;
        Ok(Some(IndexFile::new(FILE.word(), bytes, outline)))
    },
    verify: |place, _, _| {
        let Pairs { pairs, sum, sum_stored, .. } = open(&place.path).map_err(Error::Other)?;
        let (mut verdict, name) = (Verdict::default(), place.path.to_string_lossy());
        if sum != sum_stored {
            let what = format!("sum: wanted {}, got {}", sum.trim_end(), sum_stored.trim_end());
            verdict.findings.push(FileFinding::whole(name, what));
        }
        let count = pairs.len() as u64;
        let line = vec![Part::Count(count, "pair")];
        Ok(Verified::new(verdict, vec![("pairs", count)], vec![line]))
    },
};

impl Index for Pairs {
    type Counts = u64;

    const FIELDS: fn(&u64) -> Vec<(&'static str, u64)> = |tested| vec![("pairs", *tested)];
    const REFUSALS: Refusals = Refusals {
        has: "a file of pairs has keys and values",
        files: &[FilesOption::Size],
        order: Order::Path("files of pairs"),
    };
    const SYSTEM: System = PAIRS;

    fn open(given: &Path, _: &Search, _: &dyn Face) -> Result<Vec<Self>, Failure> {
        Ok(vec![open(given)?])
    }

    fn path(&self) -> &Path {
        &self.path
    }

    fn search(
        &self,
        ask: &Ask<'_>,
        tested: &mut u64,
        take: &mut Take<'_>,
    ) -> Result<Gaps, Failure> {
        for (key, value) in &self.pairs {
            *tested += 1;
            let text = format!("{key} = {value}").into_bytes();
            let json = || json!({ "key": key, "value": value });
            let pair = Entry { word: "pair", place: key, text: &text, tested_at: 0, json: &json };
            let is_meant = ask.texts.is_match(&text) != ask.is_inverted();
            if is_meant && take(Item::Entry(&pair)).is_break() {
                break;
            }
        }
        Ok(Gaps::new())
    }
}

static TABLE: Table = Table {
    name: "pairs.pairs",
    about: "A pair of a file of pairs.",
    arguments: &[],
    by_data: &[],
    order: "files as they are given, and in each by key.",
    pushes: &[],
    partition: "all of it is one.",
    question: "SELECT value FROM pairs_pairs('a.pairs') WHERE key = 'lamp'",
    fields: |_| {
        let key = Field::new("key", Type::Text, "Its key.");
        Ok(vec![key, Field::new("value", Type::Text, "Its value.")])
    },
    split: |_, _| Ok(vec![Json::Null]),
    open: |arguments, _, _| {
        let files = arguments.paths.iter().map(|path| open(path));
        let files: Vec<Pairs> = files.collect::<Result<_, _>>()?;
        Ok(Box::new(move |rows, _| {
            let mut pairs = files.iter().flat_map(|file| &file.pairs);
            let _ = pairs.try_for_each(|(key, value)| {
                rows.text(0, key);
                rows.text(1, value);
                rows.end_row()
            });
            Ok(Vec::new())
        }))
    },
};
