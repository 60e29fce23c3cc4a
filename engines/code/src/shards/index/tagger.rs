//! Symbols of the documents of a run, asked of ctags.

use std::sync::Mutex;

use manicule_store::threads::lock;

use super::super::symbols::{Ctags, CtagsError, SymbolSource, Symbols};

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

    /// The symbols of a document. One that ctags fails on has none, unless it must not fail.
    pub(super) fn symbols(&self, name: &[u8], content: &[u8]) -> Result<Symbols, CtagsError> {
        match self.ctags.symbols(name, content) {
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
