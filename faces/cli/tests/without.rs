//! What a program without PCRE2 says: `cargo test --no-default-features --test without`.
#![cfg(not(feature = "pcre2"))]

use std::process::Command;

fn check(words: &[&str], code: i32, stdout: &str, stderr: &str) {
    let output = Command::new(env!("CARGO_BIN_EXE_manicule")).args(words).output();
    let output = output.expect("the program");
    assert_eq!(String::from_utf8_lossy(&output.stdout), stdout, "{words:?}");
    assert_eq!(String::from_utf8_lossy(&output.stderr), stderr, "{words:?}");
    assert_eq!(output.status.code(), Some(code), "{words:?}");
}

#[test]
fn the_program_says_that_it_has_no_pcre2() {
    let stderr = "manicule: PCRE2 is not available in this build of manicule\n";
    check(&["find", "-P", "x"], 2, "", stderr);
    let stdout = "PCRE2 is not available in this build of manicule.\n";
    check(&["find", "--pcre2-version"], 1, stdout, "");
}
