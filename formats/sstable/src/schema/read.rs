//! A CQL file read for its tables: which columns they have, and which of them are the key.
//!
//! Bytes:   CREATE TABLE [IF NOT EXISTS] [keyspace.]name (column type [STATIC] [PRIMARY KEY], .., PRIMARY KEY (..)) ..
//! Callers: engines/rows

use super::error::SchemaError;
use super::tokens::{Token, tokens};
use crate::header::Header;

/// A table of a CQL file. Types are not read: those of the header hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SchemaTable {
    /// Its keyspace, if it is written.
    pub keyspace: Option<String>,
    /// Its name.
    pub name: String,
    /// Names of all columns in the order of the file.
    pub columns: Vec<String>,
    /// Names of the partition key's columns.
    pub partition_key: Vec<String>,
    /// Names of the clustering columns.
    pub clustering: Vec<String>,
}

impl SchemaTable {
    /// Whether the key has as many columns as the header of an SSTable says.
    pub fn check(&self, header: &Header) -> Result<(), SchemaError> {
        let parts = [
            ("partition key", header.key.key_parts().len(), self.partition_key.len()),
            ("clustering key", header.clustering.len(), self.clustering.len()),
        ];
        match parts.into_iter().find(|(_, want, got)| want != got) {
            None => Ok(()),
            Some((part, want, got)) => {
                Err(SchemaError::KeyLen { table: self.name.clone(), part, want, got })
            }
        }
    }
}

/// Reads the tables of a CQL file. Other statements are skipped.
pub fn read_schema(text: &str) -> Result<Vec<SchemaTable>, SchemaError> {
    let tokens = tokens(text)?;
    let mut reader = Statements { tokens: &tokens, at: 0, text_len: text.len() };
    let mut tables = Vec::new();
    while reader.at < tokens.len() {
        if reader.takes_words(&["create", "table"])
            || reader.takes_words(&["create", "columnfamily"])
        {
            tables.push(reader.table()?);
        }
        reader.skip_statement();
    }
    Ok(tables)
}

struct Statements<'a> {
    tokens: &'a [(usize, Token)],
    at: usize,
    text_len: usize,
}

impl Statements<'_> {
    fn peek(&self) -> Option<&Token> {
        self.tokens.get(self.at).map(|(_, token)| token)
    }

    fn error(&self, want: &'static str) -> SchemaError {
        let at = self.tokens.get(self.at).map_or(self.text_len, |(at, _)| *at);
        let got = match self.peek() {
            Some(Token::Word(text) | Token::Name(text) | Token::Text(text)) => text.clone(),
            Some(Token::Mark(mark)) => mark.to_string(),
            None => String::new(),
        };
        SchemaError::Word { at, want, got }
    }

    fn takes(&mut self, mark: char) -> bool {
        let is_next = self.peek() == Some(&Token::Mark(mark));
        self.at += usize::from(is_next);
        is_next
    }

    fn takes_words(&mut self, words: &[&str]) -> bool {
        let rest = self.tokens[self.at.min(self.tokens.len())..].iter();
        let is_next = rest.len() >= words.len()
            && rest.zip(words).all(|((_, token), word)| *token == Token::Word((*word).to_owned()));
        self.at += if is_next { words.len() } else { 0 };
        is_next
    }

    fn name(&mut self, want: &'static str) -> Result<String, SchemaError> {
        let name = match self.peek() {
            Some(Token::Word(name) | Token::Name(name)) => name.clone(),
            _ => return Err(self.error(want)),
        };
        self.at += 1;
        Ok(name)
    }

    fn skip_statement(&mut self) {
        while self.at < self.tokens.len() && !self.takes(';') {
            self.at += 1;
        }
    }

    fn table(&mut self) -> Result<SchemaTable, SchemaError> {
        self.takes_words(&["if", "not", "exists"]);
        let (mut keyspace, mut name) = (None, self.name("name of a table")?);
        if self.takes('.') {
            keyspace = Some(std::mem::replace(&mut name, self.name("name of a table")?));
        }
        let (partition_key, clustering) = (Vec::new(), Vec::new());
        let mut table =
            SchemaTable { keyspace, name, columns: Vec::new(), partition_key, clustering };
        if !self.takes('(') {
            return Err(self.error("'('"));
        }
        loop {
            if self.takes_words(&["primary", "key"]) {
                self.primary_key(&mut table)?;
            } else {
                self.column(&mut table)?;
            }
            if !self.takes(',') {
                break;
            }
        }
        if !self.takes(')') {
            return Err(self.error("',' or ')'"));
        }
        Ok(table)
    }

    fn column(&mut self, table: &mut SchemaTable) -> Result<(), SchemaError> {
        let name = self.name("name of a column")?;
        // The type, whatever it is, up to what ends the column; commas in it lie in brackets.
        let mut open = 0_usize;
        loop {
            match self.peek() {
                Some(Token::Mark('<' | '(')) => open += 1,
                Some(Token::Mark('>' | ')')) if open > 0 => open -= 1,
                Some(Token::Mark(',' | ')')) if open == 0 => break,
                Some(_) => {}
                None => return Err(self.error("',' or ')'")),
            }
            if open == 0 && self.takes_words(&["primary", "key"]) {
                table.partition_key = vec![name.clone()];
                continue;
            }
            self.at += 1;
        }
        table.columns.push(name);
        Ok(())
    }

    /// `(a, b, c)` or `((a, b), c)`.
    fn primary_key(&mut self, table: &mut SchemaTable) -> Result<(), SchemaError> {
        if !self.takes('(') {
            return Err(self.error("'('"));
        }
        table.partition_key = match self.takes('(') {
            true => self.names()?,
            false => vec![self.name("name of a column")?],
        };
        table.clustering = if self.takes(',') { self.names()? } else { Vec::new() };
        if table.clustering.is_empty() && !self.takes(')') {
            return Err(self.error("',' or ')'"));
        }
        Ok(())
    }

    /// Names up to the bracket that closes them.
    fn names(&mut self) -> Result<Vec<String>, SchemaError> {
        let mut names = vec![self.name("name of a column")?];
        while self.takes(',') {
            names.push(self.name("name of a column")?);
        }
        if self.takes(')') { Ok(names) } else { Err(self.error("',' or ')'")) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `keyspace.table: columns | partition key | clustering`.
    fn shown(text: &str) -> Vec<String> {
        let tables = read_schema(text).unwrap_or_else(|error| panic!("{text}: {error}"));
        let shown = |table: &SchemaTable| {
            let lists = [&table.columns, &table.partition_key, &table.clustering];
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
