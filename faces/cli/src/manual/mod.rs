//! Every command with its options, as one list: what man pages and completions are made of.
//!
//! `find` has its flag table; of the other commands what `--help` prints is read back.
//!
//! Callers: main, find/special, messages

mod bash;
mod fish;
mod man;
mod power_shell;
mod sections;
mod text;
mod zsh;

use ignore::types::TypesBuilder;

use crate::flags::{FLAGS, Flag, Script, Takes};
use crate::messages::Manners;
use crate::{COMMANDS, Command};

/// Where the options of a command are written down.
pub(crate) enum Manual {
    /// In the flag table.
    Table,
    /// In what `--help` prints.
    Text(&'static str),
    /// With the commands of the group that it is.
    Group(&'static [Command]),
}

/// A command.
#[derive(Clone, Debug)]
pub(crate) struct Page {
    /// The words that name it, such as `series select`; none for the program.
    path: String,
    /// What it does, in some words.
    summary: String,
    options: Vec<Opt>,
    /// What may stand in the place of a path.
    values: Values,
    /// What its help says, in order.
    parts: Vec<Part>,
}

/// A piece of a help text.
#[derive(Clone, Debug)]
enum Part {
    Call(String),
    Prose(Vec<String>),
    /// With the column where its row began.
    Option(Opt, usize),
}

/// An option, by all its names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Opt {
    /// With their dashes.
    names: Vec<String>,
    /// Names that undo it.
    undo: Vec<String>,
    /// What its value stands for, if it takes one.
    metavar: Option<String>,
    values: Values,
    help: String,
}

/// What may be given for a value.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Values {
    /// Nobody can list it.
    Any,
    Files,
    Folders,
    Words(Vec<String>),
}

impl Page {
    fn new(path: &str, summary: &str) -> Page {
        let (path, summary) = (path.to_owned(), summary.to_owned());
        Page { path, summary, options: Vec::new(), values: Values::Files, parts: Vec::new() }
    }

    /// Adds an option, or what this says of one that is there.
    fn add(&mut self, option: Opt) {
        let is_same = |known: &&mut Opt| known.names.iter().any(|name| option.names.contains(name));
        let Some(known) = self.options.iter_mut().find(is_same) else {
            self.options.push(option);
            return;
        };
        let new = option.names.into_iter().filter(|name| !known.names.contains(name));
        let new: Vec<String> = new.collect();
        known.names.extend(new);
        if option.metavar.is_some() {
            (known.metavar, known.values) = (option.metavar, option.values);
        }
        if !option.help.is_empty() {
            known.help = option.help;
        }
    }

    /// The last of its words.
    fn name(&self) -> &str {
        self.path.rsplit(' ').next().unwrap_or_default()
    }

    /// Every spelling of every option.
    fn words(&self) -> impl Iterator<Item = &str> {
        self.options
            .iter()
            .flat_map(|option| option.names.iter().chain(&option.undo))
            .map(String::as_str)
    }
}

impl Opt {
    fn new<'n>(names: impl IntoIterator<Item = &'n str>, metavar: Option<&str>, help: &str) -> Opt {
        let mut option = Opt {
            names: names.into_iter().map(str::to_owned).collect(),
            undo: Vec::new(),
            metavar: None,
            values: Values::Any,
            help: String::new(),
        };
        if let Some(metavar) = metavar {
            option.set_value(metavar);
        }
        option.say(help);
        option
    }

    fn set_value(&mut self, metavar: &str) {
        self.values = text::values_of(metavar);
        self.metavar = Some(metavar.to_owned());
    }

    /// Adds a line to what it does. One that begins with a word and a colon is about a value that it takes.
    fn say(&mut self, more: &str) {
        if let (Some((word, _)), true) = (more.split_once(": "), self.metavar.is_some())
            && word.bytes().all(|byte| byte.is_ascii_lowercase())
        {
            match &mut self.values {
                Values::Words(words) => words.push(word.to_owned()),
                values => *values = Values::Words(vec![word.to_owned()]),
            }
        }
        if !self.help.is_empty() {
            self.help.push(' ');
        }
        self.help += more;
    }
}

