//! A query of a table, asked of its stores.

use std::ops::ControlFlow;
use std::time::Duration;

use manicule_core::ErrorClass;
use manicule_core::watch::Watch;

use super::opened::opened;
use crate::cache::now_ns;
use crate::catalog::arguments::{Argument, Arguments, Concerns, Takes};
use crate::failure::Failure;
use crate::graph::{
    DefaultGraphChoice, ListedTerm, QueryLimits, SolutionsCall, SolutionsOf, Store,
};

pub(super) const QUERY: Argument = Argument {
    name: "query",
    takes: Takes::Text,
    concerns: Concerns::Question,
    about: "The query: SELECT, ASK, CONSTRUCT or DESCRIBE.",
};
pub(super) const UNION: Argument = Argument {
    name: "union",
    takes: Takes::Boolean,
    concerns: Concerns::Question,
    about: "Whether the default graph is the union of all graphs, where the query names none. Default: false.",
};
pub(super) const TIMEOUT: Argument = Argument {
    name: "timeout",
    takes: Takes::Number,
    concerns: Concerns::Bounds,
    about: "Seconds after which the query ends with an error. Default: none.",
};
pub(super) const MEMORY: Argument = Argument {
    name: "memory",
    takes: Takes::Number,
    concerns: Concerns::Bounds,
    about: "Bytes that its tables may hold. Default: 1073741824.",
};

/// A query, and the stores that it is asked of.
pub(super) struct Asked {
    stores: Vec<Store>,
    call: SolutionsCall,
    timeout: Option<Duration>,
}

fn text(arguments: &Arguments) -> Result<&str, Failure> {
    let missing = || Failure::asked("graph.solutions needs an argument query");
    arguments.text(QUERY.name).ok_or_else(missing)
}

/// What the rows of a call's query are of.
pub(super) fn form(arguments: &Arguments) -> Result<SolutionsOf, Failure> {
    Ok(SolutionsOf::query(text(arguments)?)?)
}

impl Asked {
    /// The query of a call, and its stores, opened.
    pub(super) fn of(arguments: &Arguments) -> Result<Asked, Failure> {
        let text = text(arguments)?.to_owned();
        let mut limits = QueryLimits::NONE;
        if let Some(bytes) = arguments.count(MEMORY.name)? {
            limits.memory_max = bytes;
        }
        let timeout = arguments.count(TIMEOUT.name)?.map(Duration::from_secs);
        let is_union = arguments.is_set(UNION.name)?;
        let default_graph =
            if is_union { DefaultGraphChoice::Union } else { DefaultGraphChoice::Own };
        let call = SolutionsCall { text, default_graph, limits };
        Ok(Asked { stores: opened(arguments)?, call, timeout })
    }

    /// Hands out the rows of all stores, until `take` breaks. Returns their number.
    pub(super) fn each(
        &self,
        watch: &Watch<'_>,
        take: &mut dyn FnMut(&[Option<ListedTerm>]) -> ControlFlow<()>,
    ) -> Result<u64, Failure> {
        let (report, stop) = (|_| {}, || watch.check().is_err());
        let mut within = Watch::new(&report, &stop);
        if let Some(timeout) = self.timeout {
            let nanos = u64::try_from(timeout.as_nanos()).unwrap_or(u64::MAX);
            within = within.until(now_ns().saturating_add(nanos), now_ns);
        }
        let (mut count, mut is_enough) = (0, false);
        for store in &self.stores {
            let read = store.solutions(&self.call, &within, &mut |terms| {
                let flow = take(terms);
                is_enough = flow.is_break();
                flow
            });
            count += match (read, self.timeout) {
                (Err(_), Some(timeout)) if within.deadline_passed() => {
                    let why = format!("the query has not ended within {} s", timeout.as_secs());
                    return Err(Failure::new(ErrorClass::TooMuch, why));
                }
                (read, _) => read?,
            };
            if is_enough {
                break;
            }
        }
        Ok(count)
    }
}
