//! From patterns to a matcher, of either engine.

use std::io;
use std::ops::Range;

use anyhow::{Result, anyhow};
use grep_matcher::Matcher as _;
use grep_regex::RegexMatcherBuilder;

use super::call::Call;
use crate::flags::{Boundary, Case, Engine};

/// The compiled patterns of a call. The searcher takes either for one, see `engine`.
#[derive(Clone, Debug)]
pub(crate) enum Matcher {
    /// Rust's.
    Rust(grep_regex::RegexMatcher),
    /// PCRE2, boxed: it is larger, and not the usual one.
    #[cfg(feature = "pcre2")]
    Pcre2(Box<grep_pcre2::RegexMatcher>),
}

impl Matcher {
    /// Whether the patterns mean what PCRE2 takes them for, which the pattern analysis does not
    /// know.
    pub(crate) fn is_pcre2(&self) -> bool {
        !matches!(self, Matcher::Rust(_))
    }

    /// Ranges of a text that match.
    pub(crate) fn matches(&self, text: &[u8]) -> io::Result<Vec<Range<usize>>> {
        let mut ranges = Vec::new();
        let found = self.find_iter(text, |found| {
            ranges.push(found.start()..found.end());
            true
        });
        found.map(|()| ranges).map_err(io::Error::other)
    }

    /// Whether a text matches. An error is PCRE2's, which gives up on a text that takes it too
    /// long.
    pub(crate) fn is_match(&self, text: &[u8]) -> io::Result<bool> {
        grep_matcher::Matcher::is_match(self, text).map_err(io::Error::other)
    }
}

/// Builds the matcher that the options want.
pub(crate) fn build(call: &Call) -> Result<Matcher> {
    match call.options.engine {
        Engine::Rust => rust(call).map_err(|error| anyhow!(with_engine_advice(error))),
        Engine::Pcre2 => pcre2(call),
        Engine::Auto => either(call),
    }
}

/// The default engine's matcher, and PCRE2's where that one refuses.
fn either(call: &Call) -> Result<Matcher> {
    let default_error = match rust(call) {
        Ok(matcher) => return Ok(matcher),
        Err(error) => error,
    };
    log::debug!("the default engine refuses the patterns, so PCRE2 is tried:\n{default_error}");
    pcre2(call).map_err(|error| {
        let line = "~".repeat(79);
        anyhow!(
            "regex could not be compiled with either the default regex engine or with PCRE2.\n\n\
             default regex engine error:\n{line}\n{default_error}\n{line}\n\n\
             PCRE2 regex engine error:\n{error}"
        )
    })
}

#[cfg(not(feature = "pcre2"))]
fn pcre2(call: &Call) -> Result<Matcher> {
    Err(anyhow!("PCRE2 is not available in this build of {}", call.invoked_as.product()))
}

#[cfg(feature = "pcre2")]
fn pcre2(call: &Call) -> Result<Matcher> {
    /// More than PCRE2 itself holds to be enough for any pattern; ripgrep's number.
    const JIT_STACK_LEN_MAX: usize = 10 << 20;
    let options = &call.options;
    let mut builder = grep_pcre2::RegexMatcherBuilder::new();
    builder
        .multi_line(true)
        .fixed_strings(options.fixed_strings)
        .caseless(options.case == Case::Insensitive)
        .case_smart(options.case == Case::Smart)
        .whole_line(options.boundary == Some(Boundary::Line))
        .word(options.boundary == Some(Boundary::Word))
        .utf(!options.no_unicode)
        .ucp(!options.no_unicode)
        .dotall(options.multiline && options.multiline_dotall)
        .crlf(options.crlf);
    // Compiling to machine code runs out of memory where addresses have 32 bits.
    if cfg!(target_pointer_width = "64") {
        builder.jit_if_available(true).max_jit_stack_size(Some(JIT_STACK_LEN_MAX));
    }
    Ok(Matcher::Pcre2(Box::new(builder.build_many(&call.patterns)?)))
}

/// Version of PCRE2, in ripgrep's words; as an error if there is none.
pub(crate) fn pcre2_version(product: &str) -> std::result::Result<String, String> {
    #[cfg(feature = "pcre2")]
    {
        let _ = product;
        let (major, minor) = grep_pcre2::version();
        let has_jit = cfg!(target_pointer_width = "64") && grep_pcre2::is_jit_available();
        let jit = if has_jit { "available" } else { "unavailable" };
        Ok(format!("PCRE2 {major}.{minor} is available (JIT is {jit})"))
    }
    #[cfg(not(feature = "pcre2"))]
    Err(format!("PCRE2 is not available in this build of {product}."))
}

fn rust(call: &Call) -> std::result::Result<Matcher, String> {
    let options = &call.options;
    let mut builder = RegexMatcherBuilder::new();
    builder
        .multi_line(true)
        .unicode(!options.no_unicode)
        .octal(false)
        .fixed_strings(options.fixed_strings)
        .case_insensitive(options.case == Case::Insensitive)
        .case_smart(options.case == Case::Smart)
        .whole_line(options.boundary == Some(Boundary::Line))
        .word(options.boundary == Some(Boundary::Word));
    if options.multiline {
        builder.dot_matches_new_line(options.multiline_dotall);
        if options.crlf {
            builder.crlf(true).line_terminator(None);
        }
    } else {
        builder.line_terminator(Some(b'\n')).dot_matches_new_line(false);
        if options.crlf {
            builder.crlf(true);
        }
        if options.null_data {
            builder.line_terminator(Some(0));
        }
    }
    if let Some(limit) = options.regex_size_limit {
        builder.size_limit(limit);
    }
    if let Some(limit) = options.dfa_size_limit {
        builder.dfa_size_limit(limit);
    }
    // A named file is the last to lose its binary detection.
    if call.binary_detection(true) != grep_searcher::BinaryDetection::none() {
        builder.ban_byte(Some(0));
    }
    builder
        .build_many(&call.patterns)
        .map(Matcher::Rust)
        .map_err(|error| with_advice(error.to_string()))
}

/// An error of the default engine, with the one that may help.
fn with_engine_advice(error: String) -> String {
    let asks_for_more = error.contains("backreferences") || error.contains("look-around");
    if cfg!(feature = "pcre2") && asks_for_more {
        error
            + "\n\nConsider enabling PCRE2 with the --pcre2 flag, which can handle backreferences\n\
               and look-around."
    } else {
        error
    }
}

/// An error of the default engine, with the flag that may help; in ripgrep's words, which programs
/// read.
fn with_advice(error: String) -> String {
    let mut advised = error;
    if advised.contains("the literal") && advised.contains("not allowed") {
        advised += "\n\nConsider enabling multiline mode with the --multiline flag (or -U for short).\n\
                    When multiline mode is enabled, new line characters can be matched.";
    }
    if advised.contains("pattern contains \"\\0\"") {
        advised += "\n\nConsider enabling text mode with the --text flag (or -a for short). Otherwise,\n\
                    binary detection is enabled and matching a NUL byte is impossible.";
    }
    advised
}
