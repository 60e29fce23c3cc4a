//! Shards opened for a table, and their parts: ranges of the shards, in the order of the paths and
//! of the names in a folder.

use std::ops::Range;
use std::sync::Arc;

use serde_json::{Value as Json, json};

use crate::answer::{Cell, Question, Test};
use crate::catalog::arguments::Arguments;
use crate::code::shards::ShardError;
use crate::code::shards::find::OpenShard;
use crate::code::{Moment, Shards};
use crate::failure::Failure;

/// The shards of a table's paths.
pub(super) struct Opened {
    moment: Arc<Moment>,
    of_part: Range<usize>,
}

/// Maps the shards of all paths, for a part of the table.
pub(super) fn opened(arguments: &Arguments, part: &Json) -> Result<Opened, Failure> {
    let (mut shards, mut failed) = (Shards::default(), None);
    for path in &arguments.paths {
        shards.add(path, &mut |error| keep(&mut failed, error))?;
    }
    let opened = Opened { moment: shards.moment(), of_part: of_part(part)? };
    failed.map_or(Ok(opened), |error| Err(error.into()))
}

/// The first error is that of the table.
fn keep(failed: &mut Option<ShardError>, error: ShardError) {
    failed.get_or_insert(error);
}

fn of_part(part: &Json) -> Result<Range<usize>, Failure> {
    if part.is_null() {
        return Ok(0..usize::MAX);
    }
    let edge = |name: &str| part[name].as_u64().and_then(|edge| usize::try_from(edge).ok());
    let range = edge("from").zip(edge("to")).map(|(from, to)| from..to);
    range.ok_or_else(|| Failure::asked(format!("no part of shards: {part}")))
}

impl Opened {
    /// The shards of the part.
    pub(super) fn shards(&self) -> Result<Vec<OpenShard<'_>>, Failure> {
        let mut failed = None;
        let mut all = self.moment.open(&mut |error| keep(&mut failed, error)).into_list();
        if let Some(error) = failed {
            return Err(error.into());
        }
        all.truncate(self.of_part.end);
        Ok(all.split_off(self.of_part.start.min(all.len())))
    }
}

/// Parts of about as many shards each.
pub(super) fn by_shards(arguments: &Arguments, wanted: usize) -> Result<Vec<Json>, Failure> {
    let count = opened(arguments, &Json::Null)?.shards()?.len();
    let per_part = count.div_ceil(wanted).max(1);
    let part = |from: usize| json!({ "from": from, "to": count.min(from + per_part) });
    Ok((0..count.max(1)).step_by(per_part).map(part).collect())
}

/// Conditions on the repository: shards without one that fulfils them are left out.
pub(super) struct OfRepository(Vec<Test>);

impl OfRepository {
    /// Those of a question on a column. They are tested row by row too: a shard may have several
    /// repositories.
    pub(super) fn of(question: &mut Question, at: usize) -> OfRepository {
        let mut tests = Vec::new();
        question.push(at, |test| {
            tests.push(test.clone());
            false
        });
        OfRepository(tests)
    }

    /// Leaves the shards that may have rows.
    pub(super) fn narrow(&self, shards: &mut Vec<OpenShard<'_>>) {
        shards.retain(|open| {
            open.shard().repositories().iter().any(|repository| {
                let name = repository.name.to_string();
                self.0.iter().all(|test| test.fulfils(Cell::Text(&name)) == Some(true))
            })
        });
    }
}
