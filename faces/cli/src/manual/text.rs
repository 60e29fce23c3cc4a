//! What a command's `--help` says, read back: how it is called, its options, and the words between.
//!
//! The text is the only list of a command's options. It keeps to a form:
//!
//! ```text
//! manicule cache build [PATH] [--json]       a call, at the line's start; options may stand in it
//!     What it does.                          prose, indented
//!
//!     -j, --threads N   how many threads     an option: names, value, two blanks, what it does,
//!                       work (all cores)     and more of that, indented further
//! ```
//!
//! Callers: manual

use super::{Opt, Page, Part, Values};

/// The pages of a text: one, or one for each word that stands in place of a command after `path` in its calls.
pub(super) fn pages(path: &str, summary: &str, text: &str) -> Vec<Page> {
    let mut pages: Vec<Page> = Vec::new();
    // What comes before a call belongs to it; a text begins with one.
    for line in text.lines() {
        if let Some(call) = line.strip_prefix("manicule ") {
            begin(&mut pages, path, summary, call);
        } else if let Some(page) = pages.last_mut() {
            add(page, line);
        }
    }
    let said: Vec<Opt> = pages.iter().flat_map(|page| page.options.clone()).collect();
    for option in pages.iter_mut().flat_map(|page| &mut page.options) {
        // What several calls take is said of one of them.
        let twin =
            said.iter().find(|twin| twin.names.contains(&option.names[0]) && !twin.help.is_empty());
        if let (true, Some(twin)) = (option.help.is_empty(), twin) {
            option.help = twin.help.clone();
        }
    }
    pages
}

/// Begins the page of a call, or goes on with it where it has one.
fn begin(pages: &mut Vec<Page>, path: &str, summary: &str, call: &str) {
    let last_word = path.rsplit(' ').next().unwrap_or(path);
    let rest = call.strip_prefix(path).or_else(|| call.strip_prefix(last_word)).unwrap_or(call);
    let first = rest.split_whitespace().next().unwrap_or_default();
    let is_word = first.len() > 1 && first.bytes().all(|byte| byte.is_ascii_lowercase());
    let own_path = if is_word { format!("{path} {first}") } else { path.to_owned() };
    // What a word does is said by the first line below its call.
    let summary = if is_word { "" } else { summary };
    let at = pages.iter().position(|page| page.path == own_path).unwrap_or_else(|| {
        pages.push(Page::new(&own_path, summary));
        pages.len() - 1
    });
    // It is the last one, to which lines are added.
    let mut page = pages.remove(at);
    page.parts.push(Part::Call(format!("manicule {call}")));
    for option in in_call(rest) {
        page.add(option);
    }
    pages.push(page);
}

/// The options that stand in a call, such as `[--hex SECTION]` and `-o DIR`.
fn in_call(call: &str) -> Vec<Opt> {
    let mut found: Vec<Opt> = Vec::new();
    let mut takes_value = false;
    for word in call.split_whitespace() {
        let bare = word.trim_matches(|c| c == '[' || c == ']');
        if bare.starts_with('-') && bare.len() > 1 {
            found.push(Opt::new([bare], None, ""));
            takes_value = !word.ends_with(']');
            continue;
        }
        if let (true, Some(option), false) = (takes_value, found.last_mut(), word.starts_with('['))
        {
            option.set_value(bare);
        }
        takes_value = false;
    }
    found
}

