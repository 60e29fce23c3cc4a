//! The program. What it does is a library, so that cargo compiles it beside the engines and not
//! after them.

use std::process::ExitCode;

fn main() -> ExitCode {
    manicule_cli::main(std::env::current_exe().ok(), std::env::args_os())
}
