//! Pictures in a terminal: bars beside numbers, whether they are wanted, and how wide and colourful
//! it is.

use std::io::{IsTerminal, stdout};

use anyhow::Result;
use termcolor::{BufferWriter, ColorChoice, WriteColor};

use crate::command::value::FlagValue;

/// A bar as long as its part of the largest, which has `width` cells.
pub(crate) fn bar(part: u64, largest: u64, width: u64) -> String {
    let eighths = (part as f64 / largest.max(1) as f64 * (width * 8) as f64).round() as u64;
    let rest = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"][(eighths % 8) as usize];
    "█".repeat((eighths / 8) as usize) + rest
}

/// Where bars are wanted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Bars {
    /// On a terminal.
    #[default]
    Auto,
    Always,
    Never,
}

impl Bars {
    /// The meaning of `--bars`.
    pub(crate) fn of(value: &FlagValue) -> Result<Bars> {
        value.choice(&[Bars::Auto, Bars::Always, Bars::Never])
    }

    /// Whether they are wanted on this standard output.
    pub(crate) fn are_wanted(self) -> bool {
        match self {
            Bars::Auto => stdout().is_terminal(),
            Bars::Always => true,
            Bars::Never => false,
        }
    }
}

/// Whether standard output takes colours, as ripgrep sees it.
pub(crate) fn colors_are_wanted(choice: ColorChoice) -> bool {
    let choice = match choice {
        ColorChoice::Auto if !stdout().is_terminal() => ColorChoice::Never,
        choice => choice,
    };
    BufferWriter::stdout(choice).buffer().supports_color()
}

/// The meaning of `--color`.
pub(crate) fn color(value: &FlagValue) -> Result<ColorChoice> {
    value.choice(&[
        ColorChoice::Never,
        ColorChoice::Auto,
        ColorChoice::Always,
        ColorChoice::AlwaysAnsi,
    ])
}

/// Number of columns of the terminal that standard output is.
pub(crate) fn width() -> Option<usize> {
    let terminal = console::Term::stdout();
    terminal.size_checked().map(|(_, columns)| usize::from(columns))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bars_are_as_long_as_their_part() {
        for (part, largest, want) in
            [(0, 0, ""), (0, 9, ""), (9, 9, "███"), (1, 3, "█"), (1, 24, "▏"), (5, 9, "█▋")]
        {
            assert_eq!(bar(part, largest, 3), want, "{part} of {largest}");
        }
    }
}
