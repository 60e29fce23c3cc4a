//! Slices of golden tables against the answers of Cassandra's own readers.

use std::ops::Bound;
use std::path::Path;

use manicule::context::{Context, ContextOptions};
use manicule::rows::{
    self, Deletion, Direction, Error, Liveness, MergedColumns, MergedMarker, MergedRow, OpenCall,
    PrefixBuf, RowsError, SLICE_CACHE_BYTES, Search, Slice, SliceCall, SliceItem, SliceWork, Type,
    View,
};
use manicule::watch::Watch;
use manicule_testkit::slices::{
    self, GoldenTables, absent, check_answer, hex, live_answer_of, local_time, unhex, value,
};
use serde_json::{Value, json};

/// Memory that a slice by the index may hold beside its cache of 4 MiB, in bytes.
const MEMORY_BYTES_MAX: u64 = 2 << 20;

/// Opens a table as the command does.
fn open(folder: &Path) -> rows::Table {
    let call = OpenCall::new(folder.to_owned());
    let options = ContextOptions { cache_bytes: SLICE_CACHE_BYTES, ..ContextOptions::NONE };
    Context::new(options).enter(|| rows::Table::open(&call)).expect("a table")
}

/// What is known of a table before it is asked.
struct Table {
    /// Open from question to question.
    kept: rows::Table,
    key: Type,
    clustering: Vec<Type>,
    sstable_count: usize,
}

impl Table {
    fn open(folder: &Path) -> Table {
        let kept = open(folder);
        let sstables = kept.sstables().expect("SSTables").list;
        let header = sstables[0].header();
        let (key, clustering) = (header.key.clone(), header.clustering.clone());
        Table { kept, key, clustering, sstable_count: sstables.len() }
    }

    /// The question as a call.
    fn call(&self, question: &Value, view: View) -> SliceCall {
        let mut key = String::new();
        self.key.put_literal(Some(&unhex(question["key"].as_str().unwrap())), &mut key);
        let limit = question["limit"].as_u64().filter(|limit| *limit > 0);
        let is_reverse = question["reverse"] == true;
        SliceCall {
            start: self.bound(question, "from"),
            end: self.bound(question, "to"),
            direction: if is_reverse { Direction::Reverse } else { Direction::Forward },
            row_count_max: limit,
            view,
            ..SliceCall::new(key, now(question))
        }
    }

    fn bound(&self, question: &Value, side: &str) -> Bound<String> {
        let Some(parts) = question[side].as_array() else { return Bound::Unbounded };
        let literal = |(part, kind): (&Value, &Type)| {
            let mut text = String::new();
            kind.put_literal(Some(&unhex(part.as_str().unwrap())), &mut text);
            text
        };
        let parts: Vec<String> = parts.iter().zip(&self.clustering).map(literal).collect();
        let text = format!("({})", parts.join(", "));
        if question[format!("{side}_incl")].as_bool().unwrap() {
            Bound::Included(text)
        } else {
            Bound::Excluded(text)
        }
    }
}

/// The program that asked took times as 32 bits with a sign: after 2038 it asked about a time long
/// ago.
fn now(question: &Value) -> i64 {
    i64::from(question["now"].as_i64().unwrap() as i32)
}

/// The words of a call, as the command has them.
fn words(call: &SliceCall, now: i64) -> Vec<String> {
    let mut words = vec!["--json".to_owned(), "--now".to_owned(), now.to_string()];
    let sides = [(&call.start, "--from", "--after"), (&call.end, "--to", "--before")];
    for (bound, included, excluded) in sides {
        match bound {
            Bound::Unbounded => {}
            Bound::Included(text) => words.extend([included.to_owned(), text.clone()]),
            Bound::Excluded(text) => words.extend([excluded.to_owned(), text.clone()]),
        }
    }
    if call.direction == Direction::Reverse {
        words.push("--reverse".to_owned());
    }
    if let Some(limit) = call.row_count_max {
        words.extend(["--limit".to_owned(), limit.to_string()]);
    }
    if call.view == View::Own {
        words.push("--raw".to_owned());
    }
    words.extend(["--".to_owned(), call.key.clone()]);
    words
}

fn deletion(deletion: Deletion) -> Option<Value> {
    let shown = || slices::deletion(deletion.marked_at, deletion.local_time);
    (!deletion.is_live()).then(shown)
}

fn clustering(slice: &Slice, prefix: &PrefixBuf) -> Value {
    slices::clustering(prefix.as_prefix().values(slice.clustering()))
}

/// What was handed out of a slice, as answers have it.
#[derive(Default)]
struct Answer {
    columns: Option<MergedColumns>,
    partition: Option<Value>,
    statics: Option<Value>,
    items: Vec<Value>,
    /// What the command prints of each row begins so.
    starts: Vec<String>,
}

