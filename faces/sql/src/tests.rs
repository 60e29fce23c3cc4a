//! What a query hands to a table, and what it makes of it: over a table of numbers that counts what
//! is read.

use std::future::poll_fn;
use std::sync::Once;
use std::sync::atomic::{AtomicU64, Ordering::SeqCst};
use std::task::Poll;
use std::thread;
use std::time::Duration;

use datafusion::arrow::util::pretty::pretty_format_batches;
use datafusion::physical_plan::collect;
use datafusion::prelude::SessionContext;
use futures::StreamExt;
use manicule::answer::{Field, Kind as Type};
use manicule::catalog::{Argument, Arguments, Concerns, Table, Takes};
use manicule::context::Context;
use manicule::kinds::{Kind, KindRow, Reader, Signs, System, SystemRow, add};
use manicule::watch::{Phase, Unit};
use serde_json::json;
use tokio::runtime::{Builder, Runtime};

use crate::catalogs::Catalogs;
use crate::session::{Options, session};

const NUMBERS: System = System::new("numbers");

struct NoSigns;

impl Signs for NoSigns {}

static ROW: SystemRow = SystemRow {
    system: NUMBERS,
    signs: &NoSigns,
    kinds: &[KindRow {
        kind: Kind::new("numbers", "numbers", NUMBERS),
        reader: Reader::refusing(),
    }],
    searched: None,
    tables: &[&TABLE],
};

/// Jobs that go on, by the argument `job`.
static GOING: [AtomicU64; 2] = [AtomicU64::new(0), AtomicU64::new(0)];

struct Going(usize);

impl Going {
    fn of(arguments: &Arguments) -> Going {
        let job = arguments.text("job").map_or(0, |_| 1);
        GOING[job].fetch_add(1, SeqCst);
        Going(job)
    }
}

impl Drop for Going {
    fn drop(&mut self) {
        GOING[self.0].fetch_sub(1, SeqCst);
    }
}

static TABLE: Table = Table {
    name: "numbers.numbers",
    about: "A number, from 0 on.",
    arguments: &[
        Argument {
            name: "query",
            takes: Takes::Text,
            concerns: Concerns::Question,
            about: "Nothing.",
        },
        Argument {
            name: "upto",
            takes: Takes::Number,
            concerns: Concerns::Question,
            about: "Number of numbers. Default: no end.",
        },
        Argument {
            name: "words",
            takes: Takes::Texts,
            concerns: Concerns::Question,
            about: "Nothing.",
        },
        Argument {
            name: "at",
            takes: Takes::Time,
            concerns: Concerns::Question,
            about: "Nothing.",
        },
        Argument {
            name: "parts",
            takes: Takes::Number,
            concerns: Concerns::Question,
            about: "Number of parts, at least.",
        },
        Argument {
            name: "job",
            takes: Takes::Text,
            concerns: Concerns::Question,
            about: "Counted for itself.",
        },
    ],
    by_data: &[],
    order: "by number.",
    pushes: &[],
    partition: "each of a remainder.",
    question: "",
    fields: |_| {
        Ok(vec![
            Field::new("n", Type::Int, ""),
            Field::new("parity", Type::Word, ""),
            Field::new("dear", Type::Text, "").dear(),
        ])
    },
    split: |arguments, wanted| {
        let count = wanted.max(arguments.number("parts")?.unwrap_or(0) as usize);
        Ok((0..count).map(|at| json!([at, count])).collect())
    },
    open: |arguments, part, _| {
        let upto = arguments.number("upto")?.unwrap_or(i64::MAX);
        let number = |at: usize| part[at].as_u64().unwrap_or(at as u64);
        let (first, step) = (number(0) as i64, number(1) as usize);
        let going = Going::of(arguments);
        Ok(Box::new(move |rows, watch| {
            let _going = going;
            let phase = watch.endless(Phase::Reading, Unit::Rows);
            let mut steps = phase.steps();
            let (mut numbers, mut dear) = (0, 0);
            for n in (first..upto).step_by(step) {
                steps.add(1)?;
                numbers += 1;
                rows.int(0, n);
                rows.text(1, if n % 2 == 0 { "even" } else { "odd" });
                if rows.wants(2) {
                    dear += 1;
                    rows.text(2, &format!("{n:04}"));
                }
                if rows.end_row().is_break() {
                    break;
                }
            }
            Ok(vec![("numbers", numbers), ("dear", dear)])
        }))
    },
};

/// A session over two partitions.
fn numbers() -> (SessionContext, Runtime) {
    static ADDED: Once = Once::new();
    ADDED.call_once(|| add(&ROW).expect("a system"));
    let options = Options { memory: None, threads: 2 };
    let session =
        session(&options, Catalogs::default(), &Context::of_process()).expect("a session");
    (session, Builder::new_multi_thread().enable_all().build().expect("a runtime"))
}

