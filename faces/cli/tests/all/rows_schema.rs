//! `manicule rows schema`, as it is called.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use manicule_testkit::{golden_folder, names};

fn schema(words: &[&str], path: &Path) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_manicule"));
    command.args(["rows", "schema"]).args(words).arg(path).output().expect("manicule runs")
}

fn printed(words: &[&str], path: &Path) -> String {
    let said = schema(words, path);
    assert!(said.status.success(), "{}", String::from_utf8_lossy(&said.stderr));
    String::from_utf8(said.stdout).expect("UTF-8")
}

/// Statements as sets of their parts: without comments and options, frozen or not, blanks or none.
fn parts(cql: &str) -> Vec<Vec<String>> {
    let lines = cql.lines().filter(|line| !line.starts_with("--"));
    let text: String = lines.collect::<Vec<_>>().join(" ").replace("frozen", "");
    let statement = |statement: &str| {
        let end = statement.find(" WITH compression").unwrap_or(statement.len());
        let (head, rest) = statement[..end].split_once('(')?;
        let rest = rest.replace(" AND compression", " WITH compression");
        let rest = rest.split(" WITH compression").next().unwrap_or_default();
        let mut parts = vec![String::new()];
        let mut depth = 0;
        for char in rest.chars() {
            match char {
                '(' | '<' => depth += 1,
                ')' | '>' => depth -= 1,
                ',' if depth == 0 => parts.push(String::new()),
                _ => {}
            }
            let last = parts.last_mut().expect("a part");
            if !matches!(char, ' ' | '<' | '>') && (char != ',' || depth > 0) {
                last.push(char);
            }
        }
        parts.push(head.split_whitespace().collect());
        parts.sort();
        Some(parts)
    };
    let mut all: Vec<_> = text.split(';').filter_map(statement).collect();
    all.sort();
    all
}

#[test]
fn a_schema_is_the_one_that_the_table_was_made_by() {
    let golden = golden_folder("rows", "me");
    let me = golden.path().join("me");
    let mut count = 0;
    for table in names(&me) {
        let folder = me.join(&table);
        let (wanted, is_whole) = (folder.join("schema.cql"), schema(&[], &folder).status.success());
        // Without their data they aren't whole; of COMPACT STORAGE the header says nothing.
        if !is_whole || table == "compact" {
            continue;
        }
        let wanted = fs::read_to_string(wanted).expect("a schema");
        let cql = printed(&[], &folder);
        assert_eq!(parts(&cql), parts(&wanted), "{table}:\n{cql}\n{wanted}");
        count += 1;
    }
    assert!(count >= 11, "{count} tables");
}

#[test]
fn names_that_nothing_has_are_placeholders_and_said() {
    let golden = golden_folder("rows", "me");
    let types = golden.path().join("me/types");
    let given = golden.path().join("types.cql");
    fs::rename(types.join("schema.cql"), &given).expect("it moves");
    let cql = printed(&[], &types);
    let want = "-- Of 1 SSTable.\n-- Names of the key are placeholders, as no SSTable has them: \
                --schema FILE.cql gives them.\nCREATE TABLE me.types (\n    key text,\n    column1 int,\n";
    assert!(cql.starts_with(want), "{cql}");
    assert!(cql.contains("WITH CLUSTERING ORDER BY (column1 ASC, column2 DESC,"), "{cql}");
    let cql = printed(&["--schema", given.to_str().expect("UTF-8")], &types);
    assert!(
        cql.contains("types.cql.\nCREATE TABLE ks.types (\n    pk text,\n    c1 int,"),
        "{cql}"
    );
    let said = schema(&["--schema", "gone.cql"], &types);
    assert_eq!(said.status.code(), Some(2));
}

/// A Scylla.db with names of a table and its columns: kind 1 is of the partition key, 2 of the
/// clustering.
fn scylla(columns: &[(u8, &str)]) -> Vec<u8> {
    fn put(text: &str, out: &mut Vec<u8>) {
        out.extend_from_slice(&(text.len() as u32).to_be_bytes());
        out.extend_from_slice(text.as_bytes());
    }
    let mut schema = vec![7; 32];
    put("shop", &mut schema);
    put("orders", &mut schema);
    schema.extend_from_slice(&(columns.len() as u32).to_be_bytes());
    for (kind, name) in columns {
        schema.push(*kind);
        put(name, &mut schema);
        put("org.apache.cassandra.db.marshal.Int32Type", &mut schema);
    }
    let numbers = [1, 11, schema.len() as u32];
    [numbers.map(u32::to_be_bytes).concat(), schema].concat()
}

#[test]
fn scylladb_has_names_of_the_key_beside_its_sstables() {
    let golden = golden_folder("rows", "me");
    let multi = golden.path().join("me/multi");
    fs::remove_file(multi.join("schema.cql")).expect("it goes");
    let toc = multi.join("me-3-big-TOC.txt");
    let listed = fs::read_to_string(&toc).expect("a list");
    fs::write(&toc, format!("{listed}Scylla.db\n")).expect("a list");
    let put = |columns| fs::write(multi.join("me-3-big-Scylla.db"), scylla(columns));
    put(&[(4, "v"), (1, "customer"), (2, "order")]).expect("a file");
    let cql = printed(&[], &multi);
    let want = "CREATE TABLE shop.orders (\n    customer int,\n    \"order\" int,\n";
    assert!(cql.contains("me-3-big-Scylla.db.") && cql.contains(want), "{cql}");
    // One that names fewer columns than the key has is as none.
    put(&[(1, "customer")]).expect("a file");
    assert!(printed(&[], &multi).contains("CREATE TABLE me.multi (\n    key int,"));
}

#[test]
fn sstables_of_two_tables_have_no_schema() {
    let golden = golden_folder("rows", "me");
    let (comp, multi) = (golden.path().join("me/comp"), golden.path().join("me/multi"));
    for name in names(&comp) {
        if let Some(rest) = name.strip_prefix("me-1-") {
            fs::copy(comp.join(&name), multi.join(format!("me-9-{rest}"))).expect("a copy");
        }
    }
    let said = schema(&[], &multi);
    let why = String::from_utf8_lossy(&said.stderr).into_owned();
    assert_eq!((said.status.code(), said.stdout.len()), (Some(2), 0), "{why}");
    let want = "its partition key is not of the types of the other SSTables";
    assert!(why.contains("me-9-big-Statistics.db") && why.contains(want), "{why}");
}