impl Answer {
    fn take(&mut self, slice: &Slice, item: SliceItem<'_>, view: View) {
        match item {
            SliceItem::Partition { deletion: partition, columns, .. } => {
                (self.columns, self.partition) = (Some(columns.clone()), deletion(partition));
            }
            SliceItem::Static(row) => {
                let shown = self.row(slice, row, true, view);
                let live =
                    |shown: Value| if view == View::Own { shown } else { shown["cells"].clone() };
                self.statics = Some(live(shown));
            }
            SliceItem::Row(row) => {
                self.items.push(self.row(slice, row, false, view));
                self.starts.push(start(slice, row));
            }
            SliceItem::Marker(MergedMarker { prefix, closes, opens }) => {
                let kind = prefix.as_prefix().kind.number();
                let (closes, opens) = (closes.and_then(deletion), opens.and_then(deletion));
                self.items.push(slices::marker(kind, clustering(slice, prefix), closes, opens));
            }
        }
    }

    fn row(&self, slice: &Slice, row: &MergedRow, is_static: bool, view: View) -> Value {
        let columns = self.columns.as_ref().expect("the partition came first");
        let mut cells = Vec::new();
        for column in &row.columns {
            let name = &columns.list(is_static)[column.column].name;
            let name = String::from_utf8(name.clone()).unwrap();
            if let (View::Own, Some(deletion)) = (view, deletion(column.deletion)) {
                cells.push(json!([name, "complex_deletion", deletion]));
            }
            for cell in &column.cells {
                let (path, shown) = (cell.path.as_deref().map(hex), value(&cell.value));
                cells.push(match view {
                    View::Live { .. } => json!([name, path, shown]),
                    View::Own => {
                        let time = local_time(cell.local_time);
                        json!([name, path, cell.timestamp, cell.ttl, time, shown])
                    }
                });
            }
        }
        let place = (!is_static).then(|| clustering(slice, &row.clustering));
        if let View::Live { .. } = view {
            return slices::row(place, None, None, cells);
        }
        let times = |it: Liveness| (it.timestamp, it.ttl, it.expires);
        slices::row(place, row.liveness.map(times), deletion(row.deletion), cells)
    }
}

/// The start of a row's object: key and clustering.
fn start(slice: &Slice, row: &MergedRow) -> String {
    let names = &slice.named.names;
    let key = slice.key().into_iter().map(|(kind, value)| (kind, Some(value)));
    let prefix = row.clustering.as_prefix();
    let clustering = slice.clustering().iter().zip(prefix.values(slice.clustering()));
    let values = key.chain(clustering).map(|(kind, value)| {
        let mut text = String::new();
        kind.put_json(value, &mut text);
        text
    });
    let names = names.partition_key.iter().chain(&names.clustering);
    let pairs = names.zip(values).map(|(name, value)| format!("{}: {value}", json!(name)));
    format!("{{{}", pairs.collect::<Vec<_>>().join(", "))
}

/// Asks the façade; `None`: the slice is refused.
fn ask(table: &rows::Table, call: &SliceCall) -> Option<(Answer, SliceWork)> {
    let opened = match table.slice(call) {
        Err(Error::Rows(RowsError::EmptySlice)) => return None,
        opened => opened.unwrap_or_else(|error| panic!("{call:?}: {error}")),
    };
    let mut answer = Answer::default();
    let work = opened.each(&Watch::none(), |slice, item| {
        answer.take(slice, item, call.view);
        Ok::<_, Error>(())
    });
    Some((answer, work.unwrap_or_else(|error| panic!("{call:?}: {error}"))))
}

/// Asks the façade with and without the index; of one SSTable what it has itself, too.
fn check_question(table: &Table, folder: &Path, question: &Value, wanted: &Value) {
    let live = View::Live { now: now(question) };
    let views = if table.sstable_count == 1 { &[live, View::Own][..] } else { &[live] };
    let fresh = open(folder);
    let searches = [(Search::Index, &fresh), (Search::Scan, &fresh), (Search::Index, &table.kept)];
    for (view, (search, asked)) in
        views.iter().flat_map(|view| searches.map(|search| (*view, search)))
    {
        let call = SliceCall { search, ..table.call(question, view) };
        let shown = format!("{folder:?} {} {view:?} {search:?}", question["id"]);
        let Some((answer, work)) = ask(asked, &call) else {
            assert!(wanted["refused"].is_string(), "{shown}: {wanted}");
            continue;
        };
        let is_flat = work.memory_peak_bytes <= MEMORY_BYTES_MAX || search == Search::Scan;
        assert!(is_flat, "{shown}: {work:?}");
        if work.sstables_holding == 0 {
            check_answer(&absent(), wanted, question, &shown);
            continue;
        }
        let Answer { partition, statics, items, .. } = answer;
        let got = match view {
            View::Live { .. } => live_answer_of(statics, items),
            View::Own => slices::answer_of(partition, statics, items),
        };
        check_answer(&got, wanted, question, &shown);
    }
}

