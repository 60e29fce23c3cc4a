//! Options that say where a slice starts and ends.

use std::ops::Bound;

use anyhow::{Result, bail};

use crate::command::FlagValue;
use crate::command::spec::{Spec, spec};

pub(super) const FROM: Spec =
    spec("from", "", "Start at the first row that begins with these values.").takes("BOUND");
pub(super) const AFTER: Spec =
    spec("after", "", "Start after the rows that begin with these values.").takes("BOUND");
pub(super) const TO: Spec =
    spec("to", "", "End with the last row that begins with these values.").takes("BOUND");
pub(super) const BEFORE: Spec =
    spec("before", "", "End before the rows that begin with these values.").takes("BOUND");

/// A start or an end, with the name of the option that says it.
#[derive(Default)]
pub(super) struct Side(Option<(String, Bound<String>)>);

impl Side {
    /// Takes a bound; of a start or an end there is one.
    pub(super) fn take(
        &mut self,
        value: &FlagValue,
        kind: fn(String) -> Bound<String>,
    ) -> Result<()> {
        if let Some((name, _)) = &self.0 {
            bail!("{} excludes {name}", value.name);
        }
        self.0 = Some((value.name.to_string(), kind(value.string()?)));
        Ok(())
    }

    pub(super) fn bound(self) -> Bound<String> {
        self.0.map_or(Bound::Unbounded, |(_, bound)| bound)
    }
}
