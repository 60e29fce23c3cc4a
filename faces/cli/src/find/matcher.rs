//! From patterns to a matcher.
//!
//! Callers: find

use anyhow::{Result, anyhow, bail};
use grep_regex::{RegexMatcher, RegexMatcherBuilder};

use super::call::Call;
use crate::flags::{Boundary, Case, Engine};

/// Builds the matcher that the options want.
pub(crate) fn build(call: &Call) -> Result<RegexMatcher> {
    match call.options.engine {
        Engine::Rust => rust(call),
        Engine::Pcre2 => bail!(no_pcre2(call)),
        Engine::Auto => rust(call).map_err(|error| {
            let line = "~".repeat(79);
            anyhow!(
                "regex could not be compiled with either the default regex engine or with PCRE2.\n\n\
                 default regex engine error:\n{line}\n{error}\n{line}\n\n\
                 PCRE2 regex engine error:\n{}",
                no_pcre2(call)
            )
        }),
    }
}

fn no_pcre2(call: &Call) -> String {
    format!("PCRE2 is not available in this build of {}", call.manners.product())
}

fn rust(call: &Call) -> Result<RegexMatcher> {
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
    builder.build_many(&call.patterns).map_err(|error| anyhow!(with_advice(error.to_string())))
}

/// An error of the engine, with the flag that may help; in ripgrep's words, which programs read.
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