/// What a query answers, and the counts of its reading: of all partitions together.
#[track_caller]
fn answer(query: &str) -> (String, Vec<(String, usize)>) {
    let (session, runtime) = numbers();
    runtime.block_on(async {
        let frame = session.sql(query).await.expect(query);
        let plan = frame.create_physical_plan().await.expect(query);
        let batches = collect(plan.clone(), session.task_ctx()).await.expect(query);
        let mut counts = Vec::new();
        let mut left = vec![plan];
        while let Some(plan) = left.pop() {
            left.extend(plan.children().into_iter().cloned());
            if plan.name() == "TableScan" {
                let metrics = plan.metrics().expect("counts").aggregate_by_name();
                let own = ["numbers", "dear"].map(|name| {
                    (name.to_owned(), metrics.sum_by_name(name).map_or(0, |count| count.as_usize()))
                });
                counts.extend(own);
            }
        }
        (pretty_format_batches(&batches).expect(query).to_string(), counts)
    })
}

#[track_caller]
fn check(query: &str, rows: &[&str], counts: &[(&str, usize)]) {
    let (text, found) = answer(query);
    let lines: Vec<&str> = text.lines().collect();
    let shown: Vec<String> = lines[3..lines.len() - 1]
        .iter()
        .map(|line| line.split_whitespace().collect::<String>())
        .collect();
    assert_eq!(shown, rows, "{query}");
    let found: Vec<(&str, usize)> = found.iter().map(|(name, count)| (&**name, *count)).collect();
    assert_eq!(found, counts, "{query}");
}

#[test]
fn a_limit_ends_the_reading_at_its_last_row() {
    check("SELECT n FROM numbers('.') LIMIT 2", &["|0|", "|1|"], &[("numbers", 2), ("dear", 0)]);
    check(
        "SELECT n FROM numbers('.') WHERE parity = 'odd' AND n >= 5 LIMIT 2 OFFSET 1",
        &["|7|", "|9|"],
        &[("numbers", 10), ("dear", 0)],
    );
    // A condition that DataFusion keeps: all is read.
    check(
        "SELECT n FROM numbers('.', upto => 1000) WHERE n % 7 = 3 ORDER BY n LIMIT 1",
        &["|3|"],
        &[("numbers", 1000), ("dear", 0)],
    );
}

#[test]
fn columns_that_are_not_asked_for_are_not_read() {
    let (even, dear) = ("|even|50|", "|0098|");
    check(
        "SELECT parity, count(*) FROM numbers('.', upto => 100) WHERE parity = 'even' GROUP BY 1",
        &[even],
        &[("numbers", 100), ("dear", 0)],
    );
    check(
        "SELECT max(dear) FROM numbers('.', upto => 100) WHERE parity = 'even'",
        &[dear],
        &[("numbers", 100), ("dear", 100)],
    );
    check(
        "SELECT count(*) FROM numbers('.', upto => 100)",
        &["|100|"],
        &[("numbers", 100), ("dear", 0)],
    );
}

/// The lines of a plan that read tables.
#[track_caller]
fn scans(query: &str) -> Vec<String> {
    let (text, _) = answer(&format!("EXPLAIN {query}"));
    let scans = text.lines().filter_map(|line| line.split_once("TableScan: table=numbers"));
    scans.map(|(_, line)| line.trim_end_matches('|').trim_end().to_owned()).collect()
}

#[test]
fn a_plan_says_what_is_handed_to_a_table() {
    for (query, want) in [
        (
            "SELECT n FROM numbers('.') WHERE parity IN ('odd', 'even') AND n BETWEEN 3 AND 9 LIMIT 4",
            ".numbers, paths=[.], columns=[n], conditions=[\"parity\" IN ('odd', 'even'), \"n\" >= 3, \"n\" <= 9], limit=4, partitions=1",
        ),
        (
            "SELECT count(*) FROM numbers('src', upto => 9, words => ['x', 'y']) WHERE dear NOT LIKE '00%'",
            ".numbers, paths=[src], arguments=[upto => 9, words => x, words => y], conditions=[\"dear\" NOT LIKE '00%'], partitions=2",
        ),
        (
            "SELECT parity FROM numbers('.') WHERE n + 1 = 3 OR parity IS NULL",
            ".numbers, paths=[.], columns=[n, parity], partitions=2",
        ),
        (
            "SELECT n FROM numbers('.') WHERE NOT (n < 3) AND (n = 4 OR n = 7 OR n = 9 OR n = 11)",
            ".numbers, paths=[.], columns=[n], conditions=[\"n\" >= 3, \"n\" IN (4, 7, 9, 11)], partitions=2",
        ),
    ] {
        assert_eq!(scans(query), [want], "{query}");
    }
}

