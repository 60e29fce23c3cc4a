//! Languages and categories alone: every document of a tree told by our classifier, in memory and
//! on one thread. Of the peer there are no rows: its command line has no such step.

use std::hint::black_box;
use std::path::Path;

use anyhow::Result;
use manicule_code::shards::{Classify, Linguist, Unclassified};

use super::texts::{Document, documents};
use crate::findings::Findings;
use crate::measure::{Digest, Series, timed};
use crate::table::{self, Table, Target};

/// The row of a tree.
pub(super) fn row(
    corpus: &str,
    tree: &Path,
    turn_count: usize,
    findings: &mut Findings,
) -> Result<()> {
    let documents = documents(tree)?;
    let len: u64 = documents.iter().map(|document| document.content.len() as u64).sum();
    let mut series = Series {
        name: "languages and categories".to_owned(),
        samples: Vec::new(),
        output: Digest::default(),
        failure: None,
    };
    for turn in 0..turn_count {
        // What it compiles on its first use is part of it.
        let ((), sample) = timed(|| {
            let linguist = Linguist::default();
            for Document { name, content, skip } in &documents {
                black_box(linguist.classify(&Unclassified { name, content, skip: *skip }));
            }
        });
        eprintln!("  {turn}: {:.0} ms CPU", sample.cpu_ms);
        series.samples.push(sample);
    }
    let note = format!(
        "{} documents, {len} bytes, in memory before; one thread; medians of {turn_count} turns.",
        documents.len()
    );
    let head = ["row", "CPU s", "wall s"];
    let mut table = Table::new(format!("{corpus}: languages alone"), &note, &head);
    table.row(vec![
        series.name.clone(),
        table::seconds(series.cpu_ms()),
        table::seconds(series.wall_ms()),
    ]);
    let cpu_s = series.cpu_ms().map(|ms| ms / 1e3);
    let what = format!("{corpus}, languages alone");
    findings.check(&what, "CPU s", Target::at_most(1.0, 1.0), &series.name, cpu_s);
    findings.tables.push(table);
    findings.raw.push((format!("{corpus}/languages"), vec![series]));
    Ok(())
}