/// Calls the command with `--raw`: a line for the partition of each SSTable, its static row, its
/// rows and markers.
fn check_raw_command(table: &Table, folder: &Path, question: &Value) {
    let own = table.call(question, View::Own);
    let words = words(&own, now(question));
    let said = super::slice(folder, &words.iter().map(String::as_str).collect::<Vec<_>>());
    let Some((answer, work)) = ask(&table.kept, &own) else {
        assert_eq!(said.status.code(), Some(2), "{folder:?} {words:?}");
        return;
    };
    let lines = super::text(&said.stdout);
    let lines: Vec<Value> =
        lines.lines().map(|line| serde_json::from_str(line).unwrap_or_default()).collect();
    let of = |kinds: &[&str]| {
        let is_of = |line: &&Value| line["type"].as_str().is_some_and(|kind| kinds.contains(&kind));
        lines.iter().filter(is_of).count()
    };
    let shown = format!("{folder:?} {words:?}: {lines:?}");
    assert_eq!(of(&["partition"]) as u64, work.sstables_holding, "{shown}");
    assert_eq!(of(&["row", "marker"]), answer.items.len(), "{shown}");
    assert_eq!(of(&["static"]) > 0, answer.statics.is_some(), "{shown}");
    let cells = answer.items.iter().filter(|item| item["marker"].is_null());
    let cell_count = |items: &Value| items.as_array().map_or(0, Vec::len);
    let rows = lines.iter().filter(|line| line["type"] == "row");
    for (line, row) in rows.zip(cells) {
        let (got, wanted) = (&line["cells"], &row["cells"]);
        assert_eq!(cell_count(got), cell_count(wanted), "{shown}");
        for (got, wanted) in got.as_array().into_iter().flatten().zip(wanted.as_array().unwrap()) {
            assert_eq!(got["column"], wanted[0], "{shown}");
            let is_deletion = wanted[1] == "complex_deletion";
            let timestamp = if is_deletion { &wanted[2][0] } else { &wanted[2] };
            let item = if is_deletion { &got["deletion"] } else { got };
            assert_eq!(item["timestamp"], *timestamp, "{shown}");
        }
    }
}

/// Calls the command with the words of a question: as many lines as the façade has handed out rows,
/// of these rows.
fn check_command(table: &Table, folder: &Path, question: &Value) {
    let now = now(question);
    let live = table.call(question, View::Live { now });
    let words = words(&live, now);
    let said = super::slice(folder, &words.iter().map(String::as_str).collect::<Vec<_>>());
    let (lines, why) = (super::text(&said.stdout), super::text(&said.stderr));
    let shown = format!("{folder:?} {words:?}: {lines}{why}");
    let Some((answer, work)) = ask(&table.kept, &live) else {
        assert_eq!(said.status.code(), Some(2), "{shown}");
        assert!(why.contains("the slice is empty"), "{shown}");
        return;
    };
    let lines: Vec<&str> = lines.lines().collect();
    assert_eq!(said.status.code(), Some(i32::from(lines.is_empty())), "{shown}");
    let is_whole = (&live.start, &live.end) == (&Bound::Unbounded, &Bound::Unbounded);
    if answer.items.is_empty() && is_whole && answer.statics.is_some() {
        assert_eq!(lines.len(), 1, "{shown}");
        return;
    }
    assert_eq!(lines.len(), answer.starts.len(), "{shown}");
    for (line, start) in lines.iter().zip(&answer.starts) {
        assert!(line.starts_with(start) && line.ends_with('}'), "{shown}: {start}");
    }
    if lines.is_empty() {
        let wanted = if work.sstables_holding == 0 { "no SSTable has the" } else { "no live row" };
        assert!(why.contains(wanted), "{shown}");
    }
}

fn check(versions: &[&str], tables: &[&str]) {
    let (golden, mut count) = (GoldenTables::new(), 0);
    for version in versions {
        for name in tables {
            let Some(folder) = golden.table(version, name) else { continue };
            let questions = golden.questions(version, name);
            let table = Table::open(&folder);
            for (question, wanted) in &questions {
                check_question(&table, &folder, question, wanted);
                check_command(&table, &folder, question);
                check_raw_command(&table, &folder, question);
            }
            count += questions.len();
        }
    }
    println!("{versions:?}: {count} questions");
    assert!(count > 0);
}

const TABLES: [&str; 12] = [
    "cols", "comp", "compact", "counters", "edge", "mixed", "multi", "narrow", "small", "types",
    "udt", "wide",
];

#[test]
fn slices_of_cassandra_3_are_cassandras() {
    check(&["me", "md", "mc"], &TABLES);
}

#[test]
fn slices_of_later_releases_are_cassandras() {
    check(&["ea", "pa", "na"], &TABLES);
    check(&["ea", "pa"], &["dict", "late", "vec"]);
}
