//! The format that the name of an output says, where no option does.

use std::path::Path;

use anyhow::{Result, bail};

/// What `of_path` makes of an output's name; `None` without an output, and for a name without an
/// ending.
///
/// An ending that says nothing is an error: the file would be of another format than its name.
pub(crate) fn format_of<T>(
    output: Option<&Path>,
    words: &str,
    of_path: impl Fn(&Path) -> Option<T>,
) -> Result<Option<T>> {
    let Some(path) = output.filter(|path| path.extension().is_some()) else {
        return Ok(None);
    };
    let Some(format) = of_path(path) else {
        bail!("{}: its name says no format; give --format {words}", path.display());
    };
    Ok(Some(format))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_ending_says_a_format_or_is_refused() {
        let of = |name: &str| {
            format_of(Some(Path::new(name)), "csv or jsonl", |path| {
                (path.extension()? == "csv").then_some("CSV")
            })
            .map_err(|error| error.to_string())
        };
        assert_eq!(of("a.csv"), Ok(Some("CSV")));
        assert_eq!(of("a"), Ok(None));
        let want = "a.xlsx: its name says no format; give --format csv or jsonl";
        assert_eq!(of("a.xlsx"), Err(want.to_owned()));
        assert_eq!(format_of(None, "", |_| Some(1)).unwrap(), None);
    }
}
