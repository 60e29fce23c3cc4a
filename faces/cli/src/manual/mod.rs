//! Every command with its options, as one list: what man pages and completions are made of.

mod bash;
mod fish;
mod man;
mod power_shell;
mod sections;
mod zsh;

use ignore::types::TypesBuilder;

use crate::command::spec::{Spec, Takes};
use crate::command::{Command, Does, Job, help, path_of, shared};
use crate::flags::{Script, is_own};
use crate::messages::InvokedAs;

/// A command.
pub(crate) struct Page {
    /// The words that name it, such as `series select`; none for the program.
    path: String,
    /// What it does, in some words.
    summary: &'static str,
    options: Vec<Opt>,
    /// What may stand in the place of a path.
    values: Values,
    /// `None` for the program.
    command: Option<&'static Command>,
}

/// An option, by all its names.
pub(crate) struct Opt {
    spec: &'static Spec,
    /// With their dashes.
    names: Vec<String>,
    /// Names that undo it.
    undo: Vec<String>,
    values: Values,
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
    /// Whether it is a command that does something, rather than a group of commands.
    #[cfg(test)]
    fn is_job(&self) -> bool {
        self.command.is_some_and(|command| matches!(command.does, Does::Job(_)))
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
    fn new(spec: &'static Spec) -> Opt {
        let letter = spec.short.map(|letter| format!("-{letter}"));
        let longs = [Some(spec.long), spec.alias].into_iter().flatten();
        let longs = longs.map(|long| spec.dashed(long));
        let words =
            |words: &[&str]| Values::Words(words.iter().copied().map(str::to_owned).collect());
        Opt {
            spec,
            names: letter.into_iter().chain(longs).collect(),
            undo: spec.negation.map(|long| spec.dashed(long)).into_iter().collect(),
            values: match spec.takes {
                Takes::Any => spec.metavar.map_or(Values::Any, values_of),
                Takes::Types => Values::Words(types()),
                Takes::OneOf(offered) => words(offered),
                Takes::Choices(choices) => {
                    words(&choices.iter().map(|choice| choice.0).collect::<Vec<_>>())
                }
            },
        }
    }

    fn metavar(&self) -> Option<&'static str> {
        self.spec.metavar
    }

    fn help(&self) -> &'static str {
        self.spec.line()
    }
}

/// What may be given for a value that is called so.
fn values_of(metavar: &str) -> Values {
    match metavar {
        "DIR" | "FOLDER" => Values::Folders,
        "FILE" | "PATH" | "PATTERNFILE" => Values::Files,
        _ => Values::Any,
    }
}

/// All pages, the program's own first; called as `rg`, that is the only one.
fn pages(invoked_as: InvokedAs, commands: &[&'static Command]) -> Vec<Page> {
    if invoked_as == InvokedAs::Ripgrep {
        let find = commands.iter().find(|command| command.name == "find");
        let Some((find, Does::Job(job))) = find.map(|find| (find, &find.does)) else {
            return Vec::new();
        };
        let page = page("", find, *job);
        let options = page.options.into_iter().filter(|option| !is_own(option.spec)).collect();
        return vec![Page { options, ..page }];
    }
    let mut pages = vec![group_page("", "", None)];
    commands.iter().for_each(|command| add_command(&mut pages, "", command));
    pages
}

fn add_command(pages: &mut Vec<Page>, group: &str, command: &'static Command) {
    let path = path_of(group, command.name);
    match command.does {
        Does::Job(job) => pages.push(page(&path, command, job)),
        Does::Group(commands) => {
            pages.push(group_page(&path, command.summary, Some(command)));
            commands.iter().for_each(|command| add_command(pages, &path, command));
        }
    }
}

fn page(path: &str, command: &'static Command, job: &dyn Job) -> Page {
    let wants_folder = command.operands.ends_with("DIR...");
    Page {
        path: path.to_owned(),
        summary: command.summary,
        options: help::shown(job).into_iter().map(Opt::new).collect(),
        values: if wants_folder { Values::Folders } else { Values::Files },
        command: Some(command),
    }
}

/// The page of a word after which another one is wanted.
fn group_page(path: &str, summary: &'static str, command: Option<&'static Command>) -> Page {
    let options = [&shared::HELP, &shared::VERSION].map(Opt::new).into();
    Page { path: path.to_owned(), summary, options, values: Values::Any, command }
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

/// A man page or the completions for a shell, for the program as it was called.
pub(crate) fn generate(
    script: Script,
    invoked_as: InvokedAs,
    commands: &[&'static Command],
) -> String {
    let pages = pages(invoked_as, commands);
    match script {
        Script::Man => man::generate(&pages, invoked_as),
        Script::Bash => bash::generate(&pages, invoked_as.program()),
        Script::Zsh => zsh::generate(&pages, invoked_as.program()),
        Script::Fish => fish::generate(&pages, invoked_as.program()),
        Script::PowerShell => power_shell::generate(&pages, invoked_as.program()),
    }
}

#[cfg(test)]
mod tests;
