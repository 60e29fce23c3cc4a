//! Data.db beside what sstabledump says of it: positions, times, names of cells.

use std::fs;
use std::io::Read;

use flate2::read::GzDecoder;
use manicule_core::civil::Date;
use manicule_format_sstable::{Deletion, Header, NO_LOCAL_TIME, Version, quoted_name};
use serde_json::Value;

use crate::support::{Table, Tables};
use crate::walked::{Item, OwnedCell, Part, Partition, walk};

/// The dump beside a table, if there is one: of the only one, or of its generation.
fn dump(table: &Table) -> Option<Value> {
    let generation = &table.descriptor.generation;
    for stem in ["dump".to_owned(), format!("dump-{generation}")] {
        if let Ok(text) = fs::read(table.folder.join(format!("{stem}.json"))) {
            return read(table, &text);
        }
        if let Ok(packed) = fs::read(table.folder.join(format!("{stem}.json.gz"))) {
            let mut text = Vec::new();
            GzDecoder::new(&packed[..]).read_to_end(&mut text).expect("it unpacks");
            return read(table, &text);
        }
    }
    None
}

/// Decimals are numbers of any size there, which this reader of JSON has not.
fn read(table: &Table, text: &[u8]) -> Option<Value> {
    match serde_json::from_slice(text) {
        Ok(dumped) => Some(dumped),
        Err(error) if error.to_string().starts_with("number out of range") => {
            println!("left out: {}, {error}", table.title());
            None
        }
        Err(error) => panic!("{}: {error}", table.title()),
    }
}

/// An instant as the tool prints it, in microseconds since 1970. Wrong for those before 1970, as
/// the tool is.
fn micros(text: &Value) -> i64 {
    let text = text.as_str().expect("an instant").trim_end_matches('Z');
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    let numbers: Vec<i64> =
        whole.split(['-', 'T', ':']).map(|part| part.parse().expect("a number")).collect();
    let [year, month, day, hour, minute] = numbers[..5] else { panic!("{text}") };
    let second = numbers.get(5).copied().unwrap_or(0);
    let days = Date { year, month, day }.to_day();
    let seconds = ((days * 24 + hour) * 60 + minute) * 60 + second;
    let fraction = format!("{fraction:0<6}");
    seconds * 1_000_000 + fraction.parse::<i64>().expect("a fraction")
}

fn seconds(text: &Value) -> i64 {
    micros(text) / 1_000_000
}

struct Check<'a> {
    title: String,
    header: &'a Header,
    times: usize,
}

