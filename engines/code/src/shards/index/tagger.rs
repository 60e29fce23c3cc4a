//! Symbols of the documents of a run, asked of ctags.

use std::sync::Mutex;

use manicule_store::threads::lock;

use super::super::symbols::{Asker, Ctags, CtagsError, SymbolSource, Symbols};

/// Finds the symbols of documents, and notes which it could not find.
#[derive(Debug)]
pub(super) struct Tagger {
    ctags: Ctags,
    must_succeed: bool,
    failures: Mutex<Failures>,
}

/// Documents that have no symbols because ctags failed.
#[derive(Debug, Default)]
pub(super) struct Failures {
    pub(super) count: u64,
    /// What happened to the first.
    pub(super) first: Option<String>,
}

impl Tagger {
    /// Starts ctags, if symbols are wanted.
    pub(super) fn open(source: &SymbolSource) -> Result<Option<Tagger>, CtagsError> {
        let SymbolSource::Ctags { program, must_succeed } = source else { return Ok(None) };
        let ctags = Ctags::open(program)?;
        Ok(Some(Tagger { ctags, must_succeed: *must_succeed, failures: Mutex::default() }))
    }

    /// One who asks for the symbols of documents, for a thread.
    pub(super) fn asker(&self) -> Asker<'_> {
        Asker::new(&self.ctags)
    }

    /// The symbols of a document that was asked for. One that ctags fails on has none, unless it
    /// must not fail.
    pub(super) fn heard(
        &self,
        symbols: Result<Symbols, CtagsError>,
    ) -> Result<Symbols, CtagsError> {
        match symbols {
            Err(error @ CtagsError::Document { .. }) if !self.must_succeed => {
                let mut failures = lock(&self.failures);
                failures.count += 1;
                failures.first.get_or_insert_with(|| error.to_string());
                Ok(Symbols::default())
            }
            symbols => symbols,
        }
    }

    /// The failures since they were last taken.
    pub(super) fn take_failures(&self) -> Failures {
        std::mem::take(&mut lock(&self.failures))
    }
}
