//! From patterns to a matcher, of either engine, and what ripgrep advises where one refuses them.

use anyhow::{Result, anyhow};
use manicule::find::{Engine as Regexes, Matcher, PatternError, Pcre2, Search};

use crate::flags::Engine;
use crate::messages::InvokedAs;

/// Builds the matcher of a search's patterns, and notes whose engine it is.
pub(super) fn build(search: &mut Search, engine: Engine, invoked_as: InvokedAs) -> Result<Matcher> {
    match engine {
        Engine::Rust => rust(search).map_err(|error| anyhow!(with_engine_advice(error))),
        Engine::Pcre2 => pcre2(search, invoked_as),
        Engine::Auto => either(search, invoked_as),
    }
}

/// The default engine's matcher, and PCRE2's where that one refuses.
fn either(search: &mut Search, invoked_as: InvokedAs) -> Result<Matcher> {
    let default_error = match rust(search) {
        Ok(matcher) => return Ok(matcher),
        Err(error) => error,
    };
    log::debug!("the default engine refuses the patterns, so PCRE2 is tried:\n{default_error}");
    pcre2(search, invoked_as).map_err(|error| {
        let line = "~".repeat(79);
        anyhow!(
            "regex could not be compiled with either the default regex engine or with PCRE2.\n\n\
             default regex engine error:\n{line}\n{default_error}\n{line}\n\n\
             PCRE2 regex engine error:\n{error}"
        )
    })
}

/// From here on the patterns mean what PCRE2 takes them for.
fn pcre2(search: &mut Search, invoked_as: InvokedAs) -> Result<Matcher> {
    search.patterns.engine = Regexes::Pcre2;
    compile(search).map_err(|error| match error {
        PatternError::NoPcre2 => {
            anyhow!("PCRE2 is not available in this build of {}", invoked_as.product())
        }
        refused => refused.into(),
    })
}

fn rust(search: &mut Search) -> Result<Matcher, String> {
    search.patterns.engine = Regexes::Rust;
    compile(search).map_err(|error| with_advice(error.to_string()))
}

fn compile(search: &Search) -> Result<Matcher, PatternError> {
    Matcher::compile(&search.patterns, &search.reading)
}

/// Version of PCRE2, in ripgrep's words; as an error if there is none.
pub(crate) fn pcre2_version(product: &str) -> Result<String, String> {
    let Some(Pcre2 { version: (major, minor), has_jit }) = Pcre2::of_build() else {
        return Err(format!("PCRE2 is not available in this build of {product}."));
    };
    let jit = if has_jit { "available" } else { "unavailable" };
    Ok(format!("PCRE2 {major}.{minor} is available (JIT is {jit})"))
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