impl Check<'_> {
    fn time(&mut self, got: i64, want: &Value) {
        // Before 1970 the tool prints another time.
        if got >= 0 {
            assert_eq!(got, micros(want), "{}", self.title);
            self.times += 1;
        }
    }

    fn deletion(&mut self, got: Deletion, want: &Value) {
        match want {
            Value::Null => assert!(got.is_live(), "{}: {got:?}", self.title),
            want => {
                self.time(got.marked_at, &want["marked_deleted"]);
                assert_eq!(got.local_time, seconds(&want["local_delete_time"]), "{}", self.title);
            }
        }
    }

    fn partition(&mut self, partition: &Partition, dumped: &Value) {
        let head = &dumped["partition"];
        let mut want = head["position"].as_u64().expect("a position");
        // 6.0-alpha2 prints where the head ends, with the static row.
        if matches!(self.header.version, Version::Pa | Version::Ea) {
            want -= partition.head_len;
        }
        assert_eq!(partition.at, want, "{}", self.title);
        self.deletion(partition.deletion, &head["deletion_info"]);
        let is_nothing =
            |item: &&Item| item.kind == 3 && item.parts.is_empty() && item.liveness.is_none();
        let items: Vec<&Item> = partition.items.iter().filter(|item| !is_nothing(item)).collect();
        let rows = dumped["rows"].as_array().expect("rows");
        assert_eq!(items.len(), rows.len(), "{}", self.title);
        for (item, row) in items.iter().zip(rows) {
            match item.kind {
                3 | 4 => self.row(item, row),
                _ => self.marker(item, row),
            }
        }
    }

    fn marker(&mut self, item: &Item, row: &Value) {
        let kind = row["type"].as_str().expect("a type");
        let is_boundary = matches!(item.kind, 2 | 5);
        assert_eq!(kind == "range_tombstone_boundary", is_boundary, "{}", self.title);
        let sides = [("start", item.begins), ("end", item.ends)];
        for (name, deletion) in sides {
            assert_eq!(deletion.is_some(), !row[name].is_null(), "{} {name}", self.title);
            if let Some(deletion) = deletion {
                self.deletion(deletion, &row[name]["deletion_info"]);
            }
        }
    }

    fn row(&mut self, item: &Item, row: &Value) {
        let kind = if item.kind == 3 { "static_block" } else { "row" };
        assert_eq!(row["type"], kind, "{}", self.title);
        // Of the static row the tool prints where it ends.
        let position = if item.kind == 3 { item.at + item.len } else { item.at };
        assert_eq!(row["position"], position, "{}", self.title);
        self.deletion(item.deletion, &row["deletion_info"]);
        let liveness = &row["liveness_info"];
        assert_eq!(item.liveness.is_some(), !liveness.is_null(), "{}", self.title);
        if let Some((timestamp, ttl, expires)) = item.liveness {
            self.time(timestamp, &liveness["tstamp"]);
            self.expiry(ttl, expires, liveness);
        }
        let is_shown = |part: &&Part| match part {
            Part::Complex(_, deletion, _) => !deletion.is_live(),
            Part::Cell(_) => true,
        };
        let parts: Vec<&Part> = item.parts.iter().filter(is_shown).collect();
        let none = Vec::new();
        let cells = row["cells"].as_array().unwrap_or(&none);
        assert_eq!(parts.len(), cells.len(), "{}: row at {}", self.title, item.at);
        for (part, dumped) in parts.iter().zip(cells) {
            self.part(item, part, dumped);
        }
    }

    fn expiry(&self, ttl: i32, expires: i64, dumped: &Value) {
        assert_eq!(dumped["ttl"].as_i64().unwrap_or(0), i64::from(ttl), "{}", self.title);
        match expires {
            NO_LOCAL_TIME => assert!(dumped["expires_at"].is_null(), "{}", self.title),
            expires => assert_eq!(seconds(&dumped["expires_at"]), expires, "{}", self.title),
        }
    }

    fn part(&mut self, item: &Item, part: &Part, dumped: &Value) {
        let (Part::Complex(column, ..) | Part::Cell(OwnedCell { column, .. })) = part;
        let column = &self.header.columns(item.kind == 3)[*column];
        assert_eq!(dumped["name"], quoted_name(&column.name), "{}", self.title);
        let cell = match part {
            Part::Complex(_, deletion, _) => {
                return self.deletion(*deletion, &dumped["deletion_info"]);
            }
            Part::Cell(cell) => cell,
        };
        assert_eq!(cell.path.is_some(), !dumped["path"].is_null(), "{}", self.title);
        let row_time = item.liveness.map(|(timestamp, ..)| timestamp);
        match &dumped["tstamp"] {
            Value::Null => assert_eq!(Some(cell.timestamp), row_time, "{}", self.title),
            want => self.time(cell.timestamp, want),
        }
        let deleted = &dumped["deletion_info"]["local_delete_time"];
        assert_eq!(cell.is_deleted, !deleted.is_null(), "{}", self.title);
        if cell.is_deleted {
            assert_eq!(cell.local_time, seconds(deleted), "{}", self.title);
        } else if !dumped["ttl"].is_null() {
            self.expiry(cell.ttl, cell.local_time, dumped);
        } else {
            let row_ttl = item.liveness.map_or(0, |(_, ttl, _)| ttl);
            assert!(cell.ttl == 0 || cell.ttl == row_ttl, "{}", self.title);
        }
    }
}

#[test]
fn rows_and_cells_are_those_of_sstabledump() {
    let (mut tables, mut times) = (0, 0);
    for table in &Tables::all().list {
        let (Some(data), Some(dumped)) = (table.data(), dump(table)) else { continue };
        let header = table.header();
        let partitions = walk(&data, &header).expect("it was read before");
        let dumped = dumped.as_array().expect("partitions");
        assert_eq!(partitions.len(), dumped.len(), "{}", table.title());
        let mut check = Check { title: table.title(), header: &header, times: 0 };
        for (partition, dumped) in partitions.iter().zip(dumped) {
            check.partition(partition, dumped);
        }
        (tables, times) = (tables + 1, times + check.times);
    }
    println!("{tables} tables, {times} times of writing");
    assert!(tables > 10 && times > 1000);
}