/// All pages, the program's own first; called as `rg`, that is the only one.
fn pages(manners: Manners) -> Vec<Page> {
    if manners == Manners::Ripgrep {
        return vec![find("", manners)];
    }
    let mut program = Page::new("", "");
    program.options = vec![
        Opt::new(["-h", "--help"], None, "What there is."),
        Opt::new(["-V", "--version"], None, "Which version this is."),
    ];
    program.values = Values::Any;
    let mut pages = vec![program];
    COMMANDS.iter().for_each(|command| add_command(&mut pages, "", command));
    let others = pages.iter_mut().filter(|page| !matches!(page.path.as_str(), "" | "find"));
    for page in others {
        page.add(Opt::new(["-h", "--help"], None, "What it does and takes."));
        page.add(Opt::new(["-V", "--version"], None, "Which version this is."));
    }
    pages
}

fn add_command(pages: &mut Vec<Page>, group: &str, command: &Command) {
    let path = format!("{group} {}", command.name);
    let path = path.trim_start();
    let summary = command.help.split_once("  ").map_or(command.help, |(_, what)| what.trim());
    match command.manual {
        Manual::Table => {
            pages.push(Page { summary: summary.to_owned(), ..find(path, Manners::Manicule) })
        }
        Manual::Text(text) => {
            let own = text::pages(path, summary, text);
            if own.iter().all(|page| page.path != path) {
                pages.push(group_page(path, summary));
            }
            pages.extend(own);
        }
        Manual::Group(commands) => {
            pages.push(group_page(path, summary));
            commands.iter().for_each(|command| add_command(pages, path, command));
        }
    }
}

/// The page of a word after which another one is wanted.
fn group_page(path: &str, summary: &str) -> Page {
    Page { values: Values::Any, ..Page::new(path, summary) }
}

fn find(path: &str, manners: Manners) -> Page {
    let flags = FLAGS.iter().filter(|flag| manners == Manners::Manicule || !flag.is_own());
    Page {
        options: flags.map(option).collect(),
        ..Page::new(path, "finds text in files and folders")
    }
}

fn option(flag: &Flag) -> Opt {
    let letter = flag.short.map(|letter| format!("-{letter}"));
    let longs = [Some(flag.long), flag.alias].into_iter().flatten().map(|long| format!("--{long}"));
    Opt {
        names: letter.into_iter().chain(longs).collect(),
        undo: flag.negation.map(|long| format!("--{long}")).into_iter().collect(),
        metavar: flag.metavar.map(str::to_owned),
        values: match flag.takes {
            Takes::Any => flag.metavar.map_or(Values::Any, text::values_of),
            Takes::Types => Values::Words(types()),
            Takes::OneOf(words) => {
                Values::Words(words.iter().map(|&word| word.to_owned()).collect())
            }
        },
        help: flag.help.to_owned(),
    }
}

/// The names of the file types.
fn types() -> Vec<String> {
    let mut types = TypesBuilder::new();
    types.add_defaults();
    let definitions = types.definitions();
    definitions
        .iter()
        .map(|definition| definition.name().to_owned())
        .chain(["all".to_owned()])
        .collect()
}

/// The commands that stand right below a page, with what they do.
fn children<'p>(pages: &'p [Page], path: &str) -> Vec<&'p Page> {
    let below = |page: &&Page| match page.path.strip_prefix(path) {
        Some(rest) if path.is_empty() => !rest.is_empty() && !rest.contains(' '),
        Some(rest) => rest.starts_with(' ') && !rest[1..].contains(' '),
        None => false,
    };
    pages.iter().filter(below).collect()
}

/// The options of a command, by all their names; none where there is no such command.
pub(crate) fn option_names(path: &str) -> Vec<String> {
    let pages = pages(Manners::Manicule);
    let of_command =
        pages.iter().filter(|page| page.path == path || page.path.starts_with(&format!("{path} ")));
    of_command.flat_map(|page| page.words().map(str::to_owned).collect::<Vec<_>>()).collect()
}

/// A man page or the completions for a shell, for the program as it was called.
pub(crate) fn generate(script: Script, manners: Manners) -> String {
    let pages = pages(manners);
    match script {
        Script::Man => man::generate(&pages, manners),
        Script::Bash => bash::generate(&pages, manners.program()),
        Script::Zsh => zsh::generate(&pages, manners.program()),
        Script::Fish => fish::generate(&pages, manners.program()),
        Script::PowerShell => power_shell::generate(&pages, manners.program()),
    }
}

#[cfg(test)]
mod tests;
