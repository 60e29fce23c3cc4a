//! Which components there are, and which there have to be.
//!
//! Bytes:   docs/formats/sstable.md, "Files"

use manicule_format_sstable::{Component, StatisticsFile, read_toc};
use manicule_store::pages::Reading;

use super::checked::Checked;
use super::notes::Spot;
use crate::RowsError;

/// Section of findings about a component as a whole.
const COMPONENTS: &str = "components";

/// What is asked of a component that isn't there.
enum Need {
    /// Nothing is read without it.
    Always,
    /// Readers make it again, or do without.
    Helps,
}

impl Checked<'_> {
    /// Compares what is there with TOC.txt. Returns whether rows can be read.
    pub(super) fn components(&mut self, reading: &mut Reading<'_>) -> Result<bool, RowsError> {
        let listed = self.toc(reading)?;
        let needs = self.needs(reading)?;
        let mut is_readable = true;
        for (component, need) in &needs {
            let is_there = self.has(component);
            is_readable &= is_there || matches!(need, Need::Helps);
            let is_named = listed.as_ref().is_some_and(|listed| listed.contains(component));
            let spot = Spot::whole(component, COMPONENTS);
            match (is_there, need, is_named) {
                (true, ..) => {}
                (false, Need::Always, _) => self.notes.wrong(spot, missing(component)),
                (false, Need::Helps, true) if !is_made_again(component) => {
                    self.notes.wrong(spot, "is not there, and TOC.txt names it");
                }
                (false, Need::Helps, _) => {
                    self.notes.odd(spot, "is not there: readers make it again, or do without");
                }
            }
        }
        if let Some(listed) = &listed {
            self.compare_toc(listed, &needs);
        }
        for component in &self.listed.components {
            self.counts.files += 1;
            self.counts.len += self.open(component)?.len();
        }
        Ok(is_readable)
    }

    fn toc(&mut self, reading: &mut Reading<'_>) -> Result<Option<Vec<Component>>, RowsError> {
        let Some(file) = self.open_if_there(&Component::Toc)? else {
            let spot = Spot::whole(&Component::Toc, COMPONENTS);
            self.notes.wrong(spot, "is not there: it is written last, so the table isn't finished");
            return Ok(None);
        };
        let bytes = file.whole(self.options.component_bytes_max, reading)?;
        match read_toc(&bytes) {
            Ok(listed) => {
                if !listed.contains(&Component::Data) {
                    let spot = Spot::whole(&Component::Toc, COMPONENTS);
                    self.notes.wrong(spot, "doesn't name Data.db: it is cut, or of no table");
                }
                Ok(Some(listed))
            }
            Err(error) => {
                self.notes.text_error(&Component::Toc, COMPONENTS, &error);
                Ok(None)
            }
        }
    }

    /// Other components that TOC.txt names or doesn't.
    fn compare_toc(&mut self, listed: &[Component], needs: &[(Component, Need)]) {
        let is_known = |component: &Component| needs.iter().any(|(needed, _)| needed == component);
        for component in listed.iter().filter(|component| !is_known(component)) {
            if !self.has(component) {
                let spot = Spot::whole(component, COMPONENTS);
                self.notes.wrong(spot, "is not there, and TOC.txt names it");
            }
        }
        for component in self.listed.components.iter().filter(|there| !listed.contains(there)) {
            let spot = Spot::whole(component, COMPONENTS);
            if is_made_again(component) || matches!(component, Component::Toc | Component::Other(_))
            {
                self.notes.odd(spot, "is there, and TOC.txt doesn't name it")
            } else {
                self.notes
                    .wrong(spot, "is there, and TOC.txt, which is cut perhaps, doesn't name it")
            }
        }
    }

    /// The components that a table of this version has.
    fn needs(&self, reading: &mut Reading<'_>) -> Result<Vec<(Component, Need)>, RowsError> {
        let version = self.listed.descriptor.version;
        let mut needs = vec![
            (Component::Data, Need::Always),
            (Component::Statistics, Need::Always),
            (Component::Digest, Need::Helps),
        ];
        if version.has_trie_index() {
            needs.extend([(Component::Partitions, Need::Always), (Component::Rows, Need::Always)])
        } else {
            needs.extend([(Component::Index, Need::Always), (Component::Summary, Need::Helps)]);
        }
        if !self.has(&Component::CompressionInfo) {
            needs.push((Component::Crc, Need::Helps));
        }
        if self.wants_filter(reading)? {
            needs.push((Component::Filter, Need::Helps));
        }
        Ok(needs)
    }

    /// Whether the table was written with a filter: not for a chance of 1.
    fn wants_filter(&self, reading: &mut Reading<'_>) -> Result<bool, RowsError> {
        let Some(bytes) = self.whole(&Component::Statistics, reading)? else { return Ok(true) };
        // What is wrong with it, the header's reader says.
        let read = StatisticsFile::open(&bytes, self.listed.descriptor.version);
        let validation = read.ok().and_then(|file| file.validation().ok());
        Ok(validation.is_none_or(|validation| validation.filter_chance < 1.0))
    }
}

/// What is lost with a component, and what is left to do.
fn missing(component: &Component) -> &'static str {
    match component {
        Component::Index => {
            "is not there, and no partition is found without it: rows rebuild makes it again"
        }
        Component::Partitions | Component::Rows => {
            "is not there, and no partition is found without it: rows dump --salvage prints what the \
             data have"
        }
        _ => "is not there, and nothing can be read without it",
    }
}

/// Whether Cassandra makes it again where it is missing, or does without: its verifier says valid
/// to that.
fn is_made_again(component: &Component) -> bool {
    matches!(component, Component::Summary | Component::Filter | Component::Digest)
}
