//! Keys, clusterings, paths and values of all rows, as texts, against the dumps of sstabledump.

use manicule_format_sstable::{
    Column, Elements, Header, PlainForm, Type, put_json_string, quoted_name,
};

use crate::support::Tables;
use crate::walked::{self, Item, OwnedCell, Part, Partition};

/// The lines of a dump that begin so, without blanks in front; of clusterings those of rows.
fn lines_of(dump: &str) -> Vec<&str> {
    let mut before = "";
    let lines = dump.lines().map(str::trim).filter(|line| {
        let is_of_row = before.starts_with("\"position\"");
        before = line;
        line.starts_with("\"key\" :")
            || line.starts_with("{ \"name\" :")
            || (is_of_row && line.starts_with("\"clustering\" :"))
    });
    lines.collect()
}

/// How these lines have to begin.
fn wanted(partitions: &[Partition], header: &Header, form: PlainForm) -> Vec<String> {
    let mut lines = Vec::new();
    for partition in partitions {
        lines.push(key_line(&partition.key, &header.key, form));
        for item in &partition.items {
            if item.kind == 4 && !item.clustering.is_empty() {
                lines.push(clustering_line(item, &header.clustering, form));
            }
            let columns = header.columns(item.kind == 3);
            lines.extend(item.parts.iter().filter_map(|part| part_line(part, columns, form)));
        }
    }
    lines
}

fn key_line(key: &[u8], kind: &Type, form: PlainForm) -> String {
    let parts: Vec<Option<&[u8]>> = match kind {
        Type::Composite(_) => Elements::of_composite(key).collect(),
        _ => vec![Some(key)],
    };
    let texts = parts.iter().zip(kind.key_parts()).map(|(part, kind)| {
        let mut text = String::new();
        kind.put_plain(part.expect("parts are never null"), form, &mut text);
        quoted(&text)
    });
    format!("\"key\" : [ {} ],", texts.collect::<Vec<_>>().join(", "))
}

fn clustering_line(item: &Item, kinds: &[Type], form: PlainForm) -> String {
    let values = item.clustering.iter().zip(kinds).map(|(value, kind)| {
        let mut text = String::new();
        kind.put_json_as(value.as_deref(), form, &mut text);
        text
    });
    format!("\"clustering\" : [ {} ]", values.collect::<Vec<_>>().join(", "))
}

fn part_line(part: &Part, columns: &[Column], form: PlainForm) -> Option<String> {
    let cell = match part {
        Part::Cell(cell) => cell,
        Part::Complex(_, deletion, _) if deletion.is_live() => return None,
        Part::Complex(column, ..) => {
            return Some(format!("{{ \"name\" : {}, \"deletion_info\"", name(&columns[*column])));
        }
    };
    let column = &columns[cell.column];
    let (path, kind) = path_and_kind(cell, &column.kind, form);
    let path = path.map_or_else(String::new, |path| format!(", \"path\" : [ {} ]", quoted(&path)));
    let mut line = format!("{{ \"name\" : {}{path}, ", name(column));
    if cell.is_deleted {
        line.push_str("\"deletion_info\"");
    } else {
        line.push_str("\"value\" : ");
        kind.put_json_as(Some(&cell.value), form, &mut line);
    }
    Some(line)
}

/// The path of a cell of a complex column as text, and the type of its value.
fn path_and_kind(cell: &OwnedCell, kind: &Type, form: PlainForm) -> (Option<String>, Type) {
    let Some(path) = &cell.path else { return (None, kind.clone()) };
    let mut text = String::new();
    let value = match kind {
        Type::List { element, .. } => {
            Type::Timeuuid.put_plain(path, form, &mut text);
            (**element).clone()
        }
        // The element is the path; the value has no bytes.
        Type::Set { element, .. } => {
            element.put_plain(path, form, &mut text);
            Type::Empty
        }
        Type::Map { key, value, .. } => {
            key.put_plain(path, form, &mut text);
            (**value).clone()
        }
        Type::User(user) => {
            let index = usize::from(u16::from_be_bytes([path[0], path[1]]));
            text = String::from_utf8_lossy(&user.fields[index].0).into_owned();
            user.fields[index].1.clone()
        }
        other => panic!("{other} has no paths"),
    };
    (Some(text), value)
}

fn name(column: &Column) -> String {
    quoted(&quoted_name(&column.name))
}

fn quoted(text: &str) -> String {
    let mut out = String::new();
    put_json_string(text, &mut out);
    out
}

#[test]
fn texts_are_those_of_sstabledump() {
    let tables = Tables::all();
    let (mut table_count, mut line_count) = (0, 0);
    for table in &tables.list {
        let (Some(data), Some(dump)) = (table.data(), table.answer("dump", "json")) else {
            continue;
        };
        let (title, header) = (table.title(), table.header());
        let partitions = walked::walk(&data, &header).expect("rows");
        let wanted = wanted(&partitions, &header, PlainForm::of(table.descriptor.version));
        let lines = lines_of(&dump);
        for (line, wanted) in lines.iter().zip(&wanted) {
            assert!(line.starts_with(wanted.as_str()), "{title}: {line}, not {wanted}");
            let rest = &line[wanted.len()..];
            let is_end = rest.is_empty() || rest.starts_with([',', ' ']);
            assert!(is_end, "{title}: {line}, not {wanted}");
        }
        assert_eq!(lines.len(), wanted.len(), "{title}");
        table_count += 1;
        line_count += lines.len();
    }
    println!("{table_count} tables, {line_count} keys, clusterings and cells");
    assert!(table_count > 15 && line_count > 2000, "{table_count} {line_count}");
}
