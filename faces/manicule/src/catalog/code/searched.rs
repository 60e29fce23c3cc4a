//! Documents that answer a query of zoekt, handed over in the order of shards and documents.

use std::ops::ControlFlow;
use std::sync::Mutex;

use manicule_core::watch::Watch;
use manicule_store::threads::{lock, unshared};
use serde_json::Value as Json;

use super::opened::by_shards;
use crate::answer::{Receipt, Rows};
use crate::catalog::arguments::{Argument, Arguments, Concerns, Takes};
use crate::code::search::{Answer, Hear, Query};
use crate::code::shards::find::OpenShard;
use crate::code::tree::Flow;
use crate::code::{OpenShards, SearchCall};
use crate::failure::Failure;

/// Name of the argument that is a query.
const QUERY: &str = "query";

pub(super) const ANY_QUERY: Argument = Argument {
    name: QUERY,
    takes: Takes::Text,
    concerns: Concerns::Question,
    about: "Documents for which this holds, in zoekt's query language. Default: all.",
};

pub(super) const NEEDED_QUERY: Argument = Argument {
    name: QUERY,
    takes: Takes::Text,
    concerns: Concerns::Question,
    about: "Lines that answer this, in zoekt's query language. It is needed.",
};

/// The search of a call, on one thread: its answers come in order, and end with the rows. Without a
/// query, or with an empty one, all documents answer.
pub(super) fn searched(arguments: &Arguments) -> Result<SearchCall, Failure> {
    let query = match arguments.text(QUERY).filter(|text| !text.is_empty()) {
        None => Query::everything(),
        Some(text) => Query::parse(text).map_err(Failure::asked)?,
    };
    Ok(SearchCall { query, threads: 1 })
}

/// As [`searched`], where a query is needed.
pub(super) fn searched_for(arguments: &Arguments) -> Result<SearchCall, Failure> {
    if arguments.text(QUERY).is_none_or(str::is_empty) {
        return Err(Failure::asked("code.lines needs the argument query"));
    }
    searched(arguments)
}

/// Parts of shards; one where what is asked of repositories is answered by shards together.
pub(super) fn split(arguments: &Arguments, wanted: usize) -> Result<Vec<Json>, Failure> {
    if searched(arguments)?.query.asks_repositories() {
        return Ok(vec![Json::Null]);
    }
    by_shards(arguments, wanted)
}

/// Pushes the rows of an answer; whether more are wanted.
pub(super) type PushAnswer<'p> =
    dyn Fn(&mut Rows<'_>, &Answer<'_>) -> Result<ControlFlow<()>, Failure> + Sync + 'p;

/// Hands the answers of a search to `push`.
pub(super) fn each_answer(
    shards: Vec<OpenShard<'_>>,
    call: &SearchCall,
    rows: &mut Rows<'_>,
    watch: &Watch<'_>,
    push: &PushAnswer<'_>,
) -> Result<Receipt, Failure> {
    let pushed = Mutex::new(Pushed { rows, failure: None });
    let hear = || -> Box<dyn Hear + '_> { Box::new(Hearer { pushed: &pushed, push }) };
    let receipt = OpenShards::of(shards).search(call, watch, &hear)?;
    match unshared(pushed).failure {
        Some(failure) => Err(failure),
        None => Ok(receipt.fields().into_iter().collect()),
    }
}

struct Pushed<'r, 's> {
    rows: &'r mut Rows<'s>,
    failure: Option<Failure>,
}

struct Hearer<'h, 'r, 's> {
    pushed: &'h Mutex<Pushed<'r, 's>>,
    push: &'h PushAnswer<'h>,
}

impl Hear for Hearer<'_, '_, '_> {
    fn answer(&mut self, answer: &Answer<'_>) -> Flow {
        let pushed = &mut *lock(self.pushed);
        match (self.push)(pushed.rows, answer) {
            Ok(ControlFlow::Continue(())) => Flow::Continue,
            Ok(ControlFlow::Break(())) => Flow::Quit,
            Err(failure) => {
                pushed.failure = Some(failure);
                Flow::Quit
            }
        }
    }

    fn range_end(&mut self, _: usize) {}
}
