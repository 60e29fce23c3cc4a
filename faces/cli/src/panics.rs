//! The last word of a panic.

use std::panic::{set_hook, take_hook};

use crate::command::exit;
use crate::messages::say;

/// Has panics of libraries about what they read said as errors. Where panics abort the program ends
/// there, with the exit code of an error; elsewhere the call that they are in gives the error back.
pub(crate) fn say_as_errors() {
    let others = take_hook();
    set_hook(Box::new(move |panic| match manicule::tables::library_panic(panic.payload()) {
        Some(error) if cfg!(panic = "abort") => {
            say(&error);
            std::process::exit(exit::FAILED.into());
        }
        Some(_) => {}
        None => others(panic),
    }));
}
