//! What was found in the files of one SSTable.

use std::fmt::Display;
use std::path::Path;

use manicule_core::bytes::DecodeError;
use manicule_core::findings::{FileFinding, Verdict};
use manicule_format_sstable::{Component, Descriptor, SstableError};

use crate::RowsError;

/// Findings and warnings, as they come.
#[derive(Debug)]
pub(super) struct Notes {
    pub(super) verdict: Verdict,
    descriptor: Descriptor,
}

/// Where something was found.
#[derive(Clone, Copy, Debug)]
pub(super) struct Spot<'s> {
    pub(super) component: &'s Component,
    pub(super) section: &'static str,
    pub(super) at: Option<u64>,
}

impl<'s> Spot<'s> {
    /// A place of a component.
    pub(super) fn at(component: &'s Component, section: &'static str, at: u64) -> Self {
        Spot { component, section, at: Some(at) }
    }

    /// A section as a whole.
    pub(super) fn whole(component: &'s Component, section: &'static str) -> Self {
        Spot { component, section, at: None }
    }
}

impl Notes {
    pub(super) fn new(descriptor: &Descriptor) -> Self {
        Notes { verdict: Verdict::default(), descriptor: descriptor.clone() }
    }

    fn of(&self, spot: Spot<'_>, what: String) -> FileFinding {
        let file = self.descriptor.file_name(spot.component);
        FileFinding { file, section: Some(spot.section.to_owned()), offset: spot.at, what }
    }

    /// Notes what is wrong, once where several checks come upon the same bytes.
    pub(super) fn wrong(&mut self, spot: Spot<'_>, what: impl Display) {
        let finding = self.of(spot, what.to_string());
        let is_same = |known: &FileFinding| {
            (&known.file, known.offset, &known.what)
                == (&finding.file, finding.offset, &finding.what)
        };
        if !self.verdict.findings.list.iter().any(is_same) {
            self.verdict.findings.push(finding);
        }
    }

    /// Notes what is odd: readers take it, or make it again.
    pub(super) fn odd(&mut self, spot: Spot<'_>, what: impl Display) {
        let warning = self.of(spot, what.to_string());
        self.verdict.warnings.push(warning);
    }

    /// Notes that two values differ.
    pub(super) fn differs(
        &mut self,
        spot: Spot<'_>,
        what: impl Display,
        want: impl Display,
        got: impl Display,
    ) {
        self.wrong(spot, format_args!("{what}: wanted {want}, got {got}"));
    }

    /// Notes what a decoder says of a component; `of` names the partition, if it is about one.
    pub(super) fn error(
        &mut self,
        component: &Component,
        section: &'static str,
        error: &DecodeError,
        of: impl Display,
    ) {
        let (want, got) = error.want_and_got();
        let spot = Spot::at(component, section, error.at());
        self.differs(spot, format_args!("{}{of}", error.what()), want, got);
    }

    /// Notes what a decoder of texts says.
    pub(super) fn text_error(
        &mut self,
        component: &Component,
        section: &'static str,
        error: &SstableError,
    ) {
        match error {
            SstableError::Decode(error) => self.error(component, section, error, ""),
            SstableError::Text { what, at, want, got } => {
                let spot = Spot::at(component, section, *at);
                self.differs(spot, what, want, format_args!("{got:?}"));
            }
            error => self.wrong(Spot::at(component, section, error.at()), error),
        }
    }

    /// The value, or nothing where the bytes of a file contradict the format: that is noted. Other
    /// errors remain.
    pub(super) fn taken<T>(
        &mut self,
        section: &'static str,
        result: Result<T, RowsError>,
    ) -> Result<Option<T>, RowsError> {
        match result {
            Ok(value) => Ok(Some(value)),
            Err(RowsError::Damaged { file, source }) => {
                self.text_error(&component_of(&file), section, &source);
                Ok(None)
            }
            Err(RowsError::Contradicted { file, what }) => {
                self.wrong(Spot::whole(&component_of(&file), section), what);
                Ok(None)
            }
            Err(RowsError::Chunk { file, at, source }) => {
                let component = component_of(&file);
                let spot = Spot::at(&component, section, at);
                self.wrong(spot, format_args!("chunk that can't be decompressed: {source}"));
                Ok(None)
            }
            Err(error) => Err(error),
        }
    }
}

/// The component of a file that was opened as one.
fn component_of(file: &Path) -> Component {
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    Descriptor::parse(&name).map_or(Component::Data, |(_, component)| component)
}
