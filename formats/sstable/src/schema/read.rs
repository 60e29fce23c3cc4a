//! A CQL file read for its tables: which columns they have, which of them are the key, what they
//! are created with.
//!
//! Bytes:   CREATE TABLE [IF NOT EXISTS] [keyspace.]name (column type [STATIC] [PRIMARY KEY], .., PRIMARY KEY (..)) [WITH ..]

use super::error::SchemaError;
use super::kind::UserTypes;
use super::table::{Property, SchemaColumn, SchemaTable};
use super::tokens::{Token, tokens};
use super::words::Words;

/// Reads the tables of a CQL file, and the user-defined types that they have. Other statements are
/// skipped.
pub fn read_schema(text: &str) -> Result<Vec<SchemaTable>, SchemaError> {
    let tokens = tokens(text)?;
    let mut reader = Reader {
        words: Words::new(&tokens, text.len()),
        keyspace: None,
        types: UserTypes::default(),
    };
    let mut tables = Vec::new();
    while !reader.words.is_done() {
        let words = &mut reader.words;
        if words.takes_words(&["create", "table"]) || words.takes_words(&["create", "columnfamily"])
        {
            tables.push(reader.table()?);
        } else if words.takes_words(&["create", "type"]) {
            // A type that can't be read is not known to tables: only who needs it is told.
            let _ = reader.types.read(reader.keyspace.as_deref(), words);
        } else if words.takes_words(&["use"]) {
            reader.keyspace = Some(words.name("name of a keyspace")?);
        }
        reader.words.skip_statement();
    }
    Ok(tables)
}

struct Reader<'a> {
    words: Words<'a>,
    /// The keyspace that is in use.
    keyspace: Option<String>,
    types: UserTypes,
}

