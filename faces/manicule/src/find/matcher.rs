//! From patterns to a matcher, of either engine.

use std::fmt;
use std::ops::Range;

use grep_matcher::Matcher as _;
use grep_regex::RegexMatcherBuilder;
use grep_searcher::BinaryDetection;
use manicule_core::ErrorClass;
use manicule_core::pattern::Case;

use super::patterns::{Boundary, Engine, Patterns};
use super::reading::Reading;
use crate::failure::Failure;

/// The compiled patterns of a search. ripgrep's searcher takes either for one, see `engine`.
#[derive(Clone, Debug)]
pub enum Matcher {
    /// Rust's.
    Rust(grep_regex::RegexMatcher),
    /// PCRE2, boxed: it is larger, and not the usual one.
    #[cfg(feature = "pcre2")]
    Pcre2(Box<grep_pcre2::RegexMatcher>),
}

/// Why patterns could not be compiled.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum PatternError {
    /// The engine refuses them, in its own words.
    Refused(String),
    /// This build has no PCRE2.
    NoPcre2,
}

impl fmt::Display for PatternError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PatternError::Refused(why) => f.write_str(why),
            PatternError::NoPcre2 => f.write_str("PCRE2 is not available in this build"),
        }
    }
}

impl std::error::Error for PatternError {}

impl PatternError {
    /// Class of the error.
    pub fn class(&self) -> ErrorClass {
        match self {
            PatternError::Refused(_) => ErrorClass::Asked,
            PatternError::NoPcre2 => ErrorClass::Unsupported,
        }
    }
}

impl From<PatternError> for Failure {
    fn from(error: PatternError) -> Self {
        Failure::new(error.class(), error)
    }
}

impl Matcher {
    /// Compiles patterns, for files that are read so.
    pub fn compile(patterns: &Patterns, reading: &Reading) -> Result<Matcher, PatternError> {
        match patterns.engine {
            Engine::Rust => rust(patterns, reading),
            Engine::Pcre2 => pcre2(patterns, reading),
        }
    }

    /// Ranges of a text that match. An error is PCRE2's, which gives up on a text that takes it too
    /// long.
    pub fn matches(&self, text: &[u8]) -> Result<Vec<Range<usize>>, Failure> {
        let mut ranges = Vec::new();
        let found = self.find_iter(text, |found| {
            ranges.push(found.start()..found.end());
            true
        });
        found.map(|()| ranges).map_err(gave_up)
    }
}

/// The error of PCRE2 that gives up on a text.
pub(super) fn gave_up(error: String) -> Failure {
    Failure::new(ErrorClass::TooMuch, error)
}

#[cfg(not(feature = "pcre2"))]
fn pcre2(_: &Patterns, _: &Reading) -> Result<Matcher, PatternError> {
    Err(PatternError::NoPcre2)
}

#[cfg(feature = "pcre2")]
fn pcre2(patterns: &Patterns, reading: &Reading) -> Result<Matcher, PatternError> {
    /// More than PCRE2 itself holds to be enough for any pattern; ripgrep's number.
    const JIT_STACK_LEN_MAX: usize = 10 << 20;
    let mut builder = grep_pcre2::RegexMatcherBuilder::new();
    builder
        .multi_line(true)
        .fixed_strings(patterns.fixed)
        .caseless(patterns.case == Case::Insensitive)
        .case_smart(patterns.case == Case::Smart)
        .whole_line(patterns.boundary == Some(Boundary::Line))
        .word(patterns.boundary == Some(Boundary::Word))
        .utf(patterns.unicode)
        .ucp(patterns.unicode)
        .dotall(reading.dot_matches_new_line)
        .crlf(reading.crlf);
    // Compiling to machine code runs out of memory where addresses have 32 bits.
    if cfg!(target_pointer_width = "64") {
        builder.jit_if_available(true).max_jit_stack_size(Some(JIT_STACK_LEN_MAX));
    }
    let refused = |error: grep_pcre2::Error| PatternError::Refused(error.to_string());
    let matcher = builder.build_many(&patterns.texts).map_err(refused)?;
    Ok(Matcher::Pcre2(Box::new(matcher)))
}

/// PCRE2 of this build.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pcre2 {
    /// Major and minor number of its version.
    pub version: (u32, u32),
    /// Whether patterns become machine code.
    pub has_jit: bool,
}

impl Pcre2 {
    /// `None` in a build without it.
    pub fn of_build() -> Option<Pcre2> {
        #[cfg(feature = "pcre2")]
        {
            let has_jit = cfg!(target_pointer_width = "64") && grep_pcre2::is_jit_available();
            Some(Pcre2 { version: grep_pcre2::version(), has_jit })
        }
        #[cfg(not(feature = "pcre2"))]
        None
    }
}

fn rust(patterns: &Patterns, reading: &Reading) -> Result<Matcher, PatternError> {
    let mut builder = RegexMatcherBuilder::new();
    builder
        .multi_line(true)
        .unicode(patterns.unicode)
        .octal(false)
        .fixed_strings(patterns.fixed)
        .case_insensitive(patterns.case == Case::Insensitive)
        .case_smart(patterns.case == Case::Smart)
        .whole_line(patterns.boundary == Some(Boundary::Line))
        .word(patterns.boundary == Some(Boundary::Word));
    if reading.multiline {
        builder.dot_matches_new_line(reading.dot_matches_new_line);
        if reading.crlf {
            builder.crlf(true).line_terminator(None);
        }
    } else {
        builder.line_terminator(Some(b'\n')).dot_matches_new_line(false);
        if reading.crlf {
            builder.crlf(true);
        }
        if reading.null_data {
            builder.line_terminator(Some(0));
        }
    }
    if let Some(limit) = patterns.size_max {
        builder.size_limit(limit);
    }
    if let Some(limit) = patterns.dfa_size_max {
        builder.dfa_size_limit(limit);
    }
    // A named file is the last to lose its binary detection.
    if reading.binary_detection(true) != BinaryDetection::none() {
        builder.ban_byte(Some(0));
    }
    let refused = |error: grep_regex::Error| PatternError::Refused(error.to_string());
    builder.build_many(&patterns.texts).map(Matcher::Rust).map_err(refused)
}
