//! The prompt: statements typed one after the other, with a history.

use anyhow::Result;
use manicule::cache::Cache;
use rustyline::error::ReadlineError;
use rustyline::history::FileHistory;
use rustyline::{Config, Editor};

use crate::asked::{Asker, sentence};
use crate::program::say;

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
        match editor.readline(if typed.is_empty() { "sql> " } else { "  -> " }) {
            Ok(line) => typed.push_str(&line),
            Err(ReadlineError::Interrupted) => {
                typed.clear();
                continue;
            }
            Err(ReadlineError::Eof) => return Ok(()),
            Err(error) => return Err(error.into()),
        }
        if matches!(typed.trim().trim_end_matches(';'), "exit" | "quit" | "\\q") {
            return Ok(());
        }
        if !typed.trim_end().ends_with(';') {
            // A line that is empty, or begins or goes on with a statement.
            let is_begun = !typed.trim().is_empty();
            typed.push_str(if is_begun { "\n" } else { "" });
            continue;
        }
        let text = std::mem::take(&mut typed);
        editor.add_history_entry(text.trim())?;
        if let Some(history) = &history {
            // A history that can't be kept is no reason to end.
            let _ = editor.append_history(history);
        }
        if let Err(error) = asker.ask(&text) {
            say(&sentence(&error));
        }
    }
}