impl Reader<'_> {
    fn table(&mut self) -> Result<SchemaTable, SchemaError> {
        self.words.takes_words(&["if", "not", "exists"]);
        let (keyspace, name) = self.words.full_name("name of a table")?;
        let mut table = SchemaTable {
            keyspace: keyspace.or_else(|| self.keyspace.clone()),
            name,
            columns: Vec::new(),
            partition_key: Vec::new(),
            clustering: Vec::new(),
            descending: Vec::new(),
            is_compact: false,
            properties: Vec::new(),
        };
        self.words.expect('(', "'('")?;
        loop {
            if self.words.takes_words(&["primary", "key"]) {
                self.primary_key(&mut table)?;
            } else {
                self.column(&mut table)?;
            }
            if !self.words.takes(',') {
                break;
            }
        }
        self.words.expect(')', "',' or ')'")?;
        if self.words.takes_words(&["with"]) {
            self.properties(&mut table)?;
        }
        Ok(table)
    }

    fn column(&mut self, table: &mut SchemaTable) -> Result<(), SchemaError> {
        let name = self.words.name("name of a column")?;
        let kind = self.types.kind(table.keyspace.as_deref(), &mut self.words);
        // Behind the type, whatever it was.
        self.words.pass_column()?;
        let is_static = self.words.takes_words(&["static"]);
        if self.words.takes_words(&["primary", "key"]) {
            table.partition_key = vec![name.clone()];
        }
        // What follows, as masks of columns do, says nothing of the data.
        self.words.pass_column()?;
        table.columns.push(SchemaColumn { name, kind, is_static });
        Ok(())
    }

    /// `(a, b, c)` or `((a, b), c)`.
    fn primary_key(&mut self, table: &mut SchemaTable) -> Result<(), SchemaError> {
        self.words.expect('(', "'('")?;
        table.partition_key = if self.words.takes('(') {
            self.names()?
        } else {
            vec![self.words.name("name of a column")?]
        };
        table.clustering = if self.words.takes(',') { self.names()? } else { Vec::new() };
        if table.clustering.is_empty() && !self.words.takes(')') {
            return Err(self.words.error("',' or ')'"));
        }
        Ok(())
    }

    /// Names up to the bracket that closes them.
    fn names(&mut self) -> Result<Vec<String>, SchemaError> {
        let mut names = vec![self.words.name("name of a column")?];
        while self.words.takes(',') {
            names.push(self.words.name("name of a column")?);
        }
        self.words.expect(')', "',' or ')'")?;
        Ok(names)
    }

    /// `CLUSTERING ORDER BY (a DESC, b) AND COMPACT STORAGE AND comment = '..' AND compression = {'class': '..'}`.
    fn properties(&mut self, table: &mut SchemaTable) -> Result<(), SchemaError> {
        loop {
            if self.words.takes_words(&["clustering", "order", "by"]) {
                self.order(table)?;
            } else if self.words.takes_words(&["compact", "storage"]) {
                table.is_compact = true;
            } else {
                let name = self.words.name("name of a property")?;
                self.words.expect('=', "'='")?;
                let value = if self.words.takes('{') {
                    Property::Map(self.map()?)
                } else {
                    Property::Value(self.value())
                };
                table.properties.push((name, value));
            }
            if !self.words.takes_words(&["and"]) {
                return Ok(());
            }
        }
    }

    fn order(&mut self, table: &mut SchemaTable) -> Result<(), SchemaError> {
        self.words.expect('(', "'('")?;
        loop {
            let name = self.words.name("name of a column")?;
            if self.words.takes_words(&["desc"]) {
                table.descending.push(name);
            } else {
                self.words.takes_words(&["asc"]);
            }
            if !self.words.takes(',') {
                return self.words.expect(')', "',' or ')'");
            }
        }
    }

    /// Pairs up to the bracket that closes them.
    fn map(&mut self) -> Result<Vec<(String, String)>, SchemaError> {
        let mut pairs = Vec::new();
        while !self.words.takes('}') {
            let key = self.value();
            self.words.expect(':', "':'")?;
            pairs.push((key, self.value()));
            if !self.words.takes(',') && self.words.peek() != Some(&Token::Mark('}')) {
                return Err(self.words.error("',' or '}'"));
            }
        }
        Ok(pairs)
    }

    /// A text, or words and marks up to what ends a value: a number with its point.
    fn value(&mut self) -> String {
        let mut value = String::new();
        while let Some(token) = self.words.peek() {
            let is_end = match token {
                Token::Word(word) => word == "and",
                Token::Mark(mark) => matches!(mark, ';' | ',' | ':' | '}'),
                Token::Name(_) | Token::Text(_) => false,
            };
            if is_end {
                break;
            }
            value.push_str(&token.text());
            self.words.next();
        }
        value
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `keyspace.table: columns | partition key | clustering`.
    fn shown(text: &str) -> Vec<String> {
        let tables = read_schema(text).unwrap_or_else(|error| panic!("{text}: {error}"));
        let shown = |table: &SchemaTable| {
            let columns = table.columns.iter().map(|column| column.name.clone()).collect();
            let lists = [&columns, &table.partition_key, &table.clustering];
            let [columns, key, clustering] = lists.map(|list| list.join(" "));
            let keyspace = table.keyspace.as_deref().unwrap_or("-");
            format!("{keyspace}.{}: {columns} | {key} | {clustering}", table.name)
        };
        tables.iter().map(shown).collect()
    }

    #[test]
    fn tables_are_read_with_their_keys() {
        let check = |text: &str, want: &str| assert_eq!(shown(text), [want]);
        check("CREATE TABLE t (k int PRIMARY KEY, v text)", "-.t: k v | k | ");
        check(
            "create table if not exists ks.T (a int, b text, PRIMARY KEY ((a, b))) WITH x = {'y': ''};",
            "ks.t: a b | a b | ",
        );
        check(
            "CREATE TABLE ks.\"T t\" (a int, \"B\"\"b\" text static, c frozen<map<int, text>>, primary key (a, c, \"B\"\"b\")) with comment = 'a;b'",
            "ks.T t: a B\"b c | a | c B\"b",
        );
        check(
            "-- CREATE TABLE x (\n/* CREATE TABLE y ( */ CREATE TYPE ks.u (a int); CREATE TABLE t (v vector<float, 3>, k 'org.X(a,b)' PRIMARY KEY) ",
            "-.t: v k | k | ",
        );
        assert_eq!(
            shown("USE ks; CREATE TABLE a (k int PRIMARY KEY); CREATE TABLE b (k int PRIMARY KEY)")
                .len(),
            2
        );
        assert!(shown("").is_empty());
    }

    #[test]
    fn columns_have_the_types_of_cassandra() {
        let text = "CREATE TYPE ks.addr (street text, \"No\" int, tags list<text>);
            CREATE TYPE ks.two (a frozen<addr>);
            CREATE TABLE ks.t (a int, b varchar, c frozen<list<frozen<set<int>>>>, d map<text, frozen<addr>>, e addr static,
                f tuple<int, frozen<list<int>>>, g list<frozen<tuple<int, text>>>, h 'com.example.T(a=>b)', i frozen<two>,
                j unknown, PRIMARY KEY ((a, b), c, f))
            WITH CLUSTERING ORDER BY (c DESC, f ASC) AND compression = {'class': 'LZ4Compressor', 'chunk_length_in_kb': 16}
            AND bloom_filter_fp_chance = 0.05 AND comment = 'a and b'";
        let table = &read_schema(text).expect("a table")[0];
        let kind = |name: &str| {
            let column = table.columns.iter().find(|column| column.name == name).expect(name);
            let kind = column.kind.as_ref().map_err(ToString::to_string);
            kind.map(|kind| kind.to_string().replace("org.apache.cassandra.db.marshal.", ""))
        };
        let address = "UserType(ks,61646472,737472656574:UTF8Type,4e6f:Int32Type";
        for (name, want) in [
            ("a", "Int32Type".to_owned()),
            ("b", "UTF8Type".to_owned()),
            ("c", "FrozenType(ListType(SetType(Int32Type)))".to_owned()),
            ("d", format!("MapType(UTF8Type,FrozenType({address},74616773:ListType(UTF8Type))))")),
            ("e", format!("{address},74616773:FrozenType(ListType(UTF8Type)))")),
            ("f", "TupleType(Int32Type,ListType(Int32Type))".to_owned()),
            ("g", "ListType(TupleType(Int32Type,UTF8Type))".to_owned()),
            ("h", "com.example.T(a=>b)".to_owned()),
            (
                "i",
                format!(
                    "FrozenType(UserType(ks,74776f,61:{address},74616773:ListType(UTF8Type))))"
                ),
            ),
        ] {
            assert_eq!(kind(name), Ok(want), "{name}");
        }
        let error = kind("j").expect_err("no such type");
        assert!(
            error.ends_with("wanted a type that CQL or the file has, got \"unknown\""),
            "{error}"
        );
        assert!(
            table.columns.iter().filter(|column| column.is_static).map(|it| &*it.name).eq(["e"])
        );
        assert_eq!(table.descending, ["c"]);
        assert_eq!(table.property("comment"), Some(&Property::Value("a and b".to_owned())));
        let chance = Property::Value("0.05".to_owned());
        assert_eq!(table.property("bloom_filter_fp_chance"), Some(&chance));
        let pair = |key: &str, value: &str| (key.to_owned(), value.to_owned());
        let map = vec![pair("class", "LZ4Compressor"), pair("chunk_length_in_kb", "16")];
        assert_eq!(table.property("compression"), Some(&Property::Map(map)));
        let error = table.header(crate::Version::Me).expect_err("a type is unknown").to_string();
        assert!(error.contains("unknown"), "{error}");
    }

    #[test]
    fn what_a_table_needs_for_a_header_is_asked_for() {
        let header = |text: &str| {
            let table = &read_schema(text).expect("a table")[0];
            table.header(crate::Version::Me).map(drop).map_err(|error| error.to_string())
        };
        assert_eq!(header("CREATE TABLE t (k int PRIMARY KEY, v list<int>)"), Ok(()));
        for (text, want) in [
            ("CREATE TABLE t (k int, v int)", "it has no primary key"),
            ("CREATE TABLE t (k int, PRIMARY KEY (x))", "it has no column x of its key"),
            ("CREATE TABLE t (k list<int> PRIMARY KEY)", "column k of its key is not one cell"),
            (
                "CREATE TABLE t (k int PRIMARY KEY) WITH COMPACT STORAGE",
                "of compact storage tables with clustering columns and one other are written",
            ),
        ] {
            assert_eq!(header(text), Err(format!("schema of t: {want}")), "{text}");
        }
    }

    #[test]
    fn what_is_wrong_is_named_with_its_place() {
        let check = |text: &str, want: &str| {
            let error = read_schema(text).expect_err(text).to_string();
            assert_eq!(error, format!("schema at byte {want}"));
        };
        check("CREATE TABLE (", "13: wanted name of a table, got \"(\"");
        check("CREATE TABLE t (a int", "21: wanted ',' or ')', got \"\"");
        check("CREATE TABLE t (a int, PRIMARY KEY (a b))", "38: wanted ',' or ')', got \"b\"");
        check("CREATE TABLE t ('a' int)", "16: wanted name of a column, got \"a\"");
        check("SELECT 'a", "7: wanted a quote that is closed, got the end");
    }
}
