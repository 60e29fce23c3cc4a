//! The program. What it does is a library, as that of the command line is.

use std::process::ExitCode;

fn main() -> ExitCode {
    manicule_server::main(std::env::args_os().skip(1))
}
