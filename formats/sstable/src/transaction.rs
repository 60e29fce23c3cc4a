//! Logs of Cassandra's transactions: which SSTables of a folder a compaction, a flush or a stream
//! has written, and which it replaces.
//!
//! Bytes:   a record a line, `ADD:[path,time,files][checksum]`, `REMOVE:..`, `COMMIT:[,time,0][..]`, `ABORT:..`;
//!          docs/formats/sstable.md, "Files"

/// Whether a file's name is that of a log: `nb_txn_compaction_UUID.log`.
pub fn is_transaction_log(name: &str) -> bool {
    let version = name.find("_txn_").filter(|at| *at == 2);
    version.is_some() && name.ends_with(".log")
}

/// What a transaction has done, as far as its log is whole.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Transaction {
    /// Whether its last record says that it has ended, and that what it wrote counts.
    pub is_committed: bool,
    /// What the names of the SSTables that it wrote share.
    pub added: Vec<String>,
    /// The same of those that it replaces.
    pub removed: Vec<String>,
}

impl Transaction {
    /// Reads a log up to the first line that isn't a record with its checksum: a writer that was
    /// killed leaves half of one.
    pub fn read(text: &str) -> Transaction {
        let mut transaction = Transaction::default();
        for line in text.lines() {
            let Some(record) = Record::read(line) else { break };
            transaction.is_committed = record.kind == Kind::Commit;
            match record.kind {
                Kind::Add => transaction.added.push(record.table.to_owned()),
                Kind::Remove => transaction.removed.push(record.table.to_owned()),
                Kind::Commit | Kind::Abort => break,
            }
        }
        transaction
    }

    /// The SSTables that don't count, as a server starts with them: those replaced where it has
    /// ended, those written where it hasn't.
    pub fn obsolete(&self) -> &[String] {
        if self.is_committed { &self.removed } else { &self.added }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Add,
    Remove,
    Commit,
    Abort,
}

struct Record<'l> {
    kind: Kind,
    /// What the names of an SSTable's files share; empty of an end.
    table: &'l str,
}

impl<'l> Record<'l> {
    fn read(line: &'l str) -> Option<Record<'l>> {
        let (word, rest) = line.split_once(":[")?;
        let (fields, sum) = rest.strip_suffix(']')?.split_once("][")?;
        // A path may have commas; the numbers have none.
        let mut fields = fields.rsplitn(3, ',');
        let (files, time, path) = (fields.next()?, fields.next()?, fields.next()?);
        let (files, time) = (files.parse::<i32>().ok()?, time.parse::<i64>().ok()?);
        let sum: u64 = sum.parse().ok()?;
        let kind = match word {
            "ADD" => Kind::Add,
            "REMOVE" => Kind::Remove,
            "COMMIT" => Kind::Commit,
            "ABORT" => Kind::Abort,
            _ => return None,
        };
        // Since 4.0 the hyphen that ends the path is summed and not written.
        let sums = ["", "-"].map(|end| checksum(&[path, end], word, time, files));
        let name = path.rsplit('/').next().unwrap_or_default();
        let record = Record { kind, table: name.strip_suffix('-').unwrap_or(name) };
        sums.contains(&sum).then_some(record)
    }
}

fn checksum(path: &[&str], word: &str, time: i64, files: i32) -> u64 {
    let mut sum = crc32fast::Hasher::new();
    path.iter().for_each(|part| sum.update(part.as_bytes()));
    sum.update(word.as_bytes());
    // The low half comes first, each half with its high byte first.
    sum.update(&(time as u32).to_be_bytes());
    sum.update(&((time >> 32) as u32).to_be_bytes());
    sum.update(&files.to_be_bytes());
    sum.finalize().into()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(word: &str, path: &str, time: i64, files: i32) -> String {
        let sum = checksum(&[path], word, time, files);
        format!("{word}:[{path},{time},{files}][{sum}]\n")
    }

    #[test]
    fn what_a_transaction_leaves_standing_depends_on_its_last_record() {
        let add = record("ADD", "/data/ks/t-1/nb-7-big-", 0, 8);
        let remove = record("REMOVE", "/data/ks/t-1/nb-3-big-", 1_700_000_000_000, 9);
        let commit = record("COMMIT", "", 1_700_000_000_001, 0);
        let abort = record("ABORT", "", 1_700_000_000_001, 0);
        for (log, want) in [
            (format!("{add}{remove}"), "nb-7-big"),
            (format!("{add}{remove}{commit}"), "nb-3-big"),
            (format!("{add}{remove}{abort}"), "nb-7-big"),
            (format!("{add}{remove}{}", &commit[..commit.len() - 3]), "nb-7-big"),
            (format!("{add}{remove}{}", commit.replace("000001", "000002")), "nb-7-big"),
        ] {
            assert_eq!(Transaction::read(&log).obsolete(), [want], "{log}");
        }
        assert_eq!(Transaction::read("").obsolete(), [""; 0]);
        // As 4.0 and later write the path.
        let sum = checksum(&["/d,a/nb-9-big", "-"], "ADD", 0, 8);
        let log = format!("ADD:[/d,a/nb-9-big,0,8][{sum}]\n");
        assert_eq!(Transaction::read(&log).added, ["nb-9-big"]);
    }

    #[test]
    fn logs_are_known_by_their_names() {
        for (name, want) in [
            ("nb_txn_compaction_6ac1a1b0-7c6a-11e9-a5e0-0b1c1a4f6f3a.log", true),
            ("mc_txn_flush_1.log", true),
            ("nb-7-big-Data.db", false),
            ("x_txn_1.log", false),
            ("nb_txn_compaction_1.log.tmp", false),
        ] {
            assert_eq!(is_transaction_log(name), want, "{name}");
        }
    }
}
