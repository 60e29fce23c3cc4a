//! Schemas and values as texts, against `schema.cql` and the dumps of sstabledump.

use std::collections::BTreeSet;

use manicule_core::hex;
use manicule_format_sstable::{
    Component, Header, KeyNames, PlainForm, SchemaColumn, StatisticsFile, Type, put_schema,
    read_schema,
};
use manicule_testkit::golden_file;
use serde_json::Value;

use crate::support::{Table, Tables};

fn header(table: &Table) -> Header {
    let bytes = table.component(&Component::Statistics);
    let file = StatisticsFile::open(&bytes, table.descriptor.version).expect("sections");
    file.header().expect("a header")
}

/// Without blanks and without `frozen<..>`, which CQL lets be left out of tuples.
fn bare(text: &str) -> String {
    let text = text.replace("frozen<", "");
    text.chars().filter(|c| !c.is_whitespace() && *c != '>').collect()
}

#[test]
fn schemas_are_those_that_the_tables_were_made_with() {
    let tables = Tables::all();
    let (mut count, mut header_count) = (0, 0);
    for table in &tables.list {
        let Some(original) = table.answer("schema", "cql") else { continue };
        let title = table.title();
        let header = header(table);
        let [made] = &read_schema(&original).expect("CQL")[..] else {
            panic!("{title}: one table")
        };
        assert_eq!(made.check(&header), Ok(()), "{title}");
        let names = KeyNames {
            keyspace: made.keyspace.clone().expect("a keyspace"),
            table: made.name.clone(),
            partition_key: made.partition_key.clone(),
            clustering: made.clustering.clone(),
        };
        let mut written = String::new();
        put_schema(&header, &names, &mut written);
        let [read] = &read_schema(&written).expect("CQL")[..] else { panic!("{title}: one table") };
        assert_eq!(
            (&read.partition_key, &read.clustering),
            (&made.partition_key, &made.clustering)
        );
        let set = |columns: &[SchemaColumn]| {
            columns.iter().map(|column| column.name.clone()).collect::<BTreeSet<_>>()
        };
        // Columns that no row of a file has are not in its header.
        assert!(set(&read.columns).is_subset(&set(&made.columns)), "{title}");
        // Each column and each field of a user type is in the original as it is here.
        let original = bare(&original);
        for line in
            written.lines().filter(|line| line.starts_with("    ") && !line.contains("PRIMARY"))
        {
            let line = bare(line.trim_end_matches(','));
            assert!(original.contains(&line), "{title}: {line} in {original}");
        }
        assert_eq!(written.contains("DESC"), original.contains("DESC"), "{title}");
        count += 1;
        // The types of the columns that Cassandra made of the file, and of what we make of its
        // header.
        for table in [made, read] {
            let of_file = table.header(header.version).expect("a header");
            assert_eq!(
                (&of_file.key, &of_file.clustering),
                (&header.key, &header.clustering),
                "{title}"
            );
            for is_static in [false, true] {
                let all = of_file.columns(is_static);
                let mut rest = all.iter();
                // In the same order.
                for column in header.columns(is_static) {
                    assert!(rest.any(|other| other == column), "{title}: {column:?} in {all:?}");
                }
                header_count += 1;
            }
        }
    }
    assert!(count > 20 && header_count > 80, "{count} {header_count}");
}

#[test]
fn other_numbers_of_key_columns_are_refused() {
    let tables = Tables::all();
    let comp = tables.list.iter().find(|table| table.name == "me/comp").expect("a table");
    let schema = read_schema("CREATE TABLE comp (a int PRIMARY KEY)").expect("CQL");
    let error = schema[0].check(&header(comp)).expect_err("a column is missing").to_string();
    assert_eq!(error, "schema of comp: wanted 2 columns in the partition key, got 1");
}

#[test]
fn names_are_invented_where_there_are_none() {
    let tables = Tables::all();
    let comp = tables.list.iter().find(|table| table.name == "me/comp").expect("a table");
    let header = header(comp);
    let mut written = String::new();
    put_schema(&header, &KeyNames::invented(&header, "ks", "comp"), &mut written);
    let want = "CREATE TABLE ks.comp (\n    key int,\n    key2 text,\n    v text,\n    PRIMARY KEY ((key, key2))\n);\n";
    assert_eq!(written, want);
}

/// Types as the folders of `order/me` are named.
fn folder_of(name: &str) -> String {
    name.replace(['<', ','], "_").replace('>', "")
}

/// The JSON of sstabledump in files whose first clustering column has every value of a type.
#[test]
fn values_are_the_json_of_sstabledump() {
    let tables = Tables::all();
    let order: Value = serde_json::from_slice(&golden_file("rows", "order.json")).expect("JSON");
    let mut type_count = 0;
    for (name, row) in order.as_object().expect("types") {
        let wanted = format!("order/me/{}", folder_of(name));
        let Some(table) = tables.list.iter().find(|table| table.name == wanted) else { continue };
        let Some(dump) = table.answer("dump", "json") else { continue };
        let kind = Type::parse(row["class"].as_str().expect("a class")).expect("a type");
        let values = row["ascending"].as_array().expect("values").iter();
        let ours: BTreeSet<String> = values.map(|value| json(&kind, value)).collect();
        let lines = dump.lines().filter_map(|line| line.trim().strip_prefix("\"clustering\" : [ "));
        let mut theirs = BTreeSet::new();
        for line in lines {
            // Two values of the type, of which the first is the shortest of ours that the second
            // follows.
            let both = line.trim_end_matches(',').trim_end_matches(" ]");
            let first = ours.iter().find(|text| {
                let rest =
                    both.strip_prefix(text.as_str()).and_then(|rest| rest.strip_prefix(", "));
                rest.is_some_and(|rest| ours.contains(rest))
            });
            let first = first.unwrap_or_else(|| panic!("{name}: {line} is none of {ours:?}"));
            theirs.insert(first.clone());
        }
        // Equal values have one row, which has the bytes of one of them.
        let ranks: BTreeSet<_> = row["ascending"]
            .as_array()
            .expect("values")
            .iter()
            .map(|value| value["rank"].as_u64())
            .collect();
        assert!(theirs.len() + 3 >= ranks.len(), "{name}: {theirs:?} of {ours:?}");
        type_count += 1;
    }
    match std::env::var_os("MANICULE_GOLDEN") {
        Some(_) => assert_eq!(type_count, 18),
        None => println!("left out: dumps of each type's values, as MANICULE_GOLDEN is not set"),
    }
}

fn json(kind: &Type, value: &Value) -> String {
    let bytes = hex::decode(value["hex"].as_str().expect("hex")).expect("hex");
    let mut out = String::new();
    kind.put_json_as(Some(&bytes), PlainForm::Old, &mut out);
    out
}
