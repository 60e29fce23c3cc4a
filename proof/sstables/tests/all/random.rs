//! Random tables that every Cassandra there is writes, read by us and by it: dumps byte by byte,
//! metadata field by field, slices row by row.

use std::fs;

use manicule_core::blocks::ReadCost;
use manicule_rows::slice::Seek;
use manicule_rows::table::Access;
use manicule_sstables::{
    Cassandra, Question, Tool, Written, answer, ask_about, check_statistics, data_files, dump,
    first_difference, is_same_but_for_digits, now, open,
};
use manicule_store::pages::SystemCache;
use manicule_testkit::{Rng, number};

/// Number of tables that each version is written with, unless MANICULE_ROUNDS says another.
const TABLE_COUNT: u64 = 40;
/// Number of questions about each SSTable, and about each table of several.
const QUESTION_COUNT: usize = 12;
/// Bisection, many ways, an index fetched whole, none.
const SEEKS: [Seek; 4] = [
    Seek::Index(ReadCost { whole_bytes_max: 0, ways: 2 }),
    Seek::Index(ReadCost { whole_bytes_max: 0, ways: 8 }),
    Seek::Index(ReadCost { whole_bytes_max: 1 << 20, ways: 2 }),
    Seek::Scan,
];

/// What is compared of random tables.
trait Compared {
    fn check_dumps(&self, judge: &Cassandra, faults: &mut Vec<String>);
    fn check_metadata(&self, judge: &Cassandra, faults: &mut Vec<String>);
    fn check_slices(&self, reader: &Cassandra, rng: &mut Rng, faults: &mut Vec<String>);
}

impl Compared for Written {
    fn check_dumps(&self, judge: &Cassandra, faults: &mut Vec<String>) {
        let files = self.files();
        let said = judge.tool(Tool::Dump, &files, self.scratch.path()).expect("dumps");
        let (mut same, mut shorter, mut failed) = (0, 0, 0);
        for (file, said) in files.iter().zip(said) {
            let opened = open(file, Access::Mapped).expect("an SSTable");
            match (dump(&opened[0], now()), said) {
                (Ok(got), Ok(want)) if got == want => same += 1,
                (Ok(got), Ok(want)) if is_same_but_for_digits(&got, &want) => shorter += 1,
                (Ok(got), Ok(want)) => {
                    faults.push(format!("{file:?}: {}", first_difference(&got, &want)));
                }
                (Err(error), _) => faults.push(format!("{file:?}: {error}")),
                (Ok(_), Err(why)) => {
                    println!("{file:?}: sstabledump failed: {why}");
                    failed += 1;
                }
            }
        }
        let (version, count) = (self.version, files.len());
        println!("{version}: {same} dumps of {count} equal, {shorter} but for digits of doubles");
        println!("{version}: {failed} that sstabledump can't print");
    }

    fn check_metadata(&self, judge: &Cassandra, faults: &mut Vec<String>) {
        check_statistics(judge, self.version, &self.files(), self.scratch.path(), faults);
    }

    fn check_slices(&self, reader: &Cassandra, rng: &mut Rng, faults: &mut Vec<String>) {
        let (mut script, mut asked) = (String::new(), Vec::new());
        for table in &self.tables {
            let folder = self.table_folder(table);
            let mut paths = data_files(&folder);
            if paths.len() > 1 {
                paths.push(folder);
            }
            for path in paths {
                let opened = open(&path, Access::Mapped).expect("SSTables");
                let questions = ask_about(&opened, rng, QUESTION_COUNT).expect("rows");
                script += &format!("table\t{}\t{}\n", path.display(), table.schema);
                script.extend(questions.iter().map(Question::line));
                asked.push((path, questions));
            }
        }
        let path = self.folder.path().join("questions");
        fs::write(&path, script).expect("a file");
        let mut answers = reader.ask(self.layout(), &path).expect("answers").into_iter();
        let (mut count, mut row_count) = (0, 0);
        for (path, questions) in asked {
            for access in [Access::Mapped, Access::Positioned(SystemCache::Used)] {
                let opened = open(&path, access).expect("SSTables");
                let answers: Vec<_> = answers.as_slice()[..questions.len()].to_vec();
                for (question, want) in questions.iter().zip(&answers) {
                    for seek in SEEKS {
                        let got = answer(&opened, question, seek);
                        let got = got.unwrap_or_else(|error| error.to_string());
                        if got != *want {
                            let differs = first_difference(&got, want);
                            let line = question.line();
                            faults.push(format!("{path:?} {access:?} {seek:?} {line}{differs}"));
                        }
                    }
                }
            }
            count += questions.len();
            row_count += (0..questions.len())
                .filter_map(|_| answers.next())
                .map(|answer| answer.lines().filter(|line| line.starts_with("row")).count())
                .sum::<usize>();
        }
        assert!(answers.next().is_none(), "each question has one answer");
        println!("{}: {count} slices with {row_count} rows", self.version);
    }
}

#[test]
#[ignore = "needs Cassandra, and minutes"]
fn random_tables_are_read_as_cassandra_reads_them() {
    let all = Cassandra::all_for_test("random tables");
    let seed = number("MANICULE_SEED").unwrap_or(1);
    let count = number("MANICULE_ROUNDS").unwrap_or(TABLE_COUNT);
    let mut faults = Vec::new();
    for cassandra in &all {
        for version in cassandra.writes() {
            let judge = Cassandra::judge(&all, *version).expect("itself at least");
            let (mut own, mut rng) = (Vec::new(), Rng::new(seed));
            let written = Written::new(cassandra, *version, seed, count);
            written.check_dumps(judge, &mut own);
            written.check_metadata(judge, &mut own);
            written.check_slices(Cassandra::reader(&all, cassandra), &mut rng, &mut own);
            if !own.is_empty() {
                println!("{version}: kept in {:?}", written.folder.keep());
            }
            faults.extend(own);
        }
    }
    assert!(faults.is_empty(), "seed {seed}: {} faults:\n{}", faults.len(), faults.join("\n"));
}
