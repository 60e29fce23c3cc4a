//! Random tables, as scripts of java/common/Write.java: any types, keys, orders, compression, and
//! every kind of write.

mod facts;
mod kinds;
mod literals;
mod particular;
mod schema;
mod statements;

use std::fmt::Write;

use manicule_testkit::Rng;

pub use facts::{FactsOf, OwnFact, RandomFacts, random_facts};
use schema::Schema;
use statements::Statements;

/// A table that Cassandra is to write.
#[derive(Clone, Debug)]
pub struct RandomTable {
    /// Its name, which is that of its folder below `ks`.
    pub name: String,
    /// Its schema on one line, as `Write` and `Ask` take it.
    pub schema: String,
    /// The lines of its SSTables.
    pub script: String,
}

impl RandomTable {
    /// Its schema as it was before it was put on one line.
    pub fn cql(&self) -> String {
        let (mut cql, mut chars) = (String::new(), self.schema.chars());
        while let Some(char) = chars.next() {
            cql.push(match char {
                '\\' => match chars.next() {
                    Some('n') => '\n',
                    Some('r') => '\r',
                    other => other.unwrap_or('\\'),
                },
                other => other,
            });
        }
        cql
    }
}

/// The writes of an SSTable.
type Lines = Box<dyn FnMut(&mut Rng) -> Vec<String>>;

/// Draws the table of a seed, with the types that a major release of Cassandra has.
pub fn random_table(seed: u64, major: u32) -> RandomTable {
    let mut rng = Rng::new(seed);
    let name = format!("t{seed}");
    let (schema, mut lines) = drawn(&mut rng, &name, major);
    let block_kib = rng.pick(&[1, 1, 4, 64]);
    let sstable_count = rng.pick(&[1, 1, 1, 3]);
    let schema = escaped(&schema);
    let mut script = String::new();
    for generation in 1..=sstable_count {
        let _ = writeln!(script, "table {name} {generation} {block_kib} {schema}");
        for line in lines(&mut rng) {
            script.push_str(&escaped(&line));
            script.push('\n');
        }
        script.push_str("end\n");
    }
    RandomTable { name, schema, script }
}

/// A schema, and what it is written with.
fn drawn(rng: &mut Rng, name: &str, major: u32) -> (String, Lines) {
    match rng.below(10) {
        0 => (particular::counters(rng, name), Box::new(particular::counts)),
        1 => {
            let (schema, kinds) = particular::raw_cells(rng, name);
            (schema, Box::new(move |rng: &mut Rng| particular::cells(rng, &kinds)))
        }
        _ => {
            let schema = Schema::draw(rng, name, major);
            let statements = Statements::draw(rng, &schema);
            (schema.cql(), Box::new(move |rng: &mut Rng| statements.lines(rng)))
        }
    }
}

/// A line of a script holds no line break.
fn escaped(text: &str) -> String {
    text.replace('\\', "\\\\").replace('\n', "\\n").replace('\r', "\\r")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_gives_the_same_table_each_time() {
        for seed in 1..50 {
            let (first, again) = (random_table(seed, 5), random_table(seed, 5));
            assert_eq!(escaped(&first.cql()), first.schema);
            assert_eq!(first.script, again.script);
            let lines: Vec<&str> = first.script.lines().collect();
            assert!(lines.len() > 2 && lines.last() == Some(&"end"), "seed {seed}");
            let starts = lines.iter().filter(|line| line.starts_with(&format!("table t{seed} ")));
            let ends = lines.iter().filter(|line| **line == "end");
            assert_eq!(starts.count(), ends.count(), "seed {seed}");
            assert!(first.schema.contains(&format!("CREATE TABLE ks.t{seed} (")));
        }
        assert_ne!(random_table(1, 5).script, random_table(2, 5).script);
    }
}