#[test]
fn arguments_are_constants_of_all_types() {
    for (call, want) in [
        ("numbers_numbers('.', 'q')", "paths=[.], arguments=[query => q]"),
        (
            "numbers(path => ['src', 'tests'], query => 'q')",
            "paths=[src, tests], arguments=[query => q]",
        ),
        ("numbers('s' || 'rc', upto := 1 + 2)", "paths=[src], arguments=[upto => 3]"),
        (
            "numbers('.', at => TIMESTAMP '2024-04-05 10:00:00' + INTERVAL '1 hour')",
            "paths=[.], arguments=[at => 2024-04-05T11:00:00Z]",
        ),
        ("numbers('.', words => {'price': 2})", "paths=[.], arguments=[words => price=2]"),
        ("numbers('.', words => MAP {'price': 2})", "paths=[.], arguments=[words => price=2]"),
        ("numbers('.') AS t", "paths=[.]"),
    ] {
        let want = format!(".numbers, {want}, columns=[n], partitions=2");
        assert_eq!(scans(&format!("SELECT n FROM {call}")), [want], "{call}");
    }
}

#[test]
fn wrong_arguments_are_said_as_the_catalogue_says_them() {
    let (session, runtime) = numbers();
    for (call, want) in [
        ("numbers()", "numbers.numbers needs a path"),
        (
            "numbers('.', up => 3)",
            "numbers.numbers has no argument up: there are query, upto, words, at, parts, job",
        ),
        ("numbers('.', upto => 'x')", "argument upto: x is no number"),
        ("numbers('.', upto => [1, 2])", "argument upto is given twice"),
        (
            "numbers('.', 'q', 3)",
            "numbers.numbers: 3 has no name: path and query may lack one, all others are NAME => VALUE",
        ),
        (
            "numbers('.', query => NULL)",
            "argument query: NULL: a text, number, boolean, time, or a list of them is expected",
        ),
        (
            "numbers('.', query => parity)",
            "argument query: parity is no constant: a text, number, boolean, time, or a list of them",
        ),
        ("nombers('.')", "table function 'nombers' not found"),
    ] {
        let error = runtime.block_on(session.sql(&format!("SELECT * FROM {call}"))).unwrap_err();
        assert_eq!(crate::said::sentence(&error.into()), want, "{call}");
    }
    let error = runtime.block_on(session.sql("SELECT m FROM numbers('.')")).unwrap_err();
    let text = crate::said::sentence(&error.into());
    assert!(text.starts_with("Schema error: No field named m."), "{text}");
}

/// Waits until all jobs of a kind have ended.
fn ended(job: usize) {
    for _ in 0..1000 {
        if GOING[job].load(SeqCst) == 0 {
            return;
        }
        thread::sleep(Duration::from_millis(10));
    }
    panic!("its jobs go on");
}

#[test]
fn a_query_that_is_dropped_ends_its_reading() {
    let (session, runtime) = numbers();
    runtime.block_on(async {
        let frame = session.sql("SELECT * FROM numbers('.', job => 'dropped')").await.unwrap();
        let mut rows = frame.execute_stream().await.unwrap();
        assert!(rows.next().await.unwrap().unwrap().num_rows() > 0);
        drop(rows);
        ended(1);
        // No row ever comes of this one.
        let query = "SELECT * FROM numbers('.', job => 'dropped') WHERE n < 0";
        let mut rows = session.sql(query).await.unwrap().execute_stream().await.unwrap();
        let polled = poll_fn(|waker| Poll::Ready(rows.poll_next_unpin(waker))).await;
        assert!(polled.is_pending());
        while GOING[1].load(SeqCst) == 0 {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
        drop(rows);
        ended(1);
    });
}

#[test]
fn parts_beyond_those_that_are_wanted_are_read_one_after_the_other() {
    let of_seven = ("numbers('.', upto => 70, parts => 7)", ("numbers", 70));
    let query = format!("SELECT count(*), sum(n) FROM {}", of_seven.0);
    check(&query, &["|70|2415|"], &[of_seven.1, ("dear", 0)]);
    let plan = scans(&format!("SELECT n FROM {}", of_seven.0));
    assert!(plan[0].ends_with("columns=[n], partitions=2"), "{plan:?}");
    // With a limit the table isn't cut.
    let query =
        format!("SELECT min(n), max(n), count(*) FROM (SELECT n FROM {} LIMIT 12)", of_seven.0);
    check(&query, &["|0|11|12|"], &[("numbers", 12), ("dear", 0)]);
}

#[test]
fn partitions_have_all_rows_together() {
    let query = "SELECT count(*), sum(n), count(DISTINCT n) FROM numbers('.', upto => 20000)";
    check(query, &["|20000|199990000|20000|"], &[("numbers", 20000), ("dear", 0)]);
}