/// Takes a line into the last page.
fn add(page: &mut Page, line: &str) {
    let text = line.trim_start();
    let indent = line.len() - text.len();
    if let Some(mut option) = row(text) {
        // A row without a text of its own shares that of the row above.
        if let (true, Some(Part::Option(above, _))) = (option.help.is_empty(), page.parts.last()) {
            option.help.clone_from(&above.help);
        }
        page.add(option.clone());
        page.parts.push(Part::Option(option, indent));
        return;
    }
    if page.summary.is_empty() {
        let (sentence, _) = text.split_once(". ").unwrap_or((text, ""));
        page.summary = sentence.trim_end_matches('.').to_owned();
    }
    match page.parts.last_mut() {
        Some(Part::Option(option, at)) if !text.is_empty() && indent > *at + 4 => {
            option.say(text);
            let option = option.clone();
            page.add(option);
        }
        Some(Part::Prose(lines)) if !text.is_empty() => lines.push(line.to_owned()),
        _ if text.is_empty() => page.parts.push(Part::Prose(Vec::new())),
        _ => page.parts.push(Part::Prose(vec![line.to_owned()])),
    }
}

/// An option's row: `-o, --output DIR   where it goes`.
fn row(text: &str) -> Option<Opt> {
    let is_option = |word: &str| {
        let name = word.trim_start_matches('-');
        name.len() < word.len() && name.starts_with(|first: char| first.is_ascii_alphanumeric())
    };
    if !text.split_whitespace().next().is_some_and(is_option) {
        return None;
    }
    let (names, help) = text.split_once("  ").unwrap_or((text, ""));
    let mut words = names.split(' ').peekable();
    let mut spelled = Vec::new();
    while let Some(word) = words.next_if(|word| is_option(word)) {
        spelled.push(word.trim_end_matches(','));
    }
    let value = words.next();
    // More words are prose that begins with an option's name.
    words.next().is_none().then(|| Opt::new(spelled, value, help.trim()))
}

/// What may be given for a value that is called so.
pub(super) fn values_of(metavar: &str) -> Values {
    match metavar {
        "DIR" | "FOLDER" => Values::Folders,
        "FILE" | "PATH" | "PATTERNFILE" => Values::Files,
        words if words.contains('|') => {
            Values::Words(words.split('|').map(str::to_owned).collect())
        }
        _ => Values::Any,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "\
manicule cache list [--json]
    What is kept.
manicule cache build [PATH] [--threads N] [--json]
    Builds it.

    -j, --threads N    how many threads
                       work at once
    --when now|later   soon
    --form FORM        long: all of it
                       short: a line
    --json             objects
    --anew reads every file again.
";

    fn shown(page: &Page) -> String {
        let option = |option: &Opt| {
            let value = option.metavar.as_deref().unwrap_or("-");
            format!("{} {value} {:?}\n", option.names.join(","), option.help)
        };
        page.options.iter().map(option).collect()
    }

    #[test]
    fn each_word_after_the_command_has_its_page() {
        let pages = pages("cache", "", TEXT);
        let paths: Vec<&str> = pages.iter().map(|page| page.path.as_str()).collect();
        assert_eq!(paths, ["cache list", "cache build"]);
        let summaries: Vec<&str> = pages.iter().map(|page| page.summary.as_str()).collect();
        assert_eq!(summaries, ["What is kept", "Builds it"]);
        assert_eq!(shown(&pages[0]), "--json - \"objects\"\n");
    }

    #[test]
    fn options_stand_in_calls_and_in_rows() {
        let page = pages("cache", "", TEXT).remove(1);
        let want = "--threads,-j N \"how many threads work at once\"\n--json - \"objects\"\n\
                    --when now|later \"soon\"\n--form FORM \"long: all of it short: a line\"\n";
        assert_eq!(shown(&page), want);
        assert_eq!(page.options[2].values, Values::Words(vec!["now".into(), "later".into()]));
        assert_eq!(page.options[3].values, Values::Words(vec!["long".into(), "short".into()]));
    }

    #[test]
    fn calls_without_a_word_share_a_page() {
        let pages = pages(
            "series split",
            "",
            "manicule series split -o DIR A\nmanicule series split --by x|y B\n",
        );
        assert_eq!(pages.len(), 1);
        assert_eq!(shown(&pages[0]), "-o DIR \"\"\n--by x|y \"\"\n");
    }
}
