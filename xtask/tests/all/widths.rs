//! Comments keep to the width of code (STYLE.md, "Sizes we like"); rustfmt holds it for code alone.

use xtask::{expect_none, files, text};

const WIDTH_MAX: usize = 100;

/// Text of a comment line that could be broken. Drawings and tables (their columns lie between bars
/// or blanks), commands and hidden lines of an example can't.
fn prose(line: &str) -> Option<&str> {
    let text = line.trim_start().strip_prefix("//")?.trim_start_matches(['/', '!', ' ']);
    let is_drawing = text.contains('|') || text.contains("   ");
    (!is_drawing && !text.starts_with(['`', '#'])).then_some(text)
}

#[test]
fn comments_keep_to_the_width_of_code() {
    let mut faults = Vec::new();
    for name in files().iter().filter(|name| name.ends_with(".rs")) {
        let source = text(name).unwrap_or_default();
        for (at, line) in source.lines().enumerate() {
            let width = line.chars().count();
            if width > WIDTH_MAX && prose(line).is_some() {
                faults.push(format!("{name}:{}: a comment of {width} columns", at + 1));
            }
        }
    }
    expect_none("comments over 100 columns (STYLE.md, sizes)", &faults);
}
