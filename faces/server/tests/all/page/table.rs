//! Tables: the first rows, the greatest, and what may not be asked.

use serde_json::json;

use super::{Golden, numbers, quoted};

#[test]
fn places_have_the_tables_of_their_systems() {
    let golden = Golden::serve();
    let places = golden.get("/ui/places");
    let named = |name: &str| {
        let all = places["places"].as_array().unwrap();
        all.iter().find(|place| place["name"] == name).unwrap().clone()
    };
    let gaps = named("gaps");
    assert_eq!(
        (&gaps["system"], &gaps["noun"]),
        (&json!("series"), &json!("Prometheus data folder"))
    );
    let tables = ["series.blocks", "series.labels", "series.samples", "series.series"];
    assert_eq!(gaps["tables"], json!(tables));
    assert_eq!(
        (&named("small")["system"], &named("small")["tables"]),
        (&json!("text"), &json!([]))
    );
    let declared = golden.get("/ui/tables").to_string();
    for own in ["password_file", "password_command", "index_cache_dir", "\"schema\"", "\"memory\""]
    {
        assert!(!declared.contains(own), "{own}");
    }
    assert!(declared.contains("\"selector\""));
}

#[test]
fn the_first_rows_say_whether_there_are_more() {
    let golden = Golden::serve();
    let all = golden.get("/ui/table/series.labels?place=k5k&columns=name&columns=value&limit=5000");
    assert_eq!(all["complete"], true);
    let count = all["rows"].as_array().unwrap().len();
    for (limit, complete) in [(3, false), (count - 1, false), (count, true)] {
        let target =
            format!("/ui/table/series.labels?place=k5k&columns=name&columns=value&limit={limit}");
        let some = golden.get(&target);
        assert_eq!(some["complete"], complete, "{limit}");
        assert_eq!(some["rows"].as_array().unwrap()[..], all["rows"].as_array().unwrap()[..limit]);
    }
    let names: Vec<_> = all["columns"].as_array().unwrap().iter().map(|own| &own["name"]).collect();
    assert_eq!(names, ["name", "value"]);
}

#[test]
fn the_greatest_rows_and_the_others_are_all() {
    let golden = Golden::serve();
    for (place, table, column, all) in [
        ("wide", "rows.partitions", "_bytes", "columns=_key"),
        ("fleet", "blobs.costs", "exclusive_bytes", "columns=value&a.by=snapshot"),
        ("fleet", "blobs.packs", "blobs", "columns=id"),
        ("k5k", "series.labels", "series", "columns=value"),
    ] {
        let target = format!("/ui/table/{table}?place={place}&{all}&columns={column}");
        let all = golden.get(&format!("{target}&limit=5000"));
        let mut wanted = numbers(&all, column);
        wanted.sort_by_key(|number| std::cmp::Reverse(*number));
        let top = golden.get(&format!("{target}&top={column}&limit=2"));
        let found = numbers(&top, column);
        assert_eq!(found, wanted[..2], "{table}");
        assert_eq!(top["others"]["rows"], wanted.len() - 2, "{table}");
        let rest: i64 = wanted[2..].iter().sum();
        assert_eq!(top["others"]["sums"][column], rest, "{table}");
        assert_eq!(top["complete"], false, "{table}");
        assert!(!top["receipt"].is_null() && top["took_ms"].as_f64() >= Some(0.0), "{table}");
    }
}

#[test]
fn conditions_and_arguments_are_those_of_the_catalogue() {
    let golden = Golden::serve();
    let where_name = quoted("name = '__name__'");
    let metrics = golden.get(&format!("/ui/table/series.labels?place=gaps&where={where_name}"));
    let rows = metrics["rows"].as_array().unwrap();
    assert!(!rows.is_empty() && rows.iter().all(|row| row["name"] == "__name__"));
    let metric = rows[0]["value"].as_str().unwrap();
    let selector = quoted(&format!("{{__name__=\"{metric}\"}}"));
    let series = golden.get(&format!("/ui/table/series.series?place=gaps&a.selector={selector}"));
    assert!(series["rows"].as_array().unwrap().iter().all(|row| row["metric"] == metric));
    assert_eq!(series["rows"].as_array().unwrap().len() as u64, rows[0]["series"]);
}

#[test]
fn neither_files_nor_commands_come_from_a_request() {
    let golden = Golden::serve();
    for argument in
        ["password_file", "password_command", "key_hint", "index_cache", "index_cache_dir"]
    {
        let target = format!("/ui/table/blobs.snapshots?place=fleet&a.{argument}=%2fetc%2fpasswd");
        let text = format!("a request may not give the argument {argument}");
        assert_eq!(golden.refused(&target), (400, "asked".to_owned(), text));
    }
    for argument in ["schema", "memory", "timeout"] {
        let target = format!("/ui/table/rows.rows?place=wide&a.{argument}=1");
        assert_eq!(golden.refused(&target).0, 400, "{argument}");
    }
}

#[test]
fn what_is_not_there_and_what_does_not_fit_is_refused() {
    let golden = Golden::serve();
    for (target, status, class, text) in [
        ("series.labels?place=none", 404, "missing", "no place none is served"),
        ("series.labels?place=%2fetc", 404, "missing", "no place /etc is served"),
        ("series.labels", 400, "asked", "the request has no place"),
        ("series.nothing?place=gaps", 404, "missing", "there is no table series.nothing"),
        ("find?place=gaps", 400, "asked", "find is no table of gaps, a Prometheus data folder"),
        (
            "rows.rows?place=gaps",
            400,
            "asked",
            "rows.rows is no table of gaps, a Prometheus data folder",
        ),
        (
            "series.blocks?place=gaps&top=block",
            400,
            "asked",
            "rows can't be ranked by block: it is no column of numbers",
        ),
        ("series.blocks?place=gaps&limit=x", 400, "asked", "limit: x is no number"),
    ] {
        let wanted = (status, class.to_owned(), text.to_owned());
        assert_eq!(golden.refused(&format!("/ui/table/{target}")), wanted, "{target}");
    }
}
