//! The prompt: statements typed one after the other, with a history.

use std::fs;

use anyhow::Result;
use manicule::cache::Cache;
use rustyline::error::ReadlineError;
use rustyline::history::FileHistory;
use rustyline::{Config, Editor};

use crate::asked::Asker;
use crate::said::say;

/// The file of the history, in the folder of the user's cache.
const HISTORY: &str = "sql-history";
/// Maximum number of statements that it keeps.
const HISTORY_MAX: usize = 1000;

/// Asks what is typed, until Ctrl-D or `exit`. An error is shown, and the next statement asked for.
pub(crate) fn ask(asker: &Asker) -> Result<()> {
    let config = Config::builder().max_history_size(HISTORY_MAX)?.auto_add_history(false).build();
    let mut editor: Editor<(), FileHistory> = Editor::with_config(config)?;
    let history = Cache::of_user().map(|cache| cache.folder.join(HISTORY));
    if let Some(history) = &history {
        // Where there is none yet, there is nothing to load.
        let _ = editor.load_history(history);
    }
    let mut typed = String::new();
    loop {
        let text = match editor.readline(if typed.is_empty() { "sql> " } else { "  -> " }) {
            Ok(line) => match take(&mut typed, &line) {
                Typed::Statement(text) => text,
                Typed::Part => continue,
                Typed::End => return Ok(()),
            },
            Err(ReadlineError::Interrupted) => {
                typed.clear();
                continue;
            }
            Err(ReadlineError::Eof) => return Ok(()),
            Err(error) => return Err(error.into()),
        };
        editor.add_history_entry(&text)?;
        if let Some(history) = &history {
            // A history that can't be kept is no reason to end.
            let _ = history.parent().map(fs::create_dir_all);
            let _ = editor.append_history(history);
        }
        if let Err(error) = asker.ask(&text) {
            say(&error);
        }
    }
}

/// What has been typed with a further line.
#[derive(Debug, PartialEq, Eq)]
enum Typed {
    /// Nothing yet, or a part of a statement.
    Part,
    /// A statement, or several, with the semicolon at the end.
    Statement(String),
    /// That the prompt shall end.
    End,
}

fn take(typed: &mut String, line: &str) -> Typed {
    if typed.is_empty() && matches!(line.trim().trim_end_matches(';'), "exit" | "quit" | "\\q") {
        return Typed::End;
    }
    if typed.is_empty() && line.trim().is_empty() {
        return Typed::Part;
    }
    typed.push_str(if typed.is_empty() { "" } else { "\n" });
    typed.push_str(line.trim_end());
    if line.trim_end().ends_with(';') {
        Typed::Statement(std::mem::take(typed))
    } else {
        Typed::Part
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_statement_ends_with_a_semicolon() {
        let mut typed = String::new();
        let statement = |text: &str| Typed::Statement(text.to_owned());
        for (line, want) in [
            ("", Typed::Part),
            ("SELECT 1;  ", statement("SELECT 1;")),
            ("SELECT", Typed::Part),
            ("exit", Typed::Part),
            ("", Typed::Part),
            ("; SELECT 2;", statement("SELECT\nexit\n\n; SELECT 2;")),
            (" quit;", Typed::End),
            ("\\q", Typed::End),
        ] {
            assert_eq!(take(&mut typed, line), want, "{line:?}");
        }
    }
}
